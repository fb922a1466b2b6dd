"""What a Markdown text has: code in code, front matter as YAML has it, and whatever a stranger writes."""

from __future__ import annotations

import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from palimpsest.context.sources.rules import MARK, cut
from palimpsest.conversations.calls.parsing import calls_in
from palimpsest.conversations.refs.refs import suggestions
from palimpsest.conversations.transcript.reading import parse
from palimpsest.conversations.transcript.updating import with_front
from palimpsest.documents.markdown import MOST_LINES, closing, fence_mark, fences, field_rows, front_matter, prose
from palimpsest.documents.outline import outline
from palimpsest.documents.passages import summary_of
from palimpsest.documents.prose import prose_links
from palimpsest.documents.wikilinks import SUFFIXES

PARTS = ("# H", "```", "````py", "~~~", "\n", "\n", "\r\n", "> ", "- ", "1. ", "    ", "\t", "`", "[[a]]", "<!--",
         "-->", "---", "===", "<pre>", "title: x", "\ufeff", "\0", "\\", "text")  # fmt: skip
PIECES = st.lists(st.sampled_from(PARTS), max_size=40).map("".join)


def titles(text: str, name: str = "") -> list[str]:
    return [heading.title for heading in outline(text, name).headings]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("````\n```\n# no\n```\n# no\n````\n# yes\n", ["yes"]),
        ("~~~\n```\n~~~\n# yes\n", ["yes"]),
        ("```\n~~~\n# no\n```\n# yes\n", ["yes"]),
        ("```py`x`\n# yes\n", ["yes"]),
        ("<details>\n# yes\n", ["yes"]),
        ("- a\n  ```\n# yes\n", ["yes"]),
        ("> ```\n# yes\n", ["yes"]),
        ("    ```\n# yes\n", ["yes"]),
        ("<!--\n# no\n-->\n  # yes\n", ["yes"]),
        ("# `a` #\nTwo\nlines\n---\n", ["`a`", "Two lines"]),
    ],
)
def test_headings_are_where_markdown_has_them(text: str, found: list[str]) -> None:
    assert titles(text) == found


def test_other_formats_have_lines_of_marks_below_their_headings() -> None:
    text = "Title\n~~~~~\n\nText.\n\nPart\n````\n\n# no\n"
    assert titles(text, "docs/a.rst") == ["Title", "Part"]
    assert summary_of(text, "a.rst") == "Text."


@pytest.mark.parametrize(
    ("text", "there"),
    [
        ("> ```\n> [[a]]\n> ```\n[[b]]", "b"),
        ("> > ~~~\n> > [[a]]\n", ""),
        ("- ```\n  [[a]]\n  ```\n  [[b]]", "b"),
        ("<!-- a\n\n[[a]]\n\n-->\n\n[[b]]", "b"),
        ("> <!-- [[a]]\n> [[b]] -->\n\n[[c]]", "c"),
        ("text <!-- [[a]]\n[[b]] --> [[c]]", "c"),
        ("a `[[a]]\n[[b]]` [[c]]", "c"),
        ("a `[[a]]\n\n[[b]]` [[c]]", "a b c"),
        (r"a \`[[a]]` [[b]]", "a b"),
        ("a <!--> [[a]] -->", "a"),
        ("---\nsee: '[[a]]'\n---\n[[b]]", "b"),
        ("~~~~\n```\n~~~~\n[[a]]", "a"),
    ],
)
def test_links_are_where_markdown_has_text(text: str, there: str) -> None:
    assert " ".join(link.target for link in prose_links(text)) == there


@pytest.mark.parametrize(
    ("written", "title", "aliases"),
    [
        ('aliases: ["x, y", z]', "H", ("x, y", "z")),
        ("title: >\n  One\n  two", "One two", ()),
        ("title: |\n  One\n", "One", ()),
        ("title: 2024-01-01\naliases: [1.0, yes, ~]", "2024-01-01", ("1.0", "yes", "~")),
        ("title: It's # not this", "It's", ()),
        ("title: Foo: bar\naliases:\n- a\n- 'b c'", "Foo: bar", ("a", "b c")),
        ("title:\tTab\naliases: [a]", "Tab", ("a",)),
        ("Title: x\nalias: &a y\naliases: *a", "x", ("y", "y")),
        ("title: [a\naliases: [b]", "[a", ("b",)),
        ("title: {a: b}\naliases: [[c], {d: e}, f]", "H", ("f",)),
        ("title: '\x07'\naliases: [b]", "\x07", ("b",)),
        ('title: "\\UFFFFFFFF"', "\\UFFFFFFFF", ()),
        ("? [a]\n: b\ntitle: x", "x", ()),
        ("- title", "H", ()),
        ("title: x\n" + "tags: [a, b]\n" * 100 + f"long: {'x' * 9_000}", "x", ()),
        ("title:", "H", ()),
    ],
)
def test_front_matter_is_yaml_whose_values_are_texts(written: str, title: str, aliases: tuple[str, ...]) -> None:
    found = outline(f"---\n{written}\n---\n# H\n")
    assert (found.title, found.aliases) == (title, aliases)


def test_front_matter_without_an_end_is_text() -> None:
    assert front_matter("---\ntitle: x\n" * 500) == ({"title": ["x"]}, 3)
    assert front_matter("---\ntitle: x\n") == ({}, 0)
    assert titles("---\ntitle: x\n\n# H\n") == ["H"]
    assert front_matter("---\n---") == ({}, 2)


