"""Between LSP's types and ours.  The only place in this package that touches positions.

In and out: lsprotocol's types on one side, `text` and `types` on the other.  Knows no document store.
"""

from collections.abc import Iterable

from lsprotocol import types as lsp

from palimpsest.text.editor_positions import change_between, editor_position, position_of
from palimpsest.text.positions import PositionEncoding
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
    return position_of(snapshot, (position.line, position.character), encoding)


def position_out(snapshot: Snapshot, position: Position, encoding: PositionEncoding) -> lsp.Position:
    return lsp.Position(*editor_position(snapshot, position, encoding))


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
            start, end = ((at.line, at.character) for at in (change.range.start, change.range.end))
            one = change_between(snapshot, start, end, change.text, encoding)
        snapshot, made = snapshot.changed([one], version)
        edits.extend(made)
    return snapshot, tuple(edits)


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
