"""`palimpsest acp`: a real editor's client (the protocol's own SDK) over real pipes; replies are scripted."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from acp import RequestError, text_block
from acp.client.connection import ClientSideConnection
from acp.helpers import embedded_text_resource, resource_block, resource_link_block
from acp.schema import (
    AllowedOutcome,
    ClientCapabilities,
    DeniedOutcome,
    FileSystemCapabilities,
    Implementation,
    InitializeResponse,
    McpServerStdio,
    ReadTextFileResponse,
    RequestPermissionResponse,
    WriteTextFileResponse,
)

from .conftest import until
from .local import LocalServer, serve_acp
from .scripted import Scripted, scripted

REPLY = 'Here it is.\n\n<ref id="shipping" lang="python">\ndef shipping():\n    return 5\n</ref>\n\nUse it.'
SHOWN = "Here it is.\n\ndef shipping():\n    return 5\n\nUse it."


class Client:
    """What an editor does: it keeps what it is told, and answers questions as `answer` says."""

    def __init__(self) -> None:
        self.told: list[tuple[str, Any]] = []
        self.asked: list[Any] = []
        self.answer = "allow"
        self.written: dict[str, str] = {}
        self.agent: ClientSideConnection
        self.offered: InitializeResponse

    def on_connect(self, conn: Any) -> None:
        pass

    async def session_update(self, session_id: str, update: Any, **_: Any) -> None:
        self.told.append((session_id, update))

    async def request_permission(
        self, session_id: str, tool_call: Any, options: list[Any], **_: Any
    ) -> RequestPermissionResponse:
        self.asked.append((session_id, tool_call, options))
        if not self.answer:
            return RequestPermissionResponse(outcome=DeniedOutcome(outcome="cancelled"))
        return RequestPermissionResponse(outcome=AllowedOutcome(outcome="selected", option_id=self.answer))

    async def read_text_file(self, session_id: str, path: str, **_: Any) -> ReadTextFileResponse:
        return ReadTextFileResponse(content=Path(path).read_text(encoding="utf-8"))

    async def write_text_file(self, session_id: str, path: str, content: str, **_: Any) -> WriteTextFileResponse:
        self.written[path] = content
        return WriteTextFileResponse()

    def said(self, session: str, kind: str = "agent_message_chunk") -> str:
        return "".join(update.content.text for update in self.updates(session, kind))

    def updates(self, session: str, kind: str) -> list[Any]:
        return [update for where, update in self.told if where == session and update.session_update == kind]

    async def ask(self, session: str, *blocks: Any) -> str:
        given = [text_block(block) if isinstance(block, str) else block for block in blocks]
        answer = await self.agent.prompt(session_id=session, prompt=given)
        return answer.stop_reason


@pytest.fixture
def home(tmp_path: Path, machine: dict[str, str], engine: Scripted, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of settings of a person who has chosen the scripted engine."""
    config = tmp_path / "config"
    (config / "palimpsest").mkdir(parents=True)
    text = f'[engine]\nkind = "openai"\nurl = "{engine.url}"\n'
    (config / "palimpsest" / "palimpsest.toml").write_text(text, encoding="utf-8")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(config))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return config


@pytest.fixture
def engine() -> Iterator[Scripted]:
    with scripted() as it:
        it.replies = [REPLY]
        yield it


@asynccontextmanager
async def client(home: Path, *, files: bool = False) -> AsyncIterator[Client]:
    it, server = Client(), LocalServer(serve_acp)
    await server.connect()
    agent = ClientSideConnection(it, server.stdin, server.stdout, use_unstable_protocol=True)  # type: ignore[arg-type]
    try:
        it.agent = agent
        it.offered = await agent.initialize(
            protocol_version=1,
            client_capabilities=ClientCapabilities(
                fs=FileSystemCapabilities(read_text_file=files, write_text_file=files)
            ),
            client_info=Implementation(name="test", version="1"),
        )
        yield it
    finally:
        await agent.close()
        server.close()
        await server.wait()


async def began(it: Client, folder: Path) -> str:
    return (await it.agent.new_session(cwd=str(folder), mcp_servers=[])).session_id


