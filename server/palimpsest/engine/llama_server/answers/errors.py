"""Errors in llama-server's form: `{"error": {"code", "message", "type"}}`; the code is the HTTP status.

In: an exception.  Out: an object, or a response.  Knows no route.
"""

import json
import logging
from typing import Any

from starlette.responses import Response

from palimpsest.engine.http.request_handling import Slow
from palimpsest.engine.llama_server.completions.prompt_tokens import PromptTooLong
from palimpsest.errors import PalimpsestError

Json = dict[str, Any]
KINDS = {  # our code: (status, type)
    "invalid_argument": (400, "invalid_request_error"),
    "settings": (400, "invalid_request_error"),
    "context_too_large": (400, "exceed_context_size_error"),
    "model": (501, "not_supported_error"),
    "cancelled": (409, "server_error"),
    "loading": (503, "unavailable_error"),
    "unavailable": (503, "unavailable_error"),
}
logger = logging.getLogger(__name__)


def packed(data: Any) -> bytes:
    """ASCII JSON, since a text may hold a lone surrogate, which UTF-8 has no bytes for."""
    return json.dumps(data, separators=(",", ":")).encode()


def reply(data: Any, status: int = 200) -> Response:
    return Response(packed(data), status, media_type="application/json; charset=utf-8")


def refusal(data: Json) -> Response:
    """An error as a response: the code is the status."""
    return reply(data, data["error"]["code"])


def error(status: int, message: str, kind: str, **more: Any) -> Json:
    return {"error": {"code": status, "message": message, "type": kind, **more}}


def of(problem: Exception) -> Json:
    """An exception that is none of ours is a defect, which is logged in full."""
    if not isinstance(problem, PalimpsestError):
        logger.error("a request failed", exc_info=problem)
        return error(500, f"{type(problem).__name__}: {problem}", "server_error")
    status, kind = KINDS.get(problem.code, (500, "server_error"))
    if isinstance(problem, Slow):
        status = 408
    if problem.code == "loading":
        return error(status, "Loading model", kind)
    if isinstance(problem, PromptTooLong):
        return error(status, problem.message, kind, n_prompt_tokens=problem.n_prompt, n_ctx=problem.n_ctx)
    return error(status, str(problem), kind)
