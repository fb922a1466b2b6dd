"""Trains for a given time: `python -m training.train --minutes 76 [--data DIR]`.

In: `train.npz`, `held.npz`, and with `--plain` `plain.npz`.
Out: `checkpoint.pt` in the same folder, written atomically every few minutes.
Run again, it goes on from the last checkpoint until the minutes are used up.  The rate falls with the share of the
time that has gone, so a slower machine takes fewer steps but ends as well annealed.

Each thread works on a part of the batch of its own, and torch on one thread in each: threads then meet once a step
instead of in every matmul, which on cores shared with others is twice as fast.
"""

from __future__ import annotations

import argparse
import gc
import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from training.memory import settle

if __name__ == "__main__":
    settle("training.train")

import numpy as np
import torch

from palimpsest.prompt.blocks import FOOTER, HEADER
from training import CACHE, tokenizer
from training.grow import take_over
from training.layout import COPIED, MIDDLE, PLAIN, Data, Mode, Plain, make_batch
from training.model import Parameters, Parts, Shape, compiled, loss, matrices, parameters
from training.optimizer import Optimizer
from training.pace import USUAL, Pace, default_dtype
from training.team import Team, gather

Frame = tuple[list[int], list[int]]


@dataclass
class Progress:
    """How far a run has come, over all its sittings."""

    step: int = 0
    n_seen: int = 0  # workspaces
    n_plain: int = 0  # rows
    n_tokens: int = 0
    n_middle: int = 0
    seconds: float = 0.0


def framing() -> Frame:
    """Tokens of header and footer as the engine makes them: the header begins with the vocabulary's BOS."""
    header, footer = tokenizer.encode_all(tokenizer.load(), [HEADER, FOOTER])
    return [tokenizer.END, *header], footer


