"""The engine's HTTP: the routes of `wire.py` over an `EngineCore`.

In: ASGI requests.  Out: JSON, or lines of JSON.  A client that closes its connection cancels its job.  Knows no native
handle, and not how the socket was made.
"""

import asyncio
import json
import logging
import secrets
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import aclosing
from dataclasses import replace
from functools import partial
from threading import Event
from typing import Any, TypeVar

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import BaseRoute, Mount, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from palimpsest import wire
from palimpsest.engine.core.core import EngineCore
from palimpsest.engine.core.engine_thread import error_object
from palimpsest.engine.http.request_handling import Bodies, Slow, body, result_of, stopping, streamed
from palimpsest.engine.lifetime.lifetime import Life
from palimpsest.errors import EngineUnavailable, InvalidArgument, PalimpsestError
from palimpsest.json_data import from_json, to_json

T = TypeVar("T")
JOBS: Mapping[wire.Job[Any, Any], Callable[[EngineCore, Any, Event], Future[Any]]] = {
    wire.SYNC: EngineCore.sync,
    wire.GENERATE: EngineCore.generate,
    wire.FORK: EngineCore.fork,
    wire.BATCH: EngineCore.generate_batch,
    wire.SCORE: EngineCore.score,
}
STATUS = {
    "invalid_argument": 400,
    "settings": 400,
    "unknown_tail": 404,
    "unknown_text": 404,
    "cancelled": 409,
    "model": 422,
    "loading": 503,
    "unavailable": 503,
    "context_too_large": 507,
}
"""HTTP status of an error's `code`; 500 for the others."""

MAX_NAME = 256
"""Characters of a workspace's name."""
SLOTS = "http-"
"""How the names of the workspaces begin in which llama-server's requests are answered."""
MAX_CLIENT = 64
"""Characters of a client's name that tell it from others."""

logger = logging.getLogger(__name__)


class Api:
    """The handlers of one server.  `prefix` begins the names of its workspaces, so that clients of another server
    cannot use them."""

    def __init__(self, core: EngineCore, life: Life, prefix: str = "") -> None:
        self._core = core
        self._life = life
        self._prefix = prefix

    def routes(self) -> list[Route]:
        return [
            Route("/v1/health", self.health),
            Route("/v1/model", self.model),
            *(Route(job.path, partial(self.job, job), methods=["POST"]) for job in JOBS),
            Route(wire.COUNT.path, self.count, methods=["POST"]),
            Route("/v1/map", self.map),
            Route("/v1/check", self.check),
            Route("/v1/reset", self.reset, methods=["POST"]),
            Route("/v1/close", self.close, methods=["POST"]),
            Route("/v1/lease", self.lease),
            Route("/v1/shutdown", self.shutdown, methods=["POST"]),
        ]

    async def health(self, _request: Request) -> Response:
        return reply(to_json(self._life.health()))

    async def model(self, _request: Request) -> Response:
        return reply(to_json(self._core.model()))

    async def job(self, job: wire.Job[Any, Any], request: Request) -> Response:
        wanted = self._named(from_json(await body(request), job.request))
        for one in getattr(wanted, "requests", [wanted]):
            if isinstance(one, wire.GenerateRequest) and (one.grammar or one.chat is not None):
                await asyncio.to_thread(self._core.prepare, one)
        if isinstance(wanted, wire.GenerateRequest) and wanted.stream:
            pieces = self._pieces(wanted, self._client(request))
            return StreamingResponse(pieces, media_type="application/jsonl")
        with self._life.owners.using(self._client(request), wanted.workspace):
            return await self._job(request, lambda token: JOBS[job](self._core, wanted, token))

    async def count(self, request: Request) -> Response:
        wanted = from_json(await body(request), wire.CountRequest)
        counts = await asyncio.wrap_future(self._core.count(wanted.texts))
        return reply(to_json(wire.CountAnswer(counts)))

    async def map(self, request: Request) -> Response:
        workspace = self._name(self._parameter(request, "workspace"))
        return reply(to_json(await asyncio.wrap_future(self._core.cache_map(workspace))))

    async def check(self, request: Request) -> Response:
        return await self._job(request, lambda _token: self._core.check())

    async def reset(self, request: Request) -> Response:
        await asyncio.wrap_future(self._core.reset(await self._workspace(request)))
        return reply({})

    async def close(self, request: Request) -> Response:
        await asyncio.wrap_future(self._core.close(await self._workspace(request)))
        return reply({})

    async def lease(self, request: Request) -> Response:
        logger.info("lease of %s", self._parameter(request, "client"))
        lines = (line(to_json(health)) async for health in self._life.lease(self._client(request)))
        return StreamingResponse(lines, media_type="application/jsonl")

    async def shutdown(self, _request: Request) -> Response:
        logger.info("asked to shut down")
        self._life.stop()
        return reply({})

    @staticmethod
    def _parameter(request: Request, name: str) -> str:
        value = request.query_params.get(name)
        if not value:
            raise InvalidArgument(name, "is missing from the query.")
        return value

    def _named(self, request: Any) -> Any:
        """With the prefix before the workspace's name, also in the requests inside."""
        inner: dict[str, Any] = {}
        if getattr(request, "sync", None) is not None:
            inner["sync"] = self._named(request.sync)
        if hasattr(request, "requests"):
            inner["requests"] = [self._named(one) for one in request.requests]
        return replace(request, workspace=self._name(request.workspace), **inner)

    def _name(self, workspace: str) -> str:
        if len(workspace) > MAX_NAME:
            raise InvalidArgument("workspace", f"is a name of {MAX_NAME} characters at most.")
        if workspace.startswith(SLOTS):
            raise InvalidArgument("workspace", f"names with {SLOTS} are those of llama-server's slots.")
        return self._prefix + workspace

    async def _workspace(self, request: Request) -> str:
        workspace = (await body(request)).get("workspace")
        if not isinstance(workspace, str):
            raise InvalidArgument("workspace", f"expected a string, got {type(workspace).__name__}.")
        return self._name(workspace)

    async def _job(self, request: Request, submit: Callable[[Event], Future[T]]) -> Response:
        """Submit a job and answer with what it came to; cancelled when the client goes away."""
        return reply(to_json(await result_of(request, self._life, submit)))

    def _client(self, request: Request) -> str:
        """The client's name at this server: a lease does not count at another one."""
        name = client_of(request)
        return name and self._prefix + name

    async def _pieces(self, wanted: wire.GenerateRequest, client: str) -> AsyncIterator[bytes]:
        """Text as it comes, at last the answer, or the error where the status is already sent."""

        def submit(token: Event, put: Callable[[tuple[int, str]], None]) -> Future[wire.GenerateAnswer]:
            return self._core.generate(wanted, token, lambda choice, text: put((choice, text)))

        try:
            with self._life.owners.using(client, wanted.workspace):
                async with aclosing(streamed(self._life, submit)) as items:
                    async for piece, answer in items:
                        if piece is not None:
                            yield line({"choice": piece[0], "text": piece[1]})
                        else:
                            yield line({"answer": to_json(answer)})
        except Exception as error:  # whatever it is, the status is sent already: the client gets it as the last line
            yield line({"error": known(error)})


