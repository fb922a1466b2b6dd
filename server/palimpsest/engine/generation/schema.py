"""A JSON schema as llguidance reads it.

In: a decoded schema.  Out: a grammar for llguidance, which ignores the name of what it does not know, as llama-server
does.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from llguidance import LLMatcher

from palimpsest.errors import InvalidArgument

MAX_BYTES = 256 << 10
FIELD = "json_schema"
LARGEST_MULTIPLE = 100_000
"""The least common multiple of all that a schema wants numbers to be multiples of is at most this, without the decimal
point: llguidance takes 10 microseconds and half a kilobyte for each remainder, in the one thing whose time and memory
it does not bound."""
SPACE = r"(| |\n[ \t]{0,20})"
"""Between the elements of JSON: nearly llama-server's own; a model may go on with spaces for ever."""
MAPS, LISTS, ONE = ("properties", "$defs", "definitions"), ("anyOf", "oneOf", "prefixItems"), ("items",)
"""Keywords with schemas in them."""


def json_grammar(schema: Any) -> str:
    """Raises InvalidArgument that says what is not understood, or which bound is exceeded."""
    if not isinstance(schema, dict):
        raise InvalidArgument(FIELD, "expected an object.")
    try:
        text = json.dumps(_closed(schema))
        multiple = math.lcm(*_multiples(schema))
    except RecursionError:
        raise InvalidArgument(FIELD, "is nested too deep.") from None
    if len(text) > MAX_BYTES:
        raise InvalidArgument(FIELD, f"is larger than {MAX_BYTES >> 10} KiB.")
    if multiple > LARGEST_MULTIPLE:
        why = f"wants multiples of {multiple}, which asks for more than can be followed: {LARGEST_MULTIPLE} at most"
        raise InvalidArgument(FIELD, f"{why}, of all `multipleOf` together.")
    try:
        return LLMatcher.grammar_from_json_schema(text, overrides={"lenient": True, "whitespace_pattern": SPACE})
    except ValueError as error:
        raise InvalidArgument(FIELD, f"is not understood: {str(error)[:200]}") from None


def _closed(schema: Any) -> Any:
    """An object whose properties are named has no others, as llama-server has it, unless the schema says so."""
    if not isinstance(schema, dict):
        return schema
    made = dict(schema)
    for key, value in schema.items():
        if key in MAPS and isinstance(value, dict):
            made[key] = {name: _closed(inner) for name, inner in value.items()}
        elif key in LISTS and isinstance(value, list):
            made[key] = [_closed(inner) for inner in value]
        elif key in ONE:
            made[key] = _closed(value)
    if "properties" in made and "allOf" not in made:
        made.setdefault("additionalProperties", False)
    return made


def _multiples(schema: Any) -> Iterator[int]:
    """The significant digits of each `multipleOf`, and the zeros before the point; 0.25: 25."""
    for inner in schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ():
        yield from _multiples(inner)
    given = schema.get("multipleOf") if isinstance(schema, dict) else None
    if isinstance(given, int | float) and math.isfinite(given) and given > 0:
        number = Decimal(str(given)).normalize()
        yield int(number if number == number.to_integral_value() else number.scaleb(-int(number.as_tuple().exponent)))
