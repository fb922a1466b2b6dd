"""Pages of a text: every character on exactly one, line numbers and flags that agree."""

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from palimpsest.conversations.descriptors.pretty import MOST_TIMES, pretty_printed
from palimpsest.conversations.descriptors.reader import PartWanted, page_starts
from palimpsest.conversations.memory import Memory

PARTS = ("\n", "\r\n", "\r", "a", "line of text", "x" * 30, "é", "😀", "\0", " ", "👩\u200d💻")
TEXTS = st.lists(st.sampled_from(PARTS) | st.text(max_size=5), max_size=25).map("".join)


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    memory = Memory.open(Path(tmp_path_factory.mktemp("pages")) / "w.sqlite")
    yield memory
    memory.close()


@pytest.fixture(scope="module")
def conversation(memory: Memory) -> str:
    return memory.conversations.new().id


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(TEXTS, st.integers(1, 40))
def test_joined_pages_equal_the_content_and_numbers_and_flags_agree(
    memory: Memory, conversation: str, text: str, size: int
) -> None:
    made = memory.descriptors.create(conversation, text, page_size=size)
    pages = [memory.descriptors.read(conversation, made.id, PartWanted(page=n + 1)) for n in range(made.pages)]
    assert "".join(page.content for page in pages) == text
    assert all(len(page.content) <= size for page in pages)
    assert [page.page for page in pages] == list(range(1, made.pages + 1))
    assert {(page.pages, page.total_lines) for page in pages} == {(made.pages, made.total_lines)}
    assert made.total_lines == text.count("\n") + bool(text and not text.endswith("\n"))
    assert (pages[0].continued, pages[-1].truncated) == (False, False)
    assert pages[0].first_line == min(1, made.total_lines)
    assert pages[-1].last_line == made.total_lines
    for before, behind in pairwise(pages):
        assert before.truncated == behind.continued
        assert behind.first_line == before.last_line + (not before.truncated)
        assert before.truncated == (not before.content.endswith("\n"))


@given(TEXTS, st.integers(1, 40), st.lists(st.integers(1, 9), max_size=30))
def test_pages_are_the_same_however_the_text_comes(text: str, size: int, sizes: list[int]) -> None:
    pieces, at = [], 0
    for length in sizes:
        pieces.append(text[at : at + length])
        at += length
    assert list(page_starts([*pieces, text[at:]], size)) == list(page_starts([text], size))


@given(st.lists(st.text(alphabet="ab 😀", max_size=20), max_size=20), st.integers(21, 60))
def test_no_line_is_cut_that_fits_a_page(lines: list[str], size: int) -> None:
    text = "".join(line + "\n" for line in lines)
    assert all(start.char == 0 or text[start.char - 1] == "\n" for start in page_starts([text], size))


@pytest.mark.parametrize(
    "text", ["x" * 10_000, "x" * 10_000 + "\nend", '{"a": "' + "y" * 12_000 + '"}\n', "\n" * 9_000]
)
def test_a_line_of_ten_thousand_characters_is_continued_over_pages(
    memory: Memory, conversation: str, text: str
) -> None:
    made = memory.descriptors.create(conversation, text)
    pages = [memory.descriptors.read(conversation, made.id, PartWanted(page=n + 1)) for n in range(made.pages)]
    assert "".join(page.content for page in pages) == text
    if "x" in text:
        assert [(page.continued, page.truncated, page.lines) for page in pages][:2] == [
            (False, True, "partial"),
            (True, True, "partial"),
        ]


def test_a_line_end_of_two_characters_is_not_cut() -> None:
    assert list(page_starts(["abc\r\ndef"], 4)) == [(0, 0), (3, 0), (5, 1)]


JSON = st.recursive(
    st.sampled_from(["1.0", "1e5", "100000000000000000000000", "true", "null", '"a\\"b, c: {"', '"é"']),
    lambda inner: (
        st.lists(inner, max_size=4).map(lambda items: "[" + ",".join(items) + "]")
        | st.lists(inner, max_size=4).map(lambda items: "{" + ",".join(f'"k": {one}' for one in items) + "}")
    ),
    max_leaves=20,
)


@given(JSON)
def test_pretty_printed_json_has_the_same_tokens_and_short_lines(document: str) -> None:
    wide = f'[{document},"{"x" * 390}","y"]'
    pretty = pretty_printed(wide)
    assert pretty != wide
    assert "".join(pretty.split()) == "".join(wide.split())
    assert pretty_printed(document) == document
    assert pretty_printed(wide[:-1]) == wide[:-1]


@pytest.mark.parametrize("text", ["[" * 199 + "1," * 10_000 + "1" + "]" * 199, '{"a":' * 150 + "[1,1]" + "}" * 150])
def test_pretty_printing_multiplies_no_text(text: str) -> None:
    assert pretty_printed(text) == text
    flat = "[" + "12," * 1_000 + "1]"
    assert len(flat) < len(pretty_printed(flat)) <= MOST_TIMES * len(flat)
