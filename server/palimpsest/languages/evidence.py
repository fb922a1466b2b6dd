"""What Go and Rust code says of the types of values in the same way, found without type inference.

In: a parse and nodes.  Out: names of types; empty if there are none.  Does not follow imports.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from tree_sitter import Node

from palimpsest.syntax.parse import Parsed
from palimpsest.syntax.uses import Use, nodes_named, uses

DEEPEST = 6
"""Maximum number of steps from a value to its declaration."""
WORD = re.compile(r"[^\W\d]\w*")
Words = frozenset[str]
NOTHING: Words = frozenset()


def binding_of(parsed: Parsed, name: Node) -> Use | None:
    """The last place before a name that binds it."""
    found = uses(parsed, parsed.text_of(name))
    own = next((use for use in found if use.start == name.start_byte), None)
    if own is None or own.belongs is None:
        return None
    binding = [use for use in found if use.binds and use.belongs == own.belongs and use.start <= name.start_byte]
    return binding[-1] if binding else None


def of_field(
    parsed: Parsed,
    field: Node,
    holders: Words,
    holder_of: Callable[[Parsed, Node], Words],
    of_type: Callable[[Parsed, Node], Words],
) -> Words:
    """The type of a field, as one of the `holders` declares it in this file."""
    found = set[str]()
    for place in nodes_named(parsed, parsed.text_of(field)) if holders else ():
        declared = place.parent
        if declared is not None and declared.type == "field_declaration" and holder_of(parsed, place) & holders:
            kind = declared.child_by_field_name("type")
            found |= of_type(parsed, kind) if kind is not None else set()
    return frozenset(found)
