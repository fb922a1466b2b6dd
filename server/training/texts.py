"""Makes workspaces as text, for models with tokenizers of their own: `python -m training.texts --wheels DIR`.

In: a folder of wheels and the standard library, as for `training.data`; other languages from `--sources`, a folder that
`training.sources` filled.
Out, in `--out` (default: `texts` in the user's cache): `train/NAME.jsonl.gz` and `held/NAME.jsonl.gz`, a workspace a
line, some forty functions of a package in a file, and `corpus.json` for the model card.
Files that are there are not made again, so it goes on where it was stopped; each appears by a rename when it is done,
so a training can read beside it.
"""

from __future__ import annotations

import argparse
import dataclasses
import functools
import gzip
import json
import os
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from multiprocessing import Pool
from pathlib import Path
from random import Random

from training import CACHE, data, sources
from training.data import Task
from training.examples import Mix, Tail, Workspace
from training.product import Place, functions

MIX = Mix(renamed=0.35, n_cuts=2, shares={"spm": 0.5, "repair": 0.5}, asked=0.35, followed=0.12)
"""Suffix first and repairs only, as the product asks a model that was made for it.  Half of the repairs come to be:
functions that cannot be broken or are too long are completed instead."""
HELD_MIX = Mix(n_cuts=1, shares={"spm": 0.75, "repair": 0.25})
N_FUNCTIONS = 40
"""Of a file."""
N_HELD = 60
"""Functions of a held-out package: enough for a loss."""


def write(found: Iterable[Workspace], path: Path) -> int:
    """How many were written."""
    beside = path.with_suffix(f".{os.getpid()}")
    n = 0
    with gzip.open(beside, "wt", encoding="utf-8", errors="replace") as file:  # names of files may be in no encoding
        for workspace in found:
            file.write(json.dumps(dataclasses.asdict(workspace), ensure_ascii=False) + "\n")
            n += 1
    beside.replace(path)
    return n


def read(path: Path) -> Iterator[Workspace]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            made = json.loads(line)
            yield Workspace(made["package"], tuple(made["blocks"]), tuple(Tail(**tail) for tail in made["tails"]))


def portions(task: Task) -> Iterator[Task]:
    """A package's task in parts of some forty functions; of a held-out package the first."""
    modules, n = [], 0
    for module in task.modules:
        modules.append(module)
        n += len(task.wanted.intersection(functions(module)))
        if n >= (N_HELD if task.is_held else N_FUNCTIONS):
            yield replace(task, modules=modules)
            modules, n = [], 0
            if task.is_held:
                return
    if n:
        yield replace(task, modules=modules)


@functools.cache
def place_of(folder: Path, cache: Path) -> Place:
    return Place(folder, cache)


def make(job: tuple[Task, Path]) -> tuple[str, int]:
    """One file, in a process of its own."""
    task, path = job
    rng = Random(f"{task.seed} {path.name}")
    mix = HELD_MIX if task.is_held else MIX
    place = place_of(task.folder, task.cache)
    found = (w for m in task.modules for w in place.workspaces(m, task.words, task.wanted, rng, mix))
    return path.name, write(found, path)


def jobs(todo: Sequence[Task], out: Path) -> list[tuple[Task, Path]]:
    """What is still to be made: the held-out packages first, then portions of all packages in any order."""
    held, train = list[tuple[Task, Path]](), list[tuple[Task, Path]]()
    for task in todo:
        folder = out / ("held" if task.is_held else "train")
        folder.mkdir(parents=True, exist_ok=True)
        for i, portion in enumerate(portions(task)):
            path = folder / f"{task.package.name}-{task.seed}-{i}.jsonl.gz"
            if not path.exists():
                (held if task.is_held else train).append((portion, path))
    Random(0).shuffle(train)
    return held + train


def main() -> None:
    cli = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    cli.add_argument("--wheels", type=Path, help="a folder of them; the standard library is read besides")
    cli.add_argument("--sources", type=Path, help="a folder that `training.sources` filled: other languages")
    cli.add_argument("--out", type=Path, default=CACHE / "texts")
    cli.add_argument("--functions", type=int, default=700, help="at most about so many of each package")
    cli.add_argument("--max-modules", type=int, default=0, help="of each package, for a trial")
    cli.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    cli.add_argument("--seed", type=int, default=0)
    a = cli.parse_args()
    start = time.time()
    found = data.read_corpus(a.wheels, a.out / "work") if a.wheels else []
    todo = data.tasks([*found, *(sources.read(a.sources) if a.sources else ())], a)
    facts = [
        {
            **dataclasses.asdict(t.package),
            "held_out": t.is_held,
            "n_files": len(t.modules),
            "n_functions": len(t.wanted),
        }
        for t in todo
    ]
    a.out.mkdir(parents=True, exist_ok=True)
    (a.out / "corpus.json").write_text(json.dumps(facts, indent=1))
    left = jobs(todo, a.out)
    print(f"{len(todo)} packages, {len(left)} files to make, {time.time() - start:.0f} s", flush=True)
    with Pool(a.processes) as pool:
        for name, n in pool.imap_unordered(make, left):
            print(f"{name}: {n} workspaces, {time.time() - start:.0f} s", flush=True)


if __name__ == "__main__":
    main()
