"""Rust as a `Language`: its table, and what its own modules tell better than queries."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from tree_sitter import Node

from palimpsest.languages.base import Base, words_before
from palimpsest.languages.rust import evidence, formats, imports, paths
from palimpsest.syntax.imports import imports as found_imports
from palimpsest.syntax.lexical import Lexical
from palimpsest.syntax.parse import Parsed
from palimpsest.syntax.scopes import class_around, enclosing, scope_at
from palimpsest.syntax.values import Import, Parameter, Scope
from palimpsest.text.word_lists import word_lists

_WORDS = word_lists("palimpsest.languages.rust")
_MACROS = frozenset({"token_tree", "macro_rule", "macro_definition", "attribute_item", "inner_attribute_item"})
_DOCUMENTS = re.compile(r"///(?!/)|/\*\*(?![*/])")
_DEFINES = re.compile(r"\bfn\s+\w+(?:<[^()]*>)?\Z")
_LEXICAL = Lexical(
    ("//",),
    (("/*", "*/"),),
    block_quotes=('"',),
    raw_quotes=(('r#"', '"#'), ('r##"', '"##')),
    literals=r"'(?:\\(?:u\{[^}'\n]*\}|x..|.)|[^\\'\n])'",
)
_RECEIVER = "self_parameter"


class Rust(Base):
    id = "rust"
    name = "Rust"
    language_ids = ("rust",)
    suffixes = (".rs",)
    test_names = ("{}_test", "{}_tests", "test_{}")
    defining = _DEFINES
    grammar_module = "tree_sitter_rust"
    values = evidence.VALUES
    lexical = _LEXICAL
    doc_comments = ("///", "//!", "/**", "/*!")
    identifiers = frozenset({"identifier", "type_identifier", "field_identifier", "shorthand_field_identifier"})
    opaque = frozenset(
        {"scoped_identifier", "scoped_type_identifier", "range_pattern", "metavariable", "macro_invocation"}
    )
    import_hint = ("use ", "mod ", "extern ")
    texts = frozenset({"string_content"})
    builtins = _WORDS["names"]
    builtin_members = _WORDS["members"]
    common_words = _WORDS["keywords"] | _WORDS["names"]
    receiver = "self"
    parameter_types = frozenset({_RECEIVER, "parameter", "variadic_parameter"})
    member_marks = (".", "::")
    imported = staticmethod(imports.imported)
    import_source = staticmethod(imports.source_of)

    # Definitions
    def leads(self, parsed: Parsed, node: Node) -> bool:
        return node.type == "attribute_item" or (
            node.type in ("line_comment", "block_comment") and _DOCUMENTS.match(parsed.text_of(node)) is not None
        )

    def docstring_written(self, text: str) -> str:
        return f"/// {text}"

    def signature(self, parsed: Parsed, scope: Scope) -> str:
        return super().signature(parsed, scope).removesuffix(",")

    def takes_receiver(self, parsed: Parsed, scope: Scope) -> bool:
        for captures in parsed.matches("signatures", scope.def_line, scope.header_end_line):
            if parsed.text_of(captures["name"][0]) == scope.name:
                return any(node.type == _RECEIVER for node in captures["parameters"][0].named_children)
        return False

    # Names
    def bound(self, parsed: Parsed, target: Node) -> Iterator[str]:
        """Of a pattern; a name that begins with a capital letter is a constant or a variant, and binds nothing."""
        if target.type in self.identifiers:
            name = parsed.text_of(target)
            if not name[:1].isupper() or target.parent is None or "pattern" not in target.parent.type:
                yield name
        elif target.type not in self.opaque:
            inner = target.child_by_field_name("pattern")
            skipped = (target.child_by_field_name("type"), target.child_by_field_name("condition"))
            for child in target.named_children if inner is None else [inner]:
                if child not in skipped:
                    yield from self.bound(parsed, child)

    def may_be_elsewhere(self, parsed: Parsed, name: Node) -> bool:
        """Macros make names of what they are given, and a path may begin with a crate."""
        if parsed.once(_imports_all):
            return True
        above = name.parent
        if above is not None and above.type == "macro_invocation":
            return True
        is_head = above is not None and above.type.startswith("scoped_") and above.child_by_field_name("path") == name
        if is_head and not parsed.text_of(name)[:1].isupper():
            return True
        return any(node.type in _MACROS for node in parsed.path(name))

    def hides(self, parsed: Parsed, name: str, start: int) -> bool:
        """What is not `pub`, but in a trait, in its implementations and in an enum."""
        cls = class_around(parsed, parsed.snapshot.utf8.count(b"\n", 0, start))
        words = self.signature(parsed, cls).split() if cls is not None else []
        is_open = bool({"trait", "enum", "for"} & set(words))
        return not is_open and not any(word.startswith("pub") for word in words_before(parsed, start)[:1])

    def is_near(self, file: str, other: str) -> bool:
        """A module's own names are those of the modules in it, too."""
        return f"{paths.module_name(other)}{imports.SEPARATOR}".startswith(
            f"{paths.module_name(file)}{imports.SEPARATOR}"
        )

    def renamed(self, parsed: Parsed, start: int, end: int, new: str) -> str:
        """`Cart { size }` is short for `Cart { size: size }`."""
        node = parsed.node_at(start, end)
        is_short = node is not None and node.parent is not None and node.parent.type == "shorthand_field_initializer"
        return f"{parsed.text_of(node)}: {new}" if is_short and node is not None else new

    def names_in(self, parsed: Parsed, text: Node, start: int, end: int) -> bool:
        return formats.names(parsed, text, start, end)

    # Imports and modules
    def import_written(self, parsed: Parsed, item: Import) -> str:
        return imports.written(item)

    def module_name(self, file: str) -> str:
        return paths.module_name(file) if file.lower().endswith(self.suffixes) else super().module_name(file)

    def gives(self, source: str, file: str, module: str) -> bool:
        here = paths.module_name(file)
        if paths.is_beside_library(file) and module == paths.of_library(source):
            return True  # which name the package has, only its manifest says
        return module in (paths.resolved(source, here), paths.resolved(f"self::{source}", here))

    def means_module(self, head: str, imported: Sequence[Import], file: str, module: str) -> bool:
        for item in imported:
            if item.bound == head:
                path = item.module if item.name is None else f"{item.module}{imports.SEPARATOR}{item.name}"
                return self.gives(path, file, module)
        return False

    # Values and calls
    def parameter(self, parsed: Parsed, node: Node) -> Parameter:
        found = super().parameter(parsed, node)
        return replace(found, name=self.receiver) if node.type == _RECEIVER else found

    def awaited(self, call: str, *, chained: bool) -> str:
        return f"{call}.await"


def _imports_all(parsed: Parsed) -> bool:
    """Whether a wildcard brings names of other files, which `use super::*` in an inline module does not."""
    wild = (item for item in found_imports(parsed) if item.bound == "*")
    return any(item.module != "super" or not _is_in_namespace(parsed, item.line) for item in wild)


def _is_in_namespace(parsed: Parsed, line: int) -> bool:
    return any(scope.kind == "namespace" for scope in enclosing(scope_at(parsed, line, 0)))


LANGUAGE = Rust()
