"""A file without indentation gets the one that `.editorconfig` or the files beside it say."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from .conftest import Editor, start_editor, stop_editor
from .scripted import Scripted, scripted

NEW = "def total(prices):\n"
SPACES = "    result = 0\n    for price in prices:\n        result += price\n    return result\n"
TABS = SPACES.replace("    ", "\t")
TWO = SPACES.replace("    ", "  ")


@pytest.fixture
def engine() -> Iterator[Scripted]:
    with scripted() as it:
        it.replies = [SPACES]
        yield it


@pytest.fixture
async def window(machine: dict[str, str], tmp_path: Path, engine: Scripted) -> AsyncIterator[Editor]:
    (tmp_path / "work" / "shop").mkdir(parents=True)
    completion = {"multiline": "always", "ahead": False, "first_ms": 20_000, "time_ms": 20_000}
    it = await start_editor(
        tmp_path / "work", {"engine": {"kind": "openai", "url": engine.url}, "completion": completion}
    )
    await it.ready()
    yield it
    await stop_editor(it)


async def completed(window: Editor, name: str, text: str = NEW) -> str:
    uri = window.open(f"shop/{name}", text)
    items = await window.complete(uri, window.at(uri, text), invoked=True)
    return str(items[0].insert_text).rstrip("\n")


async def test_what_is_said_of_a_file_without_indentation_is_done(window: Editor) -> None:
    beside, config = window.root / "shop" / "beside.py", window.root / ".editorconfig"
    assert await completed(window, "a.py") == SPACES.rstrip("\n")  # nobody says: as the model has it
    beside.write_text(NEW + TWO, encoding="utf-8")
    config.write_text("[*.py]\nindent_style = tab\n[old.py]\nindent_style = unset\n", encoding="utf-8")
    window.saved(window.open("shop/beside.py"))
    assert await completed(window, "b.py") == TABS.rstrip("\n")
    assert await completed(window, "old.py") == TWO.rstrip("\n")  # as the files beside it
    own = f"def first():\n    return 1\n\n\n{NEW}"
    assert await completed(window, "own.py", own) == SPACES.rstrip("\n")


async def test_an_edit_of_a_file_without_indentation_is_indented_alike(window: Editor, engine: Scripted) -> None:
    (window.root / ".editorconfig").write_text("[*]\nindent_style = tab\n", encoding="utf-8")
    uri = window.open("shop/new.py", "def total(prices): return sum(prices)\n")
    engine.replies = [f'<suggestion name="editing">\n{NEW}{SPACES}</suggestion>\n<summary>Add up.</summary>\n']
    where = {"uri": uri, "position": {"line": 0, "character": 5}, "format": "whole"}
    (found,) = (await window.command("palimpsest.suggest", where))["suggestions"]
    assert found["edit"]["documentChanges"][0]["edits"][0]["newText"] == NEW + TABS


async def test_an_empty_line_short_of_its_indentation_is_filled_from_there_on(window: Editor, engine: Scripted) -> None:
    """A model that is shown a cursor where no code may stand has nothing to say."""
    engine.replies = ["return sum(prices)\n"]
    text = "def first():\n    return 1\n\n\n" + NEW
    uri = window.open("shop/short.py", text)
    (item,) = await window.complete(uri, window.at(uri, text))
    assert item.insert_text == "    return sum(prices)"
    assert NEW.rstrip() in str(engine.asked[-1])


@pytest.mark.parametrize(
    ("before", "behind", "said", "shown"),
    [
        ("x = 1\n# Read the file:\n", "\nprint(x)\n", "y = 2", "y = 2"),  # a comment opens nothing
        ("def f(a):  # a note\n", "", "return a", "    return a"),
        ("def f(a):  # \ud800 é\n", "", "return a", "    return a"),
        ("s = '''\nUsage:\n", "\n'''\n", "first", "first"),  # nor does what stands in a string
        ("for a in b:\n", "", "if a:\n        print(a)", "    if a:\n        print(a)"),
    ],
)
async def test_what_opens_a_block_is_code(
    window: Editor, engine: Scripted, before: str, behind: str, said: str, shown: str
) -> None:
    engine.replies = [said + "\n"]
    uri = window.open("shop/opened.py", before + behind)
    items = await window.complete(uri, window.at(uri, before), invoked=True)
    assert [item.insert_text for item in items] == [shown]


async def test_nested_blocks_have_the_level_that_is_said(window: Editor, engine: Scripted) -> None:
    (window.root / ".editorconfig").write_text("[*]\nindent_style = space\nindent_size = 2\n", encoding="utf-8")
    engine.replies = ["if a:\n        print(a)\n    print(b)\n"]
    text = "for a in b:\n"
    uri = window.open("shop/nested.py", text)
    (item,) = await window.complete(uri, window.at(uri, text), invoked=True)
    assert item.insert_text == "  if a:\n    print(a)\n  print(b)"
