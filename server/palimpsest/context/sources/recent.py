"""`recent` blocks: pieces of code that the person worked with lately, and the last edits as small diffs.

In: a view, what the person did (`activity/`), the workspace's files.  Out: a block for each piece (`shop/cart.py
Cart.total`), editable since it is a range of its file, and for each edit (`shop/cart.py edit 3`).  A piece that the
editing block shows, or that is alike, is left out.  A file is asked for what may be shown of it each time: nothing of
one that has become secret or ignored meanwhile, or is gone.
"""

from collections.abc import Iterator, Sequence

from palimpsest.context.activity.activity import Activity
from palimpsest.context.activity.chunks import Chunk, similarity
from palimpsest.context.activity.edits import Edit
from palimpsest.context.estimate import head
from palimpsest.context.sources.cached import ReadFiles
from palimpsest.context.sources.source import Source, is_among
from palimpsest.context.values import Distance, worth
from palimpsest.context.view import CursorView
from palimpsest.text.uris import path_or_none
from palimpsest.types import Block
from palimpsest.workspace.files import WorkspaceFiles

MOST_CHUNKS = 4
MOST_EDITS = 6
MAX_TOKENS = 120
"""One edit takes at most this many tokens."""
ALIKE = 0.5
"""A piece that is more like the editing block than this says little that the editing block does not."""


class RecentSource(Source):
    name = "recent"
    setting = "recent"

    def __init__(self, files: WorkspaceFiles, read: ReadFiles, activity: Activity) -> None:
        self._files = files
        self._read = read
        self._activity = activity

    def candidates(self, view: CursorView) -> list[Block]:
        chunks = list(self._chunks(view))[:MOST_CHUNKS]
        edits = list(self._edits(view))[:MOST_EDITS]
        return [*edits, *chunks]

    def still_valid(self, block: Block, view: CursorView) -> bool:
        """While a piece is in its file, and an edit is one of those kept."""
        return is_among(block, (*self._edits(view), *self._chunks(view)))

    def _chunks(self, view: CursorView) -> Iterator[Block]:
        visible = [line.text for line in view.editing.lines]
        for newer, chunk in enumerate(self._activity.chunks):
            name, lines = self._lines_of(view, chunk.uri)
            place = chunk.place(lines) if lines else None
            if place is None or (chunk.uri == view.uri and not view.shown_lines.isdisjoint(place)):
                continue
            if similarity(chunk.lines, visible) <= ALIKE:
                yield self._chunk(view, chunk, name, place, newer)

    def _chunk(self, view: CursorView, chunk: Chunk, name: str, place: range, newer: int) -> Block:
        lines = head(chunk.lines, view.settings.block_tokens)
        part = f", part {chunk.part}" if chunk.part > 1 else ""
        return Block(
            "recent",
            " ".join(filter(None, (name, chunk.name))) + part,
            "\n".join(lines),
            worth("recent", "file" if chunk.uri == view.uri else "elsewhere", newer=newer),
            editable=True,
            uri=chunk.uri,
            source=self.name,
            lines=tuple(place)[: len(lines)],
        )

    def _edits(self, view: CursorView) -> Iterator[Block]:
        """The nearest first, and of those equally near the newest."""
        near = {"function": 0, "file": 1, "elsewhere": 2}
        ranked = sorted(((near[_distance(view, edit)], edit) for edit in self._activity.edits), key=lambda it: it[0])
        for newer, (_, edit) in enumerate(ranked):
            name, lines = self._lines_of(view, edit.uri)
            if lines:
                yield self._edit(view, edit, name, newer)

    def _edit(self, view: CursorView, edit: Edit, name: str, newer: int) -> Block:
        text = "\n".join(head(edit.diff, min(MAX_TOKENS, view.settings.block_tokens)))
        value = worth("edit", _distance(view, edit), newer=newer)
        return Block("recent", f"{name} edit {edit.number}", text, value, uri=edit.uri, source=self.name)

    def _lines_of(self, view: CursorView, uri: str) -> tuple[str, Sequence[str]]:
        """A document's name and its lines as they are now; no lines if a block may contain nothing of it."""
        path = path_or_none(uri)
        root = self._files.root_of(path) if path is not None else None
        if path is None or root is None:
            return "", ()
        return path.relative_to(root).as_posix(), self._read.lines(path)


def _distance(view: CursorView, edit: Edit) -> Distance:
    if edit.uri != view.uri:
        return "elsewhere"
    is_file = view.scope.kind == "file"
    return "file" if is_file or not view.scope.start_line <= edit.line < view.scope.end_line else "function"
