"""Pure: the names that code uses, each with what stands before it.

In: code, its language.  Out: `NameUse`s in order.  Found by text, so in code that does not parse, too; strings and
comments are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from palimpsest.syntax.lexical import Lexical, tokens
from palimpsest.syntax.parse import Language

_NAME = re.compile(r"(?<![\w$@])[^\W\d]\w*")
_HEAD = re.compile(r"\w+\Z")
_CALLED = re.compile(r"[?!]?\s*(?:(?:::)?<[^<>()]{0,80}>)?\s*[({]")
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+")
_LONG = 9
_OF_TYPES = "::"


@dataclass(frozen=True, slots=True)
class NameUse:
    """`head` is the word before the name's dot; "" if the name has none, None if what stands there is no word, as in
    `f().name`.  `start` is an offset in the code."""

    name: str
    head: str | None
    is_called: bool
    start: int

    @property
    def is_telling(self) -> bool:
        """Whether it is of several words or a long one, which hardly two things are called by chance."""
        return len(self.name) >= _LONG or len(_WORDS.findall(self.name)) > 1


def name_uses(code: str, lexical: Lexical, marks: tuple[str, ...]) -> Iterator[NameUse]:
    """`marks` stand before members: `.`, `->`."""
    text = without_strings(code, lexical)
    for found in _NAME.finditer(text):
        before = text[max(0, found.start() - 200) : found.start()].rstrip()
        mark = next((mark for mark in (*marks, _OF_TYPES) if before.endswith(mark)), "")
        head = _HEAD.search(before[: len(before) - len(mark)].rstrip().rstrip("?!&")) if mark else None
        called = _CALLED.match(text, found.end()) is not None
        yield NameUse(found[0], (head[0] if head else None) if mark else "", called, found.start())


def names_that_come_with(language: Language) -> frozenset[str]:
    """Names that a model knows with the language."""
    return language.builtins | language.builtin_members | language.object_members | language.common_words


def without_strings(code: str, lexical: Lexical) -> str:
    """The code with blanks for what is in strings and comments; as long as before."""
    pieces, at, hidden = list[str](), 0, -1
    for token in tokens(code, lexical):
        if token.kind in ("begin", "comment") and hidden < 0:
            hidden = token.start
        if token.kind in ("end", "line") and hidden >= 0:
            end = token.end - (token.kind == "line")
            pieces += [code[at:hidden], " " * (end - hidden)]
            at, hidden = end, -1
    return "".join([*pieces, code[at:] if hidden < 0 else code[at:hidden] + " " * (len(code) - hidden)])
