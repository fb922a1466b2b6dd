"""An editor window on a `palimpsest serve` of its own: for the demonstration and measurements.

In: a workspace, settings.  Out: what an editor would show, and how long the answer to a keystroke took on the wire.
The server is a real process.
"""

import asyncio
import os
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lsprotocol import types as lsp
from pygls.lsp.client import LanguageClient
from pygls.protocol import LanguageServerProtocol

from palimpsest import __version__
from palimpsest.lsp.client.editor import Editor, inline_completion
from palimpsest.lsp.plain import plain
from palimpsest.text.uris import to_uri

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
    def of(cls, process: asyncio.subprocess.Process) -> "Wire":
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


class _Protocol(LanguageServerProtocol):
    def _handle_response(self, msg_id: Any, result: Any = None, error: Any = None) -> None:
        """pygls has an answer to a request that was cancelled fail, with a traceback: by Ctrl-C, all of them are."""
        asked = self._request_futures.get(msg_id)
        if asked is not None and asked.cancelled():
            del self._request_futures[msg_id]
        else:
            super()._handle_response(msg_id, result, error)


class Driver(Editor):
    """Use `start`, then what an editor does, then `stop`."""

    def __init__(self) -> None:
        super().__init__(LanguageClient("palimpsest-driver", __version__, protocol_cls=_Protocol), Path())
        self.messages: list[str] = []
        self.errors: deque[str] = deque(maxlen=50)
        self.on_completion: Callable[[dict[str, Any]], None] = lambda _: None
        """Called where something else is to be shown than was answered."""
        self._drain: asyncio.Task[None] | None = None
        self._wire: Wire | None = None

        def message(params: lsp.ShowMessageParams) -> None:
            self.messages.append(params.message)

        self.client.feature(lsp.WINDOW_SHOW_MESSAGE)(message)
        self.client.feature("palimpsest/completion")(lambda params: self.on_completion(plain(params)))
        self.client.feature(lsp.WORKSPACE_APPLY_EDIT)(lambda _: lsp.ApplyWorkspaceEditResult(applied=False))
        self.client.feature("palimpsest/conversation")(lambda _: None)  # nothing is shown beside one here

    async def start(
        self, root: Path, settings: Mapping[str, Any], environment: Mapping[str, str] | None = None
    ) -> lsp.InitializeResult:
        self.root = root
        command = [sys.executable, "-P", "-m", "palimpsest", "serve"]
        await self.client.start_io(*command, env={**os.environ, **(environment or {})})
        self._drain = asyncio.create_task(self._read_errors())
        assert self.client._server is not None
        self._wire = Wire.of(self.client._server)
        self.client.protocol.set_writer(self._wire)
        text_document = lsp.TextDocumentClientCapabilities(
            inline_completion=lsp.InlineCompletionClientCapabilities(),
            code_action=lsp.CodeActionClientCapabilities(
                resolve_support=lsp.ClientCodeActionResolveOptions(properties=["edit"])
            ),
        )
        workspace = lsp.WorkspaceClientCapabilities(
            workspace_edit=lsp.WorkspaceEditClientCapabilities(document_changes=True)
        )
        result = await self.client.initialize_async(
            lsp.InitializeParams(
                capabilities=lsp.ClientCapabilities(text_document=text_document, workspace=workspace),
                process_id=os.getpid(),
                workspace_folders=[lsp.WorkspaceFolder(to_uri(root), root.name)],
                initialization_options=dict(settings),
            )
        )
        self.client.initialized(lsp.InitializedParams())
        return result

    async def stop(self) -> None:
        try:
            with suppress(RuntimeError):  # it has ended already: by the Ctrl-C that ends us, too
                async with asyncio.timeout(10):
                    await self.client.shutdown_async(None)
                self.client.exit(None)
        except BaseException:  # nobody reads its answer any more, or there is none: pygls would wait for it for ever
            if (process := self.client._server) is not None and process.returncode is None:
                process.kill()
            raise
        finally:
            with suppress(RuntimeError):  # it has ended already
                await self.client.stop()  # type: ignore[no-untyped-call]
            if self._drain is not None:
                self._drain.cancel()

    async def kill(self) -> None:
        """The server ends at once (SIGKILL), as in a crash; nothing can be asked of this driver any more."""
        process = self.client._server
        assert process is not None
        process.kill()
        await process.wait()
        await self.client.stop()  # type: ignore[no-untyped-call]
        if self._drain is not None:
            self._drain.cancel()

    async def keystroke(self, uri: str, position: lsp.Position, text: str) -> tuple[lsp.Position, float]:
        """Type and ask for a completion in one breath; the position behind the text, and seconds from the change on
        the wire to the answer on the wire."""
        assert self._wire is not None
        with self._wire.together():
            position = self.type(uri, position, text)
            answer = self.client.text_document_inline_completion(inline_completion(uri, position))
        await asyncio.wrap_future(answer)
        return position, self._wire.read_at - self._wire.wrote_at

    async def _read_errors(self) -> None:
        """Keep the server's last lines on stderr; a full pipe would stop it."""
        process = self.client._server
        assert process is not None
        assert process.stderr is not None
        while line := await process.stderr.readline():
            self.errors.append(line.decode(errors="replace").rstrip())
