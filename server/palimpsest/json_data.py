"""JSON from others as dataclasses, and dataclasses as JSON.

In: decoded JSON from another process, a file or an editor, and the dataclass that it should be.  Out: the value, or
InvalidArgument that names the field together with what it is in: `edits[2].line`.  Knows no dataclass of ours.

Nothing is converted silently: "3" is not a number, true is not 1, and a string is not a list of its characters.  A
whole number may stand for a float.  Fields that the dataclass does not have are ignored: a newer version may send them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass
from functools import cache, partial
from types import GenericAlias
from typing import Annotated, Any, Literal, TypeVar, get_args, get_origin, get_type_hints

import cattrs
from cattrs.errors import AttributeValidationNote, BaseValidationError, IterableValidationNote
from cattrs.gen import make_dict_structure_fn

from palimpsest.errors import InvalidArgument

T = TypeVar("T")
Hook = Callable[[Any, Any], Any]
WORDS = {int: "a whole number", float: "a number", str: "a string", bool: "true or false"}
LONGEST_SHOWN = 60


@dataclass(frozen=True, slots=True)
class Range:
    """The numbers that a field may have, both ends included: `Annotated[int, Range(0, 100)]`."""

    low: float
    high: float


def from_json(data: Any, kind: type[T]) -> T:
    """`data` as a value of the dataclass `kind`.  Raises InvalidArgument for the first field that is wrong; where
    `data` as a whole is, the field is the dataclass's name."""
    try:
        return _converter().structure(data, kind)
    except (BaseValidationError, KeyError, TypeError, ValueError, OverflowError) as error:
        field, problem = _first_problem(error)
        raise InvalidArgument(field or kind.__name__, problem) from None


def to_json(value: Any) -> dict[str, Any]:
    converted: dict[str, Any] = _converter().unstructure(value)
    return converted


@cache
def _converter() -> cattrs.Converter:
    converter = cattrs.Converter(forbid_extra_keys=False)

    def objects(kind: type) -> Hook:
        hints = get_type_hints(kind, include_extras=True)
        for field in fields(kind):
            field.type = hints[field.name]  # cattrs reads annotations that are strings without their `Range`
        return _checked(dict, "an object", make_dict_structure_fn(kind, converter))

    def lists(kind: Any) -> Hook:
        items: Any = GenericAlias(tuple, (*get_args(kind), ...))
        return _checked(list, "a list", lambda value, _kind: list(many(value, items)))

    def tuples(kind: Any) -> Hook:
        checked = _checked((list, tuple), "a list", lambda value, _kind: many(value, kind))  # a text is none of letters
        return lambda value, kind: checked([] if value == {} else value, kind)  # Lua writes an empty list so

    many = converter.get_structure_hook(tuple[str, ...])
    for scalar in WORDS:
        converter.register_structure_hook(scalar, _scalar)
    converter.register_structure_hook_func(partial(_is, Literal), _choice)
    converter.register_structure_hook_factory(is_dataclass, objects)
    converter.register_structure_hook_factory(partial(_is, list), lists)
    converter.register_structure_hook_factory(partial(_is, tuple), tuples)
    converter.register_structure_hook_factory(_has_range, lambda kind: _ranged(*get_args(kind)[:2]))
    return converter


def _is(origin: Any, kind: Any) -> bool:
    return get_origin(kind) is origin


def _has_range(kind: Any) -> bool:
    return _is(Annotated, kind) and isinstance(get_args(kind)[1], Range)


def _scalar(value: Any, kind: Any) -> Any:
    if kind is float and type(value) is int:
        try:
            return float(value)
        except OverflowError:  # JSON's whole numbers have no bound
            raise ValueError("expected a smaller number") from None
    if type(value) is not kind:
        raise TypeError(f"expected {WORDS[kind]}, got {_shown(value)}")
    return value


def _choice(value: Any, kind: Any) -> Any:
    choices = get_args(kind)
    if value not in choices:
        raise ValueError(f"expected one of {', '.join(str(one) for one in choices if one != '')}, got {_shown(value)}")
    return value


def _checked(shape: type | tuple[type, ...], words: str, inner: Hook) -> Hook:
    def structure(value: Any, kind: Any) -> Any:
        if not isinstance(value, shape):
            raise TypeError(f"expected {words}, got {_shown(value)}")
        return inner(value, kind)

    return structure


def _ranged(scalar: type, bounds: Range) -> Hook:
    def structure(value: Any, _kind: Any) -> Any:
        number = _scalar(value, scalar)
        if not bounds.low <= number <= bounds.high:
            raise ValueError(f"expected {bounds.low} to {bounds.high}, got {number}")
        return number

    return structure


def _first_problem(error: BaseException) -> tuple[str, str]:
    """Where the first error lies, as a path, and what it is."""
    path = ""
    while isinstance(error, BaseValidationError):
        error = error.exceptions[0]
        for note in getattr(error, "__notes__", ()):
            if isinstance(note, AttributeValidationNote):
                path += f".{note.name}"
            elif isinstance(note, IterableValidationNote):
                path += f"[{note.index!r}]"
    return path.removeprefix("."), "is missing" if isinstance(error, KeyError) else str(error)


def _shown(value: Any) -> str:
    try:
        text = repr(value)
    except RecursionError:
        return "what is nested too deeply"
    return text if len(text) <= LONGEST_SHOWN else text[: LONGEST_SHOWN - 1] + "…"
