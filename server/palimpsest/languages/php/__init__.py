"""PHP as a `Language`: its table, and what its queries cannot tell.

A variable's name begins with `$`, a property's does so where it is declared but not behind an object.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from tree_sitter import Node

from palimpsest.languages.base import Base
from palimpsest.syntax.lexical import Lexical
from palimpsest.syntax.parse import Parsed
from palimpsest.syntax.values import Argument, Import
from palimpsest.text.word_lists import word_lists

_WORDS = word_lists("palimpsest.languages.php")
_HEREDOC = re.compile(r"<<<\s*([\"']?)(?P<word>[^\W\d]\w*)\1\s*$")
_HIDES_NAMES = re.compile(r"\b(?:extract|parse_str|eval|include|include_once|require|require_once)\b|\$\$|\$\{")
_SOURCES = frozenset({"src", "lib", "app", "tests", "test", "classes"})
_KINDS = ("function", "const")
_PATH = re.compile(r"""(?:require|include)(?:_once)?\s*+(?:\(\s*+)?"""
                   r"""(__DIR__\s*\.\s*|dirname\(__FILE__\)\s*\.\s*)?(["'])"""
                   r"""([^"'$\n]+)\2\s*+(?:\)\s*+)?(?:;\s*+)?\Z""")  # fmt: skip
_FUNCTIONS = ("function_definition", "method_declaration")


class Php(Base):
    id = "php"
    name = "PHP"
    language_ids = ("php",)
    suffixes = (".php", ".phtml", ".inc")
    test_names = ("{}Test", "{}Cest", "{}Spec")
    before_own = re.compile(r"(?:\$this\??->|\b(?:self|static)::\$?)\Z")
    keyword_mark = ": "
    heredoc = _HEREDOC
    grammar_module = "tree_sitter_php:language_php"
    # A string may go on for lines, but hardly ever does; an apostrophe of a page must not swallow the code behind it.
    import_hint = ("use", "require", "include")
    member_marks = ("->", "?->", "::")
    sigil = "$"
    hidden_by = frozenset({"private"})
    lexical = Lexical(("//", "#"), (("/*", "*/"),), quotes=('"', "'", "`"))
    doc_comments = ("/**",)
    between_doc = ("#[",)
    annotations = frozenset({"attribute_list"})
    identifiers = frozenset({"variable_name", "name"})
    members = frozenset({"member_access_expression"})
    opaque = frozenset(
        {
            *("subscript_expression", "scoped_property_access_expression", "nullsafe_member_access_expression"),
            *("member_call_expression", "function_call_expression", "dynamic_variable_name"),
        }
    )
    builtins = _WORDS["variables"] | _WORDS["constants"]
    builtin_members = _WORDS["members"]
    object_members = frozenset({"class"})
    dynamic_members = (r"__get\b", "__call")
    before_imports = frozenset({"php_tag", "namespace_definition", "declare_statement"})
    common_words = _WORDS["keywords"] | _WORDS["constants"] | {"this"}
    constructor = "__construct"
    initializers = frozenset({"__construct"})
    receiver = "$this"

    def bound(self, parsed: Parsed, target: Node) -> Iterator[str]:
        """Of a parameter that is a property, too, both names."""
        yield from super().bound(parsed, target)
        name = target.child_by_field_name("name")
        if target.type == "property_promotion_parameter" and name is not None:
            yield f"{self.receiver}->{parsed.text_of(name).removeprefix('$')}"

    def may_be_elsewhere(self, parsed: Parsed, name: Node) -> bool:
        """Functions, classes and constants come from anywhere; of the variables, those of a function do not."""
        if name.type != "variable_name":
            return True
        around = next((node for node in reversed(parsed.path(name)) if node.type in _FUNCTIONS), None)
        return around is None or _HIDES_NAMES.search(parsed.text_of(around)) is not None

    def imported(self, parsed: Parsed, statement: Node) -> list[Import]:
        """`use Shop\\Cart` has the module `Shop\\Cart`, which is one class, and its name; `use function Shop\\total`
        the module `Shop`; an included file has its path from the file, and all of its names."""
        line = statement.start_point.row
        if statement.type != "namespace_use_declaration":
            path = _PATH.search(parsed.text_of(statement))
            if path is None:
                return []
            return [Import(path[3].removeprefix("/") if path[1] else path[3], "*", None, 1, line)]
        return list(_used(parsed, statement))

    def import_written(self, parsed: Parsed, item: Import) -> str:
        line = parsed.snapshot.lines[item.line].strip()
        if (
            item.level
            or not line.startswith("use")
            or "{" not in line + "".join(parsed.snapshot.lines[item.line + 1 :][:1])
        ):
            return line
        alias = f" as {item.alias}" if item.alias else ""
        return f"use {item.module}{alias};"

    def import_added(self, parsed: Parsed, item: Import) -> str:
        inner = parsed.root.children if parsed.root is not None else ()
        if any(node.type == "namespace_definition" and node.child_by_field_name("body") for node in inner):
            return ""  # each has imports of its own
        alias = f" as {item.alias}" if item.alias else ""
        is_class = item.name is not None and item.module.rpartition("\\")[2] == item.name
        return f"use {item.module}{alias};" if is_class else ""

    def module_name(self, file: str) -> str:
        return PurePosixPath(file).as_posix()

    def gives(self, source: str, file: str, module: str) -> bool:
        """Whether the file may be that of the class `source`, as PSR-4 lays files out: the last parts of the namespace
        are folders, the others belong to a folder of sources."""
        path, parts = PurePosixPath(module), source.split("\\")
        folders = list(path.parts[:-1])
        if parts.pop() != path.stem:
            return False
        while folders and parts and folders[-1] == parts[-1]:
            folders.pop()
            parts.pop()
        return not folders or folders[-1] in _SOURCES

    def sees(self, imported: Sequence[Import], file: str, other: str) -> bool:
        """One namespace has one folder."""
        return PurePosixPath(file).parent == PurePosixPath(other).parent

    def is_own_member(self, parsed: Parsed, start: int, end: int) -> bool:
        """The property that a class declares, too, whose name is at these bytes without `$`."""
        node = parsed.node_at(start, end)
        above = None if node is None or node.parent is None else node.parent.parent
        is_declared = above is not None and above.type == "property_element"
        return is_declared or super().is_own_member(parsed, start, end)

    def argument(self, parsed: Parsed, node: Node) -> Argument:
        found = super().argument(parsed, node)
        name = node.child_by_field_name("name")
        value = node.named_children[-1] if node.named_children else node
        is_star = any(child.type == "variadic_unpacking" for child in node.named_children)
        keyword = "" if name is None else parsed.text_of(name)
        return Argument(found.start, found.end, found.text, keyword, parsed.text_of(value), is_star)


def _used(parsed: Parsed, statement: Node) -> Iterator[Import]:
    prefix = next((child for child in statement.children if child.type == "namespace_name"), None)
    group = statement.child_by_field_name("body")
    clauses = (group or statement).named_children
    kind = next((child.type for child in statement.children if child.type in _KINDS), "")
    for clause in clauses:
        if clause.type != "namespace_use_clause":
            continue
        alias = clause.child_by_field_name("alias")
        named = next((c for c in clause.named_children if c.type in ("name", "qualified_name")), None)
        if named is None:
            continue
        kind = next((child.type for child in clause.children if child.type in _KINDS), kind)
        full = parsed.text_of(named).strip("\\")
        if prefix is not None:
            full = f"{parsed.text_of(prefix).strip(chr(92))}\\{full}"
        around, _, last = full.rpartition("\\")
        module = around if kind else full
        yield Import(module, last, None if alias is None else parsed.text_of(alias), 0, statement.start_point.row)


LANGUAGE = Php()
