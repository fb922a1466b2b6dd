"""Words in the code that name a value's class, found without type inference.

cart.add(x)          cart: Cart            {"Cart"}
line.price()         for line in lines     {"list", "Line"}, where `lines: list[Line]`
self.find(n).item    def find() -> Line    {"Line"}, and then what `Line` says of `item`
"""

from collections.abc import Iterator

from tree_sitter import Node

from palimpsest.languages.typed_values import NOTHING, TypedValues, Words
from palimpsest.syntax.parse import Parsed
from palimpsest.syntax.scopes import children, class_around, file_scope, scope_at, scopes
from palimpsest.syntax.uses import Use, nodes_named
from palimpsest.syntax.values import Scope

_ABOVE = "super"


class _PythonValues(TypedValues):
    """Also of modules, by what is imported of them."""

    def given(self, holder: Node, name: Node) -> Node | None:
        return holder.named_children[0] if holder.type == "as_pattern" else super().given(holder, name)

    def _of_name(self, parsed: Parsed, node: Node, depth: int) -> Words:
        cls = _class_of_receiver(parsed, node, parsed.text_of(node))
        return super()._of_name(parsed, node, depth) if cls is None else _with_bases(parsed, cls)

    def _of_binding(self, parsed: Parsed, use: Use, depth: int) -> Words:
        if use.role in self.classes:
            return frozenset({use.name}) | frozenset(use.source.replace(".", " ").split()[-1:])
        node = parsed.node_at(use.start, use.end)
        if node is not None and use.role == "parameter" and _is_first_of_method(parsed, node):
            cls = class_around(parsed, use.line)
            return NOTHING if cls is None else _with_bases(parsed, cls)
        return super()._of_binding(parsed, use, depth)

    def _of_call(self, parsed: Parsed, node: Node, depth: int) -> Words:
        """What a call returns: an instance of the class that is called, or the function's annotated return type."""
        function = node.child_by_field_name("function")
        if function is None:
            return NOTHING
        name = function.child_by_field_name("attribute") or function
        if name.type != "identifier":
            return NOTHING
        called = parsed.text_of(name)
        if function.type == "identifier":
            if called == _ABOVE:
                cls = class_around(parsed, function.start_point.row)
                return NOTHING if cls is None else parsed.language.bases(parsed, cls)
            defined = [s for s in children(parsed, file_scope(parsed)) if s.name == called]
            if not defined or defined[0].kind == "class":
                return frozenset({called})
            return frozenset().union(*(self._returned(parsed, scope) for scope in defined))
        owners = self._of_value(parsed, function.children[0], depth - 1)
        found = set[str]()
        for scope in scopes(parsed):
            if scope.name == called and scope.is_method and scope.parent is not None and scope.parent.name in owners:
                found |= self._returned(parsed, scope)
        return frozenset(found) or (frozenset({called}) if called[:1].isupper() else NOTHING)

    def _returned(self, parsed: Parsed, scope: Scope) -> Words:
        annotation = self.returned(parsed, scope)
        return NOTHING if annotation is None else self.class_of(parsed, annotation)

    def _of_member(self, parsed: Parsed, node: Node, depth: int) -> Words:
        return super()._of_member(parsed, node, depth - 1)

    def _of_fields(self, parsed: Parsed, member: Node, owners: Words, depth: int) -> Iterator[Words]:
        """Annotations and values in the bodies of the classes, and assignments to `self`."""
        for place in nodes_named(parsed, parsed.text_of(member)):
            cls = None if place.id == member.id else class_around(parsed, place.start_point.row)
            if cls is None or cls.name not in owners:
                continue
            target = place.parent if place.parent is not None and place.parent.type in self.members else place
            if target.parent is not None and target.parent.child_by_field_name("left") == target:
                yield self._of_declaration(parsed, target, depth)


def _with_bases(parsed: Parsed, cls: Scope) -> Words:
    return frozenset({cls.name}) | parsed.language.bases(parsed, cls)


def _class_of_receiver(parsed: Parsed, node: Node, name: str) -> Scope | None:
    """The class whose method has the name as its first parameter.  Methods use it all over a file, so where it stands
    is not looked for."""
    for above in reversed(parsed.path(node)):
        holder = above.child_by_field_name("parameters")
        if holder is None or node.start_byte < holder.end_byte:
            continue
        for parameter in holder.named_children:
            if name == next(parsed.language.bound(parsed, parameter), None):
                is_receiver = _is_first_of_method(parsed, parameter)
                return class_around(parsed, above.start_point.row) if is_receiver else None
    return None


def _is_first_of_method(parsed: Parsed, node: Node) -> bool:
    holder = node.parent
    if holder is None or holder.type != "parameters" or holder.named_children[0].id != node.id:
        return False
    scope = scope_at(parsed, node.start_point.row, node.start_point.column)
    return scope.is_method


VALUES = _PythonValues(
    members={"attribute": ("object", "attribute")},
    calls={"call": "function"},
    made={},
    this=frozenset(),
    declarators=frozenset({"as_pattern_target", "list_splat_pattern", "pattern_list"}),
    types=("type", "return_type"),
    inferred=frozenset(),
    values=("right", "value"),
    wrapped=frozenset({"subscript", "await", "parenthesized_expression"}),
    literals=frozenset(
        {
            *("string", "concatenated_string", "integer", "float", "true", "false", "none"),
            *("list", "tuple", "dictionary", "set"),
            *("list_comprehension", "set_comprehension", "dictionary_comprehension"),
        }
    ),
    names=frozenset({"identifier"}),
    untyped=True,
    every_word=True,
    implied=False,
    steps=0,
)
