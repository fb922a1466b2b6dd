"""What lines define, which names are undefined, and what is defined twice.

In: a parse.  Out: names.  Does not infer types, follow imports or know about edits.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from tree_sitter import Node

from palimpsest.syntax.imports import imports
from palimpsest.syntax.names import names_in
from palimpsest.syntax.parse import Parsed
from palimpsest.text.snapshot import Position


@dataclass(frozen=True, slots=True)
class Unbound:
    """An undefined name that begins at `start`."""

    name: str
    start: Position


def bound_in(parsed: Parsed, start_line: int, end_line: int) -> set[str]:
    """The names that the lines `start..end` bind: definitions, parameters, targets, imports, but not members."""
    captures = parsed.captures("binds", start_line, end_line)
    found = {parsed.text_of(node) for node in captures.get("name", ())}
    for target in captures.get("target", ()):
        found.update(name for name in parsed.language.bound(parsed, target) if "." not in name)
    return found


def free_in(parsed: Parsed, start_line: int, end_line: int) -> set[str]:
    """The names that the lines use and that neither they nor the language define; empty if a wildcard import makes it
    impossible to know."""
    if parsed.root is None or any(item.bound == "*" for item in imports(parsed)):
        return set()
    known = parsed.language.builtins | bound_in(parsed, start_line, end_line)
    return names_in(parsed, start_line, end_line) - known


def unbound_in(parsed: Parsed, start_line: int, end_line: int) -> list[Unbound]:
    """Where the lines `start..end` use a name that neither the document nor the language defines and that occurs only
    once, in order: a name that occurs twice is hardly a typing error.  Empty if the document does not parse, since
    broken code contains words that only look like names."""
    if parsed.n_errors:
        return []
    free = free_in(parsed, start_line, end_line) - bound_in(parsed, 0, parsed.snapshot.line_count)
    places = Counter[str]()
    found = list[Unbound]()
    for node in parsed.captures("names", 0, parsed.snapshot.line_count).get("name", ()):
        name, row = parsed.text_of(node), node.start_point.row
        places[name] += 1
        if name in free and start_line <= row < end_line:
            found.append(Unbound(name, parsed.snapshot.at_point(row, node.start_point.column)))
    return sorted((one for one in found if places[one.name] == 1), key=lambda one: one.start)


def defined_twice(parsed: Parsed) -> Counter[str]:
    """Qualified names that several definitions of one block have, with their number.

    Definitions with decorators are left out (a property's setter, an overload), and so are those in the branches of an
    `if`, which are separate blocks.
    """
    nodes, decorated = dict[int, tuple[Node, str]](), set[int]()
    for captures in parsed.matches("scopes"):
        node = next(captures[kind][0] for kind in ("function", "class") if kind in captures)
        nodes[node.id] = node, parsed.text_of(captures["name"][0])
        if "outer" in captures:
            decorated.add(node.id)
    counted = Counter[tuple[int, str]]()
    for node_id, (node, _) in nodes.items():
        if node_id not in decorated and node.parent is not None:
            counted[node.parent.id, _qualified(node, nodes)] += 1
    twice = Counter[str]()
    for (_, name), n in counted.items():
        twice[name] += n if n > 1 else 0
    return +twice


def documented_twice(parsed: Parsed) -> int:
    """The number of definitions with a second documentation right after their first."""
    return len(parsed.matches("documented"))


def _qualified(node: Node, nodes: dict[int, tuple[Node, str]]) -> str:
    names = list[str]()
    around: Node | None = node
    while around is not None:
        if around.id in nodes:
            names.append(nodes[around.id][1])
        around = around.parent
    return ".".join(reversed(names))
