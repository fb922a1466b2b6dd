"""Java as a `Language`: its table, and what queries cannot tell."""

from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath
from types import MappingProxyType

from tree_sitter import Node

from palimpsest.languages.base import Base
from palimpsest.languages.typed_values import TypedValues
from palimpsest.syntax.imports import imports
from palimpsest.syntax.lexical import Lexical
from palimpsest.syntax.parse import Parsed
from palimpsest.syntax.values import Import
from palimpsest.text.word_lists import word_lists

_WORDS = word_lists("palimpsest.languages.java")
_OF_ALL = _WORDS["of_objects"] | _WORDS["of_enums"]
_TYPED = TypedValues(
    members={
        "field_access": ("object", "field"),
        "method_invocation": ("object", "name"),
    },
    calls={"method_invocation": "name"},
    made={"object_creation_expression": "type", "cast_expression": "type"},
    this=frozenset({"this"}),
    declarators=frozenset({"variable_declarator"}),
    types=("type", "right"),
    looped=frozenset({"enhanced_for_statement"}),
)
SOURCES = frozenset({"java", "kotlin", "groovy", "scala"})
"""Folders in a source set, whose names say what language they hold."""
_DERIVES = ("superclass", "interfaces")
_CLASSES = frozenset({"class_declaration", "record_declaration", "enum_declaration"})


class Jvm(Base):
    """Packages, as Kotlin has them too."""

    tested_beside = (".java", ".kt")

    def module_name(self, file: str) -> str:
        """`shop.cart.Cart` for `core/src/main/java/shop/cart/Cart.java`; a file of another language keeps its name."""
        path = PurePosixPath(file)
        if path.suffix.lower() not in self.suffixes:
            return path.name
        parts = [part for part in path.with_suffix("").parts if part not in ("/", "..")]
        return ".".join(parts[_root(parts) :])

    def gives(self, source: str, file: str, module: str) -> bool:
        """From a package or a class; files need not be called as what they define."""
        return any(name == source or name.endswith(f".{source}") for name in (module.rpartition(".")[0], module))

    def sees(self, imported: Sequence[Import], file: str, other: str) -> bool:
        return self.module_name(file).rpartition(".")[0] == self.module_name(other).rpartition(".")[0]


class Java(Jvm):
    id = "java"
    name = "Java"
    language_ids = ("java",)
    suffixes = (".java",)
    test_names = ("{}Test", "{}Tests", "Test{}", "{}IT", "{}Spec")
    constructor = "{}"
    grammar_module = "tree_sitter_java"
    values = _TYPED
    lexical = Lexical(("//",), (("/*", "*/"),), quotes=('"', "'"), block_quotes=('"""',))
    doc_comments = ("/**", "///")
    identifiers = frozenset({"identifier", "type_identifier"})
    members = frozenset({"field_access", "scoped_type_identifier"})
    builtins = _WORDS["types"] | _OF_ALL
    builtin_members = _OF_ALL | _WORDS["members"]
    object_members = _OF_ALL | frozenset({"class", "length", "super", "this"})
    dynamic_members = (r"@(lombok\.\w+|Data|Value|Getter|Setter|Builder|SuperBuilder|With|Accessors|Delegate)\b",)
    base_members = MappingProxyType(
        {"Serializable": _WORDS["of_objects"], "Cloneable": _WORDS["of_objects"], "AutoCloseable": frozenset({"close"})}
        | {"Comparable": frozenset({"compareTo"}), "Runnable": frozenset({"run"})}
    )
    before_imports = frozenset({"package_declaration"})
    common_words = _WORDS["keywords"] | _WORDS["types"]
    annotations = frozenset({"annotation", "marker_annotation"})
    leading = frozenset({"block_comment", "line_comment"})
    bare_members = True
    hidden_by = frozenset({"private"})
    type_first = True
    overloads = True

    def bound(self, parsed: Parsed, target: Node) -> Iterator[str]:
        if target.type == "spread_parameter":  # `String... names`: the type is not behind a field
            target = target.named_children[-1]
        return super().bound(parsed, target)

    def may_be_elsewhere(self, parsed: Parsed, name: Node) -> bool:
        """Classes: in the same package.  Members: in a base class.  Either: behind an import of everything."""
        if name.type == "type_identifier" or parsed.text_of(name)[:1].isupper() or _begins_a_package(name):
            return True
        stars = (item for item in imports(parsed) if item.name == "*")
        is_static = any("static" in parsed.snapshot.lines[item.line] for item in stars)
        return is_static or any(map(_inherits, parsed.path(name)))

    def import_added(self, parsed: Parsed, item: Import) -> str:
        """Of a class: what is static is imported in another way."""
        return f"import {item.module}.{item.name};" if item.name and item.name[:1].isupper() else ""


def _root(parts: Sequence[str]) -> int:
    """The number of folders around the packages: up to `src/main/java` or, without one, up to `src`."""
    for n in range(len(parts) - 3, -1, -1):
        if parts[n] == "src" and parts[n + 2] in SOURCES:
            return n + 3
    return parts.index("src") + 1 if "src" in parts[:-1] else 0


def _begins_a_package(name: Node) -> bool:
    """Whether it may be the first part of `java.util.List`."""
    above = name.parent
    if above is None or above.type != "field_access" or above.child_by_field_name("object") != name:
        return False
    around = above.parent
    return around is not None and around.type in ("field_access", "method_invocation")


def _inherits(node: Node) -> bool:
    """Whether it is a class that is derived from another one."""
    if node.type in _CLASSES:
        return any(node.child_by_field_name(field) is not None for field in _DERIVES)
    if node.type == "interface_declaration":
        return any(child.type == "extends_interfaces" for child in node.children)
    above = node.parent if node.type == "class_body" else None
    return above is not None and above.type == "object_creation_expression"


LANGUAGE = Java()
