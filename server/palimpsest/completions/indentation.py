"""Pure: what indentation an empty line lacks where code is to stand.

In: a parse, a cursor.  Out: blanks.  The lines around tell it (`text/levels.py`), the tree which of them are code.
"""

from collections.abc import Sequence

from palimpsest.syntax.parse import Parsed
from palimpsest.syntax.parser import parsed_with
from palimpsest.syntax.places import is_framed
from palimpsest.text.levels import OPENS, indentation_between, indentation_of, missing_indentation
from palimpsest.text.snapshot import ContentChange, Position, Range, Snapshot

NEAR = 100
"""Lines around that are looked at."""
LARGEST = 100_000
"""Characters of a document that is parsed once more."""
STATEMENTS = ("x", "x()")
"""One of these is a statement in most languages."""


def missing_at(parsed: Parsed, position: Position, *, asked: bool) -> str:
    """Of an empty line of code: a model that is shown a cursor short of where code may stand says nothing there."""
    lines, above = parsed.snapshot.lines, _above(parsed, position)
    if above is None:
        return ""
    below = lines[position.line + 1 : position.line + NEAR]
    return missing_indentation(above, lines[position.line], below, asked=asked)


def others_at(parsed: Parsed, position: Position, missing: str) -> list[str]:
    """What else an empty line may lack than `missing` where indentation tells which block it is in and the cursor is at
    the margin, the deeper ones first.  It may be in each block around, or the head of that of the lines below."""
    lines, above = parsed.snapshot.lines, _above(parsed, position)
    if above is None or position.column or not parsed.language.indented:
        return []
    below = next((line for line in lines[position.line + 1 : position.line + NEAR] if line.strip()), "")
    following, around = len(indentation_of(below)), list[str]()
    for line in reversed(above):
        if line.strip() and (not around or len(indentation_of(line)) < len(around[-1])):
            around.append(indentation_of(line))
    if not around or len(missing) > len(around[0]):
        return []  # the line above has opened a block
    head = next((one for one in around if len(one) < following), None)
    return [one for one in around if one != missing and (len(one) >= following or one == head)]


def _above(parsed: Parsed, position: Position) -> list[str] | None:
    """The lines above an empty line of code, the last one without its comment; None of another line."""
    snapshot, language = parsed.snapshot, parsed.language
    if not is_blank(snapshot, position) or not language.is_checked or parsed.root is None:
        return None  # in prose an indentation says something
    lines, number = snapshot.lines, position.line
    above = list(lines[max(0, number - NEAR) : number])
    last = next((i for i in reversed(range(len(above))) if above[i].strip()), None)
    if last is not None:
        written = above[last].encode("utf-8", "surrogatepass")
        at = number - len(above) + last, len(written.rstrip()) - 1
        node = parsed.root.descendant_for_point_range(at, at)
        if node is not None and "string" in node.type and node.end_point.row >= number:
            return None
        if node is not None and "comment" in node.type:  # it opens nothing, whatever it ends in
            start = node.start_point.column if node.start_point.row == at[0] else 0
            code = written[:start].decode("utf-8", "replace")
            above[last] = code if code.strip() else indentation_of(above[last]) + "_"
        elif not above[last].rstrip().endswith(OPENS) and _is_head(parsed, position, at[0]):
            above[last] += OPENS[0]
    return above


def outer_columns(lines: Sequence[str], position: Position) -> list[int]:
    """Where else an empty line may begin that is indented up to a cursor: where the lines around want it, then beside
    each block around, the inner ones first."""
    above, typed = lines[max(0, position.line - NEAR) : position.line], lines[position.line][: position.column]
    wanted = indentation_between(above, lines[position.line + 1 : position.line + NEAR])
    indents, width = [wanted], len(typed)
    for line in reversed(above):
        if line.strip() and len(indentation_of(line)) < width:
            indents.append(indentation_of(line))
            width = len(indents[-1])
    return [len(one) for one in dict.fromkeys(indents) if typed.startswith(one) and len(one) < len(typed)]


def _is_head(parsed: Parsed, position: Position, row: int) -> bool:
    """Whether a line above begins a block that the line below ends: the tree tells it where no sign opens blocks."""
    snapshot, lines = parsed.snapshot, parsed.snapshot.lines
    below = next((n for n in range(position.line + 1, len(lines)) if lines[n].strip()), None)
    if below is None or len(snapshot.text) > LARGEST:
        return False
    for statement in STATEMENTS:
        filled = parsed_with(parsed, [ContentChange(Range(position, position), statement)])
        if filled.n_errors <= parsed.n_errors:
            return is_framed(filled, position.line, row, below)
    return False


def is_blank(snapshot: Snapshot, position: Position) -> bool:
    """Whether the cursor stands at the end of an empty line."""
    line = snapshot.lines[position.line]
    return position.column == len(line) and not line.strip()
