"""Makes rows of nothing but source: `python -m training.plain --wheels DIR [--out DIR]`.

In: a folder of wheels and the standard library, as for `training.data`.  Out, in `--out`: `plain.npz` with the tokens
of the rows, one after another, and where they begin.

A model this small knows too little Python before it knows too little of a workspace, and a row of source teaches the
language for less than a workspace does: every token is wanted, and nothing else is attended to.  A row lies where a
block would, alone behind the header.  No module is taken that shares a function with a held-out package.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from random import Random

import numpy as np

from training import CACHE, corpus, tokenizer
from training.corpus import Module
from training.examples import parse, short_docstrings
from training.held import kept_out
from training.product import functions

N_CHARACTERS = 1700
"""Of a row: some 500 tokens, the size of the product's largest blocks."""


def rows(source: str, n_characters: int = N_CHARACTERS) -> Iterator[str]:
    """A file in pieces that begin and end with lines, the last and shortest left out if there is another."""
    piece: list[str] = []
    size = told = 0
    for line in source.splitlines(keepends=True):
        if size + len(line) > n_characters and piece:
            yield "".join(piece)
            piece, size, told = [], 0, told + 1
        piece.append(line)
        size += len(line)
    if not told:
        yield "".join(piece)


def unseen(modules: Iterable[Module], seen: set[int], forbidden: set[int]) -> Iterator[Module]:
    """Those with no forbidden function, and of whose functions most were not seen before."""
    for module in modules:
        found = functions(module)
        if found and not forbidden.intersection(found) and len(seen.intersection(found)) * 2 <= len(found):
            seen.update(found)
            yield module


def package_rows(modules: Sequence[Module], n_characters: int, seen: set[int], forbidden: set[int]) -> list[str]:
    """Rows of a package's modules, until there are so many characters."""
    found: list[str] = []
    size = 0
    for module in unseen(modules, seen, forbidden):
        tree = parse(module.source)
        if tree is None:
            continue
        for row in rows(short_docstrings(module.source, tree)):
            found.append(row)
            size += len(row)
        if size >= n_characters:
            break
    return found


def main() -> None:
    cli = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    cli.add_argument("--wheels", type=Path, required=True)
    cli.add_argument("--out", type=Path, default=CACHE)
    cli.add_argument("--characters", type=int, default=300_000, help="at most about so many of each package")
    cli.add_argument("--seed", type=int, default=0)
    a = cli.parse_args()
    held = kept_out()
    packages = [(corpus.standard_library(), list(corpus.read_standard_library()))]
    packages += [(package, modules) for _, package, modules in corpus.read_wheels(a.wheels)]
    forbidden = {d for package, modules in packages if package.name in held for m in modules for d in functions(m)}
    seen, texts = set[int](), list[str]()
    for package, modules in packages:
        if package.name not in held:
            modules = Random(f"{a.seed} {package.name}").sample(modules, len(modules))
            texts += package_rows(modules, a.characters, seen, forbidden)
    Random(a.seed).shuffle(texts)
    ids = [np.asarray(row, np.uint16) for row in tokenizer.encode_all(tokenizer.load(), texts)]
    starts = np.cumsum([0, *map(len, ids)])
    a.out.mkdir(parents=True, exist_ok=True)
    np.savez(a.out / "plain.npz", tokens=np.concatenate(ids), starts=starts)
    print(f"{len(ids)} rows, {starts[-1] / 1e6:.2f} M tokens")


if __name__ == "__main__":
    main()