async def test_a_prompt_is_answered_as_it_comes_and_the_conversation_is_kept(
    home: Path, shop: Path, engine: Scripted
) -> None:
    async with client(home) as it:
        assert it.offered.agent_info is not None
        assert it.offered.agent_info.name == "palimpsest"
        assert it.offered.agent_capabilities is not None
        assert it.offered.agent_capabilities.load_session
        session = await began(it, shop)
        assert await it.ask(session, "Write shipping().") == "end_turn"
        assert it.said(session) == SHOWN
        (usage,) = it.updates(session, "usage_update")
        assert 0 < usage.used < usage.size
        assert engine.asked[-1]["messages"][-1]["content"].endswith("\nWrite shipping().")
        assert await it.ask(session, "/refs") == "end_turn"
        assert "`shipping`: 2 lines, python" in it.said(session)
        assert len(engine.asked) == 1, "a command is not said to the model"
        listed = (await it.agent.list_sessions(cwd=str(shop))).sessions
        assert [(one.session_id, one.title) for one in listed] == [(session, "Write shipping().")]
    async with client(home) as again:
        await again.agent.load_session(cwd=str(shop), session_id=session, mcp_servers=[])
        assert again.said(session, "user_message_chunk") == "Write shipping()."
        assert again.said(session) == SHOWN
        assert await again.ask(session, "And now?") == "end_turn"
        roles = [message["role"] for message in engine.asked[-1]["messages"]]
        assert roles[-3:] == ["user", "assistant", "user"]


async def test_a_thought_is_told_apart_from_the_reply_also_where_it_was_said_before(
    home: Path, shop: Path, engine: Scripted
) -> None:
    engine.replies = [[{"content": piece} for piece in ("<th", "ink>Should I", " greet?</th", "ink>\n\nHel", "lo.")]]
    async with client(home) as it:
        session = await began(it, shop)
        assert await it.ask(session, "Hi.") == "end_turn"
        assert (it.said(session, "agent_thought_chunk"), it.said(session)) == ("Should I greet?", "Hello.")
    async with client(home) as again:
        await again.agent.load_session(cwd=str(shop), session_id=session, mcp_servers=[])
        assert (again.said(session, "agent_thought_chunk"), again.said(session)) == ("Should I greet?", "Hello.")
        engine.replies = [[{"content": piece} for piece in ("Should I", " greet?", "\n</think>\n", "Hello.")]]
        assert await again.ask(session, "And now?") == "end_turn"
        assert again.said(session) == "Hello.Should I greet?\n\nHello."


async def test_behind_a_compaction_the_conversation_is_as_long_as_it_is_then(
    home: Path, shop: Path, engine: Scripted
) -> None:
    async with client(home) as it:
        session = await began(it, shop)
        engine.replies = ["".join(f"Line {i} of it.\n" for i in range(500)), "To the point."]
        await it.ask(session, "Tell me.")
        await it.ask(session, "/compact")
        await it.ask(session, "Go on.")
        _, compacted, _ = it.updates(session, "usage_update")
        read = sum(len(message["content"]) for message in engine.asked[-1]["messages"])
        assert compacted.used < read / 3.2, "without what was said next"
        assert compacted.used > (read - len("Go on.")) / 3.2 - 100


async def test_what_a_turn_refers_to_and_what_was_not_found_is_told(home: Path, shop: Path, engine: Scripted) -> None:
    (shop / "guide.md").write_text("# Guide\n\nHow to begin.\n", encoding="utf-8")
    engine.replies = ['read_document("guide")', "Begin there."]
    found = "Referenced documents:\n- [[guide]] (guide.md): How to begin.\n- [[lost]] (not found: Document not found)"
    async with client(home) as it:
        session = await began(it, shop)
        await it.ask(session, "See [[guide]] and [[lost]].")
        told = it.said(session)
        assert (found in told, told.index(found) < told.index("Begin")) == (True, True)
        assert told.count("- [[guide.md]] (guide.md): How to begin.") == 1, "what a tool has read"
    async with client(home) as again:
        await again.agent.load_session(cwd=str(shop), session_id=session, mcp_servers=[])
        assert found in again.said(session)


