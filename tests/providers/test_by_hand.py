"""`palimpsest engine --http` as a person runs it: what it says, beside whom it runs, how it ends."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from palimpsest.command_line import main
from tests.providers.conftest import Process

SMALL = ("--n-ctx", "1024", "--store-mb", "16")


@pytest.fixture
def processes(machine: Path) -> Iterator[list[Process]]:
    started: list[Process] = []
    yield started
    for process in started:
        process.close()


def port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as found:
        return int(found.getsockname()[1])


def said(process: Process, words: str) -> str:
    """Its lines on stderr up to the one with `words`."""
    assert process.popen.stderr is not None
    lines = []
    for line in process.popen.stderr:
        lines.append(line)
        if words in line:
            return "".join(lines)
    raise AssertionError("".join(lines))


def palimpsest(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-P", "-m", "palimpsest", "engine", *arguments], capture_output=True, text=True, timeout=60
    )


@pytest.fixture
def here(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """What starts no engine, without a process of its own: its status, and what it says on stdout and stderr."""

    def run(*arguments: str) -> tuple[int, str, str]:
        return main(["engine", *arguments]), *capsys.readouterr()

    return run


@pytest.mark.parametrize("damage", ["missing", "cut short"])
def test_without_a_model_it_says_why_and_fails(damage: str, machine: Path, model: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken.gguf"
    if damage == "cut short":
        broken.write_bytes(model.read_bytes()[:5000])
    ended = palimpsest("--http", str(port()), "--model", str(broken))
    assert ended.returncode == 1
    assert str(broken) in ended.stderr
    assert "model" in ended.stderr


def test_one_that_cannot_be_loaded_fails_with_the_cause(machine: Path, model: Path) -> None:
    wanted = ("--type-k", "bf16", "--mode", "in-place")  # llama.cpp cannot shift such a cache
    ended = palimpsest("--http", str(port()), "--model", str(model), *wanted)
    assert ended.returncode == 1
    assert "cannot be edited in place" in ended.stderr


def test_it_runs_beside_an_editors_engine_and_is_ended_alone(
    model: Path, processes: list[Process], here: Callable[..., tuple[int, str, str]]
) -> None:
    def listed() -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = json.loads(here("--list", "--json")[1])
        return found

    editors = Process("--model", model, *SMALL)
    processes.append(editors)
    while not listed():
        assert editors.popen.poll() is None
    at = port()
    by_hand = Process("--model", model, "--http", str(at), *SMALL)
    processes.append(by_hand)
    words = said(by_hand, "is loaded")
    assert f"listening on http://127.0.0.1:{at}, without a key" in words
    assert sorted(row["http"] for row in listed()) == ["", f"http://127.0.0.1:{at}"]
    assert f"http://127.0.0.1:{at}" in here("--list")[1]
    assert (here("--stop", str(at))[0], by_hand.wait()[0]) == (0, 0)
    (left,) = listed()
    assert (left["pid"], left["http"]) == (editors.popen.pid, "")
    status, _, said_again = here("--stop")
    assert (status, "--list" in said_again) == (1, True)
    assert palimpsest("--stop", left["name"]).returncode == 0
    assert editors.wait()[0] == 0


def test_two_at_one_port_are_not_two(model: Path, processes: list[Process]) -> None:
    at = str(port())
    first = Process("--model", model, "--http", at, *SMALL)
    processes.append(first)
    said(first, "is loaded")
    second = palimpsest("--model", str(model), "--http", at, "--n-ctx", "512", "--store-mb", "16")
    assert second.returncode == 1
    assert at in second.stderr


def test_one_that_runs_already_is_named_with_what_ends_it(
    model: Path, processes: list[Process], here: Callable[..., tuple[int, str, str]]
) -> None:
    first = Process("--model", model, *SMALL)
    processes.append(first)
    while not json.loads(here("--list", "--json")[1]):
        assert first.popen.poll() is None
    second = palimpsest("--model", str(model), *SMALL)
    assert second.returncode == 0
    assert "runs already" in second.stderr
    assert f"process {first.popen.pid}" in second.stderr
    name = second.stderr.partition("--stop ")[2].partition("`")[0]
    assert palimpsest("--stop", name).returncode == 0


def test_help_names_each_command_once(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["engine", "--help"])
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert sum(row[:1] == ["get"] for row in rows) == 1


def test_without_model_it_takes_the_one_in_use_and_tells_of_a_key(
    machine: Path, model: Path, processes: list[Process], here: Callable[..., tuple[int, str, str]]
) -> None:
    own = machine / "confi" / "palimpsest" / "palimpsest.toml"
    own.parent.mkdir(parents=True)
    own.write_text(f'[model]\npath = "{model}"\n')
    process = Process("--http", str(port()), *SMALL, PALIMPSEST_API_KEY="a secret of mine")
    processes.append(process)
    words = said(process, "is loaded")
    assert "with an API key" in words
    assert "secret" not in words
    assert json.loads(here("--list", "--json")[1])[0]["model"] in words
