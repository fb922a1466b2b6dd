"""Pure: fenced code in Markdown: where it is, what it says its language is, and what a text leaves open.

In: text.  Out: fences with the places of their content.  Knows no language.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_HTML = re.compile(r"( {0,3})<(?:!--|(script|pre|style|textarea)(?=[\s>]|$))", re.IGNORECASE)
"""What goes on, whatever stands behind it, until its end comes."""
_MARK = re.compile(r"^ {0,3}(`{3,}+|~{3,}+)([^\r\n]*)(?:\r?\n|\Z)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Fence:
    """`start` and `end` are those of the whole; `content_start` and `content_end` leave out the marks, and the newline
    before the one that closes."""

    start: int
    end: int
    content_start: int
    content_end: int
    info: str

    @property
    def language(self) -> str:
        """What is written behind the mark first, in lower case."""
        words = re.split(r"[\s,{]", self.info.strip(), maxsplit=1)
        return words[0].lower()


def after(open_: str, mark: str, info: str) -> str:
    """The mark of the fence that is open behind a line with a mark; empty if none is.  `open_` was before."""
    if not open_:
        return "" if mark[0] == "`" and "`" in info else mark
    closes = mark[0] == open_[0] and len(mark) >= len(open_) and not info.strip()
    return "" if closes else open_


def fences(text: str) -> list[Fence]:
    """The fences that are closed, in order."""
    found = list[Fence]()
    open_ = ""
    begin: re.Match[str] | None = None
    for mark in _MARK.finditer(text):
        before, open_ = open_, after(open_, mark[1], mark[2])
        if open_ and not before:
            begin = mark
        elif before and not open_ and begin is not None:
            content = text[begin.end() : mark.start()]
            end = mark.start() - (2 if content.endswith("\r\n") else 1 if content.endswith("\n") else 0)
            found.append(Fence(begin.start(), mark.end(2), begin.end(), end, begin[2]))
    return found


def left_open(text: str) -> str:
    """The mark of a fence that the text does not close; "" for none."""
    return _end(text)[0]


def closing(text: str) -> str:
    """What closes the fence, the comment or the element (`<pre>`) that a text leaves open and that would go on in what
    follows it, on a line of its own; "" for none.  It is indented as its beginning is, so that it is in the same item
    of a list."""
    fence, end, indent = _end(text)
    end = fence or end
    return f"{'' if text.endswith(chr(10)) else chr(10)}{indent}{end}" if end else ""


def _end(text: str) -> tuple[str, str, str]:
    """The mark of the fence that is open at a text's end, or the end of the HTML that is, and how that is indented."""
    fence = html = indent = ""
    for line in _LINE.finditer(text):
        mark, begins = _MARK.match(line[0]), None if fence or html else _HTML.match(line[0])
        if begins is not None:
            html, indent = f"</{begins[2].lower()}>" if begins[2] else "-->", begins[1]
        elif mark is not None and not html:
            before, fence = fence, after(fence, mark[1], mark[2])
            indent = indent if before else line[0][: mark.start(1)]
        if html and html in line[0][begins.end() if begins is not None else 0 :].lower():
            html = ""
    return fence, html, indent


def unfenced(content: str) -> tuple[str, str]:
    """(What is in the fence, its language) of a content that is one fence and nothing else; else (the content, "")."""
    found = fences(content)
    if len(found) != 1 or content[: found[0].start].strip() or content[found[0].end :].strip():
        return content, ""
    return content[found[0].content_start : found[0].content_end], found[0].language