@pytest.mark.parametrize(
    "written",
    [
        "\n".join(["a: &a [x, x]", *(f"{b}: &{b} [*{a}, *{a}, *{a}, *{a}, *{a}, *{a}]" for a, b in zip("abcdefghijklm",
         "bcdefghijklmn", strict=True)), "aliases: *n"]),
        "aliases: &a [*a]",
        "aliases: " + "[" * 3_900,
        "aliases: " + "[" * 300_000,
        "\n".join(" " * level + "a:" for level in range(190)),
        "aliases:\n" + "- " * 1_900 + "x",
        "? " * 1_900,
        "a: *" + "x" * 100_000,
        "<<: [&a {b: c}, *a]\ntitle: !!python/object/apply:os.system ['false']",
    ],
    ids=lambda written: written[:12],
)  # fmt: skip
def test_front_matter_of_a_stranger_takes_no_time_and_raises_nothing(written: str) -> None:
    start = time.thread_time()
    found = outline(f"---\n{written}\n---\n# H\n")
    assert len(found.aliases) <= 40
    assert time.thread_time() - start < 2


@given(st.dictionaries(st.sampled_from(["id", "model", "workspace"]), st.text(max_size=30)))
@example({"id": "\r"})
def test_fields_are_read_as_they_were_written(fields: dict[str, str]) -> None:
    text = "\n".join(["---", *field_rows(fields), "---", ""])
    whole = {name: " ".join(value.split()) for name, value in fields.items()}
    assert parse(text).front == {name: value for name, value in whole.items() if value}


def test_a_field_of_several_lines_is_replaced_as_a_whole() -> None:
    text = "---\nmodel: >\n  long\n  name\nown:\n  - x\nid: c-1\n---\n\nhi"
    found = with_front(text, {"id": "c-1", "model": "m: #1"})
    assert found == "---\nmodel: 'm: #1'\nown:\n  - x\nid: c-1\n---\n\nhi"
    assert parse(found).front["model"] == "m: #1"


def test_a_fence_may_be_in_a_list_or_a_quote() -> None:
    text = "- ```py\n  def f(): pass\n  ```\n\n> ~~~\n> quoted\n> ~~~\n\n1. a\n\n   ```sh\n   ls\n"
    found = fences(text)
    assert [(one.content, one.info, one.is_closed) for one in found] == [
        ("def f(): pass", "py", True),
        ("quoted", "", True),
        ("ls", "sh", False),
    ]
    assert [(one.id, one.content) for one in suggestions(text, {})] == [
        ("f", "def f(): pass"),
        ("text_block", "quoted"),
    ]
    assert text[found[1].start : found[1].end] == "~~~\n> quoted\n> ~~~"


@pytest.mark.parametrize("begin", ["- ", "<details>\n", "<answer>\n", "<!-- a\n", "<pre>\n"])
def test_calls_in_a_fence_are_content_wherever_it_is_and_those_behind_it_are_calls(begin: str) -> None:
    indent = " " * len(begin) if begin == "- " else ""
    reply = f"So:\n{begin}```\n{indent}list_refs()\n{indent}```\n\nlist_refs()\n"
    calls = calls_in(reply, {"list_refs": ()})
    assert [call.line for call in calls] == [reply.count("\n") - 1]


def test_rules_are_not_cut_within_a_fence_that_has_another_in_it() -> None:
    lines = ["Do so:", "", "````", "```", "", "first()", "", "second()", "", "````", "", *["behind " * 9] * 9]
    assert cut(lines, 14) == ["Do so:", MARK]


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("- ```py\n  b", "\n  ```"),
        ("> ```\n> b\n", ""),
        ("1. <!-- a\n", "   -->"),
        ("1. a\n\t```\n", "    ```"),
        ("> ```\n\n<pre>", "\n</pre>"),
    ],
)
def test_what_is_left_open_in_a_list_is_closed_there_and_a_quote_ends_by_itself(text: str, end: str) -> None:
    assert closing(text) == end
    assert closing(text + end) == ""


def test_blocks_are_looked_for_so_far_and_what_is_behind_is_text() -> None:
    text = "# a\n" + "\n" * MOST_LINES + "# b\n`[[c]]`\n"
    assert titles(text) == ["a"]
    assert [link.target for link in prose_links(text)] == ["c"]


@given(PIECES)
def test_any_text_is_read_and_places_are_within_it(text: str) -> None:
    lines = text.replace("\r\n", "\n").replace("\r", "\n").count("\n") + 1
    assert len(prose(text)) == len(text)
    for one in fences(text):
        assert text[one.start :].startswith(one.mark)
        assert one.start < one.end <= len(text)
        assert 0 <= one.lines.start < one.lines.stop <= lines
        assert not one.is_closed or text[one.start : one.end].rstrip(" \t").endswith(one.mark)
    for name in ("", *SUFFIXES):
        found = outline(text, f"x{name}")
        assert all(0 <= one.start < one.inner_end <= one.end <= lines for one in (*found.headings, *found.blocks))
    assert closing(text + closing(text)) == ""
    parse(text)


@given(PIECES)
def test_nothing_in_a_text_ends_the_fence_around_it(text: str) -> None:
    text = text.replace("\0", "")
    mark = fence_mark(text)
    (found,) = fences(f"{mark}x\n{text}\n{mark}")
    assert found.is_closed
    assert found.content.split("\n") == text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


@pytest.mark.parametrize(
    "text",
    ["[[a]] `" * 100_000, "[[a]]" + "<!--" * 200_000, "[[" * 400_000, "[[a]]\n" + "> " * 300_000,
     "[[a]]\n" + "- " * 300_000, "[[a]] " + "".join("`" * n + " " for n in range(1_000)), "[[a]]\n" + "`\\" * 300_000],
    ids=lambda text: text[:9],
)  # fmt: skip
def test_a_megabyte_of_one_line_is_read_at_once(text: str) -> None:
    start = time.thread_time()
    list(prose_links(text))
    outline(text)
    closing(text)
    assert time.thread_time() - start < 10
