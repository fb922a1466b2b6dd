"""Python as a `Language`: its table, and the methods that its own modules implement better than queries."""

import abc
import builtins
import enum
import keyword
import re
from dataclasses import replace
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import Generic, Protocol

from tree_sitter import Node

from palimpsest.languages.base import Base
from palimpsest.languages.python import calls, evidence, imports, lines, texts
from palimpsest.languages.python.headers import ends_with_colon, one_line
from palimpsest.languages.python.packages import names
from palimpsest.syntax.parse import Parsed, parse_text
from palimpsest.syntax.scopes import enclosing, scope_at
from palimpsest.syntax.values import Import, Keywords, Parameter, Scope
from palimpsest.text.positions import utf8

_IN_MODULES = frozenset({"__file__", "__path__", "__class__", "__annotations__", "__all__", "_"})
"""Names that modules and methods have in addition to the builtins."""
_BUILT_IN = (str, bytes, int, float, list, tuple, dict, set, range, type, BaseException)
_FIXTURE = re.compile(r"\s*@\s*(\w+\s*\.\s*)?fixture\b(?!.*\bname\s*=)")
"""pytest's; one that is taken by another name than the function's is none."""
_MARKS = ("*", "/")
"""These stand between parameters, and say how those beside them are passed."""
_CLAUSE = re.compile(r"\s*(else|elif|except|finally|case)\b|\s*[)\]}]")


class Python(Base):
    id = "python"
    name = "Python"
    language_ids = ("python",)
    other_names = ("python3", "py3")
    suffixes = (".py", ".pyi", ".pyw")
    fixture_files = ("conftest.py",)
    keyword_mark = "="
    named_arguments = frozenset({"keyword_argument"})
    clause = _CLAUSE
    grammar_module = "tree_sitter_python"
    values = evidence.VALUES
    lexical = lines.LEXICAL
    indented = True
    members = frozenset({"attribute"})
    opaque = frozenset({"subscript", "call", "type"})
    texts = texts.TEXTS
    code_in_texts = True
    builtins = frozenset(dir(builtins)) | _IN_MODULES
    builtin_members = frozenset(name for kind in _BUILT_IN for name in dir(kind))
    object_members = frozenset(dir(type)) | frozenset(dir(object)) | _IN_MODULES | {"__slots__"}
    dynamic_members = ("__getattr__", "__getattribute__", "setattr", "__dict__")
    knows_builtins = True
    base_members = MappingProxyType(
        {name: frozenset(dir(base)) for name, base in (("ABC", abc.ABC), ("Protocol", Protocol), ("Generic", Generic))}
        | {"Enum": frozenset({*dir(enum.Enum), "name", "value", "_name_", "_value_", "_missing_", "_ignore_"})}
    )
    narrowing = frozenset({"isinstance", "match", "type", "cast"})
    common_words = frozenset(keyword.kwlist) | frozenset(dir(builtins)) | {"self"}
    constructor = "__init__"
    initializers = frozenset({"__init__", "__new__", "__post_init__"})
    receiver = ""
    omitted_body = " ..."
    statements = staticmethod(lines.statements)
    headers = staticmethod(lines.scan)
    is_string_open = staticmethod(lines.is_string_open)
    docstring = staticmethod(lines.docstring)
    docstring_lines = staticmethod(lines.docstring_lines)
    import_source = staticmethod(imports.source_of)
    gives = staticmethod(names.gives)
    means_module = staticmethod(names.means_module)

    def signature(self, parsed: Parsed, scope: Scope) -> str:
        header = parsed.snapshot.lines[scope.def_line : scope.header_end_line]
        return one_line("\n".join(header).lstrip())[0]

    def header(self, parsed: Parsed, scope: Scope) -> tuple[Parsed, range]:
        """Built from the signature's text, so that a header that does not parse in the document has parameters, too."""
        header = parse_text(self.signature(parsed, scope) + self.omitted_body, parsed.language)
        return header, range(header.snapshot.line_count)

    def docstring_written(self, text: str) -> str:
        return f'"""{text}"""'

    def is_fixture(self, parsed: Parsed, scope: Scope) -> bool:
        above = parsed.snapshot.lines[scope.start_line : scope.def_line]
        return scope.kind == "function" and any(_FIXTURE.match(line) for line in above)

    def takes_fixture(self, parsed: Parsed, name: str, start: int) -> bool:
        """Tests and fixtures take them as parameters without a default, unless one is parametrized with the name."""
        node = parsed.node_at(start, start + len(utf8(name)))
        if node is None or node.parent is None or node.type in texts.TEXTS:
            return node is not None and texts.takes_fixtures(parsed, node)
        scope, lines_ = scope_at(parsed, node.start_point.row, 0), parsed.snapshot.lines
        above = "\n".join("\n".join(lines_[one.start_line : one.def_line]) for one in enclosing(scope))
        is_given = "parametrize" in above and re.search(rf"\b{re.escape(name)}\b", above) is not None
        takes = scope.name.startswith("test") or self.is_fixture(parsed, scope)
        return takes and not is_given and "default" not in node.parent.type

    def takes_receiver(self, parsed: Parsed, scope: Scope) -> bool:
        return all(line.strip() != "@staticmethod" for line in parsed.snapshot.lines[scope.start_line : scope.def_line])

    def hides(self, parsed: Parsed, name: str, start: int) -> bool:
        """Two underscores make it another name in each class."""
        return name.startswith("__") and not name.endswith("__")

    def names_in(self, parsed: Parsed, text: Node, start: int, end: int) -> bool:
        return texts.names(parsed, text, start, end)

    def owners(self, parsed: Parsed, start: int, end: int) -> frozenset[str]:
        if not _is_text(parsed, start, end):
            return super().owners(parsed, start, end)
        head = texts.head(parsed, start).rpartition(".")[2]
        return frozenset({head} if head else ())

    def head(self, parsed: Parsed, start: int, end: int) -> str:
        return texts.head(parsed, start) if _is_text(parsed, start, end) else super().head(parsed, start, end)

    def import_written(self, parsed: Parsed, item: Import) -> str:
        return imports.written(item)

    names_imported = imports.NAMES

    def import_added(self, parsed: Parsed, item: Import) -> str:
        return imports.written(item)

    def module_name(self, file: str) -> str:
        is_module = PurePosixPath(file).suffix.lower() in self.suffixes
        return names.module_name(file) if is_module else super().module_name(file)

    def parameters(self, parsed: Parsed, holder: Node) -> tuple[Parameter, ...]:
        found, is_behind = list[Parameter](), False
        for one in super().parameters(parsed, holder):
            is_star = one.text.startswith("*")
            kind = "mark" if one.text in _MARKS else "star" if is_star else "keyword" if is_behind else "plain"
            is_behind = is_behind or is_star
            found.append(replace(one, kind=kind))
        return tuple(found)

    def keywords(self, parsed: Parsed, scope: Scope) -> Keywords | None:
        return calls.keywords(parsed, scope, super().keywords(parsed, scope))

    def is_chained(self, call: Node) -> bool:
        return call.parent is not None and call.parent.type in ("attribute", "subscript", "call")

    def opens_block(self, statement: str) -> bool:
        return ends_with_colon(statement)


def _is_text(parsed: Parsed, start: int, end: int) -> bool:
    node = parsed.node_at(start, end)
    return node is not None and node.type in texts.TEXTS


LANGUAGE = Python()
