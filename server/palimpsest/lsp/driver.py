"""A small LSP client that drives `palimpsest serve` as an editor would: for the demonstration and measurements.

In: what a person does (open, move, type, ask).  Out: what an editor would show.  The server is a real process.
"""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lsprotocol import types as lsp
from pygls.lsp.client import LanguageClient

from palimpsest import __version__
from palimpsest.errors import EngineUnavailable
from palimpsest.languages.registry import language_of
from palimpsest.text.uris import to_uri

POLL_S = 0.05
Position = lsp.Position


@dataclass(slots=True)
class Wire:
    """The bytes to and from the server; `wrote_at` and `read_at` (`time.perf_counter`) are when the last went and came,
    which leaves out this client's own work before and after."""

    writer: asyncio.StreamWriter
    wrote_at: float = 0.0
    read_at: float = 0.0
    _held: list[bytes] | None = field(default=None, init=False)

    @classmethod
    def of(cls, process: asyncio.subprocess.Process) -> Wire:
        assert process.stdin is not None
        assert process.stdout is not None
        wire, feed = cls(process.stdin), process.stdout.feed_data

        def timed(data: Any) -> None:
            wire.read_at = time.perf_counter()
            feed(data)

        process.stdout.feed_data = timed  # type: ignore[method-assign]
        return wire

    def write(self, data: bytes) -> None:
        if self._held is not None:
            self._held.append(data)
            return
        self.wrote_at = time.perf_counter()
        self.writer.write(data)

    def close(self) -> None:
        self.writer.close()

    @contextmanager
    def together(self) -> Iterator[None]:
        """What is written inside goes out at once at the end."""
        held: list[bytes] = []
        self._held = held
        try:
            yield
        finally:
            self._held = None
            self.write(b"".join(held))


