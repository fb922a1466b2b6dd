"""Go as a `Language`: its table, and what its own modules tell better than queries."""

import re
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from tree_sitter import Node

from palimpsest.languages.base import Base
from palimpsest.languages.typed_values import NOTHING, TypedValues, Words, class_name
from palimpsest.syntax.lexical import Lexical
from palimpsest.syntax.parse import Parsed
from palimpsest.syntax.uses import nodes_named
from palimpsest.syntax.values import Import, Parameter, Scope
from palimpsest.text.word_lists import word_lists

_WORDS = word_lists("palimpsest.languages.go")
_DEFINES = re.compile(r"\bfunc\s*(?:\([^()]*\)\s*)?\w+(?:\[[^()]*\])?\Z")
_DIRECTIVE = re.compile(r"(?m)^(?:go:\w|nolint\b|\+build\b).*\n?")
_TYPE = "type "
_VERSION = re.compile(r"v[0-9]+")
_DOTTED_VERSION = re.compile(r"\.v[0-9]+\Z")
_PARTS = re.compile(r"[^\W\d]\w*")
_OF_TYPE = frozenset({"method_declaration", "field_declaration", "method_elem"})


class _GoValues(TypedValues):
    """Words in Go code that name the type of a value, found without type inference.

    c.Add(x)          func (c *Cart) ...     {"Cart"}
    line.Price()      line := &Line{}        {"Line"}
    c.owner.Name      owner *User            {"User"}
    """

    def owners(self, parsed: Parsed, start: int, end: int) -> Words:
        node = parsed.node_at(start, end)
        above = node.parent if node is not None else None
        if node is None or above is None or above.type in self.members:
            return super().owners(parsed, start, end)
        if above.type in _OF_TYPE:
            return class_name(parsed, node)
        literal = _literal_around(above)
        kind = literal.child_by_field_name("type") if literal is not None else None
        return NOTHING if kind is None else self.class_of(parsed, kind)

    def head(self, parsed: Parsed, start: int, end: int) -> str:
        """The package, or the value, before a name, if it is one name."""
        node = parsed.node_at(start, end)
        above = node.parent if node is not None else None
        if above is None:
            return ""
        before = above.child_by_field_name("operand") or above.child_by_field_name("package")
        return parsed.text_of(before) if before is not None and before.type.endswith("identifier") else ""

    def given(self, holder: Node, name: Node) -> Node | None:
        """The value at the same place on the right."""
        values, left = super().given(holder, name), holder.child_by_field_name("left")
        names = left.children if left is not None else holder.children_by_field_name("name")
        names = [one for one in names if one.is_named]
        at = next((n for n, one in enumerate(names) if one.id == name.id), 0)
        given = values.named_children if values is not None else []
        return given[at] if len(given) == len(names) or (at == 0 and len(given) == 1) else None

    def _of_call(self, parsed: Parsed, node: Node, depth: int) -> Words:
        """The first type that a function of this file returns; of `new(Cart)` the type."""
        function, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        if function is None or function.type != "identifier":
            return NOTHING
        name = parsed.text_of(function)
        if name == "new" and arguments is not None and arguments.named_children:
            return self.class_of(parsed, arguments.named_children[0])
        for place in nodes_named(parsed, name):
            if place.parent is not None and place.parent.type == "function_declaration":
                result = place.parent.child_by_field_name("result")
                if result is not None and result.type == "parameter_list":
                    result = next((child.child_by_field_name("type") for child in result.named_children), None)
                return NOTHING if result is None else self.class_of(parsed, result)
        return NOTHING


def _literal_around(node: Node) -> Node | None:
    """The literal `Cart{...}` or `[]Cart{{...}}` whose key a node is part of."""
    steps: Node | None = node
    while steps is not None and steps.type in ("literal_element", "keyed_element", "literal_value"):
        steps = steps.parent
    return steps if steps is not None and steps.type == "composite_literal" else None


_TYPED = _GoValues(
    members={"selector_expression": ("operand", "field")},
    calls={"call_expression": "function"},
    made={"composite_literal": "type", "type_assertion_expression": "type"},
    this=frozenset(),
    declarators=frozenset({"expression_list"}),
    declarations=frozenset(
        {"parameter_declaration", "variadic_parameter_declaration", "var_spec", "const_spec", "short_var_declaration"}
    ),
    fields=frozenset({"field_declaration"}),
    inferred=frozenset(),
    values=("value", "right"),
    wrapped=frozenset({"parenthesized_expression", "unary_expression"}),
    literals=frozenset(
        {
            *("interpreted_string_literal", "raw_string_literal", "rune_literal", "func_literal"),
            *("int_literal", "float_literal", "imaginary_literal"),
        }
    ),
    names=frozenset({"identifier"}),
    classes=frozenset(),
    untyped=True,
    every_word=True,
    implied=False,
    steps=0,
    is_ordered=True,
)


