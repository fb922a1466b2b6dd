"""`palimpsest mcp`: a real agent's client (the protocol's own SDK), a real server, real windows."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shlex
import signal
import socket
import stat
import subprocess
import sys
import tomllib
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters, stdio_client
from mcp_types import Implementation, TextContent

from palimpsest.text.uris import to_uri
from palimpsest.types import BLOCK_TYPES
from palimpsest.windows.sockets import LONGEST_LINE
from tests import documents
from tests.documents import ROOT

from .conftest import Editor, start_editor, stop_editor, until

PLACES = {"/path/to/workspace", "${workspaceFolder}"}
"""What stands for a workspace in the documents."""
NOTE = "Orders above 100 are sent free of charge."


class Agent:
    def __init__(self, client: Client) -> None:
        self.client = client

    async def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        result = await self.client.call_tool(tool, arguments)
        assert not result.is_error, _text(result.content)
        assert result.structured_content is not None
        return result.structured_content

    async def refused(self, tool: str, **arguments: Any) -> str:
        result = await self.client.call_tool(tool, arguments)
        assert result.is_error
        return _text(result.content)

    async def names(self) -> dict[str, str]:
        """Name and state of each block."""
        return {block["name"]: block["state"] for block in (await self.call("list_blocks"))["blocks"]}


def _text(content: Sequence[object]) -> str:
    return "\n".join(part.text for part in content if isinstance(part, TextContent))


@asynccontextmanager
async def agent(workspace: Path, mode: str = "auto") -> AsyncIterator[Agent]:
    command = ["-P", "-m", "palimpsest", "mcp", "--workspace", str(workspace)]
    server = StdioServerParameters(command=sys.executable, args=command, env=dict(os.environ))
    info = Implementation(name="Test Agent", version="1")
    async with Client(stdio_client(server), client_info=info, mode=mode, read_timeout_seconds=60) as client:
        yield Agent(client)


def socket_of(editor: Editor) -> Path:
    number = os.getpid() if editor.client.local else editor.pid
    return Path(os.environ["XDG_RUNTIME_DIR"], "palimpsest", f"window-{number}.sock")


async def placed(editor: Editor) -> str:
    """With the cursor in a method."""
    uri = editor.open("shop/cart.py")
    await editor.settled(uri, editor.at(uri, "total = self.subtotal()"))
    editor.cursor(uri, editor.at(uri, "total = self.subtotal()"))
    await editor.until_idle()
    return uri


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_an_agent_sees_what_the_person_works_on_and_adds_to_it(editor: Editor, shop: Path, mode: str) -> None:
    uri = await placed(editor)
    async with agent(shop, mode) as it:
        tools = {tool.name: tool for tool in (await it.client.list_tools()).tools}
        assert tools["put_block"].input_schema["properties"]["type"]["enum"] == list(BLOCK_TYPES)
        cursor = await it.call("cursor")
        assert (cursor["file"], cursor["language"], cursor["uri"]) == ("shop/cart.py", "python", uri)
        assert cursor["editing"]["name"] == "Cart.total"
        assert "total = self.subtotal()<|FIM_MIDDLE|>" in cursor["editing"]["text"]
        line = editor.texts[uri].split("\n")[cursor["line"] - 1]
        assert line.strip() == "total = self.subtotal()"
        assert cursor["column"] == len(line) + 1
        assert (await it.names())["shop.cart.Cart"] == "resident"

        put = await it.call(
            "put_block", type="documentation", name="shipping", text=NOTE, priority=5, file="shop/cart.py"
        )
        assert put["tokens"] > 0
        shown = await editor.settled(uri, editor.at(uri, "total = self.subtotal()"))
        (block,) = [block for block in shown["blocks"] if block["name"] == "shipping"]
        assert (block["text"], block["source"], block["uri"]) == (NOTE, "agent Test Agent", uri)
        assert (await it.names())["shipping"] == "resident"
        assert (await it.call("read_block", type="documentation", name="shipping"))["text"] == NOTE
        usage = await it.call("context_usage")
        assert usage["total"] > usage["used"] > 0

        resources = [str(one.uri) for one in (await it.client.list_resources()).resources]
        assert sorted(resources) == ["palimpsest://blocks", "palimpsest://cursor"]
        read = await it.client.read_resource("palimpsest://blocks")
        assert NOTE in str(read.contents[0])

        assert (await it.call("drop_block", type="documentation", name="shipping")) == {"dropped": True}
        assert (await it.call("drop_block", type="documentation", name="shipping")) == {"dropped": False}
        assert "shipping" not in await it.names()

        assert (await it.call("pin_file", file="README.md"))["name"] == "README.md"
        assert "README.md" in await it.names()
        await it.call("unpin_file", file="README.md")
        assert "README.md" not in await it.names()


async def test_what_is_wrong_is_said_with_what_would_be_right(editor: Editor, shop: Path, tmp_path: Path) -> None:
    (shop / ".env").write_text("TOKEN=abc")
    (tmp_path / "outside.py").write_text("secret = 1")
    async with agent(shop) as it:
        assert "Nobody has said yet where the cursor is" in await it.refused("cursor")
        assert (await it.call("list_blocks")) == {"blocks": []}
        await it.call("put_block", type="documentation", name="early", text=NOTE)
        assert await it.names() == {"early": "left out"}
        assert "these are there: documentation early" in await it.refused("read_block", type="class", name="x")
        assert "name" in await it.refused("put_block", type="documentation", name=" ", text="x")
        assert "ttl" in await it.refused("put_block", type="documentation", name="a", text="x", ttl=-1)
        assert "documentation" in await it.refused("put_block", type="nonsense", name="a", text="x")
        assert "400,000" in await it.refused("put_block", type="documentation", name="a", text="x" * 400_001)
        key = "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA7\n-----END RSA PRIVATE KEY-----"
        assert "text" in await it.refused("put_block", type="documentation", name="a", text=key)
        assert "file: " in await it.refused("pin_file", file=".env")
        assert await it.refused("pin_file", file="../outside.py")
        assert await it.refused("pin_file", file=str(tmp_path / "outside.py"))
        assert await it.refused("pin_file", file="nowhere.py")
        assert "expected a path" in await it.refused("pin_file", file="")
        assert "is not pinned" in await it.refused("unpin_file", file="README.md")
        assert await it.names() == {"early": "left out"}


async def test_of_a_file_of_secrets_nothing_is_told(editor: Editor, shop: Path) -> None:
    (shop / ".env").write_text("TOKEN=abc\n")
    uri = editor.open(".env")
    editor.cursor(uri, editor.at(uri, "TOKEN"))
    await editor.until_idle()
    async with agent(shop) as it:
        said = await it.refused("cursor")
        assert "abc" not in said + json.dumps(await it.call("list_blocks"))


async def test_two_windows_are_one_workspace(editor: Editor, shop: Path) -> None:
    await placed(editor)
    async with agent(shop) as it:
        await it.call("put_block", type="documentation", name="shipping", text=NOTE)
        await it.call("put_block", type="documentation", name="brief", text="Soon over.", ttl=600)
        await it.call("put_block", type="documentation", name="gone", text="Not any more.")
        await it.call("drop_block", type="documentation", name="gone")
        other = await start_editor(shop)
        try:
            await other.ready()
            uri = other.open("shop/item.py")
            other.cursor(uri, other.at(uri, "def format_price"))
            await other.until_idle()
            assert (await it.call("cursor"))["file"] == "shop/item.py", "of the window used last"
            for window, file in ((editor, "shop/cart.py"), (other, "shop/item.py")):
                opened = to_uri(shop / file)
                shown = await window.settled(opened, window.at(opened, "def "))
                put = {block["name"] for block in shown["blocks"] if block["source"].startswith("agent")}
                assert put == {"shipping", "brief"}, "also what was put before it was opened"
            assert {"shop.cart.Cart", "shipping", "brief"} <= (await it.names()).keys()
            await it.call("drop_block", type="documentation", name="shipping")
            for window, file in ((editor, "shop/cart.py"), (other, "shop/item.py")):
                opened = to_uri(shop / file)
                shown = await window.settled(opened, window.at(opened, "def "))
                assert "shipping" not in {block["name"] for block in shown["blocks"]}
        finally:
            await stop_editor(other)
        await until(lambda: not socket_of(other).exists())
        assert (await it.call("cursor"))["file"] == "shop/cart.py"


async def test_windows_come_and_go_while_an_agent_runs(machine: dict[str, str], shop: Path) -> None:
    async with agent(shop) as it:
        assert "open it in the editor" in await it.refused("list_blocks")
        first = await start_editor(shop, own_process=True)
        try:
            await first.ready()
            assert (await it.call("list_blocks")) == {"blocks": []}
            os.kill(first.pid, signal.SIGKILL)
            for _ in range(500):  # its threads may need a moment to die
                said = await it.client.call_tool("list_blocks", {})
                if said.is_error and not socket_of(first).exists():
                    break
                await asyncio.sleep(0.02)
            assert "open it in the editor" in _text(said.content)
            assert not socket_of(first).exists(), "what a killed server left is removed"
        finally:
            await stop_editor(first)
        second = await start_editor(shop)
        try:
            await second.ready()
            assert (await it.call("list_blocks")) == {"blocks": []}
        finally:
            await stop_editor(second)


async def test_other_workspaces_are_not_reached(editor: Editor, shop: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    async with agent(other) as it:
        assert str(other) in await it.refused("put_block", type="documentation", name="a", text="x")
    async with agent(shop / "shop") as it:  # a folder in it will do
        await it.call("put_block", type="documentation", name="inner", text="x")
        assert await it.names() == {"inner": "left out"}


async def test_the_socket_is_private_and_survives_nonsense(editor: Editor) -> None:
    path = socket_of(editor)
    await until(path.exists)
    facts = path.lstat()
    assert stat.S_ISSOCK(facts.st_mode)
    assert stat.S_IMODE(facts.st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700

    def said(raw: bytes) -> dict[str, Any]:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as client:
            client.settimeout(30)
            client.connect(str(path))
            client.sendall(raw)
            client.shutdown(socket.SHUT_WR)
            with client.makefile("rb") as answers:
                line = answers.readline()
        return json.loads(line) if line else {}

    async def answer(raw: bytes) -> dict[str, Any]:
        return await asyncio.to_thread(said, raw)

    assert "is not JSON" in (await answer(b"\xff\xfe nonsense\n"))["error"]["message"]
    assert "is not JSON" in (await answer(b"[" * 100_000 + b"\n"))["error"]["message"]
    assert "method" in (await answer(b"[1, 2]\n"))["error"]["message"]
    assert "expected one of" in (await answer(b'{"id": 1, "method": "exit", "params": {}}\n'))["error"]["message"]
    assert "id" in (await answer(b'{"id": {}, "method": "palimpsest.window"}\n'))["error"]["message"]
    wrong = await answer(b'{"id": 1, "method": "palimpsest.context.put", "params": {"type": "file"}}\n')
    assert wrong == {"id": 1, "error": {"code": "invalid_argument", "message": wrong["error"]["message"]}}
    assert "name" in wrong["error"]["message"]
    assert "longer than" in (await answer(b"x" * (LONGEST_LINE + 10)))["error"]["message"]
    assert await answer(b'{"id": 1, "method": "palimpsest.wind') == {}
    found = (await answer(b'{"id": "a", "method": "palimpsest.window", "params": {}}\n'))["result"]
    assert found["pid"] == os.getpid()

    many = [socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) for _ in range(40)]
    try:
        for one in many:
            one.connect(str(path))
        await editor.command("palimpsest.cache.map")  # the person notices nothing
    finally:
        for one in many:
            one.close()
    await until(lambda: said(b'{"id": 1, "method": "palimpsest.window"}\n').get("result"))


def configured() -> list[list[str]]:
    """The commands that docs/agents.md gives to agents."""
    page = ROOT / "docs" / "agents.md"
    found = list[dict[str, Any]]()
    for kind, text in re.findall(r"^```(json|toml)\n(.*?)^```$", documents.text(page), re.MULTILINE | re.DOTALL):
        (servers,) = (json.loads(text) if kind == "json" else tomllib.loads(text)).values()
        found.append(servers["palimpsest"])
    commands = [[one["command"], *one["args"]] for one in found]
    (line,) = [line for line in documents.code_lines(page) if line.startswith("claude mcp add")]
    return [*commands, shlex.split(line.partition(" -- ")[2])]


@pytest.mark.parametrize("command", configured(), ids=" ".join)
async def test_the_documents_commands_work(editor: Editor, shop: Path, command: list[str]) -> None:
    program = Path(sys.executable).with_name(command[0])
    arguments = [str(shop) if argument in PLACES else argument for argument in command[1:]]
    server = StdioServerParameters(command=str(program), args=arguments, env=dict(os.environ), cwd=shop)
    async with Client(stdio_client(server), read_timeout_seconds=60) as client:
        assert {tool.name for tool in (await client.list_tools()).tools} == documented()
        assert await Agent(client).call("list_blocks") == {"blocks": []}


def documented() -> set[str]:
    table = documents.table(ROOT / "docs" / "agents.md", "What it can do")
    return {name.strip("`") for names in table for name in names.replace("`", "").split(", ")}


def test_wrong_usage(tmp_path: Path) -> None:
    command = [sys.executable, "-P", "-m", "palimpsest", "mcp", "--workspace", str(tmp_path / "nowhere")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2
    assert "expected a folder; there is no" in done.stderr


async def test_an_agent_reads_and_adds_refs_and_descriptors(editor: Editor, shop: Path) -> None:
    made = await editor.command("palimpsest.conversation.new", {"name": "prices"})
    talk = {"conversation": made["conversation"]}
    async with agent(shop) as it:
        assert [one["name"] for one in (await it.call("list_conversations"))["conversations"]] == ["prices"]
        await it.call("add_ref", **talk, ref_id="tax", content="TAX = 0.2")
        assert (await it.call("get_ref", **talk, ref_id="tax"))["content"] == "TAX = 0.2"
        fd = await it.call("create_fd", **talk, content="one price\n" * 3000, name="list")
        page = await it.call("read_fd", **talk, fd="list", page=2)
        once = await it.client.call_tool("read_fd", {**talk, "fd": "list", "start_line": 7, "end_line": 7})
        assert _text(once.content).count("one price") == 1, "an agent pays for what it reads"
        assert (page["page"], page["fd"]) == (2, fd["fd"])
        assert (await it.call("search_fd", **talk, fd="list", query="price"))["count"] > 0
        assert "there is no conversation" in await it.refused("list_refs", conversation="c-0")
    refs = await editor.command("palimpsest.refs.list", talk)
    assert [ref["id"] for ref in refs["refs"]] == ["tax"]


async def test_what_is_too_long_for_an_answer_is_read_in_parts(editor: Editor, shop: Path) -> None:
    made = await editor.command("palimpsest.conversation.new", {"name": "logs"})
    file = shop / "run.txt"
    file.write_text("a line of a log\n" * (LONGEST_LINE // 16 + 1), encoding="utf-8")
    fd = await editor.command("palimpsest.fd.create", {"conversation": made["conversation"], "uri": to_uri(file)})
    talk = {"conversation": made["conversation"], "fd": fd["fd"]}
    async with agent(shop) as it:
        assert "file: names no file" in await it.refused("pin_file", file="x" * 5000)
        assert "longer than 4 MiB; ask for a part" in await it.refused("read_fd", **talk, read_all=True)
        assert (await it.call("read_fd", **talk, page=5))["page"] == 5


@contextmanager
def suspended(editor: Editor) -> Iterator[None]:
    """As by a debugger, or with its terminal."""
    os.kill(editor.pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(editor.pid, signal.SIGCONT)


@pytest.mark.slow(part="storms")
async def test_a_suspended_window_of_another_workspace_holds_no_agent_up(
    editor: Editor, shop: Path, tmp_path: Path
) -> None:
    (tmp_path / "other").mkdir()
    other = await start_editor(tmp_path / "other")
    await other.ready()
    async with agent(shop) as it:
        await it.call("list_conversations")
        with suspended(other):
            for _ in range(15):  # each took a minute: a test's limit of time is the bound
                await it.call("list_conversations")
    await stop_editor(other)


@pytest.mark.slow(part="storms")
async def test_an_agent_hears_that_its_window_does_not_answer(machine: dict[str, str], shop: Path) -> None:
    window = await start_editor(shop, own_process=True)
    await window.ready()
    async with agent(shop) as it:
        await it.call("put_block", type="documentation", name="shipping", text=NOTE)
        with suspended(window):
            assert "does not answer" in await it.refused("list_conversations")
        await it.call("list_conversations")
        assert "shipping" in await it.names()
    await stop_editor(window)


async def test_what_git_ignores_is_the_persons_to_pin(editor: Editor, shop: Path) -> None:
    subprocess.run(["git", "init", "-q"], cwd=shop, check=True)
    (shop / ".gitignore").write_text("ignored.txt\n")
    (shop / "ignored.txt").write_text("made by a program\n")
    await placed(editor)
    async with agent(shop) as it:
        assert "only the person can pin it" in await it.refused("pin_file", file="ignored.txt")
        await editor.command("palimpsest.context.pin", {"uri": to_uri(shop / "ignored.txt")})
        assert "ignored.txt" in await it.names()
