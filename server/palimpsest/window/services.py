"""What every kind of help in a window works with: documents, the view of a cursor, its blocks, the engine.

In: the parts that `session/building.py` makes, and replaces when settings change.  Out: views, and the engine's
answers, counted.  Owners ask for a part each time they need it, because it may have been replaced.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from palimpsest import wire
from palimpsest.chat_templates.spoken import Spoken, heard, spoken
from palimpsest.config.settings import Settings
from palimpsest.context.activity.activity import Activity
from palimpsest.context.choice.chooser import Chooser
from palimpsest.context.editing.block import editing_at
from palimpsest.context.view import Cell, CursorView
from palimpsest.errors import EngineError
from palimpsest.index.workspace_index import WorkspaceIndex
from palimpsest.languages.embedded import parsed_at
from palimpsest.languages.registry import language_of
from palimpsest.providers.base.protocol import Engine, Scores, streamed
from palimpsest.providers.supervisor import Supervisor
from palimpsest.syntax.parse import Language, Parsed
from palimpsest.syntax.parser import Parser
from palimpsest.syntax.scopes import enclosing, file_scope, scope_at
from palimpsest.text.conversations import is_conversation
from palimpsest.text.documents import Documents
from palimpsest.text.notebooks import NotebookCell
from palimpsest.text.roots import Roots
from palimpsest.text.snapshot import Position, Snapshot
from palimpsest.types import Block, BlockKey
from palimpsest.window.events import (
    CacheForgotten,
    DocumentChanged,
    DocumentClosed,
    DocumentOpened,
    Events,
    FeatureSwitched,
    FilesChanged,
    RefreshNeeded,
)
from palimpsest.window.levels import Levels
from palimpsest.window.privacy import Privacy
from palimpsest.window.requests import Requests
from palimpsest.window.statistics import Statistics
from palimpsest.window.switches import Feature, Scope, Snooze, Switches
from palimpsest.window.usage import Usage

LOADING_S = 60.0
"""Someone who asks for an edit waits for a model that is being loaded; a keystroke never does."""


@dataclass
class Services:
    """One window's; everything here lives on one asyncio loop.  It hears of events before the owners do: documents,
    trees and privacy are up to date when they ask."""

    settings: Settings
    roots: Roots
    workspace: str
    documents: Documents
    parser: Parser
    chooser: Chooser
    activity: Activity
    supervisor: Supervisor
    requests: Requests
    usage: Usage
    statistics: Statistics
    switches: Switches
    index: WorkspaceIndex
    events: Events
    privacy: Privacy = field(init=False)
    levels: Levels = field(init=False)
    snooze: Snooze = field(init=False)

    def __post_init__(self) -> None:
        self.privacy = Privacy(lambda: self.settings, lambda: self.roots)
        self.levels = Levels(lambda: self.settings, lambda: self.roots, self.documents.find)
        self.snooze = Snooze(self.events)
        self.events.on(DocumentOpened, self._opened)
        self.events.on(DocumentClosed, self._closed)
        self.events.on(FilesChanged, self._files_changed)
        self.events.on(CacheForgotten, lambda _: self.usage.reset())

    def _opened(self, event: DocumentOpened) -> None:
        snapshot = event.snapshot
        self.roots.look_again()
        self.parser.forget(snapshot.uri)
        self.documents.put(snapshot)
        self.privacy.opened(snapshot, event.written or snapshot.uri)

    def document_changed(self, event: DocumentChanged) -> None:
        old, new = event.old, event.new
        before = self.privacy.why_not(old)
        self.documents.put(new, event.edits)
        if before != self.privacy.why_not(new):
            self.events.emit(FeatureSwitched())
        with self.usage.spent("parse"):
            self.parser.update(old, new, event.edits)

    def _closed(self, event: DocumentClosed) -> None:
        self.documents.close(event.uri, lost=event.lost)
        self.switches.closed(event.uri)
        self.privacy.closed(event.uri)
        self.parser.forget(event.uri)
        self.chooser.document_closed()

    def _files_changed(self, event: FilesChanged) -> None:
        self.chooser.files_changed()
        self.levels.look_again()
        self.roots.look_again()
        self.privacy.look_again()

    def toggle(self, feature: Feature, scope: Scope, uri: str, enabled: bool | None) -> bool:
        """Switch a feature on or off, to the other state where `enabled` is None; which it is now.  Raises
        InvalidArgument."""
        state = self.switches.toggle(feature, scope, uri, enabled)
        self.events.emit(FeatureSwitched())
        self.events.emit(RefreshNeeded())
        return state

    def why_off(self, snapshot: Snapshot, feature: Feature = "completion") -> str:
        """Why a feature is off in a document, in a person's words; "" where it is on."""
        if reason := self.privacy.why_not(snapshot):
            return f"off here, and so are suggestions: this document {reason}"
        if is_conversation(snapshot.uri, snapshot.lines):
            return "off in conversations"
        return self.switches.why_off(snapshot, feature)

    def view(self, snapshot: Snapshot, position: Position, *, hurried: bool = False) -> CursorView:
        """Document → scope → editing block.  `hurried`: nobody waits until half a statement in a large document has
        been understood.  Raises InvalidArgument for a document of which nothing is shown to a model."""
        self.privacy.check(snapshot)
        return self.view_of(self.parser.hurried(snapshot) if hurried else self.parser.parse(snapshot), position)

    def view_of(self, parsed: Parsed, position: Position) -> CursorView:
        """The view of a cursor in a text that is perhaps not the document's own; in code that is embedded there, of
        that."""
        snapshot, parsed = parsed.snapshot, parsed_at(parsed, position)
        root, file = self.roots.locate(snapshot.uri)
        cells = tuple[Cell, ...]()
        if (at := self.documents.notebooks.cell(snapshot.uri)) is not None:
            root, notebook = self.roots.locate(at.notebook)
            file = f"{notebook}, cell {at.index + 1}"
            cells = tuple(self._cells(at, notebook, parsed.language))
        editing = editing_at(parsed, position, file, self.settings.context.editing_tokens)
        around = enclosing(scope_at(parsed, position.line, position.column))
        scope = next(scope for scope in around if scope.has_body)
        if parsed.language.whole_file:
            scope = file_scope(parsed)
        return CursorView(
            parsed=parsed,
            scope=scope,
            editing=editing,
            position=position,
            file=file,
            roots=self.roots.folders,
            root=root,
            settings=self.settings.context,
            cells=cells,
            is_typing=self.documents.is_typed(snapshot, position.line),
        )

    def _cells(self, at: NotebookCell, notebook: str, language: Language) -> Iterator[Cell]:
        """The cells before the one at the cursor that are in its language."""
        for index, uri in enumerate(at.before):
            cell = self.documents.find(uri)
            if cell is None or self.privacy.why_not(cell):
                continue
            if language_of(cell.language_id, cell.uri) == language:
                yield Cell(f"{notebook}, cell {index + 1}", self.parser.parse(cell))

    async def model(self) -> wire.ModelInfo | None:
        """Waits until it is known which one there is; None where there is no engine."""
        with suppress(EngineError):  # whoever asks for an answer hears why there is no engine
            await self.supervisor.ready(LOADING_S)
        return self.supervisor.status.model

    async def generate(
        self,
        engine: Engine,
        request: wire.GenerateRequest,
        blocks: Sequence[Block],
        on_text: Callable[[Spoken], None] | None = None,
    ) -> wire.GenerateAnswer:
        """The engine's answer, thoughts apart; `blocks` are those that the request wants attached.  `on_text` gets what
        the first alternative says so far, each time there is more of it."""

        def came(text: str, thought: str) -> None:
            if on_text is not None:
                on_text(spoken(text, thought, is_whole=False))

        with self.usage.busy(), self.usage.spent("engine"):
            answer = await (streamed(engine, request, came) if on_text is not None else engine.generate(request))
        if answer.sync is not None:
            self.note(blocks, answer.sync)
        if request.chat is not None and request.chat.native is not None:
            with suppress(EngineError):  # what the server can do is asked beside the answer, which is there
                await self.supervisor.look_again()
        self.usage.generated(answer)
        return answer if request.fim is not None else heard(answer)

    async def score(self, engine: Scores, request: wire.ScoreRequest, blocks: Sequence[Block]) -> wire.ScoreAnswer:
        """How likely the engine finds lines; `blocks` are those that the request wants attached."""
        with self.usage.busy(), self.usage.spent("engine"):
            answer = await engine.score(request)
        if answer.sync is not None:
            self.note(blocks, answer.sync)
        self.usage.compared(answer)
        return answer

    def note(self, blocks: Sequence[Block], answer: wire.SyncAnswer) -> None:
        """Keep what the engine said of these blocks."""
        self.usage.synced(answer, blocks)
        self.chooser.counted({BlockKey.parse(report.key): report.tokens for report in answer.blocks}, blocks)
