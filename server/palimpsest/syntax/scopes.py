"""Which function or class a line belongs to.

In: a parse.  Out: scopes, their signatures and documentation.  Does not know about editors.

A line belongs to the innermost definition whose lines contain it.  Decorators and documentation are a definition's own
lines; a lambda is no scope.  A blank line or a comment after a definition's last line belongs to it if it is indented
deeper than the definition, since that is where a person continues to type.
"""

from collections.abc import Iterable, Iterator, Sequence

from palimpsest.syntax.definitions import OUTLINE_DEPTH, all_headers, headers_at, headers_between
from palimpsest.syntax.indentation import indent_width
from palimpsest.syntax.parse import Parsed
from palimpsest.syntax.values import Header, Scope


def file_scope(parsed: Parsed) -> Scope:
    start = parsed.lines.start
    return Scope("file", "", "", start, parsed.lines.stop, start, start, start, -1, None)


def scopes(parsed: Parsed) -> list[Scope]:
    """Every scope: the file, then definitions in order of their first line, an outer one before its inner ones."""
    return list(parsed.once(_all_scopes))


def scope_at(parsed: Parsed, line: int, column: int) -> Scope:
    """The innermost scope at a position (code points); a position outside the document is clamped."""
    lines = parsed.snapshot.lines
    line = max(0, min(line, len(lines) - 1))
    text = lines[line]
    chain = _chain(parsed, line)
    if not _is_code(parsed, line):
        width = indent_width(text if text.strip() else text[: max(0, column)])
        before = next((n for n in range(line - 1, -1, -1) if _is_code(parsed, n)), None)
        deeper = _chain(parsed, before)[len(chain) :] if before is not None else ()
        for scope in deeper:
            if scope.indent >= width:
                break
            chain = (*chain, scope)
    return chain[-1]


def enclosing(scope: Scope) -> Iterator[Scope]:
    """The scope itself, then those around it, the file last."""
    around: Scope | None = scope
    while around is not None:
        yield around
        around = around.parent


def children(parsed: Parsed, scope: Scope) -> list[Scope]:
    """The definitions directly inside a scope, in order; for a file, also those in up to two compound statements."""
    if scope.kind == "file":
        return [inner for inner in parsed.once(_outline) if inner.parent == scope]
    inside = headers_between(parsed, scope.start_line, scope.end_line)
    return [
        inner for inner in _nest(scope, [h for h in inside if h.def_line != scope.def_line]) if inner.parent == scope
    ]


def parts(parsed: Parsed, scope: Scope) -> list[Scope]:
    """The definitions that make up a class in this file, the one that declares it first: itself, and others that add
    members to it."""
    if scope.kind != "class":
        return [scope]
    known = parsed.once(_parts)
    found = known.get(scope.qualified_name, ())
    if parsed.language.merges_classes and len(found) > 1:
        return list(found)
    declared = scope if not scope.adds else next((part for part in found if not part.adds), None)
    return [*([declared] if declared is not None else ()), *(part for part in found if part.adds)] or [scope]


def members(parsed: Parsed, scope: Scope) -> list[Scope]:
    """The definitions in all parts of a class, and those outside that belong to it."""
    inside = [inner for part in parts(parsed, scope) for inner in children(parsed, part)]
    return [*inside, *parsed.once(_owned).get(scope.qualified_name, ())]


def additions(parsed: Parsed) -> dict[str, tuple[Scope, ...]]:
    """What adds members to classes that this file does not declare, by the class's qualified name: parts of a class,
    and members outside of one."""
    return parsed.once(_additions)


def class_of(parsed: Parsed, scope: Scope) -> Scope | None:
    """The innermost class around a scope, itself included; of a member outside its class, that class in this file."""
    for around in enclosing(scope):
        if around.kind == "class":
            return around
        if around.owner:
            return next(iter(parsed.once(_parts).get(around.class_name, ())), None)
    return None


def aliases(parsed: Parsed) -> dict[str, str]:
    """Other names of classes, with the class that each means."""
    return parsed.once(_aliases)


def enumerators(parsed: Parsed) -> dict[str, str]:
    """Constants that are used without the name of their enum, with that name."""
    return parsed.once(_enumerators)


def with_aliases(parsed: Parsed, names: Iterable[str]) -> frozenset[str]:
    """Names of classes with the other names that these have in the document."""
    given, known = frozenset(names), aliases(parsed)
    classes = given | {known[name] for name in given & known.keys()}
    return classes | {alias for alias, name in known.items() if name in classes}


