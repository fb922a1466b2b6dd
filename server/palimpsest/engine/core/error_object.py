"""Errors as they cross the wire.

In: exceptions.  Out: `error` objects (`wire.py`); `providers/base/errors.py` reads them.
"""

from __future__ import annotations

from typing import Any

from palimpsest.errors import ContextTooLarge, DecodeError, PalimpsestError, UnknownTail, UnknownText


def error_object(error: BaseException) -> dict[str, Any]:
    """The `error` object of the wire: code, message, hint, and field, fitting or return_code where there is one."""
    if not isinstance(error, PalimpsestError):
        return {"code": "error", "message": f"{type(error).__name__}: {error}", "hint": ""}
    out: dict[str, Any] = {"code": error.code, "message": error.message, "hint": error.hint}
    if isinstance(error, ContextTooLarge):
        out["fitting"] = error.fitting
    if isinstance(error, DecodeError):
        out["return_code"] = error.return_code
    if isinstance(error, UnknownText):
        out["hashes"] = list(error.hashes)
    if isinstance(error, UnknownTail):
        out["tail"] = error.name
    if hasattr(error, "field"):
        out["field"] = error.field
    return out
