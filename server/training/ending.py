"""Fits the end's own row: `python -m training.ending --base FILE.gguf [--checkpoint FILE.pt] --out FILE.pt`.

In: a base whose vocabulary has a token for the end alone, `lora.pt` of `training.tune`, workspaces as text.
Out: the checkpoint with another row for the end, and what that changes on workspaces that it was not fitted on.

An end of its own is never read, so its row of a tied embedding is a linear classifier on what the last layer gives,
and changes nothing else.  What a prompt starts with ends answers, too, and has some of the probability of an end.
Forward passes over a few hundred middles give the states x and, for each, the start's logit s and Z, the logarithm of
the sum of all other tokens' weights.  With e = log(exp(w·x) + exp(s)), what is minimized over the row w is

    sum over ends of log(1 + exp(Z - e))  +  sum over other tokens of log(1 + exp(e - Z))  +  ridge · |w - w₀|²

which is the loss of the ends and what the text loses to them, each in nats: both count alike here, however the ends
were weighed in training.
"""

from __future__ import annotations

from training.memory import settle

if __name__ == "__main__":
    settle("training.ending")

import argparse
import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from palimpsest.prompt.blocks import FOOTER, HEADER
from training import CACHE, base, lora, shelf
from training.base import Base
from training.data import LAYOUTS
from training.layout import MIDDLE
from training.lora import ROWS, Frozen, Lora
from training.model import Parts
from training.pace import default_dtype
from training.portions import batch_of, some_blocks
from training.shelf import Encoded, EncodedTail
from training.team import make_way

RIDGES = (1e-4, 1e-3, 1e-2, 1e-1)
N_STEPS, AT_ONCE, SHARE_HELD = 60, 128, 0.25


@dataclass(frozen=True)
class States:
    """x (n, width), s and Z (n,), whether the middle ends there (n,)."""

    x: Tensor
    start: Tensor
    others: Tensor
    is_end: Tensor

    def part(self, chosen: Tensor) -> States:
        return States(self.x[chosen], self.start[chosen], self.others[chosen], self.is_end[chosen])

    def margin(self, row: Tensor) -> Tensor:
        """By how much an end is likelier than all else together, as logits."""
        return torch.logaddexp(self.x @ row, self.start) - self.others

    def figures(self, row: Tensor) -> dict[str, float]:
        """Nats of an end, how often it is likelier than all else together; nats that each other token loses to it."""
        margin = self.margin(row)
        ends, rest = margin[self.is_end], margin[~self.is_end]
        found = {"end": F.softplus(-ends).mean(), "ended": (ends > 0).double().mean(), "lost": F.softplus(rest).mean()}
        return {name: round(float(value), 4) for name, value in found.items()}


@torch.no_grad()
def gathered(of: Base, model: Frozen, learned: Lora, found: Iterable[Encoded]) -> tuple[States, Tensor]:
    """The states in the middles of workspaces, and the number of the workspace that each is of."""
    marks = of.vocabulary.marks
    frame = [marks.start, *of.vocabulary.encode(HEADER)], of.vocabulary.encode(FOOTER)
    embedding = model.parameters["embedding"].clone()
    embedding[marks.rows] = learned.factors[ROWS].to(embedding.dtype)
    xs, starts, others, ends, numbers = [], [], [], [], []
    for number, each in enumerate(each for each in found if each.tails):
        batch = batch_of([each], *frame, np.random.default_rng(number))
        is_middle = batch.parts == MIDDLE
        x = lora.states(model, learned, batch, Parts())[torch.from_numpy(is_middle).to(embedding.device)]
        for part in torch.split(x, AT_ONCE):
            logits = (part.to(model.dtype) @ embedding.mT).float()
            starts.append(logits[:, marks.start].cpu())
            logits[:, [marks.start, marks.end]] = -torch.inf
            others.append(torch.logsumexp(logits, -1).cpu())
        xs.append(x.cpu())
        ends.append(torch.from_numpy(batch.targets[is_middle] == marks.end))
        numbers.append(torch.full((len(x),), number))
    x, start, other = (torch.cat(parts).double() for parts in (xs, starts, others))
    return States(x, start, other, torch.cat(ends)), torch.cat(numbers)


