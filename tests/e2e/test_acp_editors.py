"""`palimpsest acp` as editors really talk with it: lines over pipes, answers that are none, no patience."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from .conftest import until
from .local import LocalServer, serve_acp
from .scripted import Scripted, scripted

REF = '<ref id="shipping" lang="python">\ndef shipping():\n    return 5\n</ref>'
WRITES = f'{REF}\n\nref_to_file(ref_id="shipping", file_path="{{}}", mode="{{}}")'
TEXT = "def shipping():\n    return 5\n"
FILES = {"fs": {"readTextFile": True, "writeTextFile": True}}


class Lines:
    """An editor that writes lines and keeps what it reads; `answer` answers what it is asked, None never does."""

    def __init__(self, server: LocalServer | asyncio.subprocess.Process) -> None:
        self.server = server
        self.read: list[dict[str, Any]] = []
        self.answer: Callable[[str, dict[str, Any]], Any] = lambda *_: None
        self._n = 0
        self._reading = asyncio.get_running_loop().create_task(self._read())

    async def _read(self) -> None:
        while line := await self.server.stdout.readline():
            message = json.loads(line)
            self.read.append(message)
            if "method" in message and "id" in message:
                answer = self.answer(message["method"], message["params"])
                if answer is not None:
                    self.write({"jsonrpc": "2.0", "id": message["id"], **answer})

    def write(self, message: Any) -> None:
        self.write_line(json.dumps(message))

    def write_line(self, line: str) -> None:
        self.server.stdin.write(f"{line}\n".encode())

    def begin(self, method: str, params: Mapping[str, Any]) -> int:
        self._n += 1
        self.write({"jsonrpc": "2.0", "id": self._n, "method": method, "params": params})
        return self._n

    async def answered(self, number: int) -> dict[str, Any]:
        def found() -> list[dict[str, Any]]:
            return [it for it in self.read if it.get("id") == number and "method" not in it]

        await until(found)
        return found()[0]

    async def ask(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        return await self.answered(self.begin(method, params))

    async def begun(self, folder: Path) -> str:
        session: str = (await self.ask("session/new", {"cwd": str(folder), "mcpServers": []}))["result"]["sessionId"]
        return session

    def prompt(self, session: str, *texts: str) -> int:
        blocks = [{"type": "text", "text": text} for text in texts]
        return self.begin("session/prompt", {"sessionId": session, "prompt": blocks})

    async def stopped(self, number: int) -> str:
        reason: str = (await self.answered(number))["result"]["stopReason"]
        return reason

    def cancel(self, session: str) -> None:
        self.write({"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": session}})

    def updates(self, kind: str) -> list[dict[str, Any]]:
        found = [it["params"]["update"] for it in self.read if it.get("method") == "session/update"]
        return [update for update in found if update["sessionUpdate"] == kind]

    def asked(self, method: str) -> list[dict[str, Any]]:
        return [it["params"] for it in self.read if it.get("method") == method]

    async def close(self) -> None:
        self.server.close()
        await self.server.wait()
        await self._reading


@pytest.fixture
def engine() -> Iterator[Scripted]:
    with scripted() as it:
        it.replies = ["Yes."]
        yield it
        it.free.set()


@pytest.fixture
def home(tmp_path: Path, machine: dict[str, str], engine: Scripted, monkeypatch: pytest.MonkeyPatch) -> Path:
    config = tmp_path / "config"
    (config / "palimpsest").mkdir(parents=True)
    text = f'[engine]\nkind = "openai"\nurl = "{engine.url}"\n'
    (config / "palimpsest" / "palimpsest.toml").write_text(text, encoding="utf-8")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(config))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return config


@asynccontextmanager
async def started(home: Path) -> AsyncIterator[Lines]:
    server = LocalServer(serve_acp)
    await server.connect()
    it = Lines(server)
    try:
        yield it
    finally:
        await it.close()


@asynccontextmanager
async def editor(home: Path, capabilities: Mapping[str, Any] = {}) -> AsyncIterator[Lines]:
    async with started(home) as it:
        answer = await it.ask("initialize", {"protocolVersion": 1, "clientCapabilities": capabilities})
        assert answer["result"]["protocolVersion"] == 1
        yield it


async def test_what_is_no_message_is_said_to_be_none_and_what_follows_is_heard(home: Path, shop: Path) -> None:
    async with started(home) as it:
        for line in ("no JSON", "5", '[{"jsonrpc": "2.0", "id": 1, "method": "initialize"}]', "", "[" * 50_000):
            it.write_line(line)
        it.write({"jsonrpc": "2.0", "id": 99, "error": "no object"})
        it.write({"jsonrpc": "2.0", "id": 98, "result": "for nothing that was asked"})
        await it.ask("initialize", {"protocolVersion": 1})
        codes = [message["error"]["code"] for message in it.read if "error" in message]
        assert codes == [-32700, -32600, -32600, -32700, -32600]
        unknown = await it.ask("session/set_mode", {"sessionId": await it.begun(shop), "modeId": "code"})
        assert unknown["error"]["code"] == -32601
        assert await it.stopped(it.prompt(await it.begun(shop), "Well?")) == "end_turn"


async def test_an_editors_own_fields_are_no_parameters(home: Path, shop: Path) -> None:
    async with editor(home) as it:
        own = {"cwd": "/", "sessionId": "x", "cursor": "y"}
        params = {"cwd": str(shop), "mcpServers": [], "_meta": own}
        session = (await it.ask("session/new", params))["result"]["sessionId"]
        assert await it.stopped(it.prompt(session, "Well?")) == "end_turn"
        (found,) = (await it.ask("session/list", {"cwd": str(shop), "_meta": own}))["result"]["sessions"]
        assert (found["sessionId"], found["cwd"]) == (session, str(shop.resolve()))


async def test_a_person_sees_what_would_be_written_before_they_allow_it(
    home: Path, shop: Path, engine: Scripted
) -> None:
    file = shop / "ports.py"
    engine.replies = [WRITES.format("ports.py", "write"), ".", WRITES.format("ports.py", "append"), "."]
    async with editor(home) as it:
        it.answer = lambda *_: {"result": {"outcome": {"outcome": "selected", "optionId": "allow"}}}
        session = await it.begun(shop)
        await it.answered(it.prompt(session, "Write it."))
        await it.answered(it.prompt(session, "Again."))
        first, second = [asked["toolCall"] for asked in it.asked("session/request_permission")]
        assert first["content"] == [{"type": "diff", "path": str(file.resolve()), "newText": TEXT}]
        assert first["locations"] == [{"path": str(file.resolve())}]
        assert second["content"][0]["oldText"] == TEXT
        assert second["content"][0]["newText"] == file.read_text(encoding="utf-8") == TEXT + TEXT


async def test_nobody_is_asked_about_what_cannot_be_done(home: Path, shop: Path, engine: Scripted) -> None:
    engine.replies = [WRITES.format("shop/cart.py", "write"), "."]
    async with editor(home) as it:
        await it.answered(it.prompt(await it.begun(shop), "Write it."))
        assert it.asked("session/request_permission") == []
        assert "exists already" in str(it.updates("tool_call_update"))


@pytest.mark.parametrize(
    "answer",
    [
        {"result": {"outcome": {"outcome": "selected"}}},
        {"result": None},
        {"result": {"outcome": {"outcome": "selected", "optionId": "yes"}}},
        {"error": {"code": -32601, "message": "no such method"}},
    ],
    ids=["no option", "nothing", "an option of nobody's", "an error"],
)
async def test_an_answer_that_is_none_allows_nothing(
    home: Path, shop: Path, engine: Scripted, answer: dict[str, Any]
) -> None:
    engine.replies = [WRITES.format("one.py", "write"), "As you wish."]
    async with editor(home) as it:
        it.answer = lambda *_: answer
        assert await it.stopped(it.prompt(await it.begun(shop), "Write it.")) == "end_turn"
        assert not (shop / "one.py").exists()
        assert "did not allow it" in str(it.updates("tool_call_update"))


async def test_an_editor_that_does_not_write_is_said_to_have_failed(home: Path, shop: Path, engine: Scripted) -> None:
    def answer(method: str, _: Any) -> dict[str, Any]:
        if method == "session/request_permission":
            return {"result": {"outcome": {"outcome": "selected", "optionId": "allow"}}}
        return {"result": {"nothing": True}} if method == "fs/read_text_file" else {"error": {"message": "disk full"}}

    engine.replies = [WRITES.format("one.py", "write"), WRITES.format("shop/cart.py", "append"), "."]
    async with editor(home, FILES) as it:
        it.answer = answer
        assert await it.stopped(it.prompt(await it.begun(shop), "Write it.")) == "end_turn"
        first, second = it.updates("tool_call_update")
        assert (first["status"], second["status"]) == ("failed", "failed")
        assert "did not write one.py: disk full" in first["rawOutput"]
        assert "did not read cart.py" in second["rawOutput"]


@pytest.mark.parametrize(
    ("mode", "old", "meanwhile", "then"),
    [
        ("append", "old\n", "old\nmore\n", "old\nmore\n" + TEXT),
        ("write", None, "theirs\n", "theirs\n"),
        ("insert", "old\n", "new\nold\n", "new\nold\n"),
    ],
)
async def test_what_a_person_does_while_they_are_asked_is_not_lost(
    home: Path, shop: Path, engine: Scripted, mode: str, old: str | None, meanwhile: str, then: str
) -> None:
    file = shop / "note.txt"
    if old:
        file.write_text(old, encoding="utf-8")

    def answer(method: str, params: dict[str, Any]) -> dict[str, Any]:
        if method == "session/request_permission":
            file.write_text(meanwhile, encoding="utf-8")
            return {"result": {"outcome": {"outcome": "selected", "optionId": "allow"}}}
        if method == "fs/read_text_file":
            return {"result": {"content": file.read_text(encoding="utf-8")}}
        file.write_text(params["content"], encoding="utf-8")
        return {"result": {}}

    line = ", insert_at_line=1" if mode == "insert" else ""
    engine.replies = [f'{REF}\n\nref_to_file(ref_id="shipping", file_path="note.txt", mode="{mode}"{line})', "."]
    async with editor(home, FILES) as it:
        it.answer = answer
        await it.answered(it.prompt(await it.begun(shop), "Write it."))
    assert file.read_text(encoding="utf-8") == then


async def test_a_folder_that_leads_elsewhere_by_the_time_of_the_answer_is_not_written_in(
    home: Path, shop: Path, engine: Scripted, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (shop / "notes").mkdir()

    def answer(method: str, params: dict[str, Any]) -> dict[str, Any]:
        if method == "session/request_permission":
            (shop / "notes").rmdir()
            (shop / "notes").symlink_to(outside)
            return {"result": {"outcome": {"outcome": "selected", "optionId": "allow"}}}
        Path(params["path"]).write_text(params["content"], encoding="utf-8")
        return {"result": {}}

    engine.replies = [WRITES.format("notes/new.txt", "write"), "."]
    async with editor(home, FILES) as it:
        it.answer = answer
        await it.answered(it.prompt(await it.begun(shop), "Write it."))
        assert it.asked("fs/write_text_file") == []
    assert list(outside.iterdir()) == []


async def test_cancel_ends_a_turn_whose_question_nobody_answers_and_closes_its_call(
    home: Path, shop: Path, engine: Scripted
) -> None:
    engine.replies = [WRITES.format("one.py", "write"), "Go on."]
    async with editor(home) as it:
        session = await it.begun(shop)
        turn = it.prompt(session, "Write it.")
        await until(lambda: it.asked("session/request_permission"))
        it.cancel(session)
        assert await it.stopped(turn) == "cancelled"
        (call,), (done,) = it.updates("tool_call"), it.updates("tool_call_update")
        assert (done["toolCallId"], done["status"]) == (call["toolCallId"], "failed")
        assert await it.stopped(it.prompt(session, "Never mind.")) == "end_turn"
        assert not (shop / "one.py").exists()


async def test_a_prompt_right_behind_a_cancel_is_answered(home: Path, shop: Path, engine: Scripted) -> None:
    """An editor need not wait for the cancelled turn's answer."""
    engine.free.clear()
    async with editor(home) as it:
        session = await it.begun(shop)
        first = it.prompt(session, "Take your time.")
        await until(lambda: engine.asked)
        it.cancel(session)
        second = it.prompt(session, "Hurry.")
        engine.free.set()
        assert await it.stopped(first) == "cancelled"
        assert await it.stopped(second) == "end_turn"
        assert engine.asked[-1]["messages"][-1]["content"].endswith("Hurry.")


