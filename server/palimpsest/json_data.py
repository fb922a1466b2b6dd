"""JSON from others as dataclasses, and dataclasses as JSON.

In: decoded JSON from another process, a file or an editor, and the dataclass that it should be.  Out: the value, or
InvalidArgument that names the field together with what it is in: `edits[2].line`.  Knows no dataclass of ours.

Nothing is converted silently: "3" is not a number, true is not 1, and a string is not a list of its characters.  A
whole number may stand for a float.  Fields that the dataclass does not have are ignored: a newer version may send them.

msgspec says where it stopped; what is there and what should be is said here, in words and with the value.
"""

import re
from types import NoneType
from typing import Annotated, Any, Literal, TypeVar, get_args, get_origin, get_type_hints

import msgspec

from palimpsest.errors import InvalidArgument, shown

T = TypeVar("T")
WORDS: dict[Any, str] = {
    int: "a whole number", float: "a number", str: "a string", bool: "true or false", list: "a list", tuple: "a list"
}  # fmt: skip
_WHERE = re.compile(r" - at `\$\.?([^`]*)`$")
_STEP = re.compile(r"(\w+)|\[(\d+|\.\.\.)\]")
_MISSING = re.compile(r"missing required field `(\w+)`")


def Range(low: float, high: float) -> msgspec.Meta:
    """The numbers that a field may have, both ends included: `Annotated[int, Range(0, 100)]`."""
    return msgspec.Meta(ge=low, le=high)


def Length(low: int, high: int) -> msgspec.Meta:
    """How long a list or a text may be, both ends included: `Annotated[str, Length(1, 100)]`."""
    return msgspec.Meta(min_length=low, max_length=high)


def from_json(data: Any, kind: type[T]) -> T:
    """`data` as a value of the dataclass `kind`.  Raises InvalidArgument for the first field that is wrong; where
    `data` as a whole is, the field is the dataclass's name."""
    try:
        return msgspec.convert(data, kind)
    except RecursionError:
        field, problem = "", "is nested too deeply"
    except UnicodeEncodeError:
        field, problem = "", "has half a character (a lone surrogate) where no text is wanted, or in a field's name"
    except msgspec.ValidationError as error:
        field, problem = _problem(str(error), data, kind)
    raise InvalidArgument(field or kind.__name__, problem)


def checked(value: T) -> None:
    """A dataclass that was not read from JSON.  Raises InvalidArgument."""
    try:
        data = to_json(value)
    except RecursionError:
        raise InvalidArgument(type(value).__name__, "is nested too deeply") from None
    from_json(data, type(value))


def to_json(value: Any) -> dict[str, Any]:
    converted: dict[str, Any] = msgspec.to_builtins(value)
    return converted


def _problem(message: str, value: Any, wanted: Any) -> tuple[str, str]:
    """The field, and what is wrong with it."""
    where, missing, field = _WHERE.search(message), _MISSING.search(message), ""
    if where is None and missing is None and isinstance(value, dict):
        return "", message
    for name, index in _STEP.findall("" if where is None else where[1]):
        kind, _ = _plain(wanted)
        if name:
            wanted, field = get_type_hints(kind, include_extras=True)[name], f"{field}.{name}"
            value = value[name]
            continue
        kinds = get_args(kind)
        at: Any
        if index == "...":  # some key of an object
            wanted = kinds[1]
            at = next(key for key, one in value.items() if not _fits(one, wanted))
        else:
            at = int(index)
            wanted = kinds[0] if len(kinds) == 1 or ... in kinds else kinds[at]
        value, field = value[at], f"{field}[{at!r}]"
    if missing is not None:
        return f"{field}.{missing[1]}".removeprefix("."), "is missing"
    return field.removeprefix("."), f"expected {_expected(wanted, value)}"


def _fits(value: Any, kind: Any) -> bool:
    try:
        msgspec.convert(value, kind)
    except (msgspec.ValidationError, UnicodeEncodeError):
        return False
    return True


def _expected(wanted: Any, value: Any) -> str:
    plain, bounds = _plain(wanted)
    kind = get_origin(plain) or plain
    if kind is Literal:
        return f"one of {', '.join(str(one) for one in get_args(plain) if one != '')}, got {shown(value)}"
    is_number = kind in (int, float) and type(value) in (int, kind)
    if bounds is not None and is_number:
        return f"{bounds.ge} to {bounds.le}, got {shown(value)}"
    if bounds is not None and bounds.max_length is not None and isinstance(value, kind):
        what = "characters" if kind is str else "of them"
        return f"{bounds.min_length:,} to {bounds.max_length:,} {what}, got {len(value):,}"
    if is_number:
        return "a smaller number"  # JSON's whole numbers have no bound
    if kind is tuple and isinstance(value, list | tuple):
        return f"a list of {len(get_args(plain))}, got {shown(value)}"
    return f"{WORDS.get(kind, 'an object')}, got {shown(value)}"


def _plain(kind: Any) -> tuple[Any, msgspec.Meta | None]:
    """The type without None and bounds, and the bounds."""
    bounds = None
    while get_origin(kind) is Annotated or NoneType in get_args(kind):
        if get_origin(kind) is Annotated:
            bounds = get_args(kind)[1]
        kind = next(one for one in get_args(kind) if one is not NoneType)
    return kind, bounds
