"""The engine process as the server sees it: `wire.py`'s routes over a Unix socket or loopback TCP.

In: `wire` requests.  Out: `wire` answers, or exceptions of `errors.py`.  Starts nothing.  Keeps connections, and which
texts the engine has, so that each text is sent once and named by its hash from then on.
"""

import json
import secrets
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing, asynccontextmanager
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import Any, Self, TypeVar

import httpx2

from palimpsest import wire
from palimpsest.errors import EngineDied, EngineRefused, EngineUnavailable, UnknownText
from palimpsest.json_data import from_json, to_json
from palimpsest.newest import Newest
from palimpsest.providers.base.endpoint import Endpoint
from palimpsest.providers.base.errors import from_object, translated
from palimpsest.providers.base.protocol import TextPiece
from palimpsest.providers.http.connections import Connections
from palimpsest.providers.http.http import verification
from palimpsest.system.engine_address import Address, has_sockets

Q = TypeVar("Q")
T = TypeVar("T")
WithSync = TypeVar("WithSync", wire.SyncRequest, wire.GenerateRequest, wire.BatchRequest, wire.ScoreRequest)
CONNECT_S = 5.0
MAX_HASHES = 1 << 14
"""Hashes of texts that one engine is known to have."""
PATIENCE = httpx2.Timeout(None, connect=CONNECT_S)
"""No limit: a sync may decode for minutes on a large model, and the engine keeps a request's own time limit."""
NO_TLS = False
"""Nothing leaves the machine, and reading the system's certificates takes a tenth of a second."""
SHORT = httpx2.Timeout(CONNECT_S)


