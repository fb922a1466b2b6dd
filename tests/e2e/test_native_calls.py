"""Conversations with a server that takes tools by itself, and with one that refuses them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from palimpsest.conversations.transcript.reading import parse

from .conftest import until
from .talking import Talk, do, talking


@pytest.fixture
async def talk(machine: dict[str, str], shop: Path) -> AsyncIterator[Talk]:
    async with talking(shop) as it:
        it[1].takes_tools = True
        yield it


def pieces(name: str, arguments: str, index: int = 0) -> list[dict[str, Any]]:
    """A call as it is streamed: its name, then its arguments in halves."""
    half = len(arguments) // 2
    first = {"index": index, "id": f"server-{index}", "type": "function", "function": {"name": name, "arguments": ""}}
    rest = [{"index": index, "function": {"arguments": part}} for part in (arguments[:half], arguments[half:])]
    return [{"tool_calls": [piece]} for piece in (first, *rest)]


async def test_calls_come_in_pieces_and_are_answered_by_their_ids(talk: Talk) -> None:
    editor, model = talk
    model.replies = [
        [
            {"content": "I note it."},
            *pieces("remember", '{"text": "Prices are in cents."}'),
            *pieces("inspect", "{}", index=1),
        ],
        "Noted.",
    ]
    answer = await do(editor, "ask", text="Prices are in cents.")
    assert answer["reply"] == "Noted."
    assert [call["name"] for call in answer["calls"]] == ["remember", "inspect"]
    assert {tool["function"]["name"] for tool in model.asked[0]["tools"]} >= {"remember", "read_fd"}
    assert "remember(" not in model.asked[0]["messages"][0]["content"]
    called, first, second = model.asked[1]["messages"][-3:]
    assert (called["role"], called["content"]) == ("assistant", "I note it.")
    assert [(one["function"]["name"], json.loads(one["function"]["arguments"])) for one in called["tool_calls"]] == [
        ("remember", {"text": "Prices are in cents."}),
        ("inspect", {}),
    ]
    assert [first["role"], second["role"]] == ["tool", "tool"]
    assert [first["tool_call_id"], second["tool_call_id"]] == [one["id"] for one in called["tool_calls"]]
    assert "Prices are in cents." in second["content"]
    model.replies = ["Still noted."]
    await do(editor, "ask", text="And now?", conversation=answer["conversation"])
    assert model.asked[2]["messages"][1:4] == model.asked[1]["messages"][1:4]  # earlier calls are given the same way


async def test_arguments_that_are_no_json_are_an_error_for_the_model(talk: Talk) -> None:
    editor, model = talk
    model.replies = [pieces("remember", '{"text": "Pri'), "I see."]
    answer = await do(editor, "ask", text="Go on.")
    assert (answer["reply"], [call["status"] for call in answer["calls"]]) == ("I see.", ["failed"])
    result = model.asked[1]["messages"][-1]
    assert (result["role"], "JSON" in result["content"]) == ("tool", True)


async def test_a_reply_that_is_stopped_amid_a_call_runs_nothing_and_can_be_gone_on_from(talk: Talk) -> None:
    editor, model = talk
    model.replies, model.stays = [[{"content": "I note"}, *pieces("remember", '{"text": "x"}')[:2]]], True
    uri = editor.open("talk.palimpsest.md", "Go on.")
    sending = asyncio.create_task(do(editor, "conversation.send", uri=uri))
    await until(lambda: "I note" in editor.texts[uri])
    assert (await do(editor, "conversation.stop", uri=uri))["stopped"]
    await sending
    model.stays, model.replies = False, ["Here."]
    model.free.set()
    conversation = parse(editor.texts[uri]).id
    again = await do(editor, "ask", text="Again.", conversation=conversation)
    assert (again["reply"], again["calls"]) == ("Here.", [])
    assert not any("tool_calls" in message for message in model.asked[-1]["messages"])


async def test_a_server_that_refuses_tools_is_told_of_them_in_words_and_asked_once_only(talk: Talk) -> None:
    editor, model = talk
    model.takes_tools = False
    model.replies = ['remember(text="Prices are in cents.")', "Noted."]
    answer = await do(editor, "ask", text="Prices are in cents.")
    assert (answer["reply"], [call["name"] for call in answer["calls"]]) == ("Noted.", ["remember"])
    assert model.refused == 1
    assert not any("tools" in body for body in model.asked)
    assert "remember(" in model.asked[0]["messages"][0]["content"]


async def test_native_calls_stand_in_the_text_for_an_engine_that_takes_no_tools(talk: Talk) -> None:
    editor, model = talk
    model.replies = [pieces("remember", '{"text": "Prices are in cents."}'), "Noted."]
    first = await do(editor, "ask", text="Prices are in cents.")
    model.takes_tools = False
    model.replies = ["Yes."]
    await do(editor, "ask", text="Sure?", conversation=first["conversation"])
    texts = [message["content"] for message in model.asked[-1]["messages"] if message["role"] == "assistant"]
    assert texts[0] == "remember(text='Prices are in cents.')"


@pytest.mark.parametrize("takes_tools", [True, False])
async def test_what_is_counted_is_what_is_sent(machine: dict[str, str], shop: Path, takes_tools: bool) -> None:
    async with talking(shop, {"conversation": {"tools_share": 0.25}}) as (editor, model):
        model.takes_tools = takes_tools
        note = "Prices are in cents. " * 20
        call = pieces("remember", json.dumps({"text": note})) if takes_tools else f"remember(text={note!r})"
        model.replies = [call, "Noted."]
        answer = await do(editor, "ask", text="Prices are in cents.")
        usage = await do(editor, "context.usage", conversation=answer["conversation"], items=True)
        body, sizes = model.asked[-1], {(one["kind"], one["name"]): one["tokens"] for one in usage["items"]}
        assert abs(usage["used"] - tokens_of(body) - len("Noted.") / 3.2) < 2 * len(body["messages"]) + HEADER
        assert abs(sum(sizes.values()) - usage["used"]) < len(sizes)
        assert sizes["message", f"turn-{answer['turn'] - 1}"] > len(note) / 3.2, "a call is in the turn that makes it"
        if takes_tools:
            sent = [tool["function"]["name"] for tool in body["tools"]]
            assert sent == [name for kind, name in sizes if kind == "tool"]


HEADER = 10
"""Tokens around the blocks, of which there are none."""


def tokens_of(body: dict[str, Any]) -> float:
    """As the engine estimates them."""
    texts = [message["content"] or "" for message in body["messages"]]
    called = [call["function"] for message in body["messages"] for call in message.get("tool_calls", ())]
    texts += [one["name"] + one["arguments"] for one in called]
    texts += [json.dumps(body["tools"], ensure_ascii=False)] if "tools" in body else []
    return sum(len(text) for text in texts) / 3.2
