"""What every route does with a request: read its JSON, hand its work on, stop that when the client goes.

In: requests, futures of the core.  Out: results.  Knows no route and no form of answer.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import Future
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from starlette.requests import Request

from palimpsest.errors import Cancelled, EngineUnavailable, InvalidArgument, PalimpsestError
from palimpsest.kv.process.life import Life
from palimpsest.kv.work.cancel import CancelToken

T = TypeVar("T")
MAX_BODY = 64 << 20


async def body(request: Request) -> dict[str, Any]:
    """The request's JSON object.  Raises InvalidArgument."""
    announced = request.headers.get("content-length", "")
    if announced.isdecimal() and int(announced) > MAX_BODY:
        raise _too_large()
    raw = bytearray()
    async for piece in request.stream():
        raw += piece
        if len(raw) > MAX_BODY:
            raise _too_large()
    try:
        data = json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise InvalidArgument("body", f"is not JSON: {error}") from None
    if not isinstance(data, dict):
        raise InvalidArgument("body", f"expected an object, got {type(data).__name__}.")
    return data


def _too_large() -> InvalidArgument:
    return InvalidArgument("body", f"is larger than {MAX_BODY >> 20} MiB.")


async def disconnected(request: Request) -> None:
    """Return when the client has closed its connection; the body must have been read."""
    receive: Callable[[], Awaitable[Any]] = request.receive
    while (await receive())["type"] != "http.disconnect":
        pass


async def result_of(request: Request, life: Life, submit: Callable[[CancelToken], Future[T]]) -> T:
    """What a job came to; it is cancelled when the client goes away.  Raises what the job failed with."""
    with life.job() as token:
        job = asyncio.wrap_future(submit(token))
        async with _gone(request) as gone:
            either: set[asyncio.Future[Any]] = {job, gone}
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
            if not job.done():
                token.cancel()
                await asyncio.wait({job})  # it stops within a micro-batch
            try:
                return job.result()
            except Cancelled:
                raise why_cancelled(life) from None


async def first_of(request: Request, pieces: AsyncIterator[T]) -> T:
    """The first of a stream's pieces, before which its status can still be chosen.  Raises Cancelled when the client
    goes away before it comes, StopAsyncIteration when none does."""
    job = asyncio.ensure_future(anext(pieces))
    async with _gone(request) as gone:
        either: set[asyncio.Future[Any]] = {job, gone}
        await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        if not job.done():
            job.cancel()
            await asyncio.wait({job})
            raise Cancelled("The request was cancelled.")
        return job.result()


@asynccontextmanager
async def _gone(request: Request) -> AsyncIterator[asyncio.Future[None]]:
    gone = asyncio.ensure_future(disconnected(request))
    try:
        yield gone
    finally:
        gone.cancel()


def why_cancelled(life: Life) -> PalimpsestError:
    if life.stopping.is_set():
        return stopping()
    return Cancelled("The request was cancelled, or replaced by a newer one.")


def stopping() -> EngineUnavailable:
    return EngineUnavailable("The engine is stopping.")
