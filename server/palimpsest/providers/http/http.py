"""HTTP to a server of another make: connections, attempts, errors.

In: an `Endpoint`, paths and JSON.  Out: JSON, or the objects of an event stream; else exceptions of `errors.py` in the
server's own words, without the key.  Knows nothing of what is asked for.

A request is tried again when the connection is refused or breaks before anything came, and when the server is
overloaded; never once an event was handed on.
"""

import asyncio
import json
import logging
import random
import ssl
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import aclosing, asynccontextmanager
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, cast

import httpx2

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
from palimpsest.models.transfer import variables_named
from palimpsest.providers.base.endpoint import Endpoint
from palimpsest.providers.http.connections import Connections

CONNECT_S = 5.0
SHORT_S = 5.0
"""Answers that need no decoding are waited for this long."""
IDLE_S = 3.0
"""llama-server closes a connection that was idle for five seconds; a request sent just then would be lost."""
FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.25, 20.0
OVERLOADED = (429, 502, 503, 504)
DONE = "[DONE]"
MOST_BEGUN = 64 << 10
"""Bytes kept of an answer that may be an object where a stream was asked for."""
MOST_OF_AN_EVENT = 16 << 20
"""Bytes; llama-server's last event has the whole prompt in it."""

logger = logging.getLogger(__name__)


