"""JavaScript as a `Language`: its table, and what its own modules tell better than queries."""

import re
from collections.abc import Iterator, Sequence
from types import MappingProxyType

from tree_sitter import Node

from palimpsest.languages.base import Base
from palimpsest.languages.javascript import exports, imports
from palimpsest.languages.typed_values import TypedValues
from palimpsest.syntax.lexical import Lexical
from palimpsest.syntax.parse import Parsed
from palimpsest.syntax.values import Import, Scope
from palimpsest.text.word_lists import word_lists

_WORDS = word_lists("palimpsest.languages.javascript")
_AFTER = r"[=(,:\[!&|?{};]"
REGEX = rf"/(?:(?<={_AFTER}/)|(?<={_AFTER} /)|(?<=return /))(?![/*])(?:\\.|\[(?:\\.|[^\]\n\\])*\]|[^/\n\\\[])+/"
"""A regular expression: behind what no operand can be."""
_DEFINES = re.compile(
    r"(?:\bfunction\b\s*\*?\s*[\w$]*|\bclass\s+[\w$]+|^\s*(?:async\s+|static\s+|get\s+|set\s+)+[\w$#]+)\Z"
)
_IS = " ="
_OBJECT = "{}"
"""The class of an object of which nothing says that it is another's."""
ELEMENTS = r"<([A-Z][\w$]*(?:\.[\w$]+)*)"
_NAMED_BY = {
    "assignment_pattern": "left",
    "object_assignment_pattern": "left",
    "pair_pattern": "value",
    "required_parameter": "pattern",
    "optional_parameter": "pattern",
}
"""Where in a part of a pattern the names are that it binds."""

_TYPED = TypedValues(
    members={"member_expression": ("object", "property")},
    calls={"call_expression": "function"},
    made={"new_expression": "constructor", "as_expression": "type"},
    this=frozenset({"this"}),
    types=("type", "return_type"),
    wrapped=frozenset({"parenthesized_expression", "await_expression", "non_null_expression"}),
    names=frozenset({"identifier", "type_identifier", "property_identifier", "private_property_identifier"}),
    untyped=True,
    nameless=frozenset({"object_type"}),
)


