"""What a window notes of the person's edits: how they came about, what was accepted, nothing of what is kept back."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from palimpsest.config.settings import EngineSettings, Settings
from palimpsest.next_edits.events import EditEvent, events
from palimpsest.session.building import build
from palimpsest.session.session import Session
from palimpsest.text.snapshot import ContentChange, Position, Range, Snapshot
from palimpsest.text.uris import to_uri
from palimpsest.window.events import DocumentChanged, DocumentOpened, EditAccepted, WindowClosing

CODE = "def area(radius):\n    return radius * radius\n\n\ndef main():\n    print(area(1))\n"


class Window:
    def __init__(self, root: Path, session: Session) -> None:
        self.root, self.session = root, session

    def open(self, name: str, text: str = CODE) -> str:
        path = self.root / name
        path.write_text(text, encoding="utf-8")
        snapshot = Snapshot(to_uri(path), 1, "python", text)
        self.session.events.emit(DocumentOpened(snapshot))
        return snapshot.uri

    def put(self, uri: str, line: int, column: int, text: str, *, taken: int = 0) -> None:
        old = self.session.documents.get(uri)
        where = Range(Position(line, column), Position(line, column + taken))
        new, edits = old.changed([ContentChange(where, text)], old.version + 1)
        self.session.events.emit(DocumentChanged(old, new, edits))

    @property
    def told(self) -> list[EditEvent]:
        services = self.session.services
        return list(events(services.activity.edits, lambda snapshot: not services.privacy.why_not(snapshot)))


@pytest.fixture
async def window(tmp_path: Path) -> AsyncIterator[Window]:
    (tmp_path / ".palimpsestignore").write_text("hidden.py\n", encoding="utf-8")
    session = build(Settings(engine=EngineSettings(kind="none")), (tmp_path,))
    yield Window(tmp_path, session)
    session.events.emit(WindowClosing())


async def test_an_accepted_next_edit_is_marked(window: Window) -> None:
    uri = window.open("shapes.py")
    window.put(uri, 0, 4, "circle_area", taken=4)
    edit = await window.session.next_edits.next(uri, Position(0, 0))
    assert edit is not None
    assert [event.origin for event in window.told] == ["typed"]
    start = edit.range.start
    window.put(uri, start.line, start.column, edit.text, taken=edit.range.end.column - start.column)
    await window.session.next_edits.accept(edit.id)
    assert [event.origin for event in window.told] == ["typed", "accepted"]
    window.put(uri, 5, 0, "    x = 1\n")
    assert [event.origin for event in window.told] == ["typed", "accepted", "typed"]
    assert [event.is_open for event in window.told] == [False, False, True]


async def test_an_accepted_completion_is_marked(window: Window) -> None:
    uri = window.open("shapes.py")
    window.put(uri, 5, 0, "    x = ")
    window.put(uri, 5, 8, "area(2)")
    window.session.events.emit(EditAccepted(uri))
    assert [event.origin for event in window.told] == ["typed", "accepted"]


async def test_pastes_are_told_apart(window: Window) -> None:
    uri = window.open("shapes.py")
    window.put(uri, 3, 0, "x = 1\n" * 12)
    assert [event.origin for event in window.told] == ["pasted"]


async def test_nothing_of_what_a_model_may_not_see_is_told(window: Window) -> None:
    hidden = window.open("hidden.py")
    window.put(hidden, 0, 0, "x = 1\n")
    assert window.told == []
    keys = window.open("keys.py")
    window.put(keys, 0, 0, f"KEY = 'ghp_{'A1b2C3d4' * 5}'\n")
    assert window.told == []
    shown = window.open("shapes.py")
    window.put(shown, 0, 0, "x = 1\n")
    assert [event.after.uri for event in window.told] == [shown]
    (window.root / ".palimpsestignore").write_text("shapes.py\n", encoding="utf-8")
    window.session.services.privacy.look_again()
    assert window.told == []
