"""A person at a keyboard, as events.

In: what shall be done (turn to, go, rewrite, save).  Out: a trace's events, character by character, with completions
asked for in the short pauses of typing.  Deterministic for a seed.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping

from bench.traces.buffers import Buffers
from bench.traces.format import Cursor, Edit, Event, Open, Pause, Request, Save, Trace, Yank

LOOK_MS = (300, 2500)
LINE_MS = (200, 900)
_PIECE = re.compile(r"\n[ \t]*|\w+|[^\w\n]", re.DOTALL)


class Person:
    """`burst`: the most characters typed before a completion is asked for."""

    def __init__(self, files: Mapping[str, str], seed: int, burst: int) -> None:
        self.random = random.Random(seed)
        self.burst = burst
        self.buffers = Buffers(files)
        self.events: list[Event] = []
        self._files = files

    def trace(self, name: str, made: str) -> Trace:
        return Trace(name, self._files, tuple(self.events), made)

    def do(self, event: Event) -> None:
        self.buffers.follow(event)
        self.events.append(event)

    def turn_to(self, file: str) -> None:
        if self.buffers.file != file:
            self.do(Open(file))

    def go(self, file: str, line: int, column: int) -> None:
        self.turn_to(file)
        self.do(Cursor(file, line, self.buffers.units(file, line, column)))

    def look(self, shortest: int = LOOK_MS[0], longest: int = LOOK_MS[1]) -> None:
        self.do(Pause(self.random.randint(shortest, longest)))

    def ask(self) -> None:
        self.do(Request())

    def save(self) -> None:
        if self.buffers.file in self.buffers.modified:
            self.do(Save(self.buffers.file))

    def yank(self, line: int, end_line: int) -> None:
        self.do(Yank(self.buffers.file, line, end_line))

    def type(self, text: str) -> None:
        """At the cursor, a completion asked for after every few characters and at the end of every line.  What an
        editor indents by itself comes with the line end."""
        left = self.random.randint(1, self.burst)
        for piece in _PIECE.findall(text):
            keys = [piece] if piece[0] == "\n" else list(piece)
            for key in keys:
                self._insert(key)
                left -= 1
                if left <= 0 or key[0] == "\n":
                    self.ask()
                    left = self.random.randint(1, self.burst)
            if piece[0] == "\n":
                self.look(*LINE_MS)

    def paste(self, text: str) -> None:
        self._insert(text)
        self.ask()

    def rewrite(self, file: str, new: str, typed_lines: int) -> None:
        """Make a file's text `new`: go to where it differs, delete, type.  Beyond `typed_lines` it is pasted."""
        old = self.buffers.text(file)
        start, old_end, new_end = _difference(old, new)
        self.go(file, *_place(old, start))
        self.look()
        if old_end > start:
            end_line, end_column = _place(old, old_end)
            line, column = _place(old, start)
            units = self.buffers.units
            self.do(Edit(file, line, units(file, line, column), end_line, units(file, end_line, end_column), ""))
            self.ask()
        lines = new[start:new_end].splitlines(keepends=True)
        self.type("".join(lines[:typed_lines]))
        if rest := "".join(lines[typed_lines:]):
            self.paste(rest)

    def _insert(self, text: str) -> None:
        file, line = self.buffers.file, self.buffers.line
        character = self.buffers.units(file, line, self.buffers.column)
        self.do(Edit(file, line, character, line, character, text))


def _difference(old: str, new: str) -> tuple[int, int, int]:
    """(start, end in old, end in new) of the one stretch in which they differ, from a line's start where it can be."""
    shorter = min(len(old), len(new))
    start = next((i for i in range(shorter) if old[i] != new[i]), shorter)
    behind = next((i for i in range(shorter - start) if old[-1 - i] != new[-1 - i]), shorter - start)
    old_end, new_end = len(old) - behind, len(new) - behind
    # Of equal ways to say an insertion, the one that begins with a line: that is how it was typed.
    line_start = old.rfind("\n", 0, start) + 1
    back = start - line_start
    for end, text in ((old_end, old), (new_end, new)):
        if text[end - back : end] != text[line_start:start] and end != start:
            return start, old_end, new_end
    if old_end == start or new_end == start:
        return start - back, old_end - back, new_end - back
    return start, old_end, new_end


def _place(text: str, offset: int) -> tuple[int, int]:
    """Line and column of an offset."""
    line_start = text.rfind("\n", 0, offset) + 1
    return text.count("\n", 0, offset), offset - line_start
