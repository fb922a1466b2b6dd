"""A trace through the real server and engine, as an editor would have sent it.

In: a trace, settings.  Out: per request its `Cost` and `View`.

Behind a request that follows a pause or a jump, and behind a pause in which something was decoded, the blocks are asked
for (`palimpsest.context.show`), which decodes nothing.  A pause lasts as long as the trace says when it is shorter than
the server's own idle time, and otherwise until what is done in the background is done.
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from bench.replaying.cost import Cost, Decoded
from bench.replaying.kinds import View, keyed
from bench.traces.buffers import Buffers
from bench.traces.format import Cursor, Edit, Event, Open, Pause, Request, Save, Trace
from palimpsest.config.settings import ContextSettings
from palimpsest.context.editing.block import editing_at
from palimpsest.errors import EngineUnavailable
from palimpsest.languages.registry import language_of
from palimpsest.libraries import locate
from palimpsest.lsp.client.driver import Driver, Position
from palimpsest.prompt.blocks import render_fim
from palimpsest.syntax.parse import parse_text
from palimpsest.text import snapshot
from palimpsest.window.pause import IDLE_S

START_S = 300.0
QUIET_S = 0.1
POLL_S = 0.05
MOST_S = 600.0


@dataclass(slots=True)
class Since:
    """What happened since the request before."""

    inserted: int = 0
    removed: int = 0
    moved: bool = False
    paused: bool = True
    background_ms: float = 0.0
    acted: float = 0.0
    """When the last change or jump was sent; 0: there was none."""


@dataclass(slots=True)
class Ours:
    """One editor window in `root`; `costs` and `views` in the order of requests."""

    driver: Driver
    root: Path
    trace: Trace
    on_request: Callable[[], None] = lambda: None
    costs: list[Cost] = field(default_factory=list)
    views: list[View] = field(default_factory=list)
    _uris: dict[str, str] = field(default_factory=dict)
    _since: Since = field(default_factory=Since)
    _decoded: Decoded = Decoded()
    _n_reused: int = 0
    _counted: Decoded = Decoded()

    async def replay(self, most_requests: int = 0) -> None:
        buffers = Buffers(self.trace.files)
        await self._look()
        self._counted = self._decoded
        for event in self.trace.events:
            buffers.follow(event)
            await self._do(event, buffers)
            if most_requests and len(self.costs) >= most_requests:
                return

    async def _do(self, event: Event, buffers: Buffers) -> None:
        since = self._since
        if isinstance(event, Pause):
            await self._pause(event.ms / 1000, buffers)
        elif isinstance(event, Request):
            await self._request(buffers)
        elif isinstance(event, Open):
            self._open(event.file, buffers)
            since.moved, since.acted = True, time.perf_counter()
            self.driver.cursor(self._uris[event.file], self._position(buffers))
        elif isinstance(event, Cursor):
            self._open(event.file, buffers)
            since.moved, since.acted = True, time.perf_counter()
            self.driver.cursor(self._uris[event.file], Position(event.line, event.character))
        elif isinstance(event, Edit):
            since.inserted += len(event.text)
            since.removed += (event.line, event.character) != (event.end_line, event.end_character)
            since.acted = time.perf_counter()
            start = Position(event.line, event.character)
            self.driver.replace(
                self._uris[event.file], start, Position(event.end_line, event.end_character), event.text
            )
        elif isinstance(event, Save):
            (self.root / event.file).parent.mkdir(parents=True, exist_ok=True)
            (self.root / event.file).write_text(buffers.text(event.file), encoding="utf-8", errors="surrogatepass")
            self.driver.saved(self._uris[event.file])

    def _open(self, file: str, buffers: Buffers) -> None:
        if file not in self._uris:
            self._uris[file] = self.driver.open(self.root / file, buffers.text(file))

    def _position(self, buffers: Buffers) -> Position:
        return Position(buffers.line, buffers.units(buffers.file, buffers.line, buffers.column))

    async def _request(self, buffers: Buffers) -> None:
        since, self._since = self._since, Since(paused=False)
        uri, position = self._uris[buffers.file], self._position(buffers)
        n_decoded, n_reused = self._decoded.tokens, self._n_reused
        asked = time.perf_counter()
        await self.driver.complete(uri, position)
        ms = (time.perf_counter() - (since.acted or asked)) * 1000
        found = await self._look()
        decoded, self._counted = self._decoded - self._counted, self._decoded
        blocks = await self._shown(buffers) if since.moved or since.paused else None
        self.views.append(self._view(buffers, since, blocks))
        self.costs.append(
            Cost(
                decoded=decoded.tokens,
                background=decoded.tokens - (self._decoded.tokens - n_decoded),
                reused=self._n_reused - n_reused,
                ms=ms,
                background_ms=since.background_ms,
                prompt=sum(s["end"] - s["start"] for s in found["spans"] if s["state"] != "detached"),
                parts=decoded,
            )
        )
        self.on_request()

    def _view(self, buffers: Buffers, since: Since, blocks: Mapping[str, str] | None) -> View:
        file = buffers.file
        parsed = parse_text(buffers.text(file), language_of("", file))
        at = snapshot.Position(buffers.line, buffers.column)
        editing = editing_at(parsed, at, file, ContextSettings().editing_tokens)
        prefix, suffix = render_fim(editing)
        return View(file, f"{file} {editing.name}", prefix, suffix, blocks, since.inserted, since.removed)

    async def _pause(self, seconds: float, buffers: Buffers) -> None:
        since = self._since
        if seconds <= IDLE_S:
            await asyncio.sleep(seconds)
            return
        await asyncio.sleep(IDLE_S)
        start = last = time.perf_counter()
        decoded = self._decoded
        while time.perf_counter() - last < QUIET_S or self.driver.status.get("busy"):
            if time.perf_counter() - start > MOST_S:
                raise EngineUnavailable(f"the engine is still busy {MOST_S:.0f} s into a pause.")
            await asyncio.sleep(POLL_S)
            known = self._decoded
            await self._look()
            if self._decoded != known:
                last = time.perf_counter()
        since.paused = True
        if since.acted or not self.costs:
            since.background_ms += 1000 * (last - start)
        else:
            more = self._decoded - decoded
            self.costs[-1] = self.costs[-1].and_behind(more.tokens, 1000 * (last - start), more)
            self._counted = self._decoded
            if more.tokens:
                self.views[-1] = replace(self.views[-1], behind=await self._shown(buffers))

    async def _shown(self, buffers: Buffers) -> dict[str, str]:
        """The blocks at the cursor, by key."""
        position = self._position(buffers)
        where = {
            "uri": self._uris[buffers.file],
            "position": {"line": position.line, "character": position.character},
        }
        return dict(keyed((await self.driver.command("palimpsest.context.show", where))["blocks"]))

    async def _look(self) -> dict[str, Any]:
        """What the engine has done so far; answered between two of its micro-batches."""
        found = await self.driver.command("palimpsest.cache.map")
        engine = found["engine"]
        self._decoded = Decoded(engine["decoded"], engine["blocks"], engine["headers"], engine["tails"])
        self._n_reused = found["stats"]["reused"]
        return found


async def replay(
    trace: Trace, settings: Mapping[str, Any], most_requests: int, on_request: Callable[[], None]
) -> tuple[Ours, dict[str, Any]]:
    """Costs and views, and what model it was.  The engine is of this run alone, in folders of its own.

    Raises EngineUnavailable."""
    with tempfile.TemporaryDirectory(prefix="pal-") as folder:
        root = Path(folder).resolve() / "workspace"
        for name, text in trace.files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text, encoding="utf-8", errors="surrogatepass")
        driver = Driver()
        await driver.start(root, settings, own_folders(Path(folder)))
        try:
            await driver.ready(START_S)
            info = await driver.command("palimpsest.model.info")
            ours = Ours(driver, root, trace, on_request)
            await ours.replay(most_requests)
        finally:
            await driver.stop()
    return ours, info


def own_folders(folder: Path) -> dict[str, str]:
    """Variables of a machine on which nothing of ours ran before: no engine to share, no cache, but the llama.cpp that
    was fetched here: it is what is measured.  Nobody else finds the engine there, so it leaves soon."""
    names = ("RUNTIME_DIR", "CONFIG_HOME", "CACHE_HOME", "STATE_HOME", "DATA_HOME")
    variables = {f"XDG_{name}": str(folder / name.lower()) for name in names}
    for path in variables.values():
        Path(path).mkdir(mode=0o700)
    settings = Path(variables["XDG_CONFIG_HOME"]) / "palimpsest"
    settings.mkdir()
    (settings / "palimpsest.toml").write_text("[engine]\nidle_exit_s = 10\n", encoding="utf-8")
    if locate.home().is_dir():
        cache = Path(variables["XDG_CACHE_HOME"]) / locate.home().parent.name
        cache.mkdir(mode=0o700)
        (cache / locate.home().name).symlink_to(locate.home())
    return variables
