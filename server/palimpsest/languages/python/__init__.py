"""Python as a `Language`: its table, and the methods that its own modules implement better than queries."""

import abc
import builtins
import enum
import keyword
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import Generic, Protocol

from tree_sitter import Node

from palimpsest.languages.base import Base
from palimpsest.languages.python import lines, texts
from palimpsest.languages.python.packages import names
from palimpsest.languages.typed_values import NOTHING, TypedValues, Words
from palimpsest.syntax.names import members_of
from palimpsest.syntax.parse import Parsed, parse_text
from palimpsest.syntax.scopes import children, class_around, enclosing, file_scope, members, scope_at, scopes
from palimpsest.syntax.uses import Use, nodes_named
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
_NAMES_IMPORTED = re.compile(r"(from\s+[\w.]+\s+import\s+\(?)([^()#;\\]+?)(,?\s*\)?\s*)")
"""`from a import b, c`, also in brackets; one with a comment has it for these names."""
_DECORATOR = re.compile(r"@(?:\w+\.)*(\w+)")
_SAME_CALLS = frozenset(
    {"abstractmethod", "cache", "classmethod", "contextmanager", "final", "lru_cache", "override", "staticmethod"}
)
"""Decorators behind which a function is called by its own parameters."""
_DATA, _TUPLE = frozenset({"dataclass", "final", "total_ordering", "runtime_checkable"}), "NamedTuple"
_ABOVE = "super"


class _PythonValues(TypedValues):
    """Words in the code that name a value's class, found without type inference; also of
    modules, by what is imported of them.

    cart.add(x)          cart: Cart            {"Cart"}
    line.price()         for line in lines     {"list", "Line"}, where `lines: list[Line]`
    self.find(n).item    def find() -> Line    {"Line"}, and then what `Line` says of `item`
    """

    def given(self, holder: Node, name: Node) -> Node | None:
        return holder.named_children[0] if holder.type == "as_pattern" else super().given(holder, name)

    def _of_name(self, parsed: Parsed, node: Node, depth: int) -> Words:
        cls = _class_of_receiver(parsed, node, parsed.text_of(node))
        return super()._of_name(parsed, node, depth) if cls is None else _with_bases(parsed, cls)

    def _of_binding(self, parsed: Parsed, use: Use, depth: int) -> Words:
        if use.role in self.classes:
            return frozenset({use.name}) | frozenset(use.source.replace(".", " ").split()[-1:])
        node = parsed.node_at(use.start, use.end)
        if node is not None and use.role == "parameter" and _is_first_of_method(parsed, node):
            cls = class_around(parsed, use.line)
            return NOTHING if cls is None else _with_bases(parsed, cls)
        return super()._of_binding(parsed, use, depth)

    def _of_call(self, parsed: Parsed, node: Node, depth: int) -> Words:
        """What a call returns: an instance of the class that is called, or the function's annotated return type."""
        function = node.child_by_field_name("function")
        if function is None:
            return NOTHING
        name = function.child_by_field_name("attribute") or function
        if name.type != "identifier":
            return NOTHING
        called = parsed.text_of(name)
        if function.type == "identifier":
            if called == _ABOVE:
                cls = class_around(parsed, function.start_point.row)
                return NOTHING if cls is None else parsed.language.bases(parsed, cls)
            defined = [s for s in children(parsed, file_scope(parsed)) if s.name == called]
            if not defined or defined[0].kind == "class":
                return frozenset({called})
            return frozenset().union(*(self._returned(parsed, scope) for scope in defined))
        owners = self._of_value(parsed, function.children[0], depth - 1)
        found = set[str]()
        for scope in scopes(parsed):
            if scope.name == called and scope.is_method and scope.parent is not None and scope.parent.name in owners:
                found |= self._returned(parsed, scope)
        return frozenset(found) or (frozenset({called}) if called[:1].isupper() else NOTHING)

    def _returned(self, parsed: Parsed, scope: Scope) -> Words:
        annotation = self.returned(parsed, scope)
        return NOTHING if annotation is None else self.class_of(parsed, annotation)

    def _of_member(self, parsed: Parsed, node: Node, depth: int) -> Words:
        return super()._of_member(parsed, node, depth - 1)

    def _of_fields(self, parsed: Parsed, member: Node, owners: Words, depth: int) -> Iterator[Words]:
        """Annotations and values in the bodies of the classes, and assignments to `self`."""
        for place in nodes_named(parsed, parsed.text_of(member)):
            cls = None if place.id == member.id else class_around(parsed, place.start_point.row)
            if cls is None or cls.name not in owners:
                continue
            target = place.parent if place.parent is not None and place.parent.type in self.members else place
            if target.parent is not None and target.parent.child_by_field_name("left") == target:
                yield self._of_declaration(parsed, target, depth)


