"""The `[[links]]` that a Markdown text has for a reader: not those in code, and not what only looks like one.

In: a text.  Out: links with their places.  A link's text in brackets (`[[1]](address)`) and a footnote's mark are no
links to documents, and neither is what stands in a fence, in an indented block of code or between backticks.  Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from palimpsest.documents.wikilinks import Link, links

MOST_LINKS = 10_000
"""Of one text; those behind are not looked at."""
_FENCE = re.compile(r"^[ ]{0,3}(`{3,}|~{3,})(.*)$")
_ITEM = re.compile(r"^\s*(?:[-*+]|\d{1,9}[.)])(?:\s|$)")
_TICKS = re.compile(r"`+")
_INDENTED = re.compile(r"^(?: {4}|\t)")


def prose_links(text: str) -> Iterator[Link]:
    if "[[" not in text:
        return
    shown = without_code(text)
    for number, link in enumerate(links(shown)):
        if number >= MOST_LINKS:
            return
        if shown[link.end : link.end + 1] not in ("(", "[") and not link.target.startswith("^"):
            yield link


def without_code(text: str) -> str:
    """The text, as long as it was, with blanks for its code: places in one are places in the other."""
    found, fence, is_item, was_blank, was_code = list[str](), "", False, True, False
    for line in text.splitlines(keepends=True):
        mark = _FENCE.match(line.rstrip("\r\n"))
        if fence:
            if mark and mark.group(1)[0] == fence[0] and len(mark.group(1)) >= len(fence) and not mark.group(2).strip():
                fence = ""
            found.append(_blanked(line))
            continue
        if mark is not None and not (mark.group(1)[0] == "`" and "`" in mark.group(2)):
            fence = mark.group(1)
            found.append(_blanked(line))
            continue
        is_blank = not line.strip()
        is_item = _ITEM.match(line) is not None or (is_item and (is_blank or line[0] in " \t"))
        is_code = _INDENTED.match(line) is not None and not is_item and (was_blank or was_code) and not is_blank
        found.append(_blanked(line) if is_code else _without_spans(line))
        was_blank, was_code = is_blank, is_code or (was_code and is_blank)
    return "".join(found)


def _without_spans(line: str) -> str:
    """Without what stands between as many backticks as there are at its end."""
    if "`" not in line:
        return line
    runs = [(run.start(), run.end()) for run in _TICKS.finditer(line)]
    at, next_at = 0, dict[int, int]()
    parts, behind = list[str](), list[int]()
    latest = dict[int, int]()
    for number in range(len(runs) - 1, -1, -1):  # for each run, the next one that is as long
        length = runs[number][1] - runs[number][0]
        behind.append(latest.get(length, -1))
        latest[length] = number
    next_at = dict(enumerate(reversed(behind)))
    number = 0
    while number < len(runs):
        end = next_at[number]
        if end < 0:
            number += 1
            continue
        parts += [line[at : runs[number][0]], _blanked(line[runs[number][0] : runs[end][1]])]
        at, number = runs[end][1], end + 1
    return "".join((*parts, line[at:]))


def _blanked(text: str) -> str:
    return "".join(char if char in "\r\n" else " " for char in text)
