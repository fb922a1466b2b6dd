"""`python -m bench team`: windows on one engine over TLS, each with a key and a workspace of its own, that all type.

In: a model, how many windows, for how long.  Out: JSON, in which a window's times are ratios to the fastest window's,
since one processor has the engine, all windows and this bench:

    {"stages": [{"windows", "keys", "answers", "p50_ms",        all windows together; an answer has a text to show
                 "slowest", "slowest_p95",                      the slowest window's times for each of the fastest's
                 "least",                                       fewest answers of a window, for each of the most
                 "rss_mb", "uss_mb", "cells", "decoded", "again"}, …]   the engine's; tokens for each key
     "cells": [a window's own, …], "before": {"rss_mb", "uss_mb"},
     "full": {"cells", "windows", "held": [by window, the longest away first], "evicted", "restored", "again",
              "asked", "right", "unsound"},
     "revoked": {"keys", "message", "others", "others_before", "back"}}

Memory and times are measured with one window, with half of them and with all.  Then the same windows have an engine
whose cache is too small for them: each is asked alone, then all in turn, and the answers compared.  Last, one window's
key is taken out of the file while all type: after how many more keys it says so and in which words, how many answers a
second the others have (and had before), and whether it completes again once its editor has another key.
"""

from __future__ import annotations

import argparse
import asyncio
import re
import secrets
import shutil
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
from lsprotocol import types as lsp
from rich.console import Console
from rich.table import Table

from bench.replaying.ours import START_S, own_folders
from bench.replaying.tally import percentile
from bench.shared.large_file import TYPED
from bench.shared.options import BATCH, model_file, positive
from palimpsest import wire
from palimpsest.errors import EngineUnavailable
from palimpsest.lsp.client.driver import Driver, Position
from palimpsest.providers.base.endpoint import Endpoint
from palimpsest.providers.palimpsest.client import InPlaceEngine
from palimpsest.workspace import sample

NAME = "team"
HELP = "windows on one engine over TLS: fairness, memory, a full cache, a key that is revoked"

LISTENING = re.compile(r"listening on (https://\S+?),")
CLASSES = ("Cart", "Discount", "Item", "Line", "Order")
NOTICE_S = 60.0
FULL_TOKENS = 8
NOBODY = "nobody"
"""A workspace that there is not: the whole engine's figures alone."""


def add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--windows", type=positive, default=20, metavar="N", help="at most (20)")
    parser.add_argument("--seconds", type=positive, default=60, metavar="N", help="of typing in each stage (60)")
    parser.add_argument("--pause-ms", type=positive, default=500, metavar="N", help="between a window's keys (500)")
    parser.add_argument("--cells", type=positive, default=65_536, metavar="N", help="of the cache for all (65,536)")
    parser.add_argument("--full", type=positive, default=4096, metavar="N", help="cells of the one too small (4,096)")


def measure(options: argparse.Namespace) -> dict[str, Any]:
    """Raises PalimpsestError."""
    return asyncio.run(_measured(model_file(options), options))


def show(result: dict[str, Any], console: Console) -> None:
    table = Table(title=f"windows on one engine over TLS, {result['model']}", title_justify="left")
    names = ("keys", "answers", "p50_ms", "slowest", "slowest_p95", "least", "decoded", "again", "cells", "rss_mb")
    for column in ("windows", *names):
        table.add_column(column, justify="right")
    for stage in result["stages"]:
        table.add_row(*(f"{stage[name]:,}" for name in ("windows", *names)))
    console.print(table)
    for name in ("before", "cells", "full", "revoked"):
        console.print(f"{name}: {result[name]}")


@dataclass(slots=True)
class Window:
    """A server process with a workspace.  `times`: seconds from a key to its answer; `n_answers`: those with a text."""

    driver: Driver
    uri: str
    start: Position
    times: list[float] = field(default_factory=list)
    n_answers: int = 0

    async def type(self, until: float, pause_s: float, first_s: float) -> None:
        """Lines, each in the last one's place, a key each `pause_s`."""
        await asyncio.sleep(first_s)
        position = self.start
        while time.perf_counter() < until:
            for character in "".join(f"\n{line}" for line in TYPED):
                if time.perf_counter() >= until:
                    break
                if character == "\n":
                    position = self.driver.replace(self.uri, self.start, position, "")
                    continue
                began = time.perf_counter()
                position = self.driver.type(self.uri, position, character)
                items = await self.driver.complete(self.uri, position)
                self.times.append(time.perf_counter() - began)
                self.n_answers += bool(items)
                await asyncio.sleep(max(0.0, began + pause_s - time.perf_counter()))
        self.driver.replace(self.uri, self.start, position, "")

    def configure(self, engine: dict[str, Any]) -> None:
        settings = {"palimpsest": {"engine": engine}}
        self.driver.client.workspace_did_change_configuration(lsp.DidChangeConfigurationParams(settings))


