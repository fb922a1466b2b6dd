"""A workspace ends with the last client that used it, however that one goes."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import ExitStack, aclosing
from pathlib import Path

import pytest

from palimpsest import wire
from palimpsest.engine.lifetime.workspace_owners import WorkspaceOwners
from palimpsest.providers.palimpsest.client import InPlaceEngine
from palimpsest.system import folders
from palimpsest.system.engine_address import Address
from tests.native.helpers import LONG
from tests.providers.conftest import EMBEDDED, Process, loaded

WINDOWS = 25 if LONG else 5
SETTINGS = ("--n-ctx", "2048", "--store-mb", "4")
CLIENT = Path(__file__).with_name("windows_client.py")
WAYS = ("end of input", "SIGTERM", "SIGKILL", "closed behind shutdown")


@pytest.fixture
async def engine(machine: Path) -> AsyncIterator[tuple[InPlaceEngine, int]]:
    place = Address(folders.runtime() / "engine-test.sock")
    process = Process("--model", EMBEDDED, "--socket", place.socket, *SETTINGS)
    process.answers_at(place)
    engine = InPlaceEngine.at(place)
    await loaded(engine)
    yield engine, process.popen.pid
    await engine.aclose()
    process.close()


def opened(way: str) -> subprocess.Popen[str]:
    """A process with windows open."""
    command = [sys.executable, str(CLIENT), str(folders.runtime() / "engine-test.sock"), way, str(WINDOWS)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "open\n"
    return process


def dropped(process: subprocess.Popen[str], way: str) -> None:
    if way == "SIGTERM":
        process.terminate()
    elif way == "SIGKILL":
        process.send_signal(signal.SIGKILL)
    process.communicate("shutdown\n" if way == "closed behind shutdown" else None, timeout=60)


async def emptied(engine: InPlaceEngine) -> None:
    while (await engine.cache_map("nobody")).used_cells:
        await asyncio.sleep(0.1)


def resident_mib(pid: int) -> float:
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * 4096 / (1 << 20)


def descriptors(pid: int) -> int:
    return len(list(Path(f"/proc/{pid}/fd").iterdir()))


@pytest.mark.slow(part="storms")
async def test_windows_that_go_in_any_way_leave_nothing(engine: tuple[InPlaceEngine, int]) -> None:
    asked, pid = engine
    dropped(opened("first"), "SIGKILL")
    await emptied(asked)
    before = resident_mib(pid), descriptors(pid)
    for way in WAYS:
        dropped(opened(way), way)
        await emptied(asked)
    assert descriptors(pid) <= before[1] + 2
    assert resident_mib(pid) < before[0] + 32
    fim = wire.FimTail("def add(a, b):\n    return ", "\n")
    sync = wire.SyncRequest("last", "<workspace>\n", "</workspace>\n", [wire.WantedBlock("a", "x = 1\n")])
    answer = await asked.generate(wire.GenerateRequest("last", fim=fim, sync=sync, max_tokens=4))
    assert answer.choices[0].text


class Closed:
    """What was closed, and when all of it was."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.changed = asyncio.Event()

    def __call__(self, name: str) -> None:
        self.names.append(name)
        self.changed.set()


async def test_a_workspace_of_two_windows_ends_with_the_second() -> None:
    closed = Closed()
    tenants = WorkspaceOwners(closed, grace_s=0.0)
    with tenants.leased("one"):
        with tenants.leased("two"):
            for client in ("one", "two"):
                with tenants.using(client, "shared"):
                    pass
            with tenants.using("two", "own"):
                pass
        await closed.changed.wait()
        assert closed.names == ["own"]
        closed.changed.clear()
    await closed.changed.wait()
    assert closed.names == ["own", "shared"]


async def test_a_request_under_way_keeps_its_workspace_until_it_is_answered() -> None:
    closed = Closed()
    tenants = WorkspaceOwners(closed, grace_s=0.0)
    with tenants.leased("one"), tenants.using("one", "seen"):
        pass
    with ExitStack() as lease:
        lease.enter_context(tenants.leased("two"))
        with tenants.using("two", "busy"):
            lease.close()
            await closed.changed.wait()
            assert closed.names == ["seen"]
            closed.changed.clear()
        await closed.changed.wait()
    assert closed.names == ["seen", "busy"]


async def test_a_client_without_a_lease_keeps_its_workspace_for_a_while() -> None:
    closed = Closed()
    patient, hasty = WorkspaceOwners(closed, grace_s=0.0), WorkspaceOwners(closed, unused_s=0.0)
    with patient.using("", "kept"):
        pass
    with hasty.using("", "ended"):
        pass
    await closed.changed.wait()
    assert closed.names == ["ended"]
    patient.stop()


async def test_a_lease_that_comes_back_in_time_keeps_the_workspace() -> None:
    closed = Closed()
    tenants = WorkspaceOwners(closed, grace_s=0.05)
    for name in ("one", "other"):
        with tenants.leased(name), tenants.using(name, f"of {name}"):
            pass
    with tenants.leased("one"):
        with tenants.using("one", "of one"):
            pass
        await closed.changed.wait()
        assert closed.names == ["of other"], "which was left later"
        closed.changed.clear()
    await closed.changed.wait()
    assert closed.names == ["of other", "of one"]


async def test_another_connection_of_the_same_client_ends_no_lease_of_its_own(
    engine: tuple[InPlaceEngine, int],
) -> None:
    asked, _ = engine
    async with aclosing(asked.lease("test")) as lease:
        assert (await anext(lease)).clients == 1
        block = wire.WantedBlock("a", "x = 1\n")
        await asked.sync(wire.SyncRequest("mine", "<workspace>\n", "</workspace>\n", [block]))
        used = (await asked.cache_map("mine")).used_cells
        other = InPlaceEngine.at(Address(folders.runtime() / "engine-test.sock"))
        async with aclosing(other.lease("test")) as second:
            await anext(second)
            await other.sync(wire.SyncRequest("theirs", "<workspace>\n", "</workspace>\n", [block]))
        await other.aclose()
        while (await asked.cache_map("mine")).used_cells > used:
            await asyncio.sleep(0.1)
        assert (await asked.cache_map("mine")).used_cells == used
