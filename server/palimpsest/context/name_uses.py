"""Pure: the names that code uses, each with what stands before it.

In: code, its language.  Out: `NameUse`s in order.  Found by text, so in code that does not parse, too; strings and
comments are left out.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from palimpsest.syntax.lexical import Lexical, tokens
from palimpsest.syntax.parse import Language

_NAME = re.compile(r"(?<![\w$@])[^\W\d]\w*")
_CALLED = re.compile(r"[?!]?\s*(?:(?:::)?<[^<>()]{0,80}>)?\s*[({]")
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+")
_LONG = 9
_FARTHEST = 200
"""Between a name and what stands before it."""
_OF_TYPES = "::"
_SEEN = re.compile(r"[^\n]")
"""What a blank takes the place of in a string or comment: the end of a line stays one."""


@dataclass(eq=False)
class NameUse:
    """`start` is an offset in the code.  What is around the name is looked at when it is asked for: a file has
    thousands of names."""

    name: str
    start: int
    _text: str = field(repr=False)
    _marks: tuple[str, ...] = field(repr=False)

    @cached_property
    def head(self) -> str | None:
        """The word before the name's dot; "" if the name has none, None if what stands there is no word, as in
        `f().name`."""
        before = self._text[max(0, self.start - _FARTHEST) : self.start].rstrip()
        mark = next((mark for mark in self._marks if before.endswith(mark)), "")
        if not mark:
            return ""
        before = before[: len(before) - len(mark)].rstrip().rstrip("?!&")
        start = len(before)
        while start > 0 and (before[start - 1].isalnum() or before[start - 1] == "_"):
            start -= 1
        return before[start:] or None

    @cached_property
    def is_called(self) -> bool:
        return _CALLED.match(self._text, self.start + len(self.name)) is not None

    @property
    def is_telling(self) -> bool:
        """Whether it is of several words or a long one, which hardly two things are called by chance."""
        return len(self.name) >= _LONG or len(_WORDS.findall(self.name)) > 1


def name_uses(code: str, lexical: Lexical, marks: tuple[str, ...]) -> Iterator[NameUse]:
    """`marks` stand before members: `.`, `->`."""
    text, every = without_strings(code, lexical), (*marks, _OF_TYPES)
    return (NameUse(match[0], match.start(), text, every) for match in _NAME.finditer(text))


def bare_name(written: str) -> str:
    """`items` of `self.items`, `$items`, `@items`."""
    return written.rpartition(".")[2].lstrip("$@")


def names_that_come_with(language: Language) -> frozenset[str]:
    """Names that a model knows with the language."""
    return language.builtins | language.builtin_members | language.object_members | language.common_words


def without_strings(code: str, lexical: Lexical) -> str:
    """The code with blanks for what is in strings and comments; as long as before, and on as many lines."""
    pieces, at, hidden = list[str](), 0, -1
    for token in tokens(code, lexical):
        if token.kind in ("begin", "comment") and hidden < 0:
            hidden = token.start
        if token.kind in ("end", "line") and hidden >= 0:
            end = token.end - (token.kind == "line")
            pieces += [code[at:hidden], _SEEN.sub(" ", code[hidden:end])]
            at, hidden = end, -1
    return "".join([*pieces, code[at:] if hidden < 0 else code[at:hidden] + _SEEN.sub(" ", code[hidden:])])
