"""How long a keystroke and a new place of the cursor take, without an engine.

In: a window.  Out: milliseconds, one for each.
"""

from __future__ import annotations

import time
from pathlib import Path
from random import Random

from palimpsest.checking.window import WindowWithoutEditor
from palimpsest.syntax.parse import Parsed
from palimpsest.syntax.scopes import scopes
from palimpsest.text.snapshot import ContentChange, Position, Range

SEED = 16


async def keystrokes(window: WindowWithoutEditor, path: Path, n: int, line: str) -> list[float]:
    """`line` typed on new lines of functions, from the change to the choice of blocks: the text, its tree and scopes,
    the editing block, and that the choice stays.  Brackets are not closed by an editor, which costs the tree most."""
    random, taken = Random(SEED), list[float]()
    parsed = window.open(path)
    while len(taken) < n:
        place = random.choice(places_in(parsed))
        parsed = _typed(window, parsed, place, "\n")
        position = Position(place.line + 1, 0)
        await window.chooser.settled(window.view(parsed, position, is_typing=True))
        window.chooser.choose(window.view(parsed, position, is_typing=True), fresh=True)
        for typed in line:
            start = time.perf_counter()
            parsed = _typed(window, parsed, position, typed)
            position = Position(position.line, position.column + 1)
            window.chooser.choose(window.view(parsed, position, is_typing=True))
            taken.append(1000 * (time.perf_counter() - start))
    window.close(parsed)
    return taken[:n]


def _typed(window: WindowWithoutEditor, parsed: Parsed, position: Position, text: str) -> Parsed:
    old = parsed.snapshot
    new, edits = old.changed([ContentChange(Range(position, position), text)], old.version + 1)
    window.changed(new)
    return window.parser.update(old, new, edits)


async def places(window: WindowWithoutEditor, paths: list[Path], n: int) -> list[float]:
    """The view of a cursor that went to another place, and the choice of blocks for it.  What sources read in the
    background is read: they were asked at another place of the file before."""
    random, taken = Random(SEED), list[float]()
    for path in paths:
        parsed = window.open(path)
        inside = places_in(parsed)
        if not inside:
            continue
        await window.chooser.settled(window.view(parsed, inside[0]))
        for position in random.sample(inside[1:], min(len(inside) - 1, max(1, n // len(paths)))):
            start = time.perf_counter()
            window.chooser.choose(window.view(parsed, position), fresh=True)
            taken.append(1000 * (time.perf_counter() - start))
        window.close(parsed)
    return taken


def places_in(parsed: Parsed) -> list[Position]:
    """The first line of each function's body."""
    lines = parsed.snapshot.lines
    found = [s.body_start_line for s in scopes(parsed) if s.kind == "function" and s.body_start_line < len(lines)]
    return [Position(line, len(lines[line])) for line in found]
