"""Pure: renames a definition of a block, together with its uses in the block.

In: a definition, its new name.  Out: edits of the block's lines.  Does not know about documents; the tree comes from
`syntax/`.
"""

from collections.abc import Iterator

from palimpsest.edits.formats.lines import Unplaced, texts
from palimpsest.edits.formats.nodes import BlockNode, Nodes
from palimpsest.edits.shown import ShownBlock
from palimpsest.syntax.names import visible
from palimpsest.syntax.uses import Use, uses
from palimpsest.syntax.values import Scope
from palimpsest.types import LineEdit


def renamed(block: ShownBlock, nodes: Nodes, node: BlockNode, name: str) -> list[LineEdit]:
    """The edits that rename it.  Raises Unplaced if the node has no name or the new name is not valid."""
    if node.scope is None:
        raise Unplaced(f'"{node.address}" has no name that could be changed')
    if not name.isidentifier():
        raise Unplaced(f'"{name}" is not a name')
    lines, data = texts(block), nodes.parsed.snapshot.utf8
    places = dict[int, list[Use]]()
    for use in _uses(nodes, node.scope):
        places.setdefault(use.line, []).append(use)
    edits = list[LineEdit]()
    for line, in_line in sorted(places.items()):
        text = lines[line]
        shift = len(text) - len(text.removeprefix(nodes.margin))
        start = data.rfind(b"\n", 0, in_line[0].start) + 1
        for use in reversed(in_line):
            first = shift + len(data[start : use.start].decode("utf-8", "surrogatepass"))
            text = text[:first] + name + text[first + len(use.name) :]
        edits.append(LineEdit(line, line + 1, (text,)))
    return edits


def _uses(nodes: Nodes, scope: Scope) -> Iterator[Use]:
    """Uses of the definition's name in the block that refer to it; other names spelled the same are left out."""
    same_name = uses(nodes.parsed, scope.name)
    own = next((use for use in same_name if use.role == scope.kind and use.line == scope.def_line), None)
    if own is None:
        raise Unplaced(f'the name of "{scope.qualified_name}" cannot be found: its code is broken')
    heads = _heads(nodes, scope)
    alone = bool(heads) and not scope.is_method  # a method without its class: its bare name is something else
    for use in same_name:
        same = use.belongs is not None and use.belongs == own.belongs and not alone
        member = use.role == "member" and not use.assigned and heads & _owners(nodes, use)
        if use is own or same or member:
            yield use


def _owners(nodes: Nodes, use: Use) -> frozenset[str]:
    """What is known about the owner of a member: the name before the dot, and the name of that object's class."""
    language, at = nodes.parsed.language, (use.start, use.end)
    return language.owners(nodes.parsed, *at) | {language.head(nodes.parsed, *at)}


def _heads(nodes: Nodes, scope: Scope) -> frozenset[str]:
    """Names whose member a method is: its class, and if the class is not in the block, the method's first parameter."""
    if scope.is_method and scope.parent is not None:
        return frozenset({scope.parent.name})
    if scope.kind == "function" and scope.parent is not None and scope.parent.kind == "file" and nodes.around:
        parameters = (item.name for item in visible(nodes.parsed, scope) if item.kind == "parameter")
        return frozenset({nodes.around.rpartition(".")[2], next(parameters, "")}) - {""}
    return frozenset()
