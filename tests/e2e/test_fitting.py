"""What a completion would break is not shown: a scripted model says it, the real window refuses or mends it."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from lsprotocol import types as lsp

from .conftest import Editor, start_editor, stop_editor
from .scripted import Scripted, scripted


@pytest.fixture
def engine() -> Iterator[Scripted]:
    with scripted() as it:
        yield it


@pytest.fixture
async def window(machine: dict[str, str], tmp_path: Path, engine: Scripted) -> AsyncIterator[Editor]:
    (tmp_path / "work").mkdir()
    completion = {"ahead": False, "first_ms": 20_000, "time_ms": 20_000}
    it = await start_editor(
        tmp_path / "work", {"engine": {"kind": "openai", "url": engine.url}, "completion": completion}
    )
    await it.ready()
    yield it
    await stop_editor(it)


BODY = "def total(prices):\n    result = 0\n$0\n    return result\n"
OPENED = "def g(a):\n    return a\n\n\ndef f(a):\n$0\n        return 1\n"
ROWS = [
    ("a.py", BODY, "    for price in prices:", None),  # the next line is not deeper
    ("b.py", BODY.replace("    return", "        result += 1\n    return"), "    for price in prices:", "same"),
    ("c.py", BODY, "    print(result", "    print(result)"),
    ("d.py", BODY, "    x = [1, (2", "    x = [1, (2)]"),
    ("e.py", BODY, "    result = )", None),
    ("f.py", BODY, "        result = 1", "    result = 1"),
    ("m.py", BODY, "    try:\n        result = 1", None),
    ("n.py", OPENED, "    a = 1", None),  # what was missing opens a block
    ("o.py", OPENED, "    if a:", "same"),
    ("p.py", "def area(w, h):\n    size = w * h\n    $0\n\nx = = 3\n", "return size", "same"),  # broken elsewhere
    ("q.py", "def f(a):\n    try:\n        a()\n        $0\n", "a += 1", "same"),  # not finished yet
    ("q.js", "function area(width, height) {\n  $0\n", "return width * height;", "same"),
    ("q.go", "package a\n\nfunc area(w int) int {\n\t$0\n\nfunc main() {\n}\n", "return w", "same"),
    ("r.js", "const x = $0;\n", "foo(a, b", "foo(a, b)"),
    ("g.js", "function total(prices) {\n  $0\n  return 1;\n}\n", "if (prices.length === 0) {", None),
    ("h.js", "function total(prices) {\n  $0\n  return 1;\n}\n", "console.log(prices", "console.log(prices)"),
    ("i.go", "package a\n\nfunc f() int {\n\t$0\n\treturn 1\n}\n", "x := g(1", "x := g(1)"),
    ("j.rs", "fn f() -> i32 {\n    $0\n    1\n}\n", "let x = g(1;", None),
    ("k.java", "class A {\n  int f() {\n    $0\n    return 1;\n  }\n}\n", "int x = (1 + ;", None),
    ("s.lua", "x = y z\n$0", "{\n  if (a == 0)\n    return 0", None),  # in code with errors a bracket may be any
    ("u.py", '"""Doc of a $0\n\nMore.\n"""\n', "person's home", "same"),  # what opens nothing is not closed
    ("v.py", "print('no luck :$0')\n", "(", "same"),
    ("w.js", "// $0\nlet a = 1;\n", "this doesn't (work", "same"),
    ("t.lua", "x = = 3\n\nf($0\n", "a, g(b", "a, g(b)"),
    ("l.rb", "def f(a)\n  $0\n  a\nend\n", "puts(a", "puts(a)"),
]


@pytest.mark.parametrize(("name", "text", "said", "shown"), ROWS, ids=[row[0] for row in ROWS])
async def test_what_adds_an_error_is_mended_or_not_shown(
    window: Editor, engine: Scripted, name: str, text: str, said: str, shown: str | None
) -> None:
    before, behind = text.split("$0")
    engine.replies = [said + "\n"]
    uri = window.open(name, before + behind)
    items = await window.complete(uri, window.at(uri, before), invoked=True)
    expected = said if shown == "same" else shown
    assert [item.insert_text.strip() for item in items] == ([] if expected is None else [expected.strip()])


@pytest.mark.parametrize("invoked", [False, True])
async def test_what_was_cut_ends_where_something_is_whole(window: Editor, engine: Scripted, invoked: bool) -> None:
    engine.replies, engine.finish = ["compute(values, key=lam"], "length"
    uri = window.open("cut.py", "values = []\n\n\ndef compute(values):\n    pass\n\n\ntotal = \n")
    (item,) = await window.complete(uri, window.at(uri, "total = "), invoked=invoked)
    assert item.insert_text == "compute(values)"


MIDDLE = [
    ("a.js", "const x = `hello ${$0}`;\n", "name}!", ["name"]),
    ("b.js", 'if (user.na$0 === "x") {\n}\n', 'name === "x"', ["name"]),
    ("c.js", "fetch$0(3);\n", "fetchUserData(id);", ["fetchUserData"]),
    ("d.js", "fetchUs$0erData(3);\n", "fetchUserData(id);", []),
    ("e.py", "for colour in col$0ours:\n    pass\n", "colour:", []),
]


@pytest.mark.parametrize(("name", "text", "said", "shown"), MIDDLE, ids=[row[0] for row in MIDDLE])
async def test_what_stands_there_already_is_not_said_again(
    window: Editor, engine: Scripted, name: str, text: str, said: str, shown: list[str]
) -> None:
    """The item's text begins with the word that is typed."""
    before, behind = text.split("$0")
    engine.replies = [said + "\n"]
    uri = window.open(name, before + behind)
    items = await window.complete(uri, window.at(uri, before), invoked=True)
    assert [item.insert_text for item in items] == shown


