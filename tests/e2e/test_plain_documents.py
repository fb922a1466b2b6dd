"""Documents without a grammar: what needs no tree works as elsewhere, what needs one is simply not there."""

from pathlib import Path

from lsprotocol import types as lsp

from .conftest import Editor, start_editor, stop_editor
from .scripted import scripted
from .test_next_edit import ask
from .test_suggest import applied

ROWS = "".join(f"INSERT INTO customers (name, town) VALUES ('Customer {n}', 'Town {n}');\n" for n in range(1, 5))
DOCUMENTS = {
    "data.sql": ("sql", f"-- Customers\n{ROWS}INSERT INTO custo", "mers"),
    "notes.txt": ("plaintext", "The quick brown fox jumps.\n" * 4 + "The quick brown f", "ox"),
    "guide.md": ("markdown", "# Guide\n\n* run `make test`\n* run `make lint`\n* run `make docs`\n* run `ma", "ke"),
    "odd.xyz": ("no-such-language", "beta = alpha\ngamma = alpha\ndelta = alpha\nepsilon = al", "pha"),
}


async def test_a_document_without_a_grammar_is_completed_and_shown(editor: Editor) -> None:
    for file, (language, text, rest) in DOCUMENTS.items():
        uri = editor.open(file, text, language=language)
        position = lsp.Position(text.count("\n"), len(text) - text.rfind("\n") - 1)
        shown = await editor.settled(uri, position)
        assert (shown["editing"]["type"], shown["editing"]["name"]) == ("file", file)
        assert text.split("\n")[-1] + "<|FIM_MIDDLE|>" in shown["editing"]["text"]
        assert not [block for block in shown["blocks"] if block["type"] in ("class", "scope", "package")]
        assert (await ask(editor, uri, position))["edits"] == []
        items = await editor.complete(uri, position)
        assert items
        assert rest in items[0].insert_text


async def test_a_long_document_is_cut_between_paragraphs_around_the_cursor(editor: Editor) -> None:
    text = "\n".join(f"Paragraph {n} tells something.\nIt has a second line, too.\n" for n in range(400))
    uri = editor.open("long.md", text, language="markdown")
    lines = (await editor.settled(uri, editor.at(uri, "Paragraph 200 tells")))["editing"]["text"].split("\n")
    assert any(line.startswith("Paragraph 200 tells") for line in lines)
    assert lines.count("...") == 2
    first, last = (n for n, line in enumerate(lines) if line == "...")
    assert lines[first + 1].startswith("Paragraph ")
    assert lines[last - 1] == ""
    assert lines[last - 2] == "It has a second line, too."


async def test_an_edit_by_line_numbers_is_suggested_for_it(machine: dict[str, str], shop: Path) -> None:
    with scripted() as engine:
        engine.replies = ['<suggestion name="editing">\nL2 is spelt right\n</suggestion>\n<summary>Spell it</summary>']
        editor = await start_editor(shop, {"engine": {"kind": "openai", "url": engine.url}})
        try:
            await editor.ready()
            uri = editor.open("notes.txt", "This\nis spelt rong\n", language="plaintext")
            where = {"line": 1, "character": 0}
            found = await editor.command("palimpsest.suggest", {"uri": uri, "position": where})
            assert [applied("This\nis spelt rong\n", s["edit"]) for s in found["suggestions"]] == [
                "This\nis spelt right\n"
            ]
            assert found["refused"] == []
        finally:
            await stop_editor(editor)
