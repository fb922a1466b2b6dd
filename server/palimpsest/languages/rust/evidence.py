"""Words in Rust code that name the type of a value, found without type inference.

cart.add(x)          cart: &mut Cart         {"Cart"}
line.price()         let line = Line::new()  {"Line"}
self.owner.name      impl Cart, owner: User  {"User"}
"""

import re

from tree_sitter import Node

from palimpsest.languages.typed_values import NOTHING, TypedValues, Words, class_name
from palimpsest.syntax.parse import Parsed

_WORD = re.compile(r"(?<![\w'])[^\W\d]\w*")
"""A name that is no lifetime."""
_NO_TYPES = frozenset({"mut", "dyn", "impl"})


class _RustValues(TypedValues):
    def owners(self, parsed: Parsed, start: int, end: int) -> Words:
        node = parsed.node_at(start, end)
        above = node.parent if node is not None else None
        if node is None or above is None:
            return NOTHING
        kind: Node | None = None
        match above.type:
            case "scoped_identifier" | "scoped_type_identifier":
                kind = above.child_by_field_name("path")
            case "field_declaration":
                return class_name(parsed, node)
            case "field_initializer":
                holder = above.parent.parent if above.parent is not None else None
                kind = holder.child_by_field_name("name") if holder is not None else None
            case "field_pattern":
                kind = above.parent.child_by_field_name("type") if above.parent is not None else None
            case _:
                return super().owners(parsed, start, end)
        return NOTHING if kind is None else _of_path(parsed, kind)

    def head(self, parsed: Parsed, start: int, end: int) -> str:
        """The path before a name, if it is one name."""
        node = parsed.node_at(start, end)
        above = node.parent if node is not None else None
        path = above.child_by_field_name("path") if above is not None else None
        is_name = path is not None and path.type in ("identifier", "crate", "self", "super")
        return parsed.text_of(path) if path is not None and is_name else ""

    def class_of(self, parsed: Parsed, written: Node) -> Words:
        """The names in a type, lifetimes left out; `Self` is the type around."""
        words = frozenset(_WORD.findall(parsed.text_of(written))) - _NO_TYPES
        return (words - {"Self"}) | class_name(parsed, written) if "Self" in words else words

    def _of_value(self, parsed: Parsed, node: Node, depth: int) -> Words:
        if node.type == "self":
            return class_name(parsed, node)
        if node.type == "struct_expression":
            name = node.child_by_field_name("name")
            return NOTHING if name is None else _of_path(parsed, name)
        return super()._of_value(parsed, node, depth)

    def _of_call(self, parsed: Parsed, node: Node, depth: int) -> Words:
        """What a function of a type returns, `Cart::new()`, is taken to be of that type if a function of this file does
        not say otherwise."""
        function = node.child_by_field_name("function")
        if function is None or function.type != "scoped_identifier":
            return NOTHING
        path, name = function.child_by_field_name("path"), function.child_by_field_name("name")
        if path is None or name is None or not parsed.text_of(path)[:1].isupper():
            return NOTHING
        owner = _of_path(parsed, path)
        for captures in parsed.matches("scopes"):
            named = captures["name"][0]
            if "function" not in captures or parsed.text_of(named) != parsed.text_of(name):
                continue
            result = captures["function"][0].child_by_field_name("return_type")
            if result is not None and class_name(parsed, named) == owner:
                return self.class_of(parsed, result)
        return owner


def _of_path(parsed: Parsed, path: Node) -> Words:
    """The last name before `::name`; `Self` is the type around."""
    inner = path.child_by_field_name("name") or path.child_by_field_name("type") or path
    name = parsed.text_of(inner)
    return class_name(parsed, path) if name == "Self" else frozenset(_WORD.findall(name)[-1:])


VALUES = _RustValues(
    members={"field_expression": ("value", "field")},
    calls={"call_expression": "function"},
    made={},
    this=frozenset(),
    declarators=frozenset({"mut_pattern", "ref_pattern", "reference_pattern"}),
    declarations=frozenset({"parameter", "let_declaration", "const_item", "static_item"}),
    fields=frozenset({"field_declaration"}),
    inferred=frozenset(),
    wrapped=frozenset({"reference_expression", "parenthesized_expression", "try_expression", "await_expression"}),
    literals=frozenset(
        {
            *("string_literal", "raw_string_literal", "char_literal", "boolean_literal"),
            *("integer_literal", "float_literal"),
        }
    ),
    names=frozenset({"identifier"}),
    classes=frozenset(),
    untyped=True,
    implied=False,
    steps=0,
    is_ordered=True,
)
