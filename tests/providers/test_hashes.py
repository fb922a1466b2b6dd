"""Texts go over the wire once: afterwards they are named by their hash, whatever the engine has forgotten."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from pathlib import Path

import httpx2
import pytest

from palimpsest.config.settings import Settings
from palimpsest.providers.palimpsest.client import InPlaceEngine
from palimpsest.system.engine_address import Address
from palimpsest.types import Block
from palimpsest.window.requests import Requests
from palimpsest.wire import FimTail, GenerateAnswer, GenerateRequest, text_hash
from tests.models import written
from tests.providers.conftest import Process, loaded

WORKSPACE = "test"
LINE = "    def method_{0}_{1}(self, value: int = {1}) -> dict[str, list[int]]: ...\n"
BLOCKS = [Block("class", f"shop.cart.Cart{i}", "".join(LINE.format(i, j) for j in range(5))) for i in range(15)]
LIMIT = 4_000


class Counting(httpx2.AsyncHTTPTransport):
    """Notes the size of each request's body."""

    def __init__(self, place: Address) -> None:
        super().__init__(uds=str(place.socket), verify=False)
        self.sizes: list[int] = []

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        self.sizes.append(len(await request.aread()))
        return await super().handle_async_request(request)


def started(folder: Path) -> Process:
    model = written("fim", folder)  # its tokens cost little
    process = Process("--model", model, "--socket", folder / "e.sock", "--n-ctx", "8192")
    process.answers_at(Address(folder / "e.sock"))
    return process


@pytest.fixture(scope="module")
def place() -> Iterator[Address]:
    folder = Path(tempfile.mkdtemp(prefix="pal-", dir="/tmp"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(folder))
        process = started(folder)
    yield Address(folder / "e.sock")
    process.close()
    shutil.rmtree(folder)


@pytest.fixture
async def transport(place: Address) -> Counting:
    return Counting(place)


@pytest.fixture
async def engine(transport: Counting) -> AsyncIterator[InPlaceEngine]:
    engine = InPlaceEngine(transport)
    assert (await loaded(engine)).state == "ready"
    yield engine
    await engine.reset(WORKSPACE)
    await engine.aclose()


def keystroke(blocks: list[Block]) -> GenerateRequest:
    sync = Requests(WORKSPACE, Settings()).sync(blocks, "typing")
    return GenerateRequest(WORKSPACE, fim=FimTail("def f(", "\n"), sync=replace(sync, max_decode_ms=0), max_tokens=1)


async def test_a_keystroke_sends_bytes_not_files(engine: InPlaceEngine, transport: Counting) -> None:
    first = await engine.sync(Requests(WORKSPACE, Settings()).sync(BLOCKS, "background"))
    assert sum(report.tokens for report in first.blocks) > 15 * 100
    assert transport.sizes[-1] > LIMIT
    answer = await engine.generate(keystroke(BLOCKS))
    assert transport.sizes[-1] < LIMIT
    assert answer.sync is not None
    assert {report.action for report in answer.sync.blocks} == {"kept"}
    changed = [replace(BLOCKS[0], text=BLOCKS[0].text + "    weight: float\n"), *BLOCKS[1:]]
    await engine.generate(keystroke(changed))
    assert transport.sizes[-1] < LIMIT + len(changed[0].text), "one text is new"


async def test_an_engine_that_does_not_know_a_text_gets_it_without_anybody_noticing(
    engine: InPlaceEngine, transport: Counting
) -> None:
    """As after a restart of the engine behind the same socket."""
    for i, ask in enumerate((synced, InPlaceEngine.generate, streamed)):
        request = keystroke([replace(block, text=f"{block.text}# {i}\n") for block in BLOCKS])
        assert request.sync is not None
        # no door: the engine would have to forget, after a thousand texts
        engine._add_known(request)
        del transport.sizes[:]
        await ask(engine, request)
        assert len(transport.sizes) == 2
        assert transport.sizes[0] < LIMIT < transport.sizes[1]


async def synced(engine: InPlaceEngine, request: GenerateRequest) -> None:
    assert request.sync is not None
    await engine.sync(request.sync)


async def streamed(engine: InPlaceEngine, request: GenerateRequest) -> None:
    items = [item async for item in engine.generate_stream(request)]
    assert isinstance(items[-1], GenerateAnswer)


async def test_a_new_engine_process_behind_the_same_client_is_told_again(tmp_path: Path) -> None:
    folder = Path(tempfile.mkdtemp(prefix="pal-", dir="/tmp"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(folder))
        first = started(folder)
        transport = Counting(Address(folder / "e.sock"))
        engine = InPlaceEngine(transport)
        await loaded(engine)
        await engine.generate(keystroke(BLOCKS[:4]))
        first.close()
        second = started(folder)
    await loaded(engine)
    before = len(transport.sizes)
    answer = await engine.generate(keystroke(BLOCKS[:4]))
    assert answer.sync is not None
    assert {report.action for report in answer.sync.blocks} == {"written"}
    assert len(transport.sizes) == before + 2
    await engine.aclose()
    second.close()
    shutil.rmtree(folder)


def test_a_block_is_rendered_and_hashed_once() -> None:
    requests = Requests(WORKSPACE, Settings())
    first, second = (requests.sync([replace(BLOCKS[0], value=v)], "typing").blocks[0] for v in (1.0, 2.0))
    assert first is second, "what it is worth is no part of it"
    assert first.text is not None
    assert first.hash == text_hash(first.text)
    assert requests.sync([replace(BLOCKS[0], editable=True)], "typing").blocks[0] != first