async def test_a_model_that_cannot_converse_is_named_before_it_replies(
    home: Path, shop: Path, engine: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    # no door: whether a model converses is the engine's to say, and this one writes what a test wants
    monkeypatch.setattr("palimpsest.agents.acp.talk.unfit", lambda _: "It cannot.")
    engine.replies = ["One.", "Two."]
    async with client(home) as it:
        session = await began(it, shop)
        await it.ask(session, "Hello.")
        await it.ask(session, "And now?")
        assert it.said(session) == "It cannot.\n\nOne.Two."


async def test_what_can_be_asked_is_told_behind_the_answer_to_a_new_session(home: Path, shop: Path) -> None:
    async with client(home) as it:
        session = await began(it, shop)
        await until(lambda: it.updates(session, "available_commands_update"))
        (update,) = it.updates(session, "available_commands_update")
        names = {command.name for command in update.available_commands}
        assert {"refs", "write", "remember"} <= names
        assert "available" not in [kind for where, kind in it.told if where != session]


async def test_what_an_editor_offers_and_is_not_used_is_named_in_the_first_answer(
    home: Path, shop: Path, engine: Scripted
) -> None:
    servers = [McpServerStdio(name=name, command="/bin/false", args=[], env=[]) for name in ("github", "weather")]
    named = "Palimpsest does not use these MCP servers, since its model has tools of its own only: `github`, `weather`."
    async with client(home) as it:
        session = (await it.agent.new_session(cwd=str(shop), mcp_servers=[*servers])).session_id
        assert await it.ask(session, "Write shipping().") == "end_turn"
        assert it.said(session) == f"{named}\n\n{SHOWN}"
        await it.ask(session, "And now?")
        assert it.said(session).count(named) == 1
        assert named not in str(engine.asked), "it is the person who is told"
        copy = (await it.agent.fork_session(cwd=str(shop), session_id=session, mcp_servers=[*servers])).session_id
        await it.ask(copy, "/refs")
        assert it.said(copy).startswith(named)


async def test_the_projects_rules_are_read_from_the_first_message_on(home: Path, shop: Path, engine: Scripted) -> None:
    async with client(home) as it:
        session = await began(it, shop)
        for rule in ("Amounts are whole cents.", "Amounts are whole euros."):
            (shop / "AGENTS.md").write_text(rule, encoding="utf-8")
            await it.ask(session, "Hello?")
            (told,) = (one for one in engine.asked[-1]["messages"] if "<rules" in one["content"])
            assert told["role"] == "user"
            assert f'<rules file="AGENTS.md">\n{rule}\n</rules>\n\n<message fd="turn-1" />\nHello?' in told["content"]


async def test_files_come_along_as_links_and_as_texts(home: Path, shop: Path, engine: Scripted) -> None:
    (shop / ".env").write_text("TOKEN=abc", encoding="utf-8")
    cart, secret = shop / "shop" / "cart.py", shop / ".env"
    async with client(home) as it:
        session = await began(it, shop)
        note = resource_block(embedded_text_resource("file:///elsewhere/note.txt", "Orders above 100 are free."))
        await it.ask(
            session,
            "Look at ",
            resource_link_block("cart.py", cart.as_uri()),
            resource_link_block("secret", secret.as_uri()),
            note,
            "What is wrong?",
        )
        said = engine.asked[-1]["messages"][-1]["content"]
        assert "Look at `shop/cart.py` [secret](" in said, "words and files are kept apart"
        assert ") `note.txt` What is wrong?" in said
        assert "class Cart" in said
        assert "TOKEN" not in said
        assert "Orders above 100 are free." in said
        assert "What is wrong?" in said


async def test_a_folder_that_a_link_leads_to_is_the_one_that_the_editor_names(
    home: Path, shop: Path, engine: Scripted
) -> None:
    linked = shop.parent / "linked"
    linked.symlink_to(shop, target_is_directory=True)
    (shop / ".env").write_text("TOKEN=abc", encoding="utf-8")
    (shop / "note.txt").symlink_to(shop / ".env")
    (shop / "id_rsa").symlink_to(shop / "shop" / "cart.py")
    async with client(home, files=True) as it:
        session = await began(it, linked)
        secret = [resource_link_block("other", (linked / name).as_uri()) for name in ("note.txt", "id_rsa")]
        await it.ask(session, *secret, "Look at this.")
        assert "[other](" in (said := engine.asked[-1]["messages"][-1]["content"])
        assert "TOKEN" not in said
        assert "class Cart" not in said
        await it.ask(session, resource_link_block("cart.py", (linked / "shop" / "cart.py").as_uri()), "And this.")
        assert "class Cart" in engine.asked[-1]["messages"][-1]["content"]
        await it.ask(session, "/write shipping shop/shipping.py")
        assert list(it.written) == [str(linked / "shop" / "shipping.py")]


async def test_a_long_file_becomes_a_descriptor_and_the_question_stays(
    home: Path, shop: Path, engine: Scripted
) -> None:
    async with client(home) as it:
        session = await began(it, shop)
        log = resource_block(embedded_text_resource("file:///elsewhere/run.log", "a line of a log\n" * 5000))
        await it.ask(session, "Why does it fail? ", log)
        said = engine.asked[-1]["messages"][-1]["content"]
        assert "Why does it fail?" in said
        assert '<fd_result fd="fd-1"' in said
        assert len(said) < 10_000


async def test_cancel_ends_the_turn_and_the_conversation_goes_on(home: Path, shop: Path, engine: Scripted) -> None:
    engine.free.clear()
    async with client(home) as it:
        session = await began(it, shop)
        turn = asyncio.ensure_future(it.ask(session, "Take your time."))
        await until(lambda: engine.asked)
        with pytest.raises(RequestError, match="is being answered"):
            await it.ask(session, "And this?")
        with pytest.raises(RequestError, match="is being answered"):
            await it.agent.fork_session(cwd=str(shop), session_id=session, mcp_servers=[])
        await it.agent.cancel(session_id=session)
        assert await turn == "cancelled"
        engine.free.set()
        assert await it.ask(session, "Go on.") == "end_turn"
        assert it.said(session).endswith(SHOWN)


async def test_a_fork_has_what_was_said_before_and_goes_on_alone(home: Path, shop: Path, engine: Scripted) -> None:
    async with client(home) as it:
        session = await began(it, shop)
        await it.ask(session, "Write shipping().")
        fork = (await it.agent.fork_session(cwd=str(shop), session_id=session, mcp_servers=[])).session_id
        assert fork != session
        engine.replies = ["Only here."]
        assert await it.ask(fork, "Something else.") == "end_turn"
        told = [m["content"] for m in engine.asked[-1]["messages"] if m["role"] == "user"]
        assert [text.rpartition("\n")[2] for text in told] == ["Write shipping().", "Something else."]
        assert it.said(fork) == "Only here."
        await it.ask(fork, "/refs")
        assert "`shipping`" in it.said(fork)
        await it.ask(session, "What now?")
        assert "Something else." not in str(engine.asked[-1]["messages"])


async def test_a_ref_is_written_through_the_editor_and_never_over_a_file(home: Path, shop: Path) -> None:
    async with client(home, files=True) as it:
        session = await began(it, shop)
        await it.ask(session, "Write shipping().")
        await it.ask(session, "/write shipping shop/shipping.py")
        assert it.written == {str((shop / "shop" / "shipping.py").resolve()): "def shipping():\n    return 5\n"}
        assert "is written to shop/shipping.py: 2 lines" in it.said(session)
        with pytest.raises(RequestError, match=r"^path: shop/cart\.py exists already, and only new files"):
            await it.ask(session, "/write shipping shop/cart.py")
        with pytest.raises(RequestError, match="not inside the workspace"):
            await it.ask(session, "/write shipping ../shipping.py")


async def test_a_ref_is_written_to_the_disk_where_the_editor_does_not_write(home: Path, shop: Path) -> None:
    async with client(home) as it:
        session = await began(it, shop)
        await it.ask(session, "Write shipping().")
        await it.ask(session, "/write shipping shop/shipping.py")
        assert (shop / "shop" / "shipping.py").read_text(encoding="utf-8") == "def shipping():\n    return 5\n"


async def test_what_is_wrong_is_said_in_words(home: Path, shop: Path) -> None:
    async with client(home) as it:
        for arguments, message in (
            ({"cwd": "shop"}, "cwd: the full path of a folder is wanted"),
            ({"cwd": str(shop / "nowhere")}, "cwd: there is no folder"),
            ({"cwd": str(shop), "additional_directories": ["x"]}, "additionalDirectories: the full path"),
        ):
            with pytest.raises(RequestError, match=message) as refused:
                await it.agent.new_session(mcp_servers=[], **arguments)  # type: ignore[arg-type]
            assert refused.value.code == -32602
        with pytest.raises(RequestError, match="there is no conversation 'c-none'") as missing:
            await it.agent.load_session(cwd=str(shop), session_id="c-none", mcp_servers=[])
        assert missing.value.code == -32002
        with pytest.raises(RequestError, match="is not open"):
            await it.ask("c-none", "Hello")
        session = await began(it, shop)
        with pytest.raises(RequestError, match="is empty"):
            await it.ask(session, "  ")
        with pytest.raises(RequestError, match="cursor"):
            await it.agent.list_sessions(cwd=str(shop), cursor="x")
        await it.agent.close_session(session_id=session)
        with pytest.raises(RequestError, match="is not open"):
            await it.ask(session, "Hello")
        await it.agent.resume_session(cwd=str(shop), session_id=session, mcp_servers=[])
        assert await it.ask(session, "Hello") == "end_turn"
        assert not it.updates(session, "user_message_chunk"), "to resume tells nothing again"


async def test_without_an_engine_what_was_said_is_kept_and_the_reason_is_told(home: Path, shop: Path) -> None:
    file = home / "palimpsest" / "palimpsest.toml"
    file.write_text('[engine]\nkind = "none"\n', encoding="utf-8")
    async with client(home) as it:
        session = await began(it, shop)
        with pytest.raises(RequestError, match="without an engine"):
            await it.ask(session, "Hello")
        await it.agent.load_session(cwd=str(shop), session_id=session, mcp_servers=[])
        assert it.said(session, "user_message_chunk") == "Hello"


WRITES = f'{REPLY}\n\nref_to_file(ref_id="shipping", file_path="{{}}")'


async def test_a_reply_that_only_repeats_itself_says_why_it_ends(home: Path, shop: Path, engine: Scripted) -> None:
    engine.replies, engine.stays = [[{"content": "As you wish.\n"}, *[{"content": "It is a block.\n"}] * 100]], True
    async with client(home) as it:
        session = await began(it, shop)
        assert await it.ask(session, "What is it?") == "end_turn"
        told = it.said(session)
        assert "\n\nNot finished: it only said the same again and again" in told
        engine.free.set()
    async with client(home) as again:
        await again.agent.load_session(cwd=str(shop), session_id=session, mcp_servers=[])
        assert again.said(session) == told


async def test_a_ref_that_is_not_closed_is_told_of(home: Path, shop: Path, engine: Scripted) -> None:
    engine.replies = ['Here:\n\n<ref id="open">\n```\nnever closed']
    problem = 'Line 3: `<ref id="open">` is not closed, so it was not kept; write `</ref>` behind its content.'
    async with client(home) as it:
        session = await began(it, shop)
        await it.ask(session, "Write.")
        assert it.said(session).endswith(f"never closed\n```\n\n{problem}"), "the fence would go on over what is next"
    async with client(home) as again:
        await again.agent.load_session(cwd=str(shop), session_id=session, mcp_servers=[])
        assert again.said(session).endswith(f"never closed\n```\n\n{problem}")


async def test_a_call_that_writes_asks_for_permission_and_the_answer_is_remembered_for_the_folder(
    home: Path, shop: Path, engine: Scripted
) -> None:
    engine.replies = [
        WRITES.format("one.py"),
        "Done.",
        WRITES.format("two.py"),
        "Done.",
        WRITES.format("three.py"),
        ".",
        WRITES.format("docs/four.py"),
        ".",
    ]
    async with client(home) as it:
        session = await began(it, shop)
        it.answer = "reject"
        assert await it.ask(session, "Write it to one.py.") == "end_turn"
        assert not (shop / "one.py").exists()
        (started,), (done,) = it.updates(session, "tool_call"), it.updates(session, "tool_call_update")
        assert (started.title, started.kind) == ("ref_to_file(ref_id='shipping', file_path='one.py')", "edit")
        assert (done.tool_call_id, done.status) == (started.tool_call_id, "failed")
        (where, call, options) = it.asked[0]
        assert (where, call.tool_call_id) == (session, started.tool_call_id)
        assert call.title == "The model wants to write 2 lines to one.py."
        assert {option.kind for option in options} == {"allow_once", "allow_always", "reject_once", "reject_always"}
        assert {option.name for option in options} >= {"Always allow in shop", "Never allow in shop"}
        assert "did not allow it" in str(engine.asked[-1]["messages"]), "the model is told"
        it.answer = "always"
        await it.ask(session, "Write it to two.py.")
        assert (shop / "two.py").read_text(encoding="utf-8") == "def shipping():\n    return 5\n"
        assert it.updates(session, "tool_call_update")[-1].status == "completed"
        assert len(it.asked) == 2
    async with client(home) as again:
        again.answer = "reject"
        await again.agent.load_session(cwd=str(shop), session_id=session, mcp_servers=[])
        assert [update.status for update in again.updates(session, "tool_call_update")] == ["failed", "completed"]
        await again.ask(session, "Write it to three.py.")
        assert (shop / "three.py").exists()
        assert again.asked == []
        await again.ask(session, "Write it to docs/four.py.")
        assert [option.name for option in again.asked[0][2]][1] == "Always allow in shop/docs"


async def test_a_call_is_shown_once(home: Path, shop: Path, engine: Scripted) -> None:
    called = [
        "Let me look.\n\nlist",
        "_refs",
        "()\n",
        "Then more.\nlist_documents(\n",
        "    page=1,\n)",
        "\nlist of refs",
    ]
    in_a_fence = "So:\n\n```\nlist_refs()\n```\nThat is all.\n"
    engine.replies = [[{"content": piece} for piece in called], in_a_fence]
    async with client(home) as it:
        session = await began(it, shop)
        await it.ask(session, "Which refs are there?")
        titles = [update.title for update in it.updates(session, "tool_call")]
        assert titles == ["list_refs()", "list_documents(page=1)"]
        assert it.said(session) == f"Let me look.\n\nThen more.\nlist of refs{in_a_fence}"
    async with client(home) as again:
        await again.agent.load_session(cwd=str(shop), session_id=session, mcp_servers=[])
        assert [update.title for update in again.updates(session, "tool_call")] == titles
        assert again.said(session) == it.said(session)


async def test_what_looks_like_a_call_is_shown_where_it_is_none(home: Path, shop: Path, engine: Scripted) -> None:
    reply = "Call it so:\nlist_refs() gives them.\nlist_refs(\n"
    engine.replies = [reply, "It is not closed."]
    async with client(home) as it:
        session = await began(it, shop)
        await it.ask(session, "How?")
        assert it.said(session) == f"{reply}It is not closed."


async def test_a_childs_write_is_asked_about_also_while_a_command_of_the_persons_runs(
    home: Path, shop: Path, engine: Scripted
) -> None:
    child, summary, came = threading.Event(), threading.Event(), set[str]()

    def reply() -> str:
        last = str(engine.asked[-1]["messages"][-1]["content"])
        if last.endswith("Begin."):
            return 'spawn(task="A file.", instruction="Write it now.")'
        if last.endswith("Write it now."):
            came.add("child")
            child.wait(60)
            return '<ref id="x">\nof the child\n</ref>\nref_to_file(ref_id="x", file_path="child.txt")'
        if "Summarise" in last:
            came.add("summary")
            summary.wait(60)
        return "Done."

    engine.next = reply  # type: ignore[method-assign]
    async with client(home) as it:
        it.answer = "reject"
        session = await began(it, shop)
        await it.ask(session, "Begin.")
        await until(lambda: "child" in came)
        compacting = asyncio.ensure_future(it.ask(session, "/compact"))
        try:
            await until(lambda: "summary" in came)
            child.set()
            await until(lambda: it.asked or (shop / "child.txt").exists())
            assert not (shop / "child.txt").exists(), "the person was not asked"
        finally:
            summary.set()
        assert await compacting == "end_turn"


FLOOD: list[dict[str, Any]] = [{"content": "word " * 200}] * 3_000


async def test_a_session_that_is_closed_while_a_reply_comes_answers_its_prompt(
    home: Path, shop: Path, engine: Scripted
) -> None:
    engine.replies = [FLOOD]
    async with client(home) as it:
        for _ in range(4):
            session = await began(it, shop)
            prompt = asyncio.ensure_future(it.ask(session, "Go on and on."))
            await until(lambda: it.said(session))  # noqa: B023
            await it.agent.close_session(session_id=session)
            assert await prompt in ("cancelled", "end_turn")


@pytest.mark.parametrize(
    "text", [None, '{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": 1}}']
)
def test_it_ends_where_its_input_is_a_file_or_none_and_writes_to_a_file(
    home: Path, tmp_path: Path, text: str | None
) -> None:
    (tmp_path / "in").write_text(text or "", encoding="utf-8")
    command = [sys.executable, "-P", "-m", "palimpsest", "acp"]
    with (tmp_path / "in").open() if text else open(os.devnull) as file, (tmp_path / "out").open("wb") as out:
        done = subprocess.run(command, stdin=file, stdout=out, stderr=subprocess.PIPE, timeout=60)
    said = (tmp_path / "out").read_bytes()
    assert (done.returncode, b"agentInfo" in said) == (0, text is not None), done.stderr


def test_it_ends_with_an_editor_that_is_killed_while_it_has_much_to_tell(
    home: Path, shop: Path, engine: Scripted
) -> None:
    engine.replies = [FLOOD]
    command = [sys.executable, "-P", "-m", "palimpsest", "acp"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=dict(os.environ)) as agent:
        assert agent.stdin is not None
        assert agent.stdout is not None

        def write(number: int, method: str, **params: Any) -> None:
            assert agent.stdin is not None
            message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
            agent.stdin.write(json.dumps(message).encode() + b"\n")
            agent.stdin.flush()

        write(1, "initialize", protocolVersion=1)
        write(2, "session/new", cwd=str(shop), mcpServers=[])
        while (answer := json.loads(agent.stdout.readline())).get("id") != 2:
            pass
        prompt = [{"type": "text", "text": "Go on and on."}]
        write(3, "session/prompt", sessionId=answer["result"]["sessionId"], prompt=prompt)
        while b"word" not in agent.stdout.readline():
            pass
        time.sleep(1)  # the pipe is full by now
        agent.stdin.close()
        agent.stdout.close()
        try:
            assert agent.wait(30) is not None
        finally:
            agent.kill()


async def test_a_file_of_secrets_is_in_no_question_however_it_came(home: Path, shop: Path, engine: Scripted) -> None:
    """And what git ignores only where the person sends its text."""
    subprocess.run(["git", "init", "-q"], cwd=shop, check=True)
    (shop / ".gitignore").write_text("ignored.txt\n")
    (shop / "ignored.txt").write_text("made by a program\n")
    key = "ghp_" + "x7Kq9mZ2vB4nT6wY8cR1pL3sD5fG0hJ2aQ9e"
    async with client(home) as it:
        session = await began(it, shop)
        for name, text, why in ((".env", "TOKEN=abc", "file of secrets"), ("notes.md", f"key: {key}", "holds what")):
            embedded = resource_block(embedded_text_resource((shop / name).as_uri(), text))
            with pytest.raises(RequestError, match=why):
                await it.ask(session, embedded, "What is it?")
        assert not engine.asked
        ignored = (shop / "ignored.txt").as_uri()
        await it.ask(session, resource_link_block("ignored.txt", ignored), "What is it?")
        assert "made by a program" not in str(engine.asked[-1])
        await it.ask(session, resource_block(embedded_text_resource(ignored, "sent along")), "And this?")
        assert "sent along" in str(engine.asked[-1])
