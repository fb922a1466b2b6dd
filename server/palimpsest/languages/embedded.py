"""Code that is embedded in a document: a script or style in HTML, a fenced block in Markdown.

In: a parse of the whole document.  Out: parses of the parts in their own languages, with the document's lines and
bytes.  A part in a language without a grammar is a part of its document.
"""

from functools import cache

from palimpsest.languages.registry import language_of, languages
from palimpsest.syntax.parse import Language, Parsed, parse_part
from palimpsest.syntax.values import Embedded
from palimpsest.text.snapshot import Position

_MOST_PARTS = 200
"""Examined in one document for errors."""


def parsed_at(parsed: Parsed, position: Position) -> Parsed:
    """The parse of what is embedded at a position; the document's own where nothing is."""
    line = parsed.snapshot.clamp(position).line
    for part in parsed.language.embedded(parsed, range(line, line + 1)) if parsed.part is None else ():
        if line in part.lines and _holds(parsed, part, position):
            return _parsed(parsed, part) or parsed
    return parsed


def inner_parses(parsed: Parsed) -> list[Parsed]:
    """The parses of everything that is embedded, in order."""
    found = (_parsed(parsed, part) for part in parsed.once(_parts)[:_MOST_PARTS])
    return [one for one in found if one is not None]


def n_errors(parsed: Parsed) -> int:
    """The errors of a document and of what is embedded in it."""
    return parsed.n_errors + sum(inner.n_errors for inner in inner_parses(parsed))


def _parts(parsed: Parsed) -> tuple[Embedded, ...]:
    return tuple(parsed.language.embedded(parsed, parsed.lines))


def _holds(parsed: Parsed, part: Embedded, position: Position) -> bool:
    """Whether a place on one of its lines is not before or behind it."""
    at = parsed.snapshot.clamp(position)
    place = at.line, parsed.snapshot.byte_column(at)
    first, last = part.ranges[0].start_point, part.ranges[-1].end_point
    return (at.line > first.row or place >= tuple(first)) and (at.line < last.row or place <= tuple(last))


def _parsed(parsed: Parsed, part: Embedded) -> Parsed | None:
    language = called(part.language)
    if language is None:
        return None
    known = parsed.once(_known)
    start = part.ranges[0].start_byte
    if start not in known:
        known[start] = parse_part(parsed.snapshot, language, part)
    return known[start]


def _known(_: Parsed) -> dict[int, Parsed]:
    return {}


@cache
def called(name: str) -> Language | None:
    """The language that people call so in documents: by its name, its id or a suffix of its files."""
    named = (one for one in languages() if name in (one.name.lower(), one.id, *one.other_names))
    found = next(named, None) or (language_of(name, f"x.{name}") if name.isidentifier() else None)
    return found if found is not None and found.grammar is not None else None
