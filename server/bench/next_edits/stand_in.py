"""An engine whose model for next edits writes what is already known: an answer that was recorded, or the right one.

In: a `Recording`, requests.  Out: answers.  Of a window that is the recorded one it writes what was recorded, to the
letter.  Of another one, or of a document that has part of it already, it writes what these lines become in the
recording's document.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

from bench.next_edits.cases import lines_of
from bench.next_edits.recorded import Recording, window_in
from palimpsest import wire
from palimpsest.next_edits.formats.diffs import spans
from palimpsest.next_edits.formats.format import ended
from palimpsest.providers.base.target import Target
from palimpsest.providers.supervisor import EngineStatus, Supervisor


class StandIn:
    """`now`: the document's text and the cursor's line.  `n_exact` and `n_made` count answers, exact and others."""

    def __init__(self, format: str, recording: Recording, now: Callable[[], tuple[str, int]]) -> None:
        self._format, self._recording, self._now = format, recording, now
        self.n_exact = self.n_made = 0

    def for_next_edits(self) -> StandIn:
        return self

    async def generate(self, request: wire.GenerateRequest) -> wire.GenerateAnswer:
        text, finish = self._answer(request)
        return wire.GenerateAnswer([wire.Choice(text, finish, 0)], 0, 0, 0, 0, 0, "")

    async def generate_stream(self, request: wire.GenerateRequest) -> AsyncGenerator[Any, None]:
        yield await self.generate(request)

    def _answer(self, request: wire.GenerateRequest) -> tuple[str, Any]:
        footer = request.sync.footer if request.sync is not None else ""
        found = window_in(self._format, f"{footer}{request.text.text if request.text is not None else ''}")
        if found is None:
            return "", "end"
        window, recording = found[0], self._recording
        if recording.written is not None and window.rstrip("\n") == recording.window.rstrip("\n"):
            self.n_exact += 1
            return recording.written, "stop" if recording.is_whole else "length"
        self.n_made += 1
        text, line = self._now()
        return ended("\n".join(rewritten(lines_of(text), lines_of(window), line, lines_of(recording.target)))), "stop"


class Instead(Supervisor):
    """Has the stand-in for its engine; nothing is started."""

    def __init__(self, target: Target, model: StandIn) -> None:
        super().__init__(target)
        self._stand_in = model

    @property
    def status(self) -> EngineStatus:
        return EngineStatus("ready")

    @asynccontextmanager
    async def engine(self, timeout: float = 0.0) -> AsyncIterator[Any]:
        yield self._stand_in


def rewritten(lines: Sequence[str], window: Sequence[str], line: int, target: Sequence[str]) -> Sequence[str]:
    """What the lines of a window, which holds `line`, are in another version of the document."""
    size = len(window)
    starts = [at for at in range(len(lines)) if list(lines[at : at + size]) == list(window)]
    start = next((at for at in starts if at <= line <= at + size), starts[0] if starts else None)
    if start is None:
        return window
    changes = list(spans(lines, target))
    return target[_moved(changes, start, 0) : _moved(changes, start + size, 1)]


def _moved(changes: Sequence[tuple[int, int, int, int]], at: int, is_end: int) -> int:
    """Where the border before a line is in the other version.  Lines put in right there are the window's."""
    shift = 0
    for a, b, c, d in changes:
        if at < a or (at == a and not is_end):
            break
        if at < b:
            return c + min(at - a, d - c)
        shift = d - b
    return at + shift
