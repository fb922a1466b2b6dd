"""`palimpsest/conversation`: an editor is told when a conversation is not as it was."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from .conftest import Editor, start_editor, stop_editor, until
from .scripted import Scripted, scripted


@pytest.fixture
def said(machine: dict[str, str]) -> Iterator[Scripted]:
    with scripted() as it:
        it.replies = ["an answer"]
        yield it


@pytest.fixture
async def window(said: Scripted, tmp_path: Path) -> AsyncIterator[Editor]:
    it = await start_editor(tmp_path, {"engine": {"kind": "openai", "url": said.url}})
    await it.ready()
    yield it
    await stop_editor(it)


async def test_an_editor_is_told_of_every_change_of_a_conversation(window: Editor) -> None:
    told: list[tuple[str, bool]] = []

    @window.client.feature("palimpsest/conversation")
    def tell(params: Any) -> None:
        told.append((params.conversation, params.answering))

    talk = (await window.command("palimpsest.ask", {"text": "hello"}))["conversation"]
    await until(lambda: (talk, True) in told and told[-1] == (talk, False))
    about = {"conversation": talk}
    for command, more in (
        ("refs.add", {"ref_id": "here", "content": "text", "attributes": {}}),
        ("fd.create", {"content": "long"}),
        ("fd.read", {"fd": "fd-1", "read_all": True, "extract": True}),
        ("fd.rename", {"names": {"fd-1": "log"}}),
        ("fd.close", {"fds": ["fd-1"]}),
        ("checkpoint.create", {"name": "now"}),
        ("conversation.rename", {"name": "prices"}),
    ):
        told.clear()
        await window.command(f"palimpsest.{command}", about | more)
        await until(lambda: told == [(talk, False)])
    told.clear()
    await window.command("palimpsest.refs.list", about)
    assert told == []


async def test_what_a_conversation_takes_is_told_anew_where_one_goes_back(window: Editor, said: Scripted) -> None:
    first = await window.command("palimpsest.ask", {"text": "hello"})
    about = {"conversation": first["conversation"]}
    point = (await window.command("palimpsest.checkpoint.create", about))["checkpoint_id"]
    await window.command("palimpsest.ask", {"text": "a long story", **about})
    await window.command("palimpsest.checkpoint.restore", {"checkpoint_id": point, **about})
    used = (await window.command("palimpsest.context.usage", about))["used"]
    await until(lambda: window.status["conversation"]["used"] == used)
