"""C# as a `Language`: its table, and what queries cannot tell."""

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from tree_sitter import Node

from palimpsest.languages import preprocessor
from palimpsest.languages.base import Base, words_before
from palimpsest.languages.typed_values import TypedValues
from palimpsest.syntax.imports import imports
from palimpsest.syntax.lexical import Lexical
from palimpsest.syntax.parse import Parsed
from palimpsest.syntax.scopes import class_around
from palimpsest.syntax.values import Import, Parameter, Scope
from palimpsest.text.word_lists import word_lists

_WORDS = word_lists("palimpsest.languages.csharp")
_TYPED = TypedValues(
    members={"member_access_expression": ("expression", "name"), "qualified_name": ("qualifier", "name")},
    calls={"invocation_expression": "function"},
    made={"object_creation_expression": "type", "cast_expression": "type", "as_expression": "right"},
    this=frozenset({"this"}),
    declarators=frozenset({"variable_declarator"}),
    types=("type", "returns"),
    looped=frozenset({"foreach_statement"}),
    values=("value", "right"),
    wrapped=frozenset({"parenthesized_expression", "await_expression", "postfix_unary_expression"}),
    arguments=frozenset({"type_argument_list"}),
    names=frozenset({"identifier", "implicit_parameter"}),
)
_CLASSES = frozenset({"class_declaration", "struct_declaration", "record_declaration", "interface_declaration"})
_ACCESS, _OPEN = frozenset({"public", "internal", "protected"}), frozenset({"interface", "enum"})
_RECEIVER = "this "
_REFERENCE = re.compile(r"<\w+ (?:cref|name|langword)=\"(?:[A-Z]:)?([^\"<>]*)\" */>")
_TAG = re.compile(r"</?\w[^<>]*>")
_DECLARED = re.compile(r"^([ \t]*)namespace[ \t]+([^\W\d]\w*(?:\.[^\W\d]\w*)*)[ \t]*(?:[;{][ \t]*)?(?://.*)?\r?$", re.M)
_NAMES = ("identifier", "qualified_name", "generic_name", "alias_qualified_name")


def namespaces_in(text: str) -> list[str]:
    """By lines alone: a namespace that is indented deeper than the one before is inside of it."""
    found, around = list[str](), list[tuple[int, str]]()
    for indent, name in _DECLARED.findall(text):
        depth = len(indent.expandtabs(4))
        while around and around[-1][0] >= depth:
            around.pop()
        whole = f"{around[-1][1]}.{name}" if around else name
        around.append((depth, whole))
        found.append(whole)
    return found


def namespaces(parsed: Parsed) -> Sequence[tuple[str, int, int]]:
    """Namespaces with their first line and the one after their last, outer ones first."""
    return parsed.once(_declared)


def namespace_at(parsed: Parsed, line: int) -> str:
    """The namespace around a line; "" for none."""
    return next((name for name, start, end in reversed(namespaces(parsed)) if start <= line < end), "")


def _declared(parsed: Parsed) -> tuple[tuple[str, int, int], ...]:
    found = list[tuple[str, int, int]]()
    for captures in parsed.matches("packages"):
        name, node = captures["package"][0], captures["inside"][0]
        start, written = node.start_point.row, "".join(parsed.text_of(name).split())
        around, _, end = next((one for one in reversed(found) if one[1] <= start < one[2]), ("", 0, 0))
        end = (end or parsed.snapshot.line_count) if "file" in captures else node.end_point.row + 1
        found.append((f"{around}.{written}" if around else written, start, end))
    return tuple(found)


def _imported(parsed: Parsed, statement: Node) -> list[Import]:
    """`using A.B;` and `using static A.B;` give everything in a namespace or a class, `using C = A.B;` one name."""
    alias = statement.child_by_field_name("name")
    named = [child for child in statement.named_children if child.type in _NAMES and child != alias]
    if not named:
        return []
    module, line = "".join(parsed.text_of(named[-1]).split()), statement.start_point.row
    if alias is None:
        return [Import(module, "*", None, 0, line)]
    around, _, name = module.partition("<")[0].rpartition(".")
    return [Import(around, name, parsed.text_of(alias), 0, line)]


def _is_static(text: str) -> bool:
    """Whether a directive gives the members of a class."""
    return "static" in text.partition("//")[0].split()


