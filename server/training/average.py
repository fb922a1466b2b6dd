"""The average of adapters: `python -m training.average FILE.pt FILE.pt … --out FILE.pt [--shares 3 1]`.

In: checkpoints of `training.tune`, all begun with the same one (`--start`, or a run and what it was at other times).
Out: their factors' weighted mean, without an optimizer: to begin with (`--start`) or for `training.adapter`.

Runs that began at the same place lie in the same valley, and their mean lies lower than they do: the noise of each
is averaged away (Wortsman et al. 2022, https://arxiv.org/abs/2203.05482).
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

State = dict[str, Any]


class Different(Exception):
    """They have no average; says why."""


def average(states: Sequence[State], shares: Sequence[float]) -> State:
    """Raises Different."""
    first, total = states[0], sum(shares)
    shapes = [(s["rank"], s["scale"], {name: value.shape for name, value in s["lora"].items()}) for s in states]
    if len(shares) != len(states) or total <= 0:
        raise Different(f"{len(states)} files want as many shares with a sum above 0")
    if any(shape != shapes[0] for shape in shapes):
        raise Different("the files are of different ranks, scales or bases")
    pairs = list(zip(states, shares, strict=True))
    mean = {name: sum(s["lora"][name] * (share / total) for s, share in pairs) for name in first["lora"]}
    return {"rank": first["rank"], "scale": first["scale"], "lora": mean}


def main() -> None:
    cli = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    cli.add_argument("files", type=Path, nargs="+", metavar="FILE.pt")
    cli.add_argument("--shares", type=float, nargs="+", help="of each file; alike where they are left out")
    cli.add_argument("--out", type=Path, required=True)
    a = cli.parse_args()
    states = [torch.load(file, weights_only=False, map_location="cpu") for file in a.files]
    try:
        found = average(states, a.shares or [1.0] * len(states))
    except Different as error:
        sys.exit(f"{error}.")
    torch.save(found, a.out)


if __name__ == "__main__":
    main()
