"""A model made for next edits: what it is asked, what becomes of its answers, and that trees come first."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from palimpsest.errors import EngineLoading, ModelError
from palimpsest.text.snapshot import ContentChange, Position
from palimpsest.window.events import DocumentClosed, NextEditModelFailed

from .writing import CODE, Window, a_window


@pytest.fixture
async def window(tmp_path: Path) -> AsyncIterator[Window]:
    async with a_window(tmp_path) as it:
        yield it


async def test_what_it_writes_is_offered_as_a_small_edit(window: Window) -> None:
    uri = window.open()
    window.put(uri, 0, 0, "total_width", taken=5)
    window.model.writes = "total_width = 1\nheight = 2\nprint(total_width)\nprint(height)\n"
    found = await window.next(uri)
    assert found is not None
    assert (found.range.start, found.range.end, found.text) == (Position(2, 6), Position(2, 11), "total_width")
    assert (found.kind, found.total) == ("model", 1)


async def test_what_leaves_code_out_is_of_no_use(window: Window) -> None:
    uri = window.open()
    window.put(uri, 0, 0, "total_width", taken=5)
    window.model.writes = "total_width = 1\n# ... existing code ...\nprint(height)\n"
    assert await window.next(uri) is None
    assert "leaves code out" in window.why_not


async def test_it_is_asked_with_changes_that_are_over_as_blocks(window: Window) -> None:
    other = window.open("x = 1\n", "other.txt")
    window.put(other, 0, 4, "2", taken=1)
    uri = window.open()
    window.put(uri, 0, 0, "total_width", taken=5)
    await window.next(uri)
    (request,) = window.model.asked
    assert request.sync is not None
    assert request.text is not None
    assert (request.sync.header, request.sync.footer) == ("", "<|file_sep|>")
    assert [block.text for block in request.sync.blocks] == [
        "<|file_sep|>other.txt.diff\noriginal:\nx = 1\nupdated:\nx = 2\n",
        "<|file_sep|>other.txt\nx = 2\n",
    ]
    assert request.text.text == (
        "shapes.txt.diff\noriginal:\nwidth = 1\nheight = 2\nprint(width)\nprint(height)\n"
        "updated:\ntotal_width = 1\nheight = 2\nprint(width)\nprint(height)\n"
        "<|file_sep|>original/shapes.txt\nwidth = 1\nheight = 2\nprint(width)\nprint(height)\n"
        "<|file_sep|>current/shapes.txt\ntotal_width = 1\nheight = 2\nprint(width)\nprint(height)\n"
        "<|file_sep|>updated/shapes.txt\n"
    )
    assert request.text.marks == request.sync.marks == ["<|file_sep|>"]


async def test_nothing_of_other_documents_that_are_ignored_or_secret_is_told(window: Window) -> None:
    (window.root / ".gitignore").write_text("private.txt\n", encoding="utf-8")
    for name in ("private.txt", ".env"):
        other = window.open("x = 1\n", name)
        window.put(other, 0, 4, "2", taken=1)
    uri = window.open()
    window.put(uri, 0, 0, "total_width", taken=5)
    await window.next(uri)
    (request,) = window.model.asked
    assert request.sync is not None
    assert request.sync.blocks == []


async def test_trees_come_first(window: Window) -> None:
    uri = window.open("def area(radius):\n    return radius\n\n\nprint(area(1))\n", "shapes.py")
    window.put(uri, 0, 4, "circle_area", taken=4)
    window.model.writes = "nothing of use"
    found = await window.next(uri)
    assert found is not None
    assert (found.kind, found.text) == ("rename", "circle_area")
    assert window.model.asked == []


@pytest.mark.parametrize(
    ("written", "finish"),
    [
        ("total_width = 1\nheight = 2\nprint(total", "length"),
        ("", "end"),
        ("total_width = 1\nheight = 2\nprint(width)\nprint(height)\n", "end"),
        ("total_width = 1\n\nheight = 2\nprint(width)\nprint(height)\n", "end"),
        (CODE, "end"),
        ("total_width = 1\n</s>\n", "end"),
    ],
)
async def test_what_is_of_no_use_is_not_offered(window: Window, written: str, finish: str) -> None:
    """Cut off, empty, what is there, blanks, what the person has just changed, a part of what is there."""
    uri = window.open()
    window.put(uri, 0, 0, "total_width", taken=5)
    window.model.writes, window.model.finish = written, finish
    assert await window.next(uri) is None
    assert len(window.model.asked) == 1


async def test_nothing_is_asked_before_an_edit_or_while_the_model_is_loaded(window: Window) -> None:
    uri = window.open()
    assert await window.next(uri) is None
    assert window.model.asked == []
    window.put(uri, 0, 0, "total_width", taken=5)
    window.model.error = EngineLoading("The model is still being loaded.")
    assert await window.next(uri) is None


async def test_whoever_types_on_ends_what_is_asked(window: Window) -> None:
    uri = window.open()
    window.put(uri, 0, 0, "total_width", taken=5)
    window.model.writes = "total_width = 1\nheight = 2\nprint(total_width)\nprint(height)\n"
    window.model.free.clear()
    waiting = asyncio.create_task(window.next(uri))
    while not window.model.asked:
        await asyncio.sleep(0)
    window.put(uri, 1, 0, "x")
    assert await waiting is None
    window.model.free.set()


async def test_what_is_closed_meanwhile_gets_no_edit(window: Window) -> None:
    uri = window.open()
    window.put(uri, 0, 0, "total_width", taken=5)
    window.model.writes = "total_width = 1\nheight = 2\nprint(total_width)\nprint(height)\n"
    window.model.free.clear()
    waiting = asyncio.create_task(window.next(uri))
    while not window.model.asked:
        await asyncio.sleep(0)
    window.session.events.emit(DocumentClosed(uri))
    window.model.free.set()
    assert await waiting is None


@pytest.mark.parametrize("n_turns", range(12))
async def test_what_is_typed_while_the_answer_is_on_its_way_counts(window: Window, n_turns: int) -> None:
    uri = window.open()
    window.put(uri, 0, 0, "total_width", taken=5)
    window.model.writes = "total_width = 1\nheight = 2\nprint(total_width)\nprint(height)\n"
    window.model.free.clear()
    waiting = asyncio.create_task(window.next(uri))
    while not window.model.asked:
        await asyncio.sleep(0)
    window.model.free.set()
    for _ in range(n_turns):
        await asyncio.sleep(0)
    if not waiting.done():
        window.put(uri, 1, 0, "x")
        found = await waiting
        assert found is None or found.snapshot is window.session.documents.get(uri)


async def test_nothing_that_is_typed_in_a_conversation_is_told(window: Window) -> None:
    talk = window.open("---\nid: c-00000001\n---\n\n", "talk.md")
    uri = window.open()
    window.put(uri, 0, 0, "total_width", taken=5)
    window.put(talk, 4, 0, "between us")
    await window.next(uri)
    (request,) = window.model.asked
    assert "between us" not in f"{request.text} {request.sync}"


async def test_what_was_dismissed_is_not_offered_again(window: Window) -> None:
    uri = window.open()
    window.put(uri, 0, 0, "total_width", taken=5)
    window.model.writes = "total_width = 1\nheight = 2\nprint(total_width)\nprint(height)\n"
    found = await window.next(uri)
    assert found is not None
    window.session.next_edits.dismiss(found.id)
    assert await window.next(uri) is None


async def test_line_ends_and_places_are_those_of_the_document(window: Window) -> None:
    uri = window.open(CODE.replace("\n", "\r\n").replace("print(height)", "print('𝔸', height)"))
    window.put(uri, 0, 0, "total_width", taken=5)
    window.model.writes = "total_width = 1\nheight = 2\nprint(width)\nprint('𝔸', height, total_width)\nprint(1)\n"
    found = await window.next(uri)
    assert found is not None
    old = window.session.documents.get(uri)
    assert old.changed([ContentChange(found.range, found.text)], 9)[0].text == (
        window.model.writes.replace("\n", "\r\n")
    )
    assert found.range.start.line == 3


async def test_a_document_of_which_nothing_is_shown_is_not_asked_about(window: Window) -> None:
    (window.root / ".palimpsestignore").write_text("shapes.txt\n", encoding="utf-8")
    uri = window.open()
    window.put(uri, 0, 0, "total_width", taken=5)
    assert await window.next(uri) is None
    assert window.model.asked == []


async def test_without_one_in_safe_mode_the_window_is_told_so_once(window: Window) -> None:
    told = list[str]()
    window.session.events.on(NextEditModelFailed, lambda event: told.append(event.why))
    window.session.services.supervisor.status.safe_mode = True  # type: ignore[misc]
    uri = window.open()
    window.put(uri, 0, 0, "total_width", taken=5)
    for _ in range(2):
        assert await window.next(uri) is None
    assert not window.model.asked
    assert len(told) == 1
    assert told[0].startswith("next_edit.model: ")


async def test_what_its_engine_says_of_it_is_told_once(window: Window) -> None:
    told = list[str]()
    window.session.events.on(NextEditModelFailed, lambda event: told.append(event.why))
    window.model.error = ModelError("It takes 8.0 GiB, and 1.0 GiB of memory are free.")
    uri = window.open()
    window.put(uri, 0, 0, "total_width", taken=5)
    for _ in range(2):
        assert await window.next(uri) is None
    assert told == ["next_edit.model: It takes 8.0 GiB, and 1.0 GiB of memory are free."]
