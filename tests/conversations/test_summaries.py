"""Summaries of conversations: read back from a model's JSON, made without one, completed."""

import json
from dataclasses import asdict, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.conversations.compaction import grammar
from palimpsest.conversations.compaction.compactions import LISTS, TEXTS, Summary
from palimpsest.conversations.compaction.keeping import KeepableMessage, kept
from palimpsest.conversations.compaction.mechanical import (
    MOST_ITEMS,
    Called,
    TurnWithCalls,
    completed,
    defined,
    failures,
    fitted,
    last_line,
    mechanical,
    mentioned,
    names,
    paths,
    pieces,
    without_code,
)
from palimpsest.errors import InvalidArgument

ERROR = '<error type="not_found"><message>There is no fd-9.</message></error>'
TALK = [
    TurnWithCalls("user", "Make `parse_header` in src/http/headers.py accept folded lines. See docs/rfc.md"),
    TurnWithCalls(
        "assistant",
        "I read it first.",
        [Called("read_fd", {"fd": "fd-9"}, True, ERROR), Called("get_ref", {"ref_id": "patch"}, False, "<ref/>")],
    ),
    TurnWithCalls("user", "test_folded ends with ValueError: bad continuation"),
    TurnWithCalls("assistant", "HeaderReader must keep the last name."),
]
WRITTEN = Summary("Folded lines", "Go on", ["It is strict"], ["Read it"], "Half", "Tests", ["src/http/headers.py"], [])
TEXT = st.text(max_size=60)


def test_a_summary_in_json_is_read() -> None:
    assert grammar.read(json.dumps(asdict(WRITTEN))) == WRITTEN


@pytest.mark.parametrize("reply", ["", "{", json.dumps({**asdict(WRITTEN), "goal": " "}), '{"goal": "x"}', "[]"])
def test_a_reply_that_is_cut_or_says_nothing_is_refused(reply: str) -> None:
    with pytest.raises(InvalidArgument):
        grammar.read(reply)


def test_identifiers_paths_and_what_was_tried_and_failed_are_in_a_summary_whoever_wrote_it() -> None:
    for summary in (completed(WRITTEN, TALK, None), mechanical(TALK, None)):
        discoveries = "\n".join(summary.discoveries)
        assert "parse_header" in discoveries
        assert "HeaderReader" in discoveries
        assert "There is no fd-9" in discoveries
        assert "ValueError: bad continuation" in discoveries
        assert {"src/http/headers.py", "docs/rfc.md"} <= set(summary.relevant_files_directories)


def test_what_the_model_wrote_stays_as_it_is() -> None:
    summary = completed(WRITTEN, TALK, None)
    assert (summary.goal, summary.current_status, summary.likely_next_work) == ("Folded lines", "Half", "Tests")
    assert summary.discoveries[0] == "It is strict"
    assert summary.completed == ["Read it"]


def test_a_summary_without_a_model_says_the_first_goal_the_last_request_and_what_was_called() -> None:
    summary = mechanical(TALK, None, "Keep the names of tests.")
    assert summary.goal.startswith("Make `parse_header`")
    assert summary.instruction == mechanical(TALK, None).instruction, "it is nothing that was asked in the conversation"
    assert summary.discoveries[0] == "Wanted of this summary: Keep the names of tests."
    assert "bad continuation" in summary.instruction
    assert "Wanted" not in str(mechanical(TALK, summary)), "it was wanted of that one alone"
    assert summary.completed == ["Called: get_ref(ref_id='patch')"]
    assert "HeaderReader" in summary.current_status


def test_a_second_summary_keeps_what_the_first_one_found() -> None:
    first = mechanical(TALK, None)
    second = mechanical([TurnWithCalls("user", "Now write `unfold_all` in src/http/fold.py")], first)
    assert second.goal == first.goal
    assert "src/http/headers.py" in second.relevant_files_directories
    assert "unfold_all" in second.discoveries[-1]
    assert "HeaderReader" in second.discoveries[-1]
    assert any("There is no fd-9" in one for one in second.discoveries)


def test_a_method_that_is_called_is_no_path() -> None:
    assert paths([TurnWithCalls("user", "console.log(price) says it, see run.log (the last one)")]) == ["run.log"]