class Http:
    """Made on an event loop; `aclose` at the end."""

    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint = endpoint
        headers = {"Authorization": f"Bearer {endpoint.key}"} if endpoint.key else {}
        with variables_named():
            client = httpx2.AsyncClient(
                base_url=endpoint.url,
                headers=headers,
                timeout=httpx2.Timeout(endpoint.timeout_s, connect=CONNECT_S),
                verify=verification(endpoint),
                trust_env=not endpoint.is_here,
                limits=httpx2.Limits(keepalive_expiry=IDLE_S),
            )
        self._connections = Connections(client)

    async def get(self, path: str) -> dict[str, Any]:
        """One short attempt, which also shows whether the server is there."""
        return await self._once("GET", path, None, SHORT_S)

    async def get_list(self, path: str) -> list[dict[str, Any]]:
        """The same for a route that answers with a list of objects."""
        async with self._open("GET", path, None, SHORT_S) as response:
            data = json.loads(await response.aread())
        return [item for item in data if isinstance(item, dict)] if isinstance(data, list) else []

    async def post(self, path: str, data: dict[str, Any], *, short: bool = False) -> dict[str, Any]:
        attempts = Attempts(self.endpoint.retries)
        while True:
            try:
                return await self._once("POST", path, data, SHORT_S if short else None)
            except EngineError as error:
                await attempts.next_after(error)

    async def stream(self, path: str, data: dict[str, Any]) -> AsyncGenerator[dict[str, Any], None]:
        """The events' objects.  Leaving early closes the connection, which ends the server's work."""
        attempts, begun = Attempts(self.endpoint.retries), False
        while True:
            try:
                async with aclosing(self._events(path, data)) as events:
                    async for item in events:
                        begun = True
                        yield item
                return
            except EngineError as error:
                if begun:
                    raise
                await attempts.next_after(error)

    async def aclose(self) -> None:
        await self._connections.aclose()

    async def _once(self, method: str, path: str, data: dict[str, Any] | None, seconds: float | None) -> dict[str, Any]:
        async with self._open(method, path, data, seconds) as response:
            return self._object(await response.aread(), response.headers)

    async def _events(self, path: str, data: dict[str, Any]) -> AsyncGenerator[dict[str, Any], None]:
        begin, is_stream = bytearray(), False
        async with (
            self._open("POST", path, data, None) as response,
            aclosing(_as_events(response.aiter_bytes(), begin)) as content,
        ):
            kind = {"Content-Type": "text/event-stream"}  # whatever this server calls it
            stream = httpx2.Response(200, headers=kind, content=content, request=response.request)
            parsed = cast("AsyncGenerator[httpx2.ServerSentEvent]", aiter(httpx2.EventSource(stream, MOST_OF_AN_EVENT)))
            async with aclosing(parsed) as events:
                async for event in events:
                    if event.data == DONE:
                        return
                    if event.data:
                        is_stream = True
                        yield self._object(event.data.encode(), {}, is_error=event.event == "error")
            if not is_stream:  # a page to log in at, for one, or an object that says why there is no stream
                self._object(bytes(begin), response.headers)
                raise NoEngine(f"Something that is no engine answers at {self.endpoint.url}.")

    @asynccontextmanager
    async def _open(
        self, method: str, path: str, data: dict[str, Any] | None, seconds: float | None
    ) -> AsyncIterator[httpx2.Response]:
        """A response that is not an error; its body is unread."""
        # A lone surrogate, which a text may hold, is no JSON to other servers.
        content = None if data is None else json.dumps(data, ensure_ascii=False).encode("utf-8", "replace")
        headers = {"Content-Type": "application/json"} if content else {}
        timeout = httpx2.USE_CLIENT_DEFAULT if seconds is None else httpx2.Timeout(seconds)
        try:
            async with self._connections.stream(
                method, path, content=content, headers=headers, timeout=timeout
            ) as response:
                if not response.is_success:
                    problem = _object_or_text(await response.aread())
                    raise self._refusal(response.status_code, problem, response.headers)
                yield response
        except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
            why = self.endpoint.redacted(str(error)) if "CERTIFICATE" in str(error).upper() else ""
            raise Broken(f"The engine at {self.endpoint.url} does not answer.", hint=why) from error
        except httpx2.TimeoutException as error:
            raise EngineUnavailable(f"The engine at {self.endpoint.url} was silent for too long.") from error
        except httpx2.SSEError as error:
            raise EngineError(f"The engine at {self.endpoint.url} sends too long an event.") from error
        except httpx2.TransportError as error:
            raise Lost(f"The engine at {self.endpoint.url} went away during the request.") from error

    def _object(self, raw: bytes, headers: Mapping[str, str], *, is_error: bool = False) -> dict[str, Any]:
        """Raises what it says where it is an error, whatever the response's status was."""
        data = _object_or_text(raw)
        if is_error or data.get("error"):
            raise self._refusal(_status_in(data), data, headers)
        if "text" in data and len(data) == 1:
            raise NoEngine(f"Something that is no engine answers at {self.endpoint.url}.")
        return data

    def filtered(self, words: str) -> "Filtered":
        return Filtered(f"The engine at {self.endpoint.url} will not answer: {self.endpoint.redacted(words)}")

    def _refusal(self, status: int, data: dict[str, Any], headers: Any) -> EngineError | InvalidArgument:
        """The exception for an answer that is an error, in the server's own words."""
        url, details = self.endpoint.url, _details(data)
        message = self.endpoint.redacted(str(details.get("message") or f"status {status}"))
        if status in (401, 403):
            return EngineRefused(f"The engine at {url} refuses the key: {message}", hint=self.endpoint.key_hint())
        if status == 402:
            return EngineRefused(f"The engine at {url} wants to be paid: {message}", hint="See to the account there.")
        if status == 503 and "oading" in message:
            return EngineLoading(f"The engine at {url} is loading its model.", hint="It is asked again each time.")
        if status in OVERLOADED:
            return ServerBusy(
                f"The engine at {url} is overloaded: {message}", wait_s=_seconds(headers.get("retry-after"))
            )
        by_name = details.get("type") == "exceed_context_size_error" or details.get("code") == "context_length_exceeded"
        if by_name or (status == 400 and "maximum context length" in message):  # vLLM has words alone
            fitting = details.get("n_ctx")
            return ContextTooLarge(message, fitting=fitting if isinstance(fitting, int) else 0)
        if status in (404, 405, 501):
            return NotServed(f"The engine at {url} does not serve this: {message}")
        if 400 <= status < 500:
            return InvalidArgument("request", message)
        return EngineError(f"The engine at {url} failed: {message}")


class Broken(EngineUnavailable):
    """No connection could be made."""


class Lost(EngineDied):
    """The connection broke."""


