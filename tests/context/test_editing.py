"""The editing block: which lines a model sees of the code at the cursor, and under which numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.context import estimate as estimating
from palimpsest.context.editing import block as editing
from palimpsest.context.editing.block import editing_at
from palimpsest.context.estimate import estimate
from palimpsest.languages.python import LANGUAGE as PYTHON
from palimpsest.languages.registry import language_of
from palimpsest.prompt.blocks import number_line
from palimpsest.syntax.parse import parse_snapshot, parse_text
from palimpsest.syntax.parser import Parser
from palimpsest.text.snapshot import ContentChange, Position, Range, Snapshot
from palimpsest.types import Editing


def editing_of(source: str, max_tokens: int = 900, language: str = "python") -> Editing:
    """The editing block at `$0` of `source`."""
    before, _, after = source.partition("$0")
    position = Snapshot("", 0, "", before).position(len(before))
    return editing_at(parse_text(before + after, language_of(language)), position, "shop/cart.py", max_tokens)


def check(source: str, head: str, shown: str, max_tokens: int = 900) -> None:
    """`head` is the block's type and name; `shown` its numbered lines with `$0` at the cursor."""
    block = editing_of(source, max_tokens)
    assert f"{block.type} {block.name}" == head
    lines = []
    for index, line in enumerate(block.lines):
        text = line.text
        if index == block.cursor_line:
            text = f"{text[: block.cursor_column]}$0{text[block.cursor_column :]}"
        lines.append(number_line(line.number, text))
    assert "\n".join(lines) == shown.removeprefix("\n").removesuffix("\n")


SHOP = '''\
"""A shop.

Long story.
"""

import json
from a import (
    b,
)

LIMIT = 3


def load(path):
    with open(path) as file:
        return json.load(file)


@dataclass
class Cart:
    """What is bought.

    More of it.
    """

    items: list[Item]
    TAX = {
        "a": 1,
    }

    @property
    def total(self) -> int:
        """All of it."""
        return sum(self.items)

    def add(
        self, item: Item
    ) -> None: ...

    # about Line
    class Line:
        n: int

        def f(self):
            pass

    def __len__(self): return len(self.items)


if __name__ == "__main__":
    load("x")
'''


def cursor(before: str, source: str = SHOP) -> str:
    """`source` with the cursor before the first `before`."""
    assert before in source
    return source.replace(before, "$0" + before, 1)


def test_a_function_is_shown_whole_with_its_decorators_and_indent() -> None:
    check(
        cursor("sum("),
        "function Cart.total",
        '''
L1     @property
L2     def total(self) -> int:
L3         """All of it."""
L4         return $0sum(self.items)
''',
    )


CART = '''
L1 @dataclass
L2 class Cart:
L3     """What is bought.
    ...
L4
L5     items: list[Item]
L6     TAX = {
L7         "a": 1,
L8     }
L9
L10     @property
L11     def total(self) -> int:
        ...
L12
L13     def add(
L14         self, item: Item
L15     ) -> None: ...
L16
L17     # about Line
L18     class Line:
        ...
L19
L20     def __len__(self): return len(self.items)
'''


def test_a_class_is_shown_without_method_bodies() -> None:
    check(cursor("items: list"), "class Cart", CART.replace("items: list", "$0items: list"))
    check(cursor('"a": 1'), "class Cart", CART.replace('"a": 1', '$0"a": 1'))


def test_a_docstring_with_the_cursor_in_it_is_shown_whole() -> None:
    shown = editing_of(cursor("More of it"))
    assert [line.text for line in shown.lines[2:6]] == ['    """What is bought.', "", "    More of it.", '    """']
    assert (shown.cursor_line, shown.cursor_column) == (4, 4)


def test_a_file_is_shown_without_bodies() -> None:
    check(
        cursor("LIMIT"),
        "file shop.cart",
        '''
L1 """A shop.
...
L2
L3 import json
L4 from a import (
L5     b,
L6 )
L7
L8 $0LIMIT = 3
L9
L10 def load(path):
    ...
L11
L12 @dataclass
L13 class Cart:
    ...
L14
L15 if __name__ == "__main__":
L16     load("x")
L17
''',
    )


