"""What a JavaScript or TypeScript file offers to others.

In: a parse.  Out: names of what it defines, and of what it passes on.  Knows no files.

    export { total as sum };                 sum is total
    export default Cart;                     default is Cart
    module.exports = { Cart, sum: total };   Cart, and sum is total
    export { total as sum } from "./cart";   passed on: ./cart, total as sum
    export * from "./cart";                  passed on: ./cart, *
"""

from collections.abc import Iterator, Mapping, Sequence

from tree_sitter import Node

from palimpsest.syntax.imports import imports
from palimpsest.syntax.parse import Parsed
from palimpsest.syntax.values import Import

DEFAULT, EVERYTHING = "default", "*"
_DECLARATIONS = ("lexical_declaration", "variable_declaration")
_AROUND = ("ambient_declaration", "expression_statement")
_NAMESPACES = ("internal_module", "module")
_EXPORTS = ("exports", "module.exports")
_NO_VALUES = ("object", "call_expression")
"""What `module.exports` is given that has no name: it gives its properties, or what it loads."""
_DEEPEST = 1
"""Nodes from the root to a statement at the top of a file."""


def offered(parsed: Parsed) -> dict[str, str] | None:
    """The names that a file exports, each with what it calls it itself; None if it declares modules, which export
    whatever is in them."""
    given = parsed.once(_offered)
    return given if given or not parsed.once(_ambient) else None


def declared_at(parsed: Parsed, line: int) -> str:
    """The module that is declared around a line, `fs` in `declare module "fs"`; "" if there is none."""
    return next((name for name, start, end in parsed.once(_ambient) if start <= line < end), "")


def lists(parsed: Parsed, name: Node) -> bool:
    """Whether a short property stands in `module.exports = { name }`."""
    above = name.parent.parent if name.parent is not None else None
    left = above.child_by_field_name("left") if above is not None else None
    return left is not None and parsed.text_of(left) == _EXPORTS[1]


def _ambient(parsed: Parsed) -> tuple[tuple[str, int, int], ...]:
    """The declared modules of a file with their first line and the one after their last."""
    found = list[tuple[str, int, int]]()
    for node in _top(parsed):
        inner = node.named_children[0] if node.type == "ambient_declaration" and node.named_children else None
        name = inner.child_by_field_name("name") if inner is not None and inner.type == "module" else None
        if name is not None and name.type == "string":
            found.append((_unquoted(parsed, name), node.start_point.row, node.end_point.row + 1))
    return tuple(found)


def reexports(parsed: Parsed) -> list[Import]:
    return list(parsed.once(_reexports))


def whole(parsed: Parsed) -> str | None:
    """What `require` gives of a file, by its name there: of `module.exports = Cart`, of `export = Cart`."""
    return parsed.once(_whole)


def _whole(parsed: Parsed) -> str | None:
    for exported, local, node in _exports(parsed):
        is_all = node.type == "expression_statement" or not any(child.type == DEFAULT for child in node.children)
        if exported == DEFAULT and is_all and node.child_by_field_name("declaration") is None:
            return local
    return None


def _offered(parsed: Parsed) -> dict[str, str]:
    found = dict[str, str]()
    for exported, local, _ in _exports(parsed):
        found.setdefault(exported, local)
    return found


def _reexports(parsed: Parsed) -> list[Import]:
    known, found = {item.bound: item for item in imports(parsed)}, list[Import]()
    for captures in parsed.matches("passed_on", max_depth=_DEEPEST):
        module, line = _unquoted(parsed, captures["module"][0]), captures["statement"][0].start_point.row
        name, alias, whole = (_named(parsed, captures.get(part, ())) for part in ("name", "alias", "whole"))
        name, alias = EVERYTHING if "all" in captures else name, None if alias == name else alias
        found.append(Import(module, name, whole or alias, 0, line))
    for exported, local, node in _exports(parsed):
        if (item := known.get(local)) is not None:
            found.append(Import(item.module, item.name, exported, 0, node.start_point.row))
    return found


def _top(parsed: Parsed) -> list[Node]:
    return [] if parsed.root is None else parsed.root.children


def _exports(parsed: Parsed) -> Iterator[tuple[str, str, Node]]:
    """(Exported name, name in the file, statement)."""
    for captures in parsed.matches("exports", max_depth=_DEEPEST):
        statement = captures["statement"][0]
        yield from ((exported, local, statement) for exported, local in _exported(parsed, statement, captures))


def _exported(parsed: Parsed, statement: Node, captures: Mapping[str, Sequence[Node]]) -> Iterator[tuple[str, str]]:
    """What one match of the section `exports` exports."""
    name, local, whole = (_named(parsed, captures.get(part, ())) for part in ("name", "local", "all"))
    declared, value = (next(iter(captures.get(part, ())), None) for part in ("declared", "value"))
    is_default = any(child.type == DEFAULT for child in statement.children)
    if declared is not None:
        names = list(_declared(parsed, declared))
        yield from [(DEFAULT, next(iter(names), DEFAULT))] if is_default else [(one, one) for one in names]
    elif value is not None and name is not None:
        yield name, parsed.text_of(value) if value.type == "identifier" else name
    elif value is not None and (is_default or value.type not in _NO_VALUES):
        yield DEFAULT, _value(parsed, value)
    elif whole is not None and not is_default:  # `export = Cart`
        yield DEFAULT, whole
        yield from ((one, one) for one in _in_namespace(parsed, whole))
    elif local is not None:
        yield name or local, local


def _declared(parsed: Parsed, node: Node) -> Iterator[str]:
    """The names that a declaration gives."""
    if node.type in _DECLARATIONS:
        for one in node.named_children:
            target = one.child_by_field_name("name")
            if target is not None:
                yield from parsed.language.bound(parsed, target)
    elif node.type == "ambient_declaration":
        for child in node.named_children:
            yield from _declared(parsed, child)
    elif (name := node.child_by_field_name("name")) is not None:
        yield parsed.text_of(name)


def _in_namespace(parsed: Parsed, name: str) -> Iterator[str]:
    """What the namespaces of a name declare: they have what a class or function has besides."""
    for node in _top(parsed):
        inner = node.named_children[0] if node.type in _AROUND and node.named_children else node
        body, named = inner.child_by_field_name("body"), inner.child_by_field_name("name")
        if inner.type in _NAMESPACES and body is not None and named is not None and parsed.text_of(named) == name:
            for child in body.named_children:
                declared = child.child_by_field_name("declaration") or child
                yield from _declared(parsed, declared)


def _value(parsed: Parsed, value: Node | None) -> str:
    """What a value is called in its file; a function without a name is the default itself."""
    if value is not None and value.type == "identifier":
        return parsed.text_of(value)
    name = None if value is None else value.child_by_field_name("name")
    return DEFAULT if name is None else parsed.text_of(name)


def _named(parsed: Parsed, nodes: Sequence[Node]) -> str | None:
    return parsed.text_of(nodes[0]).strip("'\"") if nodes else None


def _unquoted(parsed: Parsed, string: Node) -> str:
    return parsed.text_of(string)[1:-1]