class JavaScript(Base):
    id = "javascript"
    name = "JavaScript"
    language_ids: tuple[str, ...] = ("javascript", "javascriptreact")
    other_names: tuple[str, ...] = ("js", "jsx", "node")
    suffixes: tuple[str, ...] = (".js", ".jsx", ".mjs", ".cjs")
    test_names = ("{}.test", "{}.spec", "{}-test", "{}_test")
    tested_beside = (".js", ".jsx", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".tsx")
    query_files: tuple[str, ...] = ("queries.scm", "own.scm")
    defining = _DEFINES
    grammar_module = "tree_sitter_javascript"
    values = _TYPED
    lexical = Lexical(("//",), (("/*", "*/"),), quotes=('"', "'"), block_quotes=("`",), literals=REGEX)
    doc_comments = ("/**",)
    identifiers = frozenset(
        {
            "identifier",
            "property_identifier",
            "private_property_identifier",
            "shorthand_property_identifier",
            "shorthand_property_identifier_pattern",
            "type_identifier",
        }
    )
    members = frozenset({"member_expression"})
    opaque = frozenset({"this", "comment", "computed_property_name", "string", "number", "subscript_expression"})
    import_hint = ("import", "require")
    member_marks = (".", "?.")
    builtins = _WORDS["globals"] | _WORDS["platform"] | _WORDS["tests"]
    builtin_members = _WORDS["members"]
    object_members = _WORDS["of_objects"]
    dynamic_members = ("Proxy", r"\bassign\b", "definePropert(y|ies)", r"\[\w+\s*(:|in\s)[^]]*\]\??:")
    base_members = MappingProxyType({"Error": _WORDS["of_errors"], "TypeError": _WORDS["of_errors"]})
    before_imports = frozenset({"hash_bang_line"})
    common_words = _WORDS["keywords"] | _WORDS["globals"]
    elements = ELEMENTS
    constructor = "constructor"
    initializers = frozenset({"constructor"})
    annotations = frozenset({"decorator"})
    leading = frozenset({"comment", "decorator"})
    wrappers = frozenset({"export_statement", "ambient_declaration"})
    import_written = staticmethod(imports.written)
    import_added = staticmethod(imports.added)
    names_imported = imports.NAMES
    module_name = staticmethod(imports.module_name)
    gives = staticmethod(imports.gives)

    # Definitions
    def signature(self, parsed: Parsed, scope: Scope) -> str:
        """Of a value without what leads to its body; whole where a call is around the function, `memo(`."""
        text = super().signature(parsed, scope).removesuffix(_IS)
        return text + _closing(text)

    def outline(self, parsed: Parsed, scope: Scope) -> str:
        header = super().signature(parsed, scope)
        if not scope.has_body or not (_closing(header) or header.endswith(_IS)):
            return super().outline(parsed, scope)
        return header + self.omitted_body + _closing(header)

    def owners(self, parsed: Parsed, start: int, end: int) -> frozenset[str]:
        node = parsed.node_at(start, end)
        is_key = node is not None and node.parent is not None and node.parent.type not in self.members
        if node is None or not is_key or node.type != "property_identifier":
            return super().owners(parsed, start, end)
        made = _described(node)
        return frozenset({_OBJECT}) if made is None else _TYPED.class_of(parsed, made)

    # Names
    def hides(self, parsed: Parsed, name: str, start: int) -> bool:
        return name.startswith("#") or super().hides(parsed, name, start)

    def bound(self, parsed: Parsed, target: Node) -> Iterator[str]:
        named = target.child_by_field_name(_NAMED_BY[target.type]) if target.type in _NAMED_BY else None
        return super().bound(parsed, target if named is None else named)

    def may_be_elsewhere(self, parsed: Parsed, name: Node) -> bool:
        """A script that imports and exports nothing shares its names with others of the page."""
        return not imports.is_module(parsed)

    def renamed(self, parsed: Parsed, start: int, end: int, new: str) -> str:
        """A short property, `{ item }`, is a member too, and so is what is taken out of one; in `module.exports` it is
        the name that others use."""
        node = parsed.node_at(start, end)
        is_short = node is not None and node.type.startswith("shorthand_property_identifier")
        is_short = is_short and node is not None and not exports.lists(parsed, node)
        return f"{parsed.text_of(node)}: {new}" if is_short and node is not None else new

    # Imports and modules
    def repeats(self, parsed: Parsed, item: Import, other: Import) -> bool:
        return imports.repeats(parsed, item, other) or super().repeats(parsed, item, other)

    def import_source(self, parsed: Parsed, name: Node) -> str:
        """Of what is passed on of another module, too."""
        above = next((node for node in reversed(parsed.path(name)) if node.type == "export_statement"), None)
        source = above.child_by_field_name("source") if above is not None else None
        return super().import_source(parsed, name) if source is None else parsed.text_of(source)[1:-1]

    def means_module(self, head: str, imported: Sequence[Import], file: str, module: str) -> bool:
        whole = (item for item in imported if item.bound == head and item.name is None)
        return any(self.gives(item.module, file, module) for item in whole)


def _described(key: Node) -> Node | None:
    """The type that is said of the object that has the key, `const one: Cart = { size: 1 }`."""
    holder = key.parent.parent if key.parent is not None else None
    above = holder.parent if holder is not None and holder.type in ("object", "object_pattern") else None
    if above is None:
        return None
    is_said = above.type in ("as_expression", "satisfies_expression")
    return above.named_children[-1] if is_said else above.child_by_field_name("type")


def _closing(header: str) -> str:
    """The brackets that are still open behind a header."""
    return ")" * (header.count("(") - header.count(")"))


LANGUAGE = JavaScript()
