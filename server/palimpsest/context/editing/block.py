"""The editing block at a cursor.

In: a parse and a position.  Out: `types.Editing`: the whole function; else the class without method bodies; else the
file's own statements and the signatures in it (docs/formats.md).  Knows no model; tokens are estimated.

A long block of data or prose is cut between members, rules, sections, statements, elements.  Only what is near the
cursor is examined, since no more than a budget of it is ever shown.

The cut must not move while the user types, since each move costs all tokens of the tail.  So the front is measured from
its start and the back from its end, both without the cursor's piece, and both are cut in steps: moving down a long
function moves the cut once for each step, not once for each line.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from palimpsest.context.estimate import CHARS_PER_TOKEN, chars_for
from palimpsest.syntax.indentation import indent_width
from palimpsest.syntax.parse import Parsed
from palimpsest.syntax.scopes import children, enclosing, file_scope, scope_at
from palimpsest.syntax.values import Scope
from palimpsest.text.snapshot import Position
from palimpsest.types import Editing, ShownLine

CUT = "..."
_DENSE = re.compile(r"\d|[^\w\s]")
"""Characters of which each may be a token: a long line is most often data."""
_MANY = 400
"""Lines without a definition whose statements are all looked at."""
_LONGEST = 200
"""Lines among which the beginning of a statement is looked for."""
_NEAR = 1.5
"""Budgets before and behind the cursor that are examined."""
_LONG = 1 / 3
"""Share of the budget up to which a part is shown or cut as a whole."""
_MOST_AROUND = 4
"""At most this many of the parts around the cursor are shown, the innermost ones."""
STEPS = 6
"""Steps in a budget.  More steps use the budget better; fewer steps move the cut less often."""
_BACK_SHARE = 0.3
"""The least share of the room for what follows the cursor, which says less than what comes before it."""


@dataclass(frozen=True, slots=True)
class BlockPiece:
    """Document lines that are shown or cut together.  `stands_for` is the indent of a `...` that follows them.  `head`
    pieces are shown however far away the cursor is."""

    lines: tuple[int, ...]
    stands_for: str | None = None
    head: bool = False


def editing_at(parsed: Parsed, position: Position, file: str, max_tokens: int) -> Editing:
    """The editing block at `position` (clamped); `file` is the path relative to the workspace.

    Lines are verbatim and include the cursor's, or a part of it.  A block of more than `max_tokens` (estimated) is cut
    to its signature, the first line of its documentation and the part around the cursor; a statement that is too long
    by itself is cut between its lines, and a line at the cursor that is too long before and behind it.
    """
    at = parsed.snapshot.clamp(position)
    if parsed.language.whole_file:
        return _whole_file(parsed, at, file, chars_for(max_tokens))
    scope = next(around for around in enclosing(scope_at(parsed, at.line, at.column)) if around.has_body)
    end = max(scope.end_line, at.line + 1)
    budget = chars_for(max_tokens)
    if scope.kind != "function":
        pieces = list(_skeleton_pieces(parsed, scope, end, at.line, budget))
    elif sum(len(line) + 1 for line in parsed.snapshot.lines[scope.start_line : end]) <= budget:
        pieces = [BlockPiece(tuple(range(scope.start_line, end)))]
    else:
        pieces = list(_function_pieces(parsed, scope, end, at.line, budget))
    if not any(at.line in piece.lines for piece in pieces):  # in broken code definitions may seem to overlap
        pieces = list(_statement_pieces(parsed, scope.start_line, end, at.line, budget))
    lines = _fitted_lines(parsed.snapshot.lines, pieces, at.line, budget)
    return _editing(parsed, at, file, scope, lines, budget)


def _whole_file(parsed: Parsed, at: Position, file: str, budget: int) -> Editing:
    """The part of a file of data or prose around the cursor, below the first lines of what it is in."""
    lines = parsed.snapshot.lines
    part = _fitted_lines(lines, [BlockPiece(piece) for piece in _file_pieces(parsed, at.line, budget)], at.line, budget)
    first = next(number for _, number in part if number is not None)
    heads = [(lines[number], number) for number in _parts_around(parsed, at.line) if number < first]
    heads = heads if 2 * sum(len(text) for text, _ in heads) < budget else []
    if heads and heads[-1][1] == first - 1 and part[0][1] is None:
        part = part[1:]
    return _editing(parsed, at, file, file_scope(parsed), [*heads, *part], budget)


def _editing(
    parsed: Parsed, at: Position, file: str, scope: Scope, fitted: Sequence[tuple[str, int | None]], budget: int
) -> Editing:
    cursor_line = next(index for index, (_, number) in enumerate(fitted) if number == at.line)
    visible = _line_part(fitted, cursor_line, at.column, budget)
    if visible is not None:  # what is cut in the middle cannot be edited
        part = fitted[cursor_line][0][visible.start : visible.stop], None
        fitted = [*fitted[:cursor_line], part, *fitted[cursor_line + 1 :]]
    lines = _numbered(fitted)
    return Editing(
        type="class" if scope.kind == "namespace" else scope.kind,
        file=file,
        name=scope.qualified_name or parsed.language.module_name(file),
        uri=parsed.snapshot.uri,
        version=parsed.snapshot.version,
        lines=lines,
        cursor_line=cursor_line,
        cursor_column=at.column - (visible.start if visible is not None else 0),
    )


def _line_part(lines: Sequence[tuple[str, int | None]], cursor_line: int, column: int, budget: int) -> range | None:
    """The characters of the cursor's line that are shown where it is too long; None where it is shown whole."""
    length, size = len(lines[cursor_line][0]), sum(len(text) + 1 for text, _ in lines)
    if size <= budget or 2 * length <= budget:
        return None
    room = budget - (size - length)
    near = lines[cursor_line][0][max(0, column - room) : column + room]
    share = 1 / (1 + (CHARS_PER_TOKEN - 1) * len(_DENSE.findall(near)) / len(near))
    return characters(length, column, room * int(8 * share) // 8)  # in eighths, so that typing seldom moves the cut


def _function_pieces(parsed: Parsed, scope: Scope, end: int, cursor: int, budget: int) -> Iterator[BlockPiece]:
    """The header, the docstring's first line, the rest of it, then every statement."""
    body = scope.header_end_line
    yield BlockPiece(tuple(range(scope.start_line, body)), head=True)
    shown_end, docstring_end = parsed.language.docstring_lines(parsed, scope, end)
    if docstring_end > body:
        yield BlockPiece(tuple(range(body, shown_end)), head=True)
        yield BlockPiece(tuple(range(shown_end, docstring_end)))
    yield from _statement_pieces(parsed, max(body, docstring_end), end, cursor, budget)


def _skeleton_pieces(parsed: Parsed, scope: Scope, end: int, cursor: int, budget: int) -> Iterator[BlockPiece]:
    """The header, the docstring's first line, then own statements and the headers of what is defined inside."""
    lines = parsed.snapshot.lines
    at = scope.start_line
    if scope.kind != "file":
        at = scope.header_end_line
        yield BlockPiece(tuple(range(scope.start_line, at)), head=True)
    inside = children(parsed, scope)
    # In broken code a docstring may seem to run on into the definitions.
    shown_end, docstring_end = parsed.language.docstring_lines(parsed, scope, inside[0].start_line if inside else end)
    if docstring_end > at:
        if at <= cursor < docstring_end:
            yield BlockPiece(tuple(range(at, docstring_end)), head=True)
        else:
            more = _indent(lines[shown_end - 1]) if shown_end < docstring_end else None
            yield BlockPiece(tuple(range(at, shown_end)), more, head=True)
        at = docstring_end
    for inner in inside:
        yield from _statement_pieces(parsed, at, inner.start_line, cursor, budget, skip_blank_runs=True)
        yield from _header_pieces(parsed, inner)
        at = max(at, inner.end_line)
    yield from _statement_pieces(parsed, at, end, cursor, budget, skip_blank_runs=True)


def _header_pieces(parsed: Parsed, scope: Scope) -> Iterator[BlockPiece]:
    """Decorators and header, `...` for the body unless that is on the header's line, and the line that ends the body
    where a language has one."""
    lines, end = parsed.snapshot.lines, scope.end_line
    header = tuple(range(scope.start_line, min(scope.header_end_line, end)))
    closes = not parsed.language.indented and end > scope.header_end_line
    closes = closes and indent_width(lines[end - 1]) <= scope.indent
    first = next((line for line in lines[scope.header_end_line : end - closes] if line.strip()), None)
    yield BlockPiece(header, None if first is None else _indent(first))
    if closes:
        yield BlockPiece((end - 1,))


def _statement_pieces(
    parsed: Parsed, start: int, end: int, cursor: int, budget: int, *, skip_blank_runs: bool = False
) -> Iterator[BlockPiece]:
    """A piece for each statement with the blank lines behind it, and one for all that is too far from the cursor to be
    shown, on either side.  With `skip_blank_runs`, only the first of several blank lines is shown, and the cursor's."""
    if start >= end:
        return
    lines = parsed.snapshot.lines
    near = _near(lines, range(start, end), cursor, budget)
    statements = parsed.language.statements(lines, near.start, near.stop)
    starts = sorted({start, near.start, *(statement.start for statement in statements), near.stop} - {end})
    for first, behind in zip(starts, [*starts[1:], end], strict=True):
        numbers = tuple(
            number
            for number in range(first, behind)
            if not skip_blank_runs or number in (cursor, start) or lines[number].strip() or lines[number - 1].strip()
        )
        if numbers:
            yield BlockPiece(numbers)


def _near(lines: Sequence[str], region: range, cursor: int, budget: int) -> range:
    """The lines of a region that may be shown: `budget` characters before and behind the cursor, or the region's end
    that is nearest to it, from a line on at which a statement most likely begins.  In a file of 10,000 lines nobody
    waits for the statements of all of them."""
    if len(region) <= _MANY:
        return region
    at = min(max(cursor, region.start), region.stop)
    first = _away(lines, range(at - 1, region.start - 1, -1), budget)
    last = _away(lines, range(at, region.stop), budget)
    if first > region.start:
        indent = min(indent_width(lines[first]), indent_width(lines[region.start]))
        above = range(first, max(region.start, first - _LONGEST), -1)
        begins = (
            n for n in above if not lines[n - 1].strip() and lines[n].strip() and indent_width(lines[n]) <= indent
        )
        first = next(begins, first)
    return range(first, min(region.stop, last + 1))


def _away(lines: Sequence[str], numbers: range, budget: int) -> int:
    """How far one comes with so many characters; blank lines do not count, since some are left out."""
    number = numbers.start - numbers.step
    for number in numbers:
        if (text := lines[number].strip()) and (budget := budget - len(text)) < 0:
            break
    return number


def _fitted_lines(
    lines: Sequence[str], pieces: Sequence[BlockPiece], cursor: int, budget: int
) -> list[tuple[str, int | None]]:
    """The lines of the pieces that fit with their numbers, with a `...` wherever something was cut."""
    pieces = _fitting(lines, pieces, cursor, budget)
    n_head = next((n for n, piece in enumerate(pieces) if not piece.head), len(pieces))
    holding = next(n for n, piece in enumerate(pieces) if cursor in piece.lines)
    sizes = [_size(lines, piece) for piece in pieces]
    fitting = window(sizes[n_head:], max(0, holding - n_head), max(0, budget - sum(sizes[:n_head])))
    fitting = range(fitting.start + n_head, fitting.stop + n_head)
    out: list[tuple[str, int | None]] = []
    for piece in pieces[:n_head]:
        out += _lines_of(lines, piece)
    if fitting.start > n_head:
        mark = (_cut_mark(lines, pieces[fitting.start :]), None)
        out += [mark] if out[-1:] != [mark] else []  # a docstring cut short already ends in one
    for piece in pieces[fitting.start : fitting.stop]:
        out += _lines_of(lines, piece)
    if fitting.stop < len(pieces):
        out.append((_cut_mark(lines, pieces[fitting.stop :]), None))
    return out


def _numbered(lines: Sequence[tuple[str, int | None]]) -> tuple[ShownLine, ...]:
    numbered, n_numbered = list[ShownLine](), 0
    for text, document_line in lines:
        n_numbered += document_line is not None
        numbered.append(ShownLine(text, n_numbered if document_line is not None else None, document_line))
    return tuple(numbered)


def _fitting(lines: Sequence[str], pieces: Sequence[BlockPiece], cursor: int, budget: int) -> list[BlockPiece]:
    """The pieces, with a huge head or a huge statement at the cursor split into its lines."""
    sizes = [_size(lines, piece) for piece in pieces]
    if sum(sizes) <= budget:
        return list(pieces)
    fitting: list[BlockPiece] = []
    head_too_large = 2 * sum(size for size, piece in zip(sizes, pieces, strict=True) if piece.head) > budget
    for size, piece in zip(sizes, pieces, strict=True):
        if (2 * size > budget and cursor in piece.lines) or (piece.head and head_too_large):
            fitting += [BlockPiece((number,)) for number in piece.lines[:-1]]
            fitting.append(BlockPiece(piece.lines[-1:], piece.stands_for))
        else:
            fitting.append(piece)
    return fitting


def _lines_of(lines: Sequence[str], piece: BlockPiece) -> list[tuple[str, int | None]]:
    pairs: list[tuple[str, int | None]] = [(lines[number], number) for number in piece.lines]
    if piece.stands_for is not None:
        pairs.append((piece.stands_for + CUT, None))
    return pairs


def _size(lines: Sequence[str], piece: BlockPiece) -> int:
    mark = 0 if piece.stands_for is None else len(piece.stands_for + CUT) + 1
    return sum([len(lines[number]) for number in piece.lines]) + len(piece.lines) + mark


def _cut_mark(lines: Sequence[str], following: Sequence[BlockPiece]) -> str:
    """`...` at the indent of the statement that follows."""
    texts = (lines[number] for piece in following for number in piece.lines if lines[number].strip())
    return _indent(next(texts, "")) + CUT


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def _file_pieces(parsed: Parsed, cursor: int, budget: int) -> Iterator[tuple[int, ...]]:
    """All lines of the file, or of the part of it in this language, in groups that are shown or cut together."""
    every = parsed.lines
    near = _near_cursor(parsed, cursor, int(_NEAR * budget))
    marks = {every.start, near.start, near.stop, every.stop}
    marks.update(mark for mark in _marks(parsed, near, int(budget * _LONG)) if mark in near)
    lines, groups = parsed.snapshot.lines, list[range]()
    for start, end in pairwise(sorted(marks)):
        if groups and not any(lines[number].strip() for number in range(start, end)):
            start = groups.pop().start  # blank lines belong to what is above
        groups.append(range(start, end))
    yield from map(tuple, groups)


def _parts_around(parsed: Parsed, cursor: int) -> list[int]:
    """The first line of each part around the cursor's line, outermost first."""
    parts = (part for part in _parts(parsed, range(cursor, cursor + 1)) if part.start < cursor < part.stop)
    return sorted({part.start for part in parts})[-_MOST_AROUND:]


def _near_cursor(parsed: Parsed, cursor: int, most: int) -> range:
    lines = parsed.snapshot.lines
    start, end, room = cursor, cursor + 1, most
    while start > parsed.lines.start and room > 0:
        start -= 1
        room -= len(lines[start]) + 1
    room = most
    while end < parsed.lines.stop and room > 0:
        room -= len(lines[end]) + 1
        end += 1
    return range(start, end)


def _marks(parsed: Parsed, near: range, most: int) -> Iterator[int]:
    """The lines where a piece begins: a part, and those in it if it is longer than so many characters."""
    lines = parsed.snapshot.lines
    opened = [(range(len(lines)), True)]
    for part in _parts(parsed, near):
        while not (opened[-1][0].start <= part.start and part.stop <= opened[-1][0].stop):
            opened.pop()
        if opened[-1][1]:
            yield from (part.start, part.stop)
            opened.append((part, _is_long(lines, part, near, most)))


def _is_long(lines: Sequence[str], part: range, near: range, most: int) -> bool:
    if part.start < near.start or part.stop > near.stop:
        return True
    return sum(map(len, lines[part.start : part.stop])) + len(part) > most


def _parts(parsed: Parsed, lines: range) -> list[range]:
    """The lines of the parts that touch some lines, outer ones before their inner ones."""
    nodes = parsed.captures("pieces", lines.start, lines.stop).get("piece", ())
    ends = ((node.start_point.row, node.end_point.row + (node.end_point.column > 0)) for node in nodes)
    return [range(start, end) for start, end in sorted(set(ends), key=lambda part: (part[0], -part[1])) if start < end]


def window(sizes: Sequence[int], cursor: int, budget: int) -> range:
    """The pieces to show, a range that holds `cursor`; all of them if they fit.

    Exceeds the budget only if the cursor's piece and one step do so by themselves.
    """
    if sum(sizes) <= budget:
        return range(len(sizes))
    step = max(1, budget // STEPS)
    # The cursor's piece counts in whole steps, so that typing in it does not move the cut.
    room = max(0, budget - _up(sizes[cursor], step))
    front, back = _excess(sum(sizes[:cursor]), sum(sizes[cursor + 1 :]), room)
    n_before = _cut_away(sizes[:cursor], front, step)
    n_after = _cut_away(sizes[:cursor:-1], back, step)
    return range(n_before, len(sizes) - n_after)


def characters(length: int, cursor: int, budget: int) -> range:
    """The characters of a line to show, a range that has `cursor`, which is before one of them."""
    step = max(1, budget // STEPS)
    front, back = _excess(cursor, length - cursor, budget)
    return range(min(cursor, _up(max(0, front), step)), length - min(length - cursor, _up(max(0, back), step)))


def _excess(front: int, back: int, room: int) -> tuple[int, int]:
    """How much too long both sides are."""
    back_room = min(back, max(int(room * _BACK_SHARE), room - front))
    return front - (room - back_room), back - back_room


def _cut_away(sizes: Sequence[int], excess: int, step: int) -> int:
    """How many of the first pieces to cut, so that at least `excess`, rounded up to whole steps, is gone."""
    if excess <= 0:
        return 0
    least = _up(excess, step)
    return next((n for n, total in enumerate(accumulate(sizes), 1) if total >= least), len(sizes))


def _up(size: int, step: int) -> int:
    return -(-size // step) * step
