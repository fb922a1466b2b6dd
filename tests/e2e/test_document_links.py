"""`[[links]]` in Markdown and in comments: followed, shown, completed, and warned of where they lead nowhere."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types as lsp

from palimpsest.text.uris import to_uri

from .conftest import Editor, start_editor, stop_editor, until

NONE = {"engine": {"kind": "none"}}
PRICES = "---\naliases: [tariffs]\n---\n# Prices\n\nWhat things cost.\n\n## Rounding\n\nTo the cent.\n\n## Currencies\n"
KEY = (
    "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAAB\n"
    "-----END OPENSSH PRIVATE KEY-----\n"
)


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    root = tmp_path / "notes"
    for name, text in {
        "docs/prices.md": PRICES,
        "one/same.md": "# One\n",
        "two/same.md": "# Two\n",
        "secrets/id_rsa.md": KEY,
        "docs/key.md": f"# Key\n\n{KEY}",
        "code.py": '"""Prices as in [[prices]]."""\n\n# see [[prices#Rounding]] and [[nothing]]\nmatrix = [[prices]]\n',
    }.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    (tmp_path / "outside.md").write_text("# Outside\n", encoding="utf-8")
    return root


@pytest.fixture
async def window(machine: dict[str, str], notes: Path) -> AsyncIterator[Editor]:
    it = await start_editor(notes, NONE)
    yield it
    await stop_editor(it)


async def linked(window: Editor, uri: str) -> list[lsp.DocumentLink]:
    params = lsp.DocumentLinkParams(lsp.TextDocumentIdentifier(uri))
    return list(await window.client.text_document_document_link_async(params) or [])


async def hovered(window: Editor, uri: str, needle: str) -> str:
    params = lsp.HoverParams(lsp.TextDocumentIdentifier(uri), window.at(uri, needle))
    hover = await window.client.text_document_hover_async(params)
    if hover is None:
        return ""
    assert isinstance(hover.contents, lsp.MarkupContent)
    return hover.contents.value


async def completed(window: Editor, uri: str, needle: str) -> dict[str, lsp.CompletionItem]:
    params = lsp.CompletionParams(lsp.TextDocumentIdentifier(uri), window.at(uri, needle))
    found = await window.client.text_document_completion_async(params)
    assert isinstance(found, lsp.CompletionList)
    return {item.label: item for item in found.items}


def warnings(window: Editor, uri: str) -> list[Any]:
    return [(one.code, one.message) for one in window.client.diagnostics.get(uri, [])]


async def test_links_lead_to_documents_and_select_the_passage(window: Editor, notes: Path) -> None:
    uri = window.open("index.md", "[[prices]] [[tariffs]] [[Prices#Rounding|x]] [[nothing]] [[#Here]]\n\n## Here\n")
    prices = to_uri(notes / "docs" / "prices.md")
    found = await linked(window, uri)
    here = f"{uri}#L3,1-L4,1"
    assert [link.target for link in found] == [prices, prices, f"{prices}#L8,1-L11,1", here]
    assert found[0].range == lsp.Range(lsp.Position(0, 0), lsp.Position(0, 10))


async def defined(window: Editor, uri: str, needle: str) -> list[tuple[str, int]]:
    params = lsp.DefinitionParams(lsp.TextDocumentIdentifier(uri), window.at(uri, needle))
    found = await window.client.text_document_definition_async(params)
    assert isinstance(found, list)
    return [(one.uri, one.range.start.line) for one in found if isinstance(one, lsp.Location)]


async def test_links_and_ids_are_followed_as_definitions_are(window: Editor, notes: Path) -> None:
    uri = window.open("index.md", "[[prices]] [[Prices#Rounding|x]] [[nothing]] [[#Here]]\n\n## Here\n")
    prices = to_uri(notes / "docs" / "prices.md")
    assert await defined(window, uri, "[[pri") == [(prices, 0)]
    assert await defined(window, uri, "#Roun") == [(prices, 7)]
    assert await defined(window, uri, "#He") == [(uri, 2)]
    assert await defined(window, uri, "[[noth") == []
    code = window.open("code.py")
    assert await defined(window, code, "see [[pri") == [(prices, 7)]
    assert await defined(window, code, "matrix = [[pri") == []
    talk = window.open("talk.palimpsest.md", "---\nid: c-1234abcd\n---\n## user\nsee `ref:parse it`\n")
    assert await defined(window, talk, "ref:par") == [("palimpsest:/ref/c-1234abcd/parse%20it", 0)]


async def test_comments_and_docstrings_of_code_have_links_and_code_has_none(window: Editor, notes: Path) -> None:
    uri = window.open("code.py")
    prices = to_uri(notes / "docs" / "prices.md")
    found = await linked(window, uri)
    assert [(link.range.start.line, link.target) for link in found] == [(0, prices), (2, f"{prices}#L8,1-L11,1")]
    assert "To the cent" in await hovered(window, uri, "[[prices#Rou")
    assert await hovered(window, uri, "[[noth") == ""
    assert await hovered(window, uri, "matrix = [[pri") == ""
    assert warnings(window, uri) == []


async def test_hover_shows_summary_and_first_lines(window: Editor) -> None:
    uri = window.open("index.md", "[[prices]] [[tariffs#Rounding]] [[same]] [[nothing]]\n")
    shown = await hovered(window, uri, "[[pri")
    assert "**Prices**" in shown
    assert shown.count("What things cost.") == 1, "the summary is among the lines that are shown"
    assert "\\" not in shown
    assert "## Rounding" in shown
    assert "To the cent." in await hovered(window, uri, "#Roun")
    same = await hovered(window, uri, "[[same")
    assert "one/same" in same
    assert "two/same" in same
    assert "No document" in await hovered(window, uri, "[[noth")


BESIDE = "<!-- calls and documents -->\n\nReferenced documents:\n- [[nowhere]] (not found: Document not found)\n"


async def test_in_a_conversation_a_broken_link_is_warned_of_where_somebody_has_said_it(window: Editor) -> None:
    front = "---\nid: c-12345678\nname: See [[nowhere]] (fork)\n---\n\n"
    uri = window.open("talk.palimpsest.md", f"{front}## user <!-- turn 1 -->\n\nSee [[nowhere]].\n\n{BESIDE}")
    await until(lambda: bool(warnings(window, uri)))
    (one,) = window.client.diagnostics[uri]
    assert (one.code, one.range.start) == ("broken-link", lsp.Position(7, 4))


async def test_broken_and_ambiguous_links_are_warned_of_until_they_are_mended(window: Editor, notes: Path) -> None:
    uri = window.open("index.md", "[[prices]] [[same]] [[new page]] [[prices#Nowhere]] `[[code]]`\n")
    await until(lambda: len(warnings(window, uri)) == 3)
    (same, new, heading) = warnings(window, uri)
    assert same[0] == "ambiguous-link"
    assert "one/same.md, two/same.md" in same[1]
    assert new[0] == heading[0] == "broken-link"
    assert "docs/prices.md has no such heading" in heading[1]
    (notes / "new page.md").write_text("# New\n", encoding="utf-8")
    changed = lsp.FileEvent(to_uri(notes / "new page.md"), lsp.FileChangeType.Created)
    window.client.workspace_did_change_watched_files(lsp.DidChangeWatchedFilesParams([changed]))
    await until(lambda: len(warnings(window, uri)) == 2)
    window.edit(uri, "[[same]]", "[[one/same]]")
    window.edit(uri, "#Nowhere", "#Rounding")
    await until(lambda: warnings(window, uri) == [])
    window.edit(uri, "[[prices]]", "[[gone]]")
    await until(lambda: len(warnings(window, uri)) == 1)
    window.close(uri)
    await until(lambda: warnings(window, uri) == [])


async def test_completion_knows_paths_titles_aliases_and_headings(window: Editor, notes: Path) -> None:
    uri = window.open("index.md", "see [[ta\n[[Roun]] x\n[[prices#\nno [brackets\n[[#He\n\n## Here\n")
    found = await completed(window, uri, "[[ta")
    assert "tariffs" in found
    edit = found["tariffs"].text_edit
    assert isinstance(edit, lsp.TextEdit)
    assert (edit.new_text, edit.range) == ("tariffs]]", lsp.Range(lsp.Position(0, 6), lsp.Position(0, 8)))
    closed = (await completed(window, uri, "[[Roun"))["Rounding"].text_edit
    assert isinstance(closed, lsp.TextEdit)
    assert closed.new_text == "Rounding"
    assert set(await completed(window, uri, "[[prices#")) == {"prices#Prices", "prices#Rounding", "prices#Currencies"}
    assert await completed(window, uri, "no [bra") == {}
    assert set(await completed(window, uri, "[[#He")) == {"#Here"}
    begun = window.open("more.md", "[[")
    names = set(await completed(window, begun, "[["))
    assert {"docs/prices", "Prices", "tariffs", "one/same", "two/same"} <= names
    assert not any("key" in name.lower() or "id_rsa" in name for name in names), "a secret is no document"
    code = window.open("code.py", "# [[pri\nx = [[pri\n")
    assert "docs/prices" in await completed(window, code, "# [[pri")
    assert await completed(window, code, "x = [[pri") == {}


@pytest.mark.parametrize(
    "link",
    ["../outside", "../../etc/passwd", "/etc/passwd", "~/x", "secrets/id_rsa", "docs/key", "C:/x", "a\\..\\..\\x"],
)
async def test_what_is_outside_or_secret_is_no_document(window: Editor, link: str) -> None:
    uri = window.open("index.md", f"[[{link}]]\n")
    assert await linked(window, uri) == []
    await until(lambda: warnings(window, uri))
    assert warnings(window, uri)[0][0] == "broken-link"
    shown = await hovered(window, uri, "[[")
    assert "PRIVATE KEY" not in shown
    assert "root:" not in shown


async def test_ten_thousand_links_are_followed_and_five_hundred_warned_of(window: Editor) -> None:
    uri = window.open("many.md", "".join(f"[[prices]] [[none {n}]]\n" for n in range(5_000)))
    await until(lambda: len(warnings(window, uri)) == 500)
    assert len(await linked(window, uri)) == 5_000
    assert await hovered(window, uri, "[[none 4999") != ""


async def test_links_are_off_where_a_setting_says_so(machine: dict[str, str], notes: Path) -> None:
    window = await start_editor(notes, {**NONE, "documents": {"links": False}})
    try:
        uri = window.open("index.md", "[[prices]] [[nothing]] [[\n")
        assert await linked(window, uri) == []
        assert await hovered(window, uri, "[[pri") == ""
        assert await completed(window, uri, "] [[") == {}
        assert warnings(window, uri) == []
    finally:
        await stop_editor(window)


async def test_ids_in_a_conversation_are_links(window: Editor) -> None:
    front = "---\nid: c-1234abcd\n---\n"
    uri = window.open(
        "talk.palimpsest.md", f'{front}## user\nsee fd-3 and ref:parse_it, not xfd-4\n<ref id="a-b">x</ref>\n'
    )
    found = [link.target for link in await linked(window, uri)]
    assert found == [
        "palimpsest:/fd/c-1234abcd/fd-3",
        "palimpsest:/ref/c-1234abcd/parse_it",
        "palimpsest:/ref/c-1234abcd/a-b",
    ]
    assert await hovered(window, uri, "see fd") == "", "there is no such conversation"
    plain = window.open("plain.md", "see fd-3\n")
    assert await linked(window, plain) == []
