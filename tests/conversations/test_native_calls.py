"""Calls with arguments as JSON, and the same calls as a model writes them into a reply."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.conversations.calls.parsing import MOST_CALLS, ParsedCall, WrongCall, calls_in, native_call, written

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


@given(st.dictionaries(st.sampled_from(["fd", "page", "text"]), VALUES))
def test_a_call_that_is_written_into_a_reply_is_the_same_call(arguments: dict[str, object]) -> None:
    assert native_call("read_fd", json.dumps(arguments)) == ParsedCall("read_fd", arguments, 0)
    assert calls_in(written("read_fd", arguments), {"read_fd": ["fd"]}) == [ParsedCall("read_fd", arguments, 0)]


def test_half_a_character_is_replaced_so_that_the_call_can_be_kept_and_shown() -> None:
    asked = {"text": "a\ud800b", "names": {"\udfff": ["\ud83d"]}}
    meant = {"text": "a\ufffdb", "names": {"\ufffd": ["\ufffd"]}}
    assert native_call("remember", json.dumps(asked)) == ParsedCall("remember", meant, 0)
    reply = """remember(text="a\\ud800b", names={"\\udfff": ["\\ud83d"]})"""
    assert calls_in(reply, {"remember": ["text"]}) == [ParsedCall("remember", meant, 0)]


def test_no_arguments_are_none() -> None:
    assert native_call("list_refs", "") == ParsedCall("list_refs", {}, 0)


@pytest.mark.parametrize(
    "arguments", ['{"fd": ', "[1]", "3", "{'fd': 1}", '{"x": NaN}', '{"x": 1e999}', '{"x": [-1E+999]}', "[" * 200_000]
)
def test_wrong_arguments_are_a_wrong_call_that_says_what_is_wanted(arguments: str) -> None:
    found = native_call("read_fd", arguments)
    assert isinstance(found, WrongCall)
    assert found.name == "read_fd"
    assert "JSON" in found.reason


@pytest.mark.parametrize("name", ["", "a b", "<x>", "x" * 65])
def test_a_name_that_no_tool_can_have_is_not_repeated(name: str) -> None:
    found = native_call(name, "{}")
    assert isinstance(found, WrongCall)
    assert found.name == "unknown"


def test_a_reply_has_so_many_calls_and_not_more() -> None:
    assert isinstance(native_call("read_fd", "{}", MOST_CALLS - 1), ParsedCall)
    assert isinstance(native_call("read_fd", "{}", MOST_CALLS), WrongCall)
