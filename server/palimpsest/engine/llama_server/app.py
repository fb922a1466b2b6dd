"""The application that is served over TCP: llama-server's routes and the engine's own, behind one door.

In: the core, the engine's life, keys.  Out: an ASGI application.  Let in is whoever has a key; without keys, the
programs of this machine alone.  Errors have the form of their route.
"""

import re

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from palimpsest.engine.core.core import EngineCore
from palimpsest.engine.http.public import Keys
from palimpsest.engine.http.request_handling import Bodies, stopping
from palimpsest.engine.http.routes import Api, application, failed
from palimpsest.engine.lifetime.lifetime import Life
from palimpsest.engine.llama_server.answers import errors
from palimpsest.engine.llama_server.routes.info import InfoRoutes
from palimpsest.engine.llama_server.routes.texts import TextRoutes
from palimpsest.engine.llama_server.serving.serving import Serving
from palimpsest.errors import EngineUnavailable

OPEN = frozenset({"/health", "/v1/health"})
"""Answered without a key."""
LOCAL = re.compile(rb"(?:localhost|127\.0\.0\.1|\[::1\])(?::[0-9]{1,5})?", re.IGNORECASE)
"""The whole of a `Host` that means this machine."""
KEYED = frozenset({"/v1/shutdown", "/v1/reset", "/v1/close", "/v1/map"})
"""Not served without a key: they end or show what belongs to others, and any user of the machine can send requests."""
START_WITH_KEY = "Start the engine with --api-key-file."
WITHOUT_A_KEY = "http:"
"""Prefix of the names of workspaces that are made without a key."""
UNSUPPORTED = {  # llama-server's paths that are not served: what they are for
    "/embedding": "embeddings",
    "/embeddings": "embeddings",
    "/v1/embeddings": "embeddings",
    "/rerank": "reranking",
    "/reranking": "reranking",
    "/v1/rerank": "reranking",
    "/v1/reranking": "reranking",
    "/v1/messages": "this API",
    "/v1/responses": "this API",
    "/props": "changing global properties",
    "/slots/{slot}": "slots action",
}


def create_app(core: EngineCore, life: Life, keys: Keys) -> ASGIApp:
    """`keys`: a request has one of them; where none is wanted, only programs of this machine are let in, not pages."""
    serving = Serving(core, life)
    api = Api(core, life, "" if keys else WITHOUT_A_KEY)
    own = [route for route in api.routes() if route.path != "/v1/health"]
    return AccessCheck(_llama_server(serving), application(own), {route.path for route in own}, life, keys)


def failure(error: Exception) -> Response:
    """An error in llama-server's form."""
    if isinstance(error, HTTPException):
        return errors.refusal(errors.error(404, "File Not Found", "not_found_error"))
    return errors.refusal(errors.of(error))


def _llama_server(serving: Serving) -> ASGIApp:
    async def unsupported(request: Request) -> Response:
        what = UNSUPPORTED.get(request.url.path, "slots action")
        return errors.refusal(errors.error(501, f"This server does not support {what}.", "not_supported_error"))

    routes = [*TextRoutes(serving).routes(), *InfoRoutes(serving).routes()]
    routes += [Route(path, unsupported, methods=["POST"]) for path in UNSUPPORTED]
    return application(routes, failure)


class AccessCheck:
    """In front of every route: checks the key, or without keys that no web page asks; refuses work while the engine
    stops; counts requests."""

    def __init__(self, theirs: ASGIApp, own: ASGIApp, own_paths: set[str], life: Life, keys: Keys) -> None:
        self._theirs, self._own, self._own_paths = theirs, own, own_paths
        self._life = life
        self._bodies = Bodies()
        self._keys = keys

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        path, headers = scope["path"], dict(scope["headers"])
        own = path in self._own_paths
        if self._keys and not self._has_key(headers):
            if path not in OPEN:
                await self._refusal(own)(scope, receive, send)
                return
            scope = {**scope, "path": "/health", "raw_path": b"/health"}  # which says nothing secret
        elif not self._keys and not _from_here(headers):
            why = "Without an API key only programs of this machine are let in."
            await errors.refusal(errors.error(403, why, "permission_error"))(scope, receive, send)
            return
        if not self._keys and path in KEYED:
            await failed(EngineUnavailable(f"{path} wants a key.", hint=START_WITH_KEY), 403)(scope, receive, send)
        elif self._life.stopping.is_set():
            await self._stopping(own)(scope, receive, send)
        elif path == "/v1/lease":
            await self._own(scope, receive, send)
        else:
            with self._life.request(), self._bodies.request(scope):
                await (self._own if own else self._theirs)(scope, receive, send)

    def _has_key(self, headers: dict[bytes, bytes]) -> bool:
        given = headers.get(b"authorization", b"")
        given = given[7:].strip() if given[:7].lower() == b"bearer " else headers.get(b"x-api-key", b"").strip()
        return self._keys.opens(given)

    @staticmethod
    def _refusal(own: bool) -> Response:
        if own:
            return failed(EngineUnavailable("The engine refused the key.", hint="Set the engine's API key."), 401)
        return errors.refusal(errors.error(401, "Invalid API Key", "authentication_error"))

    @staticmethod
    def _stopping(own: bool) -> Response:
        if own:
            return failed(stopping())
        return errors.refusal(errors.of(stopping()))


def _from_here(headers: dict[bytes, bytes]) -> bool:
    """Not from a page in a browser, which names its origin or asks for another host."""
    return b"origin" not in headers and LOCAL.fullmatch(headers.get(b"host", b"")) is not None