def test_the_cursors_line_is_shown_though_others_like_it_are_left_out() -> None:
    check(
        "def f():\n    a\n\n\n$0\n\ndef g(): pass",
        "file shop.cart",
        "L1 def f():\n    ...\nL2\nL3 $0\nL4 def g(): pass",
    )
    check("def f():\n    a\n\n    $0\n\n\nx = 1", "function f", "L1 def f():\nL2     a\nL3\nL4     $0")
    check("class A:\n    x = 1\n\n    $0\n\nx = 1", "class A", "L1 class A:\nL2     x = 1\nL3\nL4     $0")
    check("x\n$0", "file shop.cart", "L1 x\nL2 $0")
    check("$0", "file shop.cart", "L1 $0")


@pytest.mark.parametrize("indent", [0, 4])
def test_a_docstring_that_begins_with_bare_quotes_shows_its_first_text(indent: int) -> None:
    source = 'class A:\n    """\n    One.\n    Two.\n    """\n    x = 1$0\n'
    check(source, "class A", 'L1 class A:\nL2     """\nL3     One.\n    ...\nL4     x = 1$0')


def test_code_that_does_not_parse_is_shown_as_it_stands() -> None:
    source = "class A:\n    def f(self):\n        foo(a,$0\n        return 1\n\n    def g(self):\n        return 2\n"
    check(source, "function A.f", "L1     def f(self):\nL2         foo(a,$0\nL3         return 1")


def test_another_language_is_a_file_cut_around_the_cursor() -> None:
    lines = [f"line {n} of some prose" for n in range(200)]
    lines[100] += "$0"
    block = editing_of("\n".join(lines), 100, "plaintext")
    assert (block.type, block.lines[0].text, block.lines[-1].text) == ("file", "...", "...")
    assert estimate(block.text) <= 100
    assert block.lines[block.cursor_line].text == "line 100 of some prose"


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("shop/cart.py", "shop.cart"),
        ("shop/__init__.py", "shop"),
        ("__init__.py", "__init__"),
        ("stubs/a.pyi", "stubs.a"),
        ("docs/README.md", "README.md"),
        ("Untitled-1", "Untitled-1"),
        ("", ""),
    ],
)
def test_a_file_is_named_as_it_is_imported(file: str, name: str) -> None:
    assert language_of("", file).module_name(file) == name


def long_function(n_statements: int) -> str:
    """A method whose statements take one, three and two lines in turn, with a loop around some."""
    body = []
    for n in range(0, n_statements, 3):
        body.append(f"        first_{n} = compute_something_with(argument_{n})")
        body.append(f"        call_{n}(\n            first_{n},\n        )")
        body.append(f"        for item in first_{n}:\n            use(item)")
    head = '    @decorated\n    def long(self, a):\n        """What it does.\n\n        At length.\n        """\n'
    return "class A:\n" + head + "\n".join(body) + "\n"


@pytest.mark.parametrize("at", ["first_0 =", "first_30 =", "first_150 =", "first_297 =", "At length"])
def test_a_long_function_is_cut_around_the_cursor(at: str) -> None:
    block = editing_of(cursor(at, long_function(300)), 400)
    assert estimate(block.text) <= 400
    assert [line.text for line in block.lines[:3]] == [
        "    @decorated",
        "    def long(self, a):",
        '        """What it does.',
    ]
    assert at in block.lines[block.cursor_line].text
    assert estimate(block.text) > 200  # most of the room is used
    cuts = [line for line in block.lines if line.number is None]
    assert 1 <= len(cuts) <= 2
    assert {line.text.strip() for line in cuts} == {"..."}


def test_a_cut_is_at_a_statements_boundary_and_indented_like_what_follows() -> None:
    block = editing_of(cursor("first_150 =", long_function(300)), 300)
    source = long_function(300).split("\n")
    starts = ("        first_", "        call_", "        for ", "            use")
    assert None in [line.number for line in block.lines], "something was cut"
    for before, line, after in zip(block.lines, block.lines[1:], [*block.lines[2:], None], strict=False):
        if line.number is None:
            assert before.document_line is not None
            following = after.text if after is not None else source[before.document_line + 1]
            assert following.startswith(starts)
            assert line.text == following[: len(following) - len(following.lstrip())] + "..."


