"""The conversations' database cannot be written for a while, as on a full disk: that is said, and nothing stays
behind it."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from palimpsest.conversations.database_path import path_of

from .conftest import Editor, until
from .talking import Talk, do, said, talking


@pytest.fixture
async def talk(machine: dict[str, str], shop: Path) -> AsyncIterator[Talk]:
    async with talking(shop) as it:
        yield it


@contextmanager
def full(shop: Path, table: str = "turn") -> Iterator[None]:
    """Rows that are there cannot be changed."""
    with closing(sqlite3.connect(path_of([shop.resolve()]), isolation_level=None)) as other:
        other.execute(f"CREATE TRIGGER full BEFORE UPDATE ON {table} BEGIN SELECT RAISE(FAIL, 'the disk is full'); END")
        try:
            yield
        finally:
            other.execute("DROP TRIGGER full")


def states(shop: Path) -> list[str]:
    with closing(sqlite3.connect(path_of([shop.resolve()]))) as other:
        return [state for (state,) in other.execute("SELECT state FROM turn ORDER BY id")]


async def asked(talk: Talk, text: str, **more: Any) -> asyncio.Future[dict[str, Any]]:
    """Until the engine has it, which waits."""
    _, model = talk
    model.free.clear()
    n = len(model.asked)
    it = asyncio.ensure_future(do(talk[0], "ask", text=text, **more))
    await until(lambda: len(model.asked) > n)
    return it


async def test_a_reply_whose_end_cannot_be_kept_is_kept_once_it_can_be(talk: Talk, shop: Path) -> None:
    editor, model = talk
    model.replies = ["It is 42.", "Because."]
    known = (await do(editor, "conversation.new"))["conversation"]
    waiting = await asked(talk, "What is the answer?", conversation=known)
    with full(shop):
        model.free.set()
        with pytest.raises(JsonRpcException, match="the disk is full"):
            await waiting
        with pytest.raises(JsonRpcException, match="the disk is full"):
            await do(editor, "ask", text="Why?", conversation=known)
    assert (await do(editor, "ask", text="Why?", conversation=known))["reply"] == "Because."
    assert said(model)[-3:] == [("user", "What is the answer?"), ("assistant", "It is 42."), ("user", "Why?")]


async def test_it_is_kept_by_itself(talk: Talk, shop: Path) -> None:
    """Other windows and agents see a conversation that nobody answers."""
    _, model = talk
    waiting = await asked(talk, "What is the answer?")
    with full(shop):
        model.free.set()
        with pytest.raises(JsonRpcException, match="the disk is full"):
            await waiting
        assert states(shop) == ["complete", "writing"]
    await until(lambda: states(shop) == ["complete", "complete"])


async def sent_again(editor: Editor, uri: str) -> dict[str, Any]:
    """By a person who does as they are told where they were too quick."""
    while True:
        try:
            return await do(editor, "conversation.send", uri=uri)
        except JsonRpcException as error:
            if "edited meanwhile; send it again" not in error.message:
                raise


async def test_what_came_before_the_engine_failed_can_be_asked_again_from_its_document(talk: Talk, shop: Path) -> None:
    editor, model = talk
    model.replies = ["It is 42, as everybody knows.", "It is 43."]
    model.dies = True
    model.free.clear()
    lenses = editor.client.text_document_code_lens_async
    uri = editor.open("talk.palimpsest.md", "## user\n\nWhat is the answer?\n")
    sent = asyncio.ensure_future(do(editor, "conversation.send", uri=uri))
    await until(lambda: model.asked)
    with full(shop):
        model.free.set()
        with pytest.raises(JsonRpcException, match="the disk is full"):
            await sent
    model.dies = False
    params = lsp.CodeLensParams(lsp.TextDocumentIdentifier(uri))
    while "Send again" not in [one.command.title for one in await lenses(params) or [] if one.command is not None]:
        await asyncio.sleep(0.05)
    assert (await sent_again(editor, uri))["reply"] == "It is 43."
    assert said(model) == [("user", "What is the answer?")]


async def test_forks_that_cannot_be_kept_are_not_waited_for_without_end(talk: Talk, shop: Path) -> None:
    editor, _ = talk
    known = (await do(editor, "ask", text="First."))["conversation"]
    with full(shop, "fork"):
        fork = (await do(editor, "fork.spawn", conversation=known, task="Say hello."))["fork_id"]
        gathered = asyncio.ensure_future(do(editor, "fork.gather", conversation=known))
        await until(lambda: states(shop)[-1] == "complete" and len(states(shop)) > 4)
        await asyncio.sleep(0.5)
        assert not gathered.done()
    done = (await gathered)[fork]
    assert (done["status"], done["response"]) == ("completed", "Hello.")
