"""What an example is, and where its middle begins and ends; fresh names and short docstrings.

In: lines, names, a random generator.  Out: `Workspace`, `Tail`, cuts, renamed text.  Knows no token and no block.

Cuts stand where the engine heals to: it takes the word at the cursor, with the one character that the
tokenizer joins to it (a space, a dot, an opening bracket), out of the prompt and constrains the answer to
begin with it.  So a middle begins with ` name`, `.name`, `(name`, or with what no letter precedes.
"""

from __future__ import annotations

import ast
import hashlib
import keyword
import re
import warnings
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Literal

from training import outline

Layout = Literal["spm", "isolated", "psm", "repair"]
PIECE = re.compile(r"[^\w\n]?\w+|[^\w\s]+")
SHARES: dict[Layout, float] = {"spm": 0.70, "isolated": 0.04, "psm": 0.06, "repair": 0.20}
N_TAILS = 3


@dataclass(frozen=True, slots=True)
class Mix:
    """How workspaces are made: of how many modules some names are replaced by fresh ones, whether the cursor may stand
    anywhere (`plain_cuts`) or is likelier before a name that a block has, how many tails a function gets, of which
    layouts, how many repairs come with what a person asks for, and in how many of their places the edit is one that was
    made elsewhere and is still to be made here (`followed`)."""

    renamed: float = 0.0
    plain_cuts: bool = False
    n_cuts: int = 1
    shares: Mapping[Layout, float] = field(default_factory=lambda: SHARES)
    asked: float = 0.0
    followed: float = 0.0


USUAL = Mix()


@dataclass(frozen=True, slots=True)
class Tail:
    """What follows the footer.  For `repair`, prefix is the numbered block, middle the reply, suffix empty.

    `kind` says how the middle was chosen, or how the function was broken.
    """

    layout: Layout
    prefix: str
    suffix: str
    middle: str
    kind: str


@dataclass(frozen=True, slots=True)
class Workspace:
    """Rendered context blocks and the tails that see all of them; `package` for telling held-out ones."""

    package: str
    blocks: tuple[str, ...]
    tails: tuple[Tail, ...]


def digest(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8).digest())


def parse(source: str) -> ast.Module | None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.parse(source)
        except (SyntaxError, ValueError, RecursionError):
            return None


def vocabulary(trees: Iterable[ast.Module]) -> tuple[str, ...]:
    """Words that names of modules' functions and classes are made of: for names that nobody has seen."""
    words: set[str] = set()
    for tree in trees:
        for node in tree.body:
            if isinstance(node, outline.Function | ast.ClassDef):
                words.update(w.lower() for w in re.findall(r"[A-Z]?[a-z]{3,9}", node.name))
    return tuple(sorted(words - set(keyword.kwlist)))


def short_docstrings(source: str, tree: ast.Module) -> str:
    """Long docstrings cut to their first line: prose is not what this model has the tokens for."""
    lines = source.split("\n")
    docs = []
    for node in ast.walk(tree):
        if isinstance(node, outline.Function | ast.ClassDef) and (doc := ast.get_docstring(node)):
            first = node.body[0]
            if first.lineno > node.lineno and (first.end_lineno or 0) - first.lineno > 1:
                docs.append((first.lineno - 1, first.end_lineno or 0, first.col_offset, doc))
    for start, end, indent, doc in sorted(docs, reverse=True):
        text = doc.strip().split("\n")[0].replace("\\", "").replace('"', "'")
        lines[start:end] = [f'{" " * indent}"""{text}"""']
    return "\n".join(lines)


def fresh_name(name: str, words: Sequence[str], rng: Random) -> str:
    """Another name of the same cast: `add_item` to `merge_token`, `Cart` to `LedgerScope`, `RATE` to `SHARD`."""
    parts = rng.sample(words, min(len(words), rng.choice([1, 2, 2, 3]))) or ["fresh"]
    core = name.strip("_")
    lead = name[: len(name) - len(name.lstrip("_"))]
    if core.isupper():
        return lead + "_".join(parts).upper()
    if core[:1].isupper():
        return lead + "".join(part.capitalize() for part in parts)
    if re.search("[a-z][A-Z]", core):
        return lead + parts[0] + "".join(part.capitalize() for part in parts[1:])
    return lead + "_".join(parts)


def renaming(names: Sequence[str], words: Sequence[str], rng: Random) -> dict[str, str]:
    """Fresh names for a few that a module defines or imports, so that they can only be read in a block."""
    chosen = rng.sample(names, min(len(names), rng.randint(2, 6)))
    return {name: fresh_name(name, words, rng) for name in chosen}


def rename(text: str, names: dict[str, str]) -> str:
    if not names:
        return text
    pattern = re.compile(r"\b(" + "|".join(map(re.escape, names)) + r")\b")
    return pattern.sub(lambda match: names[match.group()], text)


def healing_cuts(line: str, start: int = 0) -> list[tuple[int, str]]:
    """(column, word) of every place in a line where a healed prefix may end."""
    return [(m.start(), m.group().strip().lstrip(".([{@=-")) for m in PIECE.finditer(line, start)]


def choose_cut(
    lines: Sequence[str], among: Iterable[int], known: Collection[str], rng: Random, comments: tuple[str, ...] = ("#",)
) -> tuple[int, int] | None:
    """(line, column) in one of some lines, likelier where the next word stands in a block, most where only there."""
    places, weights = [], []
    counts = Counter(word for line in lines for word in outline.WORD.findall(line))
    for i in among:
        stripped = lines[i].strip()
        if not stripped or stripped.startswith(comments) or (stripped.startswith('"') and rng.random() < 0.8):
            continue
        indent = len(lines[i]) - len(lines[i].lstrip())
        for column, word in healing_cuts(lines[i], max(indent - 1, 0)):
            places.append((i, column))
            weight = 1.0 if word[:1].isalpha() or word[:1] == "_" else 0.25
            weight *= (12 if counts[word] == 1 else 5) if word in known else 1
            weights.append(weight * (2 if column <= indent else 1))
    return rng.choices(places, weights)[0] if places else None


def end_of_middle(
    lines: Sequence[str], line: int, column: int, ends: dict[int, int], rng: Random
) -> tuple[int, int, str]:
    """(line, column, kind) where the middle ends.  `ends`: last line of the statement that begins on a line."""
    roll = rng.random()
    rest = lines[line][column:]
    if roll < 0.2:
        stops = [m.end() for m in re.finditer(r"\w+\)?|\)|\"", rest)][:-1]
        if stops:
            return line, column + rng.choice(stops), "part"
    if roll < 0.65 or line == len(lines) - 1:
        last = ends.get(line, line)
        last = last if last < line + 4 else line
        return last, len(lines[last]), "statement"
    last = min(len(lines) - 1, line + rng.randint(1, 4)) if roll < 0.88 else len(lines) - 1
    while last > line and not lines[last].strip():
        last -= 1
    return last, len(lines[last]), "lines" if roll < 0.88 else "body"
