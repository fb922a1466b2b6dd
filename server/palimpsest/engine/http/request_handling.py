"""What every route does with a request: reads its JSON, waits for its job, and cancels that when the client goes away.

In: requests, futures of the core.  Out: results.  Knows no route and no form of answer.
"""

import asyncio
import json
import math
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterator
from concurrent.futures import Future
from contextlib import asynccontextmanager, contextmanager
from threading import Event
from typing import Any, NoReturn, TypeVar

from starlette.requests import Request
from starlette.types import Scope

from palimpsest.engine.lifetime.lifetime import Life
from palimpsest.errors import Cancelled, EngineUnavailable, InvalidArgument, PalimpsestError

P = TypeVar("P")
T = TypeVar("T")
MAX_BODY = 8 << 20
MAX_BODIES = 128 << 20
"""Bytes of all requests' bodies that one server holds at a time."""
PIECE_S, BODY_S = 10.0, 60.0
"""The next piece of a body may take so long, and all of it so long."""


class Slow(InvalidArgument):
    """A body that does not come in time."""


class TooManyBodies(EngineUnavailable):
    """More bodies than the server can hold."""


class Bodies:
    """How many bytes of requests' bodies one server holds."""

    def __init__(self) -> None:
        self._n = 0

    @contextmanager
    def request(self, scope: Scope) -> Iterator[None]:
        """Around a request: what is taken of its body is given back when it is done."""
        taken = 0

        def take(n: int) -> None:
            nonlocal taken
            if self._n + n > MAX_BODIES:
                raise TooManyBodies("The engine holds as many requests as it can.", hint="Try again in a moment.")
            self._n += n
            taken += n

        scope[_TAKE] = take
        try:
            yield
        finally:
            self._n -= taken


_TAKE = "palimpsest.body"
"""Where a request's scope has the function that is told of each piece of its body."""


async def body(request: Request) -> dict[str, Any]:
    """The request's JSON object.  Raises InvalidArgument, Slow, Busy."""
    announced = request.headers.get("content-length", "")
    if announced.isdecimal() and (len(announced) > 12 or int(announced) > MAX_BODY):
        raise _too_large()
    data = decoded(await _raw(request))
    if not isinstance(data, dict):
        raise InvalidArgument("body", f"expected an object, got {type(data).__name__}.")
    return data


async def _raw(request: Request) -> bytes:
    raw, pieces, take = bytearray(), request.stream(), request.scope.get(_TAKE)
    try:
        async with asyncio.timeout(BODY_S):
            while True:
                async with asyncio.timeout(PIECE_S):
                    piece = await anext(pieces, None)
                if piece is None:
                    return bytes(raw)
                if take is not None:
                    take(len(piece))
                raw += piece
                if len(raw) > MAX_BODY:
                    raise _too_large()
    except TimeoutError:
        raise Slow("body", f"did not come within {BODY_S:.0f} s, or paused for {PIECE_S:.0f} s.") from None


def decoded(raw: bytes) -> Any:
    """JSON as the standard has it: UTF-8, numbers that are numbers.  Raises InvalidArgument."""
    try:
        return json.loads(raw.decode(), parse_float=_fraction, parse_constant=_constant)
    except (ValueError, RecursionError) as error:
        raise InvalidArgument("body", f"is not JSON: {error}") from None


def _fraction(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise InvalidArgument("body", "has a number that is too large.")
    return value


def _constant(name: str) -> NoReturn:
    raise InvalidArgument("body", f"is not JSON: {name}")


def _too_large() -> InvalidArgument:
    return InvalidArgument("body", f"is larger than {MAX_BODY >> 20} MiB.")


async def disconnected(request: Request) -> None:
    """Return when the client has closed its connection; the body must have been read."""
    receive: Callable[[], Awaitable[Any]] = request.receive
    while (await receive())["type"] != "http.disconnect":
        pass


async def _comes_first(job: asyncio.Future[Any], gone: asyncio.Future[Any]) -> bool:
    await asyncio.wait({job, gone}, return_when=asyncio.FIRST_COMPLETED)
    return job.done()


async def result_of(request: Request, life: Life, submit: Callable[[Event], Future[T]]) -> T:
    """What a job came to; it is cancelled when the client goes away.  Raises what the job failed with."""
    with life.job() as token:
        job = asyncio.wrap_future(submit(token))
        async with _gone(request) as gone:
            if not await _comes_first(job, gone):
                token.set()
                await asyncio.wait({job})  # it stops within a micro-batch
            try:
                return job.result()
            except Cancelled:
                raise why_cancelled(life) from None


async def streamed(
    life: Life, submit: Callable[[Event, Callable[[P], None]], Future[T]]
) -> AsyncGenerator[tuple[P, None] | tuple[None, T], None]:
    """(piece, None) for each piece that a job gives to the function it is submitted with, on any thread, then (None,
    what it came to).  It is cancelled when this is closed.  Raises what the job failed with."""
    loop = asyncio.get_running_loop()
    pieces: asyncio.Queue[P | None] = asyncio.Queue()

    def put(piece: P | None) -> None:
        loop.call_soon_threadsafe(pieces.put_nowait, piece)

    with life.job() as token, life.request():
        job = submit(token, put)
        job.add_done_callback(lambda _job: put(None))
        while (piece := await pieces.get()) is not None:
            yield piece, None
        try:
            result = job.result()
        except Cancelled:
            raise why_cancelled(life) from None
        yield None, result


async def first_of(request: Request, pieces: AsyncIterator[T]) -> T:
    """The first of a stream's pieces, before which its status can still be chosen.  Raises Cancelled when the client
    goes away before it comes, StopAsyncIteration when none does."""
    job = asyncio.ensure_future(anext(pieces))
    async with _gone(request) as gone:
        if not await _comes_first(job, gone):
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
