"""The application that is served over TCP: llama-server's routes and the engine's own, behind one door.

In: the core, the engine's life, keys.  Out: an ASGI application.  Errors have the form of their route.
"""

from __future__ import annotations

from collections.abc import Sequence

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp

from palimpsest.engine.core.core import EngineCore
from palimpsest.engine.http.routes import Api, application
from palimpsest.engine.lifetime.lifetime import Life
from palimpsest.engine.llama_server.answers import errors
from palimpsest.engine.llama_server.door import AccessCheck
from palimpsest.engine.llama_server.routes.info import InfoRoutes
from palimpsest.engine.llama_server.routes.texts import TextRoutes
from palimpsest.engine.llama_server.serving.serving import Serving

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


def create_app(core: EngineCore, life: Life, keys: Sequence[str]) -> ASGIApp:
    """`keys`: a request has one of them; without any, only programs of this machine and no web pages are let in."""
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
