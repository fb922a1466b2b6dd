"""What lines define, which names are undefined, and what is defined twice.

In: a parse.  Out: names.  Does not infer types, follow imports or know about edits.
"""

from collections import Counter
from dataclasses import dataclass
from itertools import chain

from tree_sitter import Node

from palimpsest.syntax.definitions import definition, wrapped
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
    """The names that the lines use and that neither they nor the language define, without those that may be defined
    elsewhere, which only other files could tell."""
    if parsed.root is None:
        return set()
    free = names_in(parsed, start_line, end_line) - parsed.language.builtins - bound_in(parsed, start_line, end_line)
    nodes = parsed.captures("names", start_line, end_line).get("name", ()) if free else ()
    elsewhere = (node for node in nodes if parsed.text_of(node) in free)
    return free - {parsed.text_of(node) for node in elsewhere if parsed.language.may_be_elsewhere(parsed, node)}


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
    `if`, which are separate blocks, functions whose parameters tell them apart, declarations without a body, and
    what the language says of a name (`variants`).
    """
    nodes, decorated = dict[int, tuple[Node, str]](), set[int]()
    headers = dict[int, str]()
    variants = {node.id for captures in parsed.matches("variants") for node in chain(*captures.values())}
    for captures in parsed.matches("scopes"):
        _, node = definition(captures)
        owner = f"{parsed.text_of(captures['owner'][0])}." if "owner" in captures else ""
        nodes[node.id] = node, owner + parsed.text_of(captures["name"][0])
        is_part = "outer" in captures or "adds" in captures or "body" not in captures
        if is_part or captures["name"][0].id in variants:
            decorated.add(node.id)
        if "function" in captures and parsed.language.overloads:
            end = captures["body"][0].start_byte if "body" in captures else node.end_byte
            header = parsed.snapshot.utf8[node.start_byte : end]
            headers[node.id] = " ".join(header.decode("utf-8", "surrogatepass").split())
    counted = Counter[tuple[int, str, str]]()
    for node_id, (node, _) in nodes.items():
        around = wrapped(parsed, node).parent
        if node_id not in decorated and around is not None:
            counted[around.id, _qualified(parsed, node, nodes), headers.get(node_id, "")] += 1
    twice = Counter[str]()
    for (_, name, _), n in counted.items():
        twice[name] += n if n > 1 else 0
    return +twice


def documented_twice(parsed: Parsed) -> int:
    """The number of definitions with a second documentation right after their first."""
    return len(parsed.matches("documented"))


def _qualified(parsed: Parsed, node: Node, nodes: dict[int, tuple[Node, str]]) -> str:
    return ".".join(nodes[around.id][1] for around in parsed.path(node) if around.id in nodes)
