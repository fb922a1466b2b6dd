"""Errors from the wire, as exceptions.

In: error objects (`wire.py`) and httpx2's exceptions.  Out: exceptions of `errors.py`.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import httpx2

from palimpsest import errors
from palimpsest.errors import EngineDied, EngineError, EngineSilent, EngineUnavailable, PalimpsestError

_BY_CODE: Mapping[str, type[PalimpsestError]] = {
    kind.code: kind
    for kind in (
        errors.EngineUnavailable,
        errors.EngineRefused,
        errors.EngineLoading,
        errors.EngineDied,
        errors.ModelError,
        errors.Cancelled,
    )
}


def from_object(data: Any) -> PalimpsestError:
    """The exception that an error object stands for; EngineError for a code that this version does not know."""
    if not isinstance(data, dict):
        return EngineError(f"The engine answered with something else than an error: {data!r:.200}")
    code, message, hint = (str(data.get(name) or "") for name in ("code", "message", "hint"))
    if code == errors.InvalidArgument.code:
        field = str(data.get("field") or "request")
        return errors.InvalidArgument(field, message.removeprefix(f"{field}: "), hint=hint)
    if code == errors.ContextTooLarge.code:
        return errors.ContextTooLarge(message, fitting=_int(data.get("fitting")), hint=hint)
    if code == errors.UnknownText.code:
        hashes = data.get("hashes")
        return errors.UnknownText([str(h) for h in hashes] if isinstance(hashes, list) else [])
    if code == errors.UnknownTail.code:
        return errors.UnknownTail(str(data.get("tail") or ""))
    if code == errors.DecodeError.code:
        return errors.DecodeError(message, return_code=_int(data.get("return_code")), hint=hint)
    return _BY_CODE.get(code, EngineError)(message or "The engine failed.", hint=hint)


def _int(value: Any) -> int:
    return value if isinstance(value, int) else 0


@contextmanager
def translated() -> Iterator[None]:
    """Turn httpx2's exceptions into ours: EngineUnavailable where nobody listens, EngineSilent where no answer comes in
    time, else EngineDied."""
    try:
        yield
    except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
        raise EngineUnavailable("No engine answers.") from error
    except httpx2.TimeoutException as error:
        raise EngineSilent("The engine does not answer.") from error
    except httpx2.TransportError as error:
        raise EngineDied("The engine went away during the request.") from error
