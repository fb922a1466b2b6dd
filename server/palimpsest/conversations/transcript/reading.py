"""Pure: the turns of a conversation's document, as they stand there.

In: the document's text.  Out: a `Transcript`.  A heading with a turn's number always begins a turn; one without, as a
person writes it, only outside of fences; a fence that a turn leaves open ends with the turn.  What is before the first
heading, behind the front matter, is what the person says, if there are no turns.  Headings of a person's own with
nothing between them are one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from palimpsest.conversations.refs.fences import after
from palimpsest.conversations.transcript.marks import BESIDE, read_heading, unescaped
from palimpsest.text.conversations import MARK

_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})(.*)$")
_FIELD = re.compile(r"^([a-z_]+):[ \t]*(.*?)[ \t]*$")
_LONGEST_FRONT = 100
"""Lines."""


@dataclass(frozen=True, slots=True)
class DocumentTurn:
    """Lines are 0-based and half-open: the (first) heading is line `start`, its text the lines `text_start..text_end`,
    what the server adds the lines up to `end`.  `id`: the turn's number, None for one that is not kept yet."""

    role: str
    id: int | None
    text: str
    start: int
    text_start: int
    text_end: int
    end: int


@dataclass(frozen=True, slots=True)
class Transcript:
    """`front_end` is the line behind the front matter; 0 without one."""

    front: Mapping[str, str] = field(default_factory=dict)
    front_end: int = 0
    turns: Sequence[DocumentTurn] = ()

    @property
    def id(self) -> str:
        return self.front.get("id", "")

    def turn(self, number: int) -> DocumentTurn | None:
        return next((turn for turn in self.turns if turn.id == number), None)


def parse(text: str) -> Transcript:
    lines = text.removeprefix(MARK).replace("\r\n", "\n").replace("\r", "\n").split("\n")
    front, front_end = _front(lines)
    starts, fence = list[tuple[int, str, int | None]](), ""
    for number in range(front_end, len(lines)):
        line = lines[number]
        found = read_heading(line)
        if found is not None and (found[1] is not None or not fence):
            starts.append((number, *found))
            fence = ""
        elif line.rstrip() == BESIDE:
            fence = ""
        else:
            fence = _fence_after(fence, line)
    if not starts and any(line.strip() for line in lines[front_end:]):
        starts = [(front_end, "user", None)]
    ends = [start for start, _, _ in [*starts, (len(lines), "", None)][1:]]
    turns, first = list[DocumentTurn](), 0
    for at, ((start, role, turn), end) in enumerate(zip(starts, ends, strict=True)):
        is_own = [its_role == "user" and its_number is None for _, its_role, its_number in starts[at : at + 2]]
        if is_own == [True, True] and not any(line.strip() for line in lines[start + 1 : end]):
            continue
        turns.append(_turn(lines, starts[first][0], start, role, turn, end))
        first = at + 1
    return Transcript(front, front_end, tuple(turns))


def _turn(lines: Sequence[str], first: int, start: int, role: str, number: int | None, end: int) -> DocumentTurn:
    """`first`: its first heading; `start`: the one that its text stands below."""
    begin = start + 1 if read_heading(lines[start]) is not None else start
    beside = next((at for at in range(begin, end) if lines[at].rstrip() == BESIDE), end)
    text_start, text_end = begin, beside
    while text_start < text_end and not lines[text_start].strip():
        text_start += 1
    while text_end > text_start and not lines[text_end - 1].strip():
        text_end -= 1
    text = unescaped("\n".join(lines[text_start:text_end]))
    return DocumentTurn(role, number, text, first, text_start, text_end, end)


def field_of(line: str) -> tuple[str, str] | None:
    """The name and the value of a line of front matter; None for a line of another kind."""
    found = _FIELD.match(line)
    return None if found is None else (found.group(1), found.group(2).strip("\"'"))


def _front(lines: Sequence[str]) -> tuple[dict[str, str], int]:
    if not lines or lines[0].rstrip() != "---":
        return {}, 0
    end = next((at for at, line in enumerate(lines[1:_LONGEST_FRONT], 1) if line.rstrip() == "---"), 0)
    return dict(filter(None, map(field_of, lines[1:end]))), end + 1 if end else 0


def _fence_after(fence: str, line: str) -> str:
    """The mark of the fence that is open behind the line; "" for none."""
    mark = _FENCE.match(line)
    return fence if mark is None else after(fence, mark.group(1), mark.group(2))
