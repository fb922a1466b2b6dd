"""`using` directives.

In: a parse and a directive's node.  Out: `Import`s.  Reads no files.
"""

from __future__ import annotations

from tree_sitter import Node

from palimpsest.syntax.parse import Parsed
from palimpsest.syntax.values import Import

_NAMES = ("identifier", "qualified_name", "generic_name", "alias_qualified_name")


def imported(parsed: Parsed, directive: Node) -> list[Import]:
    """`using A.B;` and `using static A.B;` give everything in a namespace or a class, `using C = A.B;` one name."""
    alias = directive.child_by_field_name("name")
    named = [child for child in directive.named_children if child.type in _NAMES and child != alias]
    if not named:
        return []
    module, line = "".join(parsed.text_of(named[-1]).split()), directive.start_point.row
    if alias is None:
        return [Import(module, "*", None, 0, line)]
    around, _, name = module.partition("<")[0].rpartition(".")
    return [Import(around, name, parsed.text_of(alias), 0, line)]


def is_static(text: str) -> bool:
    """Whether a directive gives the members of a class."""
    return "static" in text.partition("//")[0].split()


def is_global(text: str) -> bool:
    """Whether a directive is one of every file of its project."""
    return text.split()[:1] == ["global"]
