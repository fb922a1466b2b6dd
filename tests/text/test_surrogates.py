"""Characters beyond U+FFFF that come and go by halves: the document is the client's, whatever it cuts through."""

from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types as lsp

from palimpsest.languages.registry import language_of
from palimpsest.lsp.convert import apply_changes, position_in
from palimpsest.syntax.parser import Parser
from palimpsest.text.positions import PositionEncoding, joined, well_formed
from palimpsest.text.snapshot import Snapshot

GRIN = "\N{GRINNING FACE}"
HIGH, LOW = "\ud83d", "\ude00"
PIECES = st.lists(st.sampled_from(["a", "é", "\n", GRIN, HIGH, LOW, HIGH + LOW, '"', "x = 1\n"]), max_size=6)
TEXTS = PIECES.map("".join)


def units(text: str) -> list[int]:
    raw = text.encode("utf-16-le", "surrogatepass")
    return [int.from_bytes(raw[i : i + 2], "little") for i in range(0, len(raw), 2)]


def text_of(found: list[int]) -> str:
    return b"".join(unit.to_bytes(2, "little") for unit in found).decode("utf-16-le", "surrogatepass")


def position(found: list[int], at: int) -> lsp.Position:
    before = found[:at]
    line = before.count(ord("\n"))
    return lsp.Position(line, at - (len(before) - before[::-1].index(ord("\n")) if line else 0))


@given(TEXTS, st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30), TEXTS), max_size=8))
def test_the_document_ends_as_the_clients_does(text: str, changes: list[tuple[int, int, str]]) -> None:
    """The client's text is UTF-16 code units; it cuts them anywhere."""
    theirs = units(text)
    ours = Snapshot("file:///a.py", 0, "python", joined(text))
    parser = Parser(language_of)
    parser.parse(ours)
    for version, (one, other, new) in enumerate(changes, start=1):
        start, end = sorted((min(one, len(theirs)), min(other, len(theirs))))
        where = lsp.Range(position(theirs, start), position(theirs, end))
        change = lsp.TextDocumentContentChangePartial(range=where, text=new)
        theirs[start:end] = units(new)
        before, (ours, edits) = ours, apply_changes(ours, version, [change], "utf-16")
        parser.update(before, ours, edits)
        assert ours.text == text_of(theirs)
        fresh = Parser(language_of).parse(ours)
        assert str(parser.parse(ours).tree.root_node) == str(fresh.tree.root_node)


def test_two_halves_in_two_changes_are_one_character_and_what_parted_them_may_go() -> None:
    document = Snapshot("file:///a.py", 0, "python", "s = ''\n")
    for at, half in ((5, HIGH), (6, LOW)):
        where = lsp.Range(lsp.Position(0, at), lsp.Position(0, at))
        document, _ = apply_changes(document, 1, [lsp.TextDocumentContentChangePartial(where, half)], "utf-16")
    assert document.text == f"s = '{GRIN}'\n"
    between = lsp.Range(lsp.Position(0, 6), lsp.Position(0, 6))
    document, _ = apply_changes(document, 2, [lsp.TextDocumentContentChangePartial(between, "x")], "utf-16")
    assert document.text == f"s = '{HIGH}x{LOW}'\n"
    gone = lsp.Range(lsp.Position(0, 6), lsp.Position(0, 7))
    document, _ = apply_changes(document, 3, [lsp.TextDocumentContentChangePartial(gone, "")], "utf-16")
    assert document.text == f"s = '{GRIN}'\n"


@given(TEXTS)
def test_what_goes_out_has_an_encoding_and_loses_nothing_that_has_one(text: str) -> None:
    out = well_formed(text)
    assert out.encode("utf-8").decode("utf-8") == out
    assert len(out) == len(joined(text))
    assert all(a == b or b == "\ufffd" for a, b in zip(joined(text), out, strict=True))


@pytest.mark.parametrize("encoding", get_args(PositionEncoding))
def test_a_position_within_a_character_or_past_the_end_is_a_place_all_the_same(encoding: str) -> None:
    document = Snapshot("file:///a.py", 0, "python", f"{GRIN}{HIGH}b\n")
    for line in (0, 1, 2**31 - 1):
        for character in (0, 1, 2, 3, 5, 2**31 - 1):
            found = position_in(document, lsp.Position(line, character), encoding)  # type: ignore[arg-type]
            assert document.clamp(found) == found
