"""The texts of a session while it is replayed or recorded.

In: a trace's files and its events.  Out: each file's lines as they are now, and where the cursor is.
"""

from __future__ import annotations

from collections.abc import Mapping

from bench.traces.format import Cursor, Edit, Event, Open, Save
from palimpsest.errors import InvalidArgument
from palimpsest.text.positions import column_to_units, units_to_column


class Buffers:
    """`file`, `line`, `column` (code points) are the cursor's; `modified` are files with unsaved changes."""

    def __init__(self, files: Mapping[str, str]) -> None:
        self._files = files
        self._lines: dict[str, list[str]] = {}
        self._places: dict[str, tuple[int, int]] = {}
        self.file = ""
        self.modified: set[str] = set()

    @property
    def line(self) -> int:
        return self._places[self.file][0]

    @property
    def column(self) -> int:
        return self._places[self.file][1]

    def lines(self, file: str) -> list[str]:
        """Those of the file now; not to be changed."""
        if file not in self._lines:
            self._lines[file] = self._files.get(file, "").split("\n")
            self._places.setdefault(file, (0, 0))
        return self._lines[file]

    def text(self, file: str) -> str:
        return "\n".join(self.lines(file))

    def follow(self, event: Event) -> None:
        """Raises InvalidArgument for a place that the file does not have."""
        if isinstance(event, Open | Cursor | Edit | Save):
            self.lines(event.file)
        if isinstance(event, Open):
            self.file = event.file
        elif isinstance(event, Cursor):
            self.file = event.file
            self._places[event.file] = self._place(event.file, event.line, event.character)
        elif isinstance(event, Edit):
            self._edit(event)
        elif isinstance(event, Save):
            self.modified.discard(event.file)

    def units(self, file: str, line: int, column: int) -> int:
        """The trace's `character` of a column."""
        return column_to_units(self.lines(file)[line], column, "utf-16")

    def _edit(self, edit: Edit) -> None:
        lines = self.lines(edit.file)
        line, column = self._place(edit.file, edit.line, edit.character)
        end_line, end_column = self._place(edit.file, edit.end_line, edit.end_character)
        if (end_line, end_column) < (line, column):
            raise InvalidArgument("end_line", f"an edit of {edit.file} ends before it starts, in line {edit.line}.")
        behind = lines[end_line][end_column:]
        new = (lines[line][:column] + edit.text + behind).split("\n")
        lines[line : end_line + 1] = new
        self.file = edit.file
        self._places[edit.file] = (line + len(new) - 1, len(new[-1]) - len(behind))
        self.modified.add(edit.file)

    def _place(self, file: str, line: int, character: int) -> tuple[int, int]:
        lines = self.lines(file)
        if line >= len(lines):
            raise InvalidArgument("line", f"{file} has {len(lines)} lines, no line {line}.")
        return line, units_to_column(lines[line], character, "utf-16")
