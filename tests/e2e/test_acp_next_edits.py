"""Next edits over the Agent Client Protocol: a client's messages (`nes/…`, `document/…`) over real pipes; no engine."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from acp import RequestError
from acp.connection import Connection

from .local import LocalServer, serve_acp

TEXT = (
    'GREETING = "é😀"\n\n\ndef total(prices):\n    return sum(prices)\n\n\nprint("😀", total([1]))\nprint(total([2]))\n'
)


@pytest.fixture(autouse=True)
def engine_off(tmp_path: Path, machine: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder of settings of a person who has no engine: trees need none."""
    config = tmp_path / "config" / "palimpsest"
    config.mkdir(parents=True)
    (config / "palimpsest.toml").write_text('[engine]\nkind = "none"\n', encoding="utf-8")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(config.parent))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "shop"
    folder.mkdir()
    (folder / "cart.py").write_text(TEXT, encoding="utf-8")
    return folder


class Editor:
    """What an editor sends; `text` is what it has on screen."""

    def __init__(self, connection: Connection, uri: str) -> None:
        self.connection, self.uri = connection, uri
        self.session, self.version, self.text = "", 1, TEXT

    async def ask(self, method: str, **params: Any) -> Any:
        return await self.connection.send_request(method, params)

    async def tell(self, method: str, **params: Any) -> None:
        await self.connection.send_notification(method, {"sessionId": self.session, **params})

    async def start(self, folder: Path) -> None:
        self.session = (await self.ask("nes/start", workspaceUri=folder.as_uri()))["sessionId"]
        opened = {"uri": self.uri, "languageId": "python", "version": 1, "text": self.text}
        await self.tell("document/didOpen", **opened)

    async def replace(self, line: int, start: int, end: int, text: str) -> None:
        """In code units of the line; the test's own changes are in ASCII lines."""
        lines = self.text.split("\n")
        lines[line] = lines[line][:start] + text + lines[line][end:]
        self.text, self.version = "\n".join(lines), self.version + 1
        places = {"start": {"line": line, "character": start}, "end": {"line": line, "character": end}}
        changes = [{"range": places, "text": text}]
        await self.tell("document/didChange", uri=self.uri, version=self.version, contentChanges=changes)

    async def suggest(self, line: int, version: int | None = None, trigger: str = "automatic") -> list[Any]:
        asked = {"uri": self.uri, "position": {"line": line, "character": 0}, "triggerKind": trigger}
        version = self.version if version is None else version
        answer = await self.ask("nes/suggest", sessionId=self.session, version=version, **asked)
        suggestions: list[Any] = answer["suggestions"]
        return suggestions


@asynccontextmanager
async def editor(folder: Path, **capabilities: Any) -> AsyncIterator[tuple[Editor, dict[str, Any]]]:
    async def nothing(method: str, params: Any, is_notification: bool) -> None:
        raise RequestError.method_not_found(method)

    server = LocalServer(serve_acp)
    await server.connect()
    connection = Connection(nothing, server.stdin, server.stdout)  # type: ignore[arg-type]
    try:
        asked = {"protocolVersion": 1, "clientCapabilities": capabilities}
        said = await connection.send_request("initialize", asked)
        yield Editor(connection, (folder / "cart.py").as_uri()), said
    finally:
        await connection.close()
        server.close()
        await server.wait()


async def test_a_rename_goes_on_place_by_place(folder: Path) -> None:
    async with editor(folder) as (it, said):
        capabilities = said["agentCapabilities"]
        assert capabilities["positionEncoding"] == "utf-16"
        assert capabilities["nes"]["events"]["document"]["didChange"] == {"syncKind": "incremental"}
        await it.start(folder)
        await it.replace(3, 4, 9, "total_of")
        (first,) = await it.suggest(3)
        assert (first["kind"], first["uri"]) == ("edit", it.uri)
        (edit,) = first["edits"]
        assert edit["newText"] == "total_of"
        column = len('print("xx", ')  # the one character is two code units
        assert edit["range"]["start"] == {"line": 7, "character": column}
        await it.tell("nes/accept", id=first["id"])
        (second,) = await it.suggest(3)
        assert second["edits"][0]["range"]["start"]["line"] == 8
        await it.tell("nes/reject", id=second["id"], reason="rejected")
        assert await it.suggest(3) == []


async def test_positions_are_in_the_encoding_that_the_editor_has(folder: Path) -> None:
    async with editor(folder, positionEncodings=["utf-8"]) as (it, said):
        assert said["agentCapabilities"]["positionEncoding"] == "utf-8"
        await it.start(folder)
        await it.replace(3, 4, 9, "total_of")
        (first,) = await it.suggest(3)
        assert first["edits"][0]["range"]["start"]["character"] == len('print("😀", '.encode())


async def test_nothing_is_said_of_an_older_text(folder: Path) -> None:
    async with editor(folder) as (it, _):
        await it.start(folder)
        await it.replace(3, 4, 9, "total_of")
        assert await it.suggest(3, version=1) == []
        assert await it.suggest(3)


@pytest.mark.parametrize(
    ("method", "params", "message"),
    [
        ("nes/start", {}, "workspaceUri: the folder that is worked in is wanted"),
        ("nes/start", {"workspaceUri": "file:///nowhere/at/all"}, "there is no folder"),
        ("nes/start", {"workspaceUri": 5}, "workspaceUri"),
        ("nes/suggest", {"sessionId": "x"}, "uri: Field required"),
        ("nes/close", {"sessionId": "x"}, "session 'x' is not open"),
        ("nes/nonsense", {}, "Method not found"),
    ],
)
async def test_what_cannot_be_read_is_named(folder: Path, method: str, params: dict[str, Any], message: str) -> None:
    async with editor(folder) as (it, _):
        with pytest.raises(RequestError, match=message):
            await it.ask(method, **params)
        await it.start(folder)
        assert await it.suggest(3) == []


async def test_nonsense_in_a_notification_leaves_the_session(folder: Path) -> None:
    async with editor(folder) as (it, _):
        await it.start(folder)
        await it.tell("document/didChange", uri=it.uri)
        await it.tell("document/didChange", uri="file:///not/open.py", version=2, contentChanges=[])
        await it.tell("nes/accept", id="unknown")
        await it.replace(3, 4, 9, "total_of")
        await it.tell("document/didFocus", uri=it.uri, version=it.version, position={"line": 99, "character": 99})
        assert await it.suggest(3)


async def test_what_a_session_opened_is_closed_with_it(folder: Path) -> None:
    async with editor(folder) as (it, _):
        await it.start(folder)
        await it.ask("nes/close", sessionId=it.session)
        it.session = (await it.ask("nes/start", workspaceUri=folder.as_uri()))["sessionId"]
        with pytest.raises(RequestError, match="is not open"):
            await it.suggest(3)


async def test_what_another_session_has_open_stays_open(folder: Path) -> None:
    async with editor(folder) as (it, _):
        await it.start(folder)
        first = it.session
        await it.start(folder)
        await it.ask("nes/close", sessionId=first)
        await it.replace(3, 4, 9, "total_of")
        assert await it.suggest(3)


async def test_setting_up_is_offered_where_the_editor_can_run_it(folder: Path) -> None:
    async with editor(folder) as (_, said):
        assert said["authMethods"] == []
    async with editor(folder, auth={"terminal": True}) as (_, said):
        (method,) = said["authMethods"]
        assert (method["type"], method["args"]) == ("terminal", ["--set-up"])
