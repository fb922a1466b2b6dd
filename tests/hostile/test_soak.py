"""Hours of use in two minutes: what a window and the engine hold on to does not grow with what is typed and opened."""

import asyncio
import itertools
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import pytest

from palimpsest.app import build_session
from palimpsest.config.settings import Settings
from palimpsest.lsp.report import Report
from palimpsest.text.snapshot import Position, Snapshot
from palimpsest.text.uris import to_uri
from palimpsest.window.events import DocumentOpened
from tests.e2e.conftest import engine_pids
from tests.e2e.raw import Raw, framed

pytestmark = [pytest.mark.slow(part="storms"), pytest.mark.timeout(400)]

MIB = 1 << 20
KEYS, WARM_UP = 20_000, 4_000
MOST_GROWN = 24 * MIB
"""In memory; to keep 2.7 KB of each of so many keys would be 54 MB."""
MOST_DESCRIPTORS = 8
SERVERS, WINDOWS, AT_ONCE = 20, 100, 5
"""Processes of their own are the first so many of the windows; the others are sessions of this one."""
ATTEMPTS = 100
TYPED = "        if self.disc"
LINE = "        self.discount = self.discount or make_discount(percent=10, minimum=3)"


@dataclass(frozen=True)
class Held:
    """What a process holds on to: resident bytes, and open descriptors."""

    memory: int
    descriptors: int

    @classmethod
    def by(cls, pid: int) -> "Held":
        status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
        resident = next(line for line in status.split("\n") if line.startswith("VmRSS:"))
        return cls(int(resident.split()[1]) << 10, len(list(Path(f"/proc/{pid}/fd").iterdir())))

    def check(self, before: "Held", who: str) -> None:
        grown = self.memory - before.memory
        assert grown < MOST_GROWN, f"{who} grew by {grown / MIB:.1f} MiB"
        assert self.descriptors - before.descriptors <= MOST_DESCRIPTORS, (who, before, self)


class Typist:
    """Types one line again and again into a method, and takes it out; asks for completions now and then."""

    def __init__(self, client: Raw, uri: str, line: int) -> None:
        self.client, self.uri, self.line = client, uri, line
        self.versions = itertools.count(2)

    async def type(self, keys: int) -> None:
        for _ in range(keys // len(LINE)):
            frames = [self.change(column, column, key) for column, key in enumerate(LINE)]
            half, whole = frames[: len(LINE) // 2], frames[len(LINE) // 2 :]
            await self.client.send(b"".join(half))
            asked = self.client.complete(self.uri, self.line, len(half))
            await self.client.send(b"".join(whole))
            await asked
            await self.client.send(self.change(0, len(LINE), ""))
            await self.client.command("palimpsest.context.drop", {"type": "package", "name": "none"})
            self.client.came.clear()

    def change(self, start: int, end: int, text: str) -> bytes:
        where = {"start": {"line": self.line, "character": start}, "end": {"line": self.line, "character": end}}
        document = {"uri": self.uri, "version": next(self.versions)}
        changes = [{"range": where, "text": text}]
        return framed("textDocument/didChange", {"textDocument": document, "contentChanges": changes})


async def test_typing_all_day_leaves_nothing_behind(machine: dict[str, str], apart: str, shop: Path) -> None:
    client = await Raw.start(own_process=True)
    try:
        await client.begin(shop)
        await client.ready()
        path = shop / "shop" / "cart.py"
        lines = path.read_text(encoding="utf-8").split("\n")
        line = lines.index("        total = self.subtotal()") + 1
        uri = await client.open(path, "\n".join([*lines[:line], "", *lines[line:]]))
        typist = Typist(client, uri, line)
        await typist.type(WARM_UP)
        (engine,) = engine_pids(apart)
        server = client.process.pid
        before = Held.by(server), Held.by(engine)
        await typist.type(KEYS)
        Held.by(server).check(before[0], "the server")
        Held.by(engine).check(before[1], "the engine")
        await client.leave()
    finally:
        await client.stop()


async def one_window(shop: Path, how: int) -> None:
    """A window that does something and goes, in one of the ways that editors go."""
    client = await Raw.start(own_process=True)
    try:
        await client.begin(shop)
        await client.ready()
        path = shop / "shop" / "cart.py"
        lines = path.read_text(encoding="utf-8").split("\n")
        line = lines.index("        total = self.subtotal()") + 1
        uri = await client.open(path, "\n".join([*lines[:line], TYPED, *lines[line:]]))
        for _ in range(ATTEMPTS):  # beside so many others there may be no time, or no room, at once
            if await client.complete(uri, line, len(TYPED)):
                break
            await asyncio.sleep(0.2)
        else:
            raise AssertionError("no completion")
        assert client.process.stdin is not None
        if how == 0:
            await client.leave()
        elif how == 1:
            client.process.kill()
        elif how == 2:
            client.process.terminate()
        elif how == 3:
            client.process.stdin.close()
        else:
            await client.ask("shutdown", None)
            client.process.stdin.close()
        await client.process.wait()
    finally:
        await client.stop()


class Quiet:
    """For a session without a client."""

    def show_status(self, *_: object) -> None: ...
    def trouble(self, *_: object) -> None: ...


async def one_session(folder: Path, text: str, line: int) -> None:
    """The same inside this process; half of them say nothing when they go."""
    session = build_session(Settings(), (folder,), cast(Report, Quiet()))
    try:
        snapshot = Snapshot(to_uri(folder / "cart.py"), 1, "python", text)
        session.events.emit(DocumentOpened(snapshot))
        await session.services.supervisor.ready(60)
        for _ in range(ATTEMPTS):
            if await session.completions.complete(snapshot.uri, Position(line, len(TYPED))):
                break
            await asyncio.sleep(0.2)
        else:
            raise AssertionError("no completion")
    finally:
        if folder.name.endswith(("0", "2", "4", "6", "8")):
            await session.services.supervisor.aclose()
        await session.aclose()


async def test_a_hundred_windows_leave_nothing_behind(
    machine: dict[str, str], apart: str, shop: Path, tmp_path: Path
) -> None:
    stays = await Raw.start(own_process=True)
    try:
        await stays.begin(shop)
        await stays.ready()
        lines = (shop / "shop" / "cart.py").read_text(encoding="utf-8").split("\n")
        line = lines.index("        total = self.subtotal()") + 1
        text = "\n".join([*lines[:line], TYPED, *lines[line:]])
        for _ in range(0, SERVERS, AT_ONCE):
            await asyncio.gather(*(one_window(shop, how) for how in range(AT_ONCE)))
        (engine,) = engine_pids(apart)
        before = Held.by(stays.process.pid), Held.by(engine)
        for first in range(SERVERS, WINDOWS, AT_ONCE):
            folders = [tmp_path / f"window-{n}" for n in range(first, first + AT_ONCE)]
            await asyncio.gather(*(one_session(folder, text, line) for folder in folders))
        Held.by(stays.process.pid).check(before[0], "a window beside them")
        Held.by(engine).check(before[1], "the engine")
        assert engine_pids(apart) == {engine}, "it is the same one all the time"
        await one_window(shop, 0)
        await stays.leave()
    finally:
        await stays.stop()
