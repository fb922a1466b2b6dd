"""httpx over `NearTransport`, against a server that says exactly what a test wants."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest

from palimpsest.engines.near import NearTransport

Talk = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
BODY = b'{"text": "yes"}'
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 15\r\n\r\n" + BODY


async def request_from(reader: asyncio.StreamReader) -> bytes:
    head = await reader.readuntil(b"\r\n\r\n")
    for line in head.lower().split(b"\r\n"):
        if line.startswith(b"content-length:"):
            head += await reader.readexactly(int(line.split(b":")[1]))
    return head


class Peer:
    """`requests` of each connection, in the order of connections; `gone` once a client has left."""

    def __init__(self, talk: Talk | None = None) -> None:
        self.requests: list[list[bytes]] = []
        self.gone = asyncio.Event()
        self._talk = talk or self._answer

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.requests.append([])
        try:
            await self._talk(reader, writer)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            self.gone.set()
            writer.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            self.requests[-1].append(await request_from(reader))
            writer.write(ANSWER)


@asynccontextmanager
async def client_of(peer: Peer, folder: Path) -> AsyncIterator[httpx.AsyncClient]:
    path = folder / "s"
    server = await asyncio.start_unix_server(peer.serve, path)
    async with server:
        transport = NearTransport.over_socket(path)
        async with httpx.AsyncClient(transport=transport, base_url="http://engine", trust_env=False) as client:
            yield client
        server.close()


async def test_one_connection_serves_one_request_after_the_other(tmp_path: Path) -> None:
    peer = Peer()
    async with client_of(peer, tmp_path) as client:
        for n in range(3):
            answer = await client.post("/v1/x", params={"n": n}, content=b"asked")
            assert answer.json() == {"text": "yes"}
    assert [len(requests) for requests in peer.requests] == [3]
    assert peer.requests[0][2].startswith(b"POST /v1/x?n=2 HTTP/1.1\r\n")
    assert peer.requests[0][2].endswith(b"\r\n\r\nasked")


async def test_requests_at_the_same_time_have_a_connection_each(tmp_path: Path) -> None:
    peer = Peer()
    async with client_of(peer, tmp_path) as client:
        answers = await asyncio.gather(*(client.get("/") for _ in range(4)))
        assert all(answer.content == BODY for answer in answers)
        await client.get("/")
    assert sum(len(requests) for requests in peer.requests) == 5
    assert len(peer.requests) <= 4


async def test_a_connection_that_was_closed_meanwhile_is_not_used_again(tmp_path: Path) -> None:
    async def once(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await request_from(reader)
        writer.write(ANSWER)

    peer = Peer(once)
    async with client_of(peer, tmp_path) as client:
        for _ in range(2):
            assert (await client.get("/")).content == BODY
            await peer.gone.wait()
            await asyncio.sleep(0.01)  # until the end has been read here too
    assert len(peer.requests) == 2


@pytest.mark.parametrize("begun", [False, True], ids=["before the answer", "within the answer"])
async def test_leaving_closes_the_connection(tmp_path: Path, begun: bool) -> None:
    asked = asyncio.Event()

    async def endless(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await request_from(reader)
        if begun:
            writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n")
        asked.set()
        await reader.readexactly(1)

    peer = Peer(endless)
    async with client_of(peer, tmp_path) as client:
        if begun:
            async with client.stream("GET", "/") as response:
                assert await anext(response.aiter_bytes()) == b"hello"
        else:
            task = asyncio.create_task(client.get("/"))
            await asked.wait()
            task.cancel()
            await asyncio.wait({task})
        await asyncio.wait_for(peer.gone.wait(), 5)


@pytest.mark.parametrize("said", [b"", b"HTTP/1.1 200 OK\r\nContent-Le", ANSWER[:-3], b"who is there?\r\n\r\n"])
async def test_an_answer_that_breaks_off_is_a_protocol_error(tmp_path: Path, said: bytes) -> None:
    async def breaks_off(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await request_from(reader)
        writer.write(said)

    async with client_of(Peer(breaks_off), tmp_path) as client:
        with pytest.raises(httpx.RemoteProtocolError):
            await client.get("/")


async def test_silence_is_a_timeout_where_one_is_set(tmp_path: Path) -> None:
    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await request_from(reader)
        await reader.readexactly(1)

    async with client_of(Peer(silent), tmp_path) as client:
        with pytest.raises(httpx.ReadTimeout):
            await client.get("/", timeout=0.05)


async def test_where_nobody_listens_there_is_no_connection(tmp_path: Path) -> None:
    transport = NearTransport.over_socket(tmp_path / "none")
    async with httpx.AsyncClient(transport=transport, base_url="http://engine", trust_env=False) as client:
        with pytest.raises(httpx.ConnectError):
            await client.get("/")