class Driver:
    """One editor window.  Use `start`, then what an editor does, then `stop`."""

    def __init__(self) -> None:
        self._client = LanguageClient("palimpsest-driver", __version__)
        self._versions: dict[str, int] = {}
        self._texts: dict[str, list[str]] = {}
        self.status: dict[str, Any] = {}
        self.messages: list[str] = []
        self.errors: deque[str] = deque(maxlen=50)
        self._drain: asyncio.Task[None] | None = None
        self._wire: Wire | None = None

        def status(params: Any) -> None:
            self.status = _plain(params)

        def message(params: lsp.ShowMessageParams) -> None:
            self.messages.append(params.message)

        self._client.feature("palimpsest/status")(status)
        self._client.feature(lsp.WINDOW_SHOW_MESSAGE)(message)

    async def start(
        self, root: Path, settings: Mapping[str, Any], environment: Mapping[str, str] | None = None
    ) -> lsp.InitializeResult:
        command = [sys.executable, "-P", "-m", "palimpsest", "serve"]
        await self._client.start_io(*command, env={**os.environ, **(environment or {})})
        self._drain = asyncio.create_task(self._read_errors())
        assert self._client._server is not None
        self._wire = Wire.of(self._client._server)
        self._client.protocol.set_writer(self._wire)
        text_document = lsp.TextDocumentClientCapabilities(
            inline_completion=lsp.InlineCompletionClientCapabilities(),
            code_action=lsp.CodeActionClientCapabilities(
                resolve_support=lsp.ClientCodeActionResolveOptions(properties=["edit"])
            ),
        )
        workspace = lsp.WorkspaceClientCapabilities(
            workspace_edit=lsp.WorkspaceEditClientCapabilities(document_changes=True)
        )
        result = await self._client.initialize_async(
            lsp.InitializeParams(
                capabilities=lsp.ClientCapabilities(text_document=text_document, workspace=workspace),
                process_id=os.getpid(),
                workspace_folders=[lsp.WorkspaceFolder(to_uri(root), root.name)],
                initialization_options=dict(settings),
            )
        )
        self._client.initialized(lsp.InitializedParams())
        return result

    async def stop(self) -> None:
        try:
            await asyncio.wait_for(self._client.shutdown_async(None), 10)
            self._client.exit(None)
        finally:
            await self._client.stop()  # type: ignore[no-untyped-call]
            if self._drain is not None:
                self._drain.cancel()

    async def ready(self, timeout_s: float) -> None:
        """Wait until the engine answers.  Raises EngineUnavailable with the status's own words."""
        for _ in range(int(timeout_s / POLL_S)):
            kind = self.status.get("kind")
            if kind == "Normal":
                return
            if kind == "Error":
                break
            await asyncio.sleep(POLL_S)
        raise EngineUnavailable(self.status.get("message") or "the engine did not get ready in time.")

    # What a person does ---------------------------------------------------------------------------------------

    def open(self, path: Path, text: str | None = None) -> str:
        """A file, or a text that is not on disk yet."""
        uri = to_uri(path)
        if text is None:
            text = path.read_text(encoding="utf-8")
        self._versions[uri], self._texts[uri] = 0, text.split("\n")
        item = lsp.TextDocumentItem(uri, language_of("", uri).id, 0, text)
        self._client.text_document_did_open(lsp.DidOpenTextDocumentParams(item))
        return uri

    def close(self, uri: str) -> None:
        """The document is no longer open; what is on disk counts again."""
        del self._versions[uri], self._texts[uri]
        identifier = lsp.TextDocumentIdentifier(uri)
        self._client.text_document_did_close(lsp.DidCloseTextDocumentParams(identifier))

    def find(self, uri: str, needle: str, *, after: bool = True) -> lsp.Position:
        """The position behind (or before) the first place a text stands at, within one line."""
        for number, line in enumerate(self._texts[uri]):
            if (column := line.find(needle)) >= 0:
                return lsp.Position(number, _units(line[: column + len(needle) * after]))
        raise ValueError(f"{needle!r} is not in {uri}")

    def cursor(self, uri: str, position: lsp.Position) -> None:
        document = {"uri": uri, "version": self._versions[uri]}
        where = {"line": position.line, "character": position.character}
        self._client.protocol.notify("palimpsest/cursor", {"textDocument": document, "position": where})

    def replace(self, uri: str, start: lsp.Position, end: lsp.Position, text: str) -> lsp.Position:
        """Edit the text; the position behind the new text."""
        lines = self._texts[uri]
        head = _cut(lines[start.line], start.character)[0]
        tail = _cut(lines[end.line], end.character)[1]
        new = (head + text + tail).split("\n")
        lines[start.line : end.line + 1] = new
        self._versions[uri] += 1
        change = lsp.TextDocumentContentChangePartial(range=lsp.Range(start, end), text=text)
        identifier = lsp.VersionedTextDocumentIdentifier(version=self._versions[uri], uri=uri)
        self._client.text_document_did_change(lsp.DidChangeTextDocumentParams(identifier, [change]))
        last = start.line + len(new) - 1
        return lsp.Position(last, _units(new[-1]) - _units(tail))

    def saved(self, uri: str) -> None:
        """Say that the text is on disk now; writing it there is the caller's."""
        self._client.text_document_did_save(lsp.DidSaveTextDocumentParams(lsp.TextDocumentIdentifier(uri)))

    def type(self, uri: str, position: lsp.Position, text: str) -> lsp.Position:
        return self.replace(uri, position, position, text)

    async def complete(self, uri: str, position: lsp.Position) -> Sequence[lsp.InlineCompletionItem]:
        return _items(await self._client.text_document_inline_completion_async(_inline_completion(uri, position)))

    async def keystroke(self, uri: str, position: lsp.Position, text: str) -> tuple[lsp.Position, float]:
        """Type and ask for a completion in one breath; the position behind the text, and seconds from the change on
        the wire to the answer on the wire."""
        assert self._wire is not None
        with self._wire.together():
            position = self.type(uri, position, text)
            answer = self._client.text_document_inline_completion(_inline_completion(uri, position))
        await asyncio.wrap_future(answer)
        return position, self._wire.read_at - self._wire.wrote_at

    async def command(self, name: str, argument: Mapping[str, Any] | None = None) -> dict[str, Any]:
        params = lsp.ExecuteCommandParams(command=name, arguments=[dict(argument or {})])
        answer: dict[str, Any] = _plain(await self._client.workspace_execute_command_async(params))
        return answer

    async def settled(self, uri: str, position: lsp.Position, timeout_s: float = 60.0) -> dict[str, Any]:
        """Wait until every block for a cursor is in the cache; the last `context.show`."""
        self.cursor(uri, position)
        where = {"uri": uri, "position": {"line": position.line, "character": position.character}}
        shown: dict[str, Any] = {}
        for _ in range(int(timeout_s / POLL_S)):
            shown = await self.command("palimpsest.context.show", where)
            if all(block["state"] == "resident" for block in shown["blocks"]) and not self.status.get("busy"):
                break
            await asyncio.sleep(POLL_S)
        return shown

    async def _read_errors(self) -> None:
        """Keep the server's last lines on stderr; a full pipe would stop it."""
        process = self._client._server
        assert process is not None
        assert process.stderr is not None
        while line := await process.stderr.readline():
            self.errors.append(line.decode(errors="replace").rstrip())

    def text(self, uri: str) -> str:
        return "\n".join(self._texts[uri])


def _inline_completion(uri: str, position: lsp.Position) -> lsp.InlineCompletionParams:
    context = lsp.InlineCompletionContext(lsp.InlineCompletionTriggerKind.Automatic)
    return lsp.InlineCompletionParams(context, lsp.TextDocumentIdentifier(uri), position)


def _items(
    answer: lsp.InlineCompletionList | Sequence[lsp.InlineCompletionItem] | None,
) -> Sequence[lsp.InlineCompletionItem]:
    return answer.items if isinstance(answer, lsp.InlineCompletionList) else answer or []


def _units(text: str) -> int:
    """UTF-16 code units, as this client (that offers nothing else) counts them."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _cut(line: str, units: int) -> tuple[str, str]:
    raw = line.encode("utf-16-le", "surrogatepass")
    head, tail = raw[: units * 2], raw[units * 2 :]
    return head.decode("utf-16-le", "surrogatepass"), tail.decode("utf-16-le", "surrogatepass")


def _plain(value: Any) -> Any:
    if hasattr(value, "_asdict"):
        return {key: _plain(inner) for key, inner in value._asdict().items()}
    if isinstance(value, list):
        return [_plain(inner) for inner in value]
    return value