class Training:
    """A run: its data, weights and progress."""

    team: Team
    asked_to_stop = False

    def __init__(
        self,
        folder: Path,
        shape: Shape,
        n_copying: int,
        dtype: torch.dtype,
        parts: Parts,
        start: Path | None = None,
        device: str = "cpu",
        n_processes: int = 1,
        pace: Pace = USUAL,
        n_plain: int = 0,
    ) -> None:
        torch.manual_seed(0)
        self.n_copying, self.n_plain, self.dtype, self.parts, self.pace = n_copying, n_plain, dtype, parts, pace
        self.shape, self.path, self.frame = shape, folder / "checkpoint.pt", framing()
        self.data, self.held = Data(folder / "train.npz"), Data(folder / "held.npz")
        self.plain = Plain(folder / "plain.npz") if n_plain else None
        self.p: Parameters = parameters(shape)
        if start is not None and not self.path.exists():
            take_over(self.p, shape, start)
        self.p = {name: value.detach().to(device).requires_grad_() for name, value in self.p.items()}
        self.optimizer, self.progress = Optimizer(self.p, matrices(shape), dtype), Progress()
        if self.path.exists():
            self.restore(torch.load(self.path, weights_only=False))
        self.found = [{name: torch.zeros_like(value) for name, value in self.p.items()} for _ in range(n_processes)]
        if n_processes > 1:
            self.optimizer.share()
            for value in (value for found in self.found for value in found.values()):
                value.share_memory_()

    def restore(self, saved: dict[str, Any]) -> None:
        with torch.no_grad():
            for name, value in saved["parameters"].items():
                self.p[name].copy_(value)
        self.optimizer.restore(saved["optimizer"])
        self.progress = Progress(**saved["progress"])
        print(f"going on from step {self.progress.step}", flush=True)

    def save(self) -> None:
        beside = self.path.with_suffix(".part")
        state = {
            "parameters": {name: value.detach().cpu() for name, value in self.p.items()},
            "optimizer": self.optimizer.state(),
            "progress": vars(self.progress),
            "shape": self.shape.as_dict(),
        }
        torch.save(state, beside)
        beside.replace(self.path)

    def next_workspaces(self, n: int) -> list[int]:
        """The next ones of an order drawn anew for each round through the data."""
        epoch, at = divmod(self.progress.n_seen, len(self.data) - n)
        self.progress.n_seen += n
        return list(map(int, np.random.default_rng(epoch).permutation(len(self.data))[at : at + n]))

    def next_rows(self, share: float) -> list[int]:
        """Rows of plain source: `n_plain` at the beginning, and ever fewer, for the end belongs to the layout."""
        if self.plain is None:
            return []
        n = round(self.n_plain * (1 - share))
        epoch, at = divmod(self.progress.n_plain, len(self.plain) - self.n_plain)
        self.progress.n_plain += n
        return list(map(int, np.random.default_rng(epoch).permutation(len(self.plain))[at : at + n]))

    def gradients(self, workspaces: list[int], rows: list[int], rank: int) -> None:
        """One process's part, into its shared gradients; one part in 25 is shown without blocks."""
        rng = np.random.default_rng((self.progress.step, rank))
        mode: Mode = "none" if rng.random() < 0.04 else "own"
        plain = [self.plain.row(i) for i in rows] if self.plain else []
        n_copying = len(range(rank, self.n_copying, self.team.n))
        batch = make_batch(self.data, workspaces, *self.frame, rng, mode, n_copying, plain)
        losses = loss(self.p, batch, self.shape, self.parts, self.dtype)
        weights = torch.from_numpy(batch.weights).to(losses.device)
        total = (losses * weights).sum() / weights.sum()
        for to, value in zip(self.found[rank].values(), torch.autograd.grad(total, list(self.p.values())), strict=True):
            to.copy_(value)
        middle, copied = batch.parts == MIDDLE, batch.parts == COPIED
        each = losses.detach().float().cpu().numpy()
        losses_of = [float(each[part].mean()) if part.any() else 0.0 for part in (middle, copied, batch.parts == PLAIN)]
        self.team.told[rank, :5] = torch.tensor([*losses_of, float(len(batch.tokens)), float(middle.sum())])

    def step(self, n_workspaces: int) -> None:
        """One step; what came of it is in `team.told`."""
        progress, team = self.progress, self.team
        share = float(team.orders[1])
        found, rows = self.next_workspaces(n_workspaces), self.next_rows(share)
        self.gradients(found[team.rank :: team.n], rows[team.rank :: team.n], team.rank)
        team.meet()
        self.optimizer.step(self.pace.rate(progress.step, share), self.found, team.rank, team.n)
        progress.step += 1
        progress.n_tokens += int(team.told[:, 3].sum())
        progress.n_middle += int(team.told[:, 4].sum())
        team.meet()

    @torch.no_grad()
    def held_out_loss(self, mode: Mode, n: int) -> float:
        rng, total, count = np.random.default_rng(5), 0.0, 0
        for at in range(0, min(n, len(self.held)), 8):
            batch = make_batch(self.held, range(at, min(at + 8, len(self.held))), *self.frame, rng, mode)
            middle = batch.parts == MIDDLE
            losses = loss(self.p, batch, self.shape, self.parts, self.dtype).float().cpu().numpy()
            total += float(losses[middle].sum())
            count += int(middle.sum())
        return total / max(1, count)

    def tell_held_out(self, n: int) -> None:
        modes: tuple[Mode, ...] = ("own", "none")
        for i in range(self.team.rank, len(modes), self.team.n):
            self.team.told[0, 5 + i] = self.held_out_loss(modes[i], n)
        self.team.meet()
        if self.team.leads:
            found = {mode: round(float(self.team.told[0, 5 + i]), 4) for i, mode in enumerate(modes)}
            print("held out", found, flush=True)

    def stop(self, *_: object) -> None:
        """Save and end after this step; a signal handler."""
        self.asked_to_stop = True

    def run(self, team: Team, minutes: float, n_workspaces: int, save_every: float) -> None:
        """Steps until the time is gone."""
        self.team, progress, orders = team, self.progress, team.orders
        last = saved = time.monotonic()
        report = Report(progress)
        gc.collect()
        gc.freeze()
        if team.leads:
            signal.signal(signal.SIGTERM, self.stop)
        while True:
            if team.leads:
                share = progress.seconds / (minutes * 60)
                orders[:3] = torch.tensor(
                    [share < 1 and not self.asked_to_stop, share, time.monotonic() - saved > save_every * 60]
                )
            team.meet()
            go_on, save = bool(orders[0]), bool(orders[2])
            if save or not go_on:
                if team.leads:
                    self.save()
                    saved = time.monotonic()
                self.tell_held_out(48 if go_on else 160)
            if not go_on:
                return
            self.step(n_workspaces)
            if team.leads:
                now = time.monotonic()
                progress.seconds += now - last
                last = now
                report.add(progress, team.told)


