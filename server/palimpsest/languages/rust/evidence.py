"""Words in Rust code that name the type of a value, found without type inference.

In: a parse and where a member stands.  Out: names of types; empty if there are none.  Does not follow imports.

    cart.add(x)          cart: &mut Cart         {"Cart"}
    line.price()         let line = Line::new()  {"Line"}
    self.owner.name      impl Cart, owner: User  {"User"}
"""

from __future__ import annotations

import re

from tree_sitter import Node

from palimpsest.languages.evidence import DEEPEST, NOTHING, WORD, Words, binding_of, of_field
from palimpsest.syntax.parse import Parsed
from palimpsest.syntax.scopes import class_of, scope_at
from palimpsest.syntax.uses import Use

_WRAPPED = frozenset({"reference_expression", "parenthesized_expression", "try_expression", "await_expression"})


def owners(parsed: Parsed, start: int, end: int) -> Words:
    node = parsed.node_at(start, end)
    above = node.parent if node is not None else None
    if node is None or above is None:
        return NOTHING
    match above.type:
        case "field_expression":
            head = above.child_by_field_name("value")
            return NOTHING if head is None else _of_value(parsed, head, DEEPEST)
        case "scoped_identifier" | "scoped_type_identifier":
            head = above.child_by_field_name("path")
            return NOTHING if head is None else _of_path(parsed, head)
        case "field_declaration":
            return _around(parsed, node)
        case "field_initializer":
            holder = above.parent.parent if above.parent is not None else None
            name = holder.child_by_field_name("name") if holder is not None else None
            return NOTHING if name is None else _of_path(parsed, name)
        case "field_pattern":
            kind = above.parent.child_by_field_name("type") if above.parent is not None else None
            return NOTHING if kind is None else _of_path(parsed, kind)
    return NOTHING


def head(parsed: Parsed, start: int, end: int) -> str:
    """The path before a name, if it is one name."""
    node = parsed.node_at(start, end)
    above = node.parent if node is not None else None
    path = above.child_by_field_name("path") if above is not None else None
    return parsed.text_of(path) if path is not None and path.type in ("identifier", "crate", "self", "super") else ""


def _around(parsed: Parsed, node: Node) -> Words:
    """The type whose definition or `impl` a node is in."""
    cls = class_of(parsed, scope_at(parsed, node.start_point.row, node.start_point.column))
    return NOTHING if cls is None else frozenset({cls.name})


def _of_path(parsed: Parsed, path: Node) -> Words:
    """The last name before `::name`; `Self` is the type around."""
    inner = path.child_by_field_name("name") or path.child_by_field_name("type") or path
    name = parsed.text_of(inner)
    return _around(parsed, path) if name == "Self" else frozenset(WORD.findall(name)[-1:])


def _of_value(parsed: Parsed, node: Node, depth: int) -> Words:
    if depth == 0:
        return NOTHING
    inner = node.child_by_field_name("value") or next(iter(node.named_children), None)
    if node.type == "self":
        return _around(parsed, node)
    if node.type == "identifier":
        binding = binding_of(parsed, node)
        return NOTHING if binding is None else _bound(parsed, binding, depth - 1)
    if node.type in _WRAPPED and inner is not None:
        return _of_value(parsed, inner, depth - 1)
    if node.type == "struct_expression":
        name = node.child_by_field_name("name")
        return NOTHING if name is None else _of_path(parsed, name)
    if node.type == "call_expression":
        return _of_call(parsed, node)
    if node.type == "field_expression":
        return _of_field(parsed, node, depth - 1)
    return frozenset({node.type}) if node.type.endswith("_literal") else NOTHING


def _of_call(parsed: Parsed, call: Node) -> Words:
    """What a function of a type returns, `Cart::new()`, is taken to be of that type if a function of this file does not
    say otherwise."""
    function = call.child_by_field_name("function")
    if function is None or function.type != "scoped_identifier":
        return NOTHING
    path, name = function.child_by_field_name("path"), function.child_by_field_name("name")
    if path is None or name is None or not parsed.text_of(path)[:1].isupper():
        return NOTHING
    owner = _of_path(parsed, path)
    for captures in parsed.matches("scopes"):
        item = captures["function"][0] if "function" in captures else None
        result = item.child_by_field_name("return_type") if item is not None else None
        if result is not None and parsed.text_of(captures["name"][0]) == parsed.text_of(name):
            words = _of_type(parsed, result)
            if _around(parsed, captures["name"][0]) == owner:
                return words
    return owner


def _bound(parsed: Parsed, use: Use, depth: int) -> Words:
    node = parsed.node_at(use.start, use.end)
    above = node.parent if node is not None else None
    if above is not None and above.type in ("mut_pattern", "ref_pattern", "reference_pattern"):
        above = above.parent
    if above is None or above.type not in ("parameter", "let_declaration", "const_item", "static_item"):
        return NOTHING
    kind, value = above.child_by_field_name("type"), above.child_by_field_name("value")
    if kind is not None:
        words = _of_type(parsed, kind)
        return _around(parsed, above) | words if "Self" in words else words
    return NOTHING if value is None else _of_value(parsed, value, depth)


def _of_field(parsed: Parsed, node: Node, depth: int) -> Words:
    before, field = node.child_by_field_name("value"), node.child_by_field_name("field")
    if before is None or field is None:
        return NOTHING
    return of_field(parsed, field, _of_value(parsed, before, depth), _around, _of_type)


def _of_type(parsed: Parsed, kind: Node) -> Words:
    """The names in a type, lifetimes left out; `Self` is the type around."""
    words = frozenset(WORD.findall(re.sub(r"'\w+", "", parsed.text_of(kind)))) - {"mut", "dyn", "impl"}
    return (words - {"Self"}) | _around(parsed, kind) if "Self" in words else words
