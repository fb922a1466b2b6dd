"""A second model in the engine's process, for next edits: its own cache, and no harm to the first."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from palimpsest import wire
from palimpsest.config.settings import EngineSettings
from palimpsest.errors import InvalidArgument, ModelError
from palimpsest.next_edits.formats import FORMATS
from palimpsest.next_edits.formats.format import FilePart
from palimpsest.next_edits.writer import request_of
from palimpsest.providers.base.protocol import HasNextEditModel
from palimpsest.providers.base.target import Target
from palimpsest.providers.palimpsest.client import InPlaceEngine
from palimpsest.system import folders
from palimpsest.system.engine_address import Address
from tests.next_edits.formats.asking import asked_in, change
from tests.providers.conftest import Process, loaded

SMALL = ("--n-ctx", "2048", "--store-mb", "16")


@pytest.fixture
def processes() -> Iterator[list[Process]]:
    started: list[Process] = []
    yield started
    for process in started:
        process.close()


@pytest.fixture
def place(machine: Path) -> Address:
    return Address(folders.runtime() / "engine-test.sock")


@asynccontextmanager
async def started(place: Address, model: Path, second: Path, processes: list[Process]) -> AsyncIterator[InPlaceEngine]:
    process = Process("--model", model, "--next-edit-model", second, "--socket", place.socket, *SMALL)
    processes.append(process)
    process.answers_at(place)
    engine = InPlaceEngine.at(place)
    try:
        await loaded(engine)
        yield engine
    finally:
        await engine.aclose()
    process.popen.terminate()
    assert process.wait()[0] == 0


def asked(workspace: str, *blocks: str) -> wire.GenerateRequest:
    wanted = [wire.WantedBlock(f"file:{n}", text) for n, text in enumerate(blocks)]
    sync = wire.SyncRequest(workspace, "", "\n", wanted, "suggestion")
    return wire.GenerateRequest(workspace, text=wire.TextTail("def area("), sync=sync, max_tokens=4, slot="suggestion")


async def test_both_models_answer_each_from_its_own_cache(
    place: Address, model: Path, tmp_path: Path, processes: list[Process]
) -> None:
    second = tmp_path / "sweep-next-edit.gguf"
    shutil.copy(model, second)
    async with started(place, model, second, processes) as engine:
        assert isinstance(engine, HasNextEditModel)
        other = engine.for_next_edits()
        await loaded(other)
        assert Path((await other.model()).path) == second
        assert Path((await engine.model()).path) == model
        one = await engine.generate(asked("w", "x = 1\n" * 20))
        two = await other.generate(asked("w", "x = 1\n" * 20))
        assert one.sync is not None
        assert two.sync is not None
        assert one.sync.decoded == two.sync.decoded > 0, "what one has read the other has not"
        assert one.choices[0].text == two.choices[0].text
        again = await other.generate(asked("w", "x = 1\n" * 20))
        assert again.sync is not None
        assert again.sync.decoded == 0
        await other.reset("w")
        spans = (await engine.cache_map("w")).spans
        assert any(span.key == "file:0" for span in spans)
        assert not any(span.key == "file:0" for span in (await other.cache_map("w")).spans)


async def test_a_second_model_that_is_none_leaves_the_first_as_it_is(
    place: Address, model: Path, tmp_path: Path, processes: list[Process]
) -> None:
    second = tmp_path / "zeta-2.gguf"
    second.write_text("no model")
    async with started(place, model, second, processes) as engine:
        other = engine.for_next_edits()
        assert (await loaded(other)).state == "failed"
        with pytest.raises(ModelError):
            await other.generate(asked("w"))
        assert (await engine.generate(asked("w"))).choices


async def test_without_the_first_model_the_second_is_not_loaded(
    place: Address, model: Path, tmp_path: Path, processes: list[Process]
) -> None:
    first, second = tmp_path / "none.gguf", tmp_path / "zeta-2.gguf"
    first.write_text("no model")
    shutil.copy(model, second)
    async with started(place, first, second, processes) as engine:
        assert (await loaded(engine)).state == "failed"
        await asyncio.sleep(1.0)
        assert (await engine.for_next_edits().health()).state == "loading", "an engine that has failed leaves"


async def test_an_engine_without_a_second_model_says_so(place: Address, model: Path, processes: list[Process]) -> None:
    process = Process("--model", model, "--socket", place.socket, *SMALL)
    processes.append(process)
    process.answers_at(place)
    engine = InPlaceEngine.at(place)
    await loaded(engine)
    with pytest.raises(InvalidArgument):
        await engine.for_next_edits().generate(asked("w"))
    await engine.aclose()


async def test_a_keystroke_decodes_no_block_again_and_a_part_of_what_stands_behind_them(
    place: Address, model: Path, tmp_path: Path, processes: list[Process]
) -> None:
    second = tmp_path / "sweep-next-edit.gguf"
    shutil.copy(model, second)
    format, code = FORMATS["sweep"], "".join(f"value_{n} = {n}\n" for n in range(8))
    async with started(place, model, second, processes) as engine:
        other = engine.for_next_edits()
        await loaded(other)

        async def generate(typed: str) -> wire.GenerateAnswer:
            now = code.replace("value_4 = 4", f"value_4 = 4{typed}ˇ")
            about = asked_in("sweep", "a.py", now, change("a.py", code, now.replace("ˇ", ""), is_open=True))
            files = tuple(FilePart(f"{n}.py", f"old_{n} = {n}\n" * 10) for n in range(3))
            about = replace(about, original=code.rstrip("\n"), files=files)
            prompt = format.prompt(about)
            assert prompt is not None
            return await other.generate(replace(request_of("w", format, about, prompt, "suggestion"), max_tokens=4))

        first, then = await generate("1"), await generate("12")
        assert first.sync is not None
        assert then.sync is not None
        assert first.sync.decoded > 200
        assert then.sync.decoded == 0
        assert 0 < then.decoded < then.tail_tokens


def test_it_is_another_engine_with_another_second_model_and_has_none_in_safe_mode(model: Path, tmp_path: Path) -> None:
    second = tmp_path / "zeta-2.gguf"
    second.write_text("one")
    alone, both = Target(model, EngineSettings()), Target(model, EngineSettings(), second)
    assert alone.identity != both.identity
    assert both.arguments(both.address())[3:5] == ["--next-edit-model", str(second)]
    assert both.in_safe_mode().next_edit_model is None