def completions(workspace: Encoded) -> list[EncodedTail]:
    """Its middles; where a reply ends, its text says."""
    return [tail for tail in workspace.tails if tail.layout == LAYOUTS.index("spm")]


def fitted(states: States, start: Tensor, ridge: float) -> Tensor:
    """The row that loses least; `ridge` is for each state."""
    row = start.clone().requires_grad_()
    sign = torch.where(states.is_end, -1.0, 1.0).double()
    optimizer = torch.optim.LBFGS([row], max_iter=N_STEPS, line_search_fn="strong_wolfe")

    def closure() -> Tensor:
        optimizer.zero_grad()
        lost = F.softplus(sign * states.margin(row)).sum()
        total = lost + ridge * len(sign) * (row - start).square().sum()
        total.backward()  # type: ignore[no-untyped-call]
        return total

    optimizer.step(closure)  # type: ignore[no-untyped-call]
    return row.detach()


def best(states: States, numbers: Tensor, start: Tensor) -> tuple[Tensor, dict[str, dict[str, float]]]:
    """The row with the ridge that loses least on the last workspaces, fitted on all; figures of these before and after,
    fitted on the others."""
    is_held = numbers >= int((1 - SHARE_HELD) * (int(numbers.max()) + 1))
    seen, held = states.part(~is_held), states.part(is_held)

    def lost(row: Tensor) -> float:
        found = held.figures(row)
        n = int(held.is_end.sum())
        return found["end"] * n + found["lost"] * (len(held.is_end) - n)

    rows = {ridge: fitted(seen, start, ridge) for ridge in RIDGES}
    ridge = min(rows, key=lambda each: lost(rows[each]))
    figures = {"before": held.figures(start), "after": held.figures(rows[ridge]), "ridge": {"of a state": ridge}}
    return fitted(states, start, ridge), figures


def main() -> None:
    cli = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    cli.add_argument("--base", type=Path, required=True)
    cli.add_argument("--checkpoint", type=Path, default=CACHE / "lora.pt")
    cli.add_argument("--texts", type=Path, default=CACHE / "texts")
    cli.add_argument("--workspaces", type=int, default=120)
    cli.add_argument("--out", type=Path, required=True)
    a = cli.parse_args()
    make_way()
    torch.set_num_threads(1)
    of = base.read(a.base)
    marks = of.vocabulary.marks
    if not marks.has_own_end:
        raise SystemExit(f"{a.base.name} ends middles with a token that prompts have, too; its row stays.")
    saved = torch.load(a.checkpoint, weights_only=False, map_location="cpu")
    device = "cuda" if torch.cuda.is_available() else "cpu"
    learned = lora.restored(of, saved)
    there = lora.Lora(learned.rank, learned.scale, {name: v.to(device) for name, v in learned.factors.items()})
    model = lora.frozen(of, getattr(torch, default_dtype()), device)
    rng = np.random.default_rng(1)
    taken = shelf.Shelf(a.texts / "train", shelf.Bookmark(), shelf.encode_here(of.vocabulary))
    n_known = len(taken.known())
    workspaces = (taken.next(n_known) for _ in range(a.workspaces))
    found = gathered(of, model, there, (Encoded(some_blocks(w.blocks, rng), completions(w)) for w in workspaces))
    at = marks.rows.index(marks.end)
    row, figures = best(*found, learned.factors[ROWS][at].double())
    learned.factors[ROWS][at] = row.float()
    print(json.dumps({"states": len(found[1]), "ends": int(found[0].is_end.sum()), **figures}))
    torch.save({**saved, **learned.state()}, a.out)


if __name__ == "__main__":
    main()
