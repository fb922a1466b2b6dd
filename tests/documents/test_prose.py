"""Which `[[links]]` of a Markdown text are for a reader, and which passage of a document is shown."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.documents.markdown import prose
from palimpsest.documents.outline import outline
from palimpsest.documents.passages import passage, summary_of
from palimpsest.documents.prose import MOST_LINKS, prose_links

PIECES = st.lists(
    st.sampled_from(
        [
            "[[a]]",
            "`",
            "``",
            "```",
            "~~~",
            "\n",
            "\n\n",
            "    ",
            "\t",
            "- ",
            "1. ",
            "text",
            "\r\n",
            "](x)",
            "> ",
            "<!--",
            "-->",
        ]
    ),
    max_size=40,
).map("".join)


def targets(text: str) -> list[str]:
    return [link.target for link in prose_links(text)]


def test_code_has_no_links() -> None:
    text = (
        "[[a]] `[[b]]` ``x ` [[c]]`` [[d]]\n\n```sh\nif [[ -f x ]]; then\n[[e]]\n```\n[[f]]\n"
        "~~~~\n[[g]]\n~~~\n[[h]]\n~~~~\n\n    [[i]]\n\n    [[j]]\n\n[[k]]\n- item\n\n    [[l]]\n"
    )
    assert targets(text) == ["a", "d", "f", "k", "l"]


def test_a_backtick_without_its_fellow_hides_nothing() -> None:
    assert targets("it`s [[a]] ``there [[b]]\n") == ["a", "b"]


def test_what_only_looks_like_a_link_is_none() -> None:
    assert targets("[[1]](https://example.org) [[text]][reference] [[^1]] [[a]]") == ["a"]


@pytest.mark.parametrize(
    ("text", "there"),
    [
        ("[[a]][[b]] [[c]][d] [[e]](f)", "a b"),
        (r"\[[a]] \\[[b]] [[c\]] [[d]]", "b d"),
        ("<!-- [[a]] --> [[b]] <!-- [[c]]\n[[d]]\n--> [[e]]", "b e"),
        ("<!-- [[a]]\n[[b]]", ""),
        ("x <!-- [[a]]", "a"),
        ("`<!--` [[a]] -->", "a"),
        ("```\n<!--\n```\n[[a]] -->", "a"),
        ("# H\n    [[a]]\n", ""),
        ("text\n    [[a]]\n", "a"),
        ("- item\n\n      [[a]]\n", ""),
        ("- item\n\n    - [[a]]\n\n          [[b]]\n\n      [[c]]\n", "a c"),
        ("1. a\n\n    ```\n    [[a]]\n    ```\n    [[b]]\n", "b"),
        ("- a\n```\n[[b]]\n```\n[[c]]", "c"),
        ("-      [[a]]\n- [[b]]\n\t- [[c]]\n", "b c"),
        ("> [[a]]\n>\n>     [[b]]\n> ```\n> [[c]]\n[[d]]\n", "a d"),
    ],
)
def test_a_link_is_where_markdown_has_text(text: str, there: str) -> None:
    assert " ".join(targets(text)) == there


@given(PIECES)
def test_places_are_those_of_the_text(text: str) -> None:
    assert len(prose(text)) == len(text)
    for link in prose_links(text):
        assert text[link.start : link.end] == "[[a]]"


def test_a_text_of_many_links_is_read_so_far() -> None:
    assert len(targets("[[a]] " * (MOST_LINKS + 5))) == MOST_LINKS


def test_a_passage_is_a_section_or_begins_below_the_title() -> None:
    text = "---\ntitle: T\n---\n# T\n\nFirst\nparagraph.\n\n## Part\n\none\ntwo\nthree\n\n## Other\n"
    part = outline(text).headings[1]
    assert passage(text, part, 2) == "## Part\n\n…".replace("\n\n", "\n")
    assert passage(text, part, 9) == "## Part\n\none\ntwo\nthree"
    assert passage(text, None, 2) == "First\nparagraph.\n…"
    assert summary_of(text) == "First paragraph."
    assert summary_of("") == ""
    assert passage("", None, 5) == ""
