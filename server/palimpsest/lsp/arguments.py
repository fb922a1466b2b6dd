"""Reading a command's one argument: what is missing or wrong is named.

In: a decoded JSON value.  Out: checked values.  Knows no command.

Nothing comes in many shapes: no arguments, an empty list of them, null, and an empty list where an object is meant,
since Lua and Lisp write their empty tables and nil so.  All of them are an object without fields.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from lsprotocol import types as lsp

from palimpsest.errors import InvalidArgument

_MISSING: Any = object()


def only_one(given: Sequence[Any] | None) -> Any:
    """The first of a command's arguments, or None; what comes behind it is another client's business."""
    return given[0] if given else None


class Arguments:
    """The object a command was called with.  Every reader raises InvalidArgument that names the field."""

    def __init__(self, where: str, value: Any) -> None:
        if hasattr(value, "_asdict"):
            value = value._asdict()
        if value is None or value == [] or value == ():
            value = {}
        if not isinstance(value, dict):
            raise InvalidArgument(where, f"expected one object as the argument, got {type(value).__name__}.")
        self._where = where
        self._value: dict[str, Any] = value

    def _read(self, name: str, wanted: type | tuple[type, ...], words: str, default: Any) -> Any:
        value = self._value.get(name, _MISSING)
        if value is _MISSING or value is None:
            if default is _MISSING:
                raise InvalidArgument(name, f"is missing; {self._where} wants {words}.")
            return default
        if not isinstance(value, wanted) or (isinstance(value, bool) and wanted is not bool):
            raise InvalidArgument(name, f"expected {words}, got {value!r}.")
        return value

    def string(self, name: str, default: str = _MISSING, *, among: Iterable[str] = ()) -> str:
        value: str = self._read(name, str, "a string", default)
        if (choices := tuple(among)) and value not in choices:
            raise InvalidArgument(name, f"expected one of {', '.join(choices)}, got {value!r}.")
        return value

    def integer(self, name: str, default: int = _MISSING, *, low: int = 0, high: int = 2**31 - 1) -> int:
        value: int = self._read(name, int, "a whole number", default)
        if not low <= value <= high:
            raise InvalidArgument(name, f"expected {low} to {high}, got {value}.")
        return value

    def number(self, name: str, default: float | None = _MISSING) -> float | None:
        value: float | None = self._read(name, (int, float), "a number", default)
        try:
            return None if value is None else float(value)
        except OverflowError:  # JSON's whole numbers have no bound
            raise InvalidArgument(name, "expected a smaller number.") from None

    def boolean(self, name: str, default: bool = _MISSING) -> bool:
        value: bool = self._read(name, bool, "true or false", default)
        return value

    def object(self, name: str) -> Arguments:
        value = self.raw(name)
        if value is None:
            raise InvalidArgument(name, f"is missing; {self._where} wants an object.")
        return Arguments(name, value)

    def position(self, name: str) -> lsp.Position:
        inner = self.object(name)
        return lsp.Position(inner.integer("line"), inner.integer("character"))

    def token(self, name: str) -> lsp.ProgressToken | None:
        value: lsp.ProgressToken | None = self._read(name, (str, int), "a string or a whole number", None)
        return value

    def raw(self, name: str) -> Any:
        """The value as it came; None for one that is missing or empty."""
        value = self._value.get(name)
        return None if value == [] else value