def _with_bases(parsed: Parsed, cls: Scope) -> Words:
    return frozenset({cls.name}) | parsed.language.bases(parsed, cls)


def _class_of_receiver(parsed: Parsed, node: Node, name: str) -> Scope | None:
    """The class whose method has the name as its first parameter.  Methods use it all over a file, so where it stands
    is not looked for."""
    for above in reversed(parsed.path(node)):
        holder = above.child_by_field_name("parameters")
        if holder is None or node.start_byte < holder.end_byte:
            continue
        for parameter in holder.named_children:
            if name == next(parsed.language.bound(parsed, parameter), None):
                is_receiver = _is_first_of_method(parsed, parameter)
                return class_around(parsed, above.start_point.row) if is_receiver else None
    return None


def _is_first_of_method(parsed: Parsed, node: Node) -> bool:
    holder = node.parent
    if holder is None or holder.type != "parameters" or holder.named_children[0].id != node.id:
        return False
    scope = scope_at(parsed, node.start_point.row, node.start_point.column)
    return scope.is_method


_TYPED = _PythonValues(
    members={"attribute": ("object", "attribute")},
    calls={"call": "function"},
    made={},
    this=frozenset(),
    declarators=frozenset({"as_pattern_target", "list_splat_pattern", "pattern_list"}),
    types=("type", "return_type"),
    inferred=frozenset(),
    values=("right", "value"),
    wrapped=frozenset({"subscript", "await", "parenthesized_expression"}),
    literals=frozenset(
        {
            *("string", "concatenated_string", "integer", "float", "true", "false", "none"),
            *("list", "tuple", "dictionary", "set"),
            *("list_comprehension", "set_comprehension", "dictionary_comprehension"),
        }
    ),
    names=frozenset({"identifier"}),
    untyped=True,
    every_word=True,
    implied=False,
    steps=0,
)


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
    values = _TYPED
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
    names_imported = _NAMES_IMPORTED
    gives = staticmethod(names.gives)
    means_module = staticmethod(names.means_module)

    def signature(self, parsed: Parsed, scope: Scope) -> str:
        header = parsed.snapshot.lines[scope.def_line : scope.header_end_line]
        return lines.one_line("\n".join(header).lstrip())[0]

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

    def import_source(self, parsed: Parsed, name: Node) -> str:
        """The module name after `from`, as written; empty for `import x`."""
        modules = (node.child_by_field_name("module_name") for node in reversed(parsed.path(name)[:-1]))
        return next(("".join(parsed.text_of(module).split()) for module in modules if module is not None), "")

    def import_written(self, parsed: Parsed, item: Import) -> str:
        alias = f" as {item.alias}" if item.alias else ""
        if item.name is None:
            return f"import {item.module}{alias}"
        return f"from {'.' * item.level}{item.module} import {item.name}{alias}"

    def import_added(self, parsed: Parsed, item: Import) -> str:
        return self.import_written(parsed, item)

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
        declared = super().keywords(parsed, scope)
        above = [line.strip() for line in parsed.snapshot.lines[scope.start_line : scope.def_line]]
        marks = [found[1] for line in above if (found := _DECORATOR.match(line))]
        if scope.kind == "function":
            return declared if set(marks) <= _SAME_CALLS and len(marks) == len([one for one in above if one]) else None
        inner = {one.name for one in members(parsed, scope)}
        header = "\n".join(parsed.snapshot.lines[scope.def_line : scope.header_end_line])
        if "__new__" in inner or "=" in header or any(one not in _DATA for one in marks):
            return None
        if "__init__" in inner:
            return declared
        if "Enum" in self.bases(parsed, scope) or any("init=False" in line for line in above):
            return None
        is_tuple = _TUPLE in self.bases(parsed, scope)
        if not marks and not is_tuple:
            return Keywords(inherited=True)
        body = range(scope.body_start_line, scope.end_line)
        fields = [one for one in members_of(parsed, scope) if one.kind == "attribute" and one.line in body and one.type]
        return Keywords(frozenset(one.name for one in fields), inherited=not is_tuple)

    def is_chained(self, call: Node) -> bool:
        return call.parent is not None and call.parent.type in ("attribute", "subscript", "call")

    def opens_block(self, statement: str) -> bool:
        return lines.ends_with_colon(statement)


def _is_text(parsed: Parsed, start: int, end: int) -> bool:
    node = parsed.node_at(start, end)
    return node is not None and node.type in texts.TEXTS


LANGUAGE = Python()
