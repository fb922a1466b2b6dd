"""A real server, a real engine with the embedded model, and a real LSP client.

The server is in this process (`local.py`) unless a test wants a process of its own; engines are processes, which a
worker's tests share.
"""

import asyncio
import logging
import os
import shutil
import signal
import tempfile
from asyncio.subprocess import Process
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException
from pygls.io_ import run_async
from pytest_lsp import LanguageClient, client_capabilities
from pytest_lsp.client import register_lsp_features

from palimpsest.errors import EngineError
from palimpsest.lsp.client.editor import Editor as Window
from palimpsest.lsp.client.editor import is_resident, position_at
from palimpsest.lsp.plain import plain
from palimpsest.lsp.protocol import converter
from palimpsest.providers.palimpsest.launch import find
from palimpsest.system import folders
from palimpsest.system.engine_address import Address
from palimpsest.text.uris import to_path, to_uri

from . import local
from .local import LocalServer
from .raw import SERVE

logger = logging.getLogger(__name__)
SAMPLE = Path(__file__).parents[2] / "server" / "palimpsest" / "demo" / "sample"
READY_S = 180.0
"""Against hangs alone: the index is built by a process that gives way to all others."""

__all__ = ["SAMPLE", "Editor", "engine_pids", "plain", "start_editor", "stop_editor", "told", "until"]


class Client(LanguageClient):
    """pytest-lsp's, which can also be connected to a server in this process."""

    local: LocalServer | None = None

    async def start_local(self) -> None:
        self.local = server = LocalServer()
        await server.connect()
        self.protocol.set_writer(server.stdin)
        self._async_tasks.append(asyncio.create_task(self._read(server.stdout)))

    @property
    def process(self) -> Process:
        assert self._server is not None, "start it with `own_process`"
        return self._server

    async def stop(self) -> None:
        if self.local is not None:
            self.local.close()
        await super().stop()
        if self.local is not None:
            await self.local.wait()

    async def _read(self, reader: asyncio.StreamReader) -> None:
        await run_async(self._stop_event, reader, self.protocol, logger=logger, error_handler=self.report_server_error)
        # no door: pygls tells those that wait only of a process that ended
        for waiting in list(self.protocol._request_futures.values()):
            if not waiting.done():
                waiting.set_exception(RuntimeError("the server has ended"))


class Editor(Window):
    """What a test does in an editor window; `client` is pytest-lsp's for everything else."""

    client: Client
    is_indexed = False

    @property
    def pid(self) -> int:
        """Of the process that is the window's own."""
        return self.client.process.pid

    async def ready(self, timeout_s: float = READY_S, *, patient: bool = True) -> None:
        await super().ready(timeout_s, patient=patient)

    def edit(self, uri: str, old: str, new: str) -> lsp.Position:
        """Replace the first `old` by `new`; the position behind the new text, or of `$0` in it."""
        cursor, _, rest = new.partition("$0")
        start, offset = self.at(uri, old, after=False), self.texts[uri].index(old)
        self.replace(uri, start, self.at(uri, old), cursor + rest)
        return position_at(self.texts[uri], offset + len(cursor), self.encoding)

    def apply(self, changes: Sequence[lsp.TextDocumentEdit]) -> None:
        """As an editor applies a `WorkspaceEdit`: what is open is changed, the rest on disk."""
        for change in changes:
            uri = change.text_document.uri
            text = self.texts[uri] if uri in self.texts else to_path(uri).read_text(encoding="utf-8")
            for edit in sorted(change.edits, key=lambda e: (-e.range.start.line, -e.range.start.character)):
                assert isinstance(edit, lsp.TextEdit)
                start, end = self._offset(text, edit.range.start), self._offset(text, edit.range.end)
                text = text[:start] + edit.new_text + text[end:]
            if uri in self.texts:
                self.texts[uri] = text
                self.told_changed(uri, lsp.TextDocumentContentChangeWholeDocument(text))
            else:
                to_path(uri).write_text(text, encoding="utf-8")

    @staticmethod
    def _offset(text: str, position: lsp.Position) -> int:
        """In UTF-8, also of a text that is not open, and past its end."""
        lines = text.split("\n")
        before = sum(len(line) + 1 for line in lines[: position.line])
        line = lines[position.line] if position.line < len(lines) else ""
        return min(len(text), before + len(line.encode()[: position.character].decode()))

    async def settled(self, uri: str, position: lsp.Position, timeout_s: float = READY_S) -> dict[str, Any]:
        if not self.is_indexed:
            self.cursor(uri, position)
            await self._indexed()
        shown = await super().settled(uri, position, timeout_s)
        where = [(b["type"], b["name"], b["state"]) for b in shown["blocks"]]
        assert is_resident(shown), f"not settled: {where}"
        assert not self.status.get("busy"), "not settled: still busy"
        return shown

    async def _indexed(self) -> None:
        """Wait for the index, which a block follows; not for long: it may be off.  The process that builds it gives way
        to all others, so to one that asks again and again."""
        pause_s = 0.02
        for _ in range(50):
            with suppress(JsonRpcException):
                if (await self.command("palimpsest.context.why", {"name": "anything"}))["complete"]:
                    break
            await asyncio.sleep(pause_s)
            pause_s = min(0.15, 1.5 * pause_s)
        await self.until_idle()  # a sync that is cut off has decoded what no answer counts
        self.is_indexed = True

    async def until_idle(self) -> None:
        """Wait until the work of the last pause is done."""
        await self.stats()  # what was sent before has been seen
        while self.status.get("busy"):
            await asyncio.sleep(0.02)


