"""A window with a model made for next edits that writes what a test tells it to, and a clock that a test sets."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from palimpsest import wire
from palimpsest.config.settings import CompletionSettings, EngineSettings, NextEditSettings, Settings
from palimpsest.errors import PalimpsestError
from palimpsest.models.files import embedded
from palimpsest.next_edits.next_edits import NextEdit
from palimpsest.session.building import build
from palimpsest.session.session import Session
from palimpsest.text.snapshot import ContentChange, Position, Range, Snapshot
from palimpsest.text.uris import to_uri
from palimpsest.window.events import DocumentChanged, DocumentOpened, WindowClosing
from palimpsest.window.statistics import Statistics

CODE = "width = 1\nheight = 2\nprint(width)\nprint(height)\n"


@dataclass
class Model:
    """Writes what it is told to, or for a text of the window that is in `knows` what belongs to that; `asked` has the
    requests, `ended` those that were cancelled."""

    writes: str = ""
    knows: dict[str, str] = field(default_factory=dict)
    finish: str = "end"
    error: PalimpsestError | None = None
    asked: list[wire.GenerateRequest] = field(default_factory=list)
    ended: list[wire.GenerateRequest] = field(default_factory=list)
    free: asyncio.Event = field(default_factory=asyncio.Event)

    def for_next_edits(self) -> Model:
        return self

    async def generate(self, request: wire.GenerateRequest) -> Any:
        self.asked.append(request)
        try:
            await self.free.wait()
        except asyncio.CancelledError:
            self.ended.append(request)
            raise
        if self.error is not None:
            raise self.error
        current = asked_about(request)
        return SimpleNamespace(choices=[wire.Choice(self.knows.get(current, self.writes), self.finish, 1)])  # type: ignore[arg-type]


def asked_about(request: wire.GenerateRequest) -> str:
    """The lines that the model is to rewrite, in Sweep's format."""
    assert request.text is not None
    return request.text.text.rpartition("<|file_sep|>current/")[2].partition("\n")[2].partition("<|file_sep|>")[0]


class Window:
    def __init__(self, root: Path, session: Session) -> None:
        self.root, self.session, self.model = root, session, Model()
        self.model.free.set()
        self.now = 1000.0
        session.services.statistics = Statistics(None)
        target = session.services.supervisor.target

        @asynccontextmanager
        async def engine(timeout: float = 0.0) -> AsyncIterator[Model]:
            yield self.model

        status = SimpleNamespace(state="ready", model=None, safe_mode=False)
        session.services.supervisor = SimpleNamespace(target=target, engine=engine, status=status)  # type: ignore[assignment]

    def open(self, text: str = CODE, name: str = "shapes.txt") -> str:
        path = self.root / name
        path.write_bytes(text.encode())
        snapshot = Snapshot(to_uri(path), 1, "python" if name.endswith(".py") else "plaintext", text)
        self.session.events.emit(DocumentOpened(snapshot))
        return snapshot.uri

    def put(self, uri: str, line: int, column: int, text: str, *, taken: int = 0) -> None:
        self.change(uri, ContentChange(Range(Position(line, column), Position(line, column + taken)), text))

    def change(self, uri: str, change: ContentChange) -> None:
        old = self.session.documents.get(uri)
        new, edits = old.changed([change], old.version + 1)
        self.session.events.emit(DocumentChanged(old, new, edits))

    def make(self, edit: NextEdit) -> None:
        self.change(edit.snapshot.uri, ContentChange(edit.range, edit.text))

    def text(self, uri: str) -> str:
        return self.session.documents.get(uri).text

    def made(self, edit: NextEdit) -> str:
        """The document as it is with an edit made."""
        assert edit.snapshot is self.session.documents.get(edit.snapshot.uri)
        return edit.snapshot.changed([ContentChange(edit.range, edit.text)], 0)[0].text

    def asking(self, uri: str, line: int = 0) -> asyncio.Task[NextEdit | None]:
        return asyncio.create_task(self.next(uri, line))

    async def next(self, uri: str, line: int = 0, *, invoked: bool = False) -> NextEdit | None:
        return await self.session.next_edits.next(uri, Position(line, 0), invoked=invoked)

    async def until_asked(self, n: int = 1) -> None:
        """Until the model has been asked so often."""
        async with asyncio.timeout(60):
            while len(self.model.asked) < n:
                await asyncio.sleep(0.001)

    @property
    def why_not(self) -> str:
        return self.session.next_edits.why_not


async def within(answer: Coroutine[Any, Any, NextEdit | None]) -> NextEdit | None:
    """The answer, or an error where it has to be waited for long."""
    async with asyncio.timeout(60):
        return await answer


@asynccontextmanager
async def a_window(folder: Path, completion: CompletionSettings | None = None) -> AsyncIterator[Window]:
    second = folder / "models" / "sweep-next-edit-test.gguf"
    second.parent.mkdir()
    shutil.copy(embedded(), second)
    (folder / "work").mkdir()
    settings = Settings(
        engine=EngineSettings(),
        next_edit=NextEditSettings(model=str(second)),
        completion=completion or CompletionSettings(),
    )
    session = build(settings, (folder / "work",), lambda: window.now)
    window = Window(folder / "work", session)
    yield window
    session.events.emit(WindowClosing())
