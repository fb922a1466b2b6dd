"""The default implementation of a language: a table, and what a grammar's queries find.

In: a parse, nodes, lines.  Out: as `syntax.parse.Language` says.  A language derives from `Base`, sets the
values of its table and overrides what differs.  If queries find no answer, it is empty: in doubt nothing is done.

A query file has sections, each headed by a line `;; name` and compiled on its own, so that a keystroke runs only what
it needs.  A missing section finds nothing:

    scopes       @function or @class with @name and @body; @outer if decorators belong to it
    imports      one @import per import statement; @module with the @name and @alias that it gives
    names        @name for an identifier, @unused where it only names a member, an argument or a definition
    attributes   @head and @attr for `head.attr`
    parameters   one @parameter per parameter of a function
    assignments  @target, which may hold several identifiers, with @type and @value
    bases        one @base per class that a class is derived from
    shape        @block of statements, @bracket pair, @string, @quote that opens one, @comment, @definition, @error
    binds        @name for an identifier that is bound there, or @target, which may hold several
    verbatim     @verbatim: white space inside of it counts
    comments     @comment
    roles        @scope.*: a part with its own names; @function, @class, @parameter (with the @owner of its name),
                 @assigned, @import: what binds a name there; @declared.*, @member, @keyword, @module: what else it is
    calls        @function, its last name, and @arguments of a @call
    signatures   @name and @parameters of a @function, @async where it is one
    indented     @block that must have a statement, nodes whose children stand @together at one indent, @clause that
                 must have its parent's indent
    documented   the second documentation of one definition, @again
    pairs        what may be swapped in a @pair: @first and @second, or the children of @elements
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from importlib.resources import files
from pathlib import PurePosixPath

import tree_sitter
from tree_sitter import Node, Query

from palimpsest.syntax.lexical import Lexical, tokens
from palimpsest.syntax.parse import Parsed
from palimpsest.syntax.values import Argument, Header, Import, Parameter, Scope

_CLAUSE = re.compile(r"\s*(else|catch|finally|case|default)\b|\s*[)\]}]")
_DEFINES = re.compile(r"\b(def|class|function|func|fn)\s+\w+\Z")
_MANY = ("rest", "splat", "spread", "variadic")
"""Parts of the grammars' names for a parameter or an argument that stands for several."""
_LONGEST_STATEMENT = 100
"""Maximum number of lines; a longer statement has a bracket that is never closed."""


