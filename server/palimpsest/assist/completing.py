"""Inline completions at a cursor.

In: a document and where the cursor is.  Out: texts to insert there, trimmed.  Owner of what is on screen.
A stale answer is never given out: it is dropped when the document has moved on.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from palimpsest.assist.desk import Desk
from palimpsest.context.view import CursorView
from palimpsest.prompt.blocks import unescape_closing
from palimpsest.suggest.ghost import Ghost
from palimpsest.suggest.inline import trim
from palimpsest.syntax.parse import language_of
from palimpsest.text.snapshot import Position, Snapshot


@dataclass(frozen=True, slots=True)
class Completed:
    """Alternatives for one cursor, best first, each the text to insert there."""

    snapshot: Snapshot
    position: Position
    texts: tuple[str, ...]


class Completions:
    """One window's.  `refresh_soon` is called where blocks were left to the next pause."""

    def __init__(self, desk: Desk, refresh_soon: Callable[[], None]) -> None:
        self._desk = desk
        self._refresh_soon = refresh_soon
        self._ghost = Ghost()

    def forget(self) -> None:
        """The engine or its model is another one."""
        self._ghost.forget()

    def wanted(self, snapshot: Snapshot) -> bool:
        """Whether inline completion is on here."""
        options = self._desk.settings.completion
        return (
            options.enabled
            and snapshot.language_id not in options.disabled_languages
            and language_of(snapshot.language_id, snapshot.uri) is not None
        )

    async def at(self, snapshot: Snapshot, position: Position, n: int) -> Completed | None:
        """None: nothing worth showing, or overtaken by typing.  Raises EngineError when there is no engine to ask."""
        desk, uri = self._desk, snapshot.uri
        before, after = _around(snapshot, position)
        if left := self._ghost.remainders(uri, before, after):
            return Completed(snapshot, position, tuple(left))

        with desk.usage.spent("blocks"):
            view = desk.view(snapshot, position)
            blocks = desk.chooser.choose(view)
            multiline = self._multiline(view)
            request = desk.requests.completion(view, blocks, multiline, n)
        async with desk.supervisor.engine() as engine:
            answer = await desk.generate(engine, request, blocks)
        if answer.sync is not None and any(report.action == "deferred" for report in answer.sync.blocks):
            self._refresh_soon()

        if desk.documents.find(uri) is not snapshot:
            return None  # the person typed on: a stale answer is never shown
        texts = []
        for choice in answer.choices:
            text = trim(
                unescape_closing(choice.text, "editing"),
                prefix=view.editing.prefix,
                suffix=view.editing.suffix,
                multiline=multiline,
                language=view.parsed.language or "",
            )
            if text and text not in texts:
                texts.append(text)
        if not texts:
            return None
        self._ghost.show(uri, before, after, texts)
        return Completed(snapshot, position, tuple(texts))

    def _multiline(self, view: CursorView) -> bool:
        """Whole blocks are offered where the cursor's line is empty; elsewhere the rest of the statement."""
        choice = self._desk.settings.completion.multiline
        if choice != "auto":
            return choice == "always"
        line = view.editing.lines[view.editing.cursor_line].text
        return not line.strip()


def _around(snapshot: Snapshot, position: Position) -> tuple[str, str]:
    offset = snapshot.offset(position)
    return snapshot.text[:offset], snapshot.text[offset:]
