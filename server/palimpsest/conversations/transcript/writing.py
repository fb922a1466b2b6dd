"""Pure: a conversation's document as it is written: front matter, turns, their calls and documents.

In: turns with what belongs to them.  Out: text that `reading.py` reads as the same turns.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from palimpsest.conversations.documents.reference import DocumentReference, problem_told
from palimpsest.conversations.transcript.marks import BESIDE, escaped, heading, ref_link
from palimpsest.documents.markdown import fence_mark, fences, field_rows

_CODE = re.compile(r"(`[^`]+`)")


@dataclass(frozen=True, slots=True)
class WrittenCall:
    name: str
    arguments: Mapping[str, Any]
    status: str
    result: str = ""


@dataclass(frozen=True, slots=True)
class WrittenCompaction:
    """Behind the turn: `summary` takes the place of all up to it, but for the turns `kept`."""

    summary: str
    written_by: str
    kept: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class WrittenTurn:
    role: str
    id: int | None
    text: str
    calls: Sequence[WrittenCall] = ()
    documents: Sequence[DocumentReference] = ()
    n_more_documents: int = 0
    refs: Sequence[str] = ()
    unfinished: str = ""
    problems: Sequence[str] = ()
    compacted: WrittenCompaction | None = None
    thought: str = ""


def written(front: Mapping[str, str], turns: Iterable[WrittenTurn]) -> str:
    """The whole document."""
    return front_matter(front) + "".join(turn_text(turn) for turn in turns)


def front_matter(front: Mapping[str, str]) -> str:
    return "\n".join(["---", *field_rows(front), "---", "", ""])


def turn_text(turn: WrittenTurn) -> str:
    """One turn, with an empty line behind it."""
    parts = [heading(turn.role, turn.id), escaped(lines_of(turn.text)), beside(turn)]
    return "".join(f"{part}\n\n" for part in parts if part)


def lines_of(text: str) -> str:
    """A turn's text as it stands in the document: line ends alike, none at either end."""
    return text.replace("\r\n", "\n").replace("\r", "\n").strip("\n")


def beside(turn: WrittenTurn) -> str:
    """What the model thought, calls and documents of a turn, why it is not finished, and what was compacted behind it;
    "" without any.  Behind a fence that the text leaves open the mark alone says where the turn ends."""
    parts = [folded("Thought", turn.thought)] if turn.thought else []
    parts += [" ".join(f"Not finished: {turn.unfinished}".split())] if turn.unfinished else []
    parts += [call_text(call) for call in turn.calls]
    if turn.refs:
        parts.append(f"Refs: {', '.join(map(ref_link, turn.refs))}")
    parts += [_code_as_it_is(problem) for problem in turn.problems]
    if turn.documents:
        parts.append(documents_text(turn.documents, turn.n_more_documents))
    if turn.compacted is not None:
        parts.append(compaction_text(turn.compacted))
    is_open = any(not one.is_closed for one in fences(lines_of(turn.text))[-1:])
    return "\n\n".join([BESIDE, *parts]) if parts or is_open else ""


def compaction_text(one: WrittenCompaction) -> str:
    beside_them = f", beside {', '.join(one.kept)} as said" if one.kept else ""
    head = f"Compacted ({one.written_by}): the model reads a summary of what stands above{beside_them}"
    return f"<details><summary>{head}</summary>\n\n{escaped(lines_of(one.summary))}\n\n</details>"


def call_text(call: WrittenCall) -> str:
    asked = " ".join(f"{call_written(call.name, call.arguments)}: {call.status}".split())
    return folded(_plain(asked), call.result, "xml")


def call_written(name: str, arguments: Mapping[str, Any]) -> str:
    given = ", ".join(f"{key}={json.dumps(value, ensure_ascii=False)}" for key, value in arguments.items())
    return f"{name}({given})"


def folded(head: str, text: str, language: str = "") -> str:
    """A text below a head, as it is, between fences that it cannot end."""
    fence = fence_mark(text)
    inner = f"{fence}{language}\n{escaped(lines_of(text))}\n{fence}\n\n" if text else ""
    return f"<details><summary>{head}</summary>\n\n{inner}</details>"


def _plain(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")


def _code_as_it_is(text: str) -> str:
    """Between backticks Markdown shows what stands there."""
    return "".join(part if at % 2 else _plain(part) for at, part in enumerate(_CODE.split(" ".join(text.split()))))


def documents_text(documents: Iterable[DocumentReference], n_more: int = 0) -> str:
    rows = ["Referenced documents:"]
    for one in documents:
        where = f" ({one.path})" if one.path is not None else f" ({problem_told(one.problem)})"
        rows.append(" ".join(f"- {one.wikilink}{where}{f': {one.summary}' if one.summary else ''}".split()))
    return "\n".join([*rows, *([f"- and {n_more} more"] if n_more else [])])
