"""Pure: the definitions of a block by the names shown to the model: `function Cart.add`, `class Cart`.

In: a block shown.  Out: its definitions with their lines.  The tree comes from `syntax/`.

A block is parsed as it is shown, moved to the left margin: marks of omitted code are where code may be.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from palimpsest.edits.formats.lines import Unplaced, indent_of, texts
from palimpsest.edits.shown import ShownBlock
from palimpsest.languages.registry import language_of
from palimpsest.syntax.parse import Parsed, parse_text
from palimpsest.syntax.scopes import scopes
from palimpsest.syntax.values import Scope

KINDS = {"function": "function", "method": "function", "def": "function", "class": "class"}
WHOLE = "file"
"""The address of the whole block if it is not a definition."""


@dataclass(frozen=True, slots=True)
class BlockNode:
    """Lines `start..end` of the block as shown; `scope` is None for the whole block."""

    address: str
    path: str
    start: int
    end: int
    scope: Scope | None = None


@dataclass(frozen=True, slots=True)
class Nodes:
    """`margin` is the indentation of the block's lines, which the parse leaves out; `around` is the qualified name of
    the scope around the block."""

    found: tuple[BlockNode, ...]
    whole: BlockNode
    parsed: Parsed
    margin: str
    around: str

    def at(self, address: str) -> BlockNode:
        """The definition of this name.  The kind and the names of outer scopes may be omitted.  Raises Unplaced, which
        lists the existing definitions."""
        words = " ".join(address.split())
        for node in (*self.found, self.whole):
            if node.address == words:
                return node
        kind, _, path = words.rpartition(" ")
        path = path.removesuffix("()")
        wanted = KINDS.get(kind.removeprefix("async "), kind)
        nodes = [n for n in self.found if n.scope is not None and (not kind or n.scope.kind == wanted)]
        for fits in (
            [n for n in nodes if n.path == path],
            [n for n in nodes if path and (n.path.endswith(f".{path}") or path.endswith(f".{n.path}"))],
        ):
            if len(fits) == 1:
                return fits[0]
            if fits:
                raise Unplaced(f'"{words}" could be {_listed(fits)}')
        raise Unplaced(f'there is no "{words}"; there are {_listed(self.found)}')


def nodes_of(block: ShownBlock) -> Nodes:
    """The definitions of a block, outer ones before inner ones.  If no definition spans the whole block, the whole
    block comes first."""
    lines = texts(block)
    margin = indent_of(next((line for line in lines if line.strip()), ""))
    parsed = parse_text("\n".join(line.removeprefix(margin) for line in lines), language_of("", block.uri))
    is_lines = parsed.snapshot.line_count == len(lines)  # a lone carriage return would count as another line
    definitions = scopes(parsed)[1:] if is_lines else []
    around, _, name = block.scope.rpartition(".")
    if not any(scope.qualified_name == name for scope in definitions):
        around = ""
    nodes, seen = list[BlockNode](), Counter[str]()
    for scope in definitions:
        path = f"{around}.{scope.qualified_name}".lstrip(".")
        address = f"{scope.kind} {path}"
        seen[address] += 1
        numbered = f"{address} #{seen[address]}" if seen[address] > 1 else address
        nodes.append(BlockNode(numbered, path, scope.start_line, scope.end_line, scope))
    whole = BlockNode(WHOLE, "", 0, len(lines))
    outside = set(range(len(lines))).difference(*(range(node.start, node.end) for node in nodes))
    if not nodes or any(lines[i].strip() for i in outside):
        nodes.insert(0, whole)
    return Nodes(tuple(nodes), whole, parsed, margin, around)


def _listed(nodes: Sequence[BlockNode]) -> str:
    names = [f'"{node.address}"' for node in nodes[:12]]
    return ", ".join([*names, "…"] if len(nodes) > 12 else names)