async def test_a_text_behind_a_text_begins_on_a_line_of_its_own(home: Path, shop: Path, engine: Scripted) -> None:
    async with editor(home) as it:
        await it.answered(it.prompt(await it.begun(shop), "What is this?", "<selected_code>x = 1</selected_code>"))
        assert engine.asked[-1]["messages"][-1]["content"].endswith(
            "What is this?\n\n<selected_code>x = 1</selected_code>"
        )


async def test_an_editor_that_takes_compactions_is_told_of_them_where_they_happened(home: Path, shop: Path) -> None:
    takes = {"session": {"compaction": {}}}
    async with editor(home, takes) as it:
        session = await it.begun(shop)
        await it.answered(it.prompt(session, "Call it shipping_cost, never postage."))
        await it.answered(it.prompt(session, "/compact"))
        began, ended = it.updates("compaction_update")
        assert "A summary, written by rules, stands for older turns." in str(it.updates("agent_message_chunk"))
        assert (began["status"], ended["status"]) == ("in_progress", "completed")
        assert began["compactionId"] == ended["compactionId"]
        assert "shipping_cost" in ended["summary"][0]["text"]
        await it.answered(it.prompt(session, "And now?"))
    async with editor(home, takes) as again:
        await again.ask("session/load", {"cwd": str(shop), "sessionId": session, "mcpServers": []})
        shown = [it["params"]["update"]["sessionUpdate"] for it in again.read if it.get("method") == "session/update"]
        assert [kind for kind in shown if kind != "available_commands_update"] == [
            "user_message_chunk",
            "agent_message_chunk",
            "compaction_update",
            "user_message_chunk",
            "agent_message_chunk",
        ]
    async with editor(home) as other:
        await other.ask("session/load", {"cwd": str(shop), "sessionId": session, "mcpServers": []})
        assert other.updates("compaction_update") == []


