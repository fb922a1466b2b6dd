"""Another process holds the conversations' database (a long import of another window's, a viewer): who types does not
notice, and what is said meanwhile is kept as soon as it can be."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types as lsp

from palimpsest.conversations.database_path import path_of

from .conftest import until
from .talking import Talk, do, said, talking

LOOKS = 10


@pytest.fixture
async def talk(machine: dict[str, str], shop: Path) -> AsyncIterator[Talk]:
    async with talking(shop) as it:
        yield it


@contextmanager
def held(shop: Path) -> Iterator[None]:
    """By a transaction of another process's."""
    other = sqlite3.connect(path_of([shop.resolve()]), isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        other.execute("ROLLBACK")
        other.close()


async def looked(talk: Talk, *waiting: asyncio.Future[Any]) -> None:
    """The person goes on, again and again, while these wait."""
    editor, _ = talk
    uri = editor.open("shop/cart.py") if not editor.texts else next(iter(editor.texts))
    params = lsp.HoverParams(lsp.TextDocumentIdentifier(uri), lsp.Position(3, 3))
    for _ in range(LOOKS):
        await editor.client.text_document_hover_async(params)
        await asyncio.sleep(0.05)
    assert not any(one.done() for one in waiting)


def begun(talk: Talk, command: str, **arguments: Any) -> asyncio.Future[dict[str, Any]]:
    return asyncio.ensure_future(do(talk[0], command, **arguments))


async def test_what_is_said_waits_and_nobody_else(talk: Talk, shop: Path) -> None:
    _, model = talk
    known = (await do(talk[0], "ask", text="First."))["conversation"]
    with held(shop):
        asked = [begun(talk, "ask", text="Second.", conversation=known), begun(talk, "ask", text="Elsewhere.")]
        await looked(talk, *asked)
    answers = [await one for one in asked]
    assert [one["reply"] for one in answers] == ["Hello.", "Hello."]
    model.replies = ["Third."]
    await do(talk[0], "ask", text="What was said?", conversation=known)
    assert [text for _, text in said(model)] == ["First.", "Hello.", "Second.", "Hello.", "What was said?"]


async def test_turns_made_elsewhere_are_kept_in_the_order_in_which_they_came(talk: Talk, shop: Path) -> None:
    _, model = talk
    known = (await do(talk[0], "ask", text="First."))["conversation"]
    roles = ["user", "assistant"] * 3
    with held(shop):
        added = [
            begun(talk, "conversation.append", conversation=known, role=role, content=f"Turn {at}.")
            for at, role in enumerate(roles)
        ]
        await looked(talk, *added)
    ids = [(await one)["turn"] for one in added]
    assert ids == sorted(ids)
    await do(talk[0], "ask", text="Go on.", conversation=known)
    assert [text for _, text in said(model)][2:-1] == [f"Turn {at}." for at in range(len(roles))]


async def test_a_reply_with_a_call_waits_and_nobody_else(talk: Talk, shop: Path) -> None:
    _, model = talk
    model.replies = ["Hello.", 'remember("The tests are in tests/.")', "It is remembered."]
    known = (await do(talk[0], "ask", text="First."))["conversation"]
    model.free.clear()
    asked = begun(talk, "ask", text="Remember where the tests are.", conversation=known)
    await until(lambda: len(model.asked) == 2)
    with held(shop):
        model.free.set()
        await looked(talk, asked)
    answer = await asked
    assert [(one["name"], one["status"]) for one in answer["calls"]] == [("remember", "done")]
    assert answer["reply"] == "It is remembered."
    found = await do(talk[0], "conversation.inspect", conversation=known)
    assert [one["text"] for one in found["experiences"]] == ["The tests are in tests/."]


async def test_a_document_that_is_sent_waits_and_nobody_else(talk: Talk, shop: Path) -> None:
    editor, _ = talk
    await do(editor, "conversation.new", name="so that there is a database")
    uri = editor.open("talk.palimpsest.md", "## user\n\nOne?\n\n## assistant\n\nTwo.\n\n## user\n\nThree?\n")
    with held(shop):
        sent = begun(talk, "conversation.send", uri=uri)
        await looked(talk, sent)
    assert (await sent)["reply"] == "Hello."
    await until(lambda: "Hello." in editor.texts[uri])


async def test_a_reply_goes_on_in_its_document_while_its_pieces_wait(talk: Talk, shop: Path) -> None:
    """And what has come of it when it is stopped is kept."""
    editor, model = talk
    uri = editor.open("talk.palimpsest.md", "## user\n\nOne?\n")
    model.replies = [[{"content": "It begins"}, {"content": " and goes on"}]]
    model.stays = True
    model.free.clear()
    sent = begun(talk, "conversation.send", uri=uri)
    await until(lambda: model.asked)
    with held(shop):
        model.free.set()
        await until(lambda: "It begins and goes on" in editor.texts[uri])
        await asyncio.sleep(1)  # pieces are not kept at once
        await looked(talk, sent)
        assert (await do(editor, "conversation.stop", uri=uri))["stopped"]
        await looked(talk, sent)
    answer = await sent
    assert (answer["reply"], answer["stopped"]) == ("It begins and goes on", "cancelled")
    kept = await do(editor, "conversation.open", conversation=answer["conversation"])
    assert "It begins and goes on" in kept["text"]


async def test_a_summary_of_ones_own_waits_and_nobody_else(talk: Talk, shop: Path) -> None:
    editor, _ = talk
    known = (await do(editor, "ask", text="First."))["conversation"]
    with held(shop):
        queued = begun(talk, "conversation.compact", conversation=known, goal="To see what waits.")
        spawned = begun(talk, "fork.spawn", conversation=known, task="Say hello.")
        await looked(talk, queued, spawned)
    assert (await queued)["status"] == "applied"
    fork = (await spawned)["fork_id"]
    assert (await do(editor, "fork.gather", conversation=known))[fork]["response"] == "Hello."


async def test_what_is_remembered_meanwhile_keeps_nobody_from_reading(talk: Talk, shop: Path) -> None:
    """However much of it waits: threads that read are others."""
    known = (await do(talk[0], "ask", text="First."))["conversation"]
    with held(shop):
        waiting = [begun(talk, "conversation.remember", conversation=known, text=f"Fact {n}") for n in range(40)]
        await looked(talk, *waiting)
        for _ in range(LOOKS):
            await do(talk[0], "refs.list", conversation=known)
            await do(talk[0], "conversation.inspect", conversation=known)
        assert not any(one.done() for one in waiting)
    assert len({(await one)["id"] for one in waiting}) == 40