class CSharp(Base):
    id = "csharp"
    name = "C#"
    language_ids = ("csharp",)
    suffixes = (".cs", ".csx")
    test_names = ("{}Tests", "{}Test", "{}Specs", "{}Spec")
    keyword_mark = ": "
    parameter_types = frozenset({"parameter", "identifier"})
    named_arguments = frozenset({"argument"})
    constructor = "{}"
    grammar_module = "tree_sitter_c_sharp"
    values = _TYPED
    lexical = Lexical(("//",), (("/*", "*/"),), quotes=('"', "'"), block_quotes=('"""',))
    doc_comments = ("///", "/**")
    identifiers = frozenset({"identifier", "implicit_parameter"})
    members = frozenset({"member_access_expression", "qualified_name"})
    import_hint = "using"
    builtins = _WORDS["contextual"] | _WORDS["of_objects"]
    builtin_members = _WORDS["of_objects"] | _WORDS["members"]
    common_words = _WORDS["keywords"]
    annotations = frozenset({"attribute_list"})
    before_body = frozenset({"constructor_initializer"})
    leading = frozenset({"comment"})
    bare_members = True
    hidden_by = frozenset({"private"})
    merges_classes = True
    type_first = True
    overloads = True
    imported = staticmethod(_imported)

    def relaxed(self, code: bytes, *, is_broken: bool) -> bytes:
        return preprocessor.first_branches(code) if is_broken else code

    def docstring(self, parsed: Parsed, scope: Scope) -> str | None:
        """Without the tags of XML documentation; of a reference the name stays."""
        text = super().docstring(parsed, scope)
        if text is None:
            return None
        plain = _TAG.sub("", _REFERENCE.sub(r"\1", text))
        return "\n".join(line.strip() for line in plain.split("\n")).strip() or None

    def takes_receiver(self, parsed: Parsed, scope: Scope) -> bool:
        """An extension method's first parameter is what it is called on."""
        header = "\n".join(parsed.snapshot.lines[scope.def_line : scope.header_end_line])
        return f"({_RECEIVER}" in header.replace("( ", "(")

    def may_be_elsewhere(self, parsed: Parsed, name: Node) -> bool:
        """Types and what begins like them: in the same namespace.  Members: in a base class, in another part."""
        first = parsed.text_of(name)[:1]
        is_type = first.isupper() and not _is_called(name)
        if is_type or first == "@" or _may_inherit(parsed, name):
            return True
        directives = (parsed.snapshot.lines[item.line] for item in imports(parsed))
        return any(_is_static(text) for text in directives)

    def hides(self, parsed: Parsed, name: str, start: int) -> bool:
        """What says nothing is private, but in an interface or an enum."""
        cls = class_around(parsed, parsed.snapshot.utf8.count(b"\n", 0, start))
        is_open = cls is None or not _OPEN.isdisjoint(self.signature(parsed, cls).split())
        return super().hides(parsed, name, start) or not (is_open or _ACCESS.intersection(words_before(parsed, start)))

    # Imports
    def module_name(self, file: str) -> str:
        path = PurePosixPath(file)
        is_source = path.suffix.lower() in self.suffixes
        return (
            ".".join(part for part in path.with_suffix("").parts if part not in ("/", "..")) if is_source else path.name
        )

    def packages(self, parsed: Parsed) -> Sequence[str]:
        """With the names of the namespaces around them."""
        return list(dict.fromkeys(name for name, _, _ in namespaces(parsed)))

    def sees(self, imported: Sequence[Import], file: str, other: str) -> bool:
        """Files of one folder are of one namespace; of others, a `using` says so."""
        folder = PurePosixPath(other).parent
        if PurePosixPath(file).parent == folder:
            return True
        names = [item.module for item in imported if item.name == "*"]
        around = ".".join(part for part in folder.parts if part not in ("/", ".."))
        return any(around == name or around.endswith(f".{name}") or name.endswith(f".{around}") for name in names)

    # Values and calls
    def parameter(self, parsed: Parsed, node: Node) -> Parameter:
        """`params int[] rest` has no node of its own."""
        found = super().parameter(parsed, node)
        return replace(found, kind="star") if node.type == "identifier" else found

    def owners(self, parsed: Parsed, start: int, end: int) -> frozenset[str]:
        node = parsed.node_at(start, end)
        made = None if node is None else _initialized(node)
        return _TYPED.class_of(parsed, made) if made is not None else _TYPED.owners(parsed, start, end)


def _initialized(node: Node) -> Node | None:
    """The type of the object that gets the member in `new Cart { Size = 1 }`."""
    above = node.parent
    if above is None or above.type != "assignment_expression" or above.child_by_field_name("left") != node:
        return None
    holder = above.parent
    made = holder.parent if holder is not None and holder.type == "initializer_expression" else None
    return None if made is None else made.child_by_field_name("type")


def _is_called(name: Node) -> bool:
    above = name.parent
    return above is not None and above.type == "invocation_expression" and above.child_by_field_name("function") == name


def _may_inherit(parsed: Parsed, name: Node) -> bool:
    for node in parsed.path(name):
        if node.type in _CLASSES:
            if any(child.type == "base_list" for child in node.children):
                return True
            if any(child.type == "modifier" and parsed.text_of(child) == "partial" for child in node.children):
                return True
    return False


LANGUAGE = CSharp()
