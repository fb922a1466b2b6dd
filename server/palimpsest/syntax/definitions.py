"""Finds the definitions of a document.

In: a parse.  Out: headers.  The tree is used where it has no errors.  If a child of the root has an error or is
indented without a parent, the language scans its lines instead, together with those it may belong to; for a language
with brackets, these lines are parsed once more with brackets that fit.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tree_sitter import Node

from palimpsest.syntax.balancing import balanced
from palimpsest.syntax.indentation import indent_width
from palimpsest.syntax.parse import Parsed, parse_text
from palimpsest.syntax.values import DefinitionKind, Header
from palimpsest.text.positions import utf8

OUTLINE_DEPTH = 6
"""Number of nodes from the root to a definition inside two compound statements: `try`, its block, `if`, its block,
decorators."""
_KINDS: tuple[DefinitionKind, ...] = ("function", "class", "namespace")
_MOST_BALANCED = 3000
"""Maximum number of lines of one piece of broken code whose brackets are put right."""
_LEADING = re.compile(r"[ \t\r\x0b\x0c]*")
_MOST_LEADING = 200
"""Maximum number of attributes and comments examined above a definition."""


@dataclass(frozen=True, slots=True)
class _Scanned:
    """The lines where indentation decides, empty for a tree without errors, and the definitions that start there."""

    ranges: tuple[range, ...] = ()
    headers: tuple[Header, ...] = ()

    def holds(self, line: int) -> bool:
        return any(line in lines for lines in self.ranges)


def all_headers(parsed: Parsed, max_depth: int | None = None) -> list[Header]:
    """Every definition, unordered; with `max_depth`, at least those no more than that many nodes below the root."""
    scanned = parsed.once(_scanned)
    sound = _tree_headers(parsed.matches("scopes", max_depth=max_depth), parsed)
    return [*(header for header in sound if not scanned.holds(header.def_line)), *scanned.headers]


def headers_between(parsed: Parsed, start: int, end: int) -> list[Header]:
    """The definitions that start in the lines `start..end`, unordered; does not examine nodes of other lines."""
    scanned = parsed.once(_scanned)
    found = [header for header in scanned.headers if start <= header.start_line < end]
    if not any(start in lines and end - 1 in lines for lines in scanned.ranges):
        sound = _tree_headers(parsed.matches("scopes", start, end), parsed)
        found += [h for h in sound if start <= h.start_line < end and not scanned.holds(h.def_line)]
    return found


def headers_at(parsed: Parsed, line: int) -> list[Header]:
    """The definitions whose lines include `line`, unordered; does not examine nodes of other lines."""
    scanned = parsed.once(_scanned)
    headers: Sequence[Header] = scanned.headers
    if not scanned.holds(line):
        sound = _tree_headers(parsed.matches("scopes", line, _led_line(parsed, line) + 1), parsed)
        headers = [header for header in sound if not scanned.holds(header.def_line)]
    return [header for header in headers if header.start_line <= line < header.end_line]


def _tree_headers(matches: list[dict[str, list[Node]]], parsed: Parsed) -> list[Header]:
    """One header per definition; a definition with decorators is matched both with and without them."""
    found: dict[int, Header] = {}
    for captures in matches:
        if "holder" in captures and parsed.text_of(captures["name"][0]) not in parsed.once(_holders):
            continue
        kind, node = definition(captures)
        outer = captures["outer"][0] if "outer" in captures else node
        if node.id not in found or outer is not node:
            found[node.id] = _header(parsed, kind, node, wrapped(parsed, outer), captures)
    return list(found.values())


def _holders(parsed: Parsed) -> frozenset[str]:
    return parsed.language.holders(parsed)


def wrapped(parsed: Parsed, node: Node) -> Node:
    """A definition with what holds nothing else, `export class Cart {}`."""
    while node.parent is not None and node.parent.type in parsed.language.wrappers:
        node = node.parent
    return node


def definition(captures: Mapping[str, Sequence[Node]]) -> tuple[DefinitionKind, Node]:
    """The definition of a match of the section `scopes`, and its kind; of a statement that defines several, the part
    with this one: `b = () => 2` of `const a = () => 1, b = () => 2`."""
    kind, node = next((kind, captures[kind][0]) for kind in _KINDS if kind in captures)
    if "body" not in captures or "name" not in captures:
        return kind, node
    name, body = captures["name"][0], captures["body"][0]
    part = next((child for child in node.named_children if _holds(child, name) and _holds(child, body)), None)
    if part is None or not any(child.type == part.type and child != part for child in node.named_children):
        return kind, node
    return kind, part


def _holds(node: Node, inner: Node) -> bool:
    return node.start_byte <= inner.start_byte and inner.end_byte <= node.end_byte


def _header(
    parsed: Parsed, kind: DefinitionKind, node: Node, outer: Node, captures: Mapping[str, Sequence[Node]]
) -> Header:
    start, def_line = _first_line(parsed, outer), first_of(parsed, node).start_point.row
    body = captures["body"][0] if "body" in captures else None
    owner = _owner(parsed, captures["owner"][0]) if "owner" in captures else ""
    name, end = parsed.text_of(captures["name"][0]), end_line(node)
    indent = indent_width(parsed.snapshot.lines[def_line])
    if body is None:
        return Header(kind, name, start, def_line, end, end, indent, end, owner, "adds" in captures, has_body=False)
    last = body.prev_sibling
    while last is not None and "comment" in last.type:
        last = last.prev_sibling
    header_end = def_line if last is None else last.end_point.row
    first = next((child for child in body.children if child.is_named), None)  # skips the bracket that opens the body
    is_inline = first is not None and first.start_point.row == header_end
    header_end += 1
    body_start = header_end - is_inline
    return Header(
        kind, name, start, def_line, header_end, body_start, indent, end, owner, "adds" in captures,
        is_described="described" in captures,
    )  # fmt: skip


def _owner(parsed: Parsed, node: Node) -> str:
    """The name of a member's class; empty if what would separate it from the member's name is not there."""
    behind = node.next_sibling
    return "" if behind is not None and behind.is_missing else parsed.text_of(node)


def _first_line(parsed: Parsed, node: Node) -> int:
    """The first line of a definition with what stands directly before it: attributes, documentation."""
    row, before = node.start_point.row, node.prev_sibling
    while before is not None and end_line(before) == row and parsed.language.leads(parsed, before):
        first = before.start_point.row
        line = utf8(parsed.snapshot.lines[first])[: before.start_point.column]
        if line.strip():  # behind code, and about that
            break
        row, before = first, before.prev_sibling
    return row


def _led_line(parsed: Parsed, line: int) -> int:
    """The line that what stands on `line` leads to, if that may be a part of a definition below; else `line`."""
    lines, root = parsed.snapshot.lines, parsed.root
    text = lines[line] if line < len(lines) else ""
    if root is None or not text.strip():
        return line
    column = len(utf8(text[: len(text) - len(text.lstrip())]))
    node = root.descendant_for_point_range((line, column), (line, column + 1))
    path = [] if node is None else parsed.path(node)
    while path and not parsed.language.leads(parsed, path[-1]):
        path.pop()
    last, node = line, path[-1] if path else None
    # A node looks for what follows it from the root on, a cursor has it at hand.
    cursor = path[-2].walk() if len(path) > 1 else root.walk()
    if node is not None and cursor.goto_first_child_for_byte(node.start_byte) is not None:
        while cursor.node != node and cursor.goto_next_sibling():
            pass
    for _ in range(_MOST_LEADING):
        if node is None or not parsed.language.leads(parsed, node):
            break
        last = max(last, end_line(node) - 1)
        node = cursor.node if cursor.goto_next_sibling() else None
    while node is not None and node.type in parsed.language.wrappers and node.named_children:
        node = node.named_children[-1]
    return last if node is None else max(last, node.start_point.row)


def first_of(parsed: Parsed, node: Node) -> Node:
    """The first node of a definition's header: the definition itself, or what follows its annotations."""
    found = _behind_annotations(node, parsed.language.annotations)
    return node if found is None else found