def signature(parsed: Parsed, scope: Scope) -> str:
    """The header on one logical line, decorators left out; a file's is empty."""
    return "" if scope.kind == "file" else parsed.language.signature(parsed, scope)


def docstring(parsed: Parsed, scope: Scope) -> str | None:
    """The docstring without its indent, escapes as written; None where there is none."""
    return parsed.language.docstring(parsed, scope)


def class_around(parsed: Parsed, line: int) -> Scope | None:
    """The innermost class that a line belongs to, including lines of its methods."""
    return class_of(parsed, scope_at(parsed, line, 0))


def class_name_around(parsed: Parsed, line: int) -> str:
    """The qualified name of the innermost class that a line belongs to, which may be declared elsewhere; else empty."""
    for scope in enclosing(scope_at(parsed, line, 0)):
        if scope.kind == "class" or scope.owner:
            return scope.qualified_name if scope.kind == "class" else scope.class_name
    return ""


def _is_code(parsed: Parsed, line: int) -> bool:
    stripped = parsed.snapshot.lines[line].strip()
    return bool(stripped) and not stripped.startswith(parsed.language.lexical.line_comments)


def _all_scopes(parsed: Parsed) -> tuple[Scope, ...]:
    file = file_scope(parsed)
    return (file, *_nest(file, all_headers(parsed)))


def _outline(parsed: Parsed) -> tuple[Scope, ...]:
    return tuple(_nest(file_scope(parsed), all_headers(parsed, OUTLINE_DEPTH)))


def _aliases(parsed: Parsed) -> dict[str, str]:
    matches = parsed.matches("aliases", max_depth=OUTLINE_DEPTH)
    return {parsed.text_of(found["alias"][0]): parsed.text_of(found["class"][0]) for found in matches}


def _enumerators(parsed: Parsed) -> dict[str, str]:
    matches = parsed.matches("enumerators", max_depth=OUTLINE_DEPTH)
    return {parsed.text_of(found["name"][0]): parsed.text_of(found["class"][0]) for found in matches}


def _parts(parsed: Parsed) -> dict[str, tuple[Scope, ...]]:
    """The classes outside functions by qualified name, those that declare before those that add."""
    found = dict[str, tuple[Scope, ...]]()
    for scope in parsed.once(_outline):
        if scope.kind == "class":
            found[scope.qualified_name] = (*found.get(scope.qualified_name, ()), scope)
    return {name: tuple(sorted(scopes, key=lambda scope: scope.adds)) for name, scopes in found.items()}


def _owned(parsed: Parsed) -> dict[str, tuple[Scope, ...]]:
    """The members that are written outside their class, by the class."""
    found = dict[str, tuple[Scope, ...]]()
    for scope in parsed.once(_outline):
        if scope.owner:
            found[scope.class_name] = (*found.get(scope.class_name, ()), scope)
    return found


def _additions(parsed: Parsed) -> dict[str, tuple[Scope, ...]]:
    found = dict[str, tuple[Scope, ...]]()
    known = parsed.once(_parts)
    for name, some in known.items():
        if some[0].adds:
            found[name] = some
    for name, owned in parsed.once(_owned).items():
        if name not in known or name in found:
            found[name] = (*found.get(name, ()), *owned)
    return found


def _chain(parsed: Parsed, line: int) -> tuple[Scope, ...]:
    """The file and the definitions whose lines include `line`, outermost first."""
    file = file_scope(parsed)
    return (file, *_nest(file, headers_at(parsed, line)))


def _nest(root: Scope, headers: Sequence[Header]) -> list[Scope]:
    """Scopes inside `root`, an outer one before its inner ones."""
    nested: list[Scope] = []
    around = [root]
    for header in sorted(headers, key=lambda header: (header.start_line, -header.end_line)):
        while len(around) > 1 and around[-1].end_line <= header.start_line:
            around.pop()
        parent = around[-1]
        scope = Scope(
            header.kind,
            header.name,
            ".".join(part for part in (parent.qualified_name, header.owner, header.name) if part).replace("::", "."),
            header.start_line,
            header.end_line,
            header.def_line,
            header.header_end_line,
            header.body_start_line,
            header.indent,
            parent,
            header.owner,
            header.adds,
            header.has_body,
            header.is_described,
        )
        nested.append(scope)
        around.append(scope)
    return nested
