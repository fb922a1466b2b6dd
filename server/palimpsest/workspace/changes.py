"""What writing, appending or inserting does to a text.

In: the text before, what is to be written and how.  Out: a change of a document, as an editor applies it, or the text
after.  Knows no file.

What is written takes the text's own line ends.  Whole lines begin on a line of their own, what is inserted between
lines ends with one; what is appended and ends within a line is added as it is.
"""

from __future__ import annotations

import re
from typing import Literal, get_args

from palimpsest.errors import InvalidArgument, OutOfRange
from palimpsest.text.amounts import amount
from palimpsest.text.snapshot import ContentChange, Position, Range, Snapshot

Mode = Literal["write", "append", "insert"]
MODES: tuple[Mode, ...] = get_args(Mode)
_LINE_END = re.compile(r"\r\n|\r|\n")


def change(before: str, text: str, mode: str, insert_at_line: int | None = None) -> ContentChange:
    """`insert_at_line` is the line, from 1, that the text becomes; the line after the last one appends.

    Raises OutOfRange for a line that is not there, InvalidArgument for a mode that is none.
    """
    check(mode, insert_at_line)
    document = Snapshot("", 0, "", before)
    written = with_line_ends(text, document)
    end = document.position(len(before))
    if mode == "write":
        return ContentChange(Range(Position(0, 0), end), written)
    last = document.line_count - (not document.lines[-1])  # what follows the last line end is no line if empty
    if mode == "append" and not text.endswith(("\r", "\n")):
        return ContentChange(Range(end, end), written)
    line = last + 1 if insert_at_line is None else insert_at_line
    if not 1 <= line <= last + 1:
        raise OutOfRange("insert_at_line", f"the file has {amount(last, 'line')}; give 1 to {last + 1}, not {line}.")
    if line <= last:
        at = Position(line - 1, 0)
        return ContentChange(Range(at, at), _ended(written, document.line_end))
    begun = document.line_end if document.lines[-1] else ""
    return ContentChange(Range(end, end), begun + written)


def changed(before: str, text: str, mode: str, insert_at_line: int | None = None) -> str:
    """The text after `change`."""
    document, _ = Snapshot("", 0, "", before).changed([change(before, text, mode, insert_at_line)], 1)
    return document.text


def check(mode: str, insert_at_line: int | None) -> None:
    if mode not in MODES:
        raise InvalidArgument("mode", f"expected one of {', '.join(MODES)}, got {mode!r}.")
    if mode == "insert" and insert_at_line is None:
        raise InvalidArgument("insert_at_line", 'mode="insert" needs the line to insert at, from 1.')
    if mode != "insert" and insert_at_line is not None:
        raise InvalidArgument("insert_at_line", f'mode="{mode}" takes no line; use mode="insert".')


def with_line_ends(text: str, document: Snapshot) -> str:
    """A text with the line ends of a document that has more than one line; else as it is."""
    return _LINE_END.sub(lambda _: document.line_end, text) if document.line_count > 1 else text


def n_lines(text: str) -> int:
    """Lines, of which the last may have no line end."""
    return len(_LINE_END.findall(text)) + bool(text and text[-1] not in "\r\n")


def _ended(text: str, line_end: str) -> str:
    return text if not text or text[-1] in "\r\n" else text + line_end
