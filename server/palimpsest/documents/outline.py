"""What a document is called and what is in it: title, headings, other names, first paragraph.

In: the text of a Markdown, reStructuredText or text document.  Out: an `Outline`.  Of Markdown's front matter it knows
`title` and `aliases`, of its blocks fences and headings; it follows no link and reads no file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

MOST_HEADINGS = 400
MOST_ALIASES = 40
LONGEST_NAME = 200
LONGEST_PARAGRAPH = 800
_LONGEST_FRONT = 200
"""Lines of front matter."""
_MARKDOWN = re.compile(r"^(#{1,6})\s+(\S.*)$")
_UNDERLINE = re.compile(r"^([=\-~^\"'`#*+.:_])\1{2,}\s*$")
_MARK = re.compile(r"(?:^|(?<=\s))(\^[A-Za-z0-9-]{1,100})[ \t]*$")
_ITEM = re.compile(r"\s*(?:[-*+]|\d{1,9}[.)])\s")
DEEPEST = 7
"""The level of what has no section of its own."""
_FENCE = re.compile(r"^\s*(```|~~~)")
_FIELD = re.compile(r"^(title|alias|aliases):[ \t]*(.*)$", re.IGNORECASE)
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


def outline(text: str) -> Outline:
    lines = text.replace("\r\n", "\n").split("\n")
    body, fields = _front_matter(lines)
    found = list[Heading]()
    marks = [mark for mark in heading_marks(lines) if mark[0] >= body][:MOST_HEADINGS]
    for at, (start, title, level) in enumerate(marks):
        behind = [(line, other) for line, _, other in marks[at + 1 :]]
        end = next((line for line, other in behind if other <= level), len(lines))
        inner_end = behind[0][0] if behind else len(lines)
        found.append(Heading(title[:LONGEST_NAME], level, start, end, inner_end))
    title = next(iter(fields.get("title", ())), found[0].title if found else "")
    aliases = [*fields.get("alias", ()), *fields.get("aliases", ())][:MOST_ALIASES]
    return Outline(title[:LONGEST_NAME], tuple(found), tuple(aliases), _summary(lines, body, marks), _blocks(lines))


def _blocks(lines: Sequence[str]) -> tuple[Heading, ...]:
    found, start, is_code = list[Heading](), 0, False
    for number, line in enumerate(lines):
        is_code = is_code != bool(_FENCE.match(line))
        mark = None if is_code else _MARK.search(line)
        is_alone = mark is not None and not line[: mark.start()].strip()
        is_first = line.strip() and not (is_alone or (number and lines[number - 1].strip()))
        start = number if is_first or _ITEM.match(line) else start
        if mark is not None and len(found) < MOST_HEADINGS:
            found.append(Heading(mark[1], DEEPEST, start, number + 1, number + 1))
    return tuple(found)


def heading_marks(lines: Sequence[str]) -> Iterator[tuple[int, str, int]]:
    """Line, title and level of each heading; a level counts from 1 in Markdown, and in the order in which marks first
    occur in reStructuredText."""
    is_code, marks = False, list[str]()
    for number, (line, below) in enumerate(pairwise([*lines, ""])):
        if _FENCE.match(line):
            is_code = not is_code
        if is_code:
            continue
        heading = _MARKDOWN.match(line)
        if heading is not None:
            yield number, heading.group(2).strip().rstrip("#").rstrip(), len(heading.group(1))
        elif line.strip() and not _UNDERLINE.match(line) and (mark := _UNDERLINE.match(below)):
            if mark.group(1) not in marks:
                marks.append(mark.group(1))
            yield number, line.strip(), marks.index(mark.group(1)) + 1


def _front_matter(lines: Sequence[str]) -> tuple[int, dict[str, list[str]]]:
    """Where the text behind it begins, and its fields."""
    if not lines or lines[0].rstrip() != "---":
        return 0, {}
    end = next((n for n, line in enumerate(lines[1:_LONGEST_FRONT], 1) if line.rstrip() in ("---", "...")), 0)
    fields, name = dict[str, list[str]](), ""
    for line in lines[1:end]:
        field = _FIELD.match(line)
        if field is not None:
            name = field.group(1).lower()
            fields[name] = _values(field.group(2), name)
        elif name and line.lstrip().startswith("- "):
            fields[name].append(_plain(line.lstrip()[2:]))
        elif line.strip():
            name = ""
    return end + 1 if end else 0, {key: [value for value in values if value] for key, values in fields.items()}


def _values(text: str, name: str) -> list[str]:
    text = text.strip()
    if name != "title" and text.startswith("[") and text.endswith("]"):
        return [_plain(part) for part in text[1:-1].split(",")]
    return [_plain(text)] if text else []


def _plain(text: str) -> str:
    text = text.strip()
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"" else text[:LONGEST_NAME]


def _summary(lines: Sequence[str], body: int, marks: Sequence[tuple[int, str, int]]) -> tuple[int, int]:
    headings, start, is_code, length = {mark[0] for mark in marks}, None, False, 0
    for number in range(body, len(lines)):
        line = lines[number]
        is_fence = _FENCE.match(line) is not None
        is_code = is_code != is_fence
        is_text = bool(line.strip()) and number not in headings and not _UNDERLINE.match(line)
        if start is None:
            if is_text and not is_code and not is_fence and not _NOT_PROSE.match(line):
                start, length = number, len(line)
        elif not is_text or is_fence or length > LONGEST_PARAGRAPH:
            return start, number
        else:
            length += len(line)
    return (start, len(lines)) if start is not None else (body, body)
