"""Descriptors of a conversation: read by any part, searched, named, marked, and found under other ids."""

import json
import tracemalloc
from itertools import repeat
from pathlib import Path

import pytest

from palimpsest.conversations.descriptors import results
from palimpsest.conversations.descriptors.descriptors import Descriptors
from palimpsest.conversations.descriptors.reader import PartWanted
from palimpsest.conversations.descriptors.searching import places
from palimpsest.conversations.memory import Memory
from palimpsest.errors import AlreadyExists, InvalidArgument, NotFound, OutOfRange

LINES = "".join(f"line {n}\n" for n in range(1, 1_001))
CODE = """# Shop

import os


class Cart:
    def add(self, item):
        return item


def process_data(x):
    return x
"""


@pytest.fixture
def conversation(memory: Memory) -> str:
    return memory.conversations.new().id


@pytest.fixture
def fds(memory: Memory) -> Descriptors:
    return memory.descriptors


def test_no_secret_is_kept_in_a_descriptor(fds: Descriptors, conversation: str) -> None:
    key, token = "q7Zp3" + "vK9xT2mW8rB4nL6", "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    made = fds.create(conversation, f"line 1\napi_key: {key}\nline 3 {token}\n")
    assert fds.text(conversation, made.id) == "line 1\napi_key: ...\nline 3 ...\n"


def test_ids_are_never_reused(fds: Descriptors, conversation: str) -> None:
    assert [fds.create(conversation, text).id for text in ("a", "a")] == ["fd-1", "fd-2"]
    assert list(fds.close(conversation, ["fd-2", "fd-1"])) == ["fd-2", "fd-1"]
    assert fds.create(conversation, "c").id == "fd-3"
    with pytest.raises(NotFound, match="There are: fd-3"):
        fds.read(conversation, "fd-1")


def test_fds_remain_available_after_the_process_ends(memory: Memory, conversation: str, path: Path) -> None:
    made = memory.descriptors.create(conversation, LINES, "tool:search", "log")
    memory.close()
    again = Memory.open(path)
    assert again.descriptors.get(conversation, "log") == made
    assert again.descriptors.text(conversation, made.id) == LINES
    again.close()


def test_fd_result_is_written_as_the_format_has_it(fds: Descriptors, conversation: str) -> None:
    made = fds.create(conversation, "a\n</preview>\nb\nc\n", "tool:x", page_size=14)
    answer = results.created(made, fds.read(conversation, made.id), 8_000)
    fields, xml = answer.fields, answer.xml
    assert xml == (
        '<fd_result fd="fd-1" pages="2" truncated="false" lines="1-2" total_lines="4">\n'
        "  <message>Output exceeds 8000 characters. Use read_fd to read more pages.</message>\n"
        "  <preview>\na\n&lt;/preview>\n\n  </preview>\n</fd_result>"
    )
    assert fields["preview"] == "a\n</preview>\n"
    said = fds.create(conversation, "x" * 9, results.FROM_USER)
    assert "Large user input has been stored" in results.created(said, fds.read(conversation, said.id)).xml


def test_fd_content_is_written_as_the_format_has_it(fds: Descriptors, conversation: str) -> None:
    made = fds.create(conversation, "abcdefgh\nij\n", page_size=5)
    assert results.read(fds.read(conversation, made.id, PartWanted(page=2))).xml == (
        '<fd_content fd="fd-1" page="2" pages="3" continued="true" truncated="false" lines="partial" total_lines="2">\n'
        "fgh\n\n</fd_content>"
    )
    answer = results.read(fds.read(conversation, made.id, PartWanted(read_all=True)))
    fields, xml = answer.fields, answer.xml
    assert fields["content"] == "abcdefgh\nij\n"
    assert xml.startswith('<fd_content fd="fd-1" pages="3" continued="false" truncated="false" lines="1-2" total')


