"""How changes came about, told by the changes alone."""

from __future__ import annotations

from palimpsest.context.activity.origins import KEPT, PASTED_CHARS, PASTED_LINES, Origin, Origins
from palimpsest.text.snapshot import ContentChange, Position, Range, Snapshot

CODE = "def f(a,b):\n  return a+b\n\n\ndef g():\n  print( 'x' )\n"


class Typist:
    """Changes a document, and says how each change is seen."""

    def __init__(self, text: str) -> None:
        self.now, self.origins = Snapshot("file:///a.py", 1, "python", text), Origins()

    def change(self, *changes: ContentChange) -> Origin:
        old = self.now
        self.now, edits = old.changed(changes, old.version + 1)
        return self.origins.of(old, self.now, edits)

    def put(self, text: str, line: int = 0, column: int = 0, end: tuple[int, int] | None = None) -> Origin:
        return self.change(ContentChange(Range(Position(line, column), Position(*(end or (line, column)))), text))

    def become(self, text: str) -> Origin:
        return self.change(ContentChange(None, text))


def test_keys_completions_and_small_pieces_are_typed() -> None:
    typist = Typist(CODE)
    for text in ("x", "\n", "    ", "self.total = 0", "\n    if x:\n        return 1"):
        assert typist.put(text) == "typed"
    assert typist.put("", 0, 0, (0, 3)) == "typed"


def test_much_at_once_is_pasted() -> None:
    assert Typist(CODE).put("x" * PASTED_CHARS) == "pasted"
    assert Typist(CODE).put("x\n" * PASTED_LINES) == "pasted"
    assert Typist(CODE).put("x" * (PASTED_CHARS - 1)) == "typed"


def test_a_text_that_was_there_before_is_undone_or_redone() -> None:
    typist = Typist(CODE)
    typist.put("value", 0, 0)
    typist.put(" = 1", 0, 5)
    typed = typist.now.text
    assert typist.become(CODE) == "undone"
    assert typist.become(typed) == "undone"
    assert typist.put("!") == "typed"


def test_a_slip_of_the_finger_is_no_undo() -> None:
    typist = Typist(CODE)
    assert typist.put("x") == "typed"
    assert typist.put("", 0, 0, (0, 1)) == "typed"
    assert typist.put("", 0, 0, (0, 1)) == "typed"
    assert typist.put("d") == "typed"


def test_documents_have_each_their_texts_and_no_more_than_are_kept() -> None:
    origins, one = Origins(), Snapshot("file:///a.py", 1, "python", CODE)
    changed, edits = one.changed([ContentChange(None, "other")], 2)
    assert origins.of(one, changed, edits) == "typed"
    other = Snapshot("file:///b.py", 1, "python", "other")
    assert origins.of(other, *other.changed([ContentChange(None, CODE)], 2)) != "undone"
    origins.forget(one.uri)
    assert origins.of(changed, *changed.changed([ContentChange(None, CODE)], 3)) != "undone"
    typist = Typist(CODE)
    for _ in range(KEPT + 1):
        typist.put("ab")
    assert typist.become(CODE) != "undone"


def test_what_only_looks_otherwise_is_formatted() -> None:
    tidy = 'def f(a, b):\n    return a + b\n\n\ndef g():\n    print("x")\n'
    assert Typist(CODE).become(tidy) == "formatted"
    assert Typist("a = [\n  1,\n  2\n]\n").become("a = [\n    1,\n    2,\n]\n") == "formatted"
    assert Typist("if x:\n    a()\n    b()\n").put("        a()\n        b()\n", 1, 0, (3, 0)) == "formatted"


def test_a_line_that_is_broken_or_indented_is_typed() -> None:
    assert Typist(CODE).put("\n    ", 1, 9) == "typed"
    assert Typist(CODE).put("  ", 1, 0) == "typed"
    assert Typist(CODE).put("()", 5, 2) == "typed"
    assert Typist(CODE).put("", 0, 9, (1, 2)) == "typed"


def test_what_says_something_else_is_not_formatted() -> None:
    assert Typist(CODE).become(CODE.replace("a+b", "a - b").replace("'x'", "'y'")) == "typed"
    assert Typist(CODE).put("\n\n\n\n") == "typed"
    assert Typist("a\n\n\n\nb").become("a\nb") == "typed"