class Base:
    id = ""
    name = ""
    language_ids: tuple[str, ...] = ()
    suffixes: tuple[str, ...] = ()
    grammar_module = ""
    """The grammar's package as it is imported, with the function in it: `tree_sitter_x` or `tree_sitter_x:language_y`.
    """
    lexical = Lexical()
    indented = False
    identifiers = frozenset({"identifier"})
    members: frozenset[str] = frozenset()
    """Types of nodes that are a member together with its head, `self.a`."""
    opaque: frozenset[str] = frozenset()
    """Types of nodes that may occur in a target but bind nothing."""
    import_hint = "import"
    builtins: frozenset[str] = frozenset()
    builtin_members: frozenset[str] = frozenset()
    common_words: frozenset[str] = frozenset()
    constructor = ""
    initializers: frozenset[str] = frozenset()
    receiver = "this"
    omitted_body = " { ... }"

    # Grammar
    @cached_property
    def grammar(self) -> tree_sitter.Language | None:
        module, _, function = self.grammar_module.partition(":")
        if not module:
            return None
        return tree_sitter.Language(getattr(importlib.import_module(module), function or "language")())

    @cached_property
    def _queries(self) -> Mapping[str, Query]:
        if self.grammar is None:
            return {}
        package = importlib.import_module(type(self).__module__).__package__ or ""
        _, *parts = re.split(r"(?m)^;; (\w+)\n", (files(package) / "queries.scm").read_text("utf-8"))
        sections = zip(parts[::2], parts[1::2], strict=True)
        return {section: Query(self.grammar, text) for section, text in sections}

    def query(self, section: str) -> Query | None:
        return self._queries.get(section)

    # Lines
    def statements(self, lines: Sequence[str], start: int, end: int) -> Iterator[range]:
        """A line, and those that follow while a string or a bracket (not a brace) is open, or after a backslash."""
        depth, quote, first = 0, "", None
        for number in range(start, end):
            if first is None and not lines[number].strip():
                continue
            first, escaped = number if first is None else first, False
            for token in tokens(lines[number], self.lexical, quote):
                escaped = token.kind == "escape" and token.end == len(lines[number])
                quote = token.quote if token.kind in ("begin", "end") else quote
                if token.kind in ("open", "close") and lines[number][token.start] not in "{}":
                    depth += 1 if token.kind == "open" else -1
            quote = quote if escaped or quote not in self.lexical.quotes else ""
            if (depth <= 0 and not quote and not escaped) or number - first >= _LONGEST_STATEMENT:
                yield range(first, number + 1)
                depth, quote, first = 0, "", None
        if first is not None:
            yield range(first, end)

    def headers(self, lines: Sequence[str], start: int, end: int) -> list[Header]:
        return []

    def is_string_open(self, lines: Sequence[str], start: int, end: int) -> bool:
        return False

    def is_whole(self, line: str) -> bool:
        if line.endswith("\\") or any(quote in line for quote in self.lexical.block_quotes):
            return False
        return all(line.count(a) == line.count(b) for a, b in ("()", "[]", "{}"))

    # Definitions
    def signature(self, parsed: Parsed, scope: Scope) -> str:
        for captures in parsed.matches("scopes", scope.def_line, scope.def_line + 1):
            node = next(captures[kind][0] for kind in ("function", "class") if kind in captures)
            if node.start_point.row == scope.def_line and parsed.text_of(captures["name"][0]) == scope.name:
                header = parsed.snapshot.utf8[node.start_byte : captures["body"][0].start_byte]
                return " ".join(header.decode("utf-8", "surrogatepass").split())
        return " ".join(" ".join(parsed.snapshot.lines[scope.def_line : scope.header_end_line]).split())

    def header(self, parsed: Parsed, scope: Scope) -> tuple[Parsed, range]:
        return parsed, range(scope.def_line, scope.header_end_line)

    def docstring(self, parsed: Parsed, scope: Scope) -> str | None:
        return None

    def docstring_lines(self, parsed: Parsed, scope: Scope, end: int) -> tuple[int, int]:
        return 0, 0

    def docstring_written(self, text: str) -> str:
        mark = next(iter(self.lexical.line_comments), "")
        return f"{mark} {text}".lstrip()

    def takes_receiver(self, parsed: Parsed, scope: Scope) -> bool:
        return False

    # Names
    def bound(self, parsed: Parsed, target: Node) -> Iterator[str]:
        if target.type in self.identifiers:
            yield parsed.text_of(target)
        elif target.type in self.members:
            yield "".join(parsed.text_of(target).split())
        elif target.type not in self.opaque:
            name = target.child_by_field_name("name")
            for child in target.named_children if name is None else [name]:
                yield from self.bound(parsed, child)

    # Imports and modules
    def imported(self, parsed: Parsed, statement: Node) -> list[Import]:
        found = list[Import]()
        line = statement.start_point.row
        for captures in parsed.matches("imports", line, line + 1):
            if captures["import"][0].id == statement.id and "module" in captures:
                module, name, alias = (
                    parsed.text_of(captures[part][0]) if part in captures else None
                    for part in ("module", "name", "alias")
                )
                found.append(Import(module or "", name, alias, 0, line))
        return found

    def import_written(self, parsed: Parsed, item: Import) -> str:
        return parsed.snapshot.lines[item.line].strip()

    def import_source(self, parsed: Parsed, name: Node) -> str:
        row = name.start_point.row
        for captures in parsed.matches("imports", row, row + 1):
            given = [*captures.get("name", ()), *captures.get("alias", ())]
            if "module" in captures and any(node.id == name.id for node in given):
                return parsed.text_of(captures["module"][0])
        return ""

    def module_name(self, file: str) -> str:
        return PurePosixPath(file).name

    def gives(self, source: str, file: str, module: str) -> bool:
        return False

    def means_module(self, head: str, imported: Sequence[Import], file: str, module: str) -> bool:
        return False

    # Values and calls
    def owners(self, parsed: Parsed, start: int, end: int) -> frozenset[str]:
        return frozenset()

    def head(self, parsed: Parsed, start: int, end: int) -> str:
        return ""

    def bases(self, parsed: Parsed, cls: Scope) -> frozenset[str]:
        matches = parsed.matches("bases", cls.def_line, cls.header_end_line)
        return frozenset(parsed.text_of(node) for captures in matches for node in captures.get("base", ()))

    def argument(self, parsed: Parsed, node: Node) -> Argument:
        text = parsed.text_of(node)
        return Argument(node.start_byte, node.end_byte, text, value=text, star=any(word in node.type for word in _MANY))

    def parameters(self, parsed: Parsed, holder: Node) -> tuple[Parameter, ...]:
        found = list[Parameter]()
        for node in holder.named_children:
            if "comment" in node.type:
                continue
            value = node.child_by_field_name("value") or node.child_by_field_name("right")
            kind = "star" if any(word in node.type for word in _MANY) else "plain"
            name, text = next(self.bound(parsed, node), ""), parsed.text_of(node)
            found.append(Parameter(name, text, kind, "" if value is None else parsed.text_of(value)))
        return tuple(found)

    def is_awaited(self, call: Node) -> bool:
        return call.parent is not None and "await" in call.parent.type

    def is_chained(self, call: Node) -> bool:
        above = call.parent
        fields = ("object", "function", "value") if above is not None else ()
        return any(above.child_by_field_name(field) == call for field in fields if above is not None)

    def awaited(self, call: str, *, chained: bool) -> str:
        return f"(await {call})" if chained else f"await {call}"

    def by_name(self, name: str, value: str) -> str | None:
        return None

    # Half-written code
    def opens_block(self, statement: str) -> bool:
        """For braces: they are part of the block, so that it has several lines."""
        return "\n" in statement.strip()

    def continues_block(self, line: str) -> bool:
        return _CLAUSE.match(line) is not None

    def defines(self, before: str) -> bool:
        return _DEFINES.search(before) is not None
