"""What `[[links]]` mean."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.documents.catalog import DocumentCatalog
from palimpsest.documents.outline import outline
from palimpsest.documents.wikilinks import Document, DocumentNames, Found, Link, Missing, Several, links, resolve
from palimpsest.workspace.files import WorkspaceFiles


def known(**texts: str) -> DocumentNames:
    return DocumentNames(Document(path.replace("__", "/") + ".md", outline(text)) for path, text in texts.items())


def meant(target: str, near: str, documents: DocumentNames) -> str | list[str]:
    (link,) = links(f"[[{target}]]")
    found = resolve(link, near, documents)
    if isinstance(found, Found):
        return found.document.path + (f"#{found.heading.title}" if found.heading is not None else "")
    return [one.path for one in found.documents] if isinstance(found, Several) else "missing"


def test_links_with_their_parts_and_places() -> None:
    text = "a [[one]] b [[two#Part|shown]] [[#Here]] [[t\\|s]] [[a#b#c]]"
    found = list(links(text))
    assert [(one.target, one.heading, one.shown) for one in found] == [
        ("one", "", ""),
        ("two", "Part", "shown"),
        ("", "Here", ""),
        ("t", "", "s"),
        ("a", "c", ""),
    ]
    assert text[found[0].start : found[0].end] == "[[one]]"


def test_a_path_counts_before_a_title_before_an_alias_before_a_heading() -> None:
    front = "---\naliases:\n  - x\n  - 'y'\n---\n"
    documents = known(x="# A\n", a__b=front + "# Title\n", c="# y\n", d="# D\n\n## Only\n", e="# E\n\n## A\n")
    assert meant("x", "", documents) == "x.md"
    assert meant("y", "", documents) == "c.md"
    assert meant("title", "", documents) == "a/b.md"
    assert meant("only", "", documents) == "d.md#Only"
    assert meant("A", "", documents) == "x.md"


def test_several_are_listed_and_the_nearest_is_meant_only_if_it_is_one() -> None:
    documents = known(notes="", a__notes="", a__b__notes="", c__notes="")
    assert meant("notes", "", documents) == "notes.md"  # exactly this path
    assert meant("notes", "a/x.py", documents) == "a/notes.md"
    assert meant("notes", "a/b/x.py", documents) == "a/b/notes.md"
    assert meant("b/notes", "", documents) == "a/b/notes.md"
    twice = known(a__one="# Same\n", a__two="# Same\n", b__three="# Same\n")
    assert meant("same", "a/x.py", twice) == ["a/one.md", "a/two.md", "b/three.md"]
    assert meant("same", "b/x.py", twice) == "b/three.md"
    assert meant("same", "x.py", twice) == ["a/one.md", "a/two.md", "b/three.md"]


def test_a_missing_heading_is_told_from_a_missing_document() -> None:
    documents = known(a="# A\n\n## What's new?\n")
    assert resolve(Link("a", "gone"), "", documents) == Missing(documents.by_path["a.md"])
    assert resolve(Link("b", "gone"), "", documents) == Missing(None)
    assert meant("a#whats-new", "", documents) == "a.md#What's new?"
    assert meant("#A", "a.md", documents) == "a.md#A"
    assert resolve(Link("", "A"), "", documents) == Missing(None)


def test_a_number_sign_may_be_part_of_a_name() -> None:
    documents = known(
        Foo="# Foo\n\n## C# & .NET\n\n## A\n\n## B\n", C="# C\n\n## Mixed\n", **{"C# intro": "# F#\n\n## G\n"}
    )
    wanted = {
        "Foo#C# & .NET": "Foo.md#C# & .NET",
        "C# intro": "C# intro.md",
        "C# intro#G": "C# intro.md#G",
        "f#": "C# intro.md",
        "C#mixed": "C.md#Mixed",
        "Foo#A#B": "Foo.md#B",
        "Foo#": "Foo.md",
        "C# gone": "missing",
    }
    assert {name: meant(name, "", documents) for name in wanted} == wanted
    assert meant("#C# & .NET", "Foo.md", documents) == "Foo.md#C# & .NET"


def test_an_accent_may_stand_apart_from_its_letter() -> None:
    """As in the names of files that macOS has written."""
    apart, in_one = (unicodedata.normalize(form, "größe") for form in ("NFD", "NFC"))
    documents = known(**{apart: f"# {apart} é\n\n## C'est {apart}!\n", "b": f"# é {in_one}\n"})
    for name in (apart, in_one):
        assert meant(name, "", documents) == f"{apart}.md"
        assert meant(f"é {name}", "", documents) == "b.md"
        assert meant(f"{name}#C'est {name}!", "", documents) == f"{apart}.md#C'est {apart}!"
        assert meant(f"{name}#cest-{name}", "", documents) == f"{apart}.md#C'est {apart}!"


def test_a_mark_is_the_paragraph_or_item_that_has_it() -> None:
    text = "# block\n\none\ntwo ^block\n\n- a\n- b ^item\n\n| t |\n\n^table\n\n```\nx ^code\n```\n"
    documents = known(Foo=text)
    assert meant("Foo#^block", "", documents) == "Foo.md#^block"
    assert meant("#^Item", "Foo.md", documents) == "Foo.md#^item"
    assert meant("Foo#^code", "", documents) == meant("Foo#^gone", "", documents) == "missing"
    assert [(one.title, one.start, one.end) for one in outline(text).blocks] == [
        ("^block", 2, 4),
        ("^item", 6, 7),
        ("^table", 8, 11),
    ]


@pytest.mark.parametrize("target", ["/a", "\\a", "~/a", "C:/a", "../a", "x/../../a", "..", "."])
def test_nothing_leads_out(target: str) -> None:
    assert meant(target, "x.py", known(a="")) == "missing"


@given(st.text(max_size=40), st.text(max_size=20))
def test_any_text_has_an_answer(text: str, near: str) -> None:
    documents = known(a="# A\n", b__c="# A\n")
    for link in links(f"[[{text}]] {text}"):
        assert isinstance(resolve(link, near, documents), Found | Several | Missing)


def test_outlines() -> None:
    found = outline(
        "---\ntitle: 'T'\nalias: one\n---\n\n[![badge](x)](y)\n\nFirst\nsecond.\n\n# H #\n\n```\n# no\n```\n"
    )
    assert (found.title, found.aliases, found.summary) == ("T", ("one",), (7, 9))
    assert [(heading.title, heading.start) for heading in found.headings] == [("H", 10)]
    found = outline("Title\n=====\n\nText.\n\nPart\n----\n\nIn.\n\nNext\n====\n")
    assert [(one.title, one.level, one.start, one.end, one.inner_end) for one in found.headings] == [
        ("Title", 1, 0, 10, 5),
        ("Part", 2, 5, 10, 10),
        ("Next", 1, 10, 13, 13),
    ]
    assert found.summary == (3, 4)


@given(st.text(alphabet="-#=`\n ab:[]^", max_size=200))
def test_any_document_has_an_outline_within_its_lines(text: str) -> None:
    found, n_lines = outline(text), text.count("\n") + 1
    assert 0 <= found.summary[0] <= found.summary[1] <= n_lines
    every = (*found.headings, *found.blocks)
    assert all(0 <= one.start < one.inner_end <= one.end <= n_lines for one in every)


@pytest.fixture
def many(tmp_path: Path) -> Callable[[int], Path]:
    def make(number: int) -> Path:
        for n in range(number):
            folder = tmp_path / f"d{n % 50}"
            folder.mkdir(exist_ok=True)
            (folder / f"page{n}.md").write_text(f"# Page {n}\n\nText {n}.\n")
        return tmp_path

    return make


def test_the_catalogue_is_kept_up_to_date(many: Callable[[int], Path]) -> None:
    root = many(3)
    kept = DocumentCatalog(WorkspaceFiles([root]), look_s=0.0)
    first = kept.documents(root)
    assert kept.documents(root) is first
    (root / "d0/page0.md").write_text("# Other name\n\nText.\n")
    (root / "d1/page1.md").unlink()
    assert meant("other name", "", kept.documents(root)) == "d0/page0.md"
    assert meant("page1", "", kept.documents(root)) == "missing"


def test_the_catalogue_is_bounded(many: Callable[[int], Path]) -> None:
    assert len(DocumentCatalog(WorkspaceFiles([many(9)]), most=5).documents(many(9)).by_path) == 5


@pytest.mark.slow(part="storms")
def test_ten_thousand_documents(many: Callable[[int], Path]) -> None:
    root = many(10_050)
    documents = DocumentCatalog(WorkspaceFiles([root])).documents(root)
    assert len(documents.by_path) == 10_000
    assert meant("Page 77", "", documents) == "d27/page77.md"