def test_line_and_character_ranges(fds: Descriptors, conversation: str) -> None:
    fd = fds.create(conversation, LINES).id
    part = fds.read(conversation, fd, PartWanted(start_line=45, end_line=46))
    assert (part.content, part.lines, part.continued, part.truncated) == ("line 45\nline 46\n", "45-46", False, False)
    assert fds.read(conversation, fd, PartWanted(start_line=1_000, end_line=9_999)).content == "line 1000\n"
    part = fds.read(conversation, fd, PartWanted(start_char=2, end_char=9))
    assert (part.content, part.lines, part.continued, part.truncated) == (LINES[2:9], "1-2", True, True)
    assert fds.read(conversation, fd, PartWanted(start_char=len(LINES))).content == ""


@pytest.mark.parametrize(
    ("wanted", "error", "says"),
    [
        (PartWanted(page=0), OutOfRange, "pages 1 to 3"),
        (PartWanted(page=4), OutOfRange, "pages 1 to 3"),
        (PartWanted(start_line=1_001), OutOfRange, "1,000 lines"),
        (PartWanted(start_line=0), OutOfRange, "no line 0"),
        (PartWanted(unit="paragraph", index=0), OutOfRange, "1 to 1"),
        (PartWanted(start_line=5, end_line=4), InvalidArgument, "before start_line"),
        (PartWanted(start_char=10**9), OutOfRange, "characters"),
        (PartWanted(page=1, read_all=True), InvalidArgument, "cannot be combined"),
        (PartWanted(index=1), InvalidArgument, "need a unit"),
        (PartWanted(unit="word"), InvalidArgument, "paragraph, function, class"),
        (PartWanted(unit="paragraph", index=2), OutOfRange, "1 to 1"),
        (PartWanted(unit="function"), InvalidArgument, "language is not known"),
    ],
)
def test_what_is_not_there_is_named_with_what_is(
    fds: Descriptors, conversation: str, wanted: PartWanted, error: type[Exception], says: str
) -> None:
    fd = fds.create(conversation, LINES).id
    with pytest.raises(error, match=says):
        fds.read(conversation, fd, wanted)


def test_the_language_of_a_long_text_is_told_from_its_beginning(fds: Descriptors, conversation: str) -> None:
    body = "\n".join(f"    x = {n}" for n in range(50))
    long = fds.create(conversation, "\n\n".join(f"def work_{n}():\n{body}\n" for n in range(60))).id
    assert fds.read(conversation, long, PartWanted(unit="function", name_of_unit="work_59")).content.startswith(
        "def work_59"
    )
    other = fds.create(conversation, "fn one() {}\nfn two() {}\n", language="rust").id
    assert fds.read(conversation, other, PartWanted(unit="function", name_of_unit="two")).content == "fn two() {}\n"


def test_what_takes_too_long_to_parse_is_not_said_to_have_no_function(fds: Descriptors, conversation: str) -> None:
    code = fds.create(conversation, "def f():\n    return 1\n" + "# a comment\n" * 20_000, "file:a.py").id
    with pytest.raises(InvalidArgument, match=r"too long to be parsed.*by lines"):
        fds.read(conversation, code, PartWanted(unit="function"))


def test_semantic_navigation_by_paragraph_function_and_class(fds: Descriptors, conversation: str) -> None:
    text = fds.create(conversation, "One\nand.\n\n \nTwo.\n\n\nThree").id
    paragraphs = [fds.read(conversation, text, PartWanted(unit="paragraph", index=n)).content for n in (1, 2, 3)]
    assert paragraphs == ["One\nand.\n", "Two.\n", "Three"]
    code = fds.create(conversation, CODE, "file:shop.py").id
    part = fds.read(conversation, code, PartWanted(unit="function", name_of_unit="process_data"))
    assert (part.content, part.lines) == ("def process_data(x):\n    return x\n", "11-12")
    assert fds.read(conversation, code, PartWanted(unit="function", name_of_unit="Cart.add")).first_line == 7
    assert fds.read(conversation, code, PartWanted(unit="class")).content.startswith("class Cart:")
    with pytest.raises(NotFound, match=r"Cart\.add, process_data"):
        fds.read(conversation, code, PartWanted(unit="function", name_of_unit="nothing"))


