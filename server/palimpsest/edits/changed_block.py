"""Pure: the block that a change touches most, with the change as an edit of it: what a model trained on edits can read.

In: a file before and after.  Out: the editing block of the old text, and its edits in the block's own lines.
"""

from collections.abc import Iterable, Iterator, Sequence

from palimpsest.context.editing.block import editing_at
from palimpsest.context.estimate import chars_for
from palimpsest.languages.registry import language_of
from palimpsest.prompt.summary import FileChange
from palimpsest.syntax.parse import parse_text
from palimpsest.syntax.scopes import scope_at
from palimpsest.text.snapshot import Position
from palimpsest.types import Editing, LineEdit


def changed_block(change: FileChange, max_tokens: int) -> tuple[Editing, tuple[LineEdit, ...]]:
    """The block of at most `max_tokens`, and edits of its shown lines that insert at most as much."""
    parsed = parse_text("\n".join(change.old), language_of("", change.file))
    sizes, places = dict[tuple[str, int], int](), dict[tuple[str, int], Position]()
    for edit in change.edits:
        line = max(0, min(edit.start, len(change.old) - 1))
        scope = scope_at(parsed, line, len(parsed.snapshot.lines[line]))
        key = scope.qualified_name, scope.start_line
        sizes[key] = sizes.get(key, 0) + edit.end - edit.start + len(edit.lines)
        places.setdefault(key, Position(line, len(parsed.snapshot.lines[line])))
    at = places[max(sizes, key=lambda key: sizes[key])]
    editing = editing_at(parsed, at, change.file, max_tokens)
    return editing, tuple(_bounded(_inside(editing, change.edits, is_new=not change.old), chars_for(max_tokens)))


def _inside(editing: Editing, edits: Sequence[LineEdit], *, is_new: bool) -> Iterator[LineEdit]:
    """The edits of lines that the block shows, as indexes of its lines."""
    if is_new:  # a file that was not there is shown as one empty line
        yield LineEdit(0, 1, edits[0].lines)
        return
    places = {line.document_line: i for i, line in enumerate(editing.lines) if line.document_line is not None}
    for edit in edits:
        if edit.start == edit.end:
            if edit.start in places:
                yield LineEdit(places[edit.start], places[edit.start], edit.lines)
            elif edit.start - 1 in places:
                yield LineEdit(places[edit.start - 1] + 1, places[edit.start - 1] + 1, edit.lines)
            continue
        run = list[int]()
        for line in range(edit.start, edit.end):
            if line in places and (not run or places[line] == run[-1] + 1):
                run.append(places[line])
        if run:
            yield LineEdit(run[0], run[-1] + 1, edit.lines)


def _bounded(edits: Iterable[LineEdit], room: int) -> Iterator[LineEdit]:
    for edit in edits:
        lines = list[str]()
        for line in edit.lines:
            room -= len(line) + 1
            if room < 0:
                break
            lines.append(line)
        yield LineEdit(edit.start, edit.end, tuple(lines))