def test_web_addresses_and_numbers_are_no_paths() -> None:
    assert paths([TurnWithCalls("user", "see https://example.org/a/b.html, 1.5 and 3/4, e.g. this")]) == []


@given(st.lists(TEXT, max_size=6), st.lists(TEXT, max_size=4))
def test_any_talk_has_a_summary_of_bounded_size(said: list[str], results: list[str]) -> None:
    turns = [TurnWithCalls("user", text, [Called("t", {"a": r}, True, r) for r in results]) for text in said]
    summary: Summary | None = None
    for _ in range(4):
        summary = mechanical(turns, summary)
    assert summary is not None
    assert summary.goal
    assert len(summary.discoveries) <= MOST_ITEMS + 1
    assert len(summary.relevant_files_directories) <= MOST_ITEMS


def test_a_very_long_text_is_looked_through_quickly() -> None:
    turns = [
        TurnWithCalls("user", "a/" * 500_000),
        TurnWithCalls("user", "x" * 1_000_000),
        TurnWithCalls("user", "a.b" * 300_000),
    ]
    assert len(paths(turns)) <= 16
    assert len(names(turns)) <= 32
    assert failures(turns) == []


def test_what_a_summary_has_found_is_of_the_work_and_not_the_names_of_tools() -> None:
    said = 'I read it.\n\nread_fd(fd="fd-1", from_line=3, end_line="(")\n\nThen search_fd (query="x", start_page=2).'
    turns = [
        TurnWithCalls("user", "Use `get_ref` and mend `parse_header`, whose start_line is wrong."),
        TurnWithCalls("assistant", said, [Called("read_fd", {"fd": "fd-1", "start_line": 3}, False, "fold_all = 1")]),
        TurnWithCalls("assistant", "", [Called("list_refs", {}, True, "<message>No only_these is known.</message>")]),
    ]
    for summary in (mechanical(turns, None, tools=TOOLS), completed(WRITTEN, turns, None, TOOLS)):
        found = {name for one in summary.discoveries if one.startswith("Names: ") for name in one[7:].split(", ")}
        assert found == {"parse_header", "start_line", "fold_all"}


@pytest.mark.parametrize("n_lines", [1, 12, 45, 2_000])
def test_of_a_long_call_a_summary_has_what_was_called_and_not_the_whole_text(n_lines: int) -> None:
    body = "".join(f"    raise ValueError('row_{i} is bad, error: {i}')\\n" for i in range(n_lines))
    call = f'create_temp_file(temp_file_name="notes", start_line=3, content="{body}")'
    said = [
        TurnWithCalls("user", "Keep `parse_header` for later."),
        TurnWithCalls(
            "assistant", f"I keep it.\n\n{call}\n", [Called("create_temp_file", {"content": "x"}, False, "")]
        ),
    ]
    mentions = replace(WRITTEN, discoveries=[f"I called {call}, which is kept."], completed=[f"{call} was done"])
    for summary in (mechanical(said, None, tools=TOOLS), completed(mentions, said, None, TOOLS)):
        assert not [one for one in summary.discoveries if one.startswith("Tried and failed")]
        found = {name for one in summary.discoveries if one.startswith("Names: ") for name in one[7:].split(", ")}
        assert "parse_header" in found
        assert not {"temp_file_name", "start_line"} & found
        assert max(map(len, [*summary.discoveries, *summary.completed])) <= 250
    told = completed(mentions, said, None, TOOLS)
    assert told.discoveries[0].startswith('I called create_temp_file(temp_file_name="notes", start_line=3, content="')
    assert told.discoveries[0].endswith("), which is kept.")
    assert ("…)" in told.discoveries[0]) == (n_lines > 1), "what is left out is seen"


def test_a_call_of_many_arguments_is_told_in_short() -> None:
    call = Called("get_ref", {f"argument_{i}": "x" * 100 for i in range(50)}, False, "")
    (done,) = mechanical([TurnWithCalls("assistant", "", [call])], None).completed
    assert done.startswith("Called: get_ref(argument_0='xxx")
    assert len(done) <= 200


TOOLS = ["get_ref", "search_fd", "create_temp_file"]