async def test_behind_what_a_menu_has_selected_it_fits_as_well(window: Editor, engine: Scripted) -> None:
    engine.replies = ["Data(id);\n"]
    uri = window.open("menu.js", "fetchUs(3);\n")
    position = window.at(uri, "fetchUs")
    selected = lsp.SelectedCompletionInfo(lsp.Range(lsp.Position(0, 0), position), "fetchUser")
    context = lsp.InlineCompletionContext(lsp.InlineCompletionTriggerKind.Invoked, selected)
    params = lsp.InlineCompletionParams(context, lsp.TextDocumentIdentifier(uri), position)
    answer = await window.client.text_document_inline_completion_async(params)
    assert isinstance(answer, lsp.InlineCompletionList)
    assert [item.insert_text for item in answer.items] == ["fetchUserData"]


DEEP = [
    ("a.py", "def f(a):\n    return a\n        $0\n", "x = 1", "", "x = 1"),
    ("b.py", "def f(a):\n    if a:\n        return a\n        $0\n", "else:\n        return 1", "    ", "else:"),
    ("c.py", "def f(a):\n    b = a\n            $0\n    return b\n", "b += 1", "    ", "b += 1"),
    (
        "d.py",
        "def f(a):\n    try:\n        a()\n        $0\n",
        "except OSError:\n        pass",
        "    ",
        "except OSError:",
    ),
]


@pytest.mark.parametrize(("name", "text", "said", "indentation", "shown"), DEEP, ids=[row[0] for row in DEEP])
async def test_what_may_not_stand_as_deep_takes_blanks_away(
    window: Editor, engine: Scripted, name: str, text: str, said: str, indentation: str, shown: str
) -> None:
    before, behind = text.split("$0")
    engine.replies = [said + "\n"]
    uri = window.open(name, before + behind)
    position = window.at(uri, before)
    (item,) = await window.complete(uri, position, invoked=True)
    assert item.range == lsp.Range(lsp.Position(position.line, len(indentation)), position)
    assert str(item.insert_text).split("\n")[0] == shown
    blanks = before.rpartition("\n")[2].removeprefix(indentation)
    assert item.filter_text == blanks + str(item.insert_text)  # clients compare it with what is in the range


async def test_what_time_has_cut_is_whole_at_first_and_grows_on_the_pause(
    machine: dict[str, str], tmp_path: Path, engine: Scripted
) -> None:
    cut = [{"content": "compute(values, key=lam"}, *[{"content": ""}] * 2000]
    engine.replies = [cut, "compute(values, key=lambda one: one)\n"]
    (tmp_path / "work").mkdir()
    completion = {"first_ms": 1, "time_ms": 20_000}
    window = await start_editor(
        tmp_path / "work", {"engine": {"kind": "openai", "url": engine.url}, "completion": completion}
    )
    await window.ready()
    try:
        uri = window.open("a.py", "values = []\n\n\ndef compute(values, key):\n    pass\n\n\ntotal = \n")
        position = window.at(uri, "total = ")
        (item,) = await window.complete(uri, position)
        assert item.insert_text == "compute(values)"

        async def has_grown() -> bool:
            (item,) = await window.complete(uri, position)
            return item.insert_text == "compute(values, key=lambda one: one)"

        for _ in range(200):
            if await has_grown():
                break
            await asyncio.sleep(0.1)
        else:
            raise AssertionError("it did not grow")
    finally:
        await stop_editor(window)