class Team:
    """`keys` are those that the engine takes; a file has them."""

    def __init__(self, folder: Path, n: int) -> None:
        self.folder = folder
        self.keys = [secrets.token_urlsafe(16) for _ in range(n)]
        import trustme  # a development dependency: `python -m bench` works without it

        authority = trustme.CA()
        certificate = authority.issue_cert("127.0.0.1")
        authority.cert_pem.write_to_path(str(folder / "ca.pem"))
        certificate.cert_chain_pems[0].write_to_path(str(folder / "cert.pem"))
        certificate.private_key_pem.write_to_path(str(folder / "key.pem"))
        self.give(self.keys)
        self.url, self.process = "", psutil.Process()

    def give(self, keys: Sequence[str]) -> None:
        """From now on the engine takes these and no others."""
        (self.folder / "keys.new").write_text("".join(f"{key}\n" for key in keys))
        (self.folder / "keys.new").replace(self.folder / "keys")

    @asynccontextmanager
    async def engine(self, model: Path, *options: str) -> AsyncIterator[None]:
        """One engine on loopback, while this is open."""
        own = [f"--{name}={self.folder / file}" for name, file in (("tls-cert", "cert.pem"), ("tls-key", "key.pem"))]
        own += ["--api-key-file", str(self.folder / "keys"), "--socket", str(self.folder / "e.sock"), *options]
        command = [sys.executable, "-P", "-m", "palimpsest", "engine", "--model", str(model), "--http", "127.0.0.1:0"]
        process = await asyncio.create_subprocess_exec(*command, *own, stderr=asyncio.subprocess.PIPE)
        assert process.stderr is not None
        try:
            while (found := LISTENING.search((line := await process.stderr.readline()).decode())) is None:
                if not line:
                    raise EngineUnavailable("the engine did not start.")
            self.url, self.process = found[1], psutil.Process(process.pid)
            rest = asyncio.create_task(process.stderr.read())
            client = self.client(self.keys[0])
            while (await client.health()).state == "loading":
                await asyncio.sleep(0.1)
            await client.aclose()
            yield
        finally:
            process.terminate()
            await process.wait()
            rest.cancel()

    def client(self, key: str) -> InPlaceEngine:
        return InPlaceEngine.remote(Endpoint(self.url, key, ca_file=str(self.folder / "ca.pem")))

    def settings(self, key: str) -> dict[str, Any]:
        return {"url": self.url, "api_key": key, "ca_file": str(self.folder / "ca.pem")}

    async def window(self, i: int) -> Window:
        """Window `i`, once its blocks are in the cache; its code has names that no other window's has."""
        home = self.folder / f"{len(list(self.folder.iterdir()))}"
        home.mkdir()
        root = home / "shop"
        sample.copy(root)
        for path in root.rglob("*.py"):
            text = path.read_text(encoding="utf-8")
            path.write_text(re.sub(rf"\b({'|'.join(CLASSES)})\b", rf"\g<1>{_letters(i)}", text), encoding="utf-8")
        driver = Driver()
        await driver.start(root, {"engine": self.settings(self.keys[i])}, own_folders(home))
        await driver.ready(START_S, patient=True)
        uri = driver.open(str(sample.FILE))
        position = driver.at(uri, sample.AFTER)
        position = driver.type(uri, position, "\n        ")
        await driver.settled(uri, position, START_S)
        return Window(driver, uri, position)

    def memory(self) -> dict[str, int]:
        found = self.process.memory_full_info()
        return {"rss_mb": round(found.rss / 1e6), "uss_mb": round(found.uss / 1e6)}


def _letters(i: int) -> str:
    return "".join(chr(ord("a") + int(digit)) for digit in f"{i:02}")


