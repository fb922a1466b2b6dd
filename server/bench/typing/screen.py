"""Where a person types and sees ghosts: an editor window on our server, or llama.vim on a stock llama-server.

In: a document, what is typed and taken.  Out: `Ghost`s.
"""

from __future__ import annotations

import http.client
import json
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import urlsplit

from lsprotocol import types as lsp

from bench.completing.completions import SETTLE_S, inserted, sure_of
from bench.replaying.llama_vim import LlamaVim
from bench.traces.buffers import Buffers
from bench.traces.format import Edit, Open
from bench.typing.person import NOTHING, Ghost, left
from palimpsest.errors import EngineUnavailable
from palimpsest.lsp.client.driver import Driver
from palimpsest.lsp.client.editor import position_at
from palimpsest.models.families import Family
from palimpsest.text.positions import column_to_units

N_PREDICT, LIMITS = 128, {"t_max_prompt_ms": 500, "t_max_predict_ms": 1000}
"""llama.vim's own; the server looks at the second behind a line's end."""
TIMEOUT_S = 600.0


class Screen(Protocol):
    """One document.  `press` and `take` answer with what is shown behind them, and note how long that took in `ms`."""

    ms: float

    async def press(self, key: str) -> Ghost: ...

    async def take(self, ghost: Ghost, text: str) -> Ghost: ...


@dataclass
class OurScreen:
    """A document that is open in a window on our server; the cursor is at `position`."""

    driver: Driver
    uri: str
    position: lsp.Position
    ms: float = 0.0

    @classmethod
    async def opened(cls, driver: Driver, path: Path, before: str, after: str) -> OurScreen:
        """Settled: with all blocks in the cache, and every name of the workspace known."""
        uri = driver.open(path, before + after)
        await driver.indexed(uri)
        position = position_at(before, len(before), driver.encoding)
        await driver.settled(uri, position, SETTLE_S)
        return cls(driver, uri, position)

    def type(self, text: str) -> None:
        self.position = self.driver.type(self.uri, self.position, text)

    async def press(self, key: str) -> Ghost:
        self.type(key)
        return await self.ask()

    async def take(self, ghost: Ghost, text: str) -> Ghost:
        await self.put(ghost, text)
        return await self.ask()

    async def put(self, ghost: Ghost, text: str) -> None:
        """As much of a ghost as is taken."""
        at = self.position
        start = lsp.Position(at.line, at.character - ghost.taken)
        self.position = self.driver.replace(self.uri, start, at, text)
        if text == ghost.text:
            await self.driver.command("palimpsest.completion.accepted", {"id": ghost.id})
        else:
            told = {"kind": "accepted", "what": "completion", "part": "word", "chars": len(text), "id": ghost.id}
            self.driver.client.protocol.notify("palimpsest/event", told)

    async def ask(self, *, invoked: bool = False) -> Ghost:
        began, at = time.perf_counter(), self.position
        items = await self.driver.complete(self.uri, at, invoked=invoked)
        self.ms = 1000 * (time.perf_counter() - began)
        if not items:
            return NOTHING
        text, taken = inserted(items[0], at)
        command: Any = items[0].command
        return Ghost(text, taken, sure_of(items), command.arguments[0]["id"])

    def close(self) -> None:
        self.driver.close(self.uri)


@dataclass
class PeerScreen:
    """llama.vim: it asks behind each key unless what is typed agrees with what it shows.

    `family`: the prompt is written in this family's order and asked of `/completion`, with the same lines and without
    the ring's chunks; None asks `/infill`, as llama.vim does, which puts the prefix first.
    """

    url: str
    family: Family | None
    file: str
    buffers: Buffers
    client: LlamaVim
    line: int
    column: int
    ms: float = 0.0
    shown: str = field(default="", init=False)

    @classmethod
    def opened(cls, url: str, family: Family | None, file: str, before: str, after: str) -> PeerScreen:
        buffers = Buffers({file: before + after})
        client = LlamaVim(buffers, n_predict=N_PREDICT)
        buffers.follow(Open(file))
        line = before.count("\n")
        return cls(url, family, file, buffers, client, line, len(before) - before.rfind("\n") - 1)

    async def press(self, key: str) -> Ghost:
        self._type(key)
        rest = left(self.shown, key)
        self.ms = 0.0
        if not rest:
            rest = self._asked()
        self.shown = rest
        return Ghost(rest)

    async def take(self, ghost: Ghost, text: str) -> Ghost:
        self._type(text)
        self.shown = self._asked()
        return Ghost(self.shown)

    def _type(self, text: str) -> None:
        lines = self.buffers.lines(self.file)
        units = column_to_units(lines[self.line], self.column, "utf-16")
        event = Edit(self.file, self.line, units, self.line, units, text)
        self.buffers.follow(event)
        self.client.follow(event)
        self.line, self.column = self.buffers.line, self.buffers.column

    def _asked(self) -> str:
        body = self.client.request()
        if body is None:
            return ""
        began = time.perf_counter()
        said = self._answer({**body, **LIMITS})
        self.ms = 1000 * (time.perf_counter() - began)
        return _displayed(said, self.buffers.lines(self.file), self.line, self.column)

    def _answer(self, body: dict[str, Any]) -> str:
        if self.family is None:
            return _content(self.url, "/infill", body)
        typed, prefix, suffix = (body.pop(name) for name in ("prompt", "input_prefix", "input_suffix"))
        del body["input_extra"]
        return _content(self.url, "/completion", {**body, "prompt": self.family.render(prefix + typed, suffix)})


def _content(url: str, route: str, body: dict[str, Any]) -> str:
    address = urlsplit(url)
    assert address.hostname is not None
    connection = http.client.HTTPConnection(address.hostname, address.port, timeout=TIMEOUT_S)
    try:
        connection.request("POST", route, json.dumps(body), {"Content-Type": "application/json"})
        answer = connection.getresponse()
        data = json.loads(answer.read())
    finally:
        connection.close()
    if answer.status != 200:
        raise EngineUnavailable(f"llama-server answers {answer.status}: {data}")
    return str(data["content"])


def _displayed(said: str, lines: list[str], line: int, column: int) -> str:
    """As llama.vim draws it: without empty lines at the end, and nothing that repeats what stands behind the cursor,
    the next line or the lines after it."""
    text = said.rstrip("\n")
    behind, shown = lines[line][column:], text.split("\n")
    below = lines[line + 1] if line + 1 < len(lines) else ""
    if not text.strip():
        return ""
    if len(shown) == 1 and behind and shown[0] == behind:
        return ""
    if shown[0] == "" and len(shown) > 1 and below and shown[1] == below:
        return ""
    if len(shown) == 2 and lines[line][:column] + shown[0] == below:
        return ""
    if len(shown) > 1 and shown[1:] == lines[line + 1 : line + len(shown)]:
        return shown[0] if shown[0] else ""
    return text
