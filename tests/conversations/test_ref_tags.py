"""What `<ref>` tags mark, and how a reply is shown without them, whole and while it comes."""

from collections.abc import Sequence

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from palimpsest.conversations.refs.tags import DEEPEST, LONGEST_TAG, ShownReply, TaggedRef, extract
from palimpsest.text.markup import escape_closing

PARTS = st.sampled_from(
    [
        "<ref id=\"a\">", "<ref id='b' lang=\"x\">", "<ref, id=c,>", "<ref>", "<ref id=\"\">", "<ref lang='q'>",
        "</ref>",
        "</ref >", "\n", "\r\n", "\r", "<", "<re", "ref", ">", "&", "&lt;/ref", "&amp;lt;/ref", "amp;", "&l", "text",
        " ", "é", "😀", "\0", "</reference>", "<refs id=\"a\">", "=\"", "'", "`",
    ]
)  # fmt: skip
REPLIES = st.lists(PARTS | st.text(max_size=4), max_size=30).map("".join)


def content_of(reply: str) -> dict[str, str]:
    return {ref.id: ref.content for ref in extract(reply).refs}


def shown_in_pieces(reply: str, sizes: Sequence[int]) -> str:
    shown, pieces, at = ShownReply(), [], 0
    for size in [*sizes, len(reply)]:
        pieces.append(shown.feed(reply[at : at + size]))
        at += size
    return "".join(pieces) + shown.finish()


def test_a_marked_part_is_extracted_and_shown_without_its_tags() -> None:
    found = extract('Here:\n\n<ref id="fib">\ndef fib(n):\n    return n\n</ref>\n\nUse it.\n')
    assert found.refs == (TaggedRef("fib", "def fib(n):\n    return n", {}, 7, 31),)
    assert found.shown == "Here:\n\ndef fib(n):\n    return n\n\nUse it.\n"
    assert found.shown[7:31] == found.refs[0].content
    assert found.problems == ()


@pytest.mark.parametrize(
    "tag",
    [
        "<ref id='a' lang='py' path=\"x > y\">",
        "<ref lang=py, path='x > y', id=a>",
        '<ref\n  id = "a",\n  LANG="py" path=\'x &gt; y\'\n>',
    ],
)
def test_attributes_are_read_leniently_and_kept(tag: str) -> None:
    (ref,) = extract(f"{tag}x</ref>").refs
    assert (ref.id, ref.attributes) == ("a", {"lang": "py", "path": "x > y"})


def test_a_tag_that_is_only_written_about_is_text() -> None:
    reply = 'Write `<ref id="name">…</ref>` or `<ref id="a">`.\n\n`x` <ref id="b">\n`<ref id="c">y</ref>`\n</ref>'
    found = extract(reply)
    assert [(ref.id, ref.content) for ref in found.refs] == [("c", "y"), ("b", "`y`")]
    assert found.shown == 'Write `<ref id="name">…</ref>` or `<ref id="a">`.\n\n`x` \n`y`'
    assert found.problems == ()


def test_one_newline_after_the_opening_and_one_before_the_closing_tag_are_not_content() -> None:
    assert content_of('<ref id="a">\n\nx\n\n</ref>') == {"a": "\nx\n"}
    assert content_of('<ref id="a">\r\nx\r\n</ref>') == {"a": "x"}
    assert content_of('<ref id="a">x</ref><ref id="b"></ref><ref id="c">\n</ref>') == {"a": "x", "b": "", "c": ""}


def test_of_nested_refs_both_are_kept_the_outer_without_the_tags_of_the_inner() -> None:
    found = extract('<ref id="all">\nbefore\n<ref id="one">\nx = 1\n</ref>\nafter\n</ref>\n')
    assert [(ref.id, ref.content) for ref in found.refs] == [("one", "x = 1"), ("all", "before\nx = 1\nafter")]
    assert found.shown == "before\nx = 1\nafter\n"
    assert [found.shown[ref.start : ref.end] for ref in found.refs] == ["x = 1", "before\nx = 1\nafter"]