def _behind_annotations(node: Node, annotations: frozenset[str]) -> Node | None:
    if not annotations:
        return None
    for child in node.children:
        if child.type in annotations or child.is_extra:
            continue
        if any(inner.type in annotations for inner in child.children):  # modifiers, with annotations among them
            found = _behind_annotations(child, annotations)
            if found is None:
                continue
            return found
        return child
    return None


def end_line(node: Node) -> int:
    """The line after the node's last line; a node that ends at the very start of a line does not include that line."""
    row, column = node.end_point
    return row if column == 0 and row > node.start_point.row else row + 1


def _scanned(parsed: Parsed) -> _Scanned:
    language = parsed.language
    if parsed.root is None or language.whole_file or not (language.indented or parsed.root.has_error):
        return _Scanned()
    lines, ranges = parsed.snapshot.lines, _broken_lines(parsed, parsed.root.children)
    if not language.indented:
        return _balanced(parsed, [parsed.lines] if parsed.root.is_error else ranges)
    for index, broken in enumerate(ranges[:-1]):
        # After an unterminated string, code and strings are swapped, even if the tree has no errors there.
        if language.is_string_open(lines, broken.start, broken.stop):
            ranges[index:] = [range(broken.start, ranges[-1].stop)]
            break
    return _Scanned(
        tuple(ranges),
        tuple(header for broken in ranges for header in language.headers(lines, broken.start, broken.stop)),
    )


