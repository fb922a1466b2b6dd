"""A person at a screen: each key awaited, or at a pace.

In: a screen, the text to type.  Out: what it took.
"""

from __future__ import annotations

import asyncio
import time

from bench.typing.person import NOTHING, Ghost, Typed, is_right, keys, left, next_key, right_part
from bench.typing.screen import OurScreen, Screen
from palimpsest.lsp.client.editor import plain_position

KEY_S = 0.12
SEEN_S = 0.24
"""That a ghost is on screen, right, before it is taken."""


async def patiently(screen: Screen, text: str, language: str, reaction: int = 0) -> Typed:
    """The answer to each key is awaited, and a ghost that is right is taken, all of it or nothing: at once, or after it
    has been on screen for `reaction` more keys."""
    typed, at, ghost, seen = Typed(language, plain=len(keys(text))), 0, NOTHING, 0
    while at < len(text):
        if seen >= reaction and is_right(ghost.text, text[at - ghost.taken :]):
            at, before = at - ghost.taken + len(ghost.text), ""
            ghost = await screen.take(ghost, ghost.text)
        else:
            key = next_key(text, at)
            at, before = at + len(key), left(ghost.text, key)
            ghost = await screen.press(key)
        seen = seen + 1 if before and ghost.text.startswith(before) else 0
        typed.pressed += 1
        typed.ms.append(screen.ms)
        typed.see(ghost, before, text, at)
    return typed


async def hurriedly(screen: OurScreen, text: str, language: str) -> Typed:
    """A key each `KEY_S`.  What is right on screen for `SEEN_S` is taken, also the lines or the word alone that are."""
    typed, at = Typed(language, plain=len(keys(text))), 0
    window = _Window(screen)
    due = time.perf_counter()
    try:
        while at < len(text):
            due += KEY_S
            await asyncio.sleep(max(0.0, due - time.perf_counter()))
            ghost = window.ghost
            if at:
                typed.see(ghost, window.before, text, at)
            window.before = ""
            coming = text[at - ghost.taken :]
            part = ghost.text if is_right(ghost.text, coming) else right_part(ghost.text, coming)
            if len(part) > 1 and time.perf_counter() - window.since >= SEEN_S:
                at += len(part) - ghost.taken
                await window.take(part)
            else:
                key = next_key(text, at)
                at += len(key)
                window.press(key)
            typed.pressed += 1
        typed.ms = window.ms
    finally:
        await window.close()
    return typed


class _Window:
    """What an editor does: it asks behind each change and where it is told to, keeps what agrees with what is typed,
    and shows an answer only where nothing was typed since."""

    def __init__(self, screen: OurScreen) -> None:
        self._screen = screen
        self._tasks = set[asyncio.Task[None]]()
        self._n = 0
        self.ghost, self.before, self.since = NOTHING, "", time.perf_counter()
        self.ms = list[float]()
        screen.driver.on_completion = self._told

    def press(self, key: str) -> None:
        rest = left(self.ghost.text, key)
        self._show(Ghost(rest, 0, self.ghost.sure, self.ghost.id) if rest else NOTHING, goes_on=bool(rest))
        self.before = rest
        self._screen.type(key)
        self._ask()

    async def take(self, part: str) -> None:
        ghost = self.ghost
        rest = ghost.text[len(part) :]
        await self._screen.put(ghost, part)
        self._show(Ghost(rest, 0, ghost.sure, ghost.id) if rest else NOTHING, goes_on=bool(rest))
        self._ask()

    def _show(self, ghost: Ghost, *, goes_on: bool) -> None:
        if not goes_on:
            self.since = time.perf_counter()
        self.ghost = ghost

    def _told(self, params: dict[str, object]) -> None:
        if params.get("position") == plain_position(self._screen.position):
            self._ask(timed=False)

    def _ask(self, *, timed: bool = True) -> None:
        self._n += 1
        task = asyncio.create_task(self._answered(self._n, timed))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _answered(self, number: int, timed: bool) -> None:
        began = time.perf_counter()
        ghost = await self._screen.ask()
        if timed:
            self.ms.append(1000 * (time.perf_counter() - began))
        if number == self._n:
            self._show(ghost, goes_on=bool(self.ghost.text) and ghost.text.startswith(self.ghost.text))

    async def close(self) -> None:
        self._n += 1
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
