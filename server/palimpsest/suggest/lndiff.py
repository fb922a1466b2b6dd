"""Read a reply in the ln-diff format: line operations by suggestion, as the model wrote them.

In: the reply's text and the blocks that were shown.  Out: a `Reply` of operations, each naming a shown number or not:
whether they can be applied is decided in `check.py`.  This room knows no document.

The format is FORMATS.md's, "ln-diff"; reading is lenient, and what cannot be read is named, never guessed at.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from palimpsest.suggest.shown import ShownBlock
from palimpsest.suggest.tags import attributes, closing, opening, unescape_closing
from palimpsest.types import CURSOR_MARKER

OPEN, CLOSE = opening("suggestion"), closing("suggestion")
SUMMARY = re.compile(r"<summary\s*>(.*?)(?:</summary\s*>|(?=<suggestion\b)|\Z)", re.DOTALL)
NEXT_ELEMENT = re.compile(r"^\s*<(?:suggestion\b[^\n]*|summary\s*)>", re.MULTILINE)
LAST_LINE_END = re.compile(r"\n[ \t]*\Z")
"""What stands between the last line and the closing tag."""

DELETE = re.compile(r"L(\d+)-(?:\s.*)?\Z")
INSERT = re.compile(r"L(\d+)\+ ?(.*)\Z")
REPLACE = re.compile(r"L(\d+)(?: (.*)|(\t.*))?\Z")
GUTTER = re.compile(r"L(\d+) (?!\s*(?:[-+*/%@&|^<>:]{0,2}=(?!=)))")
"""`L<n> ` at the head of inserted text, but not the target of an assignment: `L4 = 3` is code."""


@dataclass(frozen=True, slots=True)
class Operation:
    """`replace` line `number` by `text`, `insert` `text` after it (0: before the first line), or `delete` it."""

    kind: Literal["replace", "insert", "delete"]
    number: int
    text: str = ""


@dataclass(frozen=True, slots=True)
class Written:
    """One `<suggestion>` as written.  `complete` is False where the reply was cut off inside it; `problem` says
    why its form cannot be read, or is empty."""

    name: str
    operations: tuple[Operation, ...] = ()
    complete: bool = True
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Reply:
    written: tuple[Written, ...] = ()
    summary: str = ""


def read(reply: str, shown: Mapping[str, ShownBlock]) -> Reply:
    """The suggestions of a reply, in order, and its summary on one line.

    Anything outside the elements is ignored.  A reply that ends inside a suggestion keeps its complete lines.  Never
    raises: the worst reply is one without suggestions.
    """
    written, outside, position = list[Written](), list[str](), 0
    while head := OPEN.search(reply, position):
        outside.append(reply[position : head.start()])
        content, position, complete = _content(reply, head.end())
        written.append(_written(attributes(head[1]), content, complete, shown))
    outside.append(reply[position:])
    found = SUMMARY.search("".join(outside))
    summary = unescape_closing(" ".join(found[1].split()), "summary") if found else ""
    return Reply(tuple(written), summary)


def _content(reply: str, start: int) -> tuple[str, int, bool]:
    """(content, where reading goes on, whether the suggestion was finished)."""
    close = CLOSE.search(reply, start)
    other = NEXT_ELEMENT.search(reply, start)
    if other and (close is None or other.start() < close.start()):  # the closing tag was forgotten
        return reply[start : other.start()], other.start(), True
    if close:
        return reply[start : close.start()], close.end(), True
    whole_lines = reply.rfind("\n") + 1  # the last line may be half a line: dropped
    return reply[start : max(start, whole_lines)], len(reply), False


def _written(given: Mapping[str, str], content: str, complete: bool, shown: Mapping[str, ShownBlock]) -> Written:
    name = given.get("name", "")
    if not name:
        return Written("", complete=complete, problem="the suggestion does not name a block")
    block = shown.get(name)
    operations = list[Operation]()
    lines = LAST_LINE_END.sub("", content).split("\n") if content.strip() else []
    for raw in lines:
        line = raw.removesuffix("\r").replace(CURSOR_MARKER, "")
        operation = _numbered(line)
        if operation is None:
            if not operations:
                if not line.strip():
                    continue
                return Written(
                    name, complete=complete, problem=f"text stands before any line number: {line.strip()[:60]!r}"
                )
            last = operations[-1].number
            if block and line.strip() in block.unnumbered_after(last):
                continue  # the mark of a cut or an omitted body, copied
            operation = Operation("insert", last, line)
        operations.append(_cleaned(operation, block))
    return Written(name, tuple(_first_replaces(operations)), complete)


def _numbered(line: str) -> Operation | None:
    if found := DELETE.match(line):
        return Operation("delete", int(found[1]))
    if found := INSERT.match(line):
        return Operation("insert", int(found[1]), found[2])
    if found := REPLACE.match(line):
        return Operation("replace", int(found[1]), found[2] or found[3] or "")
    return None


def _cleaned(operation: Operation, block: ShownBlock | None) -> Operation:
    """Without a gutter that the model copied into the text, and with escaped closing tags restored."""
    text = operation.text
    gutter = GUTTER.match(text)
    if gutter and (operation.kind == "insert" or int(gutter[1]) == operation.number):
        text = text[gutter.end() :]
    for element in ("suggestion", *((block.element,) if block else ())):
        text = unescape_closing(text, element)
    return Operation(operation.kind, operation.number, text)


def _first_replaces(operations: list[Operation]) -> list[Operation]:
    """The same `L<n>` again: the first replaces, the others insert after it (also after its deletion)."""
    seen, result = set[int](), list[Operation]()
    for operation in operations:
        if operation.kind == "insert":
            result.append(operation)
        elif operation.kind == "replace" and operation.number in seen:
            result.append(Operation("insert", operation.number, operation.text))
        else:
            seen.add(operation.number)
            result.append(operation)
    return result
