"""Teaches a base this product's layout: `python -m training.tune --base FILE.gguf --minutes 90`.

In: a `training.base`, and what `training.texts` has made and goes on making.
Out: `lora.pt` in `--out`, written atomically every few minutes, and a line of figures every few steps.
Run again, it goes on from there, with its optimizer and in the same place of the data, until the minutes are used up;
SIGTERM makes it save and end.  `--start` begins with an adapter saved before: a checkpoint, or a GGUF such as the
committed one, which has no optimizer.

It trains low-rank factors of all matrices and the rows of the tokens that part prefix, suffix and middle
(`training.lora`), everything in the layout of `training.layout`, with gradients through the context.  On a CPU a
process for each core, in bfloat16 where the CPU multiplies that faster; on a GPU one, with `--at-once` workspaces
packed into one batch.
"""

from __future__ import annotations

from training.memory import settle

if __name__ == "__main__":
    settle("training.tune")

import argparse
import gc
import io
import json
import os
import signal
import sys
import time
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch

from palimpsest.prompt.blocks import FOOTER, HEADER
from training import CACHE, adapter, base, lora, shelf
from training.layout import MIDDLE, ON_CPU, ON_GPU, PREFIX, Batch, Mode
from training.model import Parts, compiled
from training.pace import Adam, Pace, default_dtype
from training.plan import Plan, Progress, Report, clock
from training.portions import batch_of, shares, some_blocks
from training.team import Team, gather, shared

MODES: tuple[Mode, ...] = ("own", "none", "other")


class Prepared(NamedTuple):
    """Batches, each with the same in order where there is a teacher, and where in the data the run is when they have
    been learned from."""

    batches: list[tuple[Batch, Batch | None]]
    bookmark: dict[str, Any]