def test_a_part_is_extracted_into_a_new_descriptor(fds: Descriptors, conversation: str) -> None:
    fd = fds.create(conversation, LINES, "tool:x").id
    made = fds.extract(conversation, fd, PartWanted(start_line=3, end_line=4))
    assert (made.id, made.source, fds.text(conversation, "fd-2")) == ("fd-2", "fd-1:3-4", "line 3\nline 4\n")


def test_search_finds_matching_lines_with_context_and_position(fds: Descriptors, conversation: str) -> None:
    fd = fds.create(conversation, LINES.replace("line 500\n", "an Error here\n"), page_size=100).id
    found = fds.search(conversation, fd, "ERROR", context=1)
    assert found.count == 1
    (match,) = found.matches
    assert (match.line, match.text, match.before, match.after) == (500, "an Error here", ("line 499",), ("line 501",))
    assert "an Error here" in fds.read(conversation, fd, PartWanted(page=match.page)).content
    assert fds.search(conversation, fd, "ERROR", case_sensitive=True).count == 0
    assert fds.search(conversation, fd, r"line \d$", regex=True).count == 9
    many = fds.search(conversation, fd, "line", limit=3)
    assert (many.count, len(many.matches)) == (999, 3)
    assert '  <match line="500" page=' in results.found(found).xml
    assert "  499: line 499\n> 500: an Error here\n  501: line 501" in results.found(found).xml


def test_a_match_deep_in_a_long_line_says_its_page(fds: Descriptors, conversation: str) -> None:
    fd = fds.create(conversation, "x" * 300_000 + "needle" + "y" * 300_000, page_size=1_000).id
    (match,) = fds.search(conversation, fd, "needle").matches
    assert (match.page, match.char) == (301, 300_000)
    assert "needle" in match.text
    assert len(match.text) < 500


@pytest.mark.parametrize("query", ["", "(", "a\nb"])
def test_a_query_that_is_none_is_refused(fds: Descriptors, conversation: str, query: str) -> None:
    fd = fds.create(conversation, "x").id
    with pytest.raises(InvalidArgument, match="query"):
        fds.search(conversation, fd, query, regex=query == "(")


def found(text: str, query: str, *, case_sensitive: bool = True) -> list[tuple[int, int]]:
    return list(places([text], query, regex=True, case_sensitive=case_sensitive).found)


@pytest.mark.parametrize(
    "query",
    ["(?=a)b", "(?!a)b", "(?<=a)b", "(?<!a)b", r"(a)\1", "(?P<x>a)(?P=x)", "(?>a)b", "a++", "a{1001}", "a\ud800"],
)
def test_what_only_a_search_that_goes_back_can_find_is_refused_and_said(query: str) -> None:
    with pytest.raises(InvalidArgument) as refused:
        found("a text", query)
    assert refused.value.field == "query"
    assert "surrogate" in str(refused.value) if query == "a\ud800" else "without look-around" in str(refused.value)


@pytest.mark.parametrize(
    ("query", "where"),
    [
        ("^", [(0, 0), (1, 0), (2, 0)]),
        ("^$", [(1, 0)]),
        ("x*", [(0, 0), (1, 0), (2, 0)]),
        ("€", [(0, 2)]),
        ("b$", [(0, 4)]),
        (r"\bb", [(0, 4)]),
        (r"[^\x00-\x7f]b", [(0, 3)]),
        ("(?i)STRASSE", [(2, 3)]),
        (r"(?m)^\x{e9}(?-i:\pL)", [(2, 0)]),
        ("\0|nul", [(2, 11)]),
        (r"\x00", [(2, 11)]),
    ],
)
def test_places_are_counted_in_characters_and_line_by_line(query: str, where: list[tuple[int, int]]) -> None:
    """Half a character (a lone surrogate) is one, too."""
    assert found("é \u20ac\ud800b\n\néß strasse \0\n", query) == where


def test_case_counts_only_where_it_is_asked_for() -> None:
    assert found("É", "é", case_sensitive=False) == [(0, 0)]
    assert found("É", "é") == []