async def test_a_session_in_which_nothing_was_said_is_not_listed_and_goes_with_the_editor(
    home: Path, shop: Path
) -> None:
    async with editor(home) as it:
        unused, used = await it.begun(shop), await it.begun(shop)
        await it.answered(it.prompt(used, "Well?"))
        sessions = (await it.ask("session/list", {"cwd": str(shop)}))["result"]["sessions"]
        assert [one["sessionId"] for one in sessions] == [used]
    async with editor(home) as again:
        gone = await again.ask("session/load", {"cwd": str(shop), "sessionId": unused, "mcpServers": []})
        assert gone["error"]["code"] == -32002


async def test_an_editor_that_vanishes_leaves_no_process_behind(home: Path, shop: Path, engine: Scripted) -> None:
    engine.free.clear()
    pipe = asyncio.subprocess.PIPE
    command = (sys.executable, "-P", "-m", "palimpsest", "acp")
    process = await asyncio.create_subprocess_exec(*command, stdin=pipe, stdout=pipe, limit=1 << 24)
    it = Lines(process)
    await it.ask("initialize", {"protocolVersion": 1})
    it.prompt(await it.begun(shop), "Take your time.")
    await until(lambda: engine.asked)
    assert process.stdin is not None
    process.stdin.close()
    async with asyncio.timeout(60):
        assert await process.wait() == 0
