"""A class's interface: its header, attributes and method signatures.

In: a parse and a class in it.  Out: lines, each with the document line that it repeats verbatim, if any.  A body is
shown as `...` behind the signature (docs/formats.md); such a line is no line of the document, so no suggestion
can edit it.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from palimpsest.context.sources.cached import cached, children, visible
from palimpsest.syntax.parse import Parsed
from palimpsest.syntax.scopes import docstring, members, parts, signature
from palimpsest.syntax.values import Scope

_LONGEST_LINE = 120
_LONGEST_DOC = 100


@dataclass(frozen=True, slots=True)
class Line:
    """`name` is the member that it declares, "" for the header; `document_line` the line that it repeats, or None."""

    text: str
    name: str = ""
    document_line: int | None = None

    def checked(self, document: Sequence[str]) -> "Line":
        """The line without its `document_line` if the document has another text there by now."""
        number = self.document_line
        if number is None or (number < len(document) and document[number] == self.text):
            return self
        return replace(self, document_line=None)


def skeleton(parsed: Parsed, scope: Scope, cursor_line: int | None = None) -> list[Line]:
    """The lines of a class, without those that `cursor_line` declares; then those of what adds to it in this file."""
    return cached(parsed, ("skeleton", scope, cursor_line), lambda: _skeleton(parsed, scope, cursor_line))


def _skeleton(parsed: Parsed, scope: Scope, cursor_line: int | None) -> list[Line]:
    lines = [line for part in parts(parsed, scope) for line in _part(parsed, part, cursor_line)]
    every = members(parsed, scope)
    declared = {member.name for member in every if not member.owner and not member.has_body}
    for member in every:
        if member.owner and member.name not in declared and not _is_at(member, cursor_line):
            lines += _method(parsed, member)
    return lines


def added(parsed: Parsed, scope: Scope, cursor_line: int | None) -> list[Line]:
    """The lines of what adds to a class of another file: a part of it, or a member."""
    return cached(parsed, ("added", scope, cursor_line), lambda: _added(parsed, scope, cursor_line))


def _added(parsed: Parsed, scope: Scope, cursor_line: int | None) -> list[Line]:
    if scope.kind == "class":
        return _part(parsed, scope, cursor_line)
    return [] if _is_at(scope, cursor_line) else list(_method(parsed, scope))


def _part(parsed: Parsed, scope: Scope, cursor_line: int | None) -> list[Line]:
    indent = _indent(parsed.snapshot.lines[scope.def_line])
    if _is_one_line(parsed, scope):
        line = Line(parsed.snapshot.lines[scope.def_line], document_line=scope.def_line)
        return [*list(_head(parsed, scope, indent))[:-1], line]
    inside = list(_attributes(parsed, scope, _inner_indent(parsed, scope, indent), cursor_line))
    for child in children(parsed, scope):
        if child.kind == "class" and child.name in parsed.language.class_parts:
            inside += _part(parsed, child, cursor_line)
        elif not _is_at(child, cursor_line):
            inside += _method(parsed, child)
    seen, unique = set[str](), list[Line]()
    for line in inside:
        if not line.name or line.text not in seen:
            unique.append(line)
            seen.add(line.text)
    head = list(_head(parsed, scope, indent))
    if unique:
        return [*head, *unique, *_end(parsed, scope, indent)]
    if parsed.language.indented:
        return (
            [*head[:-1], Line(head[-1].text)] if len(head) > 1 else [Line(head[0].text + parsed.language.omitted_body)]
        )
    return [*head[:-1], Line(indent + parsed.language.outline(parsed, scope))]


def _is_at(scope: Scope, line: int | None) -> bool:
    """Whether a line is one of a definition's header."""
    return line is not None and scope.def_line <= line < scope.header_end_line


def _is_one_line(parsed: Parsed, scope: Scope) -> bool:
    """Whether a short class is written on one line, as many are where a bracket ends it."""
    written = parsed.snapshot.lines[scope.def_line]
    one = scope.end_line == scope.def_line + 1 and not parsed.language.indented
    return one and len(written) <= _LONGEST_LINE


def _head(parsed: Parsed, scope: Scope, indent: str) -> Iterator[Line]:
    lines, documentation = parsed.snapshot.lines, (docstring(parsed, scope) or "").split("\n")
    doc = next((line.strip() for line in documentation if line.strip()), "")
    if parsed.language.doc_comments:
        yield from _doc_above(parsed, scope, indent, doc)
        yield from (line for line in _before(parsed, scope) if not _is_comment(parsed, line.text))
    else:
        yield from _before(parsed, scope)
    written, opens = lines[scope.def_line], _opener(parsed)
    is_line = scope.header_end_line == scope.def_line + 1 and scope.body_start_line == scope.header_end_line
    if is_line and written.rstrip().endswith(opens):
        yield Line(written, document_line=scope.def_line)
    else:
        yield Line(f"{indent}{signature(parsed, scope)}{' ' if opens else ''}{opens}")
    if doc and not parsed.language.doc_comments:
        text = f"{indent}    {parsed.language.docstring_written(doc[:_LONGEST_DOC])}"
        number = scope.body_start_line
        yield Line(text, document_line=number if number < len(lines) and lines[number] == text else None)


