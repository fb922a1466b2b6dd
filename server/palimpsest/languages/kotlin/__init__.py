"""Kotlin as a `Language`: its table, and what its queries cannot tell.

A default value stands behind its parameter, as a child of all parameters; the grammar does not look for names after `$`
in a string, but in `${}`.
"""

import re
from dataclasses import replace

from tree_sitter import Node

from palimpsest.languages.java import Jvm
from palimpsest.syntax.lexical import Lexical
from palimpsest.syntax.parse import Parsed
from palimpsest.syntax.scopes import class_around
from palimpsest.syntax.values import Argument, Import, Keywords, Parameter, Scope
from palimpsest.text.word_lists import word_lists

_WORDS = word_lists("palimpsest.languages.kotlin")
_IMPORT = re.compile(r"import\s+([\w.`]+?)(\.\*)?(?:\s+as\s+(\w+))?\s*+(?:;\s*+)?(?://.*)?\Z")
_SECONDARY = re.compile(r"\s+(?:\w+\s+)*constructor\s*\(")
_WORD = re.compile(r"\w")


class Kotlin(Jvm):
    id = "kotlin"
    name = "Kotlin"
    language_ids = ("kotlin",)
    suffixes = (".kt", ".kts")
    test_names = ("{}Test", "{}Tests", "Test{}", "{}IT", "{}Spec")
    before_own = re.compile(r"\bthis\??\.\Z")
    keyword_mark = " = "
    parameter_types = frozenset({"parameter", "class_parameter"})
    grammar_module = "tree_sitter_kotlin"
    text_end = b"\n"  # behind `val n: Int` and `@`, its scanner (1.1.0) skips to the end of a line, or for ever
    lexical = Lexical(("//",), (("/*", "*/"),), quotes=('"', "'"), block_quotes=('"""',))
    doc_comments = ("/**",)
    members = frozenset({"navigation_expression"})
    builtins = _WORDS["globals"]
    builtin_members = _WORDS["members"]
    class_parts = ("companion",)
    common_words = _WORDS["keywords"] | _WORDS["globals"]
    annotations = frozenset({"annotation"})
    leading = frozenset({"block_comment", "line_comment"})
    constructor = "constructor"
    initializers = frozenset({"constructor"})
    bare_members = True
    texts = frozenset({"string_content"})
    hidden_by = frozenset({"private"})
    extensible = True
    dynamic_members = (r"\bby\b",)
    object_members = frozenset({"equals", "hashCode", "toString", "javaClass", "copy", "name", "ordinal", "entries"})
    before_imports = frozenset({"package_header", "file_annotation", "shebang"})
    overloads = True

    def may_be_elsewhere(self, parsed: Parsed, name: Node) -> bool:
        """Other files of the package define functions and values as well as classes: only a word that begins like a
        variable and is not called, in a class without bases, has to be in its own file."""
        text = parsed.text_of(name)
        if not text[:1].islower() or name.parent is None or name.parent.type in ("call_expression", "annotation"):
            return True
        if super().may_be_elsewhere(parsed, name) or _begins_a_package(name) or _in_lambda(parsed, name):
            return True
        cls = class_around(parsed, name.start_point.row)
        return cls is None or bool(self.bases(parsed, cls))

    def names_in(self, parsed: Parsed, text: Node, start: int, end: int) -> bool:
        """`$name`: the grammar sees it in strings of several lines alone."""
        data, before = parsed.snapshot.utf8, text.prev_sibling
        is_marked = before is not None and before.type == text.type and data[before.start_byte : start] == b"$"
        return is_marked and _WORD.match(data[end:].decode("utf-8", "replace")[:1]) is None

    # Imports
    def import_added(self, parsed: Parsed, item: Import) -> str:
        alias = f" as {item.alias}" if item.alias else ""
        return f"import {item.module}.{item.name}{alias}" if item.name else ""

    def imported(self, parsed: Parsed, statement: Node) -> list[Import]:
        found, line = _IMPORT.match(parsed.text_of(statement).strip()), statement.start_point.row
        if found is None:
            return []
        path, star, alias = found.group(1).replace("`", ""), found.group(2), found.group(3)
        if star:
            return [Import(path, "*", None, 0, line)]
        module, _, name = path.rpartition(".")
        return [Import(module or name, name, alias, 0, line)]

    # Values and calls
    def argument(self, parsed: Parsed, node: Node) -> Argument:
        named, text = node.named_children, parsed.text_of(node)
        if not any(child.type == "=" for child in node.children) or len(named) < 2:
            return Argument(node.start_byte, node.end_byte, text, value=text, star=text.startswith("*"))
        return Argument(node.start_byte, node.end_byte, text, parsed.text_of(named[0]), parsed.text_of(named[-1]))

    def keywords(self, parsed: Parsed, scope: Scope) -> Keywords | None:
        body = parsed.snapshot.lines[scope.def_line : scope.end_line]
        is_several = scope.kind == "class" and any(_SECONDARY.match(line) for line in body)
        return None if is_several else super().keywords(parsed, scope)

    def parameter(self, parsed: Parsed, node: Node) -> Parameter:
        name = next((child for child in node.named_children if child.type == "identifier"), None)
        before = node.prev_sibling
        is_many = before is not None and before.type == "parameter_modifiers" and "vararg" in parsed.text_of(before)
        kind, found = "star" if is_many else "plain", super().parameter(parsed, node)
        return replace(found, name="" if name is None else parsed.text_of(name), kind=kind)


def _begins_a_package(name: Node) -> bool:
    """Whether it may be the first part of `java.util.UUID`."""
    above = name.parent
    around = above.parent if above is not None else None
    return (
        above is not None and above.type == "navigation_expression" and around is not None and around.type == above.type
    )


def _in_lambda(parsed: Parsed, name: Node) -> bool:
    """Whether a lambda is around the name, which may be called with a receiver whose members are known there."""
    return any(node.type == "lambda_literal" for node in parsed.path(name))


LANGUAGE = Kotlin()
