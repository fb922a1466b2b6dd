"""An editor's positions in a document: a line, and units of the negotiated encoding in it.

In: a snapshot, such a position as its two numbers, a `PositionEncoding`.  Out: our `Position`, and back; an editor's
change of a text.  The rules are LSP's, which other protocols share.
"""

from palimpsest.text.positions import PositionEncoding, column_to_units, halves, units_to_column
from palimpsest.text.snapshot import ContentChange, Position, Range, Snapshot

EditorPosition = tuple[int, int]
"""A line, and the units before the position in it; both from 0."""


def position_of(snapshot: Snapshot, at: EditorPosition, encoding: PositionEncoding) -> Position:
    """One past the end of the line or the document is the end, as LSP says."""
    line, units = at
    if line >= snapshot.line_count:
        return snapshot.position(len(snapshot.text))
    return Position(line, units_to_column(snapshot.lines[line], units, encoding))


def editor_position(snapshot: Snapshot, position: Position, encoding: PositionEncoding) -> EditorPosition:
    line = snapshot.lines[position.line] if position.line < snapshot.line_count else ""
    return position.line, column_to_units(line, position.column, encoding)


def change_between(
    snapshot: Snapshot, start: EditorPosition, end: EditorPosition, text: str, encoding: PositionEncoding
) -> ContentChange:
    """A change between two positions.  One within a surrogate pair takes a half of the character and leaves the other
    where it was."""
    first, last = (position_of(snapshot, at, encoding) for at in (start, end))
    if _within_pair(snapshot, start, first, encoding):
        text = halves(snapshot.lines[first.line][first.column])[0] + text
    if _within_pair(snapshot, end, last, encoding):
        text += halves(snapshot.lines[last.line][last.column])[1]
        last = Position(last.line, last.column + 1)
    return ContentChange(Range(first, last), text)


def _within_pair(snapshot: Snapshot, asked: EditorPosition, found: Position, encoding: PositionEncoding) -> bool:
    line = snapshot.lines[found.line]
    if encoding != "utf-16" or asked[0] != found.line or found.column >= len(line):
        return False
    return column_to_units(line, found.column, encoding) < asked[1]