def _doc_above(parsed: Parsed, scope: Scope, indent: str, doc: str) -> Iterator[Line]:
    """The documentation's first line, as it is written if that is a comment on one line."""
    written = parsed.snapshot.lines[scope.start_line]
    if doc and doc in written and _is_whole(parsed, written) and scope.start_line < scope.def_line:
        yield Line(written, document_line=scope.start_line)
    elif doc:
        yield Line(indent + parsed.language.docstring_written(doc[:_LONGEST_DOC]))


def _is_comment(parsed: Parsed, line: str) -> bool:
    lexical = parsed.language.lexical
    return line.lstrip().startswith((*lexical.line_comments, *(begin for begin, _ in lexical.block_comments)))


def _opener(parsed: Parsed) -> str:
    """The bracket that opens the body of a class; empty if there is none."""
    return "{" if "{" in parsed.language.omitted_body else ""


def _end(parsed: Parsed, scope: Scope, indent: str) -> Iterator[Line]:
    """The line that ends a class, where a language has one."""
    if parsed.language.indented:
        return
    last = scope.end_line - 1
    written = parsed.snapshot.lines[last]
    if last >= scope.header_end_line and _is_whole_end(parsed, written) and _indent(written) == indent:
        yield Line(written, document_line=last)
    elif _opener(parsed):
        yield Line(indent + "}")


def _is_whole_end(parsed: Parsed, line: str) -> bool:
    """Whether the line has no more than the end of a class: its bracket or word, and perhaps a name."""
    return len(line) <= _LONGEST_LINE and "{" not in line and (not _opener(parsed) or line.lstrip().startswith("}"))


def _inner_indent(parsed: Parsed, scope: Scope, indent: str) -> str:
    """The indent of a class's members: that of its first one on a line of its own."""
    lines = parsed.snapshot.lines
    firsts = [child.def_line for child in children(parsed, scope)[:1]]
    firsts += [item.line for item in visible(parsed, scope) if item.kind == "attribute"][:1]
    for line in sorted(line for line in firsts if scope.header_end_line <= line < scope.end_line):
        inner = _indent(lines[line])
        if len(inner) > len(indent) and inner.startswith(indent):
            return inner
    return indent + "    "


def _before(parsed: Parsed, scope: Scope) -> Iterator[Line]:
    """What stands before a definition and belongs to it (decorators, annotations), as far as it is on one line."""
    lines, comments = parsed.snapshot.lines, parsed.language.lexical.line_comments
    for statement in parsed.language.statements(lines, scope.start_line, scope.def_line):
        line = lines[statement.start]
        if len(statement) == 1 and _is_whole(parsed, line) and not line.lstrip().startswith(comments):
            yield Line(line, document_line=statement.start)


def _attributes(parsed: Parsed, scope: Scope, indent: str, cursor_line: int | None) -> Iterator[Line]:
    """The attributes of the class's body, verbatim if on one line, then those that the initializers assign."""
    lines, inner = parsed.snapshot.lines, children(parsed, scope)
    own = set[str]()
    for item in visible(parsed, scope):
        if item.line == cursor_line:
            continue
        if item.kind == "attribute" and scope.def_line < item.line < scope.end_line:
            own.add(item.name)
            written = lines[item.line]
            maker = next((child for child in inner if child.def_line <= item.line < child.end_line), None)
            if maker is None and _is_whole(parsed, written) and _declares(parsed, written, indent, item.name):
                yield Line(written, item.name, item.line)
            else:
                known = dict.fromkeys(_parameters(parsed, maker), "") if maker is not None else {}
                yield Line(indent + _informative(item.signature, known), item.name)
    for initializer in children(parsed, scope):
        if initializer.name not in parsed.language.initializers:
            continue
        parameters = _parameters(parsed, initializer)
        for item in visible(parsed, initializer):
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


def _parameters(parsed: Parsed, scope: Scope) -> dict[str, str]:
    items = visible(parsed, scope)
    return {item.name: item.signature.partition("=")[0] for item in items if item.kind == "parameter"}


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
    text = f"{_indent(written)}{parsed.language.outline(parsed, scope)}"
    yield Line(text, scope.name, scope.def_line if text == written else None)


def _declares(parsed: Parsed, line: str, indent: str, name: str) -> bool:
    """Whether a line of a class declares an attribute, and nothing else."""
    if parsed.language.indented:
        return line.startswith(indent + name)
    return _indent(line) == indent and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", line) is not None


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def _is_whole(parsed: Parsed, line: str) -> bool:
    return len(line) <= _LONGEST_LINE and parsed.language.is_whole(line)