def client_of(request: Request) -> str:
    """What the client calls itself, "" when it does not say."""
    return request.headers.get(wire.CLIENT_HEADER, "")[:MAX_CLIENT]


class Guard:
    """Before every route: the token where one is wanted, no work for an engine that stops, requests counted."""

    def __init__(self, app: ASGIApp, life: Life, token: str) -> None:
        self._app = app
        self._life = life
        self._bodies = Bodies()
        self._wanted = f"Bearer {token}".encode() if token else b""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        given = dict(scope["headers"]).get(b"authorization", b"")
        if self._wanted and not secrets.compare_digest(given, self._wanted):
            refusal = EngineUnavailable(
                "The engine refused the token.", hint="Another engine may have taken its place."
            )
            await failed(refusal, 401)(scope, receive, send)
        elif self._life.stopping.is_set():
            await failed(stopping())(scope, receive, send)
        elif scope["path"].endswith("/v1/lease"):
            await self._app(scope, receive, send)
        else:
            with self._life.request(), self._bodies.request(scope):
                await self._app(scope, receive, send)


def create_app(
    core: EngineCore, life: Life, token: str = "", next_edit: tuple[EngineCore, Life] | None = None
) -> ASGIApp:
    """The whole application.  `token`: what `Authorization: Bearer …` must say; empty where a socket's mode guards.
    `next_edit`: a second model and its jobs, for next edits."""
    routes: list[BaseRoute] = [*Api(core, life).routes()]
    if next_edit is not None:
        routes.append(Mount(wire.NEXT_EDIT, routes=Api(*next_edit).routes()))
    return Guard(application(routes), life, token)


def failure(error: Exception) -> Response:
    """An error as `wire.py` has it."""
    if isinstance(error, PalimpsestError):
        return failed(error)
    if isinstance(error, HTTPException):
        return failed(InvalidArgument("path", error.detail), error.status_code)
    return reply({"error": error_object(error)}, 500)  # the HTTP server logs it


def application(routes: Sequence[BaseRoute], failure: Callable[[Exception], Response] = failure) -> ASGIApp:
    """Routes whose errors are answered as `failure` writes them."""

    async def answered(_request: Request, error: Exception) -> Response:
        return failure(error)

    async def gone(_request: Request, _error: Exception) -> Response:
        return Response(status_code=499)  # nobody reads it

    kinds = dict.fromkeys((PalimpsestError, HTTPException, Exception), answered)
    return Starlette(routes=routes, exception_handlers={**kinds, ClientDisconnect: gone})


def known(error: Exception) -> dict[str, Any]:
    """The error object; one that is no error of ours is a defect, which the log gets in full."""
    if not isinstance(error, PalimpsestError):
        logger.error("a request failed", exc_info=error)
    return error_object(error)


def failed(error: PalimpsestError, status: int | None = None) -> Response:
    return reply(
        {"error": error_object(error)}, status or (408 if isinstance(error, Slow) else STATUS.get(error.code, 500))
    )


def line(data: dict[str, Any]) -> bytes:
    return json.dumps(data, separators=(",", ":")).encode() + b"\n"


def reply(data: dict[str, Any], status: int = 200) -> Response:
    """ASCII JSON, since a text may hold a lone surrogate, which UTF-8 has no bytes for."""
    return Response(line(data), status, media_type="application/json")
