"""Between LSP's types and ours.  The only place in this package that touches positions.

In and out: lsprotocol's types on one side, `text` and `types` on the other.  Knows no document store.
"""

from __future__ import annotations

from collections.abc import Iterable

from lsprotocol import types as lsp

from palimpsest.text.positions import PositionEncoding, column_to_units, halves, units_to_column
from palimpsest.text.snapshot import ContentChange, InputEdit, Position, Range, Snapshot
from palimpsest.types import LineEdit

TOP = lsp.Range(lsp.Position(0, 0), lsp.Position(0, 0))
"""The beginning of a document."""


def encoding_name(kind: lsp.PositionEncodingKind | str | None) -> PositionEncoding:
    match kind.value if isinstance(kind, lsp.PositionEncodingKind) else kind:
        case "utf-8":
            return "utf-8"
        case "utf-32":
            return "utf-32"
        case _:
            return "utf-16"  # LSP's default


def position_in(snapshot: Snapshot, position: lsp.Position, encoding: PositionEncoding) -> Position:
    """LSP's position as ours; one past the end of the line or the document is the end, as LSP says."""
    if position.line >= snapshot.line_count:
        return snapshot.position(len(snapshot.text))
    line = snapshot.lines[position.line]
    return Position(position.line, units_to_column(line, position.character, encoding))


def position_out(snapshot: Snapshot, position: Position, encoding: PositionEncoding) -> lsp.Position:
    line = snapshot.lines[position.line] if position.line < snapshot.line_count else ""
    return lsp.Position(position.line, column_to_units(line, position.column, encoding))


def range_out(snapshot: Snapshot, where: Range, encoding: PositionEncoding) -> lsp.Range:
    return lsp.Range(position_out(snapshot, where.start, encoding), position_out(snapshot, where.end, encoding))


def apply_changes(
    snapshot: Snapshot,
    version: int,
    changes: Iterable[lsp.TextDocumentContentChangeEvent],
    encoding: PositionEncoding,
) -> tuple[Snapshot, tuple[InputEdit, ...]]:
    """The next snapshot, and what tree-sitter has to be told.  Each change is against the text that the ones before
    it leave (LSP's rule), so they are converted one by one."""
    edits: list[InputEdit] = []
    for change in changes:
        one = ContentChange(None, change.text)
        if isinstance(change, lsp.TextDocumentContentChangePartial):
            one = _partial(snapshot, change, encoding)
        snapshot, made = snapshot.changed([one], version)
        edits.extend(made)
    return snapshot, tuple(edits)


def _partial(
    snapshot: Snapshot, change: lsp.TextDocumentContentChangePartial, encoding: PositionEncoding
) -> ContentChange:
    """A change between two positions.  One within a surrogate pair takes a half of the character and leaves the other
    where it was."""
    text = change.text
    start, end = (position_in(snapshot, at, encoding) for at in (change.range.start, change.range.end))
    if _within_pair(snapshot, change.range.start, start, encoding):
        text = halves(snapshot.lines[start.line][start.column])[0] + text
    if _within_pair(snapshot, change.range.end, end, encoding):
        text += halves(snapshot.lines[end.line][end.column])[1]
        end = Position(end.line, end.column + 1)
    return ContentChange(Range(start, end), text)


def _within_pair(snapshot: Snapshot, asked: lsp.Position, found: Position, encoding: PositionEncoding) -> bool:
    line = snapshot.lines[found.line]
    if encoding != "utf-16" or asked.line != found.line or found.column >= len(line):
        return False
    return column_to_units(line, found.column, encoding) < asked.character


def text_edit(snapshot: Snapshot, edit: LineEdit, encoding: PositionEncoding) -> lsp.TextEdit:
    """One line edit as LSP's: whole lines with the document's own line ends, also where the last line has none."""
    end_of_line = snapshot.line_end
    body = end_of_line.join(edit.lines)
    count = snapshot.line_count
    if edit.end < count:
        new_text = body + end_of_line if edit.lines else ""
        return lsp.TextEdit(lsp.Range(lsp.Position(edit.start, 0), lsp.Position(edit.end, 0)), new_text)
    last = position_out(snapshot, Position(count - 1, len(snapshot.lines[count - 1])), encoding)
    if edit.start >= count:  # after the last line, which has no line end
        return lsp.TextEdit(lsp.Range(last, last), end_of_line + body)
    if edit.lines or edit.start == 0:
        return lsp.TextEdit(lsp.Range(lsp.Position(edit.start, 0), last), body)
    before = position_out(snapshot, Position(edit.start - 1, len(snapshot.lines[edit.start - 1])), encoding)
    return lsp.TextEdit(lsp.Range(before, last), "")
