"""A completion as an LSP snippet: tab stops for the arguments of the calls it writes.

In: the line before the cursor, the text to insert, the language.  Out: a snippet, or None where the text has no
argument to stop at.  Everything else is escaped.  Knows no editor.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from palimpsest.suggest.code_scan import State, scan

_CALL = re.compile(r"[\w)\]]\Z")
_DEFINES = re.compile(r"\b(def|class|function|func|fn)\s+\w+\Z")
_KEYWORD = re.compile(r"\s*\w+\s*=(?!=)\s*")
_ESCAPED = re.compile(r"([\\$}])")


def as_snippet(before: str, text: str, language: str, *, typed: str = "") -> str | None:
    """`text` with `${1:…}` around each argument of its outermost calls, and `$0` behind it.  `before`: the cursor's
    line up to it; an argument that begins there is no stop.  `typed`: what stands first, as it is."""
    arguments = list(_arguments(before, text, language))
    if not arguments:
        return None
    parts, end = [escape(typed)], 0
    for number, (start, stop) in enumerate(arguments, 1):
        parts += [escape(text[end:start]), f"${{{number}:{escape(text[start:stop])}}}"]
        end = stop
    return "".join([*parts, escape(text[end:]), "$0"])


def escape(text: str) -> str:
    """`$`, `}` and the backslash mean something in a snippet."""
    return _ESCAPED.sub(r"\\\1", text)


@dataclass(slots=True)
class _Bracket:
    """An open one.  `commas`: where its arguments are parted; `inner`: inside another call that counts."""

    start: int
    is_call: bool
    inner: bool
    commas: list[int] = field(default_factory=list)


def _arguments(before: str, text: str, language: str) -> Iterator[tuple[int, int]]:
    """(start, end) in `text` of each argument of each closed call that is in no other call's, in order."""
    whole, cut = before + text, len(before)
    found: list[tuple[int, int]] = []
    brackets: list[_Bracket] = []
    state = State()
    for i, after in enumerate(scan(whole, language)):
        if after.depth > state.depth:
            is_call = whole[i] == "(" and bool(_CALL.search(whole[:i])) and not _DEFINES.search(whole[:i])
            inner = any(bracket.is_call for bracket in brackets)
            brackets.append(_Bracket(i, is_call, inner))
        elif after.depth < state.depth and brackets:
            bracket = brackets.pop()
            if bracket.is_call and not bracket.inner:
                edges = [bracket.start, *bracket.commas, i]
                found += [(a + 1, b) for a, b in pairwise(edges)]
        elif whole[i] == "," and brackets and not (after.quote or after.comment):
            brackets[-1].commas.append(i)
        state = after
    for start, end in sorted(found):
        argument = whole[start:end]
        named = _KEYWORD.match(argument)
        start += named.end() if named else len(argument) - len(argument.lstrip())
        end = start + len(whole[start:end].rstrip())
        if end > start >= cut:
            yield start - cut, end - cut
