"""Where and when nothing is shown unasked, whatever the model says; a person who asks is shown it."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from .conftest import Editor, start_editor, stop_editor, until
from .scripted import Scripted, scripted

CODE = "def total(prices):\n    result = 0\n    $0\n"


@pytest.fixture
def engine() -> Iterator[Scripted]:
    with scripted() as it:
        it.replies = ["return result\n"]
        yield it


@pytest.fixture
async def window(machine: dict[str, str], tmp_path: Path, engine: Scripted) -> AsyncIterator[Editor]:
    (tmp_path / "work").mkdir()
    completion = {
        "ahead": False, "first_ms": 20_000, "time_ms": 20_000, "cached": 0, "quiet_in": ["comments", "strings"],
    }  # fmt: skip
    settings = {"engine": {"kind": "openai", "url": engine.url}, "completion": completion}
    it = await start_editor(tmp_path / "work", settings)
    await it.ready()
    yield it
    await stop_editor(it)


async def shown(editor: Editor, uri: str, position: lsp.Position, *, invoked: bool = False) -> list[str]:
    return [str(item.insert_text) for item in await editor.complete(uri, position, invoked=invoked)]


def opened(editor: Editor, name: str, code: str) -> tuple[str, lsp.Position]:
    """A document, and where `$0` was in it."""
    before, behind = code.split("$0")
    uri = editor.open(name, before + behind)
    lines = before.split("\n")
    return uri, lsp.Position(len(lines) - 1, len(lines[-1]))


async def test_while_snoozed_nothing_is_shown_unasked_and_the_status_says_until_when(window: Editor) -> None:
    uri, position = opened(window, "a.py", CODE)
    assert await shown(window, uri, position) == ["return result"]
    answer = await window.command("palimpsest.completion.snooze")
    assert "completions and next edits are snoozed until" in answer["says"]
    assert await shown(window, uri, position) == []
    assert window.status["kind"] == "Inactive"
    assert window.status["snoozed_until"] == answer["until"] > 0
    assert window.status["snoozed"] == "5 min"
    assert "snoozed until" in window.status["message"]
    assert await shown(window, uri, position, invoked=True) == ["return result"]

    assert await window.command("palimpsest.completion.snooze", {"minutes": 0}) == {
        "until": 0,
        "says": "completions and next edits are shown again",
    }
    assert await shown(window, uri, position) == ["return result"]
    assert (window.status["kind"], window.status["snoozed_until"]) == ("Normal", 0)
    assert window.status["snoozed"] == ""


async def test_the_status_counts_a_snooze_down(window: Editor) -> None:
    await window.command("palimpsest.completion.snooze", {"minutes": 1})
    await until(lambda: window.status["snoozed"] == "55 s")


async def test_a_snooze_ends_by_itself_and_the_last_one_counts(window: Editor) -> None:
    uri, position = opened(window, "a.py", CODE)
    await window.command("palimpsest.completion.snooze", {"minutes": 60})
    await window.command("palimpsest.completion.snooze", {"minutes": 0.005})
    assert await shown(window, uri, position) == []
    await until(lambda: window.status["kind"] == "Normal")
    assert await shown(window, uri, position) == ["return result"]


async def test_a_snooze_outlives_other_settings_and_wants_a_number(window: Editor) -> None:
    await window.command("palimpsest.completion.snooze", {"minutes": 60})
    changed = lsp.DidChangeConfigurationParams(settings={"palimpsest": {"completion": {"n": 2}}})
    window.client.workspace_did_change_configuration(changed)
    uri, position = opened(window, "a.py", CODE)
    assert await shown(window, uri, position) == []
    for minutes in (-1, "five", 100_000):
        with pytest.raises(JsonRpcException, match="minutes"):
            await window.command("palimpsest.completion.snooze", {"minutes": minutes})


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("a.py", "total = 1  # the sum, and$0\n"),
        ("b.py", "print('the sum, and$0')\n"),
        ("c.py", 'def total():\n    """The sum\n    $0\n    """\n'),
        ("d.js", "/* the sum, and$0 */\nlet total = 1;\n"),
        ("e.md", "# Total\n\n```python\ntotal = 1  # the sum$0\n```\n"),
    ],
)
async def test_comments_and_strings_are_left_alone_where_a_person_wants_that(
    window: Editor, engine: Scripted, name: str, code: str
) -> None:
    engine.replies = [" more\n"]
    uri, position = opened(window, name, code)
    assert await shown(window, uri, position) == []
    assert await shown(window, uri, position, invoked=True) != []


async def test_code_beside_them_is_completed(window: Editor, engine: Scripted) -> None:
    uri, position = opened(window, "a.py", "# the sum\ntotal = '1'\n$0")
    engine.replies = ["print(total)\n"]
    assert await shown(window, uri, position) == ["print(total)"]


@pytest.mark.parametrize(
    ("name", "code", "said"),
    [
        ("a.py", "$0", "import os"),
        ("b.py", "#!$0", " TODO: this is a fork of the k.py file."),
        ("c.rs", "#$0\n", "ifdef _USE_L160"),
    ],
)
async def test_a_document_that_says_nothing_yet_is_not_guessed_at(
    window: Editor, engine: Scripted, name: str, code: str, said: str
) -> None:
    engine.replies = [said + "\n"]
    uri, position = opened(window, name, code)
    assert await shown(window, uri, position) == []


async def test_lines_without_a_word_are_not_shown(window: Editor, engine: Scripted) -> None:
    engine.replies = ["///\n//\n///"]
    uri, position = opened(window, "a.go", "package main\n\n$0")
    assert await shown(window, uri, position) == []
    assert await shown(window, uri, position, invoked=True) != []


async def test_the_first_line_of_a_document_is_completed(window: Editor, engine: Scripted) -> None:
    engine.replies = ["n):\n"]
    uri, position = opened(window, "a.py", "def fibonacci($0")
    assert await shown(window, uri, position) == ["n):"]


async def test_a_signature_is_not_shown_before_its_name_is_finished(window: Editor, engine: Scripted) -> None:
    engine.replies = ["(n):\n"]
    uri, position = opened(window, "a.py", "import os\n\ndef fibonacci$0")
    assert await shown(window, uri, position) == []
    assert await shown(window, uri, position, invoked=True) == ["fibonacci(n):"]


def change(editor: Editor, uri: str, *changes: tuple[tuple[int, int], tuple[int, int], str]) -> None:
    """Several in one message, each (start, end, text)."""
    told = []
    for start, end, text in changes:
        place = lsp.Range(lsp.Position(*start), lsp.Position(*end))
        lines = editor.texts[uri].split("\n")
        at, to = (sum(len(line) + 1 for line in lines[:row]) + column for row, column in (start, end))
        editor.texts[uri] = editor.texts[uri][:at] + text + editor.texts[uri][to:]
        told.append(lsp.TextDocumentContentChangePartial(place, text))
    editor.versions[uri] += 1
    document = lsp.VersionedTextDocumentIdentifier(version=editor.versions[uri], uri=uri)
    editor.client.text_document_did_change(lsp.DidChangeTextDocumentParams(document, told))


Steps = list[list[tuple[tuple[int, int], tuple[int, int], str]]]
CALL = "item.close()"
DELETED: dict[str, tuple[str, Steps, tuple[int, int], str]] = {
    "a character": ("item.id", [[((1, 6), (1, 7), "")]], (1, 6), "d"),
    "word by word": ("item.get(first)", [[((1, 9), (1, 15), "")], [((1, 5), (1, 9), "")]], (1, 5), "get(first)"),
    "a blank, too": ("a = b and c", [[((1, 10), (1, 11), "")], [((1, 6), (1, 10), "")]], (1, 5), " and c"),
    "with blanks left between": ("a = b and c", [[((1, 10), (1, 11), "")], [((1, 6), (1, 9), "")]], (1, 7), "and c"),
    "forwards, then backwards": ("abcdef", [[((1, 3), (1, 6), "")], [((1, 1), (1, 3), "")]], (1, 1), "bcdef"),
    "a line, and one begun in its place": (CALL, [[((1, 0), (1, 12), "")], [((0, 8), (0, 8), "\n")]], (1, 0), CALL),
    "a line, and one begun below": (CALL, [[((1, 0), (1, 12), "")], [((1, 0), (1, 0), "\n    ")]], (2, 4), CALL),
    "by a new line in its place": (CALL, [[((1, 0), (1, 12), "\n    ")]], (2, 4), CALL),
    "in several changes of one message": (CALL, [[((1, 10), (1, 12), ""), ((1, 5), (1, 10), "")]], (1, 5), "close()"),
    "by writing its beginning over it": (CALL, [[((1, 5), (1, 12), "cl")]], (1, 7), "ose()"),
}


@pytest.mark.parametrize("how", DELETED)
async def test_what_was_just_deleted_is_not_offered_in_whatever_steps_it_went(
    window: Editor, engine: Scripted, how: str
) -> None:
    line, steps, cursor, said = DELETED[how]
    uri = window.open("a.py", f"x = 1 + 2\n{line}")
    change(window, uri, ((0, 8), (0, 9), ""))
    change(window, uri, ((0, 8), (0, 8), "some_name"))
    change(window, uri, ((0, 8), (0, 17), ""))
    for step in steps:
        change(window, uri, *step)
    engine.replies = [said + "\n"]
    assert await shown(window, uri, lsp.Position(*cursor)) == []


async def test_what_was_deleted_elsewhere_or_before_something_was_typed_is_offered(
    window: Editor, engine: Scripted
) -> None:
    uri = window.open("a.py", "first = item.close()\nsecond = item.close()\nitem.close()\n")
    change(window, uri, ((2, 5), (2, 12), ""))
    change(window, uri, ((0, 13), (0, 20), ""))
    change(window, uri, ((2, 5), (2, 5), "cl"))
    engine.replies = ["ose()\n"]
    assert await shown(window, uri, lsp.Position(2, 7)) == ["close()"]