def message(
    id: int, *, marked: bool = False, mentions: str = "", n_chars: int = 10, code: str = "", line: int = 0
) -> KeepableMessage:
    """`code`: `name:lines` of each definition."""
    defines = {name: int(n_lines) for name, n_lines in (one.split(":") for one in code.split())}
    n_lines = max(defines.values(), default=0)
    return KeepableMessage(id, n_chars, marked, {f"turn-{id}"}, set(mentions.split()), defines, n_lines, line)


def test_what_the_person_marked_and_what_later_messages_mention_is_kept() -> None:
    said = [message(1), message(2, marked=True), message(3), message(4), message(5, mentions="turn-3 turn-5")]
    assert kept(said, 4, (), 100) == [2, 3]
    assert kept(said, 2, (), 100) == [2], "what stands behind the summary is not kept twice"
    assert kept(said, 4, (1,), 100) == [1, 2, 3], "what was kept before stays"


def test_what_is_kept_has_a_bound_and_marks_come_first() -> None:
    said = [message(1, marked=True), message(2, marked=True, n_chars=50), message(3), message(4, mentions="turn-3")]
    assert kept(said, 4, (), 10) == [1]
    assert kept(said, 4, (), 60) == [1, 2]


def test_code_that_later_messages_refer_to_is_kept_before_other_code_and_that_before_nothing() -> None:
    said = [message(1, code="add:45"), message(2, code="total:45 drop:3"), message(3), message(4, mentions="add")]
    assert kept(said, 3, (), 10) == [1]
    assert kept(said, 3, (), 20) == [1, 2]
    by_line = [*said[:2], message(3, line=30), message(4)]
    assert kept(by_line, 3, (), 10) == [2]
    assert kept([message(1, code="add:45"), message(2, code="total:8"), message(3, line=30)], 2, (), 10) == [1]


def test_of_code_that_was_written_again_the_later_is_kept_unless_it_is_shorter() -> None:
    for before, later, wanted in ((45, 46, [2]), (45, 45, [2]), (45, 3, [1, 2])):
        said = [message(1, code=f"add:{before}"), message(2, code=f"add:{later}"), message(3, mentions="add")]
        assert kept(said, 2, (), 100) == wanted


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Look:\n```python\nclass Cart:\n    def add(self):\n        pass\n```\n", {"Cart": 3, "add": 2}),
        ("Look:\n\ndef total(it):\n    one = it\n    return one\n\nIs it right?", {"total": 3}),
        ("function total(it) {\n  const one = it;\n  return one;\n}\nIs it right?", {"total": 4}),
        ("Ideas:\n  to total it\n  to drop it\n", {}),
        ("- a list\n  that goes on\n  and on\n", {}),
    ],
)
def test_the_code_of_a_message_is_found_with_and_without_a_fence(text: str, names: dict[str, int]) -> None:
    found = pieces(text)
    assert {name: n for one in found for name, n in defined(one).items()} == names
    told = without_code(text)
    assert ("lines of code" in told) == bool(names)
    assert "return" not in told


def test_names_and_lines_that_a_message_mentions() -> None:
    said = "Have total, `drop` and self.round_up(x) in cart.py"
    assert {"total", "drop", "round_up"} <= mentioned(said, by_person=True)
    assert mentioned(said, by_person=False) == {"drop", "round_up", "self", "self.round_up"}
    assert [last_line(one) for one in ("lines 12-30", "line 7", "at cart.py:44", "in 1945")] == [30, 7, 44, 0]


@pytest.mark.parametrize("most", [10_000, 400, 120])
def test_a_summary_fits_what_the_model_can_read(most: int) -> None:
    texts = dict.fromkeys(TEXTS, "so it is " * 10)
    summary = Summary(**texts, **{name: [f"{n} of {name}" for n in range(9)] for name in LISTS})
    said = fitted(summary, most)
    every = [getattr(said, name) for name in TEXTS] + [item for name in LISTS for item in getattr(said, name)]
    assert sum(map(len, every)) <= most
    assert fitted(said, most) == said
    assert (said == summary) == (most == 10_000)
    assert all(getattr(summary, name)[: len(getattr(said, name))] == getattr(said, name) for name in LISTS)
