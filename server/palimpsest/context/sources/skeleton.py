"""A class's interface: its head, members and methods' signatures, with the document line of what is verbatim.

In: a parse and a class in it.  Out: lines.  A body is shown as `...` on the signature's own line (FORMATS.md), and such
a line stands for no line of the document, so that no suggestion can touch it.  Knows no file and no budget.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from palimpsest.context.sources.cached import children, visible
from palimpsest.syntax.parse import Parsed
from palimpsest.syntax.scopes import Scope, docstring, signature

_LONGEST_LINE = 120
_LONGEST_DOC = 100


@dataclass(frozen=True, slots=True)
class Line:
    """`name`: the member it is about, empty for the head; `place`: the document line it repeats, or None."""

    text: str
    name: str = ""
    place: int | None = None

    def where_it_is(self, document: Sequence[str]) -> Line:
        """The line with its place only if the document has that text there."""
        place = self.place
        if place is None or (place < len(document) and document[place] == self.text):
            return self
        return replace(self, place=None)


def skeleton(parsed: Parsed, scope: Scope, cursor_line: int | None = None) -> list[Line]:
    """The lines of a class.  What stands on `cursor_line` is left out."""
    indent = _indent(parsed.snapshot.lines[scope.def_line])
    members = list(_attributes(parsed, scope, indent + "    ", cursor_line))
    for child in children(parsed, scope):
        if cursor_line is None or not child.def_line <= cursor_line < child.header_end_line:
            members += _method(parsed, child)
    seen, unique = set[str](), list[Line]()
    for line in members:
        if not line.name or line.text not in seen:
            unique.append(line)
            seen.add(line.text)
    head = list(_head(parsed, scope, indent))
    if unique or len(head) > 1:
        return [*head, *unique] if unique else [*head[:-1], Line(head[-1].text)]
    return [Line(head[0].text + parsed.language.omitted_body)]


def _head(parsed: Parsed, scope: Scope, indent: str) -> Iterator[Line]:
    lines = parsed.snapshot.lines
    yield from _before(parsed, scope)
    if scope.header_end_line == scope.def_line + 1 and scope.body_start_line == scope.header_end_line:
        yield Line(lines[scope.def_line], place=scope.def_line)
    else:
        yield Line(indent + signature(parsed, scope))
    doc = next((line for line in (docstring(parsed, scope) or "").split("\n") if line.strip()), "").strip()
    if doc:
        text = f"{indent}    {parsed.language.docstring_written(doc[:_LONGEST_DOC])}"
        number = scope.body_start_line
        yield Line(text, place=number if number < len(lines) and lines[number] == text else None)


def _before(parsed: Parsed, scope: Scope) -> Iterator[Line]:
    """What stands before a definition and belongs to it (decorators, annotations), as far as it is on one line."""
    lines, comments = parsed.snapshot.lines, parsed.language.lexical.line_comments
    for statement in parsed.language.statements(lines, scope.start_line, scope.def_line):
        line = lines[statement.start]
        if len(statement) == 1 and _is_whole(parsed, line) and not line.lstrip().startswith(comments):
            yield Line(line, place=statement.start)


def _attributes(parsed: Parsed, scope: Scope, indent: str, cursor_line: int | None) -> Iterator[Line]:
    """Those of the class's body, verbatim where they stand on one line, then those that instances get when made."""
    lines = parsed.snapshot.lines
    own = set[str]()
    for item in visible(parsed, scope):
        if item.line == cursor_line:
            continue
        if item.kind == "attribute" and scope.def_line < item.line < scope.end_line:
            own.add(item.name)
            written = lines[item.line]
            if _is_whole(parsed, written) and written.startswith(f"{indent}{item.name}"):
                yield Line(written, item.name, item.line)
            else:
                yield Line(indent + item.signature, item.name)
    for maker in children(parsed, scope):
        if maker.name not in parsed.language.initializers:
            continue
        names = visible(parsed, maker)
        parameters = {item.name: item.signature.partition("=")[0] for item in names if item.kind == "parameter"}
        for item in names:
            name = item.name.partition(".")[2]
            if item.line == cursor_line:
                continue
            if item.kind == "attribute" and name and name not in own and maker.def_line < item.line < maker.end_line:
                own.add(name)
                yield Line(indent + _kept(item.signature.partition(".")[2], parameters), name)


def _kept(signature: str, parameters: Mapping[str, str]) -> str:
    """`owner = owner` says nothing: the parameter's annotation does."""
    name, _, value = signature.partition(" = ")
    if value not in parameters:
        return signature
    annotation = parameters[value].partition(":")[2].strip()
    return f"{name}: {annotation}" if annotation else name


def _method(parsed: Parsed, scope: Scope) -> Iterator[Line]:
    lines = parsed.snapshot.lines
    yield from _before(parsed, scope)
    written = lines[scope.def_line]
    text = f"{_indent(written)}{signature(parsed, scope)}{parsed.language.omitted_body}"
    yield Line(text, scope.name, scope.def_line if text == written else None)


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def _is_whole(parsed: Parsed, line: str) -> bool:
    return len(line) <= _LONGEST_LINE and parsed.language.is_whole(line)
