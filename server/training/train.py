"""Trains for a given time: `python -m training.train --minutes 75 [--data DIR]`.

In: `train.npz`, `held.npz`.  Out: `checkpoint.pt` in the same folder, written atomically every few minutes.
Run again, it goes on from the last checkpoint until the minutes are used up.  The rate falls with the share of the
time that has gone, so a slower machine takes fewer steps but ends as well annealed.

glibc's allocator must be told to keep its memory or every step faults it in anew (1.8 times slower): started
without the settings, the module starts itself again with them.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ALLOCATOR = {"MALLOC_MMAP_MAX_": "0", "MALLOC_TRIM_THRESHOLD_": "99999999999", "MALLOC_TOP_PAD_": "268435456"}
if __name__ == "__main__" and not all(os.environ.get(k) == v for k, v in ALLOCATOR.items()):
    os.execve(sys.executable, [sys.executable, "-m", "training.train", *sys.argv[1:]], {**os.environ, **ALLOCATOR})

import numpy as np  # noqa: E402  (after the environment is settled)
import torch  # noqa: E402

from palimpsest.prompt.blocks import FOOTER, HEADER  # noqa: E402
from training import tokenizer  # noqa: E402
from training.data import CACHE  # noqa: E402
from training.layout import MIDDLE, Data, Mode, make_batch  # noqa: E402
from training.model import Parameters, Shape, loss, matrices, parameters  # noqa: E402
from training.optimizer import Optimizer  # noqa: E402

WARM_UP_STEPS, FALLING_FROM, LOWEST = 60, 0.5, 0.02


@dataclass
class Progress:
    """How far a run has come, over all its sittings."""

    step: int = 0
    n_tokens: int = 0
    n_middle: int = 0
    seconds: float = 0.0


def rate(step: int, share: float) -> float:
    """Share of the full learning rate: warm up, hold, fall to almost nothing."""
    falling = 1.0 if share < FALLING_FROM else max(LOWEST, (1 - share) / (1 - FALLING_FROM))
    return min(1.0, (step + 1) / WARM_UP_STEPS) * falling


def framing() -> tuple[list[int], list[int]]:
    """Tokens of header and footer as the engine makes them: the header begins with the vocabulary's BOS."""
    header, footer = tokenizer.encode_all(tokenizer.load(), [HEADER, FOOTER])
    return [tokenizer.END, *header], footer


def save(
    path: Path, p: Parameters, optimizer: Optimizer, progress: Progress, shape: Shape, rng: np.random.Generator
) -> None:
    beside = path.with_suffix(".part")
    torch.save(
        {
            "parameters": {k: v.detach() for k, v in p.items()},
            "optimizer": optimizer.state(),
            "progress": vars(progress),
            "shape": shape.as_dict(),
            "rng": rng.bit_generator.state,
        },
        beside,
    )
    beside.replace(path)


@torch.no_grad()
def held_out_loss(
    p: Parameters, data: Data, shape: Shape, frame: tuple[list[int], list[int]], n: int = 48
) -> dict[str, float]:
    """Mean loss on held-out middles with own, no and other blocks."""
    result: dict[str, float] = {}
    modes: tuple[Mode, ...] = ("own", "none", "other") if len(data) else ()
    for mode in modes:
        rng, total, count = np.random.default_rng(5), 0.0, 0
        for at in range(0, min(n, len(data)), 8):
            batch = make_batch(data, range(at, min(at + 8, len(data))), *frame, rng, mode)
            middle = batch.parts == MIDDLE
            total += float(loss(p, batch, shape).numpy()[middle].sum())
            count += int(middle.sum())
        result[mode] = round(total / count, 4)
    return result


def main() -> None:
    cli = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    cli.add_argument("--data", type=Path, default=CACHE)
    cli.add_argument("--minutes", type=float, default=75.0, help="of the whole run, over all sittings")
    cli.add_argument("--workspaces", type=int, default=5, help="of a step; each has about three tails")
    cli.add_argument("--save-every", type=float, default=4.0, help="minutes")
    cli.add_argument("--layers", type=int, default=Shape.n_layers)
    cli.add_argument("--width", type=int, default=Shape.width)
    a = cli.parse_args()
    torch.manual_seed(0)
    shape = Shape(n_layers=a.layers, width=a.width)
    train, held, frame = Data(a.data / "train.npz"), Data(a.data / "held.npz"), framing()
    p = parameters(shape)
    optimizer, progress, rng = Optimizer(p, matrices(shape)), Progress(), np.random.default_rng(0)
    path = a.data / "checkpoint.pt"
    if path.exists():
        saved: dict[str, Any] = torch.load(path, weights_only=False)
        with torch.no_grad():
            for name, value in saved["parameters"].items():
                p[name].copy_(value)
        optimizer.restore(saved["optimizer"])
        progress, rng.bit_generator.state = Progress(**saved["progress"]), saved["rng"]
        print(f"going on from step {progress.step}", flush=True)
    print(f"{sum(x.numel() for x in p.values()) / 1e6:.2f} M parameters, {len(train)} workspaces", flush=True)
    run(a, train, held, frame, shape, p, optimizer, progress, rng, path)
    print("held out", held_out_loss(p, held, shape, frame, 160), vars(progress), flush=True)


def run(
    a: argparse.Namespace,
    train: Data,
    held: Data,
    frame: tuple[list[int], list[int]],
    shape: Shape,
    p: Parameters,
    optimizer: Optimizer,
    progress: Progress,
    rng: np.random.Generator,
    path: Path,
) -> None:
    """Steps until the time is gone; `p`, `optimizer` and `progress` change."""
    last, saved, told, recent = time.monotonic(), time.monotonic(), progress.n_tokens, list[float]()
    while (share := progress.seconds / (a.minutes * 60)) < 1:
        epoch, at = divmod(progress.step * a.workspaces, len(train) - a.workspaces)
        order = np.random.default_rng(epoch).permutation(len(train))
        batch = make_batch(train, order[at : at + a.workspaces].tolist(), *frame, rng, "none" if rng.random() < 0.04 else "own")
        losses = loss(p, batch, shape)
        weights = torch.from_numpy(batch.weights)
        ((losses * weights).sum() / weights.sum()).backward()
        optimizer.step(rate(progress.step, share))
        middle = batch.parts == MIDDLE
        recent.append(float(losses.detach().numpy()[middle].mean()))
        now = time.monotonic()
        progress.step += 1
        progress.n_tokens += len(batch.tokens)
        progress.n_middle += int(middle.sum())
        progress.seconds += now - last
        last = now
        if progress.step % 25 == 0:
            speed = (progress.n_tokens - told) / 25
            told = progress.n_tokens
            print(
                f"step {progress.step} {progress.seconds / 60:.1f} min middle {np.mean(recent[-25:]):.3f} "
                f"{speed:.0f} tokens/step {progress.n_tokens / progress.seconds:.0f} tokens/s",
                flush=True,
            )
        if now - saved > a.save_every * 60:
            save(path, p, optimizer, progress, shape, rng)
            print("held out", held_out_loss(p, held, shape, frame), flush=True)
            saved = time.monotonic()
    save(path, p, optimizer, progress, shape, rng)


if __name__ == "__main__":
    main()
