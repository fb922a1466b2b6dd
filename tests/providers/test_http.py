"""What a server of another make may do to us: a socket that says what no server of ours can be made to say."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.config.settings import EngineSettings
from palimpsest.errors import (
    ContextTooLarge,
    EngineDied,
    EngineError,
    EngineLoading,
    EngineRefused,
    EngineUnavailable,
    InvalidArgument,
    ModelError,
)
from palimpsest.providers.base.endpoint import Endpoint
from palimpsest.providers.http import http
from palimpsest.providers.http.http import LONGEST_PAUSE_S, Http, pause

KEY = "s3cret-key"


def answer(status: int, body: Any, *headers: str, kind: str = "application/json") -> bytes:
    content = body if isinstance(body, str) else json.dumps(body)
    lines = [f"HTTP/1.1 {status} X", f"Content-Type: {kind}", "Connection: close", *headers, "", content]
    return "\r\n".join(lines).encode()


def refusal(status: int, message: str, *headers: str, **more: Any) -> bytes:
    return answer(status, {"error": {"message": message, **more}}, *headers)


@asynccontextmanager
async def saying(*answers: bytes) -> AsyncIterator[tuple[Http, list[str]]]:
    """A server that gives these answers, one a connection, the last one again and again; and the requests it got."""
    asked: list[str] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        length = [int(line[15:]) for line in head.splitlines() if line.lower().startswith("content-length:")]
        if length:
            await reader.readexactly(length[0])
        asked.append(head)
        writer.write(answers[min(len(asked), len(answers)) - 1])
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    client = Http(Endpoint(f"http://127.0.0.1:{port}", KEY, "MY_KEY", retries=2))
    yield client, asked
    await client.aclose()
    server.close()
    await server.wait_closed()


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    # no door: how long a pause is is nobody's to set
    monkeypatch.setattr(http, "FIRST_PAUSE_S", 0.001)


OVERLOADED = refusal(429, "slow down", "Retry-After: 0.01")
FINE = answer(200, {"fine": True})


@pytest.mark.parametrize("first", [OVERLOADED, refusal(503, "busy"), b""], ids=["429", "503", "broken"])
async def test_what_passes_is_tried_again(first: bytes) -> None:
    async with saying(first, first, FINE) as (client, asked):
        assert await client.post("/x", {}) == {"fine": True}
        assert len(asked) == 3


@pytest.mark.parametrize(
    ("said", "kind", "attempts"),
    [
        (OVERLOADED, EngineUnavailable, 3),
        (b"", EngineDied, 4),
        (refusal(429, "tomorrow", "Retry-After: 86400"), EngineUnavailable, 1),
        (refusal(429, "later", "Retry-After: Fri, 31 Dec 2100 23:59:59 GMT"), EngineUnavailable, 1),
        (refusal(503, "Loading model", type="unavailable_error"), EngineLoading, 1),
        (refusal(401, f"Incorrect key {KEY}"), EngineRefused, 1),
        (refusal(400, "no such field"), InvalidArgument, 1),
        (refusal(400, "too long", type="exceed_context_size_error", n_ctx=77), ContextTooLarge, 1),
        (refusal(500, f"it broke with {KEY}"), EngineError, 1),
        (answer(400, {"object": "error", "message": "as vLLM says it"}), InvalidArgument, 1),
        (answer(422, {"detail": "as others do"}), InvalidArgument, 1),
        (answer(200, "<html>a router's page</html>", kind="text/html"), EngineUnavailable, 1),
    ],
    ids=lambda x: x.__name__ if isinstance(x, type) else "",
)
async def test_what_does_not_pass_is_told_in_the_servers_words(
    said: bytes, kind: type[Exception], attempts: int
) -> None:
    async with saying(said) as (client, asked):
        with pytest.raises(kind) as error:
            await client.post("/x", {})
        assert len(asked) == attempts
        assert KEY not in str(error.value)
        assert all(f"Authorization: Bearer {KEY}".lower() in head.lower() for head in asked)


def events(*items: Any, kind: str = "text/event-stream") -> bytes:
    return answer(200, "".join(f"data: {json.dumps(item)}\n\n" for item in items), kind=kind)


async def test_once_something_came_nothing_is_asked_again() -> None:
    broken = events({"n": 1}).replace(b"Connection: close", b"Connection: close\r\nContent-Length: 999")
    async with saying(broken) as (client, asked):
        items = client.stream("/x", {})
        assert await anext(items) == {"n": 1}
        with pytest.raises(EngineDied):
            await anext(items)
        assert len(asked) == 1


async def test_an_error_within_a_stream_is_one() -> None:
    async with saying(events({"n": 1}, {"error": {"code": 400, "message": "no"}})) as (client, _):
        items = client.stream("/x", {})
        assert await anext(items) == {"n": 1}
        with pytest.raises(InvalidArgument, match="no"):
            await anext(items)


@pytest.mark.parametrize(
    "said",
    [
        answer(200, 'event: error\ndata: {"message": "no credit left"}\n\n', kind="text/event-stream"),
        answer(200, "event: error\ndata: no credit left\n\n", kind="text/event-stream"),
        answer(200, json.dumps({"error": {"message": "no credit left"}}, indent=2)),
        answer(200, {"error": "no credit left"}, kind="text/event-stream"),
    ],
)
async def test_an_error_is_one_however_it_comes(said: bytes) -> None:
    async with saying(said) as (client, _):
        with pytest.raises(EngineError, match="failed: no credit left"):
            await anext(client.stream("/x", {}))
    async with saying(answer(200, {"error": {"message": "no credit left"}})) as (client, _):
        with pytest.raises(EngineError, match="failed: no credit left"):
            await client.post("/x", {})


@pytest.mark.parametrize("kind", ["text/event-stream", "text/plain; charset=latin-1"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("size", [1, 3, 1000])
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('data: {"a": 1}\n\ndata: [DONE]\n\ndata: {"b": 1}\n\n', [{"a": 1}]),
        (': ping\n\ndata:{"a": "é𝄞"}\nevent: y\nid: 3\n\n', [{"a": "é𝄞"}]),
        ('data: {"a":\ndata: 1}\n\n', [{"a": 1}]),
        ('event: x\n\nid: 1\n\ndata:\n\nretry: 3000\n\ndata: {"a": 1}\n\ndata: {"cut": "off"}', [{"a": 1}]),
        ('data: {"a": "\u2028\u2029\x85"}\n\n', [{"a": "\u2028\u2029\x85"}]),  # these end a line elsewhere
    ],
)
async def test_events_are_their_data(text: str, expected: list[dict[str, Any]], size: int, end: str, kind: str) -> None:
    content = text.replace("\n", end).encode()
    pieces = [content[i : i + size] for i in range(0, len(content), size)]
    async with saying(chunked(*pieces, kind=kind)) as (client, _):
        assert [item async for item in client.stream("/x", {})] == expected


def chunked(*pieces: bytes, kind: str = "text/event-stream") -> bytes:
    """An answer that a server writes piece by piece."""
    head = answer(200, "", "Transfer-Encoding: chunked", kind=kind)
    return head + b"".join(b"%x\r\n%b\r\n" % (len(piece), piece) for piece in (*pieces, b""))


@pytest.mark.parametrize("begun", [[], [b'data: {"n": 1}\n\n'], [b'data: {"n": "error:"}\n\n']])
@pytest.mark.parametrize("is_chunked", [True, False])
async def test_an_error_of_an_older_llama_server_is_one(begun: list[bytes], is_chunked: bool) -> None:
    pieces = [*begun, b'error: {"code": 400, "message": "too long"}\n\n', b"data: [DONE]\n\n"]
    async with saying(chunked(*pieces) if is_chunked else answer(200, "", kind="x/y") + b"".join(pieces)) as (
        client,
        _,
    ):
        items = client.stream("/x", {})
        for _ in begun:
            await anext(items)
        with pytest.raises(InvalidArgument, match="too long"):
            await anext(items)


async def test_an_event_without_an_end_is_not_read_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    # no door: how long an event may be is nobody's to set
    monkeypatch.setattr(http, "MOST_OF_AN_EVENT", 1000)
    async with saying(answer(200, "data: " + "x" * 100_000, kind="text/event-stream")) as (client, asked):
        with pytest.raises(EngineError, match="too long an event"):
            await anext(client.stream("/x", {}))
        assert len(asked) == 1


async def test_a_stream_whose_objects_say_that_there_is_no_error_goes_on() -> None:
    async with saying(events({"n": 1, "error": None}, "[DONE]")) as (client, _):
        assert await anext(client.stream("/x", {})) == {"n": 1, "error": None}


async def test_what_a_server_says_is_one_line_without_a_key_or_control_characters() -> None:
    other = "sk-proj-" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8" * 2
    said = f"\x1b[31mred\x00\u202e\r\n\n  Incorrect key: {other} {KEY} " + "x" * 5_000
    for status in (401, 400, 500, 418, 200):
        async with saying(refusal(status, said)) as (client, _):
            with pytest.raises((EngineError, InvalidArgument)) as error:
                await client.post("/x", {})
        told = str(error.value)
        assert "[31mred Incorrect key: ..." in told
        assert told.isprintable()
        assert len(told) < 600
        assert KEY not in told
        assert other[8:] not in told


@given(st.integers(0, 40), st.floats(0, 1), st.none() | st.floats(0, 100))
def test_pauses_grow_to_a_bound_and_are_as_long_as_was_asked(n: int, chance: float, asked: float | None) -> None:
    seconds = pause(n, asked, chance)
    assert seconds >= (asked or 0.0)
    assert seconds <= max(LONGEST_PAUSE_S, asked or 0.0)
    assert pause(n + 1, None, chance) >= pause(n, None, chance)


@pytest.mark.parametrize(
    ("url", "here", "is_unencrypted"),
    [
        ("http://127.0.0.1:8080", True, False),
        ("http://localhost:8080/v1/", True, False),
        ("http://[::1]:8080", True, False),
        ("http://gpu:8080", False, True),
        ("https://gpu:8443", False, False),
    ],
)
def test_a_place_says_what_can_be_overheard(url: str, here: bool, is_unencrypted: bool) -> None:
    found = Endpoint.of(EngineSettings(url=url), {})
    assert (found.is_here, found.is_unencrypted, found.url.endswith("/")) == (here, is_unencrypted, False)


def test_the_editors_key_goes_before_the_environments() -> None:
    environment = {"PALIMPSEST_API_KEY": "one\n", "OTHER": "two"}
    find: Callable[..., str] = lambda **more: Endpoint.of(EngineSettings(url="http://x", **more), environment).key  # noqa: E731
    assert find() == "one"
    assert find(api_key_env="OTHER") == "two"
    assert find(api_key="three") == "three"
    assert find(api_key_env="NONE") == ""


@pytest.mark.parametrize("url", ["", "gpu:80", "ftp://gpu", "http://", "https://a:b@gpu", "http://gpu?key=x"])
def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(ModelError, match=r"engine\.url"):
        Endpoint.of(EngineSettings(kind="openai", url=url), {})


def test_no_key_is_shown() -> None:
    settings = EngineSettings(url="http://x", api_key=KEY)
    assert KEY not in repr(settings)
    assert KEY not in repr(Endpoint.of(settings, {}))
