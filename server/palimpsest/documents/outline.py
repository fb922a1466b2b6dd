"""What a document is called and what is in it: title, headings, other names, first paragraph.

In: the text of a document, and its name: without one, or one that says otherwise, it is Markdown.  Out: an `Outline`.
Of front matter it knows `title` and `aliases`; of other formats headings with a line of marks below them.  It follows
no link and reads no file.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import chain, islice, pairwise

from palimpsest.documents.markdown import HeadingMark, front_matter, headings_and_code, lines_of

MOST_HEADINGS = 400
MOST_ALIASES = 40
LONGEST_NAME = 200
LONGEST_PARAGRAPH = 800
_UNDERLINED = (".rst", ".adoc")
"""Ends of the names of documents that are no Markdown."""
_UNDERLINE = re.compile(r"^([=\-~^\"'`#*+.:_])\1{2,}\s*$")
_MARK = re.compile(r"(?:^|(?<=\s))(\^[A-Za-z0-9-]{1,100})[ \t]*$")
_ITEM = re.compile(r"\s*(?:[-*+]|\d{1,9}[.)])\s")
DEEPEST = 7
"""The level of what has no section of its own."""
_NOT_PROSE = re.compile(r"^\s*(?:\[!\[|!\[|<|\.\. |:[\w-]+:|[-*_]{3,}\s*$|\|)")
"""Beginnings of pictures, badges, HTML, directives, fields, rules and tables."""


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading and the lines `start..end` (0-based) of its section, with its subsections; `inner_end` is where the
    first of these begins."""

    title: str
    level: int
    start: int
    end: int
    inner_end: int


@dataclass(frozen=True, slots=True)
class Outline:
    """`summary` are the lines `start..end` of the first paragraph of prose.  `blocks` are the paragraphs and items that
    have a mark (`^id`), which is their title."""

    title: str
    headings: tuple[Heading, ...]
    aliases: tuple[str, ...]
    summary: tuple[int, int]
    blocks: tuple[Heading, ...] = ()


def outline(text: str, name: str = "") -> Outline:
    lines, (fields, body), found = lines_of(text), front_matter(text), list[Heading]()
    every, code = headings_and_code(text) if is_markdown(name) else (_underlined(lines), frozenset[int]())
    marks = every[:MOST_HEADINGS]
    for at, (mark, title, level) in enumerate(marks):
        end = next((one.start for one, _, other in islice(marks, at + 1, None) if other <= level), len(lines))
        inner_end = marks[at + 1][0].start if at + 1 < len(marks) else len(lines)
        found.append(Heading(title[:LONGEST_NAME], level, mark.start, end, inner_end))
    title = next(iter(fields.get("title", ())), found[0].title if found else "")
    aliases = [alias[:LONGEST_NAME] for alias in (*fields.get("alias", ()), *fields.get("aliases", ()))][:MOST_ALIASES]
    summary = _summary(lines, body, code, frozenset(chain.from_iterable(mark for mark, _, _ in every)))
    return Outline(title[:LONGEST_NAME], tuple(found), tuple(aliases), summary, _blocks(lines, code))


def is_markdown(name: str) -> bool:
    return not name.lower().endswith(_UNDERLINED)


def _blocks(lines: Sequence[str], code: Collection[int]) -> tuple[Heading, ...]:
    found, start = list[Heading](), 0
    for number, line in enumerate(lines):
        mark = None if number in code else _MARK.search(line)
        is_alone = mark is not None and not line[: mark.start()].strip()
        is_first = line.strip() and not (is_alone or (number and lines[number - 1].strip()))
        start = number if is_first or _ITEM.match(line) else start
        if mark is not None and len(found) < MOST_HEADINGS:
            found.append(Heading(mark[1], DEEPEST, start, number + 1, number + 1))
    return tuple(found)


def heading_marks(text: str, name: str = "") -> Sequence[HeadingMark]:
    """A level counts from 1 in Markdown, and in the order in which marks first occur in other formats."""
    return headings_and_code(text)[0] if is_markdown(name) else _underlined(lines_of(text))


def _underlined(lines: Sequence[str]) -> list[HeadingMark]:
    found, marks = list[HeadingMark](), list[str]()
    for number, (line, below) in enumerate(pairwise(lines)):
        if line.strip() and not _UNDERLINE.match(line) and (mark := _UNDERLINE.match(below)):
            if mark.group(1) not in marks:
                marks.append(mark.group(1))
            found.append((range(number, number + 2), line.strip(), marks.index(mark.group(1)) + 1))
    return found


def _summary(lines: Sequence[str], body: int, code: Collection[int], headings: Collection[int]) -> tuple[int, int]:
    start, length = None, 0
    for number in range(body, len(lines)):
        line = lines[number]
        is_text = bool(line.strip()) and number not in headings and number not in code and not _UNDERLINE.match(line)
        if start is None:
            if is_text and not _NOT_PROSE.match(line):
                start, length = number, len(line)
        elif not is_text or length > LONGEST_PARAGRAPH:
            return start, number
        else:
            length += len(line)
    return (start, len(lines)) if start is not None else (body, body)
