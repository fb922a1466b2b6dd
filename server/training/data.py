"""Makes the training data: `python -m training.data --wheels DIR [--out DIR]`.

In: a folder of wheels (those of `packages.txt`) and the standard library.
Out, in `--out` (default: the user's cache):
    train.npz    tokens of every block and tail, and where they begin (`Store`)
    held.npz     the same for the held-out packages, for the loss during training
    corpus.json  packages, versions, licences and sizes, for the model card
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import sysconfig
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from multiprocessing import Pool
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import numpy.typing as npt
from tokenizers import Tokenizer

from training import CACHE, corpus, tokenizer
from training.examples import Mix, Tail, Workspace, parse, vocabulary
from training.held import held_out, kept_out
from training.product import Place, functions
from training.tokenizer import MARKS, Marks

LAYOUTS = ("spm", "isolated", "psm", "repair")
MAX_BLOCK, MAX_SUFFIX, MAX_TAIL = 600, 250, 420
SHARE_RENAMED = 0.35
SAVE_EVERY = 5
"""Packages: a long run writes what it has as it goes, so that a training can begin."""


class Store:
    """Workspaces as flat arrays.

    `tokens` holds every piece one after another; piece i is `tokens[starts[i]:starts[i + 1]]`.
    Workspace w has the blocks `pieces first_block[w]..first_block[w + 1]` of `blocks`, and so its tails.
    A tail is a row (layout, suffix piece or -1, tail piece, first): `first` indexes the first token of the
    middle in the tail.
    """

    def __init__(self) -> None:
        self.tokens: list[npt.NDArray[np.uint16]] = []
        self.starts = [0]
        self.blocks: list[int] = []
        self.tails: list[tuple[int, int, int, int]] = []
        self.block_ends, self.tail_ends = [0], [0]

    def piece(self, ids: Sequence[int]) -> int:
        self.tokens.append(np.asarray(ids, np.uint16))
        self.starts.append(self.starts[-1] + len(ids))
        return len(self.starts) - 2

    def close_workspace(self) -> None:
        self.block_ends.append(len(self.blocks))
        self.tail_ends.append(len(self.tails))

    def save(self, path: Path) -> None:
        np.savez(
            path,
            tokens=np.concatenate([np.zeros(0, np.uint16), *self.tokens]),
            starts=np.array(self.starts),
            blocks=np.array(self.blocks, np.int64),
            tails=np.array(self.tails, np.int64).reshape(-1, 4),
            block_ends=np.array(self.block_ends),
            tail_ends=np.array(self.tail_ends),
        )


def tail_ids(
    tail: Tail, prefix: list[int], suffix: list[int], middle: list[int], marks: Marks = MARKS
) -> tuple[list[int], int, list[int]]:
    """(tail, index of the middle's first token, suffix encoded alone or empty)."""
    end = [*middle, marks.end]
    match tail.layout:
        case "repair":
            return prefix + end, len(prefix), []
        case "spm":
            head = [marks.prefix, *prefix]
            return head + end, len(head), [marks.suffix, *suffix]
        case "isolated":
            head = [marks.prefix, *prefix, marks.middle]
            return head + end, len(head), [marks.suffix, *suffix]
        case "psm":
            head = [marks.prefix, *prefix, marks.suffix, *suffix, marks.middle]
            return head + end, len(head), []


def tokenized(found: Iterable[Workspace], bpe: Tokenizer, store: Store) -> None:
    """Adds workspaces to the store; tails too long, or whose middle would be tokenized differently where it
    continues its prefix, are left out."""
    for batch in batched(found, 500):
        texts: list[str] = []
        for workspace in batch:
            texts += workspace.blocks
            for t in workspace.tails:
                texts += [t.prefix, t.suffix, t.middle, t.prefix + t.middle]
        ids = iter(tokenizer.encode_all(bpe, texts))
        for workspace in batch:
            blocks = [block for _ in workspace.blocks if len(block := next(ids)) <= MAX_BLOCK]
            tails = []
            for t in workspace.tails:
                prefix, suffix, middle, joint = (next(ids) for _ in range(4))
                tail, first, alone = tail_ids(t, prefix, suffix, middle)
                if (
                    (prefix + middle == joint or t.kind == "inside")
                    and len(tail) <= MAX_TAIL
                    and len(alone) <= MAX_SUFFIX
                ):
                    tails.append((LAYOUTS.index(t.layout), alone, tail, first))
            if tails and blocks:
                store.blocks += map(store.piece, blocks)
                for layout, alone, tail, first in tails:
                    store.tails.append((layout, store.piece(alone) if alone else -1, store.piece(tail), first))
                store.close_workspace()


def batched(items: Iterable[Workspace], n: int) -> Iterator[list[Workspace]]:
    batch = []
    for item in items:
        batch.append(item)
        if len(batch) == n:
            yield batch
            batch = []
    yield batch


@dataclass(frozen=True)
class Task:
    """One package to make workspaces of: its folder, its modules, and the functions of them that are wanted."""

    package: corpus.Package
    folder: Path
    modules: list[corpus.Module]
    wanted: frozenset[int]
    is_held: bool
    words: tuple[str, ...]
    cache: Path
    seed: int


def made(task: Task) -> list[Workspace]:
    """The workspaces of a package, in a process of its own."""
    place = Place(task.folder, task.cache)
    rng = Random(f"{task.seed} {task.package.name}")
    mix = Mix(renamed=0.0 if task.is_held else SHARE_RENAMED)
    return [w for m in task.modules for w in place.workspaces(m, task.words, task.wanted, rng, mix)]


Corpus = list[tuple[corpus.Package, Path, list[corpus.Module]]]


def read_corpus(wheels: Path, work: Path) -> Corpus:
    """Package, folder and modules of every wheel that may be learned from, and of the standard library."""
    standard = Path(sysconfig.get_paths()["stdlib"])
    found = [(corpus.standard_library(), standard, list(corpus.read_standard_library()))]
    site = work / "site-packages"
    for wheel, package, modules in corpus.read_wheels(wheels):
        corpus.unpack(wheel, work / package.name, site)
        corpus.add_environment(work / package.name, site)
        found.append((package, work / package.name, modules))
    return found


def tasks(found: Corpus, a: argparse.Namespace) -> list[Task]:
    """Which functions to take of which package: each function once, and none that a package kept out has, too."""
    held, reserved = held_out(), kept_out()
    forbidden = {d for package, _, modules in found if package.name in reserved for m in modules for d in functions(m)}
    taken = set[int]()
    chosen = []
    for package, folder, modules in sorted(found, key=lambda f: (f[0].name not in held, f[0].name)):
        if package.name in reserved and package.name not in held:
            continue
        rng = Random(f"{a.seed} {package.name}")
        modules = rng.sample(modules, min(len(modules), a.max_modules or len(modules)))
        n, wanted = 0, set[int]()
        for i, module in enumerate(modules):
            new = set(functions(module)) - taken - (set() if package.name in held else forbidden)
            taken |= new
            wanted |= new
            n += len(new)
            if n >= a.functions:
                modules = modules[: i + 1]
                break
        chosen.append((package, folder, modules, frozenset(wanted), package.name in held))
    python = (m for _, _, modules, _, _ in chosen for m in modules if m.path.endswith(".py"))
    trees = (tree for m in python if (tree := parse(m.source)))
    words = vocabulary(trees)
    cache = a.out / "described"
    return [Task(*each, words, cache, a.seed) for each in chosen]


def main() -> None:
    cli = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    cli.add_argument("--wheels", type=Path, required=True)
    cli.add_argument("--out", type=Path, default=CACHE)
    cli.add_argument("--functions", type=int, default=700, help="at most about so many of each package")
    cli.add_argument("--new-tokenizer", action="store_true", help="make the vocabulary anew (a new model only)")
    cli.add_argument("--max-modules", type=int, default=0, help="of each package, for a trial")
    cli.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    cli.add_argument("--seed", type=int, default=0)
    a = cli.parse_args()
    start = time.time()

    def tell(text: str) -> None:
        print(f"{text}, {time.time() - start:.0f} s", flush=True)

    a.out.mkdir(parents=True, exist_ok=True)
    todo = tasks(read_corpus(a.wheels, a.out / "work"), a)
    tell(f"{len(todo)} packages, {sum(len(t.wanted) for t in todo)} functions")
    bpe = None if a.new_tokenizer else tokenizer.load()
    stores, waiting, facts = {True: Store(), False: Store()}, list[tuple[bool, Workspace]](), list[dict[str, Any]]()

    def save() -> None:
        """What there is so far; training puts it into another order anyway."""
        for is_held, name in ((True, "held"), (False, "train")):
            stores[is_held].save(a.out / f"{name}.npz")
        (a.out / "corpus.json").write_text(json.dumps(facts, indent=1))

    with Pool(a.processes) if a.processes > 1 else nullcontext() as pool:
        for i, (task, found) in enumerate(zip(todo, pool.imap(made, todo) if pool else map(made, todo), strict=True)):
            if bpe is None:
                waiting += [(task.is_held, w) for w in found]
            else:
                tokenized(found, bpe, stores[task.is_held])
            sizes = {"n_files": len(task.modules), "n_functions": len(task.wanted), "n_workspaces": len(found)}
            facts.append({**dataclasses.asdict(task.package), "held_out": task.is_held, **sizes})
            tell(f"{task.package.name}: {len(found)} workspaces")
            if bpe is not None and i % SAVE_EVERY == SAVE_EVERY - 1:
                save()
    if bpe is None:
        known = [w for is_held, w in waiting if not is_held]
        Random(a.seed).shuffle(known)
        tokenizer.make(
            text for w in known[:12000] for text in (*w.blocks, *(t.prefix + t.middle + t.suffix for t in w.tails))
        )
        bpe = tokenizer.load()
        for is_held, store in stores.items():
            tokenized((w for held, w in waiting if held == is_held), bpe, store)
    save()
    for is_held, store in stores.items():
        tell(f"{'held' if is_held else 'train'}: {store.starts[-1] / 1e6:.2f} M tokens, {len(store.tails)} tails")


if __name__ == "__main__":
    main()
