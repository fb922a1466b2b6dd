"""The story: from the cursor to a suggestion.

    document → scope → blocks → plan → arena → decode → suggestion

In: what an editor says (opened, changed, cursor at, complete here, suggest here).  Out: completions and checked
suggestions.  `complete` and `suggest` tell it from top to bottom; every other file is a room they pass through.
Knows no LSP, no token, no prompt format and no cache.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from palimpsest import wire
from palimpsest.context.chooser import Chooser
from palimpsest.context.editing import editing_at
from palimpsest.context.view import CursorView
from palimpsest.engines.protocol import Engine
from palimpsest.engines.supervise import Supervisor
from palimpsest.errors import EngineError, InvalidArgument
from palimpsest.pause import Pause
from palimpsest.prompt.blocks import unescape_closing
from palimpsest.requests import Requests, whole_prompt
from palimpsest.settings import Settings
from palimpsest.suggest.check import Document, agreed, checked
from palimpsest.suggest.ghost import Ghost
from palimpsest.suggest.inline import trim
from palimpsest.suggest.lndiff import read
from palimpsest.suggest.shown import shown_blocks
from palimpsest.syntax.parse import Parser, language_of, parse_text
from palimpsest.syntax.scopes import scope_at
from palimpsest.text.documents import Documents
from palimpsest.text.roots import Roots
from palimpsest.text.snapshot import InputEdit, Position, Snapshot, moved
from palimpsest.types import Block, BlockKey, Reading
from palimpsest.usage import Usage

LOADING_S = 60.0
"""Someone who asks for an edit waits for a model that is being loaded; a keystroke never does."""


@dataclass(frozen=True, slots=True)
class Completed:
    """Alternatives for one cursor, best first, each the text to insert there."""

    snapshot: Snapshot
    position: Position
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Suggested:
    """What a request for edits came to; every suggestion applies to the version in it."""

    reading: Reading
    replies: int


@dataclass(frozen=True, slots=True)
class Shown:
    """What `palimpsest.context.show` tells: the view, the chosen blocks, and what the engine has of them."""

    view: CursorView
    blocks: list[Block]
    tokens: dict[BlockKey, int]
    reports: dict[BlockKey, wire.BlockReport]
    stored: frozenset[str]

    @property
    def prompt(self) -> str:
        return whole_prompt(self.view, self.blocks)


class Session:
    """One editor window's work.  Lives on one asyncio loop; nothing here blocks it for long."""

    def __init__(
        self,
        *,
        settings: Settings,
        roots: tuple[Path, ...],
        workspace: str,
        supervisor: Supervisor,
        chooser: Chooser,
        documents: Documents,
        parser: Parser,
        usage: Usage,
    ) -> None:
        self.settings = settings
        self.roots = Roots(roots)
        self.workspace = workspace
        self.documents = documents
        self.chooser = chooser
        self.usage = usage
        self._supervisor = supervisor
        self._requests = Requests(workspace, settings)
        self._parser = parser
        self._ghost = Ghost()
        self._cursor: tuple[str, Position] | None = None
        self._pause = Pause(self.refresh, usage)

    # What the editor says -------------------------------------------------------------------------------------

    def opened(self, snapshot: Snapshot) -> None:
        self._parser.forget(snapshot.uri)
        self.documents.put(snapshot)

    def changed(self, new: Snapshot, edits: Sequence[InputEdit]) -> None:
        old = self.documents.find(new.uri)
        self.documents.put(new)
        if old is not None and language_of(new.language_id, new.uri):
            with self.usage.spent("parse"):
                self._parser.update(old, new, edits)
        if self._cursor is not None and self._cursor[0] == new.uri:
            if old is not None:
                self._cursor = new.uri, moved(self._cursor[1], old, new, edits)
            self.refresh_soon()

    def closed(self, uri: str) -> None:
        self.documents.close(uri)
        self._parser.forget(uri)
        self.chooser.forget(uri)
        if self._cursor is not None and self._cursor[0] == uri:
            self._cursor = None

    def cursor_at(self, uri: str, position: Position) -> None:
        """The person is here now; context for it is prepared on the next pause."""
        self._cursor = (uri, position)
        self.refresh_soon()

    def files_changed(self, uris: Sequence[str]) -> None:
        """Something was saved, or changed on disk behind the editor."""
        self.chooser.files_changed(uris)
        self.refresh_soon()

    def pin(self, uri: str) -> tuple[str, int]:
        """Hold a file in the context.  Raises InvalidArgument or OutsideWorkspace for one that may not be read."""
        block = self.chooser.pin(uri, self.roots.folders)
        self.refresh_soon()
        return block.name, self.chooser.count(block)

    def unpin(self, uri: str) -> tuple[str, int]:
        """Raises InvalidArgument for a file that is not pinned."""
        name = self.roots.place(uri)[1]
        if not self.chooser.board.unpin(uri):
            pins = ", ".join(self.chooser.board.pins) or "nothing"
            raise InvalidArgument("uri", f"{uri} is not pinned; {pins} is.")
        self.refresh_soon()
        return name, 0

    def refresh_soon(self) -> None:
        self._pause.soon()

    # The story ------------------------------------------------------------------------------------------------

    async def complete(self, uri: str, position: Position, *, n: int = 1) -> Completed | None:
        """Inline completions at the cursor, or None: off here, nothing worth showing, or overtaken by typing.

        Raises EngineError when there is no engine to ask.
        """
        snapshot = self.documents.get(uri)
        if not self._wants_completion(snapshot):
            return None
        self._cursor = (uri, position)
        before, after = _around(snapshot, position)
        if left := self._ghost.remainders(uri, before, after):
            return Completed(snapshot, position, tuple(left))

        with self.usage.spent("blocks"):
            view = self.view(snapshot, position)
            blocks = self.chooser.choose(view)
            multiline = self._multiline(view)
            request = self._requests.completion(view, blocks, multiline, n)
        async with self._supervisor.engine() as engine:
            answer = await self._generate(engine, request, blocks)
        if answer.sync is not None and any(report.action == "deferred" for report in answer.sync.blocks):
            self.refresh_soon()

        if self.documents.find(uri) is not snapshot:
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

    async def suggest(self, uri: str, position: Position, *, instruction: str = "", n: int = 1) -> Suggested:
        """Edits of the code at the cursor, read and checked; each applies to the document as it is on return.

        Raises EngineError when the engine cannot answer.
        """
        snapshot = self.documents.get(uri)
        view = self.view(snapshot, position)
        blocks = self.chooser.choose(view, fresh=True)
        async with self._supervisor.engine(LOADING_S) as engine:
            return await self._suggest_with(engine, view, blocks, instruction, n)

    async def _suggest_with(
        self, engine: Engine, view: CursorView, blocks: Sequence[Block], instruction: str, n: int
    ) -> Suggested:
        instructions = await self._with_instructions(engine)
        # A model that is told the format may edit other blocks, too; a small one keeps to the editing block.
        versions = {document.uri: document.version for document in self.documents}
        shown = shown_blocks(view.editing, blocks if instructions else (), versions)
        made_for = {document.uri: document.lines for document in self.documents}
        made_for[view.uri] = view.parsed.snapshot.lines  # it may have moved on while the engine was awaited
        request = self._requests.suggestion(
            view, blocks, shown.values(), instruction=instruction, instructions=instructions, n=n
        )
        answer = await self._generate(engine, request, blocks)
        documents = {
            now.uri: Document(now.version, now.lines, self._error_counter(now), made_for.get(now.uri))
            for now in self.documents
        }
        self.documents.get(view.uri)  # closed meanwhile: InvalidArgument says so
        reading = agreed([checked(read(choice.text, shown), shown, documents) for choice in answer.choices])
        return Suggested(reading, len(answer.choices))

    def view(self, snapshot: Snapshot, position: Position) -> CursorView:
        """Document → scope → editing block.  Raises InvalidArgument for a language without a grammar."""
        if language_of(snapshot.language_id, snapshot.uri) is None:
            raise InvalidArgument("uri", f"no grammar for {snapshot.language_id!r}.", hint="Python is served so far.")
        parsed = self._parser.parse(snapshot)
        root, file = self.roots.place(snapshot.uri)
        editing = editing_at(parsed, position, file, self.settings.context.editing_tokens)
        scope = scope_at(parsed, position.line, position.column)
        return CursorView(
            parsed=parsed,
            scope=scope,
            editing=editing,
            position=position,
            file=file,
            roots=self.roots.folders,
            root=root,
            settings=self.settings.context,
        )

    async def refresh(self) -> None:
        """Gather context for the last cursor and have it decoded, ahead of the next keystroke; then what stands
        around the cursor, so that of a keystroke only what is typed is left to decode."""
        if self._cursor is None or (snapshot := self.documents.find(self._cursor[0])) is None:
            return
        view = self.view(snapshot, self._cursor[1])
        known = self.chooser.revision
        blocks = self.chooser.choose(view, fresh=True)
        engine = await self._supervisor.ready()
        self._note(blocks, await engine.sync(self._requests.sync(blocks, "background")))
        if await self.chooser.knows_more_than(known) and self.documents.find(snapshot.uri) is snapshot:
            blocks = self.chooser.choose(view, fresh=True)
            self._note(blocks, await engine.sync(self._requests.sync(blocks, "background")))
        model = self._supervisor.status.model
        if model is not None and model.fim_layout and self._wants_completion(snapshot):
            self.usage.warmed(await engine.generate(self._requests.warm_up(view)))

    async def show(self, uri: str, position: Position) -> Shown:
        """The context for a cursor as it is chosen now, after waiting a moment for sources that are still reading."""
        snapshot = self.documents.get(uri)
        view = self.view(snapshot, position)
        blocks = await self.chooser.settled(view)
        stored: frozenset[str] = frozenset()
        with suppress(EngineError):
            engine = await self._supervisor.ready()
            stored = frozenset((await engine.cache_map(self.workspace)).stored)
        reports = {block.key: report for block in blocks if (report := self.usage.report_of(block)) is not None}
        return Shown(view, blocks, {block.key: self.chooser.count(block) for block in blocks}, reports, stored)

    async def engine(self) -> Engine:
        """The engine, for what is about the cache itself.  Raises EngineError when there is none."""
        return await self._supervisor.ready()

    async def restart_engine(self) -> None:
        await self._supervisor.restart()
        self._ghost.forget()
        self.usage.reset()
        self.refresh_soon()

    async def reset_cache(self) -> None:
        engine = await self._supervisor.ready()
        await engine.reset(self.workspace)
        self._ghost.forget()
        self.usage.reset()

    async def aclose(self) -> None:
        self._pause.cancel()
        self.chooser.close()
        with suppress(EngineError):
            await (await self._supervisor.ready()).close_workspace(self.workspace)
        await self._supervisor.aclose()

    # Parts ----------------------------------------------------------------------------------------------------

    async def _generate(
        self, engine: Engine, request: wire.GenerateRequest, blocks: Sequence[Block]
    ) -> wire.GenerateAnswer:
        with self.usage.busy(), self.usage.spent("engine"):
            answer = await engine.generate(request)
        if answer.sync is not None:
            self._note(blocks, answer.sync)
        self.usage.generated(answer)
        return answer

    def _error_counter(self, snapshot: Snapshot) -> Callable[[str], int]:
        language = language_of(snapshot.language_id, snapshot.uri)
        return lambda text: parse_text(text, language).n_errors

    def _note(self, blocks: Sequence[Block], answer: wire.SyncAnswer) -> None:
        self.usage.synced(answer, blocks)
        self.chooser.counted({BlockKey(r.key): r.tokens for r in answer.blocks}, blocks)

    def _wants_completion(self, snapshot: Snapshot) -> bool:
        options = self.settings.completion
        return (
            options.enabled
            and snapshot.language_id not in options.disabled_languages
            and language_of(snapshot.language_id, snapshot.uri) is not None
        )

    def _multiline(self, view: CursorView) -> bool:
        """Whole blocks are offered where the cursor's line is empty; elsewhere the rest of the statement."""
        choice = self.settings.completion.multiline
        if choice != "auto":
            return choice == "always"
        line = view.editing.lines[view.editing.cursor_line].text
        return not line.strip()

    async def _with_instructions(self, engine: Engine) -> bool:
        choice = self.settings.suggestion.instructions
        if choice != "auto":
            return choice == "always"
        return (await engine.model()).chat_template


def _around(snapshot: Snapshot, position: Position) -> tuple[str, str]:
    offset = snapshot.offset(position)
    return snapshot.text[:offset], snapshot.text[offset:]
