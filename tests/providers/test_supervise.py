"""An engine's life with a server, with real processes that really die."""

from __future__ import annotations

import asyncio
import dataclasses
import gc
import os
import re
import signal
import subprocess
import sys
import warnings
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from palimpsest.config.settings import EngineSettings
from palimpsest.errors import EngineDied, EngineLoading, EngineUnavailable, ModelError
from palimpsest.providers import lifecycle
from palimpsest.providers.base.protocol import Engine
from palimpsest.providers.base.target import Target
from palimpsest.providers.palimpsest.launch import find, launch
from palimpsest.providers.supervisor import EngineStatus, Supervisor
from tests.installing import without_library
from tests.providers.conftest import EMBEDDED, busy, endless

SETTINGS = EngineSettings(n_ctx=1024, store_mb=16)
PATIENCE_S = 60.0


@pytest.fixture
def target(machine: Path, own_model: Path) -> Target:
    return Target(own_model, SETTINGS)


@pytest.fixture
async def supervisor(target: Target) -> AsyncIterator[Supervisor]:
    supervisor = Supervisor(target)
    supervisor.start()
    yield supervisor
    await supervisor.aclose()


async def works(engine: Engine) -> bool:
    return (await engine.generate(endless(2))).choices[0].tokens == 2


async def killed(supervisor: Supervisor, number: int = signal.SIGKILL) -> None:
    """Kill the engine and wait until the supervisor has noticed."""
    pid = supervisor.status.pid
    assert pid is not None
    os.kill(pid, number)
    # The lease ends first; how the process ended is known a moment later.
    while (status := supervisor.status).pid == pid or (status.state == "ready" and status.pid is None):
        await asyncio.sleep(0.01)


async def test_it_comes_to_be_ready_and_says_so(target: Target) -> None:
    supervisor, seen = Supervisor(target), list[EngineStatus]()
    supervisor.on_status(seen.append)
    with pytest.raises(EngineLoading):
        await supervisor.ready()
    supervisor.start()
    engine = await supervisor.ready(PATIENCE_S)
    assert await works(engine)
    assert seen[-1].state == supervisor.status.state == "ready"
    assert seen[-1].model is not None
    assert seen[-1].model.n_ctx == 1024
    await supervisor.aclose()
    assert seen[-1].state == "closed"
    with pytest.raises(EngineUnavailable):
        await supervisor.ready()


async def test_killed_in_a_request_the_next_one_works(supervisor: Supervisor) -> None:
    seen: list[EngineStatus] = []
    supervisor.on_status(seen.append)

    async def use() -> None:
        async with supervisor.engine(PATIENCE_S) as engine:
            task = asyncio.create_task(engine.generate(endless(400)))
            await busy(engine, task)
            await killed(supervisor)
            await task

    with pytest.raises(EngineDied):
        await use()
    assert await works(await supervisor.ready(PATIENCE_S))
    assert any(status.state == "restarting" and "SIGKILL" in status.message for status in seen)


async def test_an_engine_found_dead_is_not_handed_out_again(supervisor: Supervisor) -> None:
    async def use_until_it_fails() -> None:
        async with supervisor.engine(PATIENCE_S) as engine:
            assert supervisor.status.pid is not None
            os.kill(supervisor.status.pid, signal.SIGKILL)
            while True:
                await engine.health()

    with pytest.raises((EngineDied, EngineUnavailable)):
        await use_until_it_fails()
    with pytest.raises(EngineLoading):
        await supervisor.ready()
    async with supervisor.engine(PATIENCE_S) as engine:
        assert await works(engine)


async def test_after_two_deaths_in_a_row_caution_after_three_a_rest_unless_asked(supervisor: Supervisor) -> None:
    await supervisor.ready(PATIENCE_S)
    await killed(supervisor)
    await supervisor.ready(PATIENCE_S)
    assert not supervisor.status.safe_mode
    await killed(supervisor, signal.SIGSEGV)
    assert "SIGSEGV" in supervisor.status.message
    engine = await supervisor.ready(PATIENCE_S)
    assert supervisor.status.safe_mode
    assert await works(engine)
    in_safe_mode = await find(supervisor.target.in_safe_mode().address())
    assert in_safe_mode is not None
    assert (await in_safe_mode.health()).pid == supervisor.status.pid
    await in_safe_mode.aclose()
    await killed(supervisor, signal.SIGABRT)
    with pytest.raises(EngineUnavailable, match="3 times in a row"):
        await supervisor.ready(PATIENCE_S)
    assert supervisor.status.state == "given_up"
    assert "in 30 seconds" in supervisor.status.message
    await supervisor.restart()
    assert await works(await supervisor.ready(PATIENCE_S))
    assert not supervisor.status.safe_mode


