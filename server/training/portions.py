"""What a step of `training.tune` is made of: which blocks, in which batches, for which process.

In: `shelf.Encoded` workspaces.  Out: `layout.Batch`es.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from training.layout import ON_CPU, Batch, Builder, Ints, Mode, Packing
from training.shelf import Encoded

WEIGHTS = {"block": 0.0, "suffix": 0.0, "prefix": 0.6, "broken": 0.0, "middle": 1.5, "reply": 2.5, "end": 3.0}
ROOMS = ((0, 0.10), (250, 0.60), (700, 0.30))
"""Tokens of all blocks of a workspace, and how often: few, for most of the computing is to go into what is asked."""


def batch_of(
    workspaces: Sequence[Encoded],
    header: Sequence[int],
    footer: Sequence[int],
    rng: np.random.Generator,
    mode: Mode = "own",
    packing: Packing = ON_CPU,
    *,
    in_order: bool = False,
) -> Batch:
    """Workspaces with their own blocks, with none, or each with another one's; in place, or all `in_order`."""
    builder = Builder(header, footer, rng, WEIGHTS)
    add = builder.add_in_order if in_order else builder.add_workspace
    for i, each in enumerate(workspaces):
        source = workspaces[(i + 1) % len(workspaces)] if mode == "other" else each
        add([] if mode == "none" else source.blocks, [tail[:4] for tail in each.tails])
    return builder.finish(packing)


def some_blocks(blocks: Sequence[Ints], rng: np.random.Generator) -> list[Ints]:
    """As many as one of ROOMS has room for, at least one where there is any room."""
    room = int(rng.choice([n for n, _ in ROOMS], p=[share for _, share in ROOMS]))
    found: list[Ints] = []
    for i in rng.permutation(len(blocks)) if room else []:
        if len(blocks[i]) <= room or not found:
            found.append(blocks[i])
            room -= len(blocks[i])
    return found


def size(workspace: Encoded) -> int:
    """Its tokens, about."""
    return sum(map(len, workspace.blocks)) + sum(len(t.tail) + len(t.suffix) for t in workspace.tails)


def shares(workspaces: Sequence[Encoded], n: int) -> list[list[Encoded]]:
    """Workspaces for each of n processes, of about equal size: the largest first, each to who has least."""
    found: list[list[Encoded]] = [[] for _ in range(n)]
    for workspace in sorted(workspaces, key=size, reverse=True):
        min(found, key=lambda part: sum(map(size, part))).append(workspace)
    return found
