"""C++ as a `Language`: what differs from C."""

from collections.abc import Iterator

from tree_sitter import Node

from palimpsest.languages.c import DECLARATORS, C
from palimpsest.languages.typed_values import TypedValues, class_at
from palimpsest.syntax.parse import Parsed
from palimpsest.text.word_lists import word_lists

_WORDS = word_lists("palimpsest.languages.cpp")
_DECLARATORS = DECLARATORS | {
    "reference_declarator",
    "structured_binding_declarator",
    "variadic_declarator",
}
_TYPED = TypedValues(
    members={"field_expression": ("argument", "field"), "qualified_identifier": ("scope", "name")},
    calls={"call_expression": "function"},
    made={"new_expression": "type", "cast_expression": "type", "compound_literal_expression": "type"},
    this=frozenset({"this"}),
    declarators=_DECLARATORS,
    inferred=frozenset({"auto"}),
    values=("value", "right"),
    looped=frozenset({"for_range_loop"}),
    wrapped=frozenset({"parenthesized_expression", "pointer_expression"}),
    arguments=frozenset({"template_argument_list"}),
    names=frozenset({"identifier", "type_identifier", "field_identifier", "namespace_identifier"}),
    calls_make=True,
    holders=_WORDS["holders"],
)


class Cpp(C):
    id = "cpp"
    name = "C++"
    language_ids = ("cpp",)
    suffixes = (".cpp", ".cc", ".cxx", ".c++", ".hpp", ".hh", ".hxx", ".h++", ".ipp", ".tpp", ".inl", ".cppm", ".ixx")
    query_files = ("../c/queries.scm", "queries.scm")
    constructor = "{}"
    grammar_module = "tree_sitter_cpp"
    values = _TYPED
    identifiers = frozenset({"identifier", "type_identifier", "field_identifier", "namespace_identifier"})
    builtin_members = _WORDS["members"]
    common_words = C.common_words | _WORDS["keywords"]
    bare_members = True
    overloads = True
    declarators = _DECLARATORS
    before_body = frozenset({"field_initializer_list"})

    def bound(self, parsed: Parsed, target: Node) -> Iterator[str]:
        if target.type == "structured_binding_declarator":
            for child in target.named_children:
                yield from super().bound(parsed, child)
        else:
            yield from super().bound(parsed, target)

    def may_be_elsewhere(self, parsed: Parsed, name: Node) -> bool:
        return super().may_be_elsewhere(parsed, name) or any(map(_may_inherit, parsed.path(name)))

    def owners(self, parsed: Parsed, start: int, end: int) -> frozenset[str]:
        node = parsed.node_at(start, end)
        if node is not None and node.parent is not None and node.parent.type == "field_initializer":
            return class_at(parsed, node)
        return super().owners(parsed, start, end)


def _may_inherit(node: Node) -> bool:
    """Whether it is a class that is derived from another one, or a name of several parts."""
    return node.type == "qualified_identifier" or any(child.type == "base_class_clause" for child in node.children)


LANGUAGE = Cpp()
