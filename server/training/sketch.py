"""Where in a module something may be completed or repaired, in any language of the product.

In: a module's text.  Out: a `Sketch`: its functions as lines, the lines outside of them, where statements end, ways to
break a function.  Python is read by `ast` (`training.outline`), other languages by the product's own grammars; prose
and markup have passages of some lines in place of functions.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePath
from random import Random
from typing import Protocol

from bench.repairing.damage import Damage
from palimpsest.languages.registry import language_of
from palimpsest.syntax.parse import Parsed, parse_text
from palimpsest.syntax.scopes import enclosing, scopes
from palimpsest.syntax.values import Scope
from training import outline
from training.damage import damage, damage_of_lines
from training.examples import parse, short_docstrings

NOT_SIMPLE = ("{", "}", "(", "[", ",", ":", "\\")
"""What a line ends with that is no statement of its own."""
LEAVES = re.compile(r"\s*(return|throw|raise|break|continue|goto|case|default|else|fallthrough)\b")
LEAST = 3
"""Lines of a function that something is asked about."""
PROSE = frozenset({".css", ".html", ".md", ".rst", ".toml", ".txt", ".xml", ".yaml", ".yml"})
MESSAGE = "COMMIT_EDITMSG"
"""What git calls the file that a commit's message is written in."""
PASSAGE = 12
"""Lines of prose that are taken as a function is."""


@dataclass(frozen=True, slots=True)
class Span:
    """Lines of a function, half-open; `header` is how many of them come before what may be cut, `least` how few lines
    are too few to ask about."""

    first: int
    end: int
    header: int = 1
    least: int = LEAST

    @property
    def is_wanted(self) -> bool:
        return self.end - self.first >= self.least


class Sketch(Protocol):
    """`lines`: the module as it is worked on."""

    lines: list[str]
    functions: list[Span]
    headings: list[int]
    comments: tuple[str, ...]
    """How lines begin that no cut is in."""

    def ends(self, span: Span) -> dict[int, int]:
        """Index of the last line of the simple statement that begins on a line, by that line's index."""

    def names(self) -> list[str]:
        """Of functions and classes, and what is imported: what may be replaced by fresh names."""

    def broken(self, lines: list[str], rng: Random, known: Collection[str]) -> Damage | None:
        """A function's lines broken in one way.  Raises SyntaxError, IndexError, ValueError for a part of one."""


def sketch(path: str, source: str) -> Sketch | None:
    """None for what cannot be read, or has no grammar here."""
    if path.endswith(".py"):
        tree = parse(source)
        text = short_docstrings(source, tree) if tree else ""
        tree = parse(text) if tree else None
        return OfPython(text, tree) if tree else None
    if is_prose(path):
        return OfProse(source, path == MESSAGE)
    language = language_of("", path)
    if language.grammar is None:
        return None
    parsed = parse_text(source, language)
    return OfGrammar(parsed) if parsed.tree is not None and not parsed.tree.root_node.has_error else None


class OfPython:
    comments: tuple[str, ...] = ("#",)

    def __init__(self, text: str, tree: ast.Module) -> None:
        self.lines, self.tree = text.split("\n"), tree
        self._scopes = outline.functions(tree)
        self.functions = [Span(scope.first, scope.end) for scope in self._scopes]
        self.headings = outline.headings(tree)

    def ends(self, span: Span) -> dict[int, int]:
        return outline.statement_ends(self._scopes[self.functions.index(span)].node)

    def names(self) -> list[str]:
        own = {n.name for n in ast.walk(self.tree) if isinstance(n, outline.Function | ast.ClassDef)}
        own |= {a.name for n in self.tree.body if isinstance(n, ast.ImportFrom) for a in n.names}
        return sorted(n for n in own if len(n) > 3 and not n.startswith("__"))

    def broken(self, lines: list[str], rng: Random, known: Collection[str]) -> Damage | None:
        return damage(lines, rng, known)


class OfGrammar:
    """Of any language with a grammar."""

    def __init__(self, parsed: Parsed) -> None:
        self.parsed, self.language = parsed, parsed.language
        self.lines = list(parsed.snapshot.lines)
        lexical = self.language.lexical
        self.comments = (*lexical.line_comments, *(begin for begin, _ in lexical.block_comments), "*")
        self._scopes = [scope for scope in scopes(parsed) if scope.kind == "function" and scope.has_body]
        outer = [scope for scope in self._scopes if not is_inside_function(scope)]
        self.functions = [
            Span(scope.def_line, scope.end_line, max(1, scope.body_start_line - scope.def_line)) for scope in outer
        ]
        inside = {line for span in self.functions for line in range(span.first, span.end)}
        self.headings = [span.first for span in self.functions]
        self.headings += [n for n, text in enumerate(self.lines) if n not in inside and re.search(r"\w", text)]

    def ends(self, span: Span) -> dict[int, int]:
        start = min(span.first + span.header, span.end)
        return {each.start: each.stop - 1 for each in self.language.statements(self.lines, start, span.end)}

    def names(self) -> list[str]:
        return sorted({s.name for s in scopes(self.parsed) if len(s.name) > 3 and re.fullmatch(r"\w+", s.name)})

    @cached_property
    def ends_with_semicolons(self) -> bool:
        ends = Counter(line.rstrip()[-1:] for line in self.lines)
        return ends[";"] > 0.2 * sum(ends.values())

    def broken(self, lines: list[str], rng: Random, known: Collection[str]) -> Damage | None:
        return damage_of_lines(lines, list(self._simple(lines)), self.ends_with_semicolons, rng, known)

    def _simple(self, lines: Sequence[str]) -> Iterator[int]:
        """Indexes of the statements on one line of their own."""
        for each in self.language.statements(lines, 1, len(lines)):
            text = lines[each.start].strip()
            is_code = re.search(r"\w", text) and not text.startswith((*self.comments, "}", ")"))
            if len(each) == 1 and is_code and not text.endswith(NOT_SIMPLE) and not LEAVES.match(text):
                yield each.start


def is_prose(path: str) -> bool:
    return path == MESSAGE or PurePath(path).suffix.lower() in PROSE


class OfProse:
    """Of text without statements: each line ends by itself, and nothing is broken or renamed."""

    def __init__(self, text: str, is_message: bool) -> None:
        self.lines = text.split("\n")
        self.comments: tuple[str, ...] = ("#",) if is_message else ()
        self.headings = [n for n, line in enumerate(self.lines) if self._is_text(line)]
        end = len(text[: text.find("\n#")].rstrip().split("\n")) if is_message else len(self.lines)
        found = (Span(n, min(n + PASSAGE, end), 0, 1 if is_message else LEAST) for n in range(0, end, PASSAGE))
        self.functions = [span for span in found if any(map(self._is_text, self.lines[span.first : span.end]))]

    def _is_text(self, line: str) -> bool:
        return bool(re.search(r"\w", line)) and not line.startswith(self.comments or "\0")

    def ends(self, span: Span) -> dict[int, int]:
        return {line: line for line in range(span.first, span.end)}

    def names(self) -> list[str]:
        return []

    def broken(self, lines: list[str], rng: Random, known: Collection[str]) -> Damage | None:
        return None


def is_inside_function(scope: Scope) -> bool:
    around = iter(enclosing(scope))
    next(around)
    return any(each.kind == "function" for each in around)
