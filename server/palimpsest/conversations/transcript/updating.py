"""Pure: a conversation's document brought up to date, with what a person wrote in it meanwhile left alone.

In: the document's text, turns that are new or have grown.  Out: its new text, and the lines that differ.
"""

import re
from collections.abc import Iterable, Mapping, Sequence

from palimpsest.conversations.transcript.reading import DocumentTurn, Transcript, parse
from palimpsest.conversations.transcript.writing import WrittenTurn, lines_of, turn_text
from palimpsest.documents.markdown import field_rows
from palimpsest.text.alike import ends_alike
from palimpsest.text.conversations import MARK
from palimpsest.types import LineEdit


def updated(text: str, turns: Iterable[WrittenTurn], *, goes_on: bool = False, is_sent: bool = False) -> str:
    """The document with each turn where its number stands; else in place of what the person wrote as it; else behind
    the last turn with a number.  `goes_on`: the person's next turn is begun, unless they have begun it.  `is_sent`:
    what the person said stood there; what they have written behind it since is their next turn."""
    for turn in turns:
        text = _with(text, turn, is_sent=is_sent)
    if goes_on and (not (known := parse(text).turns) or known[-1].role != "user" or known[-1].id is not None):
        text = f"{text.rstrip()}\n\n## user\n\n"
    return text


def rebuilt(text: str, turns: Iterable[WrittenTurn]) -> str:
    """The document with these turns in place of all that have a number, and behind them what the person is writing."""
    known = parse(text)
    own = known.turns[-1] if known.turns and known.turns[-1].id is None else None
    front = "\n".join(text.split("\n")[: known.front_end]).rstrip("\n")
    every = [*turns, WrittenTurn("user", None, own.text if own is not None and own.role == "user" else "")]
    return (f"{front}\n\n" if front else "") + "".join(turn_text(turn) for turn in every)


def with_front(text: str, front: Mapping[str, str]) -> str:
    """The document with these fields in place of those it has; what else stands in its front matter stays as it is."""
    mark = MARK if text.startswith(MARK) else ""
    known, lines = parse(text), text.removeprefix(MARK).split("\n")
    given = {name: value for name, value in front.items() if known.front.get(name) != value}
    rows = "\n".join(lines[1 : max(1, known.front_end - 1)])
    for row in field_rows({name: value for name, value in given.items() if name in known.front}):
        rows = _replaced(rows, row)
    new = {name: value for name, value in front.items() if name not in known.front}
    first = {name: new.pop(name) for name in ("id",) if name in new}  # editors look for it in the first lines
    body = "\n".join(lines[known.front_end :]).lstrip("\n")
    return mark + "\n".join(["---", *field_rows(first), *([rows] if rows else []), *field_rows(new), "---", "", body])


def unnumbered(text: str, first: int, last: int) -> str:
    """The document from turn `first` on as the person would write it, and without the turns behind turn `last`."""
    known, lines = parse(text).turns, text.split("\n")
    before = lines[: known[first].start]
    behind = "".join(turn_text(WrittenTurn(one.role, None, one.text)) for one in known[first : last + 1])
    return "\n".join([*before, behind])


def without(text: str, turn: DocumentTurn) -> str:
    """The text, in which the turn stands, without it."""
    lines = text.split("\n")
    return "\n".join([*lines[: turn.start], *lines[turn.end :]])


def line_edit(before: Sequence[str], after: str) -> LineEdit | None:
    """What leads from the lines to the text; None where they are the same."""
    now = tuple(after.split("\n"))
    if tuple(before) == now:
        return None
    start, end = ends_alike(before, now)
    return LineEdit(start, len(before) - end, now[start : len(now) - end])


def is_same(one: str, other: str) -> bool:
    """Whether two texts say the same: line ends and blanks around them do not count."""
    return lines_of(one).strip() == lines_of(other).strip()


def _replaced(rows: str, row: str) -> str:
    """The rows of a front matter with one in place of all that its field has."""
    name = row.partition(":")[0]
    return re.sub(rf"(?mi)^{name}[ \t]*:.*(?:\n(?:[ \t]|- ).*)*", lambda _: row, rows)


def _with(text: str, turn: WrittenTurn, *, is_sent: bool) -> str:
    known, lines = parse(text), text.split("\n")
    place = _place(known, turn)
    if place is not None:
        return _joined(lines[: place.start], [turn], lines[place.end :])
    if is_sent and (place := _typed_on(known, turn)) is not None:
        rest = place.text.strip().removeprefix(lines_of(turn.text).strip()).strip()
        return _joined(lines[: place.start], [turn, WrittenTurn("user", None, rest)], lines[place.end :])
    numbered = [one for one in known.turns if one.id is not None]
    at = numbered[-1].end if numbered else (known.turns[0].start if known.turns else len(lines))
    return _joined(lines[:at], [turn], lines[at:])


def _place(known: Transcript, turn: WrittenTurn) -> DocumentTurn | None:
    there = known.turn(turn.id) if turn.id is not None else None
    if there is not None:
        return there
    written = [one for one in known.turns if one.id is None and one.role == turn.role]
    return next((one for one in written if is_same(one.text, turn.text)), None)


def _typed_on(known: Transcript, turn: WrittenTurn) -> DocumentTurn | None:
    """The turn that the person wrote, and has written more in since."""
    text = lines_of(turn.text).strip()
    written = [one for one in known.turns if one.id is None and one.role == turn.role == "user"]
    return next((one for one in written if text and one.text.strip().startswith(text)), None)


def _joined(before: Sequence[str], turns: Sequence[WrittenTurn], behind: Sequence[str]) -> str:
    head = "\n".join(before).rstrip("\n")
    tail = "\n".join(behind).lstrip("\n")
    return (f"{head}\n\n" if head else "") + "".join(map(turn_text, turns)) + tail
