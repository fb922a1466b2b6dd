"""Parses hard texts with one grammar, in a process of its own: `python -m tests.languages.deep_texts tree_sitter_x`.

In: the grammar's module.  Out: the exit status, 0 if the process lived through all of it.
"""

from __future__ import annotations

import importlib
import random
import sys
from collections.abc import Iterator

import tree_sitter

from palimpsest.languages.grammars import MOST_LEVELS, may_parse

_SEED = 16
_WORDS = """
> - 1. * + # ## ``` ~~~ --- === | a b: c: [x] (y) <div> </div> <!-- --> & &a *a !!t ? : , { } [ ] ' " \\ `` $ é 🍐
"""
_PARTS = (*_WORDS.split(), "", "\t", "\n", "\n\n", "\r\n", "\r", "\0")
_N_RANDOM, _LONGEST = 300, 400


def texts() -> Iterator[str]:
    """Deep, wide, broken and random ones."""
    deepest = MOST_LEVELS - 2
    for mark in ("- ", "> ", ">", "1. ", "* ", "? ", "a: ", "- ? ", "> - "):
        yield mark * (deepest // len(mark)) + "a\n"
        yield mark * (deepest // len(mark)) + "\n" * 3 + mark * 40
    for line in ("- a\n", "> a\n", "a:\n", "- a:\n", "* ```\n", "? a\n", "1. a\n"):
        yield "".join(" " * level + line for level in range(deepest))
        yield "".join(" " * level + line for level in (*range(deepest), *range(deepest, 0, -7)))
        yield line.replace("a", "a" * 5000) * 3
    for mark in "`~#*_[]{}<>|-=\"'&!$\\\t\0":
        yield mark * 2000
        yield f"{mark * 70}\na\n{mark * 300}\n"
    yield "<div>\n" * 500
    yield "---\n" * 500 + "+++\n" * 500
    yield "- a\r> b\r\n\r```\r\n- c"
    chance = random.Random(_SEED)
    for _ in range(_N_RANDOM):
        yield "".join(chance.choice(_PARTS) + chance.choice((" ", "")) for _ in range(chance.randrange(_LONGEST)))


def run(module: str) -> None:
    parser = tree_sitter.Parser(tree_sitter.Language(importlib.import_module(module).language()))
    for text in texts():
        if not may_parse(module, text):
            continue
        data = text.encode()
        tree = parser.parse(data)
        at = len(data) // 2
        row, column = data[:at].count(b"\n"), at - (data[:at].rfind(b"\n") + 1)
        tree.edit(at, at, at + 1, (row, column), (row, column), (row + 1, 0))
        parser.parse(data[:at] + b"\n" + data[at:], tree)


if __name__ == "__main__":
    run(sys.argv[1])
