"""Pure: a conversation's document as it is written: front matter, turns, their calls and documents.

In: turns with what belongs to them.  Out: text that `reading.py` reads as the same turns.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from palimpsest.conversations.documents.reference import DocumentReference, problem_told
from palimpsest.documents.markdown import fence_mark, fences, field_rows

ROLES = ("user", "assistant", "system", "tool")
BESIDE = "<!-- calls and documents -->"
"""What is behind it, up to the next turn, is the server's: the text of the turn ends before."""
PLAIN_ID = re.compile(r"[\w.\-]{1,120}")
"""Ids of refs that are written as they are; others stand between backticks."""
_HEADING = re.compile(rf"^## ({'|'.join(ROLES)})[ \t]*(?:<!-- turn (\d{{1,18}}) -->)?[ \t]*$")
_LIKE = re.compile(rf"^\\*(?:## (?:{'|'.join(ROLES)})[ \t]*(?:<!-- turn \d{{1,18}} -->)?|{re.escape(BESIDE)})[ \t]*$")


def ref_link(id: str) -> str:
    """A ref's id as an editor finds it again."""
    return f"ref:{id}" if PLAIN_ID.fullmatch(id) and not id.endswith(".") else f"`ref:{id}`"


def heading(role: str, turn: int | None) -> str:
    return f"## {role} <!-- turn {turn} -->" if turn is not None else f"## {role}"


def read_heading(line: str) -> tuple[str, int | None] | None:
    """The role and the turn of a heading; None for any other line."""
    match = _HEADING.match(line)
    return None if match is None else (match.group(1), int(match.group(2)) if match.group(2) else None)


def escaped(text: str) -> str:
    """With a backslash before each line that looks like a heading of a turn, or what is behind one."""
    return "\n".join(f"\\{line}" if _LIKE.match(line) else line for line in text.split("\n"))


def unescaped(text: str) -> str:
    return "\n".join(line[1:] if line[:1] == "\\" and _LIKE.match(line) else line for line in text.split("\n"))


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
