"""An `httpx2.AsyncClient` that leaves no connection open once it is closed.

In: what a request needs.  Out: its response, as `httpx2.AsyncClient.stream` gives it; EngineDied once this is closed.
httpx2 closes the connections that it has: one that is just being made would stay open in a pool that nobody closes
again.  So requests that have no answer yet are ended first.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2

from palimpsest.errors import EngineDied

CLOSED = "The connection to the engine was closed."


class Connections:
    """Owner of `client`.  Used on one event loop; `aclose` at the end."""

    def __init__(self, client: httpx2.AsyncClient) -> None:
        self._client = client
        self._unanswered: set[asyncio.Task[httpx2.Response]] = set()
        self._closed = False

    @asynccontextmanager
    async def stream(self, method: str, path: str, **request: Any) -> AsyncIterator[httpx2.Response]:
        """The response's head has been read; leaving before its end closes the connection.  `request`: what
        `httpx2.AsyncClient.build_request` takes."""
        response = await self._response(self._client.build_request(method, path, **request))
        try:
            yield response
        finally:
            await response.aclose()

    async def aclose(self) -> None:
        """Requests that have no answer yet raise EngineDied."""
        self._closed = True
        unanswered = set(self._unanswered)
        for task in unanswered:
            task.cancel()
        if unanswered:
            await asyncio.wait(unanswered)
        await self._client.aclose()

    async def _response(self, request: httpx2.Request) -> httpx2.Response:
        if self._closed:
            raise EngineDied(CLOSED)
        task = asyncio.ensure_future(self._client.send(request, stream=True))
        self._unanswered.add(task)
        task.add_done_callback(self._unanswered.discard)
        try:
            return await task
        except asyncio.CancelledError:
            if task.done() and not task.cancelled() and task.exception() is None:
                await task.result().aclose()  # it came in the same moment
            waiting = asyncio.current_task()
            if task.cancelled() and waiting is not None and not waiting.cancelling():
                raise EngineDied(CLOSED) from None
            raise
