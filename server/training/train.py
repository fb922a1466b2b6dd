"""Trains for a given time: `python -m training.train --minutes 76 [--data DIR]`.

In: `train.npz`, `held.npz`.  Out: `checkpoint.pt` in the same folder, written atomically every few minutes.
Run again, it goes on from the last checkpoint until the minutes are used up.  The rate falls with the share of the
time that has gone, so a slower machine takes fewer steps but ends as well annealed.

Each thread works on a part of the batch of its own, and torch on one thread in each: threads then meet once a step
instead of in every matmul, which on cores shared with others is twice as fast.
glibc's allocator must be told to keep its memory or every step faults it in anew (1.8 times slower): started
without these settings, the module starts itself again with them.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SETTINGS = {
    "MALLOC_MMAP_MAX_": "0",
    "MALLOC_TRIM_THRESHOLD_": "99999999999",
    "MALLOC_TOP_PAD_": "268435456",
    "MALLOC_ARENA_MAX": "1",
    "OMP_NUM_THREADS": "1",
}
if __name__ == "__main__" and not all(os.environ.get(k) == v for k, v in SETTINGS.items()):
    os.execve(sys.executable, [sys.executable, "-m", "training.train", *sys.argv[1:]], {**os.environ, **SETTINGS})

import numpy as np  # noqa: E402  (after the environment is settled)
import torch  # noqa: E402

from palimpsest.prompt.blocks import FOOTER, HEADER  # noqa: E402
from training import tokenizer  # noqa: E402
from training.data import CACHE  # noqa: E402
from training.grow import take_over  # noqa: E402
from training.layout import COPIED, MIDDLE, Data, Mode, make_batch  # noqa: E402
from training.model import Parameters, Parts, Shape, compiled, loss, matrices, parameters  # noqa: E402
from training.optimizer import Optimizer  # noqa: E402

WARM_UP_STEPS, FALLING_FROM, LOWEST = 60, 0.5, 0.02
Frame = tuple[list[int], list[int]]


@dataclass
class Progress:
    """How far a run has come, over all its sittings."""

    step: int = 0
    n_seen: int = 0  # workspaces
    n_tokens: int = 0
    n_middle: int = 0
    seconds: float = 0.0


@dataclass(frozen=True)
class Share:
    """What one thread found for its part of a batch."""

    gradients: tuple[torch.Tensor, ...]
    middle_loss: float
    copied_loss: float
    n_tokens: int
    n_middle: int


def rate(step: int, share: float) -> float:
    """Share of the full learning rate: warm up, hold, fall to almost nothing."""
    falling = 1.0 if share < FALLING_FROM else max(LOWEST, (1 - share) / (1 - FALLING_FROM))
    return min(1.0, (step + 1) / WARM_UP_STEPS) * falling


def default_dtype() -> str:
    return "bfloat16" if torch.cpu._is_avx512_bf16_supported() else "float32"


def framing() -> Frame:
    """Tokens of header and footer as the engine makes them: the header begins with the vocabulary's BOS."""
    header, footer = tokenizer.encode_all(tokenizer.load(), [HEADER, FOOTER])
    return [tokenizer.END, *header], footer


