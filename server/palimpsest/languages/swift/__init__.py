"""Swift as a `Language`: its table, and what its queries cannot tell.

The grammar has no node around the parameters of a function: they are the function's own children, each default value
behind its parameter.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from tree_sitter import Node

from palimpsest.languages.base import Base
from palimpsest.syntax.lexical import Lexical
from palimpsest.syntax.parse import Parsed
from palimpsest.syntax.scopes import class_around
from palimpsest.syntax.values import Import, Parameter
from palimpsest.text.word_lists import word_lists

_WORDS = word_lists("palimpsest.languages.swift")
TARGETS = ("Sources", "Source", "Tests")


class Swift(Base):
    id = "swift"
    name = "Swift"
    language_ids = ("swift",)
    suffixes = (".swift",)
    test_names = ("{}Tests", "{}Test", "{}Spec")
    before_own = re.compile(r"\bself\??\.\Z")
    keyword_mark = ": "
    parameter_types = frozenset({"parameter"})
    named_arguments = frozenset({"value_argument"})
    grammar_module = "tree_sitter_swift"
    lexical = Lexical(("//",), (("/*", "*/"),), quotes=('"',), block_quotes=('"""',))
    doc_comments = ("///", "/**")
    between_doc = ("@",)
    annotations = frozenset({"attribute"})
    identifiers = frozenset({"simple_identifier", "type_identifier"})
    members = frozenset({"navigation_expression"})
    opaque = frozenset({"value_binding_pattern", "call_expression", "type_annotation"})
    builtins = _WORDS["globals"]
    builtin_members = _WORDS["members"]
    common_words = _WORDS["keywords"] | _WORDS["globals"]
    constructor = "init"
    has_labels = True
    initializers = frozenset({"init"})
    receiver = "self"
    labels = True
    global_names = True
    bare_members = True
    hidden_by = frozenset({"private", "fileprivate"})
    overloads = True

    def bound(self, parsed: Parsed, target: Node) -> Iterator[str]:
        named = target.child_by_field_name("bound_identifier")
        if named is not None:
            yield parsed.text_of(named)
        else:
            yield from super().bound(parsed, target)

    def may_be_elsewhere(self, parsed: Parsed, name: Node) -> bool:
        """All files of a module see each other, and imports name nothing: only a word that begins like a variable, and
        is none of a class with bases, has to be in its own file."""
        text = parsed.text_of(name)
        if not text[:1].islower() or name.parent is None or name.parent.type in ("call_expression", "pattern"):
            return True
        cls = class_around(parsed, name.start_point.row)
        return cls is None or cls.adds or bool(self.bases(parsed, cls))

    def sees(self, imported: Sequence[Import], file: str, other: str) -> bool:
        """Whether both are files of one module: a folder in `Sources` or `Tests`, else the folder that they are in."""
        return _module(file) == _module(other)

    def parameter(self, parsed: Parsed, node: Node) -> Parameter:
        """A parameter is named by what callers write: its label, `_` if they write none."""
        found = super().parameter(parsed, node)
        label = node.child_by_field_name("external_name") or node.child_by_field_name("name")
        name = "" if label is None else parsed.text_of(label)
        is_many = found.text.partition("=")[0].rstrip().endswith("...")
        return replace(found, name=name, kind="star" if is_many else "plain" if name == "_" else "keyword")

    def is_chained(self, call: Node) -> bool:
        return call.parent is not None and call.parent.child_by_field_name("target") == call

    def by_name(self, name: str, value: str) -> str | None:
        return value if name == "_" else super().by_name(name, value)


def _module(file: str) -> tuple[str, ...]:
    parts = PurePosixPath(file).parts
    targets = [at for at, part in enumerate(parts[:-2]) if part in TARGETS]
    return parts[: targets[-1] + 2] if targets else parts[:-1]


LANGUAGE = Swift()
