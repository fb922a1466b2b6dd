"""A call that a grammar forces: the real engine writes it, it is run, and its result goes back to the model."""

from __future__ import annotations

from pathlib import Path

import pytest

from palimpsest.config.settings import ConversationSettings, EngineSettings, Settings
from palimpsest.conversations.conversing import ReplyOptions
from palimpsest.conversations.events import CallDone, TurnText
from palimpsest.conversations.host import Host
from palimpsest.conversations.window_conversations import WindowConversations, window_conversations
from palimpsest.errors import Denied
from palimpsest.session.building import build
from palimpsest.session.session import Session
from palimpsest.workspace.changes import FileWrite
from palimpsest.workspace.writing import WrittenFile
from tests.providers.conftest import EMBEDDED
from tests.providers.peer import Peer

from .conftest import READY_S


class NoHost(Host):
    """Nobody can be asked."""

    async def write_file(self, conversation: str, file: FileWrite) -> WrittenFile:
        raise Denied("Nobody can be asked whether a file may be written.")

    async def agrees(self, conversation: str, question: str, yes: str, no: str) -> bool:
        return False


def _conversations(session: Session) -> WindowConversations:
    made = window_conversations(session.services, session.workspace_documents, NoHost())
    session.add(made)
    return made


CALL = r"""root ::= "Noted.\n\nremember(text=\"tests first\")\n" """


async def test_a_call_that_the_real_engine_writes_is_run_and_answered(machine: dict[str, str], shop: Path) -> None:
    session = build(Settings(conversation=ConversationSettings(reply_tokens=32)), (shop,))
    talks = _conversations(session)
    grown, results = list[str](), list[str]()
    session.events.on(TurnText, lambda event: grown.append(event.text))
    session.events.on(CallDone, lambda event: results.append(event.result))
    try:
        session.services.supervisor.start()
        await session.services.supervisor.ready(READY_S)
        memory = talks.memory.now()
        talk = memory.conversations.new()
        reply = await talks.conversing.send(talk.id, "Remember it.", ReplyOptions(grammar=CALL))
        called, *answered = reply.turns
        assert memory.turns.text(called) == 'Noted.\n\nremember(text="tests first")\n'
        assert [(call.name, call.status) for call in memory.turns.calls(called.id)] == [("remember", "done")]
        assert [one.text for one in memory.experiences.list("main", talk.id)] == ["tests first"]
        assert answered, "the model is asked again, with the result"
        assert "exp_001" in results[0]
        assert len({text for text in grown if "Noted".startswith(text[:5])}) > 3, "it is shown as it comes"
        assert reply.decoded > 0
    finally:
        await session.aclose()


async def test_what_was_said_and_answered_is_decoded_once(machine: dict[str, str], shop: Path) -> None:
    session = build(Settings(conversation=ConversationSettings(reply_tokens=48)), (shop,))
    talks = _conversations(session)
    try:
        session.services.supervisor.start()
        await session.services.supervisor.ready(READY_S)
        talk = talks.memory.now().conversations.new()
        first = await talks.conversing.send(talk.id, "def price(item):\n    return item.price\n" * 10)
        assert first.decoded > 100
        for _ in range(3):
            again = await talks.conversing.send(talk.id, "go on")
            assert again.decoded <= 8, "neither the reply nor what was said before it is decoded again"
    finally:
        await session.aclose()


@pytest.mark.parametrize("kind", ["palimpsest", "llama-server"])
async def test_what_is_counted_is_what_the_engine_has_read(machine: dict[str, str], shop: Path, kind: str) -> None:
    peer = Peer(EMBEDDED, n_ctx=8192) if kind == "llama-server" else None
    engine = EngineSettings(kind=kind, url=peer.url) if peer is not None else EngineSettings()  # type: ignore[arg-type]
    session = build(Settings(engine=engine, conversation=ConversationSettings(reply_tokens=8)), (shop,))
    talks = _conversations(session)
    try:
        session.services.supervisor.start()
        await session.services.supervisor.ready(READY_S)
        talk = talks.memory.now().conversations.new()
        reply = await talks.conversing.send(talk.id, "def price(item):\n    return item.price\n" * 10)
        talked, counted = session.usage.talked, await talks.conversing.usage(talk.id)
        assert talked is not None
        assert abs(counted.used - talked.used) < 8, reply
        assert not counted.estimated
    finally:
        await session.aclose()
        if peer is not None:
            peer.kill()