class Go(Base):
    id = "go"
    name = "Go"
    language_ids = ("go",)
    other_names = ("golang",)
    suffixes = (".go",)
    test_names = ("{}_test",)
    defining = _DEFINES
    grammar_module = "tree_sitter_go"
    values = _TYPED
    lexical = Lexical(
        ("//",),
        (("/*", "*/"),),
        quotes=('"',),
        raw_quotes=(("`", "`"),),
        literals=r"'(?:\\[^'\n]+|\\'|[^\\'\n])'",
    )
    identifiers = frozenset({"identifier", "type_identifier", "field_identifier", "package_identifier"})
    doc_comments = ("//", "/*")
    leading = frozenset({"comment"})
    opaque = frozenset({"selector_expression", "index_expression", "blank_identifier"})
    builtins = _WORDS["names"]
    builtin_members = _WORDS["members"]
    dynamic_members = ()
    common_words = _WORDS["keywords"] | _WORDS["names"]
    receiver = ""
    type_mark = " "

    # Definitions
    def signature(self, parsed: Parsed, scope: Scope) -> str:
        """A type in a group has its own keyword again."""
        text = super().signature(parsed, scope)
        return f"{_TYPE}{text}" if scope.kind == "class" and not text.startswith(_TYPE) else text

    def docstring(self, parsed: Parsed, scope: Scope) -> str | None:
        """Without what is said to tools, `//go:build linux`."""
        text = super().docstring(parsed, scope)
        return _DIRECTIVE.sub("", text).strip("\n") or None if text else text

    # Names
    def bound(self, parsed: Parsed, target: Node) -> Iterator[str]:
        """An embedded type is a field with the type's own name."""
        if target.type in ("pointer_type", "generic_type", "qualified_type"):
            inner = target.child_by_field_name("name") or target.child_by_field_name("type") or target.named_children[0]
            yield from self.bound(parsed, inner)
        else:
            yield from (name for name in super().bound(parsed, target) if name != "_")

    def may_be_elsewhere(self, parsed: Parsed, name: Node) -> bool:
        """Any file of the package may define it."""
        return True

    def hides(self, parsed: Parsed, name: str, start: int) -> bool:
        return not name[:1].isupper()

    def is_near(self, file: str, other: str) -> bool:
        return self.sees((), file, other)

    def sees(self, imported: Sequence[Import], file: str, other: str) -> bool:
        """A package is a folder."""
        return PurePosixPath(file).parent == PurePosixPath(other).parent

    # Imports and modules
    def imported(self, parsed: Parsed, statement: Node) -> list[Import]:
        """A package's name is the last part of its path, unless the import says another.

        import "example.com/shop/cart"     example.com/shop/cart, known as cart
        import m "math"                    math as m
        import . "strings"                 strings, *
        import _ "embed"                   embed as _
        """
        return [found for spec in _specs(statement) if (found := _import(parsed, spec)) is not None]

    def import_written(self, parsed: Parsed, item: Import) -> str:
        name = "." if item.name == "*" else item.alias or ""
        shown = "" if name == package_name(item.module) else f"{name} "
        return f'import {shown}"{item.module}"'

    def module_name(self, file: str) -> str:
        """A package is a folder."""
        path = PurePosixPath(file)
        if path.suffix.lower() not in self.suffixes:
            return super().module_name(file)
        return path.parent.as_posix() if path.parent.parts else path.stem

    def gives(self, source: str, file: str, module: str) -> bool:
        """Which module the workspace's folder is, is not known here: the path's end has to be the folder's."""
        return source == module or source.endswith(f"/{module}")

    def means_module(self, head: str, imported: Sequence[Import], file: str, module: str) -> bool:
        return any(item.bound == head and self.gives(item.module, file, module) for item in imported)

    # Values and calls
    def parameters(self, parsed: Parsed, holder: Node) -> tuple[Parameter, ...]:
        """One for each name, also of those that share a type."""
        found = list[Parameter]()
        for node in holder.named_children:
            kind = "star" if node.type == "variadic_parameter_declaration" else "plain"
            names, type_ = _names(node), node.child_by_field_name("type")
            written = "" if type_ is None else parsed.text_of(type_)
            if "parameter" in node.type:
                found += [Parameter(parsed.text_of(name), f"{parsed.text_of(name)} {written}", kind) for name in names]
                found += [Parameter("", parsed.text_of(node), kind)] if not names else []
        return tuple(found)


def _names(node: Node) -> list[Node]:
    """The names that a node declares; the grammar counts the commas between them."""
    return [name for name in node.children_by_field_name("name") if name.is_named]


def package_name(path: str) -> str:
    """What a package is most likely called: the last part of its path, without a version, `go-` or `.v2`."""
    parts = [part for part in path.split("/") if part]
    if len(parts) > 1 and _VERSION.fullmatch(parts[-1]):
        parts.pop()
    last = _DOTTED_VERSION.sub("", parts[-1]) if parts else ""
    last = last.removeprefix("go-").removesuffix("-go").removesuffix(".go")
    words = _PARTS.findall(last)
    return words[-1] if words else ""


def _specs(statement: Node) -> Iterator[Node]:
    for child in statement.named_children:
        if child.type == "import_spec":
            yield child
        elif child.type == "import_spec_list":
            yield from _specs(child)


def _import(parsed: Parsed, spec: Node) -> Import | None:
    path, name = spec.child_by_field_name("path"), spec.child_by_field_name("name")
    if path is None:
        return None
    module, line = parsed.text_of(path).strip('"`'), spec.start_point.row
    if name is not None and name.type == "dot":
        return Import(module, "*", None, 0, line)
    alias = package_name(module) if name is None else parsed.text_of(name)
    return Import(module, None, alias, 0, line)


LANGUAGE = Go()