async def test_what_was_given_up_comes_back_by_itself_and_the_status_says_when(
    supervisor: Supervisor, monkeypatch: pytest.MonkeyPatch
) -> None:
    # no door: how long it rests is nobody's to set
    monkeypatch.setattr(lifecycle, "FIRST_WAIT_S", 2.0)
    seen: list[EngineStatus] = []
    supervisor.on_status(seen.append)
    for _ in range(3):
        await supervisor.ready(PATIENCE_S)
        await killed(supervisor)
    await given_up(supervisor)
    while supervisor.status.state != "ready":
        await asyncio.sleep(0.01)
    assert await works(await supervisor.ready())
    assert supervisor.status.message == ""
    message = next(status.message for status in seen if status.state == "given_up")
    assert re.search(r"The next try is at \d\d:\d\d:\d\d, in 2 seconds", message)


async def given_up(supervisor: Supervisor) -> None:
    while supervisor.status.state != "given_up":
        await asyncio.sleep(0.01)


async def test_an_engine_that_is_asked_to_leave_is_replaced_and_that_is_no_death(supervisor: Supervisor) -> None:
    await supervisor.ready(PATIENCE_S)
    for _ in range(3):
        pid = supervisor.status.pid
        await supervisor.restart()
        assert await works(await supervisor.ready(PATIENCE_S))
        assert supervisor.status.pid != pid
        assert not supervisor.status.safe_mode


async def test_two_servers_share_one_engine_and_both_follow_its_restart(supervisor: Supervisor, target: Target) -> None:
    other = Supervisor(target)
    other.start()
    await asyncio.gather(supervisor.ready(PATIENCE_S), other.ready(PATIENCE_S))
    first = supervisor.status.pid
    assert first == other.status.pid
    await supervisor.restart()
    while other.status.pid in (first, None) or supervisor.status.pid is None:
        await asyncio.sleep(0.01)
    engines = await asyncio.gather(supervisor.ready(PATIENCE_S), other.ready(PATIENCE_S))
    assert supervisor.status.pid == other.status.pid
    assert all(await asyncio.gather(*map(works, engines)))
    await other.aclose()


SERVER = """
import asyncio, sys
from pathlib import Path
from palimpsest.providers.supervisor import Supervisor
from palimpsest.providers.base.target import Target
from palimpsest.config.settings import EngineSettings

async def main():
    supervisor = Supervisor(Target(Path(sys.argv[1]), EngineSettings(n_ctx=1024, store_mb=16)))
    supervisor.start()
    await supervisor.ready(60)
    print(supervisor.status.pid, flush=True)
    await asyncio.sleep(600)

asyncio.run(main())
"""


