"""A class's interface: its header, attributes and method signatures.

In: a parse and a class in it.  Out: lines, each with the document line that it repeats verbatim, if any.  A body is
shown as `...` behind the signature (FORMATS.md); such a line is no line of the document, so no suggestion can edit it.
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
    """`name` is the member that it declares, "" for the header; `document_line` the line that it repeats, or None."""

    text: str
    name: str = ""
    document_line: int | None = None

    def checked(self, document: Sequence[str]) -> Line:
        """The line without its `document_line` if the document has another text there by now."""
        number = self.document_line
        if number is None or (number < len(document) and document[number] == self.text):
            return self
        return replace(self, document_line=None)


def skeleton(parsed: Parsed, scope: Scope, cursor_line: int | None = None) -> list[Line]:
    """The lines of a class, without those that `cursor_line` declares."""
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
        yield Line(lines[scope.def_line], document_line=scope.def_line)
    else:
        yield Line(indent + signature(parsed, scope))
    doc = next((line for line in (docstring(parsed, scope) or "").split("\n") if line.strip()), "").strip()
    if doc:
        text = f"{indent}    {parsed.language.docstring_written(doc[:_LONGEST_DOC])}"
        number = scope.body_start_line
        yield Line(text, document_line=number if number < len(lines) and lines[number] == text else None)


def _before(parsed: Parsed, scope: Scope) -> Iterator[Line]:
    """What stands before a definition and belongs to it (decorators, annotations), as far as it is on one line."""
    lines, comments = parsed.snapshot.lines, parsed.language.lexical.line_comments
    for statement in parsed.language.statements(lines, scope.start_line, scope.def_line):
        line = lines[statement.start]
        if len(statement) == 1 and _is_whole(parsed, line) and not line.lstrip().startswith(comments):
            yield Line(line, document_line=statement.start)


def _attributes(parsed: Parsed, scope: Scope, indent: str, cursor_line: int | None) -> Iterator[Line]:
    """Those of the class's body, verbatim if they are on one line, then those that the initializers assign."""
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
    for initializer in children(parsed, scope):
        if initializer.name not in parsed.language.initializers:
            continue
        names = visible(parsed, initializer)
        parameters = {item.name: item.signature.partition("=")[0] for item in names if item.kind == "parameter"}
        for item in names:
            name = item.name.partition(".")[2]
            if item.line == cursor_line:
                continue
            if (
                item.kind == "attribute"
                and name
                and name not in own
                and initializer.def_line < item.line < initializer.end_line
            ):
                own.add(name)
                yield Line(indent + _informative(item.signature.partition(".")[2], parameters), name)


def _informative(signature: str, parameters: Mapping[str, str]) -> str:
    """`owner = owner` tells nothing; the parameter's annotation is shown instead."""
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