async def _measured(model: Path, options: argparse.Namespace) -> dict[str, Any]:
    folder = Path(tempfile.mkdtemp(prefix="pal-"))
    try:
        team = Team(folder, options.windows)
        result: dict[str, Any] = {"model": model.name, "seconds": options.seconds, "pause_ms": options.pause_ms}
        async with AsyncExitStack() as stack:
            await stack.enter_async_context(team.engine(model, f"--n-ctx={options.cells}"))
            result["before"] = team.memory()
            windows, stages = list[Window](), list[dict[str, Any]]()
            for n in sorted({1, max(1, options.windows // 2), options.windows}):
                for i in range(len(windows), n):
                    windows.append(await team.window(i))
                    stack.push_async_callback(windows[-1].driver.stop)
                stages.append(await _stage(team, windows, options))
            result["stages"] = stages
            result["cells"] = [await _cells(window) for window in windows]
            result["revoked"] = await _revoked(team, windows, options)
        team.give(team.keys)
        async with team.engine(model, f"--n-ctx={options.full}", f"--n-batch={BATCH}"):
            result["full"] = await _full(team, options)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return result


async def _typed(windows: Sequence[Window], options: argparse.Namespace) -> None:
    pause_s = options.pause_ms / 1000
    until = time.perf_counter() + options.seconds
    for window in windows:
        window.times, window.n_answers = [], 0
    firsts = [pause_s * i / len(windows) for i in range(len(windows))]
    await asyncio.gather(*(w.type(until, pause_s, first) for w, first in zip(windows, firsts, strict=True)))


async def _stage(team: Team, windows: Sequence[Window], options: argparse.Namespace) -> dict[str, Any]:
    client = team.client(team.keys[0])
    before = (await client.cache_map(NOBODY)).stats
    await _typed(windows, options)
    found = await client.cache_map(NOBODY)
    await client.aclose()
    n_keys = sum(len(window.times) for window in windows)
    medians = [percentile(window.times, 0.5, 4) for window in windows]
    p95s = [percentile(window.times, 0.95, 4) for window in windows]
    answers = [window.n_answers for window in windows]

    def each(*names: str) -> float:
        return round(sum(found.stats[name] - before[name] for name in names) / n_keys, 1)

    return {
        "windows": len(windows),
        "keys": n_keys,
        "answers": sum(answers),
        "p50_ms": round(1000 * percentile([t for window in windows for t in window.times], 0.5, 4)),
        "slowest": round(max(medians) / min(medians), 2),
        "slowest_p95": round(max(p95s) / min(p95s), 2),
        "least": round(min(answers) / max(answers), 2) if max(answers) else 0.0,
        "decoded": each("decoded"),
        "again": each("headers_again", "blocks_again", "tails_again"),
        "cells": found.used_cells,
        **team.memory(),
    }


async def _cells(window: Window) -> int:
    """Of its blocks, header and tails."""
    found = await window.driver.command("palimpsest.cache.map")
    return sum(span["end"] - span["start"] for span in found["spans"])


async def _revoked(team: Team, windows: Sequence[Window], options: argparse.Namespace) -> dict[str, Any]:
    """The last window's key goes while all type; then its editor has another one."""
    window, others = windows[-1], windows[:-1]
    await _typed(windows, options)
    before = sum(len(other.times) for other in others) / options.seconds
    gone = asyncio.create_task(_notice(team, window))
    await _typed(windows, options)
    n_keys, message = await gone
    others_now = sum(len(other.times) for other in others) / options.seconds
    said = [status["message"] for other in others for status in other.driver.statuses]
    new = secrets.token_urlsafe(16)
    team.give([*team.keys[: len(others)], new])
    window.configure(team.settings(new))
    await window.driver.ready(NOTICE_S, patient=True)
    await _typed([window], options)
    return {
        "keys": n_keys,
        "message": message,
        "others_told": sum("refused" in words for words in said),
        "others_before": round(before, 1),
        "others": round(others_now, 1),
        "back": window.n_answers,
        "same_process": window.driver.client._server is not None and window.driver.client._server.returncode is None,
    }


async def _notice(team: Team, window: Window) -> tuple[int, str]:
    """After some typing the key goes: after how many more keys the window says so, and how."""
    await asyncio.sleep(5)
    team.give([key for key in team.keys if key != team.keys[-1]])
    n_before, end = len(window.times), time.perf_counter() + NOTICE_S
    while time.perf_counter() < end:
        message = str(window.driver.status.get("message") or "")
        if "refused" in message:
            return len(window.times) - n_before, message
        await asyncio.sleep(0.02)
    raise EngineUnavailable("the window did not notice that its key was revoked.")


async def _full(team: Team, options: argparse.Namespace) -> dict[str, Any]:
    """Clients with blocks of the sample's files, alone and then in turn, three times."""
    requests = [_request(i) for i in range(options.windows)]
    clients = [team.client(key) for key in team.keys]
    alone = []
    for client, request in zip(clients, requests, strict=True):
        alone.append((await client.generate(request)).choices[0].text)
        await client.reset(request.workspace)
    before = (await clients[0].cache_map(NOBODY)).stats
    n_right = 0
    for _ in range(3):
        for client, request, text in zip(clients, requests, alone, strict=True):
            n_right += (await client.generate(request)).choices[0].text == text
    held = [
        len([s for s in (await c.cache_map(r.workspace)).spans if s.state == "attached"])
        for c, r in zip(clients, requests, strict=True)
    ]
    after, unsound = (await clients[0].cache_map(NOBODY)).stats, (await clients[0].check()).unsound
    for client in clients:
        await client.aclose()
    more = {name: after[name] - before[name] for name in ("evicted", "restored", "blocks_again")}
    return {
        "cells": options.full,
        "asked": 3 * len(clients),
        "right": n_right,
        "held": held,
        "unsound": unsound,
        **more,
    }


def _request(i: int) -> wire.GenerateRequest:
    with tempfile.TemporaryDirectory() as folder:
        root = sample.copy(Path(folder) / "shop").folder
        texts = {path.name: path.read_text(encoding="utf-8") for path in sorted((root / "shop").glob("*.py"))}
    own = {name: text.replace("Item", f"Item{_letters(i)}") for name, text in texts.items()}
    blocks = [wire.WantedBlock(name, own[name]) for name in ("item.py", "discount.py")]
    sync = wire.SyncRequest(f"team-{i}", "<workspace>\n", "</workspace>\n", blocks)
    before, _, behind = own["cart.py"].partition(sample.AFTER)
    fim = wire.FimTail(before[-400:] + sample.AFTER + "\n        ", behind[:100])
    return wire.GenerateRequest(f"team-{i}", fim=fim, sync=sync, max_tokens=FULL_TOKENS)