class Tuning:
    """A run: its data, factors and progress.  `n` processes share the factors and their gradients."""

    team: Team
    asked_to_stop = False

    def __init__(
        self,
        of: base.Base,
        texts: Path,
        path: Path,
        plan: Plan,
        start: lora.Lora,
        dtype: torch.dtype,
        device: str,
        n: int,
        encode: shelf.Encode | None = None,
    ) -> None:
        self.base, self.path, self.plan, self.n = of, path, plan, n
        self.frame = [of.vocabulary.marks.start, *of.vocabulary.encode(HEADER)], of.vocabulary.encode(FOOTER)
        self.progress, bookmark, saved = Progress(), shelf.Bookmark(), None
        if path.exists() and (saved := _read(path)):
            start = lora.restored(of, saved)
            self.progress, bookmark = Progress(**saved["progress"]), shelf.Bookmark(**saved["place"])
            print(f"going on from step {self.progress.step}", flush=True)
        factors = {name: value.detach().clone().to(device) for name, value in start.factors.items()}
        self.lora = lora.Lora(start.rank, start.scale, factors)
        self.bookmark = bookmark.as_dict()
        self.shelf = shelf.Shelf(texts / "train", bookmark, encode or shelf.encode_here(of.vocabulary))
        self.held = shelf.held_out(texts / "held", of.vocabulary, plan.n_held)
        self.model = lora.frozen(of, dtype, device)
        if n > 1:
            for value in [*factors.values(), *self.model.parameters.values()]:
                shared(value)
        for value in factors.values():
            value.requires_grad_()
        self.found = [{name: shared(torch.zeros_like(v)) for name, v in factors.items()} for _ in range(n)]
        self.heard = shared(torch.zeros(n, len(MODES), 4, dtype=torch.float64))
        self.optimizer = Adam(factors, plan.rate)
        if saved:
            self.optimizer.restore(saved["optimizer"])
        self.parts = Parts()
        self.packing = ON_CPU if device == "cpu" else ON_GPU
        self.thread = ThreadPoolExecutor(1) if plan.is_ahead else None
        self.ahead: Future[Prepared] | None = None

    def save(self) -> None:
        """Raises OSError."""
        beside = self.path.with_suffix(".part")
        state = {
            **self.lora.state(),
            "base": self.base.path.name,
            "optimizer": self.optimizer.state(),
            "progress": vars(self.progress),
            "place": self.bookmark,
        }
        whole = io.BytesIO()  # what torch says of a full disk names no error
        torch.save(state, whole)
        try:
            with beside.open("wb") as file:
                file.write(whole.getbuffer())
                os.fsync(file.fileno())  # before the rename: hours of learning are lost with half a file
            beside.replace(self.path)
        finally:
            beside.unlink(missing_ok=True)
        self.path.with_suffix(".json").write_text(json.dumps(vars(self.progress)))  # without torch to read it

    def prepare(self, step: int, rank: int, n_known: int) -> Prepared:
        """One process's part of a step: which workspaces, with which of their blocks and tails."""
        plan, rng = self.plan, np.random.default_rng(step)
        found: list[shelf.Encoded] = []
        for _ in range(plan.n_workspaces):
            each = self.shelf.next(n_known)
            order = rng.permutation(len(each.tails))[: plan.n_tails]
            found.append(shelf.Encoded(some_blocks(each.blocks, rng), [each.tails[i] for i in order]))
        mine, rng = shares(found, self.n)[rank], np.random.default_rng((step, rank))
        parts = (mine[at : at + plan.n_at_once] for at in range(0, len(mine), plan.n_at_once))
        batches = [
            (self._batch(part, rng), self._batch(part, rng, True) if plan.labels < 1 else None) for part in parts
        ]
        return Prepared(batches, self.shelf.bookmark.as_dict())

    def _batch(self, part: Sequence[shelf.Encoded], rng: np.random.Generator, in_order: bool = False) -> Batch:
        return batch_of(part, *self.frame, rng, packing=self.packing, in_order=in_order)

    def next(self) -> Prepared:
        """What to do in this step; where the plan is to be ahead, the next step's is made meanwhile."""
        step, rank, n_known = self.progress.step, self.team.rank, int(self.team.orders[3])
        made = self.ahead.result() if self.ahead else self.prepare(step, rank, n_known)
        if self.thread:
            self.ahead = self.thread.submit(self.prepare, step + 1, rank, n_known)
        return made

    def gradients(self, batches: Sequence[tuple[Batch, Batch | None]], rank: int) -> None:
        """One process's part of a step, summed into its shared gradients, and its figures."""
        told = self.team.told[rank]
        told.zero_()
        for value in self.found[rank].values():
            value.zero_()
        for batch, in_order in batches:
            teacher = lora.taught(self.model, in_order, self.plan.labels, self.parts) if in_order else None
            losses = lora.loss(self.model, self.lora, batch, self.parts, teacher)
            total = (losses * torch.from_numpy(batch.weights).to(losses.device)).sum()
            found = torch.autograd.grad(total, list(self.lora.factors.values()))
            for to, value in zip(self.found[rank].values(), found, strict=True):
                to.add_(value)
            each = losses.detach().float().cpu().numpy()
            is_end = batch.targets == self.base.vocabulary.marks.end
            for i, part in enumerate([(batch.parts == MIDDLE) & ~is_end, is_end, batch.parts == PREFIX]):
                told[2 * i] += float(each[part].sum())
                told[2 * i + 1] += int(part.sum())
            told[6] += len(batch.tokens)
            told[7] += float(batch.weights.sum())

    def step(self) -> None:
        """One step; what came of it is in `team.told`."""
        progress, team = self.progress, self.team
        made = self.next()
        self.gradients(made.batches, team.rank)
        team.meet()
        if team.leads:
            rate = self.plan.pace.rate(progress.step, float(team.orders[1]))
            self.optimizer.step(rate, self.found, float(team.told[:, 7].sum()))
        progress.step += 1
        progress.n_tokens += int(team.told[:, 6].sum())
        progress.n_middle += int(team.told[:, 1].sum())
        progress.n_workspaces += self.plan.n_workspaces
        self.bookmark = made.bookmark
        team.meet()

    @torch.no_grad()
    def tell_held_out(self) -> None:
        """Held-out middles with their own blocks, none and another's: nats a character, END apart."""
        team, pairs = self.team, range(0, len(self.held) - 1, 2)
        self.heard[team.rank].zero_()
        jobs = [(mode, at) for mode in range(len(MODES)) for at in pairs]
        for mode, at in jobs[team.rank :: team.n]:
            both = self.held[at : at + 2]
            batch = batch_of(both, *self.frame, np.random.default_rng(at), MODES[mode])
            each = lora.loss(self.model, self.lora, batch, self.parts).float().cpu().numpy()
            middle, is_end = batch.parts == MIDDLE, batch.targets == self.base.vocabulary.marks.end
            characters, n = sum(t.n_characters for w in both for t in w.tails), sum(len(w.tails) for w in both)
            sums = [each[middle & ~is_end].sum(), each[middle & is_end].sum(), characters, n]
            self.heard[team.rank, mode] += torch.tensor(sums, dtype=torch.float64)
        team.meet()
        if team.leads:
            total = self.heard.sum(0)
            a_character = {mode: round(float(row[0] / row[2]), 4) for mode, row in zip(MODES, total, strict=True)}
            ends, n = float(total[0, 1] / total[0, 3]), int(total[0, 3])
            print(f"{clock()} step {self.progress.step} held out {a_character} end {ends:.3f} of {n}", flush=True)

    def stop(self, *_: object) -> None:
        """Save and end after this step; a signal handler."""
        self.asked_to_stop = True

    def run(self, team: Team) -> None:
        """Steps until the time is gone."""
        self.team, plan, progress = team, self.plan, self.progress
        torch.set_num_threads(1 if team.n > 1 or self.model.ids.device.type == "cpu" else os.cpu_count() or 1)
        last = saved = heard = time.monotonic()
        report = Report(progress)
        gc.collect()
        gc.freeze()
        if team.leads:
            signal.signal(signal.SIGTERM, self.stop)
        if self.held and progress.step == 0:
            self.tell_held_out()
            last = saved = heard = time.monotonic()
        while True:
            if team.leads:
                share, now = progress.seconds / (plan.minutes * 60), time.monotonic()
                go_on = share < 1 and not self.asked_to_stop and progress.step < plan.max_steps
                wants = (now - saved > plan.save_every * 60) + 2 * (now - heard > plan.held_every * 60)
                team.orders[:] = torch.tensor([go_on, share, wants, len(self.shelf.known())])
            team.meet()
            go_on, wants = bool(team.orders[0]), int(team.orders[2])
            if team.leads and (wants & 1 or not go_on):
                try:
                    self.save()
                except OSError as error:
                    if not go_on:
                        raise
                    print(f"{clock()} {_unsaved(self.path, error)}", flush=True)  # there may be room the next time
                saved = time.monotonic()
            if self.held and (wants & 2 or not go_on):
                self.tell_held_out()
                last = heard = time.monotonic()
            if not go_on:
                return
            self.step()
            now = time.monotonic()
            progress.seconds += now - last
            last = now
            if team.leads:
                report.add(progress, team.told, plan.tell_every)


