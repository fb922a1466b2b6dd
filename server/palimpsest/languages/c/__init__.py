"""C as a `Language`: its table, and what queries cannot tell."""

import re
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath
from types import MappingProxyType

from tree_sitter import Node

from palimpsest.languages import preprocessor
from palimpsest.languages.base import Base
from palimpsest.languages.typed_values import TypedValues
from palimpsest.syntax.lexical import Lexical
from palimpsest.syntax.parse import Parsed
from palimpsest.syntax.values import Import, Parameter, Scope
from palimpsest.text.word_lists import word_lists

WORDS = word_lists("palimpsest.languages.c")
HEADERS = frozenset({".h", ".hh", ".hpp", ".hxx", ".h++", ".inc", ".inl", ".ipp", ".tpp"})
DECLARATORS = frozenset(
    {"init_declarator", "pointer_declarator", "array_declarator", "parenthesized_declarator", "function_declarator"}
)
_IN_MACRO = re.compile(
    rb"'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\"|#+\s*\w+(?:\s*##\s*\w+)*|\w+(?:\s*##\s*\w+)+|(?P<name>\w+)"
)
"""A name in what a macro stands for, or what is none: a string, and what is made one or put together."""
_OF_CPP = re.compile(
    r"^[ \t]*(?:(?:class|namespace|using)\b(?![ \t]*[;=,)\[])|template[ \t]*<|(?:public|private|protected)[ \t]*:)"
    r"|\bstd::",
    re.MULTILINE,
)
_TYPED = TypedValues(
    members={"field_expression": ("argument", "field")},
    calls={"call_expression": "function"},
    made={"cast_expression": "type", "compound_literal_expression": "type"},
    this=frozenset(),
    declarators=DECLARATORS,
    inferred=frozenset({"auto"}),
    wrapped=frozenset({"parenthesized_expression", "pointer_expression", "subscript_expression"}),
    names=frozenset({"identifier", "type_identifier", "field_identifier"}),
)


class C(Base):
    id = "c"
    name = "C"
    language_ids = ("c",)
    suffixes: tuple[str, ...] = (".c", ".h")
    header_suffixes = HEADERS
    others = MappingProxyType({"cpp": _OF_CPP})
    test_names = ("test_{}", "{}_test", "{}_tests", "{}_unittest", "{}Test", "{}Tests", "Test{}")
    tested_beside = (".c", ".h", ".cpp", ".cc", ".cxx", ".hpp", ".hh", ".hxx")
    query_files: tuple[str, ...] = ("queries.scm", "own.scm")
    grammar_module = "tree_sitter_c"
    values = _TYPED
    lexical = Lexical(("//",), (("/*", "*/"),), quotes=('"', "'"))
    doc_comments = ("/**", "/*!", "///", "//!", "/*", "//")
    member_marks = (".", "->")
    identifiers = frozenset({"identifier", "type_identifier", "field_identifier"})
    texts = frozenset({"preproc_arg"})
    code_in_texts = True
    import_hint = "include"
    builtins = WORDS["predefined"]
    dynamic_members = (r"[A-Z][A-Z_0-9]+\s*\(", r"[A-Z]\w*_OBJECT\b")
    common_words = WORDS["keywords"] | WORDS["preprocessor"]
    leading = frozenset({"comment"})
    type_first = True
    declares = True
    declarators = DECLARATORS

    def relaxed(self, code: bytes, *, is_broken: bool) -> bytes:
        return preprocessor.without_unknown(code) if is_broken else preprocessor.without_macros(code)

    def signature(self, parsed: Parsed, scope: Scope) -> str:
        """With the name that a `typedef` gives behind the body."""
        found = super().signature(parsed, scope).removesuffix("\\").removesuffix(";").rstrip()
        if scope.kind != "class" or re.search(rf"\b{re.escape(scope.name)}\b", found):
            return found
        is_field = scope.parent is not None and scope.parent.kind == "class"
        return f"{found} {scope.name}" if is_field or found.startswith("typedef") else f"typedef {found} {scope.name}"

    def owners(self, parsed: Parsed, start: int, end: int) -> frozenset[str]:
        node = parsed.node_at(start, end)
        made = None if node is None else _initialized(node)
        return super().owners(parsed, start, end) if made is None else _TYPED.class_of(parsed, made)

    def bound(self, parsed: Parsed, target: Node) -> Iterator[str]:
        """The one name in a declarator: `f` of `int (*f[3])(char *name)`."""
        inner = target.child_by_field_name("declarator")
        if inner is None and target.type in self.declarators:
            inner_types = self.declarators | self.identifiers
            inner = next((child for child in target.named_children if child.type in inner_types), None)
        if inner is not None:
            yield from self.bound(parsed, inner)
        elif target.type in self.identifiers:
            yield parsed.text_of(target)

    def names_in(self, parsed: Parsed, text: Node, start: int, end: int) -> bool:
        """In what a macro stands for, where it is no parameter and in no string of it, and no part of a name."""
        inside = parsed.snapshot.utf8[text.start_byte : text.end_byte]
        place = start - text.start_byte, end - text.start_byte
        taken = text.parent.child_by_field_name("parameters") if text.parent is not None else None
        names = () if taken is None else [parsed.text_of(name) for name in taken.named_children]
        is_one = any(found.span("name") == place for found in _IN_MACRO.finditer(inside))
        return is_one and inside[slice(*place)].decode("utf-8", "replace") not in names

    def parameters(self, parsed: Parsed, holder: Node) -> tuple[Parameter, ...]:
        """`(void)` has none."""
        found = super().parameters(parsed, holder)
        return () if [one.text for one in found] == ["void"] else found

    def sees(self, imported: Sequence[Import], file: str, other: str) -> bool:
        """Through an include of the other file or of its header, which has its name; a source sees its own header."""
        name, own = PurePosixPath(other), PurePosixPath(file)
        if own.stem == name.stem:
            return True
        included = (PurePosixPath(item.module.strip("<>")) for item in imported)
        return any(path.name == name.name or path.stem == name.stem for path in included)

    def is_included(self, file: str) -> bool:
        return PurePosixPath(file).suffix.lower() in HEADERS


def _initialized(node: Node) -> Node | None:
    """The type of what gets the member in `struct cart one = { .size = 1 }`; an array may be around it, no struct."""
    above = node.parent
    if above is None or above.type != "field_designator" or above.parent is None:
        return None
    holder = above.parent.parent
    while holder is not None and holder.type in {"initializer_list", *DECLARATORS}:
        holder = holder.parent
    return None if holder is None else holder.child_by_field_name("type")


LANGUAGE = C()