def test_a_text_is_searched_piece_by_piece() -> None:
    """One without an end is only ever given up because of the time."""
    with pytest.raises(InvalidArgument, match="too long"):
        places(repeat("a line\n" * 1_000), "no such", regex=True, case_sensitive=True, most_s=0.3)


@pytest.mark.parametrize("regex", [False, True])
def test_a_line_over_several_pieces_is_found(regex: bool) -> None:
    found = places(["one\nt", "w", "o\nthree"], "TWO", regex=regex, case_sensitive=False)
    assert (found.count, found.found) == (1, ((1, 0),))


def test_a_place_is_right_behind_letters_that_are_two_in_lower_case(fds: Descriptors, conversation: str) -> None:
    fd = fds.create(conversation, "İİİ Needle\nİneedle").id
    found = fds.search(conversation, fd, "nEEDLE").matches
    assert [(match.line, match.char) for match in found] == [(1, 4), (2, 12)]


def test_a_closed_descriptor_says_that_it_is_closed(fds: Descriptors, conversation: str) -> None:
    first = fds.create(conversation, "one", name="log").id
    fds.create(conversation, "two")
    fds.close(conversation, [first])
    for address in (first, "log"):
        with pytest.raises(NotFound, match=r"fd-1 is closed.*There are: fd-2"):
            fds.read(conversation, address)
    assert fds.create(conversation, "three", name="log").id == "fd-3"
    assert fds.text(conversation, "log") == "three"


def test_a_unit_of_a_text_that_is_too_long_is_refused_before_it_is_read(fds: Descriptors, conversation: str) -> None:
    fd = fds.create(conversation, repeat("line\n" * 1_000, 801)).id
    tracemalloc.start()
    try:
        with pytest.raises(InvalidArgument, match="pages or lines"):
            fds.read(conversation, fd, PartWanted(unit="paragraph", index=1))
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()


def test_named_references_and_batch_operations(fds: Descriptors, conversation: str) -> None:
    first, second = fds.create(conversation, "one").id, fds.create(conversation, "two").id
    fds.rename(conversation, {first: "error_logs", second: "config_file"})
    assert fds.text(conversation, "error_logs") == "one"
    with pytest.raises(AlreadyExists):
        fds.rename(conversation, {first: "new", second: "new"})
    assert [one.name for one in fds.list(conversation)] == ["error_logs", "config_file"]
    for name in ("fd-9", "turn-1", "ref:x", " x", "a\nb", "x" * 101):
        with pytest.raises(InvalidArgument):
            fds.rename(conversation, {first: name})
    fds.close(conversation, ["error_logs", "config_file"])
    assert fds.list(conversation) == []
    assert fds.create(conversation, "x", name="error_logs").name == "error_logs"


def test_closing_several_closes_all_or_none(fds: Descriptors, conversation: str) -> None:
    fd = fds.create(conversation, "x").id
    with pytest.raises(NotFound):
        fds.close(conversation, [fd, "fd-9"])
    assert fds.text(conversation, fd) == "x"


def test_sections_are_marked_read_listed_and_deleted(fds: Descriptors, conversation: str) -> None:
    fd = fds.create(conversation, LINES, name="log").id
    fds.mark(conversation, fd, "bug_details", 45, 46)
    fds.mark(conversation, "log", "start", 1, 1)
    assert fds.section(conversation, fd, "bug_details").content == "line 45\nline 46\n"
    assert [(one.name, one.start_line, one.end_line) for one in fds.sections(conversation, "log")] == [
        ("start", 1, 1),
        ("bug_details", 45, 46),
    ]
    fds.unmark(conversation, fd, "bug_details")
    with pytest.raises(NotFound, match="There are: start"):
        fds.section(conversation, fd, "bug_details")
    with pytest.raises(OutOfRange):
        fds.mark(conversation, fd, "x", 2_000, 2_001)


def test_a_section_that_goes_on_behind_the_last_line_is_refused(fds: Descriptors, conversation: str) -> None:
    fd = fds.create(conversation, "only\n").id
    with pytest.raises(OutOfRange, match="It has 1 line\\."):
        fds.mark(conversation, fd, "x", 1, 2)
    assert fds.sections(conversation, fd) == []


