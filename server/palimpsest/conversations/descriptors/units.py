"""Parts of a text by what they are: paragraphs, functions, classes.

In: a text and its language.  Out: the characters of a part.
"""

import re

from palimpsest.errors import InvalidArgument, NotFound, OutOfRange
from palimpsest.languages.embedded import called
from palimpsest.syntax.parse import parse_file
from palimpsest.syntax.scopes import scopes
from palimpsest.text.snapshot import Position

LONGEST = 4_000_000
PARAGRAPH = "paragraph"
UNITS = (PARAGRAPH, "function", "class")
_PARAGRAPH = re.compile(r"[^\n]*\S[^\n]*(?:\n[^\n]*\S[^\n]*)*\n?")


def check_length(n_chars: int) -> None:
    """Raises InvalidArgument for a text that is too long to be told apart; ask before it is read."""
    if n_chars > LONGEST:
        raise InvalidArgument("unit", f"it is read by pages or lines: it has more than {LONGEST:,} characters.")


def unit_bounds(text: str, language: str, unit: str, index: int | None, name: str) -> tuple[int, int]:
    """(First character, character behind the last).  `index` is from 1; `name` may be qualified, `Cart.add`."""
    if unit == PARAGRAPH:
        units = [(one.span(), "") for one in _PARAGRAPH.finditer(text)]
    elif unit in UNITS:
        units = _definitions(text, language, unit)
    else:
        raise InvalidArgument("unit", f"one of {', '.join(UNITS)} is wanted, not {unit[:40]!r}.")
    if not units:
        raise NotFound("unit", f"there is no {unit} in it.")
    return _named(units, unit, name) if name else _numbered(units, unit, 1 if index is None else index)


def _definitions(text: str, language: str, unit: str) -> list[tuple[tuple[int, int], str]]:
    known = called(language) if language else None
    if known is None:
        raise InvalidArgument("unit", f"its language is not known, so {unit} cannot be told; read it by lines.")
    parsed = parse_file(text, known)
    if parsed.is_hurried:
        raise InvalidArgument("unit", f"it takes too long to be parsed, so no {unit} can be told; read it by lines.")
    document = parsed.snapshot
    return [
        (
            (
                document.offset(Position(scope.start_line, 0)),
                len(text) if scope.end_line >= document.line_count else document.offset(Position(scope.end_line, 0)),
            ),
            scope.qualified_name,
        )
        for scope in scopes(parsed)
        if scope.kind == unit
    ]


def _named(units: list[tuple[tuple[int, int], str]], unit: str, name: str) -> tuple[int, int]:
    if unit == PARAGRAPH:
        raise InvalidArgument("name_of_unit", "paragraphs have no names; give index.")
    for place, qualified in units:
        if name in (qualified, qualified.rpartition(".")[2]):
            return place
    names = ", ".join(qualified for _, qualified in units[:30])
    raise NotFound("name_of_unit", f"there is no {unit} {name[:60]!r}.", hint=f"There are: {names}.")


def _numbered(units: list[tuple[tuple[int, int], str]], unit: str, index: int) -> tuple[int, int]:
    if not 1 <= index <= len(units):
        raise OutOfRange("index", f"there is no {unit} {index}.", hint=f"There are 1 to {len(units)}.")
    return units[index - 1][0]
