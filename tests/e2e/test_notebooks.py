"""Cells of a notebook: one module with those before them, and called as a person calls them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types as lsp

from palimpsest.text.uris import to_uri

from .conftest import Editor, plain, start_editor, stop_editor

CELLS = [
    ("python", "import json\n\n\ndef weigh(item):\n    return item.mass * 9\n"),
    ("markdown", "# What it weighs\n"),
    ("python", "basket = [3, 4]\n"),
    ("python", "total = weigh(basket)\nprint(json.dumps(total))\n"),
]


def uri_of(index: int) -> str:
    return f"vscode-notebook-cell:/work/analysis.ipynb#W{index}sZmlsZQ%3D%3D"


def cell(index: int, language: str) -> lsp.NotebookCell:
    kind = lsp.NotebookCellKind.Code if language == "python" else lsp.NotebookCellKind.Markup
    return lsp.NotebookCell(kind, uri_of(index))


def item(index: int, language: str, text: str) -> lsp.TextDocumentItem:
    return lsp.TextDocumentItem(uri_of(index), language, 1, text)


class Notebook:
    def __init__(self, editor: Editor) -> None:
        self.editor, self.uri = editor, to_uri(editor.root / "notes" / "analysis.ipynb")
        document = lsp.NotebookDocument(
            self.uri, "jupyter-notebook", 1, [cell(i, language) for i, (language, _) in enumerate(CELLS)]
        )
        texts = [item(i, *row) for i, row in enumerate(CELLS)]
        editor.client.notebook_document_did_open(lsp.DidOpenNotebookDocumentParams(document, texts))
        for i, (_, text) in enumerate(CELLS):
            editor.texts[uri_of(i)], editor.versions[uri_of(i)] = text, 1

    def change(self, cells: lsp.NotebookDocumentCellChanges) -> None:
        document = lsp.VersionedNotebookDocumentIdentifier(2, self.uri)
        change = lsp.NotebookDocumentChangeEvent(cells=cells)
        self.editor.client.notebook_document_did_change(lsp.DidChangeNotebookDocumentParams(document, change))

    async def shown(self, index: int, line: int = 0) -> dict[str, Any]:
        where = {"uri": uri_of(index), "position": {"line": line, "character": 0}}
        return await self.editor.command("palimpsest.context.show", where)

    async def blocks(self, index: int, line: int = 0) -> dict[str, str]:
        return {block["name"]: block["text"] for block in (await self.shown(index, line))["blocks"]}


@pytest.fixture
async def notebook(machine: dict[str, str], shop: Path) -> Any:
    editor = await start_editor(shop, {"engine": {"kind": "none"}})
    yield Notebook(editor)
    await stop_editor(editor)


async def test_a_cell_knows_those_before_it_and_none_behind_it(notebook: Notebook) -> None:
    blocks = await notebook.blocks(3)
    first = blocks["notes/analysis.ipynb, cell 1"]
    assert "def weigh(item)" in first
    assert blocks["notes/analysis.ipynb, cell 3"] == "basket = [3, 4]"
    assert "notes/analysis.ipynb, cell 2" not in blocks, "prose is another language"
    assert any("json" in name for name in blocks if "cell" not in name), "an earlier cell's import counts"
    assert not any("cell" in name for name in await notebook.blocks(0))


async def test_a_cell_is_called_as_a_person_calls_it(notebook: Notebook) -> None:
    shown = await notebook.shown(3)
    assert shown["editing"]["name"] == "analysis.ipynb, cell 4"
    here = lsp.Range(lsp.Position(0, 0), lsp.Position(0, 0))
    params = lsp.CodeActionParams(lsp.TextDocumentIdentifier(uri_of(3)), here, lsp.CodeActionContext([]))
    (action,) = await notebook.editor.client.text_document_code_action_async(params) or []
    assert action.title == "Palimpsest: improve analysis.ipynb, cell 4"


async def test_cells_that_change_move_and_go_are_followed(notebook: Notebook) -> None:
    change = lsp.TextDocumentContentChangeWholeDocument("def weigh(item):\n    return item.weight\n")
    content = lsp.NotebookDocumentCellContentChanges(lsp.VersionedTextDocumentIdentifier(2, uri_of(0)), [change])
    notebook.change(lsp.NotebookDocumentCellChanges(text_content=[content]))
    assert "item.weight" in (await notebook.blocks(3))["notes/analysis.ipynb, cell 1"]
    inserted = lsp.NotebookDocumentCellChangeStructure(
        lsp.NotebookCellArrayChange(start=0, delete_count=0, cells=[cell(9, "python")]),
        did_open=[item(9, "python", "first = 1\n")],
    )
    notebook.change(lsp.NotebookDocumentCellChanges(structure=inserted))
    blocks = await notebook.blocks(3)
    assert blocks["notes/analysis.ipynb, cell 1"] == "first = 1"
    assert "item.weight" in blocks["notes/analysis.ipynb, cell 2"]
    removed = lsp.NotebookDocumentCellChangeStructure(
        lsp.NotebookCellArrayChange(start=0, delete_count=2), did_close=[lsp.TextDocumentIdentifier(uri_of(9))]
    )
    notebook.change(lsp.NotebookDocumentCellChanges(structure=removed))
    blocks = await notebook.blocks(3)
    assert "first = 1" not in blocks.values()
    assert not any("item.weight" in text for text in blocks.values())
    closed = [lsp.TextDocumentIdentifier(uri_of(i)) for i in range(4)]
    identifier = lsp.NotebookDocumentIdentifier(notebook.uri)
    notebook.editor.client.notebook_document_did_close(lsp.DidCloseNotebookDocumentParams(identifier, closed))
    with pytest.raises(Exception, match="not open"):
        await notebook.shown(3)


async def test_a_name_of_an_earlier_cell_is_no_slip(editor: Editor) -> None:
    """`weigh` is defined in the first cell: nothing of this one is misspelt."""
    notebook = Notebook(editor)
    await editor.ready()
    await editor.settled(uri_of(3), lsp.Position(0, 0))
    asked = {"uri": uri_of(3), "position": {"line": 0, "character": 0}}
    found = await editor.command("palimpsest.suggest", asked)
    assert not any("defined nowhere" in one["summary"] for one in found["suggestions"])
    blocks = await notebook.blocks(3)
    assert "notes/analysis.ipynb, cell 1" in blocks


def written(index: int, text: str) -> lsp.NotebookDocumentCellChanges:
    """A cell with another text."""
    content = lsp.TextDocumentContentChangeWholeDocument(text)
    identifier = lsp.VersionedTextDocumentIdentifier(2, uri_of(index))
    return lsp.NotebookDocumentCellChanges(text_content=[lsp.NotebookDocumentCellContentChanges(identifier, [content])])


LONG = "# What it weighs, and why.\n" * 400 + "class Scale:\n    def weigh(self, thing):\n        return thing.mass\n"


async def test_what_a_long_cell_defines_at_its_end_is_known(notebook: Notebook) -> None:
    notebook.change(written(0, LONG))
    notebook.change(written(3, "def used(scale: Scale):\n    return scale.weigh(basket)\n"))
    shown = (await notebook.shown(3, 1))["blocks"]
    blocks = {(block["type"], block["name"]): block["text"] for block in shown}
    assert "class Scale" not in blocks["file", "notes/analysis.ipynb, cell 1"]
    assert blocks["scope", "notes/analysis.ipynb, cell 1"] == "class Scale"
    assert "def weigh(self, thing)" in blocks["class", "notes/analysis.ipynb, cell 1.Scale"]


async def fixes(notebook: Notebook, text: str) -> list[str]:
    """The summaries of what is suggested for names in the last cell."""
    notebook.change(written(3, text))
    found = await notebook.editor.command(
        "palimpsest.suggest", {"uri": uri_of(3), "position": {"line": 0, "character": 0}}
    )
    return [one["summary"] for one in found["suggestions"] if "defined nowhere" in one["summary"]]


async def test_a_misspelt_name_of_an_earlier_cell_is_put_right(editor: Editor) -> None:
    notebook = Notebook(editor)
    await editor.ready()
    assert any("`basket` for `baskte`" in summary for summary in await fixes(notebook, "print(len(baskte))\n"))


async def test_a_name_at_the_end_of_a_long_cell_is_no_slip(editor: Editor) -> None:
    """`totals` is defined where the first cell's block does not reach, and `total` in this cell."""
    notebook = Notebook(editor)
    await editor.ready()
    notebook.change(written(0, "# What it weighs, and why.\n" * 400 + "totals = [3, 4]\n"))
    assert await fixes(notebook, "total = 1\nprint(total, totals)\n") == []


async def test_the_other_cells_follow_what_one_defines(notebook: Notebook) -> None:
    notebook.change(written(0, CELLS[0][1].replace("def weigh", "def measure")))
    asked = {"textDocument": {"uri": uri_of(0), "version": 2}, "position": {"line": 3, "character": 8}}
    send = notebook.editor.client.protocol.send_request_async
    (edit,) = plain(await send("palimpsest/nextEdit", asked))["edits"]
    assert (edit["textDocument"]["uri"], edit["text"]) == (uri_of(3), "measure")
    assert (edit["range"]["start"], edit["textDocument"]["version"]) == ({"line": 0, "character": 8}, 1)
