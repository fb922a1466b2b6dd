"""The average of adapters: `python -m training.average --base FILE.gguf FILE FILE … --out FILE.pt`.

In: a base, and checkpoints of `training.tune` on it (or adapters as GGUFs), all begun with the same one (`--start`, or
a run and what it was at other times).
Out: their factors' weighted mean, without an optimizer: to begin with (`--start`) or for `training.adapter`.

Runs that began at the same place lie in the same valley, and their mean lies lower than they do: the noise of each
is averaged away (Wortsman et al. 2022, https://arxiv.org/abs/2203.05482).
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import torch

from training import adapter, base
from training.lora import Lora


class Different(Exception):
    """They have no average; says why."""


def average(loras: Sequence[Lora], shares: Sequence[float]) -> Lora:
    """Raises Different."""
    first, total = loras[0], sum(shares)
    shapes = [(each.rank, each.scale, {name: value.shape for name, value in each.factors.items()}) for each in loras]
    if len(shares) != len(loras) or total <= 0:
        raise Different(f"{len(loras)} files want as many shares with a sum above 0")
    if any(shape != shapes[0] for shape in shapes):
        raise Different("the files are of different ranks, scales or bases")
    stacks = {name: torch.stack([each.factors[name] for each in loras], -1) for name in first.factors}
    weights = torch.tensor(shares) / total
    return Lora(first.rank, first.scale, {name: stack @ weights for name, stack in stacks.items()})


def main() -> None:
    cli = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    cli.add_argument("--base", type=Path, required=True)
    cli.add_argument("files", type=Path, nargs="+", metavar="FILE")
    cli.add_argument("--shares", type=float, nargs="+", help="of each file; alike where they are left out")
    cli.add_argument("--out", type=Path, required=True)
    a = cli.parse_args()
    try:
        of = base.read(a.base)
        loras = [adapter.load(of, file) for file in a.files]
        found = average(loras, a.shares or [1.0] * len(loras))
    except (Different, base.NotABase) as error:
        sys.exit(f"{error}.")
    torch.save(found.state(), a.out)


if __name__ == "__main__":
    main()