def test_what_answers_a_name_says_whose_it_is(fds: Descriptors, conversation: str) -> None:
    fd = fds.create(conversation, LINES, name="log").id
    marked = fds.mark(conversation, "log", "start", 1, 1)
    every = results.sections(fds.id_of(conversation, "log"), fds.sections(conversation, "log")).fields
    assert marked.fd == every["fd"] == every["sections"][0]["fd"] == fd
    assert fds.unmark(conversation, "log", "start").fd == fd


def test_every_turn_result_and_ref_is_addressable_as_a_descriptor(memory: Memory, conversation: str) -> None:
    turn = memory.turns.add(conversation, "user", "one\ntwo\n").id
    memory.turns.add_call(turn, "x", {}, "ok", "the result")
    memory.refs.add(conversation, turn, "mine", CODE)
    fds = memory.descriptors
    assert fds.read(conversation, f"turn-{turn}", PartWanted(start_line=2)).content == "two\n"
    assert fds.text(conversation, f"result-{turn}-0") == "the result"
    assert fds.read(conversation, "ref:mine", PartWanted(unit="class")).content.startswith("class Cart")
    assert fds.extract(conversation, f"turn-{turn}", PartWanted(read_all=True)).id == "fd-1"
    child = memory.conversations.new(parent=conversation).id
    assert fds.text(child, f"turn-{turn}") == "one\ntwo\n"
    other = memory.conversations.new().id
    for address in (f"turn-{turn}", f"result-{turn}-0", f"result-{turn}-9", "ref:mine", "fd-1", "turn-99999", ""):
        with pytest.raises(NotFound):
            fds.text(other, address)
    with pytest.raises(InvalidArgument, match="extract"):
        fds.mark(conversation, "ref:mine", "x", 1, 1)


def test_a_summary_is_kept_and_shown(fds: Descriptors, conversation: str) -> None:
    fd = fds.create(conversation, "long").id
    made = fds.set_summary(conversation, fd, "Short.")
    assert "<summary>Short.</summary>" in results.created(made, fds.read(conversation, fd)).xml


def test_content_is_stored_once(memory: Memory, conversation: str) -> None:
    made = [
        memory.descriptors.create(conversation, iter(["one ", "text"])),
        memory.descriptors.create(conversation, "one text"),
    ]
    assert made[0].hash == made[1].hash
    with memory.database.reading() as rows:
        assert rows.execute("SELECT count(*) FROM content").fetchone()[0] == 1


def test_long_json_is_put_on_lines_where_that_is_asked(fds: Descriptors, conversation: str) -> None:
    text = '{"results":[' + ",".join('{"title":"Quantum"}' for _ in range(100)) + "]}"
    assert fds.create(conversation, text, pretty=True).total_lines > 100
    assert fds.create(conversation, text).total_lines == 1


def test_what_is_read_on_lines_is_still_the_text_that_was_given(memory: Memory, conversation: str) -> None:
    """In forks, behind a checkpoint, and in one of a version that did not keep it."""
    text = json.dumps({"results": [{"title": "Quantum"}] * 50})
    fd = memory.descriptors.create(conversation, text, name="found", pretty=True).id
    child = memory.forks.copied(conversation, None, "").id
    memory.checkpoints.create(conversation, "kept")
    memory.checkpoints.restore(conversation, "kept")
    assert [memory.descriptors.text(talk, "found") for talk in (conversation, child)] == [text, text]
    memory.conversations.delete(child)
    assert memory.descriptors.text(conversation, fd) == text
    with memory.database.transaction() as rows:
        rows.execute("UPDATE checkpoint SET state = json_remove(state, '$.descriptor[0][9]')")
    memory.checkpoints.restore(conversation, "kept")
    assert (
        memory.descriptors.text(conversation, fd)
        == memory.descriptors.read(conversation, fd, PartWanted(read_all=True)).content
    )
    memory.conversations.delete(conversation)
    with memory.database.reading() as rows:
        assert rows.execute("SELECT count(*) FROM content").fetchone()[0] == 0
