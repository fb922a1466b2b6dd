"""Go as a `Language`: its table, and what its own modules tell better than queries."""

import re
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from tree_sitter import Node

from palimpsest.languages.base import Base
from palimpsest.languages.go import evidence, imports
from palimpsest.syntax.lexical import Lexical
from palimpsest.syntax.parse import Parsed
from palimpsest.syntax.values import Import, Parameter, Scope
from palimpsest.text.word_lists import word_lists

_WORDS = word_lists("palimpsest.languages.go")
_DEFINES = re.compile(r"\bfunc\s*(?:\([^()]*\)\s*)?\w+(?:\[[^()]*\])?\Z")
_DIRECTIVE = re.compile(r"(?m)^(?:go:\w|nolint\b|\+build\b).*\n?")
_TYPE = "type "


class Go(Base):
    id = "go"
    name = "Go"
    language_ids = ("go",)
    other_names = ("golang",)
    suffixes = (".go",)
    test_names = ("{}_test",)
    defining = _DEFINES
    grammar_module = "tree_sitter_go"
    values = evidence.VALUES
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
    imported = staticmethod(imports.imported)

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
    def import_written(self, parsed: Parsed, item: Import) -> str:
        return imports.written(item)

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


LANGUAGE = Go()