async def until(done: Callable[[], object]) -> None:
    """Wait for what is to come."""
    for _ in range(int(READY_S / 0.02)):
        if done():
            return
        await asyncio.sleep(0.02)
    raise AssertionError("it did not come to be")


def told(editor: Editor) -> list[str]:
    """The errors that the person was shown."""
    return [message.message for message in editor.client.messages if message.type == lsp.MessageType.Error]


def engine_pids(runtime: str | None = None) -> set[int]:
    """The engine processes of this run, by its runtime folder."""
    place = (runtime or os.environ["XDG_RUNTIME_DIR"]).encode()
    found = set()
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            with suppress(OSError):
                line = (folder / "cmdline").read_bytes().split(b"\0")
                if b"engine" in line and place in (folder / "environ").read_bytes():
                    found.add(int(folder.name))
    return found


@pytest.fixture(scope="session", autouse=True)
def machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """Folders of this run's own: no settings, models or engines of the person who runs the tests.  The runtime
    folder is short, since a socket's path is bounded."""
    runtime = tempfile.mkdtemp(prefix="pal-", dir="/tmp")
    base = tmp_path_factory.mktemp("home")
    names = {
        "XDG_RUNTIME_DIR": runtime,
        "XDG_CONFIG_HOME": str(base / "config"),
        "XDG_CACHE_HOME": str(base / "cache"),
        "XDG_STATE_HOME": str(base / "state"),
        "XDG_DATA_HOME": str(base / "data"),
    }
    before = {name: os.environ.get(name) for name in names}
    os.environ.setdefault("REAL_XDG_CACHE_HOME", before["XDG_CACHE_HOME"] or "")
    os.environ.update(names)
    yield names
    for pid in engine_pids(runtime):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGTERM)
    for name, value in before.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value
    shutil.rmtree(runtime, ignore_errors=True)


@pytest.fixture(autouse=True)
def sound(machine: dict[str, str]) -> Iterator[None]:
    """A test that leaves the cache of an engine unsound fails itself, not the next one to use that engine."""
    yield
    for socket in folders.runtime().glob("engine-*.sock"):
        assert asyncio.run(_unsound(Address(socket))) == ""


async def _unsound(address: Address) -> str:
    with suppress(EngineError):  # killed, stopped or about to end
        if engine := await find(address):
            try:
                return (await engine.check()).unsound
            finally:
                await engine.aclose()
    return ""


PATIENT: dict[str, Any] = {
    "completion": {"confidence": "all", "first_ms": 20_000, "time_ms": 20_000},
    "model": {"try_out": False},
}
"""Settings under which a machine that stands still for a second cuts no completion short, nor what a small model is not
sure of."""


async def all_asked_for(editor: Editor, uri: str, position: lsp.Position) -> list[lsp.InlineCompletionItem]:
    """What somebody gets who asks: the first at once, the others behind it."""
    assert await editor.complete(uri, position, invoked=True)
    await editor.until_idle()
    return await editor.complete(uri, position, invoked=True)


async def start_editor(
    root: Path,
    settings: dict[str, Any] | None = None,
    offer: Callable[[lsp.ClientCapabilities], None] = lambda _: None,
    *,
    own_process: bool = False,
) -> Editor:
    """`offer` changes what the client says it can do.  Only the first of several windows can be in this process."""
    client = Client(converter_factory=converter)
    register_lsp_features(client)
    editor = Editor(client, root, "utf-8")  # which this client offers first
    if own_process or local.is_there():
        await client.start_io(*SERVE, env=dict(os.environ))
    else:
        await client.start_local()
    offered = client_capabilities("visual-studio-code")
    assert offered.text_document is not None
    offered.text_document.inline_completion = lsp.InlineCompletionClientCapabilities()
    assert offered.general is not None
    offered.general.position_encodings = [lsp.PositionEncodingKind.Utf16, lsp.PositionEncodingKind.Utf8]
    if offered.workspace is not None:
        offered.workspace.configuration = False
        offered.workspace.did_change_watched_files = None
    offer(offered)
    await client.initialize_session(
        lsp.InitializeParams(
            capabilities=offered,
            process_id=os.getpid(),
            workspace_folders=[lsp.WorkspaceFolder(uri=to_uri(root), name=root.name)],
            initialization_options=settings or {},
        )
    )
    return editor


async def stop_editor(editor: Editor) -> None:
    try:
        async with asyncio.timeout(READY_S):
            await editor.client.shutdown_session()
    except TimeoutError:
        if editor.client.local is None:
            editor.client.process.kill()
        raise
    except Exception:
        logger.debug("it has ended already", exc_info=True)
    finally:
        await editor.client.stop()


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    root = tmp_path / "shop"
    shutil.copytree(SAMPLE, root, ignore=shutil.ignore_patterns("__pycache__"))
    return root


@pytest.fixture
async def editor(machine: dict[str, str], shop: Path) -> AsyncIterator[Editor]:
    """An editor window on the sample workspace, its engine ready."""
    it = await start_editor(shop, PATIENT)
    await it.ready()
    yield it
    await stop_editor(it)


@pytest.fixture
async def process_editor(machine: dict[str, str], shop: Path) -> AsyncIterator[Editor]:
    """The same with a server process, which has a log, for example."""
    it = await start_editor(shop, PATIENT, own_process=True)
    await it.ready()
    yield it
    await stop_editor(it)
