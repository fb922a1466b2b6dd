"""What writing, appending or inserting does to a text.

In: the text before, what is to be written and how.  Out: a change of a document, as an editor applies it, or the text
after.  Knows no file.

What is written takes the text's own line ends.  Whole lines begin on a line of their own, what is inserted between
lines ends with one; what is appended and ends within a line is added as it is.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, get_args

from palimpsest.errors import AlreadyExists, InvalidArgument, NotFound, OutOfRange
from palimpsest.text.amounts import amount
from palimpsest.text.snapshot import ContentChange, Position, Range, Snapshot
from palimpsest.workspace.places import FIELD

Mode = Literal["write", "append", "insert"]
MODES: tuple[Mode, ...] = get_args(Mode)
_LINE_END = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True, slots=True)
class FileWrite:
    """A text that is to be written to a file.  `insert_at_line` is the line, from 1, that it becomes; the line after
    the last one appends.  `overwrite`: what is in the file may be replaced.  `may_replace` raises InvalidArgument for
    what may not be, and parses code."""

    path: str
    text: str
    mode: Mode = "write"
    insert_at_line: int | None = None
    overwrite: bool = False
    may_replace: Callable[[str], None] | None = None

    def check(self) -> None:
        """Raises InvalidArgument for a mode that is none, and for a line that does not go with it."""
        if self.mode not in MODES:
            raise InvalidArgument("mode", f"expected one of {', '.join(MODES)}, got {self.mode!r}.")
        if self.mode == "insert" and self.insert_at_line is None:
            raise InvalidArgument("insert_at_line", 'mode="insert" needs the line to insert at, from 1.')
        if self.mode != "insert" and self.insert_at_line is not None:
            raise InvalidArgument("insert_at_line", f'mode="{self.mode}" takes no line; use mode="insert".')

    def check_there(self, is_there: bool) -> None:
        """Raises NotFound where nothing is there to insert in, AlreadyExists where what is there may not be
        replaced."""
        if not is_there and self.mode == "insert":
            raise NotFound(FIELD, f"there is no file {self.path} to insert in.", hint='Use mode="write".')
        if is_there and self.mode == "write" and not self.overwrite:
            raise AlreadyExists(FIELD, f"{self.path} exists already.", hint="Say overwrite=true to replace it.")


def change(before: str, file: FileWrite) -> ContentChange:
    """Raises OutOfRange for a line that is not there, InvalidArgument for a mode that is none and for a text that may
    not be replaced."""
    file.check()
    text, mode, insert_at_line = file.text, file.mode, file.insert_at_line
    document = Snapshot("", 0, "", before)
    written = with_line_ends(text, document)
    end = document.position(len(before))
    if mode == "write":
        if file.may_replace is not None:
            file.may_replace(before)
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


def changed(before: str, file: FileWrite) -> str:
    """The text after `change`."""
    document, _ = Snapshot("", 0, "", before).changed([change(before, file)], 1)
    return document.text


def with_line_ends(text: str, document: Snapshot) -> str:
    """A text with the line ends of a document that has more than one line; else as it is."""
    return _LINE_END.sub(lambda _: document.line_end, text) if document.line_count > 1 else text


def n_lines(text: str) -> int:
    """Lines, of which the last may have no line end."""
    return len(_LINE_END.findall(text)) + bool(text and text[-1] not in "\r\n")


def _ended(text: str, line_end: str) -> str:
    return text if not text or text[-1] in "\r\n" else text + line_end
