"""Suggestions: edits of the code at a cursor, read and checked.

In: a document, where the cursor is, what the person asked for.  Out: edits that apply to the documents as they are
when they are given out, and what was refused, with its reason.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from palimpsest.assist.desk import LOADING_S, Desk
from palimpsest.context.view import CursorView
from palimpsest.engines.protocol import Engine
from palimpsest.suggest.check import agreed, checked
from palimpsest.suggest.lndiff import read
from palimpsest.suggest.shown import shown_blocks
from palimpsest.text.snapshot import Position
from palimpsest.types import Block, Reading


@dataclass(frozen=True, slots=True)
class Suggested:
    """What a request for edits came to; every suggestion applies to the version in it."""

    reading: Reading
    replies: int


class Suggestions:
    """One window's."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def at(self, uri: str, position: Position, *, instruction: str = "", n: int = 1) -> Suggested:
        """Raises EngineError when the engine cannot answer, InvalidArgument for a document that is not open."""
        desk = self._desk
        view = desk.view(desk.documents.get(uri), position)
        blocks = desk.chooser.choose(view, fresh=True)
        async with desk.supervisor.engine(LOADING_S) as engine:
            return await self._with(engine, view, blocks, instruction, n)

    async def _with(
        self, engine: Engine, view: CursorView, blocks: Sequence[Block], instruction: str, n: int
    ) -> Suggested:
        desk = self._desk
        instructions = await self._with_instructions(engine)
        # A model that is told the format may edit other blocks, too; a small one keeps to the editing block.
        versions = {document.uri: document.version for document in desk.documents}
        shown = shown_blocks(view.editing, blocks if instructions else (), versions)
        made_for = {document.uri: document.lines for document in desk.documents}
        made_for[view.uri] = view.parsed.snapshot.lines  # it may have moved on while the engine was awaited
        request = desk.requests.suggestion(
            view, blocks, shown.values(), instruction=instruction, instructions=instructions, n=n
        )
        answer = await desk.generate(engine, request, blocks)
        documents = {now.uri: desk.document(now, made_for.get(now.uri)) for now in desk.documents}
        desk.documents.get(view.uri)  # closed meanwhile: InvalidArgument says so
        reading = agreed([checked(read(choice.text, shown), shown, documents) for choice in answer.choices])
        return Suggested(reading, len(answer.choices))

    async def _with_instructions(self, engine: Engine) -> bool:
        choice = self._desk.settings.suggestion.instructions
        if choice != "auto":
            return choice == "always"
        return (await engine.model()).chat_template
