"""An engine that left keeps its blocks on disk for the next one, when that is asked for."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from palimpsest import wire
from palimpsest.providers.palimpsest.client import InPlaceEngine
from palimpsest.system import folders
from palimpsest.system.engine_address import Address
from tests.models import written
from tests.providers.conftest import Process, loaded

SETTINGS = ("--n-ctx", "4096", "--type-k", "f32", "--type-v", "f32", "--flash-attention", "off", "--disk-mb", "64")
SOURCE = Path(os.__file__).read_text(encoding="utf-8")
BLOCKS = [wire.WantedBlock(f"class:{i}", SOURCE[400 * i : 400 * i + 300]) for i in range(12)]


@pytest.fixture
def processes() -> Iterator[list[Process]]:
    started: list[Process] = []
    yield started
    for process in started:
        process.close()


async def session(
    model: Path, place: Address, processes: list[Process], name: str
) -> tuple[wire.SyncAnswer, wire.GenerateAnswer]:
    """What an editor's first request comes to in an engine of its own, which leaves after it."""
    process = Process("--model", model, "--socket", place.socket, *SETTINGS)
    processes.append(process)
    process.answers_at(place)
    engine = InPlaceEngine.at(place)
    await loaded(engine)
    synced = await engine.sync(wire.SyncRequest(name, "<workspace>\n", "</workspace>\n", BLOCKS))
    request = wire.GenerateRequest(name, text=wire.TextTail("def add(self"), max_tokens=8)
    answer = await engine.generate(request)
    await engine.aclose()
    process.popen.send_signal(signal.SIGTERM)
    assert process.wait()[0] == 0
    return synced, answer


async def test_a_later_process_decodes_no_block_again(machine: Path, tmp_path: Path, processes: list[Process]) -> None:
    model = written("fim", tmp_path)
    place = Address(folders.runtime() / "engine-test.sock")
    first, one = await session(model, place, processes, "window-1")
    assert {report.action for report in first.blocks} == {"written"}
    files = list((folders.cache() / "kv").glob("*/*.kv"))
    assert len(files) == len(BLOCKS)
    assert all(path.stat().st_mode & 0o077 == 0 for path in files)
    second, two = await session(model, place, processes, "window-2")
    assert {(report.action, report.decoded) for report in second.blocks} == {("restored", 0)}
    assert second.restored == sum(report.tokens for report in first.blocks)
    assert second.decoded < 60, "header and footer"
    assert two.choices[0].text == one.choices[0].text
    assert abs(two.choices[0].logprob - one.choices[0].logprob) < 0.001
