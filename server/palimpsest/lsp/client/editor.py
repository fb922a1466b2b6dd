"""What a person does in an editor window, as LSP's messages: for the demonstration, measurements and tests.

In: a connected client, what the person does (open, move, type, ask).  Out: what the editor would show.  Owner of the
texts as the editor has them.  How the server is started is for those who use it (`driver.py`, the tests).
"""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lsprotocol import types as lsp
from pygls.lsp.client import LanguageClient

from palimpsest.errors import EngineUnavailable
from palimpsest.languages.registry import language_of
from palimpsest.lsp.plain import plain
from palimpsest.text.positions import PositionEncoding, column_to_units, units_to_column
from palimpsest.text.uris import to_uri

POLL_S = 0.05


class Editor:
    """One window.  `encoding` is what the server has chosen to count positions in."""

    def __init__(self, client: LanguageClient, root: Path, encoding: PositionEncoding = "utf-16") -> None:
        self.client = client
        self.root = root
        self.encoding = encoding
        self.texts: dict[str, str] = {}
        self.versions: dict[str, int] = {}
        self.statuses: list[dict[str, Any]] = []

        def status(params: Any) -> None:
            self.statuses.append(plain(params))

        client.feature("palimpsest/status")(status)

    @property
    def status(self) -> dict[str, Any]:
        return self.statuses[-1] if self.statuses else {}

    async def ready(self, timeout_s: float = 60.0, *, patient: bool = False) -> None:
        """Wait until the engine answers, also where completions are off or the model cannot fill in the middle;
        `patient`: until nothing is wrong.  Raises EngineUnavailable with the status's own words."""
        for _ in range(int(timeout_s / POLL_S)):
            kind = self.status.get("kind")
            if kind == "Normal" or (self.status.get("model") and not patient):
                return
            if kind == "Error" and not patient:
                break
            await asyncio.sleep(POLL_S)
        raise EngineUnavailable(self.status.get("message") or "the engine did not get ready in time.")

    # Documents ------------------------------------------------------------------------------------------------

    def open(self, path: Path | str, text: str | None = None, language: str = "") -> str:
        """A file, or a text that is not on disk yet; its URI."""
        path = self.root / path
        uri = to_uri(path)
        self.texts[uri], self.versions[uri] = path.read_text(encoding="utf-8") if text is None else text, 1
        item = lsp.TextDocumentItem(uri, language or language_of("", uri).id, 1, self.texts[uri])
        self.client.text_document_did_open(lsp.DidOpenTextDocumentParams(item))
        return uri

    def close(self, uri: str) -> None:
        """The document is no longer open; what is on disk counts again."""
        del self.versions[uri], self.texts[uri]
        self.client.text_document_did_close(lsp.DidCloseTextDocumentParams(lsp.TextDocumentIdentifier(uri)))

    def saved(self, uri: str) -> None:
        """Say that the text is on disk now; writing it there is the caller's."""
        self.client.text_document_did_save(lsp.DidSaveTextDocumentParams(lsp.TextDocumentIdentifier(uri)))

    def at(self, uri: str, needle: str, *, after: bool = True) -> lsp.Position:
        """The position behind (or before) the first place a text stands at.  Raises ValueError."""
        text = self.texts[uri]
        return position_at(text, text.index(needle) + len(needle) * after, self.encoding)

    def offset(self, uri: str, position: lsp.Position) -> int:
        lines = self.texts[uri].split("\n")
        column = units_to_column(lines[position.line], position.character, self.encoding)
        return sum(len(line) + 1 for line in lines[: position.line]) + column

    def replace(self, uri: str, start: lsp.Position, end: lsp.Position, text: str) -> lsp.Position:
        """Edit the text; the position behind the new text."""
        first, last = self.offset(uri, start), self.offset(uri, end)
        self.texts[uri] = self.texts[uri][:first] + text + self.texts[uri][last:]
        self.told_changed(uri, lsp.TextDocumentContentChangePartial(range=lsp.Range(start, end), text=text))
        return position_at(self.texts[uri], first + len(text), self.encoding)

    def type(self, uri: str, position: lsp.Position, text: str) -> lsp.Position:
        return self.replace(uri, position, position, text)

    def told_changed(self, uri: str, *changes: lsp.TextDocumentContentChangeEvent) -> None:
        """Tell the server what was changed in `texts`."""
        self.versions[uri] += 1
        identifier = lsp.VersionedTextDocumentIdentifier(version=self.versions[uri], uri=uri)
        self.client.text_document_did_change(lsp.DidChangeTextDocumentParams(identifier, list(changes)))

    def cursor(self, uri: str, position: lsp.Position) -> None:
        document = {"uri": uri, "version": self.versions[uri]}
        where = {"textDocument": document, "position": plain_position(position)}
        self.client.protocol.notify("palimpsest/cursor", where)

    def diagnostics(self, uri: str, position: lsp.Position, message: str) -> None:
        """Another server found an error, the only one in the document."""
        where = plain_position(position)
        found = {"range": {"start": where, "end": where}, "message": message, "severity": 1, "source": "linter"}
        document = {"uri": uri, "version": self.versions[uri]}
        self.client.protocol.notify("palimpsest/diagnostics", {"textDocument": document, "diagnostics": [found]})

    # Requests -------------------------------------------------------------------------------------------------

    async def complete(
        self, uri: str, position: lsp.Position, *, invoked: bool = False
    ) -> list[lsp.InlineCompletionItem]:
        params = inline_completion(uri, position, invoked=invoked)
        answer = await self.client.text_document_inline_completion_async(params)
        return list(answer.items if isinstance(answer, lsp.InlineCompletionList) else answer or [])

    async def command(self, name: str, argument: Any = None) -> dict[str, Any]:
        params = lsp.ExecuteCommandParams(command=name, arguments=None if argument is None else [argument])
        answer: dict[str, Any] = plain(await self.client.workspace_execute_command_async(params))
        return answer

    async def show(self, uri: str, position: lsp.Position) -> dict[str, Any]:
        return await self.command("palimpsest.context.show", {"uri": uri, "position": plain_position(position)})

    async def settled(self, uri: str, position: lsp.Position, timeout_s: float = 60.0) -> dict[str, Any]:
        """Move the cursor, and wait until every block for it is in the cache; the last `context.show`."""
        self.cursor(uri, position)
        shown, loop = dict[str, Any](), asyncio.get_running_loop()
        end = loop.time() + timeout_s
        while loop.time() < end:
            shown = await self.show(uri, position)
            if is_resident(shown) and not self.status.get("busy"):
                break
            await asyncio.sleep(POLL_S)
            while self.status.get("busy") and loop.time() < end:  # whoever asks takes time from who works
                await asyncio.sleep(POLL_S / 5)
        return shown

    async def indexed(self, uri: str, timeout_s: float = 60.0) -> bool:
        """Wait until the names of every file are known, which the first document that is opened begins: until then
        some blocks are missing.  False when time ran out."""
        question = {"uri": uri, "position": {"line": 0, "character": 0}, "name": "_"}
        for _ in range(int(timeout_s / POLL_S)):
            if (await self.command("palimpsest.context.why", question))["complete"]:
                return True
            await asyncio.sleep(POLL_S)
        return False

    async def stats(self) -> dict[str, int]:
        """The window's sums of tokens."""
        stats: dict[str, int] = (await self.command("palimpsest.cache.map"))["stats"]
        return stats

    async def decoded(self) -> dict[str, int]:
        """The tokens decoded for each block since the window opened, by `type:name`."""
        blocks = (await self.command("palimpsest.cache.map"))["decoded"]
        return {f"{block['type']}:{block['name']}": block["tokens"] for block in blocks}


def position_at(text: str, offset: int, encoding: PositionEncoding) -> lsp.Position:
    before = text[:offset]
    line = before.rpartition("\n")[2]
    return lsp.Position(before.count("\n"), column_to_units(line, len(line), encoding))


def plain_position(position: lsp.Position) -> dict[str, int]:
    return {"line": position.line, "character": position.character}


def inline_completion(uri: str, position: lsp.Position, *, invoked: bool = False) -> lsp.InlineCompletionParams:
    kind = lsp.InlineCompletionTriggerKind.Invoked if invoked else lsp.InlineCompletionTriggerKind.Automatic
    return lsp.InlineCompletionParams(lsp.InlineCompletionContext(kind), lsp.TextDocumentIdentifier(uri), position)


def is_resident(shown: Mapping[str, Any]) -> bool:
    """Whether all blocks of a `context.show` are in the cache."""
    return all(block["state"] == "resident" for block in shown["blocks"])
