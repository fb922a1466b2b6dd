"""A request's JSON: each value by its name, with the type and range it must have.

In: a decoded body.  Out: values; null counts as absent, as for llama-server.  Raises InvalidArgument that names the
field.  Knows no route.  (`json_data.py` is stricter: here a field may have several names, and a fraction is cut off.)
"""

from collections.abc import Mapping
from typing import Any, TypeVar

from palimpsest.errors import InvalidArgument

T = TypeVar("T")
NAMES = {bool: "a boolean", str: "a string", list: "an array", dict: "an object", int: "a number", float: "a number"}
MAX_INT = 2**31 - 1
GREATEST = 1e300
"""No field needs more; a larger whole number would not fit into a float."""


def called(value: Any) -> str:
    """The JSON type of a value, with its article."""
    return "null" if value is None else NAMES.get(type(value), type(value).__name__)


class Fields:
    """A body.  Of several names for a field, the first that has a value counts."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self._data = data

    def has(self, name: str) -> bool:
        return self._data.get(name) is not None

    def raw(self, name: str) -> Any:
        return self._data.get(name)

    def _first_given(self, names: tuple[str, ...]) -> tuple[str, Any]:
        for name in names:
            if self._data.get(name) is not None:
                return name, self._data[name]
        return names[0], None

    def number(self, *names: str, default: float) -> float:
        name, value = self._first_given(names)
        if value is None:
            return default
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise InvalidArgument(name, f"expected a number, got {called(value)}.")
        if not -GREATEST <= value <= GREATEST:  # so that NaN is caught too
            raise InvalidArgument(name, f"expected a number from -{GREATEST:g} to {GREATEST:g}.")
        return float(value)

    def integer(self, *names: str, default: int, low: int = -MAX_INT - 1, high: int = MAX_INT) -> int:
        """A fraction is cut off: some clients send all numbers as floats."""
        name, _ = self._first_given(names)
        value = int(self.number(*names, default=default))
        if not low <= value <= high:
            raise InvalidArgument(name, f"expected {low} to {high}, got {value}.")
        return value

    def flag(self, name: str, *, default: bool = False) -> bool:
        return self._typed(name, bool, default)

    def text(self, name: str) -> str:
        return self._typed(name, str, "")

    def required_text(self, name: str) -> str:
        if not self.has(name):
            raise InvalidArgument(name, "is missing.")
        return self.text(name)

    def items(self, name: str) -> list[Any]:
        return self._typed(name, list, [])

    def table(self, name: str) -> dict[str, Any]:
        return self._typed(name, dict, {})

    def texts(self, name: str, most: int = MAX_INT) -> tuple[str, ...]:
        """A string, or an array of them, of at most so many."""
        value = self._data.get(name)
        if isinstance(value, str):
            return (value,)
        items = self.items(name)
        if len(items) > most:
            raise InvalidArgument(name, f"expected {most} strings at most, got {len(items)}.")
        for item in items:
            if not isinstance(item, str):
                raise InvalidArgument(name, f"expected strings, got {called(item)} among them.")
        return tuple(items)

    def _typed(self, name: str, kind: type[T], default: T) -> T:
        value = self._data.get(name)
        if value is None:
            return default
        if not isinstance(value, kind):
            raise InvalidArgument(name, f"expected {NAMES[kind]}, got {called(value)}.")
        return value
