"""What a model is asked, made of texts with a mark at the cursor."""

from __future__ import annotations

from dataclasses import replace

from palimpsest.next_edits.formats import FORMATS
from palimpsest.next_edits.formats.diffs import unified
from palimpsest.next_edits.formats.format import PastChange, WindowAnswer, WindowRequest
from palimpsest.text.snapshot import Position

CURSOR = "ˇ"


def asked(path: str, text: str, window: range, around: range | None = None, *, skip: int = 0) -> WindowRequest:
    """`skip`: lines of the document above the text that are not seen."""
    head = text.split(CURSOR)[0]
    cursor = Position(skip + head.count("\n"), len(head) - head.rfind("\n") - 1)
    lines = ["unseen"] * skip + text.replace(CURSOR, "").split("\n")
    window, around = (range(r.start + skip, r.stop + skip) for r in (window, around or range(len(lines) - skip)))
    return WindowRequest(path, lines, window, around, cursor)


def asked_in(name: str, path: str, text: str, *changes: PastChange) -> WindowRequest:
    """With the window that a format chooses for text without a tree; before the changes it was the same."""
    whole = asked(path, text, range(0))
    window, around = FORMATS[name].window(whole.lines, whole.cursor.line, ())
    made = replace(whole, window=window, around=around, changes=changes)
    return replace(made, original=made.text)


def change(path: str, before: str, after: str, *, is_open: bool = False) -> PastChange:
    return PastChange(path, unified(before.split("\n"), after.split("\n")), is_open=is_open)


def answer(name: str, about: WindowRequest, written: str, *, is_whole: bool = True) -> WindowAnswer:
    prompt = FORMATS[name].prompt(about)
    assert prompt is not None
    return FORMATS[name].read(about, prompt, written, is_whole=is_whole)
