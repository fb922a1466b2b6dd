"""Calls as servers of tools write them: a name, and arguments as JSON.

In: names and JSON that a model wrote.  Out: the same calls as those that are written into a reply.  Pure.
"""

import json
import re
from collections.abc import Mapping
from math import isfinite
from typing import Any

from palimpsest.conversations.calls.parsing import MOST_CALLS, ParsedCall, WrongCall
from palimpsest.text.positions import well_formed

MOST_CHARS = 2_000_000
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]{0,63}")
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*", re.ASCII)
NAMELESS = "unknown"


def native_call(name: str, arguments: str, number: int = 0) -> ParsedCall | WrongCall:
    """`number`: which of the reply's calls it is."""
    if number >= MOST_CALLS:
        return WrongCall(0, f"Only the first {MOST_CALLS} calls of a reply are run.", NAMELESS)
    if not _NAME.fullmatch(name):
        return WrongCall(0, "The call has no name that a tool can have.", NAMELESS)
    if len(arguments) > MOST_CHARS:
        return WrongCall(0, f"The arguments of {name} have {len(arguments)} characters; {MOST_CHARS} are read.", name)
    try:
        values = _read(arguments) if arguments.strip() else {}
    except (ValueError, RecursionError) as error:
        why = "they are nested too deeply" if isinstance(error, RecursionError) else str(error)
        return WrongCall(0, f"The arguments of {name} are no JSON: {why}. Write one JSON object.", name)
    if not isinstance(values, dict):
        return WrongCall(0, f"The arguments of {name} are to be one JSON object.", name)
    return ParsedCall(name, values, 0)


def written(name: str, arguments: Mapping[str, Any]) -> str:
    """The call as a model writes it into a reply."""
    if all(_IDENTIFIER.fullmatch(key) for key in arguments):
        return f"{name}({', '.join(f'{key}={value!r}' for key, value in arguments.items())})"
    return f"{name}(**{dict(arguments)!r})"


def _read(arguments: str) -> Any:
    return _encodable(json.loads(arguments, parse_constant=_no_number, parse_float=_finite))


def _encodable(value: Any) -> Any:
    """The value without lone surrogates, which no database and no editor takes."""
    match value:
        case str():
            return well_formed(value)
        case list():
            return [_encodable(one) for one in value]
        case dict():
            return {well_formed(key): _encodable(one) for key, one in value.items()}
    return value


def _no_number(name: str) -> Any:
    raise ValueError(f"{name} is no number")


def _finite(written: str) -> float:
    """JSON has no way to say what is larger than a float holds, so nobody could be told of it."""
    return float(written) if isfinite(float(written)) else _no_number(written[:20])
