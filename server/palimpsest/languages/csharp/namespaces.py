"""The namespaces of a C# file.

In: a parse, or a text.  Out: names, those of namespaces around them included.
"""

import re
from collections.abc import Sequence

from tree_sitter import Node

from palimpsest.syntax.parse import Parsed
from palimpsest.syntax.values import Import

_DECLARED = re.compile(r"^([ \t]*)namespace[ \t]+([^\W\d]\w*(?:\.[^\W\d]\w*)*)[ \t]*(?:[;{][ \t]*)?(?://.*)?\r?$", re.M)
_NAMES = ("identifier", "qualified_name", "generic_name", "alias_qualified_name")


def in_text(text: str) -> list[str]:
    """By lines alone: a namespace that is indented deeper than the one before is inside of it."""
    found, around = list[str](), list[tuple[int, str]]()
    for indent, name in _DECLARED.findall(text):
        depth = len(indent.expandtabs(4))
        while around and around[-1][0] >= depth:
            around.pop()
        whole = f"{around[-1][1]}.{name}" if around else name
        around.append((depth, whole))
        found.append(whole)
    return found


def declared(parsed: Parsed) -> Sequence[tuple[str, int, int]]:
    """Namespaces with their first line and the one after their last, outer ones first."""
    return parsed.once(_declared)


def at(parsed: Parsed, line: int) -> str:
    """The namespace around a line; "" for none."""
    return next((name for name, start, end in reversed(declared(parsed)) if start <= line < end), "")


def _declared(parsed: Parsed) -> tuple[tuple[str, int, int], ...]:
    found = list[tuple[str, int, int]]()
    for captures in parsed.matches("packages"):
        name, node = captures["package"][0], captures["inside"][0]
        start, written = node.start_point.row, "".join(parsed.text_of(name).split())
        around, _, end = next((one for one in reversed(found) if one[1] <= start < one[2]), ("", 0, 0))
        end = (end or parsed.snapshot.line_count) if "file" in captures else node.end_point.row + 1
        found.append((f"{around}.{written}" if around else written, start, end))
    return tuple(found)


def imported(parsed: Parsed, statement: Node) -> list[Import]:
    """`using A.B;` and `using static A.B;` give everything in a namespace or a class, `using C = A.B;` one name."""
    alias = statement.child_by_field_name("name")
    named = [child for child in statement.named_children if child.type in _NAMES and child != alias]
    if not named:
        return []
    module, line = "".join(parsed.text_of(named[-1]).split()), statement.start_point.row
    if alias is None:
        return [Import(module, "*", None, 0, line)]
    around, _, name = module.partition("<")[0].rpartition(".")
    return [Import(around, name, parsed.text_of(alias), 0, line)]


def is_static(text: str) -> bool:
    """Whether a directive gives the members of a class."""
    return "static" in text.partition("//")[0].split()