class Training:
    """A run: its data, weights and progress."""

    def __init__(
        self, folder: Path, shape: Shape, n_copying: int, dtype: torch.dtype, parts: Parts, start: Path | None
    ) -> None:
        torch.manual_seed(0)
        self.n_copying, self.dtype, self.parts = n_copying, dtype, parts
        self.shape, self.path, self.frame = shape, folder / "checkpoint.pt", framing()
        self.data, self.held = Data(folder / "train.npz"), Data(folder / "held.npz")
        self.p: Parameters = parameters(shape)
        if start is not None:
            take_over(self.p, shape, start)
        self.optimizer, self.progress = Optimizer(self.p, matrices(shape)), Progress()
        if self.path.exists():
            self.restore(torch.load(self.path, weights_only=False))

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
            "parameters": {name: value.detach() for name, value in self.p.items()},
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

    def share(self, workspaces: list[int], seed: tuple[int, int]) -> Share:
        """Gradients of one thread's part; one part in 25 is shown without blocks."""
        rng = np.random.default_rng(seed)
        mode: Mode = "none" if rng.random() < 0.04 else "own"
        batch = make_batch(self.data, workspaces, *self.frame, rng, mode, self.n_copying)
        losses = loss(self.p, batch, self.shape, self.parts, self.dtype)
        weights = torch.from_numpy(batch.weights)
        total = (losses * weights).sum() / weights.sum()
        gradients = torch.autograd.grad(total, list(self.p.values()))
        middle, copied = batch.parts == MIDDLE, batch.parts == COPIED
        each = losses.detach().numpy()
        return Share(
            gradients, float(each[middle].mean()), float(each[copied].mean()), len(batch.tokens), int(middle.sum())
        )

    def step(self, threads: Executor, n_threads: int, n_workspaces: int, share_of_time: float) -> tuple[float, float]:
        """One step; the mean loss on its middles and on what was to copy."""
        progress, found = self.progress, self.next_workspaces(n_workspaces)
        jobs = [(found[i::n_threads], (progress.step, i)) for i in range(n_threads)]
        shares = list(threads.map(lambda job: self.share(*job), jobs))
        gradients = {
            name: torch.stack(each).mean(0)
            for name, each in zip(self.p, zip(*(s.gradients for s in shares), strict=True), strict=True)
        }
        self.optimizer.step(rate(progress.step, share_of_time), gradients, threads)
        progress.step += 1
        progress.n_tokens += sum(s.n_tokens for s in shares)
        progress.n_middle += sum(s.n_middle for s in shares)
        return sum(s.middle_loss for s in shares) / n_threads, sum(s.copied_loss for s in shares) / n_threads

    @torch.no_grad()  # of the thread that runs it
    def held_out_loss(self, mode: Mode, n: int) -> float:
        rng, total, count = np.random.default_rng(5), 0.0, 0
        for at in range(0, min(n, len(self.held)), 8):
            batch = make_batch(self.held, range(at, min(at + 8, len(self.held))), *self.frame, rng, mode)
            middle = batch.parts == MIDDLE
            losses = loss(self.p, batch, self.shape, self.parts, self.dtype)
            total += float(losses.numpy()[middle].sum())
            count += int(middle.sum())
        return total / max(1, count)

    def tell_held_out(self, threads: Executor, n: int) -> None:
        modes: tuple[Mode, ...] = ("own", "none")
        losses = threads.map(lambda mode: self.held_out_loss(mode, n), modes)
        print("held out", {mode: round(x, 4) for mode, x in zip(modes, losses, strict=True)}, flush=True)

    def run(
        self, minutes: float, n_workspaces: int, n_threads: int, save_every: float
    ) -> Iterator[tuple[float, float]]:
        """Steps until the time is gone; yields the losses of each."""
        progress = self.progress
        with ThreadPoolExecutor(n_threads) as threads:
            last = saved = time.monotonic()
            while progress.seconds < minutes * 60:
                yield self.step(threads, n_threads, n_workspaces, progress.seconds / (minutes * 60))
                now = time.monotonic()
                progress.seconds += now - last
                last = now
                if now - saved > save_every * 60:
                    self.save()
                    self.tell_held_out(threads, 32)
                    saved = time.monotonic()
            self.save()
            self.tell_held_out(threads, 160)


def main() -> None:
    cli = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    cli.add_argument("--data", type=Path, default=CACHE)
    cli.add_argument("--minutes", type=float, default=82.0, help="of the whole run, over all sittings")
    cli.add_argument("--workspaces", type=int, default=4, help="of a step; each has about three tails")
    cli.add_argument("--copying", type=int, default=1, help="tails of nothing but copies, for each thread and step")
    cli.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    cli.add_argument("--save-every", type=float, default=6.0, help="minutes")
    cli.add_argument("--layers", type=int, default=Shape.n_layers)
    cli.add_argument("--width", type=int, default=Shape.width)
    cli.add_argument("--from", dest="start", type=Path, help="a GGUF to begin with; layers are added between its own")
    cli.add_argument("--dtype", choices=["float32", "bfloat16"], default=default_dtype(), help="of matmuls")
    cli.add_argument("--no-compile", action="store_true", help="without a C++ compiler; half as fast")
    a = cli.parse_args()
    parts = Parts() if a.no_compile else compiled()
    shape = Shape(n_layers=a.layers, width=a.width)
    training = Training(a.data, shape, a.copying, getattr(torch, a.dtype), parts, a.start)
    n_parameters = sum(x.numel() for x in training.p.values())
    print(f"{n_parameters / 1e6:.2f} M parameters, {len(training.data)} workspaces", flush=True)
    progress, told, at = training.progress, training.progress.n_tokens, time.monotonic()
    recent: list[tuple[float, float]] = []
    for losses in training.run(a.minutes, a.workspaces, a.threads, a.save_every):
        recent = [*recent[-24:], losses]
        if progress.step % 25 == 0:
            speed = (progress.n_tokens - told) / (time.monotonic() - at)
            told, at = progress.n_tokens, time.monotonic()
            middle, copied = (sum(each) / len(each) for each in zip(*recent, strict=True))
            print(
                f"step {progress.step} {progress.seconds / 60:.1f} min middle {middle:.3f} copied {copied:.3f} "
                f"{speed:.0f} tokens/s {progress.n_tokens / 1e6:.2f} M",
                flush=True,
            )
    print(vars(progress), flush=True)


if __name__ == "__main__":
    main()
