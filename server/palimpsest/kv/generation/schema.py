"""A JSON schema as a grammar, bounded before it is converted and after.

In: a decoded schema.  Out: GBNF.  The conversion is llama-cpp-python's; it writes repetitions out, recurses over what
is nested, and takes what it finds for what it expects: so depth, size, counts and repetitions are looked at first.
"""

from __future__ import annotations

import json
import re
from functools import lru_cache
from typing import Any

from palimpsest.errors import InvalidArgument
from palimpsest.kv.generation.admission import admit
from palimpsest.kv.generation.gbnf import MAX_DEPTH

MAX_BYTES = 256 << 10
MAX_NESTED = 64
MAX_VALUES = 10_000
"""Values of the schema, at any depth: each property, each of an `enum`."""
MAX_COUNT = MAX_DEPTH - 20
"""The greatest `minLength`, `maxItems` and the like, and repetition in a `pattern`: each optional one makes a
parenthesis."""
MAX_PATTERN = 2_000
MAX_MADE = 8_000
"""Rules that a conversion may make, those made over again counted too: names that lead to one another multiply."""
MAX_GRAMMAR = 1 << 20
"""Bytes that repetitions may come to, written out."""
COUNTS = ("minLength", "maxLength", "minItems", "maxItems")
BRACES = re.compile(r"\{([^}]*)\}")
QUANTIFIER = re.compile(r"\s*([0-9]{0,6})\s*(?:,\s*([0-9]{0,6})\s*)?")
ESCAPED = re.compile(r"\\.", re.DOTALL)
FIELD = "json_schema"


def grammar_of(schema: Any) -> str:
    """Raises InvalidArgument that says what is not understood, or which bound is exceeded."""
    if not isinstance(schema, dict):
        raise InvalidArgument(FIELD, "expected an object.")
    _check(schema)
    return _converted(json.dumps(schema))


@lru_cache(maxsize=8)
def _converted(text: str) -> str:
    if len(text) > MAX_BYTES:
        raise InvalidArgument(FIELD, f"is larger than {MAX_BYTES >> 10} KiB.")
    try:
        made = _convert(text)
    except InvalidArgument:
        raise
    except Exception as error:  # whatever a strange schema makes of it
        raise InvalidArgument(FIELD, f"is not understood: {str(error)[:200]}") from None
    try:
        admit(made)
    except InvalidArgument as error:
        raise InvalidArgument(FIELD, f"as a grammar, {error.message.partition(': ')[2]}") from None
    return made


def _convert(text: str) -> str:
    from llama_cpp.llama_grammar import SchemaConverter

    class Converter(SchemaConverter):  # type: ignore[misc]
        n_made = 0

        def _add_rule(self, name: Any, rule: Any) -> Any:
            self.n_made += 1
            if self.n_made > MAX_MADE:
                raise InvalidArgument(FIELD, f"comes to more than {MAX_MADE:,} rules.")
            return super()._add_rule(name, rule)

    converter = Converter(prop_order={}, allow_fetch=False, dotall=False, raw_pattern=False)
    converter.visit(converter.resolve_refs(json.loads(text), "stdin"), "")
    return str(converter.format_grammar())


def _check(schema: dict[str, Any]) -> None:
    """Raises InvalidArgument for what is nested too deep, too much, or repeated too often."""
    n_values, written = 0, 0
    todo: list[tuple[Any, int]] = [(schema, 1)]
    while todo:
        value, depth = todo.pop()
        n_values += 1
        if n_values > MAX_VALUES:
            raise InvalidArgument(FIELD, f"has more than {MAX_VALUES:,} values.")
        if depth > MAX_NESTED:
            raise InvalidArgument(FIELD, f"is nested deeper than {MAX_NESTED} levels.")
        if isinstance(value, dict):
            written += _count(value) * 16
            todo += [(inner, depth + 1) for inner in value.values()]
        elif isinstance(value, list):
            todo += [(inner, depth + 1) for inner in value]
        if written > MAX_GRAMMAR:
            raise InvalidArgument(
                FIELD, f"has repetitions that come to more than {MAX_GRAMMAR >> 20} MiB, written out."
            )


def _count(schema: dict[str, Any]) -> int:
    """How often one level of a schema writes something out."""
    found = 0
    for name in COUNTS:
        if name in schema and not isinstance(schema[name], (dict, list)):  # else a property of that name
            value = schema[name]
            if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= MAX_COUNT:
                raise InvalidArgument(f"{FIELD}.{name}", f"expected a whole number from 0 to {MAX_COUNT}.")
            found += value
    pattern = schema.get("pattern")
    return found + (_repeated(pattern) if isinstance(pattern, str) else 0)


def _repeated(pattern: str) -> int:
    field = f"{FIELD}.pattern"
    if len(pattern) > MAX_PATTERN:
        raise InvalidArgument(field, f"is longer than {MAX_PATTERN:,} characters.")
    if pattern.count("(") > MAX_NESTED:
        raise InvalidArgument(field, f"has more than {MAX_NESTED} parentheses.")
    found = 0
    for braces in BRACES.findall(ESCAPED.sub("", pattern)):
        quantifier = QUANTIFIER.fullmatch(braces)
        if quantifier is None and not any(char.isdigit() for char in braces):
            continue  # no repetition
        times = max(int(n or 0) for n in quantifier.groups()) if quantifier is not None else MAX_COUNT + 1
        if times > MAX_COUNT:
            raise InvalidArgument(field, f"repeats something more than {MAX_COUNT} times.")
        found += times
    # a repetition is written out with the text it is of, which may be all of the pattern
    return found * max(1, len(pattern) // 16)
