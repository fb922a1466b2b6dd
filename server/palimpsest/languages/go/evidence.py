"""Words in Go code that name the type of a value, found without type inference.

In: a parse and where a member stands.  Out: names of types; empty if there are none.  Does not follow imports.

    c.Add(x)          func (c *Cart) ...     {"Cart"}
    line.Price()      line := &Line{}        {"Line"}
    c.owner.Name      owner *User            {"User"}
"""

from __future__ import annotations

from tree_sitter import Node

from palimpsest.languages.evidence import DEEPEST, NOTHING, WORD, Words, binding_of, of_field
from palimpsest.syntax.parse import Parsed
from palimpsest.syntax.scopes import class_name_around
from palimpsest.syntax.uses import Use, nodes_named

_DECLARES = frozenset({"parameter_declaration", "variadic_parameter_declaration", "var_spec", "const_spec"})
_WRAPPED = frozenset({"parenthesized_expression", "unary_expression"})


def owners(parsed: Parsed, start: int, end: int) -> Words:
    node = parsed.node_at(start, end)
    above = node.parent if node is not None else None
    if node is None or above is None:
        return NOTHING
    if above.type == "selector_expression":
        head = above.child_by_field_name("operand")
        return NOTHING if head is None else _of_value(parsed, head, DEEPEST)
    if above.type in ("method_declaration", "field_declaration", "method_elem"):
        return _around(parsed, node)
    literal = _literal_around(above)
    kind = literal.child_by_field_name("type") if literal is not None else None
    return NOTHING if kind is None else _of_type(parsed, kind)


def head(parsed: Parsed, start: int, end: int) -> str:
    """The package, or the value, before a name, if it is one name."""
    node = parsed.node_at(start, end)
    above = node.parent if node is not None else None
    if above is None:
        return ""
    before = above.child_by_field_name("operand") or above.child_by_field_name("package")
    return parsed.text_of(before) if before is not None and before.type.endswith("identifier") else ""


def _around(parsed: Parsed, node: Node) -> Words:
    name = class_name_around(parsed, node.start_point.row).rpartition(".")[2]
    return frozenset({name}) if name else NOTHING


def _literal_around(node: Node) -> Node | None:
    """The literal `Cart{...}` or `[]Cart{{...}}` whose key a node is part of."""
    steps: Node | None = node
    while steps is not None and steps.type in ("literal_element", "keyed_element", "literal_value"):
        steps = steps.parent
    return steps if steps is not None and steps.type == "composite_literal" else None


def _of_value(parsed: Parsed, node: Node, depth: int) -> Words:
    if depth == 0:
        return NOTHING
    if node.type == "identifier":
        binding = binding_of(parsed, node)
        return NOTHING if binding is None else _bound(parsed, binding, depth - 1)
    if node.type in _WRAPPED:
        inner = node.child_by_field_name("operand") or next(iter(node.named_children), None)
        return NOTHING if inner is None else _of_value(parsed, inner, depth - 1)
    if node.type in ("composite_literal", "type_assertion_expression"):
        kind = node.child_by_field_name("type")
        return NOTHING if kind is None else _of_type(parsed, kind)
    if node.type == "call_expression":
        return _of_call(parsed, node)
    if node.type == "selector_expression":
        return _of_field(parsed, node, depth - 1)
    return frozenset({node.type}) if node.type.endswith("_literal") else NOTHING


def _of_call(parsed: Parsed, call: Node) -> Words:
    """The first type that a function of this file returns; of `new(Cart)` the type."""
    function, arguments = call.child_by_field_name("function"), call.child_by_field_name("arguments")
    if function is None or function.type != "identifier":
        return NOTHING
    name = parsed.text_of(function)
    if name == "new" and arguments is not None and arguments.named_children:
        return _of_type(parsed, arguments.named_children[0])
    for place in nodes_named(parsed, name):
        if place.parent is not None and place.parent.type == "function_declaration":
            result = place.parent.child_by_field_name("result")
            if result is not None and result.type == "parameter_list":
                result = next((child.child_by_field_name("type") for child in result.named_children), None)
            return NOTHING if result is None else _of_type(parsed, result)
    return NOTHING


def _bound(parsed: Parsed, use: Use, depth: int) -> Words:
    """What the place says that binds a name: its type, or the value at the same place on the right."""
    node = parsed.node_at(use.start, use.end)
    above = node.parent if node is not None else None
    if node is None or above is None:
        return NOTHING
    if above.type in _DECLARES:
        kind = above.child_by_field_name("type")
        if kind is not None:
            return _of_type(parsed, kind)
        names = [name for name in above.children_by_field_name("name") if name.is_named]
        values = above.child_by_field_name("value")
    elif above.type == "expression_list" and above.parent is not None:
        if above.parent.type != "short_var_declaration":
            return NOTHING
        names, values = above.named_children, above.parent.child_by_field_name("right")
    else:
        return NOTHING
    at = next((n for n, name in enumerate(names) if name.id == node.id), 0)
    given = values.named_children if values is not None else []
    if len(given) == len(names) or (at == 0 and len(given) == 1):
        return _of_value(parsed, given[at], depth)
    return NOTHING


def _of_field(parsed: Parsed, node: Node, depth: int) -> Words:
    before, field = node.child_by_field_name("operand"), node.child_by_field_name("field")
    if before is None or field is None:
        return NOTHING
    return of_field(parsed, field, _of_value(parsed, before, depth), _around, _of_type)


def _of_type(parsed: Parsed, kind: Node) -> Words:
    return frozenset(WORD.findall(parsed.text_of(kind)))
