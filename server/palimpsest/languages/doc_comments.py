"""Documentation that is written in comments before a definition or at the top of a file.

In: a parse and a scope, or lines, and which comments document.  Out: the documentation's text without its marks, its
lines.  Comments are found by their lines, so that they are also found in code that does not parse.
"""

import re
from collections.abc import Sequence

from tree_sitter import Node

from palimpsest.syntax.lexical import Lexical
from palimpsest.syntax.parse import Parsed
from palimpsest.syntax.values import Scope

_MOST_LINES = 400
_STAR = re.compile(r"^\s*\*(?!/) ?")
_LICENSE = re.compile(r"(?i)\b(copyright|licen[sc]ed?|spdx-license-identifier)\b")
_WORD = re.compile(r"\w")


def docstring(parsed: Parsed, scope: Scope, marks: Sequence[str], between: Sequence[str]) -> str | None:
    """The comment above a definition; of a file the first one at its top that no definition follows.  `marks` are the
    beginnings of comments that document, `between` those of lines that may stand below them."""
    lines, lexical = parsed.snapshot.lines, parsed.language.lexical
    if not marks:
        return None
    if scope.kind == "file":
        tops = at_top(lines, lexical, marks)
        found = next((found for found in tops if not _defines_something(parsed, found.stop)), range(0))
    else:
        found = above(lines, scope.start_line, scope.def_line, lexical, marks, between)
    return text_of([lines[n] for n in found], lexical, marks)


def is_one(parsed: Parsed, node: Node, marks: Sequence[str]) -> bool:
    """Whether a node is a comment that documents."""
    return bool(marks) and "comment" in node.type and _documents(parsed.text_of(node), marks)


def _defines_something(parsed: Parsed, line: int) -> bool:
    matches = [*parsed.matches("scopes", line, line + 1), *parsed.matches("assignments", line, line + 1)]
    return any(node.start_point.row == line for found in matches for nodes in found.values() for node in nodes)


def above(
    lines: Sequence[str], start: int, line: int, lexical: Lexical, marks: Sequence[str], between: Sequence[str] = ()
) -> range:
    """The lines of the documentation above `line`, an empty range if there is none.  What belongs to the definition
    from `start` on, and is no comment, may stand between them."""
    end = line
    while end > start and not _is_comment(lines[end - 1], lexical):
        end -= 1
    while end > 0 and between and lines[end - 1].strip().startswith(tuple(between)):
        end -= 1
    found = _block_above(lines, end, lexical)
    while found and not _documents(lines[found.start].strip(), marks) and not _is_block(lines[found.start], lexical):
        found = found[1:]
    return found if found and _documents(lines[found.start].strip(), marks) else range(line, line)


def _is_comment(text: str, lexical: Lexical) -> bool:
    """Whether a line is a comment's last, or all of one."""
    text = text.strip()
    return text.startswith(lexical.line_comments) or any(text.endswith(end) for _, end in lexical.block_comments)


def at_top(lines: Sequence[str], lexical: Lexical, marks: Sequence[str]) -> list[range]:
    """The comments that document at the top of a file, in order, up to the first line of code; notes of a licence left
    out."""
    found, line = list[range](), 1 if lines and lines[0].startswith("#!") else 0
    while line < min(len(lines), _MOST_LINES):
        text = lines[line].strip()
        end = _comment_end(lines, line, lexical)
        if text and end == line:
            break
        if _documents(text, marks) and not _LICENSE.search("\n".join(lines[line:end])):
            found.append(range(line, end))
        line = max(end, line + 1)
    return found


def text_of(lines: Sequence[str], lexical: Lexical, marks: Sequence[str]) -> str | None:
    """The text of a comment that documents, without its marks; None if nothing is left."""
    mark = next((mark for mark in _longest_first(marks) if lines and lines[0].strip().startswith(mark)), "")
    closing = next((end for begin, end in lexical.block_comments if mark.startswith(begin)), "")
    if closing:
        text = "\n".join(line.strip() if n == 0 else line for n, line in enumerate(lines)).removeprefix(mark)
        stripped = [_STAR.sub("", line).rstrip() for line in text.rstrip().removesuffix(closing).split("\n")]
    else:
        stripped = [line.strip().removeprefix(mark).removeprefix(" ").rstrip() for line in lines]
    while stripped and not _WORD.search(stripped[0]):
        stripped.pop(0)
    while stripped and not stripped[-1].strip():
        stripped.pop()
    if stripped:
        stripped[0] = stripped[0].lstrip()
    return "\n".join(stripped) or None


def _longest_first(marks: Sequence[str]) -> list[str]:
    return sorted(marks, key=len, reverse=True)


def _documents(text: str, marks: Sequence[str]) -> bool:
    """Whether a comment begins with a mark, and not with a line of the mark's last character (`/*****`, `////`)."""
    return any(text.startswith(mark) and text[len(mark) : len(mark) + 1] not in (mark[-1], "/") for mark in marks) or (
        any(text == mark for mark in marks)
    )


def _is_block(text: str, lexical: Lexical) -> bool:
    return text.strip().startswith(tuple(begin for begin, _ in lexical.block_comments)) and bool(lexical.block_comments)


def _block_above(lines: Sequence[str], end: int, lexical: Lexical) -> range:
    """The comment that ends right above `end`: one block comment, or line comments below each other."""
    if end == 0 or not lines[end - 1].strip():
        return range(end, end)
    last = lines[end - 1].strip()
    for begin, closing in lexical.block_comments:
        if last.endswith(closing):
            for start in range(end - 1, max(-1, end - 1 - _MOST_LINES), -1):
                text = lines[start].strip()
                if begin in text:
                    return range(start, end) if text.startswith(begin) else range(end, end)
                if start < end - 1 and closing in text:
                    break
            return range(end, end)
    start = end
    while start > max(0, end - _MOST_LINES) and lexical.line_comments:
        if not lines[start - 1].strip().startswith(lexical.line_comments):
            break
        start -= 1
    return range(start, end)


def _comment_end(lines: Sequence[str], line: int, lexical: Lexical) -> int:
    """The line after the comment that begins on `line`; `line` itself if none does."""
    text = lines[line].strip()
    for begin, closing in lexical.block_comments:
        if text.startswith(begin):
            rest = text.removeprefix(begin)
            end = line
            while closing not in rest:
                end += 1
                if end >= len(lines):
                    return line
                rest = lines[end]
            return end + 1
    end = line
    while end < len(lines) and lexical.line_comments and lines[end].strip().startswith(lexical.line_comments):
        end += 1
    return end
