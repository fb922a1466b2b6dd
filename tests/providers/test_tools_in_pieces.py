"""Calls of tools as OpenAI's protocol streams them, and what a server's refusal of tools is."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.errors import ContextTooLarge, EngineDied, EngineError, InvalidArgument
from palimpsest.providers.http.http import NotServed
from palimpsest.providers.openai.tools import ComingCalls, chat_message, refuses_tools
from palimpsest.wire import NativeMessage, ToolCall

URL = "http://tools.example"


def finished(*pieces: dict[str, Any]) -> list[ToolCall]:
    calls = ComingCalls()
    for piece in pieces:
        assert calls.feed({"delta": {"tool_calls": [piece]}})
    return calls.finish()


@given(st.dictionaries(st.text(max_size=5), st.text(max_size=9), max_size=4), st.data())
def test_arguments_in_pieces_are_put_together_wherever_they_are_cut(arguments: dict[str, str], data: Any) -> None:
    text = json.dumps(arguments)
    cut = data.draw(st.integers(0, len(text)))
    pieces = [
        {"index": 0, "id": "a", "function": {"name": "remember", "arguments": ""}},
        {"index": 0, "function": {"arguments": text[:cut]}},
        {"index": 0, "function": {"arguments": text[cut:]}},
    ]
    assert finished(*pieces) == [ToolCall("a", "remember", text)]


def test_pieces_of_several_calls_go_by_their_index() -> None:
    assert finished(
        {"index": 0, "id": "a", "function": {"name": "one", "arguments": "{"}},
        {"index": 1, "id": "b", "function": {"name": "two", "arguments": "{}"}},
        {"index": 0, "function": {"arguments": "}"}},
    ) == [ToolCall("a", "one", "{}"), ToolCall("b", "two", "{}")]


def test_without_an_index_another_id_begins_a_call() -> None:
    assert finished(
        {"id": "a", "function": {"name": "one", "arguments": "{"}},
        {"id": "a", "function": {"arguments": "}"}},
        {"id": "b", "function": {"name": "two", "arguments": {"x": 1}}},
    ) == [ToolCall("a", "one", "{}"), ToolCall("b", "two", '{"x": 1}')]


@pytest.mark.parametrize("odd", [None, "x", [], {}, {"function": 3}, {"index": "x"}, {"index": 0, "function": {}}])
def test_what_is_no_call_is_left_out(odd: Any) -> None:
    calls = ComingCalls()
    calls.feed({"delta": {"tool_calls": [odd]}})
    calls.feed({"delta": {"tool_calls": odd}})
    calls.feed({"delta": odd})
    assert calls.finish() == []


@pytest.mark.parametrize(
    ("error", "is_refusal"),
    [
        (InvalidArgument("request", "this model does not support tools"), True),
        (NotServed(f"The engine at {URL} does not serve this: no endpoint supports tool use"), True),
        (EngineError(f"The engine at {URL} failed: tools param requires --jinja flag"), True),
        (InvalidArgument("request", "max_tokens is too large"), False),
        (EngineError(f"The engine at {URL} failed: out of memory"), False),
        (EngineDied(f"The engine at {URL} went away while a tool was called"), False),
        (ContextTooLarge("messages and tools are too long", fitting=9), False),
    ],
)
def test_a_refusal_of_tools_is_told_from_other_errors(error: EngineError, is_refusal: bool) -> None:
    assert refuses_tools(error, {"tools": []}, URL) is is_refusal
    assert not refuses_tools(error, {}, URL)


def test_messages_are_written_as_the_protocol_has_them() -> None:
    call = ToolCall("000001200", "read_fd", '{"fd": "fd-1"}')
    assert chat_message(NativeMessage("assistant", "", [call])) == {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {"id": "000001200", "type": "function", "function": {"name": "read_fd", "arguments": '{"fd": "fd-1"}'}}
        ],
    }
    assert chat_message(NativeMessage("tool", "<x />", answers="000001200")) == {
        "role": "tool",
        "content": "<x />",
        "tool_call_id": "000001200",
    }
