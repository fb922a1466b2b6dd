"""The calls in a reply: lines that are exactly a call (docs/formats.md, "Calls by the model").

In: a reply, and the parameters of each tool.  Out: names with arguments, or what is wrong with a call.  Evaluates
nothing: arguments are literals.  Calls in code fences and in refs are content, not calls.  Knows no tool.

A call may go on over several lines, as long as its brackets are open.  Of a tool that is known, a line that is nearly a
call is reported; a line with another name is text, unless it is nearly the name of a tool.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any

from palimpsest.conversations.calls.literals import NotLiteral, literals
from palimpsest.conversations.calls.scanning import MOST_CHARS, scan
from palimpsest.conversations.refs.tags import extract
from palimpsest.documents.markdown import MOST_LINES, Fence, blanked, fences

MOST_CALLS = 50
"""In one reply."""
MOST_LOST = 500_000
"""Characters read in vain for the ends of calls that have none; then only single lines are read."""
MOST_NAMES = 200
"""Names of no tool that are compared with those of tools."""
ALIKE = 0.85
_BEGIN = re.compile(r"^ {0,3}(?P<name>[A-Za-z_]\w{0,60})[ \t]?(?P<bracket>\()", re.MULTILINE | re.ASCII)
_MARK = re.compile(r"\n[ \t]*(?:```|~~~)")
_GOES_ON = (")", "(", "[", "{", ",", '"', "'")
"""How a line ends that was meant as a call or its beginning."""


@dataclass(frozen=True, slots=True)
class ParsedCall:
    """`line` is the call's first line in the reply, from 0."""

    name: str
    arguments: dict[str, Any]
    line: int


@dataclass(frozen=True, slots=True)
class WrongCall:
    """`reason` is a sentence that says what would be right."""

    line: int
    reason: str
    name: str = ""


def calls_in(reply: str, tools: Mapping[str, Sequence[str]]) -> list[ParsedCall | WrongCall]:
    """The calls in order.  `tools` has the names of each tool's parameters, in order, for arguments without a name."""
    found = list[ParsedCall | WrongCall]()
    for call in _Reader(reply, tools).calls():
        if len(found) == MOST_CALLS:
            found.append(WrongCall(call.line, f"Only the first {MOST_CALLS} calls of a reply are run."))
            break
        found.append(call)
    return found


class _Reader:
    def __init__(self, reply: str, tools: Mapping[str, Sequence[str]]) -> None:
        self._reply = reply
        self._tools = tools
        self._alike = dict[str, str]()
        self._n_lost = 0

    def calls(self) -> Iterator[ParsedCall | WrongCall]:
        regions = extract(self._reply).regions
        said = blanked(self._reply, regions)
        refs, fenced = list(reversed(regions)), list[Fence]()
        is_read = False
        behind = line = counted = 0
        for begin in _BEGIN.finditer(self._reply):
            start = begin.start()
            while refs and refs[-1][1] <= start:
                refs.pop()
            if start < behind or (refs and refs[-1][0] <= start) or not self._concerns(begin["name"]):
                continue
            if not is_read:
                fenced, is_read = list(reversed(_shown(said))), True
            while fenced and fenced[-1].end <= start:
                fenced.pop()
            if fenced and fenced[-1].start <= start:
                continue
            line, counted = line + self._reply.count("\n", counted, start), start
            if line >= MOST_LINES:
                return  # nobody knows what is in a fence there
            call, behind = self._read(begin, line, refs[-1][0] if refs else len(self._reply))
            if _MARK.search(self._reply, start, behind):  # what stands in a call opens no fence
                said, is_read = blanked(said, [(start, behind)]), False
            if call is not None:
                yield call

    def _read(self, begin: re.Match[str], line: int, end: int) -> tuple[ParsedCall | WrongCall | None, int]:
        """The call that begins there and the place behind it; None for prose."""
        reply, name, start = self._reply, begin["name"], begin.start("bracket")
        line_end = _line_end(reply, start)
        most = max(line_end, end) if self._n_lost < MOST_LOST else line_end
        scanned = scan(reply, start, min(most, start + MOST_CHARS))
        if scanned.end is None:
            self._n_lost += scanned.stopped - start
            if line_end < len(reply) and not reply[start:line_end].rstrip().endswith(_GOES_ON):
                return None, line_end
            return WrongCall(line, f"The call of {name} is not complete: {scanned.problem}.", name), line_end
        if reply[scanned.end : _line_end(reply, scanned.end)].strip():
            return None, line_end
        if name not in self._tools:
            return WrongCall(line, f"There is no tool {name}; did you mean {self._alike[name]}?", name), scanned.end
        if scanned.problem:
            return WrongCall(line, f"The call of {name} cannot be read: {scanned.problem}.", name), scanned.end
        return _call(name, reply[start : scanned.end], line, self._tools[name]), scanned.end

    def _concerns(self, name: str) -> bool:
        """Whether it is the name of a tool, or nearly."""
        if name in self._tools:
            return True
        if name not in self._alike and len(self._alike) < MOST_NAMES:
            self._alike[name] = "".join(get_close_matches(name, self._tools, n=1, cutoff=ALIKE))
        return bool(self._alike.get(name))


def _shown(said: str) -> list[Fence]:
    """The fences of a reply.  One in an item of a list ends with the item, before the code in it, where that is not
    indented as CommonMark has it; a model means it to end at the next bare mark."""
    found = list[Fence]()
    for one in fences(said):
        last = found[-1] if found else None
        if (
            last is None
            or last.is_closed
            or one.info.strip()
            or one.mark[0] != last.mark[0]
            or len(one.mark) < len(last.mark)
        ):
            found.append(one)
        else:
            found[-1] = replace(last, end=_line_end(said, one.start), is_closed=True)
    return found


def _call(name: str, written: str, line: int, parameters: Sequence[str]) -> ParsedCall | WrongCall:
    try:
        positional, named = literals(written)
    except NotLiteral as error:
        return WrongCall(line, f"The call of {name} cannot be read: {error}.", name)
    if len(positional) > len(parameters):
        return WrongCall(
            line, f"{name} takes {len(parameters)} arguments ({', '.join(parameters)}), not {len(positional)}.", name
        )
    arguments = dict(zip(parameters, positional, strict=False))
    if twice := arguments.keys() & named.keys():
        return WrongCall(line, f"{name} has two values for {min(twice)}.", name)
    return ParsedCall(name, arguments | named, line)


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end
