"""What small models make of each edit format, and what is said where it cannot be read."""

from __future__ import annotations

from dataclasses import replace

import pytest
from shown_sample import shown_block

from palimpsest.edits.formats import FORMATS
from palimpsest.edits.line_edits import applied
from palimpsest.edits.reply import WrittenEdits
from palimpsest.edits.shown import ShownBlock
from palimpsest.types import CURSOR_MARKER, ShownLine

CODE = ["def f(a):", "    b = a", "", "    if a:", "        b = a", "    return b"]
BLOCK = shown_block(*CODE)
CART = shown_block(
    "class Cart:",
    "    items = []",
    "",
    "    def add(self, item):",
    None,
    "",
    "    def drop(self, item):",
    "        self.add(item)",
    "        add(item)",
    "        return Cart.add",
    "",
    "    def all(self):",
    "        return self.items",
)
CART = replace(CART, lines=(*CART.lines[:4], ShownLine("        ...", None, None), *CART.lines[5:]))
METHOD = ShownBlock("editing", True, "file:///a.py", 1, CART.lines[6:10], "Cart.drop")


def read(format: str, content: str, block: ShownBlock = BLOCK) -> WrittenEdits:
    text = f'<suggestion name="{block.name}">\n{content}\n</suggestion>\n<summary>S</summary>'
    reply = FORMATS[format].read(text, {block.name: block})
    assert reply.summary == "S"
    (written,) = reply.written
    return written


def after(format: str, content: str, block: ShownBlock = BLOCK) -> list[str]:
    written = read(format, content, block)
    assert written.problem == ""
    return applied([line.text for line in block.lines], written.edits)


def changed(**lines: str) -> list[str]:
    """The code with lines replaced: `l5="…"`."""
    return [lines.get(f"l{n}", line) for n, line in enumerate(CODE)]


class TestWhole:
    @pytest.mark.parametrize(
        "lines",
        [
            changed(l5="    return 0"),
            ["```python", *changed(l5="    return 0"), "```"],
            ["", "```", *changed(l5="    return 0")],
            [f"L{n} {line}".rstrip() for n, line in enumerate(changed(l5="    return 0"), start=1)],
            ['<editing type="function" file="a.py" name="f">', *changed(l5="    return 0"), "</editing>"],
            changed(l5=f"    return {CURSOR_MARKER}0"),
            [line + "\r" for line in changed(l5="    return 0")],
        ],
        ids=["as told", "fences", "fence", "numbers", "tags", "cursor", "CRLF"],
    )
    def test_the_block_again_is_compared_with_what_was_shown(self, lines: list[str]) -> None:
        written = read("whole", "\n".join(lines))
        assert [(edit.start, edit.end, edit.lines) for edit in written.edits] == [(5, 6, ("    return 0",))]

    def test_as_many_lines_as_possible_are_left_alone(self) -> None:
        content = "\n".join([*CODE[:2], "    c = 0", *CODE[2:4], "        b = a", "        c = b", CODE[5]])
        written = read("whole", content)
        assert [(edit.start, edit.end) for edit in written.edits] == [(2, 2), (5, 5)]

    def test_marks_of_code_left_out_stay_where_they_stood(self) -> None:
        lines = [line.text for line in CART.lines]
        moved = [*lines[:3], "    def push(self, item):", "      ...", *lines[5:]]
        assert read("whole", "\n".join(moved), CART).edits[0].lines == ("    def push(self, item):",)
        assert "has to stay" in read("whole", "\n".join([*lines[:4], *lines[5:]]), CART).problem

    def test_a_reply_that_was_cut_off_deletes_nothing(self) -> None:
        reply = FORMATS["whole"].read('<suggestion name="editing">\n' + "\n".join(CODE[:3]), {"editing": BLOCK})
        assert "ends before the block does" in reply.written[0].problem

    @pytest.mark.parametrize("content", ["", "\n", "```\n```", "  \n\n"])
    def test_an_empty_suggestion_is_no_edit(self, content: str) -> None:
        assert read("whole", content).edits == ()

    def test_a_reply_far_too_long_is_refused_and_not_compared(self) -> None:
        block = shown_block(*(f"x = {i}" for i in range(400)))
        assert "far too long" in read("whole", "y\n" * 20_000, block).problem


def pair(old: str, new: str) -> str:
    return f"<<<<<<< SEARCH\n{old}\n=======\n{new}\n>>>>>>> REPLACE"