def _balanced(parsed: Parsed, ranges: Sequence[range]) -> _Scanned:
    """The definitions of lines whose brackets do not fit, as they are once the brackets do."""
    held, headers = list[range](), list[Header]()
    for broken in ranges:
        lines = parsed.snapshot.lines[broken.start : broken.stop] if len(broken) <= _MOST_BALANCED else ()
        tried = balanced(lines, parsed.language.lexical)
        alone = [
            parse_text("\n" * broken.start + "\n".join(text), parsed.language) for text in (lines, *tried) if tried
        ]
        best = min((one for one in alone if one.tree is not None), key=lambda one: one.n_errors, default=None)
        if best is not None and best is not alone[0]:
            held.append(broken)
            headers += _tree_headers(best.matches("scopes"), best)
    return _Scanned(tuple(held), tuple(headers))


def _broken_lines(parsed: Parsed, nodes: Sequence[Node]) -> list[range]:
    """The lines of the root's children that have errors, and of what they may belong to, as separate sorted ranges.
    Examines each child a fixed number of times."""
    ranges: list[range] = []
    block = 0  # the last child before this one that begins a block
    followed = 0  # the child that ends the run of errors and comments examined last
    for index, node in enumerate(nodes):
        if index > 1 and _begins_a_block(parsed, nodes[index - 2], nodes[index - 1]):
            block = index - 1
        hangs = _hangs(parsed, node)
        if not (node.has_error or hangs):
            continue
        # An indented child, or one that is not a statement, may belong to something above that a stray line ended too
        # early.
        first = block if node.is_error or hangs else index
        # An error may be the first part of what follows it, for example half a decorator.
        followed = max(followed, index)
        while followed < len(nodes) - 1 and (nodes[followed].is_error or "comment" in nodes[followed].type):
            followed += 1
        start, stop = nodes[first].start_point.row if first else 0, end_line(nodes[followed])
        while ranges and ranges[-1].stop >= start:
            start, stop = min(start, ranges[-1].start), max(stop, ranges[-1].stop)
            ranges.pop()
        ranges.append(range(start, stop))
    return ranges


def _begins_a_block(parsed: Parsed, before: Node, node: Node) -> bool:
    """Whether the node begins a line without indentation and has several lines."""
    row = node.start_point.row
    return before.end_point.row < row < node.end_point.row and not _hangs(parsed, node)


def _hangs(parsed: Parsed, node: Node) -> bool:
    """Whether a child of the root is indented, as if it belonged to something that the parser did not recognise."""
    row, column = node.start_point
    if column == 0 or "comment" in node.type:
        return False
    leading = _LEADING.match(parsed.snapshot.lines[row])[0]  # type: ignore[index]  # it matches anything
    return column <= len(leading) and indent_width(leading[:column]) > 0