class Report:
    """A line every 25 steps."""

    def __init__(self, progress: Progress) -> None:
        self.told, self.at = progress.n_tokens, time.monotonic()
        self.recent: list[list[float]] = []

    def add(self, progress: Progress, told: torch.Tensor) -> None:
        self.recent = [*self.recent[-24:], told[:, :3].mean(0).tolist()]
        if progress.step % 25 == 0:
            speed = (progress.n_tokens - self.told) / (time.monotonic() - self.at)
            self.told, self.at = progress.n_tokens, time.monotonic()
            middle, copied, plain = (sum(each) / len(each) for each in zip(*self.recent, strict=True))
            print(
                f"step {progress.step} {progress.seconds / 60:.1f} min middle {middle:.3f} copied {copied:.3f} "
                f"plain {plain:.3f} {speed:.0f} tokens/s {progress.n_tokens / 1e6:.2f} M",
                flush=True,
            )


def main() -> None:
    cli = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    cli.add_argument("--data", type=Path, default=CACHE)
    cli.add_argument("--minutes", type=float, default=82.0, help="of the whole run, over all sittings")
    cli.add_argument("--workspaces", type=int, default=10, help="of a step; each has about three tails")
    cli.add_argument("--plain", type=int, default=0, help="rows of `training.plain` in the first step, fewer later")
    cli.add_argument("--copying", type=int, default=1, help="tails of nothing but copies in a step")
    cli.add_argument("--processes", type=int, default=1 if torch.cuda.is_available() else os.cpu_count() or 1)
    cli.add_argument("--save-every", type=float, default=6.0, help="minutes")
    cli.add_argument("--layers", type=int, default=Shape.n_layers)
    cli.add_argument("--width", type=int, default=Shape.width)
    cli.add_argument("--from", dest="start", type=Path, help="a GGUF to begin with; layers are added between its own")
    cli.add_argument("--peak", type=float, help="share of the full learning rate; 1, or 0.5 with --from")
    cli.add_argument("--falling-from", type=float, help="share of the time; 0.5, or 0 with --from")
    cli.add_argument("--dtype", choices=["float32", "bfloat16"], default=default_dtype(), help="of matmuls")
    cli.add_argument("--no-compile", action="store_true", help="without a C++ compiler; slower")
    cli.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    a = cli.parse_args()
    shape = Shape(n_layers=a.layers, width=a.width)
    parts = Parts() if a.no_compile else compiled()
    peak, falling_from = (0.5, 0.0) if a.start else (1.0, 0.5)
    pace = Pace(peak if a.peak is None else a.peak, falling_from if a.falling_from is None else a.falling_from)
    dtype = getattr(torch, a.dtype)
    training = Training(a.data, shape, a.copying, dtype, parts, a.start, a.device, a.processes, pace, a.plain)
    n_parameters = sum(x.numel() for x in training.p.values())
    print(f"{n_parameters / 1e6:.2f} M parameters, {len(training.data)} workspaces", flush=True)
    gather(a.processes, lambda team: training.run(team, a.minutes, a.workspaces, a.save_every))
    print(vars(training.progress), flush=True)


if __name__ == "__main__":
    main()
