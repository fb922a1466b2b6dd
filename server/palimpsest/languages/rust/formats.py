"""The variables that Rust's format strings name.

In: a piece of a string.  Out: whether a part of it is a variable: `println!("{total:>width$}")`.
"""

import re

from tree_sitter import Node

from palimpsest.syntax.parse import Parsed
from palimpsest.text.word_lists import word_lists

_BEFORE = {"write": 1, "writeln": 1, "assert": 1, "debug_assert": 1, "ensure": 1} | {
    f"{checks}assert_{kind}": 2 for checks in ("", "debug_") for kind in ("eq", "ne")
}
"""Arguments before the format string."""
_MACROS = frozenset(_BEFORE) | word_lists("palimpsest.languages.rust")["formatting"]
_HOLE = re.compile(rb"\{\{|\{(?P<name>[^\W\d]\w*)?(?::(?P<how>[^{}]*))?\}")
_COUNT = re.compile(rb"([^\W\d]\w*)\$")
"""A width or a precision."""


def names(parsed: Parsed, text: Node, start: int, end: int) -> bool:
    string = text.parent
    holder = None if string is None else string.parent
    mark = None if holder is None or holder.type != "token_tree" else holder.prev_sibling
    called = None if mark is None or mark.type != "!" else mark.prev_sibling  # in a macro of a macro, too
    if string is None or holder is None or called is None:
        return False
    last = parsed.text_of(called).rpartition("::")[2]
    before = [child for child in holder.children if child.end_byte <= string.start_byte]
    if last not in _MACROS or sum(child.type == "," for child in before) != _BEFORE.get(last, 0):
        return False
    name = parsed.snapshot.utf8[start:end]
    is_given = any(  # `x = 1` behind the string is what it means there
        child.type == "identifier" and after.type == "=" and parsed.text_of(child).encode() == name
        for child, after in zip(holder.children, holder.children[1:], strict=False)
    )
    return not is_given and (start - text.start_byte, end - text.start_byte) in _named(
        parsed.snapshot.utf8[text.start_byte : text.end_byte]
    )


def _named(text: bytes) -> set[tuple[int, int]]:
    """Where names stand in a format string, in bytes."""
    found = set[tuple[int, int]]()
    for hole in _HOLE.finditer(text):
        if hole["name"]:
            found.add(hole.span("name"))
        found |= {count.span(1) for count in _COUNT.finditer(text, *hole.span("how"))} if hole["how"] else set()
    return found
