"""The engine's HTTP with a real model behind it: what is right is answered, what is wrong is named."""

from __future__ import annotations

import asyncio
import json
import shutil
import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from palimpsest import wire
from palimpsest.errors import Cancelled, InvalidArgument, UnknownTail
from palimpsest.json_data import to_json
from palimpsest.providers.base.protocol import TextPiece
from palimpsest.providers.palimpsest.client import InPlaceEngine
from palimpsest.system.engine_address import Address
from palimpsest.wire import FimTail, GenerateAnswer, GenerateRequest, SyncRequest, TextTail, WantedBlock
from tests.providers.conftest import EMBEDDED, Process, busy, endless, loaded

BLOCKS = [
    WantedBlock("scope:a", "<context>\nname = 1\n</context>\n"),
    WantedBlock("class:b", "<context>\nB\n</context>\n"),
]
WORKSPACE = "test"


@pytest.fixture(scope="module")
def place() -> Iterator[Address]:
    """One engine for this file: nothing here depends on what another test left in its cache."""
    folder = Path(tempfile.mkdtemp(prefix="pal-", dir="/tmp"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(folder))
        process = Process("--model", EMBEDDED, "--socket", folder / "e.sock", "--n-ctx", "2048")
    place = Address(folder / "e.sock")
    process.answers_at(place)
    yield place
    process.close()
    shutil.rmtree(folder)


@pytest.fixture
async def engine(place: Address) -> AsyncIterator[InPlaceEngine]:
    engine = InPlaceEngine.at(place)
    assert (await loaded(engine)).state == "ready"
    yield engine
    await engine.reset(WORKSPACE)
    await engine.aclose()


@pytest.fixture
async def raw(engine: InPlaceEngine, place: Address) -> AsyncIterator[httpx2.AsyncClient]:
    async with httpx2.AsyncClient(
        transport=httpx2.AsyncHTTPTransport(uds=str(place.socket), verify=False), base_url="http://engine"
    ) as client:
        yield client


def sync() -> SyncRequest:
    return SyncRequest(WORKSPACE, "<workspace>\n", "</workspace>\n", BLOCKS)


async def test_a_sync_is_told_in_token_counts_and_is_idempotent(engine: InPlaceEngine) -> None:
    first, second = await engine.sync(sync()), await engine.sync(sync())
    assert [report.key for report in first.blocks] == ["scope:a", "class:b"]
    assert first.decoded > 0
    assert (second.decoded, second.revision) == (0, first.revision)
    spans = {span.key for span in (await engine.cache_map(WORKSPACE)).spans}
    assert {"scope:a", "class:b"} <= spans


async def test_a_completion_comes_with_its_figures(engine: InPlaceEngine) -> None:
    request = GenerateRequest(WORKSPACE, fim=FimTail("def add(a, b):\n    return ", "\n"), sync=sync(), max_tokens=4)
    answer = await engine.generate(request)
    assert len(answer.choices) == 1
    assert 0 <= answer.choices[0].tokens <= 4
    assert answer.sync is not None
    assert answer.context_tokens > 0


async def test_the_pieces_of_a_stream_are_the_answer(engine: InPlaceEngine) -> None:
    texts: dict[int, str] = {}
    answer = None
    async for item in engine.generate_stream(endless(12, stream=True)):
        assert answer is None, "the answer comes last"
        if isinstance(item, TextPiece):
            texts[item.choice] = texts.get(item.choice, "") + item.text
        else:
            answer = item
    assert isinstance(answer, GenerateAnswer)
    assert texts == {i: choice.text for i, choice in enumerate(answer.choices)}


async def test_counts_and_facts(engine: InPlaceEngine) -> None:
    counts = await engine.count(["", "x", "def f(x):\n    return x\n" * 10])
    assert counts[0] <= counts[1] < counts[2]
    info = await engine.model()
    assert info.n_ctx == 2048
    assert info.path == str(EMBEDDED)


async def decoded(engine: InPlaceEngine) -> int:
    """Tokens decoded since the engine started."""
    return (await engine.cache_map(WORKSPACE)).stats["decoded"]


async def idle(engine: InPlaceEngine) -> None:
    while (await engine.health()).busy:
        await asyncio.sleep(0.01)


async def test_cancelling_the_task_that_waits_stops_the_generation(engine: InPlaceEngine) -> None:
    await engine.sync(sync())
    before, limit = await decoded(engine), 700
    task = asyncio.create_task(engine.generate(endless(limit)))
    await busy(engine, task)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await idle(engine)
    assert await decoded(engine) - before < limit
    assert (await engine.generate(endless(3))).choices[0].tokens == 3


async def test_leaving_a_stream_stops_the_generation(engine: InPlaceEngine) -> None:
    await engine.sync(sync())
    before, limit = await decoded(engine), 700
    stream = engine.generate_stream(endless(limit, stream=True))
    assert isinstance(await anext(stream), TextPiece)
    await stream.aclose()
    await idle(engine)
    assert await decoded(engine) - before < limit
    assert (await engine.generate(endless(3))).choices[0].tokens == 3


async def test_the_newest_of_a_line_of_requests_replaces_the_older(engine: InPlaceEngine) -> None:
    older = wire.GenerateRequest(**vars_of(endless(700)), replace="typing")
    task = asyncio.create_task(engine.generate(older))
    await busy(engine, task)
    newer = await engine.generate(wire.GenerateRequest(**vars_of(endless(2)), replace="typing"))
    assert newer.choices[0].tokens == 2
    with pytest.raises(Cancelled):
        await task


def vars_of(request: GenerateRequest) -> dict[str, Any]:
    return {name: getattr(request, name) for name in request.__slots__ if name != "replace"}


async def error_of(response: httpx2.Response, status: int) -> dict[str, Any]:
    error: dict[str, Any] = response.json()["error"]
    assert response.status_code == status, error
    assert {"code", "message", "hint"} <= set(error)
    return error


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe", b"[1]", b"null", b'"x"', b"[" * 100_000])
async def test_a_body_that_is_no_object_is_refused(raw: httpx2.AsyncClient, content: bytes) -> None:
    for route in ("sync", "generate", "count", "reset", "close"):
        error = await error_of(await raw.post(f"/v1/{route}", content=content), 400)
        assert (error["code"], error["field"]) == ("invalid_argument", "body")


GOOD = to_json(sync())


@pytest.mark.parametrize(
    ("route", "data", "field"),
    [
        ("sync", {}, "workspace"),
        ("sync", GOOD | {"header": 3}, "header"),
        ("sync", GOOD | {"blocks": [{"key": "a", "text": None}]}, "blocks"),
        ("sync", GOOD | {"slot": "soon"}, "slot"),
        ("generate", {"workspace": "w", "text": {"text": "x"}, "max_tokens": "8"}, "max_tokens"),
        ("generate", {"workspace": "w", "text": {"text": "x"}, "stream": 1}, "stream"),
        ("generate", {"workspace": "w", "chat": {"messages": [{"role": "tool", "content": ""}]}}, "messages[0].role"),
        ("generate", {"workspace": "w", "chat": {"messages": []}}, "chat.messages"),
        ("generate", {"workspace": "w", "text": "x"}, "text"),
        ("count", {"texts": ["a", 1]}, "texts"),
        ("reset", {}, "workspace"),
        ("close", {"workspace": 5}, "workspace"),
    ],
)
async def test_a_wrong_type_is_refused_by_its_name(
    raw: httpx2.AsyncClient, route: str, data: dict[str, Any], field: str
) -> None:
    error = await error_of(await raw.post(f"/v1/{route}", json=data), 400)
    assert error["code"] == "invalid_argument"
    assert field in error["field"] + error["message"]


async def test_neither_or_both_kinds_of_tail_are_refused(engine: InPlaceEngine) -> None:
    both = GenerateRequest(WORKSPACE, fim=FimTail("a", "b"), text=TextTail("c"))
    for request in (GenerateRequest(WORKSPACE), both):
        with pytest.raises(InvalidArgument):
            await engine.generate(request)
        with pytest.raises(InvalidArgument):
            await anext(engine.generate_stream(request))


async def test_a_grammar_that_is_none_is_refused(engine: InPlaceEngine) -> None:
    with pytest.raises(InvalidArgument):
        await engine.generate(GenerateRequest(WORKSPACE, text=TextTail("x"), grammar="root ::= ("))


async def test_unknown_routes_methods_and_missing_parameters(raw: httpx2.AsyncClient) -> None:
    await error_of(await raw.get("/v2/health"), 404)
    await error_of(await raw.get("/v1/sync"), 405)
    assert (await error_of(await raw.get("/v1/map"), 400))["field"] == "workspace"
    assert (await error_of(await raw.get("/v1/lease"), 400))["field"] == "client"


async def test_a_workspace_that_was_never_heard_of_has_an_empty_map(engine: InPlaceEngine) -> None:
    seen = await engine.cache_map("never heard of")
    assert [span for span in seen.spans if span.key] == []
    await engine.reset("never heard of")
    await engine.close_workspace("never heard of")


async def test_a_lone_surrogate_does_no_harm(engine: InPlaceEngine, raw: httpx2.AsyncClient) -> None:
    assert (await engine.count(["\ud800", "x"]))[1] > 0
    answer = await raw.post("/v1/reset", content=json.dumps({"workspace": "\ud800"}))
    assert answer.json() == {}
    assert (await engine.health()).state == "ready"


async def test_a_connection_that_sends_no_http_does_no_harm(engine: InPlaceEngine, place: Address) -> None:
    reader, writer = await asyncio.open_unix_connection(str(place.socket))
    writer.write(b"\x16\x03\x01 this is not HTTP\r\n\r\n")
    await reader.read()
    writer.close()
    assert (await engine.health()).state == "ready"


async def test_copies_of_a_tail_go_on_side_by_side(engine: InPlaceEngine) -> None:
    def said(more: str, tail: str, max_tokens: int = 3) -> GenerateRequest:
        text = TextTail("def area(width, height):\n    return width * height\n" + more)
        return GenerateRequest(WORKSPACE, text=text, tail=tail, slot="chat", max_tokens=max_tokens)

    warmed = await engine.generate(said("", "parent", 0))
    before = (await engine.cache_map(WORKSPACE)).stats["decoded"]
    forked = await engine.fork(wire.ForkRequest(WORKSPACE, "parent", ["one", "two"], "chat"))
    found = await engine.cache_map(WORKSPACE)
    assert (forked.tokens, found.stats["decoded"]) == (warmed.tail_tokens, before)
    assert found.tails == ["parent", "one", "two"]
    requests = [said("class One:\n", "one"), said("import two\n", "two")]
    batch = wire.BatchRequest(WORKSPACE, requests, "chat", sync=SyncRequest(WORKSPACE, "", "", []))
    made = await engine.generate_batch(batch)
    counts = await engine.count(["class One:\n", "import two\n"])
    assert [answer.decoded for answer in made.answers] == counts
    assert made.ms["total"] >= made.ms["prefill"] > 0
    alone = [await engine.generate(said("class One:\n", "three")), await engine.generate(said("import two\n", "four"))]
    assert [a.choices[0].text for a in made.answers] == [a.choices[0].text for a in alone]


async def test_a_copy_of_a_tail_that_is_not_kept_is_refused_by_its_name(engine: InPlaceEngine) -> None:
    with pytest.raises(UnknownTail, match="'nobody'") as error:
        await engine.fork(wire.ForkRequest(WORKSPACE, "nobody", ["one"]))
    assert error.value.hint