class TestSearchReplace:
    @pytest.mark.parametrize(
        "content",
        [
            pair("    return b", "    return 0"),
            pair("    if a:\n        b = a\n    return b", "    if a:\n        b = a\n    return 0"),
            "a.py\n```python\n" + pair("    return b", "    return 0") + "\n```",
            pair("    return b", "    return 0")
            .replace("<<<<<<< SEARCH", "<<<<<<<< search")
            .replace("=======", "====="),
            pair("    return b", "    return 0").removesuffix("\n>>>>>>> REPLACE"),
            pair("L6     return b", "L6     return 0"),
            pair(f"    return b{CURSOR_MARKER}", "    return 0"),
            pair("return b", "return 0"),
            pair("        return  b ", "        return 0"),
            pair("\n  return b\n", "\n  return 0\n"),
        ],
        ids=["as told", "more", "fences", "signs", "no end", "numbers", "cursor", "margin", "spaces", "blank lines"],
    )
    def test_lines_are_found_and_indented_as_the_block_is(self, content: str) -> None:
        assert after("search-replace", content) == changed(l5="    return 0")

    def test_several_parts_speak_of_the_block_as_it_was_shown(self) -> None:
        content = pair("    return b", "    return 0") + "\n" + pair("def f(a):", "def g(a):")
        assert after("search-replace", content) == changed(l0="def g(a):", l5="    return 0")

    def test_added_lines_are_indented_with_those_around_them(self) -> None:
        content = pair("if a:\n    b = a", "if a:\n    b = a\n    c = b\n    if c:\n        d()")
        expected = [*CODE[:5], "        c = b", "        if c:", "            d()", CODE[5]]
        assert after("search-replace", content) == expected

    def test_lines_nearly_alike_are_taken_and_keep_what_was_not_changed(self) -> None:
        lines = [
            "def total(self, cart, discount):",
            "    value = sum(item.price for item in cart.items)",
            "    return x",
        ]
        quoted = lines[1].replace("cart.items", "cart.item")
        content = pair("\n".join([lines[0], quoted, lines[2]]), "\n".join([lines[0], quoted, "    return value"]))
        assert after("search-replace", content, shown_block(*lines)) == [*lines[:2], "    return value"]

    def test_a_mark_of_code_left_out_may_be_quoted(self) -> None:
        content = pair("    def add(self, item):\n        ...", "    def add(self, item, n=1):\n        ...")
        assert after("search-replace", content, CART)[3:5] == ["    def add(self, item, n=1):", "        ..."]

    @pytest.mark.parametrize(
        ("content", "says"),
        [
            (pair("    return c", "    return 0"), "a SEARCH part does not stand in \"editing\": 'return c'"),
            (pair("b = a", "b = 0"), "a SEARCH part stands 2 times in \"editing\": 'b = a'"),
            (pair("", "x = 1"), "quotes no line"),
            (pair("L2 ", "L2 x = 1"), "quotes no line"),
            ("<<<<<<< SEARCH\nx", "no ======="),
            ("return 0", "there is no SEARCH part"),
        ],
    )
    def test_what_has_no_one_place_is_refused_with_the_reason(self, content: str, says: str) -> None:
        written = read("search-replace", content)
        assert says in written.problem
        assert written.edits == ()

    def test_a_reply_that_was_cut_off_keeps_its_complete_parts(self) -> None:
        text = f'<suggestion name="editing">\n{pair("    return b", "    return 0")}\n<<<<<<< SEARCH\ndef f(a):\n===='
        (written,) = FORMATS["search-replace"].read(text, {"editing": BLOCK}).written
        assert (written.complete, written.problem) == (False, "")
        assert applied(CODE, written.edits) == changed(l5="    return 0")


class TestUdiff:
    @pytest.mark.parametrize(
        "lines",
        [
            ["@@ @@", "         b = a", "-    return b", "+    return 0"],
            [
                "--- a/a.py",
                "+++ b/a.py",
                "@@ -9,2 +9,2 @@ def f(a):",
                "         b = a",
                "-    return b",
                "+    return 0",
            ],
            ["```diff", "-    return b", "+    return 0", "```"],
            ["@@ @@", "    if a:", "        b = a", "-    return b", "+    return 0", "\\ No newline at end of file"],
            ["@@ @@", "", "-    return b", "+    return 0", ""],
            ["@@ @@", "-return b", "+return 0"],
            ["@@ @@", " def f(a):", "@@ @@", "-    return b", "+    return 0"],
        ],
        ids=["as told", "numbers", "no head", "no spaces", "blank lines", "margin", "kept only"],
    )
    def test_hunks_are_found_by_what_they_quote(self, lines: list[str]) -> None:
        assert after("udiff", "\n".join(lines)) == changed(l5="    return 0")

    def test_several_hunks(self) -> None:
        assert after("udiff", "@@ @@\n-    return b\n+    return 0\n@@ @@\n-def f(a):\n+def g(a):") == changed(
            l0="def g(a):", l5="    return 0"
        )

    def test_lines_that_read_like_names_of_files_are_lines_in_a_hunk(self) -> None:
        block = shown_block("x", "-- a/b", "y")
        assert after("udiff", "@@ @@\n x\n--- a/b\n+++ b/b", block) == ["x", "++ b/b", "y"]

    @pytest.mark.parametrize(
        ("content", "says"),
        [
            ("@@ @@\n-    return c\n+    return 0", "a hunk does not stand in"),
            ("@@ @@\n-b = a\n+b = 0", "a hunk stands 2 times in"),
            ("@@ @@\n+b = 0", "quotes no line"),
        ],
    )
    def test_what_has_no_one_place_is_refused_with_the_reason(self, content: str, says: str) -> None:
        assert says in read("udiff", content).problem


