"""What stands in an edit in place of code that the model did not write again: `# ... existing code ...`, `...`.

In: a document before and after an edit, and the edit.  Out: the first such placeholder, or "".

Only what is new is one, and only in an edit that takes code out: a comment that stood in the document before is none,
and a body of `...` is one only where the same definition had code before, and is no declaration (`@overload`, a
`Protocol`) now.  Where code goes and nothing but a new comment comes, that comment is one whatever it says, unless it
is that code commented out.  Elsewhere its words or dots tell.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from tree_sitter import Node

from palimpsest.languages.embedded import inner_parses
from palimpsest.syntax.indentation import indent_width
from palimpsest.syntax.parse import Language, Parsed, parse_file
from palimpsest.syntax.scopes import enclosing, scopes
from palimpsest.syntax.values import Scope
from palimpsest.text.alike import ends_alike
from palimpsest.text.word_lists import word_lists
from palimpsest.types import LineEdit

_DOTS = re.compile(r"\.{3,}|[…⋯⋮]|\. \. \.|。{3,}")
_MARKED = re.compile(r"^\s*((?:#|//|--|;|%|/\*|<!--|\(\*|\{#|\{/\*|'|\"|REM\b|dnl\b).*)$")
"""A line that begins as a comment does in some language: for texts without a tree."""
_MARKS = " \t\r\n#/*-;%<>!{}()[]\"'=~_|:,"
"""What stands around the words of a comment."""
_INNER_MARKS = re.compile(r"\n[ \t]*(?:\*|#|//|--|;|%)+")
_WORD = re.compile(r"[^\W_][\w']*")
_UNSAID = re.compile(
    r"\b(?:unchanged|unmodified|unaltered|untouched|omitted|elided|truncated|snip(?:ped)?|"
    r"rest of|rest (?:is|remains|stays)|same as (?:before|above|(?:the )?original)|as in the original|as before|"
    r"(?:stays?|remains?) (?:the )?same|no (?:other )?changes? (?:here|needed|below|above)|"
    r"(?:keep|kept) as (?:is|before)|not shown|for brevity|"
    r"(?:existing|remaining|previous|original|other) (?:code|implementation|logic|methods?|functions?|body|content|"
    r"lines|imports|fields|properties|definitions|statements|tests|cases|routes|entries|items|parts?))\b"
)
"""Said of code that is to stay, also without dots."""
_REST = re.compile(r"(?:the )?(?:rest|remainder|remaining)\b.*\b(?:unchanged|as before|the same|omitted)\b")
_HINTED = re.compile(r"\b(?:existing|remaining|remainder|rest|previous|original|other|others|more|same|etc)\b")
"""Said of it with dots."""
_ORDINARY = word_lists("palimpsest.languages")["placeholders"]
"""Words that such a comment is made of."""
_MOST_WORDS = 12
_STRING = re.compile(r"[rRuUbBfF]{0,2}[\"'`]")
_EMPTY_BODY = re.compile(r"[\s{}()\[\];,]*(?:pass|\.{3})?[\s{}()\[\];,]*|.*[{:]\s*(?:pass|\.{3})?\s*\}?[;,)\s]*")
"""A line, without its comment, in which no code of a body stands."""
_SKIPPED = r"""(?:[rR]?(?:(\"{3}|'{3})(?:(?!\1)[\s\S])*\1|"(?!"")[^"\n]*"|'(?!'')[^'\n]*')|\#[^\n]*)\s*"""
"""Documentation and comments before the code of a body."""
_STUB = re.compile(rf"[:{{]\s*(?:{_SKIPPED})*(?:\.{{3}}|…)\s*(?:\#[^\n]*)?\s*\}}?\s*\Z")
_NOTHING = re.compile(rf"[:{{]\s*(?:{_SKIPPED})*(?:pass\b[^\n]*)?\s*\}}?\s*\Z")
_DECLARED = re.compile(r"\b(?:overload|abstract\w*|Protocol|ABC)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Comment:
    """`row`: its first line; `rest`: what else stands there."""

    row: int
    text: str
    rest: str = ""


def placeholder(before: Parsed, after: Parsed, edits: Sequence[LineEdit]) -> str:
    """The first placeholder in an edit that leads from one text to the other; "" where it has none."""
    old = before.snapshot.lines
    removed = Counter(line.strip() for edit in edits for line in old[edit.start : edit.end])
    lost = removed - Counter(line.strip() for edit in edits for line in edit.lines)
    comments = {one.text.strip() for edit in edits for one in _comments(before, range(edit.start, edit.end))}
    if not any(line and line not in comments for line in lost):
        return ""
    shift, known = 0, before.snapshot.text
    for edit in edits:
        rows = range(edit.start + shift, edit.start + shift + len(edit.lines))
        shift += len(edit.lines) - (edit.end - edit.start)
        found = (*_alone(before, after, edit, rows), *_unsaid(after, rows))
        for text in (*found, *_bare(after, rows, edit, old), *_emptied(before, after, rows)):
            if not re.search(rf"(?m){re.escape(text)}[ \t\r]*$", known) or not text.strip(". …"):
                return text
    return ""


def placeholder_between(before: str, after: str, language: Language) -> str:
    """The same for a text that takes the place of another, either of which may be anything."""
    old, new = before.splitlines(), tuple(after.splitlines())
    head, tail = ends_alike(old, new)
    edit = LineEdit(head, len(old) - tail, new[head : len(new) - tail])
    then, now = (parse_file("\n".join(lines), language) for lines in (old, new))
    return placeholder(then, now, [edit])


def _alone(before: Parsed, after: Parsed, edit: LineEdit, rows: range) -> Iterator[str]:
    """Comments that come where code goes, with no code."""
    if after.root is None or after.language.query("comments") is None:
        return  # prose
    old, new = before.snapshot.lines[edit.start : edit.end], edit.lines
    matcher = SequenceMatcher(None, [line.strip() for line in old], [line.strip() for line in new], autojunk=False)
    was, now = _whole_comments(before, range(edit.start, edit.end)), _whole_comments(after, rows)
    for kind, first, last, start, end in matcher.get_opcodes():
        if kind != "replace":
            continue
        gone = [row for row in range(edit.start + first, edit.start + last) if before.snapshot.lines[row].strip()]
        code = {_bare_text(before.snapshot.lines[row]) for row in gone if row not in was} - {""}
        come = [row for row in range(rows.start + start, rows.start + end) if after.snapshot.lines[row].strip()]
        if not code or not come or any(row in was for row in gone) or any(row not in now for row in come):
            continue
        said = [_bare_text(after.snapshot.lines[row]) for row in come]
        if not any(_is_commented_out(text, one) for text in said for one in code):
            yield after.snapshot.lines[come[0]].strip()


def _is_commented_out(said: str, code: str) -> bool:
    """Whether a comment is a line of code, or most of one; a word of it is none."""
    shorter, longer = sorted((said, code), key=len)
    return shorter in longer and 2 * len(shorter) > len(longer)


def _whole_comments(parsed: Parsed, rows: range) -> set[int]:
    """The rows on which nothing but a comment stands."""
    found = set[int]()
    for one in _comments(parsed, rows):
        if not one.rest:
            found |= set(range(one.row, one.row + one.text.count("\n") + 1))
    return found


def _bare_text(line: str) -> str:
    """What it says, without blanks and what may stand around a comment."""
    return "".join(line.split()).strip(_MARKS)


def _unsaid(after: Parsed, rows: range) -> Iterator[str]:
    """Comments that stand for code."""
    lines, found = after.snapshot.lines, list(_comments(after, rows))
    is_alone = len(found) == sum(bool(lines[row].strip()) for row in rows)
    groups = list[list[_Comment]]()
    for one in found:
        above = groups[-1][-1] if groups else None
        is_below = above is not None and not one.rest and not above.rest and one.row == above.row + 1
        if is_below and indent_width(lines[one.row]) == indent_width(lines[one.row - 1]):
            groups[-1].append(one)
        else:
            groups.append([one])
    for group in groups:
        whole = "\n".join(one.text for one in group)
        for one in group:
            said = _content(one.text)
            # dots among lines that say something else are of an example
            if not _is_placeholder(said) or (not _WORD.search(said) and not _is_placeholder(_content(whole))):
                continue
            is_clear = len(said.split()) > 1 or is_alone or _ends(after, one)
            if _DOTS.search(said) or (_EMPTY_BODY.fullmatch(one.rest) and is_clear):
                yield one.text.strip()


def _ends(after: Parsed, one: _Comment) -> bool:
    """Whether nothing stands behind a comment in its block."""
    if one.rest.strip():
        return True
    lines = after.snapshot.lines
    behind = next((line for line in lines[one.row + 1 :] if line.strip()), None)
    return behind is None or indent_width(behind) < indent_width(lines[one.row])


def _bare(after: Parsed, rows: range, edit: LineEdit, old: Sequence[str]) -> Iterator[str]:
    """Dots that are neither a comment nor a body."""
    comments = {one.row for one in _comments(after, rows)}
    replaced = [line.strip() for line in old[edit.start : edit.end] if line.strip()]
    is_new = bool(replaced) and not any(_DOTS.search(line) for line in replaced)
    for row in rows:
        text = after.snapshot.lines[row].strip()
        said = text.strip("[](){}<>\"'`;, \t")
        if row in comments or not _DOTS.match(said) or not _is_placeholder(said.lower()):
            continue
        if _is_no_code(after, row, said) or (is_new and _is_value(after, row) and not _is_body(after, row)):
            yield text


def _is_no_code(after: Parsed, row: int, said: str) -> bool:
    """Whether dots are nothing that the language has, or a statement among others."""
    is_alone = bool(_WORD.search(said)) or _DOTS.fullmatch(said) is not None
    if after.root is None or after.language.query("comments") is None:
        return is_alone
    node = _node(after, row)
    if node.parent is None or not is_alone or not _holds(node, row):
        return False
    if node.is_error or node.parent.is_error or node.has_error:
        return True
    if _STRING.match(after.text_of(node)):
        return _WORD.search(said) is not None
    beside = [one for one in node.parent.named_children if one != node and "comment" not in one.type]
    return "statement" in node.type and not all(_STRING.match(after.text_of(one)) for one in beside)


def _is_value(after: Parsed, row: int) -> bool:
    """Whether dots alone are a value, and no parameter."""
    node = None if after.root is None else _node(after, row)
    while node is not None and "statement" in node.type and node.named_child_count == 1:
        node = node.named_children[0]
    return node is not None and "ellipsis" in node.type


def _node(after: Parsed, row: int) -> Node:
    """The largest node with the text of a line."""
    line, root = after.snapshot.lines[row], after.root
    assert root is not None
    start = len(line[: len(line) - len(line.lstrip())].encode("utf-8", "surrogatepass"))
    text = line.strip()
    end = start + len(text.encode("utf-8", "surrogatepass"))
    node = root.descendant_for_point_range((row, start), (row, end)) or root
    while node.parent is not None and node.parent.byte_range == node.byte_range:
        node = node.parent
    return node


def _holds(node: Node, row: int) -> bool:
    """Whether a line is code of its own, and not in a string."""
    is_long = node.start_point.row < row or node.end_point.row > row
    return node.is_error or node.has_error or not (is_long and not node.named_child_count)


def _is_body(after: Parsed, row: int) -> bool:
    return any(scope.def_line <= row < scope.end_line and _is_stub(after, scope) for scope in scopes(after)[1:])


def _emptied(before: Parsed, after: Parsed, rows: range) -> Iterator[str]:
    """Definitions that have `...` for a body and had code."""
    if not any(_DOTS.search(after.snapshot.lines[row]) for row in rows):
        return
    had_code = {scope.qualified_name for scope in scopes(before)[1:] if scope.has_body and _has_code(before, scope)}
    for scope in scopes(after)[1:]:
        touched = scope.def_line < rows.stop and rows.start < scope.end_line
        if touched and scope.qualified_name in had_code and _is_stub(after, scope) and not _is_declared(after, scope):
            yield "..."


def _text(parsed: Parsed, scope: Scope) -> str:
    return "\n".join(parsed.snapshot.lines[scope.def_line : scope.end_line])


def _is_stub(parsed: Parsed, scope: Scope) -> bool:
    return bool(_STUB.search(_text(parsed, scope)))


def _has_code(parsed: Parsed, scope: Scope) -> bool:
    text = _text(parsed, scope)
    return not _STUB.search(text) and not _NOTHING.search(text)


def _is_declared(parsed: Parsed, scope: Scope) -> bool:
    lines = parsed.snapshot.lines
    heads = (lines[one.start_line : one.header_end_line] for one in enclosing(scope) if one.kind != "file")
    return any(_DECLARED.search(line) for head in heads for line in head)


def _comments(parsed: Parsed, rows: range) -> Iterator[_Comment]:
    """Those that begin in the rows, in order."""
    if parsed.root is None:
        for row in rows:
            if found := _MARKED.match(parsed.snapshot.lines[row]):
                yield _Comment(row, found[1])
        return
    nodes = {
        node.start_byte: (part, node)
        for part in (parsed, *inner_parses(parsed))
        for node in part.captures("comments", rows.start, rows.stop).get("comment", ())
        if node.start_point.row in rows
    }
    seen = set[int]()
    for _, (part, node) in sorted(nodes.items(), key=lambda item: item[0]):
        row = node.start_point.row
        line = parsed.snapshot.lines[row].encode("utf-8", "surrogatepass")
        last = node.end_point.column if node.end_point.row == row else len(line)
        rest = (line[: node.start_point.column] + line[last:]).decode("utf-8", "replace").strip()
        seen.add(row)
        yield _Comment(row, part.text_of(node).rstrip("\n"), rest)
    if parsed.language.query("comments") is None:  # prose: comments of what it may become
        for row in rows:
            if row not in seen and (found := _MARKED.match(parsed.snapshot.lines[row])):
                yield _Comment(row, found[1])


def _content(comment: str) -> str:
    return " ".join(_INNER_MARKS.sub("\n", comment).strip(_MARKS).lower().split())


def _is_placeholder(said: str) -> bool:
    words = _WORD.findall(said)
    if not words:
        return bool(_DOTS.search(said))
    if len(words) > _MOST_WORDS:
        return False
    inner = said.strip(_MARKS)
    begins, ends = bool(_DOTS.match(inner)), bool(re.search(rf"(?:{_DOTS.pattern})\Z", inner))
    n_strange = sum(word not in _ORDINARY and not word.isdecimal() for word in words)
    if begins and ends:
        return True
    if begins and _UNSAID.search(said) and n_strange <= 2:
        return True
    if (begins or ends) and not n_strange and (_HINTED.search(said) or _UNSAID.search(said)):
        return True
    return (n_strange <= 2 and bool(_REST.match(said))) or (not n_strange and bool(_UNSAID.search(said)))
