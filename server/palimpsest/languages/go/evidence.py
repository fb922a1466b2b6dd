"""Words in Go code that name the type of a value, found without type inference.

c.Add(x)          func (c *Cart) ...     {"Cart"}
line.Price()      line := &Line{}        {"Line"}
c.owner.Name      owner *User            {"User"}
"""

from tree_sitter import Node

from palimpsest.languages.typed_values import NOTHING, TypedValues, Words, class_name
from palimpsest.syntax.parse import Parsed
from palimpsest.syntax.uses import nodes_named

_OF_TYPE = frozenset({"method_declaration", "field_declaration", "method_elem"})


class _GoValues(TypedValues):
    def owners(self, parsed: Parsed, start: int, end: int) -> Words:
        node = parsed.node_at(start, end)
        above = node.parent if node is not None else None
        if node is None or above is None or above.type in self.members:
            return super().owners(parsed, start, end)
        if above.type in _OF_TYPE:
            return class_name(parsed, node)
        literal = _literal_around(above)
        kind = literal.child_by_field_name("type") if literal is not None else None
        return NOTHING if kind is None else self.class_of(parsed, kind)

    def head(self, parsed: Parsed, start: int, end: int) -> str:
        """The package, or the value, before a name, if it is one name."""
        node = parsed.node_at(start, end)
        above = node.parent if node is not None else None
        if above is None:
            return ""
        before = above.child_by_field_name("operand") or above.child_by_field_name("package")
        return parsed.text_of(before) if before is not None and before.type.endswith("identifier") else ""

    def given(self, holder: Node, name: Node) -> Node | None:
        """The value at the same place on the right."""
        values, left = super().given(holder, name), holder.child_by_field_name("left")
        names = left.children if left is not None else holder.children_by_field_name("name")
        names = [one for one in names if one.is_named]
        at = next((n for n, one in enumerate(names) if one.id == name.id), 0)
        given = values.named_children if values is not None else []
        return given[at] if len(given) == len(names) or (at == 0 and len(given) == 1) else None

    def _of_call(self, parsed: Parsed, node: Node, depth: int) -> Words:
        """The first type that a function of this file returns; of `new(Cart)` the type."""
        function, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        if function is None or function.type != "identifier":
            return NOTHING
        name = parsed.text_of(function)
        if name == "new" and arguments is not None and arguments.named_children:
            return self.class_of(parsed, arguments.named_children[0])
        for place in nodes_named(parsed, name):
            if place.parent is not None and place.parent.type == "function_declaration":
                result = place.parent.child_by_field_name("result")
                if result is not None and result.type == "parameter_list":
                    result = next((child.child_by_field_name("type") for child in result.named_children), None)
                return NOTHING if result is None else self.class_of(parsed, result)
        return NOTHING


def _literal_around(node: Node) -> Node | None:
    """The literal `Cart{...}` or `[]Cart{{...}}` whose key a node is part of."""
    steps: Node | None = node
    while steps is not None and steps.type in ("literal_element", "keyed_element", "literal_value"):
        steps = steps.parent
    return steps if steps is not None and steps.type == "composite_literal" else None


VALUES = _GoValues(
    members={"selector_expression": ("operand", "field")},
    calls={"call_expression": "function"},
    made={"composite_literal": "type", "type_assertion_expression": "type"},
    this=frozenset(),
    declarators=frozenset({"expression_list"}),
    declarations=frozenset(
        {"parameter_declaration", "variadic_parameter_declaration", "var_spec", "const_spec", "short_var_declaration"}
    ),
    fields=frozenset({"field_declaration"}),
    inferred=frozenset(),
    values=("value", "right"),
    wrapped=frozenset({"parenthesized_expression", "unary_expression"}),
    literals=frozenset(
        {
            *("interpreted_string_literal", "raw_string_literal", "rune_literal", "func_literal"),
            *("int_literal", "float_literal", "imaginary_literal"),
        }
    ),
    names=frozenset({"identifier"}),
    classes=frozenset(),
    untyped=True,
    every_word=True,
    implied=False,
    steps=0,
    is_ordered=True,
)