class TestAst:
    @pytest.mark.parametrize(
        "node", ["function Cart.all", "Cart.all", "all", "method  all()", "def Cart.all", "function shop.cart.Cart.all"]
    )
    def test_a_definition_is_known_by_its_path_or_the_end_of_it(self, node: str) -> None:
        content = f'<replace node="{node}">\n    def all(self):\n        return 1\n</replace>'
        assert after("ast", content, CART)[11:] == ["    def all(self):", "        return 1"]

    def test_code_at_the_margin_is_indented_as_the_definition_is(self) -> None:
        content = "<replace node='all'>\n```python\ndef all(self):\n\n    return 1\n```\n</replace>"
        assert after("ast", content, CART)[11:] == ["    def all(self):", "", "        return 1"]
        content = "<insert-before node='all'>\n@property\n</insert-before>"
        assert after("ast", content, CART)[10:12] == ["", "    @property"]

    def test_code_goes_before_and_after_a_definition(self) -> None:
        content = "<insert-after node='function Cart.drop'>\n    X = 1\n</insert-after>\n<delete node='all'/>"
        assert after("ast", content, CART)[9:] == ["        return Cart.add", "    X = 1", ""]

    def test_a_rename_follows_the_tree(self) -> None:
        lines = after("ast", '<rename node="function Cart.add" to="append"/>', CART)
        assert lines[3] == "    def append(self, item):"
        assert lines[7:10] == ["        self.append(item)", "        add(item)", "        return Cart.append"]

    def test_a_renamed_method_is_known_without_its_class(self) -> None:
        lines = after("ast", '<rename node="function Cart.drop" to="away"></rename>', METHOD)
        assert lines[0] == "    def away(self, item):"
        text = [*CART.lines[6:7], *shown_block("        é(); self.drop(drop), drop.drop").lines]
        block = ShownBlock("editing", True, "file:///a.py", 1, tuple(text), "Cart.drop")
        assert after("ast", "<rename node='Cart.drop' to='x'/>", block)[1] == "        é(); self.x(drop), drop.drop"

    def test_a_renamed_function_leaves_what_is_shadowed(self) -> None:
        block = shown_block("def f(g):", "    return g", "def g():", "    return g() + x.g, 'g'", "g = 1")
        assert after("ast", "<rename node='function g' to='h'/>", block)[:4] == [
            "def f(g):",
            "    return g",
            "def h():",
            "    return h() + x.g, 'g'",
        ]

    def test_definitions_of_one_name_are_counted(self) -> None:
        block = shown_block("@property", "def x(self): ...", "@x.setter", "def x(self, value): ...")
        content = '<replace node="function x #2">\n@x.setter\ndef x(self, v): ...\n</replace>'
        assert after("ast", content, block)[2:] == ["@x.setter", "def x(self, v): ..."]
        assert 'could be "function x", "function x #2"' in read("ast", "<delete node='x'/>", block).problem

    def test_all_of_a_block_is_a_node(self) -> None:
        block = shown_block("import a", "", "def f():", None)
        content = "<replace node='file'>\nimport b\n\ndef f():\n    ...\n</replace>"
        assert after("ast", content, block)[0] == "import b"

    @pytest.mark.parametrize(
        ("content", "says"),
        [
            (
                "<delete node='function Cart.pop'/>",
                'there is no "function Cart.pop"; there are "class Cart", "function',
            ),
            ("<delete node='class Cart.all'/>", 'there is no "class Cart.all"'),
            ("<delete/>", "<delete> does not say which node"),
            ("<delete node='Cart.add'/>", "cannot be deleted: code of it was left out"),
            ("<rename node='Cart.add' to='not a name'/>", '"not a name" is not a name'),
            ("<replace node='Cart.add'>\npass\n</replace>", "has to stay where it stood"),
            ("def all(self): ...", "there is no operation"),
        ],
    )
    def test_what_cannot_be_done_is_refused_with_the_reason(self, content: str, says: str) -> None:
        written = read("ast", content, CART)
        assert says in written.problem
        assert written.edits == ()

    def test_a_forgotten_closing_tag_ends_before_the_next_operation(self) -> None:
        content = "<replace node='all'>\n    def all(self):\n        return 1\n<delete node='drop'/>"
        assert after("ast", content, CART)[5:] == ["", "", "    def all(self):", "        return 1"]

    def test_a_reply_that_was_cut_off_keeps_its_complete_operations(self) -> None:
        text = '<suggestion name="editing">\n<delete node="all"/>\n<replace node="drop">\n    def drop'
        (written,) = FORMATS["ast"].read(text, {"editing": CART}).written
        assert [(edit.start, edit.end) for edit in written.edits] == [(11, 13)]

    def test_a_block_that_does_not_parse_is_read_by_its_indents(self) -> None:
        block = shown_block("def f(:", "    return (", "def g():", "    return 1")
        content = "<replace node='function g'>\ndef g():\n    return 2\n</replace>"
        assert after("ast", content, block)[3] == "    return 2"