def test_lines_around_a_ref_are_never_joined_to_its_content() -> None:
    assert extract('Here: <ref id="a">\nx\n</ref> and on').shown == "Here: \nx\n and on"
    assert extract('<ref id="a">\nx\n</ref><ref id="b">\ny\n</ref>').shown == "x\ny"


def test_an_unclosed_ref_is_reported_and_not_kept() -> None:
    found = extract('One\n<ref id="a">\nx = 1\n')
    assert found.refs == ()
    assert found.shown == "One\nx = 1\n"
    assert len(found.problems) == 1
    assert "Line 2" in found.problems[0]
    assert 'id="a"' in found.problems[0]
    assert found.regions == ((4, len('One\n<ref id="a">\nx = 1\n')),)


def test_the_same_id_twice_is_found_twice() -> None:
    assert [ref.content for ref in extract('<ref id="a">1</ref> <ref id="a">2</ref>').refs] == ["1", "2"]


def test_a_tag_without_an_id_is_text() -> None:
    found = extract("A <ref> and <ref name='x'>cited</ref> stay.")
    assert found.shown == "A <ref> and <ref name='x'>cited</ref> stay."
    assert found.refs == ()
    assert len(found.problems) == 1


def test_more_than_so_many_nested_refs_are_text() -> None:
    found = extract('<ref id="a">' * (DEEPEST + 1) + "x" + "</ref>" * DEEPEST)
    assert len(found.refs) == DEEPEST
    assert found.shown == '<ref id="a">x'


@given(st.text().filter(lambda text: "<ref" not in text and not text.endswith("\r")))
def test_a_content_written_strictly_is_read_back_whatever_it_is(content: str) -> None:
    found = extract(f'Text <ref id="a">\n{escape_closing(content, "ref")}\n</ref> more')
    assert {ref.id: ref.content for ref in found.refs} == {"a": content}


@given(REPLIES, st.lists(st.integers(0, 9), max_size=60))
def test_tags_are_hidden_while_a_reply_comes_as_in_the_whole_reply(reply: str, sizes: list[int]) -> None:
    assert shown_in_pieces(reply, sizes) == extract(reply).shown
    assert shown_in_pieces(reply, [1] * len(reply)) == extract(reply).shown


@given(REPLIES, st.text(alphabet="ab 😀.").filter(bool), REPLIES)
def test_every_ref_is_where_it_says_in_what_is_shown(before: str, content: str, after: str) -> None:
    found = extract(f'{before}<ref id="this">{content}</ref>{after}')
    of_one_line = [ref for ref in found.refs if "\n" not in ref.content and "\r" not in ref.content]
    assume(of_one_line)
    assert [found.shown[ref.start : ref.end] for ref in of_one_line] == [ref.content for ref in of_one_line]


@given(st.text(alphabet="ab <>&\n").filter(lambda text: "<ref" not in text))
def test_a_reply_without_refs_is_shown_as_it_is(reply: str) -> None:
    assert extract(reply).shown == reply
    assert shown_in_pieces(reply, [2, 3, 1]) == reply


def test_a_tag_longer_than_any_is_text_however_it_comes() -> None:
    reply = f'<ref id="{"x" * LONGEST_TAG}">y</ref> z'
    assert extract(reply).shown == reply
    assert shown_in_pieces(reply, [7] * (len(reply) // 7)) == reply


@pytest.mark.parametrize(
    "reply",
    [
        "<" * 1_000_000,
        '<ref id="a">' * 80_000,
        "</ref>" * 160_000,
        '<ref id="a">' + "&amp;" * 200_000,
        '<ref id="a">' + "\n" * 1_000_000,
        '<ref id="a"></ref>' * 55_000,
        "<ref " + "a=b " * 250_000,
        '<ref id="' * 110_000,
    ],
    ids=lambda reply: reply[:14],
)
def test_a_reply_of_a_megabyte_of_tags_is_read_without_reading_any_part_of_it_again_and_again(reply: str) -> None:
    assert len(extract(reply).shown) <= len(reply)
