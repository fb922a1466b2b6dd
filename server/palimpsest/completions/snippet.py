"""Pure: turns a completion into an LSP snippet with a tab stop for each argument of its calls.

In: the line before the cursor, the text to insert, the language.  Out: a snippet; None for a text without arguments.
Everything else is escaped.  Does not know about editors.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from palimpsest.syntax.lexical import State, scan
from palimpsest.syntax.parse import Language

_CALL = re.compile(r"[\w)\]]\Z")
_KEYWORD = re.compile(r"\s*\w+\s*=(?!=)\s*")
_ESCAPED = re.compile(r"([\\$}])")


def as_snippet(before: str, text: str, language: Language, state: State, *, typed: str = "") -> str | None:
    """`text` with `${1:…}` around each argument of its outermost calls, and `$0` at the end.  `before`: the cursor's
    line up to the cursor; an argument that begins there gets no tab stop.  `state`: what is open where the line begins.
    `typed`: text to put first, unchanged."""
    arguments = list(_arguments(before, text, language, state))
    if not arguments:
        return None
    parts, end = [escape(typed)], 0
    for number, (start, stop) in enumerate(arguments, 1):
        parts += [escape(text[end:start]), f"${{{number}:{escape(text[start:stop])}}}"]
        end = stop
    return "".join([*parts, escape(text[end:]), "$0"])


def escape(text: str) -> str:
    """`text` with `$`, `}` and the backslash, which are special in snippets, escaped."""
    return _ESCAPED.sub(r"\\\1", text)


@dataclass(slots=True)
class _Bracket:
    """`edges`: the positions of the opening bracket, the commas directly inside it, and the closing bracket."""

    is_call: bool
    edges: list[int] = field(default_factory=list)


def _arguments(before: str, text: str, language: Language, state: State) -> Iterator[tuple[int, int]]:
    """(start, end) in `text` of each argument of each closed outermost call, in order."""
    whole, cut = before + text, len(before)
    end = 0
    for call in sorted(_closed_calls(whole, language, state), key=lambda call: call.edges[0]):
        if call.edges[0] < end:
            continue
        end = call.edges[-1]
        for left, right in pairwise(call.edges):
            argument = whole[left + 1 : right]
            named = _KEYWORD.match(argument)
            start = left + 1 + (named.end() if named else len(argument) - len(argument.lstrip()))
            stop = start + len(whole[start:right].rstrip())
            if stop > start >= cut:
                yield start - cut, stop - cut


def _closed_calls(code: str, language: Language, state: State) -> Iterator[_Bracket]:
    brackets: list[_Bracket] = []
    for i, after in enumerate(scan(code, language.lexical, state)):
        if after.depth > state.depth:
            is_call = code[i] == "(" and bool(_CALL.search(code[:i])) and not language.defines(code[:i])
            brackets.append(_Bracket(is_call, [i]))
        elif after.depth < state.depth and brackets:
            closed = brackets.pop()
            closed.edges.append(i)
            if closed.is_call:
                yield closed
        elif code[i] == "," and brackets and not (after.quote or after.comment):
            brackets[-1].edges.append(i)
        state = after