class InPlaceEngine:
    """Implements `protocol.Engine`."""

    def __init__(
        self,
        transport: httpx2.AsyncBaseTransport,
        base_url: str = "http://engine",
        token: str = "",
        patience: httpx2.Timeout = PATIENCE,
        key_hint: str = "",
    ) -> None:
        """`key_hint`: what to do where it is refused, in place of the engine's own words."""
        headers = {wire.CLIENT_HEADER: secrets.token_hex(8)}  # our workspaces live as long as its lease
        if token:
            headers["Authorization"] = f"Bearer {token}"
        client = httpx2.AsyncClient(
            transport=transport, base_url=base_url, headers=headers, timeout=patience, trust_env=False
        )
        self._connections = Connections(client)
        self._patience = patience
        self._key_hint = key_hint
        self._prefix = ""
        self._second: Self | None = None
        self._known_texts = Newest[str, None](MAX_HASHES)  # of texts that the engine has, least recently sent first

    @classmethod
    def over_socket(cls, path: Path) -> Self:
        return cls(httpx2.AsyncHTTPTransport(uds=str(path), verify=NO_TLS))

    @classmethod
    def over_tcp(cls, host: str, port: int, token: str) -> Self:
        name = f"[{host}]" if ":" in host else host
        return cls(httpx2.AsyncHTTPTransport(verify=NO_TLS), f"http://{name}:{port}", token)

    @classmethod
    def remote(cls, endpoint: Endpoint) -> Self:
        """On another machine, or on this one behind a tunnel.  Raises ModelError for a file without certificates."""
        transport = httpx2.AsyncHTTPTransport(verify=verification(endpoint), retries=endpoint.retries)
        patience = httpx2.Timeout(endpoint.timeout_s, connect=CONNECT_S)
        return cls(transport, endpoint.url, endpoint.key, patience, endpoint.key_hint())

    @classmethod
    def at(cls, address: Address) -> Self:
        """The engine of this machine at `address`, which may be dead.  Raises EngineUnavailable where none is."""
        try:
            note = json.loads(address.note.read_text(encoding="utf-8"))
            return cls.over_tcp(str(note["host"]), int(note["port"]), str(note["token"]))
        except FileNotFoundError:
            pass
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise EngineUnavailable(f"{address.note} cannot be read: {error}.") from error
        if not has_sockets() or not address.socket.exists():
            raise EngineUnavailable("No engine runs.")
        return cls.over_socket(address.socket)

    def for_next_edits(self) -> Self:
        """The second model of the same engine, over the same connections: close this one alone."""
        if self._second is None:
            self._second = copy(self)
            self._second._prefix, self._second._known_texts = wire.NEXT_EDIT, Newest(MAX_HASHES)
        return self._second

    async def health(self, within_s: float = CONNECT_S) -> wire.Health:
        """Raises EngineSilent where it does not answer within so many seconds."""
        return from_json(await self._call("GET", "/v1/health", timeout=httpx2.Timeout(within_s)), wire.Health)

    async def model(self) -> wire.ModelInfo:
        return from_json(await self._call("GET", "/v1/model", timeout=SHORT), wire.ModelInfo)

    async def sync(self, request: wire.SyncRequest) -> wire.SyncAnswer:
        return await self._with_texts(wire.SYNC, request)

    async def generate(self, request: wire.GenerateRequest) -> wire.GenerateAnswer:
        return await self._with_texts(wire.GENERATE, replace(request, stream=False))

    async def fork(self, request: wire.ForkRequest) -> wire.ForkAnswer:
        """Names for copies of a tail; nothing is decoded.  Raises UnknownTail where no tail has that name."""
        return await self._post(wire.FORK, request)

    async def generate_batch(self, request: wire.BatchRequest) -> wire.BatchAnswer:
        """Several requests, decoded side by side."""
        return await self._with_texts(wire.BATCH, request)

    async def score(self, request: wire.ScoreRequest) -> wire.ScoreAnswer:
        """How likely lines are with others instead."""
        return await self._with_texts(wire.SCORE, request)

    async def _with_texts(self, job: wire.Job[WithSync, T], request: WithSync) -> T:
        """The answer, asked for without the texts that the engine has, and once more with them where it lacks any."""
        try:
            answer = await self._post(job, self._without_known(request))
        except UnknownText as error:
            self._forget(error)
            answer = await self._post(job, request)
        self._add_known(request)
        return answer

    async def generate_stream(
        self, request: wire.GenerateRequest
    ) -> AsyncGenerator[TextPiece | wire.GenerateAnswer, None]:
        wanted = self._without_known(request)
        while True:
            try:
                async with aclosing(self._stream(wanted)) as items:
                    async for item in items:
                        if isinstance(item, wire.GenerateAnswer):
                            self._add_known(request)
                        yield item
                return
            except UnknownText as error:  # it comes before any text
                if wanted is request:
                    raise
                self._forget(error)
                wanted = request

    def _without_known(self, request: WithSync) -> WithSync:
        if isinstance(request, wire.SyncRequest):
            blocks = [replace(b, text=None) if b.hash in self._known_texts else b for b in request.blocks]
            return replace(request, blocks=blocks)
        return request if request.sync is None else replace(request, sync=self._without_known(request.sync))

    def _add_known(self, request: WithSync) -> None:
        """The engine has done what `request` asks, so it has the texts.  A text that is forgotten here is sent once
        more; one forgotten by the engine is asked for (`unknown_text`)."""
        sync = request if isinstance(request, wire.SyncRequest) else request.sync
        for block in sync.blocks if sync is not None else ():
            if block.hash:
                self._known_texts[block.hash] = None

    def _forget(self, error: UnknownText) -> None:
        for unknown in error.hashes:
            self._known_texts.pop(unknown, None)

    async def _stream(self, request: wire.GenerateRequest) -> AsyncGenerator[TextPiece | wire.GenerateAnswer, None]:
        data = to_json(request) | {"stream": True}
        with translated():
            async with self._open("POST", wire.GENERATE.path, data) as response, aclosing(_objects(response)) as lines:
                async for item in lines:
                    if "error" in item:
                        raise from_object(item["error"])
                    if "answer" in item:
                        yield from_json(item["answer"], wire.GenerateAnswer)
                        return
                    yield TextPiece(item["choice"], item["text"])
        raise EngineDied("The engine ended an answer before it was complete.")

    async def lease(self, client: str) -> AsyncGenerator[wire.Health, None]:
        """wire.Health now and after each change; while this is read the engine stays.

        Ends when the engine leaves in good order; raises EngineDied when it just goes.
        """
        with translated():
            response = self._open("GET", "/v1/lease", None, {"client": client}, PATIENCE)
            async with response as opened, aclosing(_objects(opened)) as lines:
                async for item in lines:
                    yield from_json(item, wire.Health)

    async def count(self, texts: Sequence[str]) -> list[int]:
        return (await self._post(wire.COUNT, wire.CountRequest(list(texts)))).counts

    async def cache_map(self, workspace: str) -> wire.CacheMap:
        return from_json(await self._call("GET", "/v1/map", parameters={"workspace": workspace}), wire.CacheMap)

    async def check(self) -> wire.CheckAnswer:
        return from_json(await self._call("GET", "/v1/check"), wire.CheckAnswer)

    async def reset(self, workspace: str) -> None:
        await self._call("POST", "/v1/reset", {"workspace": workspace})

    async def close_workspace(self, workspace: str) -> None:
        await self._call("POST", "/v1/close", {"workspace": workspace}, timeout=SHORT)  # a window waits for it to close

    async def shutdown(self) -> None:
        """Ask the engine to leave, for every client of it."""
        await self._call("POST", "/v1/shutdown", {}, timeout=SHORT)

    async def aclose(self) -> None:
        await self._connections.aclose()

    async def _post(self, job: wire.Job[Q, T], request: Q) -> T:
        return from_json(await self._call("POST", job.path, to_json(request)), job.answer)

    async def _call(
        self,
        method: str,
        path: str,
        data: dict[str, Any] | None = None,
        parameters: dict[str, str] | None = None,
        timeout: httpx2.Timeout | None = None,
    ) -> Any:
        with translated():
            async with self._open(method, path, data, parameters, timeout) as response:
                return _decoded(await response.aread())

    @asynccontextmanager
    async def _open(
        self,
        method: str,
        path: str,
        data: dict[str, Any] | None,
        parameters: dict[str, str] | None = None,
        timeout: httpx2.Timeout | None = None,
    ) -> AsyncIterator[httpx2.Response]:
        """The response's head has been read; leaving before its end closes the connection, which cancels the work."""
        content = None if data is None else json.dumps(data).encode()  # ASCII: a text may hold a lone surrogate
        headers = {"Content-Type": "application/json"} if content else {}
        place, patience = f"{self._prefix}{path}", timeout or self._patience
        async with self._connections.stream(
            method, place, content=content, params=parameters, headers=headers, timeout=patience
        ) as response:
            if not response.is_success:
                error = from_object(_decoded(await response.aread()).get("error"))
                if response.status_code == 401:
                    raise EngineRefused(error.message, hint=self._key_hint or error.hint)
                raise error
            yield response


async def _objects(response: httpx2.Response) -> AsyncGenerator[dict[str, Any], None]:
    async for text in response.aiter_lines():
        yield _decoded(text.encode())


def _decoded(raw: bytes) -> dict[str, Any]:
    """One JSON object.  Anything else means that no engine of ours is at the other end."""
    try:
        data = json.loads(raw)
    except ValueError:
        data = None
    if not isinstance(data, dict):
        raise EngineUnavailable(f"Something that is no engine answers: {raw[:80]!r}")
    return data
