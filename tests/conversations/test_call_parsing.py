"""Calls in replies: lines that are exactly a call, with literals only."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.conversations.calls.parsing import (
    DEEPEST,
    MOST_CALLS,
    MOST_CHARS,
    ParsedCall,
    WrongCall,
    calls_in,
    without_calls,
)
from tests.counting import steps

TOOLS = {
    "read_fd": ("fd", "page"),
    "rename_fds": ("names",),
    "close_fds": ("fds",),
    "remember": ("text",),
    "create_temp_file": ("content",),
    "list_refs": (),
}
PIECES = ("read_fd(", "list_refs()", "(", ")", '"', "'''", "\\", "\n", "=", "fd", "```", "[", "1", ",", "#", "-", " ",
          '<ref id="a">', "</ref>")  # fmt: skip
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**20), 10**20) | st.floats(-1e9, 1e9) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=10,
)


def call_in(reply: str) -> ParsedCall | WrongCall:
    (call,) = calls_in(reply, TOOLS)
    return call


def reason(reply: str) -> str:
    call = call_in(reply)
    assert isinstance(call, WrongCall)
    return call.reason


def test_a_line_that_is_exactly_a_call_is_one() -> None:
    reply = 'I will read on.\n\nread_fd(fd="fd-3", page=2)\n\nThen more.'
    assert calls_in(reply, TOOLS) == [ParsedCall("read_fd", {"fd": "fd-3", "page": 2}, 2)]


def test_several_calls_are_found_in_order() -> None:
    found = calls_in('list_refs()\ntext\nread_fd("fd-1")\n  read_fd("fd-2", page=3)  \n', TOOLS)
    assert found == [
        ParsedCall("list_refs", {}, 0),
        ParsedCall("read_fd", {"fd": "fd-1"}, 2),
        ParsedCall("read_fd", {"fd": "fd-2", "page": 3}, 3),
    ]


def test_arguments_without_a_name_are_bound_in_order() -> None:
    reply = 'rename_fds({"fd-1": "logs", "fd-2": "config"})\nclose_fds(["fd-1", "fd-2"])'
    assert calls_in(reply, TOOLS) == [
        ParsedCall("rename_fds", {"names": {"fd-1": "logs", "fd-2": "config"}}, 0),
        ParsedCall("close_fds", {"fds": ["fd-1", "fd-2"]}, 1),
    ]


def test_a_call_goes_on_as_long_as_its_brackets_are_open() -> None:
    reply = 'close_fds([\n    "fd-1",\n\n    "fd-2",  # both\n])\nlist_refs()'
    assert calls_in(reply, TOOLS) == [
        ParsedCall("close_fds", {"fds": ["fd-1", "fd-2"]}, 0),
        ParsedCall("list_refs", {}, 5),
    ]


def test_a_text_in_triple_quotes_may_have_fences_and_calls_in_it() -> None:
    reply = 'create_temp_file("""one\n```\nlist_refs()\n```\ntwo""")\nlist_refs()'
    assert calls_in(reply, TOOLS) == [
        ParsedCall("create_temp_file", {"content": "one\n```\nlist_refs()\n```\ntwo"}, 0),
        ParsedCall("list_refs", {}, 5),
    ]


@pytest.mark.parametrize(
    "reply",
    [
        "```\nlist_refs()\n```",
        "~~~python\nlist_refs()\n```\nlist_refs()\n~~~~",
        "````\n```\nlist_refs()\n````",
        "```\nlist_refs()",
        '<ref id="a">\nlist_refs()\n</ref>',
        '<ref id="a">\nlist_refs()\n',
        "    list_refs()",
        "Call list_refs() now",
        "list_refs() shows them.",
        "`list_refs()`",
        "list_refs (that is the one\nthat lists) is good",
        "print('x')",
        "fibonacci(3)",
        "list_refs",
    ],
)
def test_code_and_prose_are_no_calls(reply: str) -> None:
    assert calls_in(reply, TOOLS) == []


def test_behind_a_fence_or_a_ref_calls_are_calls_again() -> None:
    reply = '```\nx\n```\nlist_refs()\n<ref id="a">\nlist_refs()\n</ref>\nlist_refs()\n'
    assert [call.line for call in calls_in(reply, TOOLS)] == [3, 7]


@pytest.mark.parametrize(
    ("reply", "says"),
    [
        ("read_fd(fd=fd_3)", "'fd_3' is not a literal"),
        ('read_fd("a", page=1+1)', "'+' is computed with"),
        ('read_fd(open("x"))', "'open' is not a literal"),
        ('read_fd(__import__("os").system("x"))', "not a literal"),
        ('read_fd(f"{1}")', "'f' is not a literal"),
        ('read_fd("a" * 10)', "'*' is not part"),
        ('read_fd("a"[0])', "'[' stands behind a value"),
        ("read_fd(*[1])", "'*' is not part"),
        ('read_fd(**{"a": 1})', "'*' is not part"),
        ("read_fd({1: 2})", "keys"),
        ("read_fd({1, 2})", "is not a literal"),
        ("read_fd(1e999)", "too large"),
        ("read_fd(" + "9" * 9_000 + ")", "cannot be read"),
        ('read_fd("a)', "triple quotes"),
        ('read_fd("a",\n  page=2\n', "not closed"),
        ('read_fd("a"]', "brackets"),
        ('read_fd("a", fd="b")', "two values for fd"),
        ('read_fd(fd="a", fd="b")', "twice"),
        ('read_fd("a", 1, 2)', "takes 2 arguments (fd, page), not 3"),
        ('read_fds("a")', "did you mean read_fd?"),
        ("read_fd(" + "[" * 5_000 + "]" * 5_000 + ")", f"more than {DEEPEST} deep"),
        ("read_fd(" + "- " * 5_000 + "1)", "computed"),
        ("read_fd(" + "not " * 5_000 + "1)", "'not' is not a literal"),
        ('read_fd(fd="a" page=2)', "cannot be read"),
        ("read_fd(" + '"x", ' * MOST_CHARS, "longer than"),
    ],
)
def test_a_call_that_is_wrong_says_what_would_be_right(reply: str, says: str) -> None:
    assert says in reason(reply)


def test_json_s_words_and_signs_are_literals() -> None:
    assert call_in('close_fds([true, false, null, -1, +2.5, "a" "b", (1,)])') == ParsedCall(
        "close_fds", {"fds": [True, False, None, -1, 2.5, "ab", [1]]}, 0
    )


@given(st.dictionaries(st.sampled_from(["fd", "page"]), VALUES))
def test_whatever_is_written_as_literals_is_read_back(arguments: dict[str, Any]) -> None:
    written = ", ".join(f"{name}={value!r}" for name, value in arguments.items())
    assert call_in(f"read_fd({written})") == ParsedCall("read_fd", arguments, 0)


@given(VALUES)
def test_whatever_is_written_as_json_is_read_back(value: Any) -> None:
    call = call_in(f"read_fd(fd={json.dumps(value)})")
    if "\\ud8" in json.dumps(value):
        return  # JSON writes what is beyond 16 bits as pairs, which are two characters here
    assert isinstance(call, ParsedCall)
    assert json.dumps(call.arguments["fd"]) == json.dumps(value) or "\\u" in json.dumps(value)


@given(st.lists(st.sampled_from(PIECES)).map("".join))
def test_any_reply_is_read_without_an_error(reply: str) -> None:
    for call in calls_in(reply, TOOLS):
        assert 0 <= call.line <= reply.count("\n")
        assert "(" in reply.split("\n")[call.line]


def test_a_reply_without_its_calls_has_what_is_not_run() -> None:
    name = next(iter(TOOLS))
    assert without_calls(f"One.\n{name}()\nTwo.\n  {name}()", TOOLS) == "One.\nTwo.\n"
    assert without_calls(f"{name}()\n" * (MOST_CALLS + 1), TOOLS) == f"{name}()\n"
    wrong = f"{name}(*)\n```\n{name}()\n```\n"
    assert without_calls(wrong, TOOLS) == wrong


def test_at_most_so_many_calls_of_one_reply_are_run() -> None:
    found = calls_in("list_refs()\n" * 1_000, TOOLS)
    assert len(found) == MOST_CALLS + 1
    assert isinstance(found[-1], WrongCall)
    assert all(isinstance(call, ParsedCall) for call in found[:-1])


@pytest.mark.parametrize(
    "reply",
    [
        "read_fd(" * 125_000,
        "read_fd(\n" * 110_000,
        'read_fd("\n' * 100_000,
        "read_fd('''\n" * 90_000,
        "".join(f"read_f{n}(\n" for n in range(90_000)),
        "```\n" * 250_000,
        "read_fd(" + "'" * 1_000_000,
        "list_refs() x\n" * 70_000,
    ],
    ids=lambda reply: reply[:12].strip(),
)
def test_a_reply_of_a_megabyte_of_calls_is_read_without_reading_any_part_of_it_again_and_again(reply: str) -> None:
    assert len(calls_in(reply, TOOLS)) <= MOST_CALLS + 1


@pytest.mark.parametrize(
    "reply",
    [
        '1. Example:\n\n   ```python\nrun("x")\n   ```\n',
        '- x\n  ```\nrun("x")\n  ```\n',
        '- x\n  ~~~\nrun("x")\n  ~~~\n\nrun_not\n',
        '- x\n  ```\nrun("x")\n  ```\n\n```\nrun("x")\n```\n',
        f'{"- " * 30}x\n\n```\nrun("x")\n```\n',
        f'{"1. > " * 30}x\n\n```\nrun("x")\n```\n',
    ],
)
def test_code_of_a_list_that_is_not_indented_is_not_run_and_what_stands_behind_it_is(reply: str) -> None:
    assert calls_in(reply, {"run": ("what",)}) == []
    (call,) = calls_in(f'{reply}\nrun("y")\n', {"run": ("what",)})
    assert isinstance(call, ParsedCall)
    assert call.arguments == {"what": "y"}


def test_fences_are_read_once_however_many_calls_have_some_in_them() -> None:
    def reply(n_calls: int) -> str:
        return 'create_temp_file("""\n```\n""")\n- a\n\n  ```\n  read_fd("b")\n  ```\n' * n_calls

    found = calls_in(reply(20), TOOLS)
    assert [call.line for call in found] == list(range(0, 160, 8))
    few, many = (steps(lambda n=n: calls_in(reply(n), TOOLS)) for n in (10, 40))  # type: ignore[misc]
    assert many < 5 * few, "four times the work"
