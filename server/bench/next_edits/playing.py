"""A case played in a window as a person would play it: the document is opened, edited, and the next edits are accepted.

In: cases, settings.  Out: what was shown and what became of the document; tokens that a keystroke decodes.

The window is the server's own, told what an editor tells it.  Each case has a window of its own, which knows of nothing
else; an engine is shared.  Everything that is shown is accepted until there is nothing more.
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from bench.next_edits.cases import Case
from bench.next_edits.pulls import Later, Pull
from bench.next_edits.recorded import format_of, recording
from bench.next_edits.stand_in import Instead, StandIn
from palimpsest.config.settings import Settings
from palimpsest.errors import ModelError
from palimpsest.languages.registry import language_in
from palimpsest.models import next_edit_models
from palimpsest.next_edits.formats import FORMATS
from palimpsest.next_edits.formats.diffs import spans
from palimpsest.next_edits.next_edits import NextEdit
from palimpsest.providers.base.protocol import Engine, HasNextEditModel
from palimpsest.providers.base.target import target_of
from palimpsest.session.building import build
from palimpsest.session.session import Session
from palimpsest.text.alike import ends_alike
from palimpsest.text.snapshot import ContentChange, Position, Range, Snapshot
from palimpsest.text.uris import to_uri
from palimpsest.window.events import CursorMoved, DocumentChanged, DocumentClosed, DocumentOpened

START_S = 300.0
POLL_S = 0.05
MOST_EDITS = 12
"""Accepted one after the other: a model may never be content."""
TYPED = "xy"
"""By who does not take what is shown."""


@dataclass(frozen=True, slots=True)
class Ways:
    """`trees`: places are looked for in syntax trees, too.  `recorded`: whose recorded answers are written."""

    settings: Settings
    trees: bool
    recorded: str = ""

    @property
    def has_engine(self) -> bool:
        return not self.recorded and self.settings.engine.kind != "none"


@dataclass(frozen=True, slots=True)
class Outcome:
    """`kinds` of the edits that were accepted; `ms` until the first answer; `exact` and `made` count the answers of a
    stand-in that were recorded for the very lines, and others."""

    kinds: tuple[str, ...]
    text: str
    ms: float
    exact: int = 0
    made: int = 0

    @property
    def shown(self) -> bool:
        return bool(self.kinds)


@dataclass(frozen=True, slots=True)
class Keystroke:
    """Tokens that a character cost while an edit of the model's was shown: `tail`, what each costs, and `blocks`, the
    changes that were over with the pause before it; beside those of the window."""

    tail: int
    blocks: int
    window: int


async def play(case: Case, ways: Ways) -> Outcome:
    """Raises PalimpsestError."""
    async with _window(case, ways) as window:
        window.edit()
        start = time.perf_counter()
        found = await window.ask(case.cursor)
        ms = 1000 * (time.perf_counter() - start)
        kinds = list[str]()
        while found is not None and len(kinds) < MOST_EDITS and found.snapshot.uri == window.uri:
            kinds.append(found.kind)
            window.session.next_edits.mark_shown(found.id)
            window.put(found.range, found.text)
            found = await window.session.next_edits.accept(found.id)
        model = window.model
        exact, made = (model.n_exact, model.n_made) if model is not None else (0, 0)
        return Outcome(tuple(kinds), window.text, ms, exact, made)


@dataclass(frozen=True, slots=True)
class Answer:
    """What was offered behind one edit of a pull request; `kind` is empty where nothing was.  `right`: it is a part of
    the next edit; `near`: it is in lines that the next edit changes; `later`: it is a part of what some later edit has
    done."""

    kind: str
    right: bool = False
    near: bool = False
    later: bool = False
    ms: float = 0.0


async def follow(pull: Pull, ways: Ways, *, asked: bool) -> list[Answer]:
    """The edits of a file are made one after the other, whatever is offered between them.  `asked`: by a person, not
    on a pause.  Raises PalimpsestError."""
    first, *others = pull.versions
    answers = list[Answer]()
    async with _window(Case(pull.pull, pull.file, (first,), Position(0, 0), None), ways) as window:
        window.edit()
        for n, text in enumerate(others[:-1]):
            window.becomes(text)
            start = time.perf_counter()
            found = await window.session.next_edits.next(window.uri, window.at, invoked=asked)
            ms = 1000 * (time.perf_counter() - start)
            if found is None or found.snapshot.uri != window.uri:
                answers.append(Answer("", ms=ms))
                continue
            window.session.next_edits.mark_shown(found.id)
            place = found.snapshot.offset(found.range.start), found.snapshot.offset(found.range.end), found.text
            next_one, *rest = (Later(text, later) for later in others[n + 1 :])
            right = next_one.has(*place)
            later = right or any(one.has(*place) for one in rest)
            answers.append(Answer(found.kind, right, right or next_one.is_touched(*place[:2]), later, ms))
    return answers


async def keystrokes(case: Case, ways: Ways) -> list[Keystroke]:
    """Of two characters typed one after the other; none where the model shows nothing.  Raises PalimpsestError."""
    async with _window(case, ways) as window:
        window.edit()
        found, at = await window.ask(case.cursor), case.cursor
        if found is None or found.kind != "model":
            return []
        engine, strokes = await _second(window.session), list[Keystroke]()
        format = next_edit_models.inspect(ways.settings.next_edit.model)
        assert format is not None
        for character in TYPED:
            before = await _read(engine, window)
            window.put(Range(at, at), character)
            at = Position(at.line, at.column + 1)
            await window.ask(at)
            lines = window.text.split("\n")
            shown = FORMATS[format.format].window(lines, at.line, ())[0]
            (n_window,) = await engine.count(["".join(f"{line}\n" for line in lines[shown.start : shown.stop])])
            after = await _read(engine, window)
            strokes.append(Keystroke(after[0] - before[0], after[1] - before[1], n_window))
        return strokes


async def _read(engine: Engine, window: _Window) -> tuple[int, int]:
    """Tokens of tails and blocks that the engine has decoded so far, answers aside."""
    stats = (await engine.cache_map(window.session.services.workspace)).stats
    return stats["headers"] + stats["tails"], stats["blocks"]


class _Window:
    """One document in a session; `model` is the stand-in, where there is one."""

    def __init__(self, session: Session, case: Case, path: Path) -> None:
        self.session, self.uri, self._case, self._path = session, to_uri(path), case, path
        self.model: StandIn | None = None
        self.at = Position(0, 0)

    @property
    def text(self) -> str:
        return self.session.documents.get(self.uri).text

    def edit(self) -> None:
        """What led to the document that it is asked about."""
        for old, new in self._case.earlier:
            self._open(old)
            self.becomes(new)
            self.session.events.emit(DocumentClosed(self.uri))
        first, *others = self._case.versions
        self._open(first)
        for text in others:
            self.becomes(text)

    async def ask(self, position: Position) -> NextEdit | None:
        self._move(position)
        return await self.session.next_edits.next(self.uri, position, invoked=True)

    def put(self, where: Range, text: str) -> None:
        old = self.session.documents.get(self.uri)
        new, edits = old.changed([ContentChange(where, text)], old.version + 1)
        self.session.events.emit(DocumentChanged(old, new, edits))
        self._move(new.position(old.offset(where.start) + len(text)))

    def _open(self, text: str) -> None:
        language = next(iter(language_in(self._path.name, text).language_ids), "")
        self.session.events.emit(DocumentOpened(Snapshot(self.uri, 1, language, text)))

    def _move(self, position: Position) -> None:
        self.at = position
        self.session.events.emit(CursorMoved(self.uri, position, said=True))

    def becomes(self, text: str) -> None:
        """From top to bottom; of lines that become others, what they do not begin and end with alike."""
        before, after = (version.splitlines(keepends=True) for version in (self.text, text))
        grown = 0
        for a, b, c, d in spans(before, after):
            old, new = "".join(before[a:b]), "".join(after[c:d])
            head, tail = ends_alike(old, new)
            start = sum(map(len, before[:a])) + grown + head
            snapshot = self.session.documents.get(self.uri)
            where = Range(snapshot.position(start), snapshot.position(start + len(old) - head - tail))
            self.put(where, new[head : len(new) - tail])
            grown += len(new) - len(old)


@asynccontextmanager
async def _window(case: Case, ways: Ways) -> AsyncIterator[_Window]:
    said = recording(case, ways.recorded) if ways.recorded else None
    with tempfile.TemporaryDirectory(prefix="pal-") as folder:
        root = Path(folder).resolve() / "work"
        path = root / case.file
        path.parent.mkdir(parents=True)
        path.write_text(case.versions[0], encoding="utf-8")
        session = build(ways.settings, (root,))
        session.next_edits.trees = ways.trees
        window = _Window(session, case, path)
        if said is not None:
            window.model = StandIn(format_of(ways.recorded), said, lambda: (window.text, window.at.line))
            session.services.supervisor = Instead(target_of(ways.settings), window.model)
        else:
            session.services.supervisor.start()
        try:
            if ways.has_engine:
                await _second(session)
            yield window
        finally:
            await session.aclose()


async def _second(session: Session) -> Engine:
    """The model for next edits, once it is loaded.  Raises EngineError."""
    engine = await session.services.supervisor.ready(START_S)
    assert isinstance(engine, HasNextEditModel)
    second = engine.for_next_edits()
    while (health := await second.health()).state != "ready":
        if health.state != "loading":
            why = str((health.error or {}).get("message", ""))
            raise ModelError(f"The model for next edits cannot be loaded: {why}")
        await asyncio.sleep(POLL_S)
    return second