def test_long_skeletons_are_cut_at_members() -> None:
    members = "".join(f"    def method_{n}(self, argument):\n        return {n}\n\n" for n in range(100))
    block = editing_of(f"class A:\n    x = 1\n{members}    y = 2$0\n", 200)
    assert block.lines[0].text == "class A:"
    assert block.lines[1].text == "    ..."
    assert [line.text for line in block.lines[-4:]] == [
        "    def method_99(self, argument):",
        "        ...",
        "",
        "    y = 2",
    ]
    assert estimate(block.text) <= 200


TYPED = ["x", "(", "foo(bar, ", '"', "'''", "[", " ", "#", "lambda x:", ")", "if a:", "x = "]


@pytest.mark.parametrize("text", TYPED)
def test_the_cut_stays_while_a_statement_is_typed(text: str) -> None:
    parser = Parser(language_of)
    source, line = long_function(300), 9 + 300
    now = Snapshot("file:///a.py", 1, "python", source)
    parser.parse(now)
    column = len(now.lines[line])

    def shown() -> set[int]:
        block = editing_at(parser.parse(now), Position(line, column), "a.py", 500)
        return {shown.document_line for shown in block.lines if shown.document_line is not None}

    first = shown()
    assert len(first) < now.line_count / 2
    for char in text:
        at = Position(line, column)
        after, edits = now.changed([ContentChange(Range(at, at), char)], now.version + 1)
        parser.update(now, after, edits)
        now, column = after, column + 1
        assert shown() == first


def test_walking_down_a_long_function_moves_the_cut_in_steps() -> None:
    parsed = parse_text(long_function(300), PYTHON)
    starts = [editing_at(parsed, Position(line, 8), "a.py", 500).lines[4] for line in range(100, 200)]
    assert len(set(starts)) <= 15


def test_one_huge_statement_is_cut_between_its_lines() -> None:
    rows = [f"        ({n}, 'a row of a table'),\n" for n in range(500)]
    rows[250] = rows[250].replace("a row", "$0a row")
    block = editing_of(f"def f():\n    x = [\n{''.join(rows)}    ]\n    return x\n", 200)
    assert block.lines[0].text == "def f():"
    assert estimate(block.text) <= 200
    assert block.lines[block.cursor_line].text.startswith("        (250")


def test_a_huge_header_leaves_room_for_the_cursor() -> None:
    parameters = "".join(f"    parameter_{n}: int = {n},\n" for n in range(300))
    block = editing_of(f"def f(\n{parameters}):\n    first\n    return $01\n", 200)
    assert block.lines[block.cursor_line].text == "    return 1"
    assert estimate(block.text) <= 200


SOURCES = [
    SHOP,
    long_function(60),
    *(Path(str(module.__file__)).read_text("utf-8") for module in (editing, estimating)),
]


TYPING = st.sampled_from(
    ["", "", "(", "'", '"""', "\n", "\nx", "def g(", "class A:", "@", ":", "\r", "\\", "\n\n\n    ", ")", "\t"]
)


@given(st.data())
def test_numbers_map_back_to_document_lines(data: st.DataObject) -> None:
    source = data.draw(st.sampled_from(SOURCES))
    at = data.draw(st.integers(0, len(source)))
    source = source[:at] + data.draw(TYPING) + source[at + data.draw(st.sampled_from([0, 0, 1, 30])) :]
    parsed = parse_text(source, PYTHON)
    lines = parsed.snapshot.lines
    line = data.draw(st.integers(0, len(lines) - 1))
    column = data.draw(st.integers(0, len(lines[line])))
    block = editing_at(parsed, Position(line, column), "a.py", data.draw(st.integers(32, 2000)))
    numbered = [shown for shown in block.lines if shown.number is not None]
    assert [shown.number for shown in numbered] == list(range(1, len(numbered) + 1))
    places = [shown.document_line for shown in numbered if shown.document_line is not None]
    assert len(places) == len(numbered)
    assert places == sorted(set(places))
    assert [shown.text for shown in numbered] == [lines[place] for place in places]
    at_cursor = block.lines[block.cursor_line]
    unnumbered = [shown for shown in block.lines if shown.number is None]
    assert all(shown.document_line is None for shown in unnumbered)
    assert all(shown.text.strip() == "..." for shown in unnumbered if shown is not at_cursor)
    if at_cursor.number is None:  # the cursor's line is too long for the budget: a part of it, which cannot be edited
        start = column - block.cursor_column
        assert at_cursor.text == lines[line][start : start + len(at_cursor.text)] != lines[line]
    else:
        assert (at_cursor.document_line, block.cursor_column) == (line, column)
    assert block.prefix + block.suffix == block.text