async def test_a_killed_server_takes_the_engine_from_nobody(target: Target) -> None:
    """The killed one even started the engine."""
    command = [sys.executable, "-c", SERVER, str(target.model)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        pid = int(await asyncio.to_thread(server.stdout.readline))
        supervisor = Supervisor(target)
        supervisor.start()
        engine = await supervisor.ready(PATIENCE_S)
        assert supervisor.status.pid == pid
        assert (await engine.health()).clients == 2
        server.kill()
    while (await engine.health()).clients != 1:
        await asyncio.sleep(0.01)
    assert await works(engine)
    assert supervisor.status.state == "ready"
    await supervisor.aclose()


async def test_many_launches_at_once_make_one_engine(target: Target) -> None:
    launched = await asyncio.gather(*(launch(target) for _ in range(4)))
    pids = {(await engine.health()).pid for engine, _process in launched}
    assert len(pids) == 1
    for engine, _process in launched:
        await engine.aclose()


async def test_a_truncated_model_is_no_death_and_a_repaired_one_is_tried_when_asked(
    supervisor: Supervisor, target: Target
) -> None:
    await supervisor.ready(PATIENCE_S)
    os.truncate(target.model, 20_000)
    await supervisor.restart()
    with pytest.raises(ModelError) as error:
        await supervisor.ready(PATIENCE_S)
    assert supervisor.status.state == "failed"
    assert supervisor.status.message.startswith(str(error.value))
    assert "The next try is at " in supervisor.status.message
    target.model.write_bytes(EMBEDDED.read_bytes())
    await supervisor.restart()
    assert await works(await supervisor.ready(PATIENCE_S))


async def test_a_model_that_failed_to_load_is_tried_again_and_not_remembered(target: Target) -> None:
    """What was wrong may be right now, with the same file: memory, a library."""
    os.truncate(target.model, 20_000)
    supervisor = Supervisor(target)
    supervisor.start()
    pids = set()
    for _ in range(2):
        with pytest.raises(ModelError):
            await supervisor.ready(PATIENCE_S)
        engine = await find(target.address())
        assert engine is not None
        pids.add((await engine.health()).pid)
        await engine.aclose()
        await supervisor.restart()
    assert len(pids) == 2
    await supervisor.aclose()


async def test_a_model_whose_file_is_written_over_is_loaded_anew_and_the_status_says_why(
    supervisor: Supervisor, target: Target
) -> None:
    seen: list[EngineStatus] = []
    supervisor.on_status(seen.append)
    engine = await supervisor.ready(PATIENCE_S)
    assert await works(engine)
    pid, content = supervisor.status.pid, target.model.read_bytes()
    with target.model.open("r+b") as file:  # as `cp other model` does, but for that it cuts the file off first
        file.write(content)
    with pytest.raises((EngineUnavailable, EngineDied)):  # it says why, or has left before it could
        await works(engine)
    while supervisor.status.pid in (pid, None):
        await asyncio.sleep(0.01)
    assert await works(await supervisor.ready(PATIENCE_S))
    assert any("file was changed" in status.message for status in seen)
    assert not supervisor.status.safe_mode
    assert supervisor.status.message == ""


async def test_a_missing_model_is_named(machine: Path) -> None:
    supervisor = Supervisor(Target(machine / "none.gguf", SETTINGS))
    supervisor.start()
    with pytest.raises(ModelError, match=r"none\.gguf"):
        await supervisor.ready(PATIENCE_S)
    await supervisor.aclose()


async def test_another_model_can_be_asked_for(supervisor: Supervisor, target: Target) -> None:
    await supervisor.ready(PATIENCE_S)
    other = Target(EMBEDDED, SETTINGS)
    await supervisor.restart(other)
    engine = await supervisor.ready(PATIENCE_S)
    assert (await engine.model()).path == str(EMBEDDED)
    before = await find(target.address())
    assert before is not None, "the engine of before stays for others"
    await before.aclose()


async def test_without_an_engine_nothing_is_started(target: Target) -> None:
    supervisor = Supervisor(Target(target.model, dataclasses.replace(SETTINGS, kind="none")))
    supervisor.start()
    assert supervisor.status.state == "off"
    with pytest.raises(EngineUnavailable, match="without an engine"):
        await supervisor.ready(PATIENCE_S)
    await supervisor.aclose()


async def test_where_no_engine_is_possible_it_says_how_to_get_one(
    target: Target, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in without_library(tmp_path).items():
        monkeypatch.setenv(name, value)
    supervisor = Supervisor(target)
    supervisor.start()
    with pytest.raises(EngineUnavailable, match=r"(?s)no engine here.*engine get.*engine\.kind"):
        await supervisor.ready(PATIENCE_S)
    assert supervisor.status.state == "given_up"
    await supervisor.aclose()


ILL = "import os, signal; os.kill(os.getpid(), signal.SIGILL)"
TOLD = "import os; os.write(2, b'Fatal Python error: Illegal instruction\\n'); os.kill(os.getpid(), 11)"
LOADED = {
    "library": f"from palimpsest.engine.llama.binding import Binding; Binding.__init__ = lambda *_: exec({ILL!r})",
    "model": f"from palimpsest.engine.llama.native import Model; Model.__init__ = lambda *_, **__: exec({ILL!r})",
    "told": f"from palimpsest.engine.llama.binding import Binding; Binding.__init__ = lambda *_: exec({TOLD!r})",
}


@pytest.mark.parametrize("what", LOADED)
async def test_a_library_for_another_processor_is_named_and_not_tried_again(
    target: Target, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    (tmp_path / "sitecustomize.py").write_text(LOADED[what])
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), *filter(None, sys.path)]))
    monkeypatch.setattr(lifecycle, "FIRST_WAIT_S", 0.0)  # no door: how long a rest is is nobody's to set
    supervisor, seen = Supervisor(target), list[EngineStatus]()
    supervisor.on_status(seen.append)
    supervisor.start()
    with pytest.raises(EngineUnavailable, match="built for another processor"):
        await supervisor.ready(PATIENCE_S)
    await asyncio.sleep(0.3)
    assert [status.state for status in seen if status.state not in ("starting", "loading")] == ["given_up"]
    assert "palimpsest engine get" in seen[-1].message
    assert "built for another processor" in seen[-1].cause
    await supervisor.aclose()


async def test_a_look_for_an_engine_that_is_given_up_leaves_no_connection_open(
    supervisor: Supervisor, target: Target
) -> None:
    await supervisor.ready(PATIENCE_S)
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always", ResourceWarning)
        for step in range(40):  # given up at every point of the way
            task = asyncio.create_task(launch(target))
            await asyncio.wait({task}, timeout=step * 0.0005)
            if task.done():
                engine, _process = task.result()
                await engine.aclose()
            else:
                task.cancel()
                await asyncio.wait({task})
        del task
        gc.collect()
    assert not [str(warning.message) for warning in found]
