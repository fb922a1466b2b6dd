"""Makes the training data: `python -m training.data --wheels DIR [--out DIR]`.

In: a folder of wheels (those of `packages.txt`) and the standard library.
Out, in `--out` (default: the user's cache):
    train.npz    tokens of every block and tail, and where they begin (`Store`)
    held.npz     the same for the held-out packages, for the loss during training
    held.jsonl   the held-out workspaces as text, for `training.evaluate`
    corpus.json  packages, versions, licences and sizes, for the model card
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from random import Random

import numpy as np
import numpy.typing as npt
from tokenizers import Tokenizer

from training import corpus, tokenizer
from training.examples import Tail, Workspace, make_index, workspaces

PACKAGES = Path(__file__).with_name("packages.txt")
LAYOUTS = ("spm", "isolated", "psm", "repair")
MAX_BLOCK, MAX_SUFFIX, MAX_TAIL = 176, 144, 368
CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "palimpsest" / "training"


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


def held_out(file: Path = PACKAGES) -> frozenset[str]:
    """Names of the packages whose line says `held out`."""
    return frozenset(line.split("==")[0] for line in file.read_text().splitlines() if "; held out" in line)


def tail_ids(tail: Tail, prefix: list[int], suffix: list[int], middle: list[int]) -> tuple[list[int], int, list[int]]:
    """(tail, index of the middle's first token, suffix encoded alone or empty)."""
    end = [*middle, tokenizer.END]
    match tail.layout:
        case "repair":
            return prefix + end, len(prefix), []
        case "spm":
            head = [tokenizer.PREFIX, *prefix]
            return head + end, len(head), [tokenizer.SUFFIX, *suffix]
        case "isolated":
            head = [tokenizer.PREFIX, *prefix, tokenizer.MIDDLE]
            return head + end, len(head), [tokenizer.SUFFIX, *suffix]
        case "psm":
            head = [tokenizer.PREFIX, *prefix, tokenizer.SUFFIX, *suffix, tokenizer.MIDDLE]
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
                if prefix + middle == joint and len(tail) <= MAX_TAIL and len(alone) <= MAX_SUFFIX:
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


def read_corpus(wheels: Path, limit: int) -> tuple[list[corpus.Module], list[dict[str, object]]]:
    """Modules of all permissively licensed wheels and the standard library, at most `limit` characters of each."""
    found = [(corpus.standard_library(), list(corpus.read_standard_library()))]
    found += [corpus.read_wheel(wheel) for wheel in sorted(wheels.glob("*.whl"))]
    modules, facts = [], []
    for package, own in found:
        if not package.is_permissive or not own:
            continue
        Random(package.name).shuffle(own)
        size, kept = 0, []
        for module in own:
            if size < limit:
                kept.append(module)
                size += len(module.source)
        modules += kept
        facts.append(
            {
                "name": package.name,
                "version": package.version,
                "licence": package.licence,
                "n_files": len(kept),
                "n_characters": size,
            }
        )
    return modules, facts


def main() -> None:
    cli = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    cli.add_argument("--wheels", type=Path, required=True)
    cli.add_argument("--out", type=Path, default=CACHE)
    cli.add_argument("--limit", type=int, default=2_500_000, help="characters taken of each package")
    cli.add_argument("--new-tokenizer", action="store_true", help="make the vocabulary anew (a new model only)")
    cli.add_argument("--max-modules", type=int, default=0, help="stop early, for a trial")
    cli.add_argument("--seed", type=int, default=0)
    a = cli.parse_args()
    a.out.mkdir(parents=True, exist_ok=True)
    start = time.time()
    modules, facts = read_corpus(a.wheels, a.limit)
    rng = Random(a.seed)
    rng.shuffle(modules)
    modules = modules[: a.max_modules] if a.max_modules else modules
    index, seen, held = make_index(modules), set[int](), held_out()
    # The held-out packages come first: a function that they share with others is then no training data.
    away = [w for m in modules if m.package in held for w in workspaces(m, index, seen, rng, share_renamed=0.0)]
    known = [w for m in modules if m.package not in held for w in workspaces(m, index, seen, rng)]
    rng.shuffle(away)
    rng.shuffle(known)
    print(
        f"{len(modules)} modules, {len(known)} workspaces, {len(away)} held out, {time.time() - start:.0f} s",
        flush=True,
    )
    if a.new_tokenizer:
        tokenizer.make(
            text for w in known[:12000] for text in (*w.blocks, *(t.prefix + t.middle + t.suffix for t in w.tails))
        )
        print(f"vocabulary made, {time.time() - start:.0f} s", flush=True)
    bpe = tokenizer.load()
    for name, found in (("held", away), ("train", known)):
        store = Store()
        tokenized(found, bpe, store)
        store.save(a.out / f"{name}.npz")
        print(
            f"{name}: {store.starts[-1] / 1e6:.2f} M tokens, {len(store.tails)} tails, {time.time() - start:.0f} s",
            flush=True,
        )
    with open(a.out / "held.jsonl", "w") as file:
        for workspace in away[:3000]:
            file.write(json.dumps(dataclasses.asdict(workspace)) + "\n")
    (a.out / "corpus.json").write_text(json.dumps(facts, indent=1))


if __name__ == "__main__":
    main()