@given(st.text(max_size=200), st.text(max_size=20))
def test_an_estimate_grows_with_the_text(text: str, more: str) -> None:
    assert estimate(text) <= estimate(text + more)
    assert (estimate(text) == 0) == (text == "")


@given(st.lists(st.integers(1, 60), min_size=1, max_size=40), st.integers(0, 300), st.data())
def test_a_window_holds_the_cursor_and_keeps_the_budget(sizes: list[int], budget: int, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(sizes) - 1))
    shown = editing.window(sizes, at, budget)
    assert at in shown
    assert sum(sizes[n] for n in shown) <= max(budget, sizes[at])
    if sum(sizes) <= budget:
        assert shown == range(len(sizes))


@given(st.lists(st.integers(1, 60), min_size=1, max_size=40), st.integers(12, 300), st.data())
def test_a_window_does_not_move_while_its_cursors_piece_grows(
    sizes: list[int], budget: int, data: st.DataObject
) -> None:
    at = data.draw(st.integers(0, len(sizes) - 1))
    step = budget // editing.STEPS
    grown = list(sizes)
    grown[at] = -(-sizes[at] // step) * step  # as far as the step it is counted as
    if sum(sizes) > budget:
        assert editing.window(grown, at, budget) == editing.window(sizes, at, budget)


@pytest.mark.parametrize("language", ["python", "java", "css"])
@pytest.mark.parametrize("at", [0, 7, 4_999, 9_993, 9_999])
def test_of_a_long_table_only_the_lines_near_the_cursor_are_looked_at(
    language: str, at: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [f"price({n}, [" if n % 3 == 0 else "]);" if n % 3 == 2 else f'  "item {n}",' for n in range(10_000)]
    snapshot = Snapshot("file:///a", 1, language, "\n".join(lines))
    parsed = parse_snapshot(snapshot, language_of(language))
    looked_at = list[int]()
    kind, statements = type(parsed.language), parsed.language.statements

    def counted(_: Any, lines: Sequence[str], start: int, end: int) -> Iterator[range]:
        looked_at.append(end - start)
        return statements(lines, start, end)

    # no door: how many lines are looked at is seen nowhere else
    monkeypatch.setattr(kind, "statements", counted)
    block = editing_at(parsed, Position(at, 2), "a", 300)
    assert block.lines[block.cursor_line].document_line == at
    assert estimate(block.text) <= 300
    assert len(block.lines) > 20
    assert sum(looked_at) < 600


def test_a_comment_above_a_class_that_is_half_typed() -> None:
    """Where its brackets are put right, the class has one end, wherever one looks from."""
    block = editing_of("/**/\npublic class Cart {\nl>$0@\n}", language="java")
    assert [line.document_line for line in block.lines] == [0, 1, 2, 3]
    assert block.lines[block.cursor_line].text == "l>@"


@pytest.mark.parametrize("language", ["python", "json", "javascript", "plaintext"])
@pytest.mark.parametrize("place", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("around", [("", ""), ("def f(a):\n" + "    g(a)\n" * 400, "\n" + "    h(a)\n" * 400)])
def test_a_line_at_the_cursor_that_is_too_long_is_cut_around_it(
    language: str, place: float, around: tuple[str, str]
) -> None:
    line = "    data = [" + ", ".join(map(str, range(2_000))) + "]"
    at = int(place * len(line))
    before, after = around[0] + line[:at], line[at:] + around[1]
    block = editing_of(f"{before}$0{after}", 300, language)
    assert len(block.lines[block.cursor_line].text) > 150
    assert len(re.findall(r"\d|[^\w\s]|\w+", block.text)) <= 300
    shown = block.lines[block.cursor_line]
    assert (shown.document_line, shown.number) == (None, None), "what is shown in part cannot be edited"
    behind = shown.text[block.cursor_column :]
    assert line[:at].endswith(shown.text[: block.cursor_column])
    assert line[at:].startswith(behind)
    starts = {n - editing_of(f"{before}{'x' * n}$0{after}", 300, language).cursor_column for n in range(0, 50, 10)}
    assert len(starts) <= 2, "typing moves the cut in steps"
