"""What other language servers find: kept, moved with edits, and shown as blocks."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from context_workspace import Workspace

from palimpsest.context.activity.diagnostics import (
    LONGEST_LINE,
    LONGEST_MESSAGE,
    MOST,
    MOST_DOCUMENTS,
    Diagnostic,
    Diagnostics,
)
from palimpsest.text.snapshot import ContentChange, Position, Range, Snapshot
from palimpsest.text.uris import to_uri
from palimpsest.types import Block

Make = Callable[..., Workspace]
URI = "file:///work/a.py"
TEXT = "one\ntwo\nthree\nfour\n"


def document(text: str = TEXT, uri: str = URI) -> Snapshot:
    return Snapshot(uri, 1, "python", text)


def error(line: int, message: str = "wrong", severity: str = "error", last: int | None = None) -> Diagnostic:
    return Diagnostic(line, line if last is None else last, severity, message)  # type: ignore[arg-type]


def lines(found: Diagnostics) -> list[tuple[int, str, str]]:
    return [(it.first, it.code, it.message) for it in found.of(URI)]


def told(*found: Diagnostic, text: str = TEXT) -> Diagnostics:
    known = Diagnostics()
    known.tell(document(text), found)
    known.settle(URI)
    return known


def changed(known: Diagnostics, start: tuple[int, int], end: tuple[int, int], text: str) -> None:
    where = Range(Position(*start), Position(*end))
    _, edits = document().changed([ContentChange(where, text)], 2)
    known.changed(URI, edits)


def test_nothing_is_shown_until_it_is_settled() -> None:
    known = Diagnostics()
    known.tell(document(), [error(1)])
    assert known.of(URI) == ()
    assert known.unsettled == (URI,)
    assert known.settle(URI)
    assert lines(known) == [(1, "two", "wrong")]
    assert known.unsettled == ()
    assert not known.settle(URI)


def test_errors_come_before_warnings_and_then_by_line() -> None:
    known = told(error(0, "w", "warning"), error(3, "b"), error(1, "a"), error(1, "a"))
    assert [it.message for it in known.of(URI)] == ["a", "b", "w"]


def test_what_is_told_replaces_what_was_told_of_the_document_or_of_the_lines() -> None:
    known = told(error(0, "first"), error(2, "third"))
    known.tell(document(), [error(2, "other")], range(2, 3))
    known.settle(URI)
    assert [it.message for it in known.of(URI)] == ["first", "other"]
    known.tell(document(), [])
    known.settle(URI)
    assert known.of(URI) == ()


@pytest.mark.parametrize(
    ("start", "end", "text", "line"),
    [
        ((0, 0), (0, 0), "zero\n", 3),
        ((0, 3), (0, 3), "\nmore", 3),
        ((2, 0), (2, 0), "before\n", 3),
        ((0, 0), (1, 0), "", 1),
        ((3, 0), (3, 2), "x", 2),
        ((0, 0), (0, 1), "O", 2),
    ],
)
def test_an_edit_elsewhere_moves_it_along(start: tuple[int, int], end: tuple[int, int], text: str, line: int) -> None:
    known = told(error(2))
    changed(known, start, end, text)
    known.settle(URI)
    assert [it.first for it in known.of(URI)] == [line]


@pytest.mark.parametrize(("start", "end"), [((2, 1), (2, 1)), ((1, 0), (3, 0)), ((2, 5), (3, 0))])
def test_an_edit_of_its_line_ends_it_once_that_is_settled(start: tuple[int, int], end: tuple[int, int]) -> None:
    known = told(error(2))
    changed(known, start, end, "x")
    assert [it.message for it in known.of(URI)] == ["wrong"], "typing changes no block"
    assert known.settle(URI)
    assert known.of(URI) == ()


def test_it_is_bounded() -> None:
    long = "x" * 10_000
    known = told(*(error(0, f"{n} {long}") for n in range(3 * MOST)), text=long)
    assert len(known.of(URI)) == MOST
    assert all(len(it.message) <= LONGEST_MESSAGE and len(it.code) <= LONGEST_LINE for it in known.of(URI))
    for n in range(2 * MOST_DOCUMENTS):
        known.tell(document(uri=f"file:///{n}.py"), [error(0)])
    assert len(known.unsettled) <= MOST_DOCUMENTS + 1


def test_lines_that_the_document_has_not_are_left_out() -> None:
    known = told(error(99), error(1, last=99))
    assert [(it.first, it.last) for it in known.of(URI)] == [(1, 4)]


def test_a_message_is_its_first_paragraph_on_one_line() -> None:
    assert lines(told(error(0, "expected `int`,\n  got `str`\n\nhelp: …"))) == [(0, "one", "expected `int`, got `str`")]


def test_of_a_closed_document_nothing_is_kept() -> None:
    known = told(error(0))
    known.forget(URI)
    assert known.of(URI) == ()
    assert known.unsettled == ()


# Blocks ---------------------------------------------------------------------------------------------------------

CODE = "def total(items):\n    return sum(itmes)$0\n\n\ndef other():\n    retrun 1\n"


def problems(made: Workspace, *found: Diagnostic, code: str = CODE, file: str = "shop.py") -> dict[str, Block]:
    uri = to_uri(made.root / file)
    snapshot = Snapshot(uri, 1, "python", code.replace("$0", ""))
    made.activity.diagnostics.tell(snapshot, found)
    made.activity.diagnostics.settle(uri)
    return {it.name: it for it in made.blocks(file, code).values() if it.source == "diagnostics"}


def test_a_block_has_the_lines_of_code_and_what_is_wrong_there(workspace: Make) -> None:
    pyright = Diagnostic(1, 1, "error", '"itmes" is not defined', "pyright reportUndefinedVariable")
    (block,) = problems(workspace({}), error(5, "bad syntax"), pyright, error(1, "odd", "warning")).values()
    assert block.name == "shop.py problems"
    assert block.type == "recent"
    assert not block.editable
    assert block.text == (
        "return sum(itmes)\n"
        '  error: "itmes" is not defined (pyright reportUndefinedVariable)\n'
        "  warning: odd\n"
        "retrun 1\n"
        "  error: bad syntax"
    )


def test_the_error_at_the_cursor_is_there_however_many_there_are(workspace: Make) -> None:
    many = "\n".join(f"line_{n}" for n in range(50)) + "$0\n"
    found = problems(workspace({}), *(error(n, f"wrong {n}") for n in range(50)), code=many)
    assert "wrong 9" in found["shop.py problems"].text
    assert "wrong 10" not in found["shop.py problems"].text
    assert found["shop.py problem here"].text == "line_49\n  error: wrong 49"
    assert found["shop.py problem here"].value > found["shop.py problems"].value


def test_it_can_be_switched_off(workspace: Make) -> None:
    assert problems(workspace({}, sources=("class",)), error(1)) == {}


def test_what_looks_like_a_secret_is_masked(workspace: Make) -> None:
    token = "ghp_" + "A1b2C3d4" * 5
    (block,) = problems(workspace({}), error(1, f"unexpected {token}")).values()
    assert token not in block.text


def test_a_block_is_valid_while_nothing_else_is_wrong(workspace: Make, tmp_path: Path) -> None:
    made = workspace({})
    (block,) = problems(made, error(1)).values()
    view = made.view("shop.py", CODE)
    assert made.gatherer.still_valid(block, view)
    problems(made, error(5))
    assert not made.gatherer.still_valid(block, view)