class ServerBusy(EngineUnavailable):
    """`wait_s`: how long the server asks to wait, None where it does not say."""

    def __init__(self, message: str, *, wait_s: float | None) -> None:
        super().__init__(message)
        self.wait_s = wait_s


class NoEngine(EngineUnavailable):
    """What answers speaks another protocol."""


class NotServed(EngineError):
    """This server has no such route."""


class Filtered(EngineError):
    """The server or its model refuses to write this answer; it would write others."""


class Attempts:
    """Counts the attempts at one request."""

    def __init__(self, retries: int) -> None:
        self._retries = retries
        self._n = 0
        self._first: EngineError | None = None
        self._lost = False

    async def next_after(self, error: EngineError) -> None:
        """Wait until the next attempt is due, or raise the first attempt's error."""
        self._first = self._first or error
        if not isinstance(error, Broken | Lost | ServerBusy):
            raise error
        if isinstance(error, Lost) and not self._lost:
            self._lost = True  # it may have been an old connection that the server was just closing
            return
        seconds = pause(self._n, error.wait_s if isinstance(error, ServerBusy) else None, random.random())
        if self._n >= self._retries or seconds > LONGEST_PAUSE_S:
            raise self._first
        self._n += 1
        logger.debug("attempt %d in %.2f s: %s", self._n + 1, seconds, error)
        await asyncio.sleep(seconds)


def pause(attempt: int, asked_s: float | None, chance: float) -> float:
    """Seconds before attempt `attempt + 1`: doubled each time, spread by `chance` (0..1) so that many clients do not
    come back at once, and never less than the server asked for."""
    longest = min(LONGEST_PAUSE_S, FIRST_PAUSE_S * 2.0**attempt)
    return max(longest * (0.5 + chance / 2), asked_s or 0.0)


def verification(endpoint: Endpoint) -> ssl.SSLContext | bool:
    """How certificates are checked.  Without TLS none are read, which takes a tenth of a second.

    Raises ModelError for a file without certificates.
    """
    if endpoint.url.startswith("http:"):
        return False
    if not endpoint.ca_file:
        return True
    try:
        return ssl.create_default_context(cafile=endpoint.ca_file)
    except (OSError, ssl.SSLError) as error:
        raise ModelError(
            f"engine.ca_file: expected certificates (PEM); {endpoint.ca_file} cannot be used: {error}.",
            hint="Set it to the certificate of the engine, or of who signed that.",
        ) from error


def _seconds(value: str | None) -> float | None:
    """`Retry-After`: seconds, or a date."""
    if not value:
        return None
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        return max(0.0, (parsedate_to_datetime(value) - datetime.now(UTC)).total_seconds())
    except (ValueError, TypeError):
        return None


async def _as_events(pieces: AsyncIterator[bytes], begin: bytearray) -> AsyncGenerator[bytes, None]:
    """The pieces as they come, the first of them kept in `begin`.  llama-server's builds before September 2025 say
    `error:` where the standard has the event `error` with `data:`."""
    last = b"\n"
    async for piece in pieces:
        begin += piece[: MOST_BEGUN - len(begin)]
        yield (last + piece).replace(b"\nerror:", b"\nevent: error\ndata:")[len(last) :]
        last = piece[-1:]


def _object_or_text(raw: bytes) -> dict[str, Any]:
    try:
        data = json.loads(raw)
    except ValueError:
        data = None
    text = raw[:400].decode("utf-8", "replace")
    return data if isinstance(data, dict) else {"text": "" if text.lstrip().startswith("<") else text}  # no page's HTML


def _details(data: dict[str, Any]) -> dict[str, Any]:
    """llama-server's and OpenAI's `{"error": {"message", …}}`; others' `{"message"}`, `{"detail"}`, plain text."""
    error = data.get("error")
    if isinstance(error, dict):
        return error
    return {"message": error or data.get("message") or data.get("detail") or data.get("text"), **data}


def _status_in(data: dict[str, Any]) -> int:
    code = _details(data).get("code")
    return code if isinstance(code, int) and 400 <= code < 600 else 500
