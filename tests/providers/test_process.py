"""`palimpsest engine` as a process: one of a kind, private, gone without a trace."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from palimpsest import wire
from palimpsest.config.settings import EngineSettings
from palimpsest.engine.http.listen import answers
from palimpsest.errors import EngineUnavailable
from palimpsest.providers.base.target import Target
from palimpsest.providers.palimpsest.client import InPlaceEngine
from palimpsest.system import folders, process_lock
from palimpsest.system.engine_address import Address
from tests.installing import without_library
from tests.providers.conftest import Process, loaded

SMALL = ("--n-ctx", "1024", "--store-mb", "16")


@pytest.fixture
def processes() -> Iterator[list[Process]]:
    started: list[Process] = []
    yield started
    for process in started:
        process.close()


@pytest.fixture
def place(machine: Path) -> Address:
    return Address(folders.runtime() / "engine-test.sock")


async def test_it_serves_on_a_private_socket_and_leaves_nothing_behind(
    place: Address, model: Path, processes: list[Process]
) -> None:
    process = Process("--model", model, "--socket", place.socket, *SMALL)
    processes.append(process)
    process.answers_at(place)
    assert place.socket.stat().st_mode & 0o777 == 0o600
    assert place.socket.parent.stat().st_mode & 0o777 == 0o700
    engine = InPlaceEngine.at(place)
    health = await loaded(engine)
    assert (health.state, health.pid) == ("ready", process.popen.pid)
    await engine.aclose()
    process.popen.terminate()
    status, out, _ = process.wait()
    assert (status, out) == (0, "")
    assert not place.socket.exists()
    lock = process_lock.take(place.lock)
    assert lock is not None
    os.close(lock)


async def test_it_leaves_in_good_order_while_the_model_is_still_loading(
    place: Address, model: Path, processes: list[Process]
) -> None:
    process = Process("--model", model, "--socket", place.socket, *SMALL)
    processes.append(process)
    process.answers_at(place)
    process.popen.terminate()
    assert process.wait()[0] == 0
    assert not place.socket.exists()


def test_of_several_started_at_once_one_serves_and_the_others_end_well(
    machine: Path, model: Path, processes: list[Process]
) -> None:
    processes += [Process("--model", model, *SMALL) for _ in range(4)]
    place = Target(model, EngineSettings(n_ctx=1024, store_mb=16)).address()
    while sum(process.popen.poll() is None for process in processes) > 1:
        time.sleep(0.05)
    assert answers(place)
    ended = [process for process in processes if process.popen.poll() is not None]
    assert [process.wait()[0] for process in ended] == [0, 0, 0]


def test_what_a_killed_engine_left_is_no_hindrance(place: Address, model: Path, processes: list[Process]) -> None:
    for _ in range(2):
        process = Process("--model", model, "--socket", place.socket, *SMALL)
        processes.append(process)
        process.answers_at(place)
        process.popen.kill()
        process.wait()
        assert place.socket.exists()


def test_a_file_that_is_no_socket_is_left_alone(place: Address, model: Path, processes: list[Process]) -> None:
    place.socket.write_text("a person's own")
    processes.append(process := Process("--model", model, "--socket", place.socket))
    status, _, err = process.wait()
    assert status == 1
    assert "no socket" in err
    assert place.socket.read_text() == "a person's own"


def test_another_programs_socket_is_left_alone(place: Address, model: Path, processes: list[Process]) -> None:
    with socket.socket(socket.AF_UNIX) as other:
        other.bind(str(place.socket))
        other.listen()
        processes.append(process := Process("--model", model, "--socket", place.socket))
        status, _, err = process.wait()
        assert status == 1
        assert "another program" in err
        assert answers(place)


async def test_over_tcp_only_the_token_opens_it(place: Address, model: Path, processes: list[Process]) -> None:
    process = Process("--model", model, "--socket", place.socket, "--tcp", "127.0.0.1:0", *SMALL)
    processes.append(process)
    process.answers_at(place)
    assert place.note.stat().st_mode & 0o777 == 0o600
    assert not place.socket.exists()
    note = json.loads(place.note.read_text())
    for token in ("", "wrong", note["token"][:-1], note["token"] + "x"):
        intruder = InPlaceEngine.over_tcp(note["host"], note["port"], token)
        with pytest.raises(EngineUnavailable, match="refused the token"):
            await intruder.health()
        with pytest.raises(EngineUnavailable, match="refused the token"):
            await intruder.shutdown()
        await intruder.aclose()
    engine = InPlaceEngine.at(place)
    assert (await loaded(engine)).state == "ready"
    await engine.shutdown()
    await engine.aclose()
    assert process.wait()[0] == 0
    assert not place.note.exists()


async def test_without_clients_it_leaves_by_itself_and_not_before(
    place: Address, model: Path, processes: list[Process]
) -> None:
    process = Process("--model", model, "--socket", place.socket, "--idle-exit-s", "1", *SMALL)
    processes.append(process)
    process.answers_at(place)
    engine = InPlaceEngine.at(place)
    lease = engine.lease("test")
    first = await anext(lease)
    assert first.clients == 1
    await loaded(engine)
    await asyncio.sleep(1.5)
    assert process.popen.poll() is None
    await lease.aclose()
    await engine.aclose()
    assert process.wait()[0] == 0
    assert not place.socket.exists()


async def test_a_truncated_model_is_said_to_be_one(place: Address, own_model: Path, processes: list[Process]) -> None:
    os.truncate(own_model, 20_000)
    process = Process("--model", own_model, "--socket", place.socket, *SMALL)
    processes.append(process)
    process.answers_at(place)
    engine = InPlaceEngine.at(place)
    health = await loaded(engine)
    await engine.aclose()
    assert health.state == "failed"
    assert health.error is not None
    assert health.error["code"] == "model"
    assert health.error["message"]


async def test_a_lease_tells_each_change(place: Address, model: Path, processes: list[Process]) -> None:
    process = Process("--model", model, "--socket", place.socket, *SMALL)
    processes.append(process)
    process.answers_at(place)
    engine, other = InPlaceEngine.at(place), InPlaceEngine.at(place)
    heard: list[wire.Health] = []
    async for health in engine.lease("one"):
        heard.append(health)
        if health.state == "ready" and health.clients == 1:
            second = other.lease("two")
            await anext(second)
        if health.clients == 2:
            await other.shutdown()
            await second.aclose()
    assert [h.state for h in heard] == sorted([h.state for h in heard])  # loading, then ready
    assert heard[-1].state == "ready"
    await engine.aclose()
    await other.aclose()


def test_where_there_is_no_library_it_says_how_to_get_one(
    place: Address, model: Path, processes: list[Process], tmp_path: Path
) -> None:
    process = Process("--model", model, "--socket", place.socket, **without_library(tmp_path))
    processes.append(process)
    status, out, err = process.wait()
    assert (status, out) == (1, "")
    assert "There is no llama.cpp here" in err
    assert "palimpsest engine get" in err
    assert 'engine.kind = "none"' in err
    assert "Traceback" not in err


def test_started_by_hand_it_takes_the_persons_own_settings(
    place: Address, model: Path, processes: list[Process], tmp_path: Path
) -> None:
    """So that it is the one that editors look for; a server sends all of them itself."""
    file = folders.config() / "palimpsest.toml"
    file.parent.mkdir(parents=True)
    file.write_text(f"[engine]\nlibrary = '{tmp_path / 'nowhere'}'\n", encoding="utf-8")
    by_hand = Process("--model", model, "--socket", place.socket, *SMALL)
    processes.append(by_hand)
    status, _, err = by_hand.wait()
    assert status == 1
    assert f"engine.library: expected a libllama or a folder with one; {tmp_path / 'nowhere'} is not there." in err
    processes.append(server := Process("--model", model, "--socket", place.socket, "--settings", "{}", *SMALL))
    server.answers_at(place)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--model", "m.gguf", "--settings", "{"], "no JSON"),
        (["--model", "m.gguf", "--settings", "[]"], "expected one JSON object"),
        (["--model", "m.gguf", "--settings", '{"n_ctx": "many"}'], "engine.n_ctx"),
        (["--model", "m.gguf", "--settings", '{"ctx": 1}'], "no such setting"),
        (["--model", "m.gguf", "--n-batch", "1"], "engine.n_batch"),
        (["--model", "m.gguf", "--mode", "odd"], "--mode"),
        (["--model", "m.gguf", "--tcp", "0.0.0.0:80"], "loopback"),
        (["--model", "m.gguf", "--tcp", "127.0.0.1"], "loopback"),
        (["--model", "m.gguf", "--socket", "engine.lock"], "another ending"),
    ],
    ids=lambda x: " ".join(x[2:]) if isinstance(x, list) else "",
)
def test_wrong_usage_is_exit_status_2_and_names_what_is_wrong(
    machine: Path, arguments: list[str], said: str, capfd: pytest.CaptureFixture[str]
) -> None:
    from palimpsest.command_line import main

    with pytest.raises(SystemExit) as ended:
        main(["engine", *arguments])
    assert ended.value.code == 2
    assert said in capfd.readouterr().err


def test_nothing_of_the_folder_it_is_started_in_is_imported(
    place: Address, model: Path, processes: list[Process], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    (workspace / "starlette.py").write_text("raise SystemExit('a workspace was imported')\n")
    shutil.copytree(workspace, workspace / "palimpsest")
    monkeypatch.chdir(workspace)
    processes.append(process := Process("--model", model, "--socket", place.socket, *SMALL))
    process.answers_at(place)
