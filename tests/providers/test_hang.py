"""An engine that answers nothing: noticed, ended and replaced, by one window for all; one that works is left alone."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import httpx2
import pytest

from palimpsest.cli.doctor import running
from palimpsest.command_line import main
from palimpsest.config.settings import EngineSettings
from palimpsest.errors import EngineUnavailable
from palimpsest.providers.base.target import Target
from palimpsest.providers.palimpsest import client, launch, liveness
from palimpsest.providers.supervisor import Supervisor
from palimpsest.system import process_lock
from tests.providers.conftest import busy, endless

PATIENCE_S = 60.0


@pytest.fixture
def target(machine: Path, model: Path) -> Target:
    return Target(model, EngineSettings(n_ctx=1024, store_mb=16))


@pytest.fixture
async def supervisor(target: Target) -> AsyncIterator[Supervisor]:
    supervisor = Supervisor(target)
    supervisor.start()
    yield supervisor
    await supervisor.aclose()


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """What takes half a minute takes seconds."""
    # no door: how long an engine may be silent is nobody's to set
    monkeypatch.setattr(launch, "HUNG_S", 2.0)
    monkeypatch.setattr(launch, "PROBE_S", 0.5)
    monkeypatch.setattr(launch, "TERM_S", 0.5)
    monkeypatch.setattr(liveness, "PROBE_S", 0.2)


def gone(pid: int) -> bool:
    """It ended; its own parent may not have collected it yet."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


async def stopped(supervisor: Supervisor) -> int:
    """Stop the engine's process; its id."""
    await supervisor.ready(PATIENCE_S)
    pid = supervisor.status.pid
    assert pid is not None
    os.kill(pid, signal.SIGSTOP)
    return pid


async def another(supervisor: Supervisor, than: int) -> int:
    while supervisor.status.state != "ready" or supervisor.status.pid in (None, than):
        await asyncio.sleep(0.02)
    assert supervisor.status.pid is not None
    return supervisor.status.pid


async def test_a_stopped_engine_is_replaced_by_one_for_all_windows(
    impatient: None, supervisor: Supervisor, target: Target
) -> None:
    other = Supervisor(target)
    other.start()
    await other.ready(PATIENCE_S)
    states: list[str] = []
    supervisor.on_status(lambda status: states.append(status.state))
    pid = await stopped(supervisor)
    new, others = await asyncio.gather(another(supervisor, pid), another(other, pid))
    assert new == others
    assert gone(pid)
    assert "suspected" in states
    engine = await other.ready()
    assert (await engine.generate(endless(2))).choices[0].tokens == 2
    await other.aclose()


async def test_a_person_who_asks_for_a_restart_gets_one(
    supervisor: Supervisor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Long before it would be noticed."""
    # no door: how long an engine may be silent is nobody's to set
    monkeypatch.setattr(client, "SHORT", httpx2.Timeout(0.5))
    monkeypatch.setattr(launch, "TERM_S", 0.5)
    pid = await stopped(supervisor)
    await supervisor.restart()
    assert gone(pid)
    assert await another(supervisor, pid)


async def test_a_window_that_opens_while_the_engine_hangs_gets_a_new_one(
    impatient: None, supervisor: Supervisor, target: Target, monkeypatch: pytest.MonkeyPatch
) -> None:
    pid = await stopped(supervisor)
    await supervisor.aclose()
    engine, _process = await launch.launch(target)
    assert (await engine.health()).pid != pid
    assert gone(pid)
    await engine.aclose()


@pytest.mark.slow(part="storms")
async def test_an_engine_that_works_for_long_does_not_hang(impatient: None, supervisor: Supervisor) -> None:
    engine = await supervisor.ready(PATIENCE_S)
    pid, states = supervisor.status.pid, list[str]()
    supervisor.on_status(lambda status: states.append(status.state))
    assert isinstance(engine, client.InPlaceEngine)
    until = asyncio.get_running_loop().time() + 2 * launch.HUNG_S
    while asyncio.get_running_loop().time() < until:
        task = asyncio.create_task(engine.generate(endless(600)))
        await busy(engine, task)
        await task
    assert supervisor.status.pid == pid
    assert "restarting" not in states


async def test_doctor_says_that_one_hangs_and_what_happens_then(
    impatient: None, supervisor: Supervisor, target: Target
) -> None:
    pid = await stopped(supervisor)
    (check,) = [check async for check in running(target)]
    assert (check.name, check.ok) == ("engine process", False)
    assert str(pid) in check.detail
    assert "palimpsest.restartEngine" in check.hint
    await another(supervisor, pid)
    assert [check async for check in running(target)] == []


@pytest.mark.slow(part="storms")
async def test_the_command_lists_one_that_hangs_and_ends_it(
    supervisor: Supervisor, capsys: pytest.CaptureFixture[str]
) -> None:
    pid = await stopped(supervisor)
    await supervisor.aclose()

    async def run(*arguments: str) -> str:
        assert await asyncio.to_thread(main, ["engine", *arguments]) == 0
        return capsys.readouterr().out

    (listed,) = json.loads(await run("--list", "--json"))
    assert (listed["pid"], listed["state"]) == (pid, "silent")
    assert "has ended" in await run("--stop", str(pid))
    assert gone(pid)


HOLD = """
import signal, sys
from pathlib import Path
from palimpsest.system import process_lock
signal.signal(signal.SIGTERM, signal.SIG_IGN)
process_lock.take(Path(sys.argv[1]))
print(flush=True)
input()
"""


async def test_one_that_is_stuck_before_it_answers_or_as_it_leaves_is_ended(
    impatient: None, target: Target, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has the lock and no socket."""
    # no door: how long an engine may be silent is nobody's to set
    monkeypatch.setattr(launch, "START_S", 3.0)
    command = [sys.executable, "-c", HOLD, str(target.address().lock)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as stuck:
        assert stuck.stdout is not None
        stuck.stdout.readline()
        with pytest.raises(EngineUnavailable, match="did not answer"):
            await launch.launch(target)
        assert stuck.wait(10) == -signal.SIGKILL
    monkeypatch.undo()


def test_only_who_holds_the_lock_is_ended(tmp_path: Path) -> None:
    lock = tmp_path / "engine.lock"
    assert process_lock.holder(lock) is None
    command = [sys.executable, "-c", HOLD, str(lock)]
    bystander = [sys.executable, "-c", "print(flush=True); input()"]
    pipe = subprocess.PIPE
    with (
        subprocess.Popen(command, stdin=pipe, stdout=pipe) as holds,
        subprocess.Popen(bystander, stdin=pipe, stdout=pipe) as other,
    ):
        for process in (holds, other):
            assert process.stdout is not None
            process.stdout.readline()
        assert process_lock.holder(lock) == holds.pid
        assert process_lock.take(lock) is None
        assert process_lock.end_holder(lock, other.pid, 0.1), "it does not hold the lock"
        assert other.poll() is None
        assert process_lock.end_holder(lock, holds.pid, 0.1)
        assert holds.wait(10) == -signal.SIGKILL
        assert other.poll() is None
        other.kill()
    assert process_lock.holder(lock) is None