def _read(path: Path) -> dict[str, Any] | None:
    """None for a damaged file.  Raises OSError."""
    written = io.BytesIO(path.read_bytes())
    try:
        saved: dict[str, Any] = torch.load(written, weights_only=False, map_location="cpu")
    except Exception:  # whatever bytes in any order make of a pickle
        print(f"{path} is damaged: learning begins anew", flush=True)
        return None
    return saved


def _unsaved(path: Path, error: OSError) -> str:
    return f"{path} cannot be written: {error.strerror or error}."


def main() -> None:
    on_gpu = torch.cuda.is_available()
    cli = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    cli.add_argument("--base", type=Path, required=True)
    cli.add_argument("--texts", type=Path, default=CACHE / "texts")
    cli.add_argument("--out", type=Path, default=CACHE / "lora.pt")
    cli.add_argument("--start", type=Path, help="an adapter to begin with (.pt or .gguf), where --out is not there yet")
    cli.add_argument("--minutes", type=float, default=90.0, help="of the whole run, over all sittings")
    cli.add_argument("--max-steps", type=int, default=10**9)
    cli.add_argument("--workspaces", type=int, default=64 if on_gpu else 2, help="of a step")
    cli.add_argument("--at-once", type=int, default=16 if on_gpu else 1, help="workspaces of one batch")
    cli.add_argument("--tails", type=int, default=6, help="of a workspace, at most")
    cli.add_argument("--rank", type=int, default=32, help="at least, where --start has one")
    cli.add_argument("--scale", type=float, default=2.0)
    cli.add_argument("--rate", type=float, default=5e-4, help="of A; B's is twice that")
    cli.add_argument("--labels", type=float, default=1.0, help="share of the loss; the rest is a teacher's, in order")
    cli.add_argument("--warm-up", type=int, default=20, help="steps")
    cli.add_argument("--falling-from", type=float, default=0.3, help="share of the time")
    cli.add_argument("--processes", type=int, default=1 if on_gpu else os.cpu_count() or 1)
    cli.add_argument("--encoders", type=int, default=max(1, (os.cpu_count() or 1) - 2) if on_gpu else 0)
    cli.add_argument("--ahead", action="store_true", default=on_gpu, help="prepare a step while another runs")
    cli.add_argument("--save-every", type=float, default=5.0, help="minutes")
    cli.add_argument("--held-every", type=float, default=15.0, help="minutes")
    cli.add_argument("--held", type=int, default=16, help="held-out workspaces to tell the loss of; 0 for none")
    cli.add_argument("--tell-every", type=int, default=10, help="steps")
    cli.add_argument("--dtype", choices=["float32", "bfloat16"], default=default_dtype(), help="of matmuls")
    cli.add_argument("--compile", action="store_true", help="faster after a minute; wants a C++ compiler")
    cli.add_argument("--device", default="cuda" if on_gpu else "cpu")
    a = cli.parse_args()
    try:
        of = base.read(a.base)
        start = adapter.load(of, a.start) if a.start else lora.fresh(of, a.rank, a.scale)
    except base.NotABase as error:
        sys.exit(f"{error}.")
    if start.rank < a.rank:
        start = lora.widened(start, of, a.rank)
    pace = Pace(1.0, a.falling_from, a.warm_up)
    plan = Plan(
        n_workspaces=a.workspaces,
        n_at_once=a.at_once,
        n_tails=a.tails,
        is_ahead=a.ahead,
        pace=pace,
        rate=a.rate,
        minutes=a.minutes,
        save_every=a.save_every,
        held_every=a.held_every,
        n_held=a.held,
        tell_every=a.tell_every,
        max_steps=a.max_steps,
        labels=a.labels,
    )
    a.out.parent.mkdir(parents=True, exist_ok=True)
    encode = shelf.Encoders(a.base, a.encoders) if a.encoders else None
    tuning = Tuning(of, a.texts, a.out, plan, start, getattr(torch, a.dtype), a.device, a.processes, encode)
    if a.compile:
        tuning.parts = compiled()
    n = sum(value.numel() for value in tuning.lora.factors.values())
    print(f"{n / 1e6:.2f} M learned of {a.base.name}, {len(tuning.held)} held-out workspaces", flush=True)
    try:
        gather(a.processes, tuning.run)
    except OSError as error:
        sys.exit(_unsaved(a.out, error))
    done = tuning.progress
    print(f"{done.n_tokens:,} tokens read in {done.seconds / 60:.0f} minutes, {done.step} steps", flush=True)
    if encode:
        encode.close()


if __name__ == "__main__":
    main()
