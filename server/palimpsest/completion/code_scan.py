"""A small scanner of code: brackets, strings and comments, enough to tell where a statement goes on.

In: text, the language, the state before it.  Out: a state after each character.  It needs no tree, since what it is
asked about is half-written by nature; it is wrong at worst about where a completion ends.  Pure.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

_HASH = frozenset({"python", "shellscript", "ruby", "perl", "r", "yaml", "toml", "makefile", "dockerfile", "elixir"})
_OPEN, _CLOSE = "([{", ")]}"
_TELLING = frozenset(_OPEN + _CLOSE + "\n\\\"'`#/")
"""After any other character the state is as before, but behind a backslash."""


@dataclass(frozen=True, slots=True)
class State:
    """Between two characters.  `depth` counts open brackets and goes below 0 where more were closed than opened;
    `quote` is the delimiter of the string one is in, or empty; `escaped`: the next character stands for itself."""

    depth: int = 0
    quote: str = ""
    comment: bool = False
    escaped: bool = False

    @property
    def in_block_string(self) -> bool:
        return len(self.quote) == 3


def scan(text: str, language: str, state: State | None = None) -> Iterator[State]:
    """The state after each character of `text`; a delimiter of three characters counts from its first one on."""
    state = state or State()
    skip = 0
    for i, char in enumerate(text):
        if skip:
            skip -= 1
        elif state.escaped:
            state = replace(state, escaped=False)
        elif char not in _TELLING:
            pass
        elif char == "\n":
            state = replace(state, comment=False, quote=state.quote if state.in_block_string else "")
        elif state.comment:
            pass
        elif state.quote:
            state, skip = _in_string(state, text, i)
        else:
            state, skip = _in_code(state, text, i, language)
        yield state


def unmatched_closers(text: str, language: str, state: State) -> int:
    """How many brackets that were open before `text` it closes."""
    lowest = state.depth
    for after in scan(text, language, state):
        lowest = min(lowest, after.depth)
    return state.depth - lowest


def _in_string(state: State, text: str, i: int) -> tuple[State, int]:
    if text[i] == "\\":
        return replace(state, escaped=True), 0
    if text.startswith(state.quote, i):
        return replace(state, quote=""), len(state.quote) - 1
    return state, 0


def _in_code(state: State, text: str, i: int, language: str) -> tuple[State, int]:
    char = text[i]
    if char in _OPEN:
        return replace(state, depth=state.depth + 1), 0
    if char in _CLOSE:
        return replace(state, depth=state.depth - 1), 0
    if text.startswith("#" if language in _HASH else "//", i):
        return replace(state, comment=True), 0
    if char == "\\":
        return replace(state, escaped=True), 0
    if language == "python" and text.startswith(('"""', "'''"), i):
        return replace(state, quote=text[i : i + 3]), 2
    if char in "\"'" or (char == "`" and language not in _HASH):
        return replace(state, quote=char), 0
    return state, 0
