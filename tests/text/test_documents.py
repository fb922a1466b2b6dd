"""Which documents are open, and which of their lines was typed last."""

from palimpsest.text.documents import Documents
from palimpsest.text.snapshot import ContentChange, Position, Range, Snapshot

URI = "file:///a.py"


def test_the_lines_changed_last_are_those_of_the_last_edit() -> None:
    documents, first = Documents(), Snapshot(URI, 1, "python", "a\nb\nc\n")
    documents.put(first)
    assert not any(documents.is_typed(first, line) for line in range(4)), "nothing was typed yet"
    at = Range(Position(0, 1), Position(0, 1))
    second, edits = first.changed([ContentChange(at, "x"), ContentChange(Range(Position(2, 0), Position(2, 1)), "")], 2)
    documents.put(second, edits)
    assert [line for line in range(4) if documents.is_typed(second, line)] == [2]
    third, edits = second.changed([ContentChange(at, "\n\n")], 3)
    documents.put(third, edits)
    assert [line for line in range(6) if documents.is_typed(third, line)] == [0, 1, 2]
    documents.put(third)
    assert not documents.is_typed(third, 0), "opened again"


def test_any_line_of_a_text_that_no_document_has_may_be_typed() -> None:
    documents, snapshot = Documents(), Snapshot(URI, 1, "python", "a\n")
    assert documents.is_typed(snapshot, 0)
    documents.put(snapshot)
    assert documents.is_typed(Snapshot(URI, 1, "python", "ab\n"), 0)
    documents.close(URI)
    assert documents.is_typed(snapshot, 0)
