"""Pure: the turns of a conversation's document, as they stand there.

In: the document's text.  Out: a `Transcript`.  A heading with a turn's number always begins a turn; one without, as a
person writes it, only outside of fences; a fence that a turn leaves open ends with the turn.  What is before the first
heading, behind the front matter, is what the person says, if there are no turns.  Headings of a person's own with
nothing between them are one.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from palimpsest.conversations.transcript.writing import BESIDE, read_heading, unescaped
from palimpsest.documents.markdown import fences, front_matter, lines_of
from palimpsest.text.conversations import MARK


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
    lines = lines_of(text.removeprefix(MARK))
    fields, front_end = front_matter(text)
    starts = list[tuple[int, str, int | None]]()
    firm = (number for number in range(front_end, len(lines)) if _is_firm(lines[number]))
    for begin, end in pairwise([front_end, *firm, len(lines)]):
        heads = [(at, head) for at in range(begin, end) if (head := read_heading(lines[at])) is not None]
        is_sure = all(number is not None for _, (_, number) in heads)
        fenced = [] if is_sure else fences("\n".join(lines[begin:end]))
        code = {begin + line for fence in fenced for line in fence.lines}
        starts += [(at, *head) for at, head in heads if head[1] is not None or at not in code]
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
    front = {name: "".join(texts[:1]) for name, texts in fields.items()}
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


def _is_firm(line: str) -> bool:
    """Whether it is the server's, so that it ends whatever a text before it leaves open."""
    head = read_heading(line)
    return line.rstrip() == BESIDE or (head is not None and head[1] is not None)
