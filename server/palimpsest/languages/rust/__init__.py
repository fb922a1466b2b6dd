"""Rust as a `Language`: its table, and what its own modules tell better than queries."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from tree_sitter import Node

from palimpsest.languages.base import Base, words_before
from palimpsest.languages.rust import imports
from palimpsest.languages.typed_values import NOTHING, TypedValues, Words, class_name
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
_BEFORE_FORMAT = {"write": 1, "writeln": 1, "assert": 1, "debug_assert": 1, "ensure": 1} | {
    f"{checks}assert_{kind}": 2 for checks in ("", "debug_") for kind in ("eq", "ne")
}
"""Arguments before the format string."""
_FORMATTING = frozenset(_BEFORE_FORMAT) | _WORDS["formatting"]
_HOLE = re.compile(rb"\{\{|\{(?P<name>[^\W\d]\w*)?(?::(?P<how>[^{}]*))?\}")
_COUNT = re.compile(rb"([^\W\d]\w*)\$")
"""A width or a precision."""
_TYPE_WORD = re.compile(r"(?<![\w'])[^\W\d]\w*")
"""A name that is no lifetime."""
_NO_TYPES = frozenset({"mut", "dyn", "impl"})


class _RustValues(TypedValues):
    """Words in Rust code that name the type of a value, found without type inference.

    cart.add(x)          cart: &mut Cart         {"Cart"}
    line.price()         let line = Line::new()  {"Line"}
    self.owner.name      impl Cart, owner: User  {"User"}
    """

    def owners(self, parsed: Parsed, start: int, end: int) -> Words:
        node = parsed.node_at(start, end)
        above = node.parent if node is not None else None
        if node is None or above is None:
            return NOTHING
        kind: Node | None = None
        match above.type:
            case "scoped_identifier" | "scoped_type_identifier":
                kind = above.child_by_field_name("path")
            case "field_declaration":
                return class_name(parsed, node)
            case "field_initializer":
                holder = above.parent.parent if above.parent is not None else None
                kind = holder.child_by_field_name("name") if holder is not None else None
            case "field_pattern":
                kind = above.parent.child_by_field_name("type") if above.parent is not None else None
            case _:
                return super().owners(parsed, start, end)
        return NOTHING if kind is None else _of_path(parsed, kind)

    def head(self, parsed: Parsed, start: int, end: int) -> str:
        """The path before a name, if it is one name."""
        node = parsed.node_at(start, end)
        above = node.parent if node is not None else None
        path = above.child_by_field_name("path") if above is not None else None
        is_name = path is not None and path.type in ("identifier", "crate", "self", "super")
        return parsed.text_of(path) if path is not None and is_name else ""

    def class_of(self, parsed: Parsed, written: Node) -> Words:
        """The names in a type, lifetimes left out; `Self` is the type around."""
        words = frozenset(_TYPE_WORD.findall(parsed.text_of(written))) - _NO_TYPES
        return (words - {"Self"}) | class_name(parsed, written) if "Self" in words else words

    def _of_value(self, parsed: Parsed, node: Node, depth: int) -> Words:
        if node.type == "self":
            return class_name(parsed, node)
        if node.type == "struct_expression":
            name = node.child_by_field_name("name")
            return NOTHING if name is None else _of_path(parsed, name)
        return super()._of_value(parsed, node, depth)

    def _of_call(self, parsed: Parsed, node: Node, depth: int) -> Words:
        """What a function of a type returns, `Cart::new()`, is taken to be of that type if a function of this file does
        not say otherwise."""
        function = node.child_by_field_name("function")
        if function is None or function.type != "scoped_identifier":
            return NOTHING
        path, name = function.child_by_field_name("path"), function.child_by_field_name("name")
        if path is None or name is None or not parsed.text_of(path)[:1].isupper():
            return NOTHING
        owner = _of_path(parsed, path)
        for captures in parsed.matches("scopes"):
            named = captures["name"][0]
            if "function" not in captures or parsed.text_of(named) != parsed.text_of(name):
                continue
            result = captures["function"][0].child_by_field_name("return_type")
            if result is not None and class_name(parsed, named) == owner:
                return self.class_of(parsed, result)
        return owner


def _of_path(parsed: Parsed, path: Node) -> Words:
    """The last name before `::name`; `Self` is the type around."""
    inner = path.child_by_field_name("name") or path.child_by_field_name("type") or path
    name = parsed.text_of(inner)
    return class_name(parsed, path) if name == "Self" else frozenset(_TYPE_WORD.findall(name)[-1:])


_TYPED = _RustValues(
    members={"field_expression": ("value", "field")},
    calls={"call_expression": "function"},
    made={},
    this=frozenset(),
    declarators=frozenset({"mut_pattern", "ref_pattern", "reference_pattern"}),
    declarations=frozenset({"parameter", "let_declaration", "const_item", "static_item"}),
    fields=frozenset({"field_declaration"}),
    inferred=frozenset(),
    wrapped=frozenset({"reference_expression", "parenthesized_expression", "try_expression", "await_expression"}),
    literals=frozenset(
        {
            *("string_literal", "raw_string_literal", "char_literal", "boolean_literal"),
            *("integer_literal", "float_literal"),
        }
    ),
    names=frozenset({"identifier"}),
    classes=frozenset(),
    untyped=True,
    implied=False,
    steps=0,
    is_ordered=True,
)


class Rust(Base):
    id = "rust"
    name = "Rust"
    language_ids = ("rust",)
    suffixes = (".rs",)
    test_names = ("{}_test", "{}_tests", "test_{}")
    defining = _DEFINES
    grammar_module = "tree_sitter_rust"
    values = _TYPED
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
        return f"{imports.module_name(other)}{imports.SEPARATOR}".startswith(
            f"{imports.module_name(file)}{imports.SEPARATOR}"
        )

    def renamed(self, parsed: Parsed, start: int, end: int, new: str) -> str:
        """`Cart { size }` is short for `Cart { size: size }`."""
        node = parsed.node_at(start, end)
        is_short = node is not None and node.parent is not None and node.parent.type == "shorthand_field_initializer"
        return f"{parsed.text_of(node)}: {new}" if is_short and node is not None else new

    def names_in(self, parsed: Parsed, text: Node, start: int, end: int) -> bool:
        """A variable in a format string, `println!("{total:>width$}")`."""
        string = text.parent
        holder = None if string is None else string.parent
        mark = None if holder is None or holder.type != "token_tree" else holder.prev_sibling
        called = None if mark is None or mark.type != "!" else mark.prev_sibling  # in a macro of a macro, too
        if string is None or holder is None or called is None:
            return False
        last = parsed.text_of(called).rpartition("::")[2]
        before = [child for child in holder.children if child.end_byte <= string.start_byte]
        if last not in _FORMATTING or sum(child.type == "," for child in before) != _BEFORE_FORMAT.get(last, 0):
            return False
        name = parsed.snapshot.utf8[start:end]
        is_given = any(  # `x = 1` behind the string is what it means there
            child.type == "identifier" and after.type == "=" and parsed.text_of(child).encode() == name
            for child, after in zip(holder.children, holder.children[1:], strict=False)
        )
        return not is_given and (start - text.start_byte, end - text.start_byte) in _named(
            parsed.snapshot.utf8[text.start_byte : text.end_byte]
        )

    # Imports and modules
    def import_written(self, parsed: Parsed, item: Import) -> str:
        return imports.written(item)

    def module_name(self, file: str) -> str:
        return imports.module_name(file) if file.lower().endswith(self.suffixes) else super().module_name(file)

    def gives(self, source: str, file: str, module: str) -> bool:
        here = imports.module_name(file)
        if imports.is_beside_library(file) and module == imports.of_library(source):
            return True  # which name the package has, only its manifest says
        return module in (imports.resolved(source, here), imports.resolved(f"self::{source}", here))

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


def _named(text: bytes) -> set[tuple[int, int]]:
    """Where names stand in a format string, in bytes."""
    found = set[tuple[int, int]]()
    for hole in _HOLE.finditer(text):
        if hole["name"]:
            found.add(hole.span("name"))
        found |= {count.span(1) for count in _COUNT.finditer(text, *hole.span("how"))} if hole["how"] else set()
    return found


LANGUAGE = Rust()
