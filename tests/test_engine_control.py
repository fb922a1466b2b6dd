"""One window and its engine: what is done to the first model's cache is done to the second's."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from palimpsest.config.settings import EngineSettings, Settings
from palimpsest.errors import EngineLoading, InvalidArgument, ModelError, PalimpsestError
from palimpsest.providers.base.target import Target
from palimpsest.session.building import build
from palimpsest.session.session import Session
from palimpsest.window.events import WindowClosing

MODEL, SECOND = Path("model.gguf"), Path("sweep-next-edit.gguf")
ONE, BOTH = Target(MODEL, EngineSettings()), Target(MODEL, EngineSettings(), SECOND)


@dataclass
class Cache:
    """`error` is what it fails with."""

    error: PalimpsestError | None = None
    done: list[str] = field(default_factory=list)

    async def reset(self, workspace: str) -> None:
        self._note("reset")

    async def close_workspace(self, workspace: str) -> None:
        self._note("closed")

    def _note(self, what: str) -> None:
        if self.error is not None:
            raise self.error
        self.done.append(what)


class Started(Cache):
    def __init__(self, second: Cache) -> None:
        super().__init__()
        self.second = second

    def for_next_edits(self) -> Cache:
        return self.second


class Supervised:
    """The engine in use is `target`'s."""

    def __init__(self, target: Target) -> None:
        self.target = target
        self.second = Cache() if target.next_edit_model else Cache(InvalidArgument("path", "is not known."))
        self.engine = Started(self.second)
        self.left = False

    async def ready(self) -> Started:
        return self.engine

    async def restart(self, target: Target) -> None:
        self.target = target

    async def aclose(self) -> None:
        self.left = True


@pytest.fixture
async def session(tmp_path: Path) -> AsyncIterator[Session]:
    session = build(Settings(), (tmp_path,))
    yield session
    session.events.emit(WindowClosing())


def supervised(session: Session, target: Target) -> Supervised:
    made = Supervised(target)
    session.services.supervisor = made  # type: ignore[assignment]
    return made


async def moved(session: Session, monkeypatch: pytest.MonkeyPatch, target: Target) -> None:
    # no door: which files there are is the machine's
    monkeypatch.setattr("palimpsest.session.engine_control.target_of", lambda settings: target)
    session.engine.model_chosen()
    for _ in range(20):
        await asyncio.sleep(0)


async def test_a_reset_is_for_both_models(session: Session) -> None:
    used = supervised(session, BOTH)
    await session.engine.reset_cache()
    assert (used.engine.done, used.second.done) == (["reset"], ["reset"])


@pytest.mark.parametrize("error", [EngineLoading("is loaded."), ModelError("is none."), InvalidArgument("path", "no.")])
async def test_a_second_model_that_is_not_there_has_nothing_to_forget(session: Session, error: PalimpsestError) -> None:
    used = supervised(session, BOTH)
    used.second.error = error
    await session.engine.reset_cache()
    await session.engine.leave()
    assert used.engine.done == ["reset", "closed"]
    assert used.left


async def test_a_second_model_can_be_chosen_where_there_was_none(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    used = supervised(session, ONE)
    await moved(session, monkeypatch, BOTH)
    assert used.engine.done == ["closed"]
    assert used.target == BOTH


async def test_a_second_model_that_is_left_keeps_nothing_of_the_window(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    used = supervised(session, BOTH)
    await moved(session, monkeypatch, ONE)
    assert (used.engine.done, used.second.done) == (["closed"], ["closed"])
    assert used.target == ONE
