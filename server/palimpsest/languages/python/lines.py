"""The lines of Python code: statements, definitions, their headers and documentation.

In: lines, or text that starts at `def` or `class`, or at a body.  Out: headers of functions and classes with their
lines, a header's text on one line, documentation.  Uses no tree, so that code that does not parse gives the same.

On code that parses it finds what a parser finds (a test checks this on the standard library).  On code that does not,
it recovers where the meaning is obvious to a person: an unclosed bracket ends at the next line that can only be a
statement, an unterminated string at the next definition, a missing colon changes nothing, a stray less indented line
does not end the function around it, and merge markers are ignored.
"""

import inspect
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Literal

from palimpsest.syntax.indentation import indent_width
from palimpsest.syntax.lexical import Lexical, LexicalToken, tokens
from palimpsest.syntax.parse import Parsed
from palimpsest.syntax.values import Header, Scope

_HEADER = re.compile(r"(?:async\s+)?(?P<keyword>def|class)\s+(?P<name>[^\W\d]\w*)")
_DEFINITION = re.compile(r"(?:async\s+)?(?:def\s+\w+\s*[(\[]|class\s+\w+\s*[(:\[])|@\w[\w.]*\s*(?:\(|$)")
_STATEMENT = re.compile(
    r"(?:def|class|return|raise|while|with|pass|break|continue|del|global|nonlocal|assert|import|elif|except)\b"
    r"|(?:try|finally|else)\s*:|async\s+(?:def|with)\b|from\s+[\w.]+\s+import\b"
)
_STATEMENT_IF_NOT_DEEPER = re.compile(r"@\w[\w.]*\s*(?:\(|$)|(?:if|for)\b.*:\s*$")
_MERGE_MARKER = re.compile(r"(?:<{7}|>{7}|\|{7})(?: |$)|={7}$")

REMEMBERED, MOST_REMEMBERED = 8192, 500
"""Lines of which is remembered what is open behind them, and characters of the longest of them."""
LEXICAL = Lexical(("#",), quotes=('"', "'"), block_quotes=('"""', "'''"))
_QUOTE = re.compile(r"[\"']")
_COLON_AND_COMMENT = re.compile(r":\s*#")
_STRING = r'"""(?:\\.|[^\\])*?"""|' + r"'''(?:\\.|[^\\])*?'''|" + r'"(?:\\.|[^"\\\n])*"|' + r"'(?:\\.|[^'\\\n])*'"
_PIECE = re.compile(
    rf"(?P<string>{_STRING})|(?P<comment>\#[^\n]*)|(?P<space>(?:\s|\\\n)+)"
    r"|(?P<open>[\[({])|(?P<close>[\])}])|(?P<colon>:)|(?P<other>\w+|.)",
    re.DOTALL,
)
_DOCSTRING = re.compile(
    rf"(?:\s|\#[^\n]*\n)*(?P<raw>[rRuU]?)(?P<string>{_STRING})[ \t\f]*(?P<more>[^\s;\#]?)", re.DOTALL
)


@dataclass(slots=True)
class _Logical:
    """A statement line with its continuation lines, `first..last` inclusive."""

    first: int
    last: int
    indent: int
    text: str
    opens: bool = False
    comment: bool = False
    unclosed: bool = False


@dataclass(slots=True)
class _Open:
    """What is open at the end of a line: brackets, a string, a line continued by a backslash."""

    depth: int = 0
    quote: str = ""
    backslash: bool = False
    last_char: str = ""

    @property
    def is_open(self) -> bool:
        return bool(self.depth or self.quote or self.backslash)

    def feed(self, line: str) -> None:
        code_end, escaped = len(line), False
        found = _tokens(line, self.quote) if "\\" in line else tokens(line, LEXICAL, self.quote)
        for token in found:
            escaped = token.kind == "escape"
            if token.kind == "open":
                self.depth += 1
            elif token.kind == "close":
                self.depth = max(0, self.depth - 1)
            elif token.kind in ("begin", "end"):
                self.quote = token.quote
            elif token.kind == "comment":
                code_end = token.start
        goes_on = escaped and line.endswith("\\")
        self.backslash = goes_on and not self.quote
        if not self.quote:
            self.last_char = line[:code_end].rstrip()[-1:] or self.last_char
        elif self.quote in LEXICAL.quotes and not goes_on:
            self.quote = ""  # a single-line string ends with its line, closed or not, unless a backslash continues it

    @classmethod
    def behind(cls, line: str) -> "_Open":
        """What is open behind a line that begins a statement."""
        if len(line) <= MOST_REMEMBERED:
            return cls(*_open_behind(line))
        lexer = cls()
        lexer.feed(line)
        return lexer


@lru_cache(REMEMBERED)
def _open_behind(line: str) -> tuple[int, str, bool, str]:
    """Remembered, since a key changes one line of the many that are scanned."""
    lexer = _Open()
    lexer.feed(line)
    return lexer.depth, lexer.quote, lexer.backslash, lexer.last_char


def _tokens(line: str, quote: str) -> Iterator[LexicalToken]:
    """The tokens of a line; outside strings a backslash has a meaning only at the end of the line."""
    at: int | None = 0
    while at is not None:
        start, at = at, None
        for token in tokens(line, LEXICAL, quote, start):
            if token.kind == "escape" and not quote and token.end < len(line):
                at = token.start + 1
                break
            quote = token.quote if token.kind in ("begin", "end") else quote
            yield token


def scan(lines: Sequence[str], start: int, end: int) -> list[Header]:
    """The definitions in the lines `start..end`, in order of their first line; `start` is not inside one."""
    logical = list(_logical_lines(lines, start, end, recover=False))
    if _is_string_open(logical):
        logical = list(_logical_lines(lines, start, end, recover=True))
    return _headers(lines, logical)


def is_string_open(lines: Sequence[str], start: int, end: int) -> bool:
    """Whether a triple-quoted string that begins in the lines `start..end` does not end there."""
    return _is_string_open(list(_logical_lines(lines, start, end, recover=False)))


def _is_string_open(logical: Sequence[_Logical]) -> bool:
    return bool(logical) and logical[-1].text == ""


def statements(lines: Sequence[str], start: int, end: int) -> Iterator[range]:
    """The lines of each statement and comment in `start..end`, in order, continuation lines included.

    A compound statement's header counts as a statement of its own.  Blank lines belong to none.  If a bracket or string
    never closes, only the first line of its statement counts, so that typing an opening bracket moves no other
    statement.
    """
    while start < end:
        for line in _logical_lines(lines, start, end, recover=False):
            if line.unclosed:
                yield range(line.first, line.first + 1)
                start = line.first + 1
                break
            if line.text:
                yield range(line.first, line.last + 1)
        else:
            return


def _logical_lines(lines: Sequence[str], start: int, end: int, *, recover: bool) -> Iterator[_Logical]:
    """Statements and comments in order.  With `recover`, a definition ends an open string; without it, the last logical
    line has an empty text if a string is still open at the end."""
    lexer, current = _Open(), None
    for number in range(start, end):
        line = lines[number]
        stripped = line.strip().lstrip("\ufeff")
        if current is not None and lexer.is_open:
            if not _breaks_off(current, lexer, lines, number, recover):
                lexer.feed(line)
                if stripped:
                    current.last = number
                    current.opens = lexer.last_char == ":"
                continue
            current.unclosed = bool(lexer.depth or lexer.quote)
            lexer = _Open()
        if not stripped or _MERGE_MARKER.match(line):
            continue
        if current is not None:
            yield current
        current = _Logical(number, number, indent_width(line), stripped, comment=stripped.startswith("#"))
        if not current.comment:
            lexer = _Open.behind(line)
            current.opens = lexer.last_char == ":"
    if current is not None:
        current.unclosed = bool(lexer.depth or lexer.quote)
        yield current
        if len(lexer.quote) == 3 and not recover:
            yield _Logical(end, end, 0, "")


def _breaks_off(current: _Logical, lexer: _Open, lines: Sequence[str], number: int, recover: bool) -> bool:
    """Whether an open statement must have ended before line `number`."""
    line, stripped = lines[number], lines[number].strip()
    if not stripped:
        return lexer.backslash and not lexer.depth and not lexer.quote
    indent = indent_width(line)
    if lexer.quote:
        return recover and indent <= current.indent and _string_is_over(lines, number, lexer.quote, current.indent)
    if lexer.depth == 0:
        return False
    if _STATEMENT.match(stripped) or (_STATEMENT_IF_NOT_DEEPER.match(stripped) and indent <= current.indent):
        return True
    return indent < current.indent and stripped[0] not in ")]}([{\"'#" and not _MERGE_MARKER.match(line)


def _string_is_over(lines: Sequence[str], number: int, quote: str, indent: int) -> bool:
    """Whether a string that began on a line with `indent` must have ended before line `number`, whose indent is no
    deeper.

    It must if it is never closed.  Otherwise it must at a definition that is less indented, or if the next such quote
    looks like the beginning of another string, with a word right after it.
    """
    closing = next((line for line in islice(lines, number, None) if quote in line), None)
    if closing is None:
        return True
    if not _DEFINITION.match(lines[number].strip()):
        return False
    return indent_width(lines[number]) < indent or closing.partition(quote)[2][:1].isalnum()


def _headers(lines: Sequence[str], logical: Sequence[_Logical]) -> list[Header]:
    found: list[Header] = []
    stack: list[Header] = []
    suspended: list[Header] = []  # ended by a less indented line, which may be a stray one
    decorator: _Logical | None = None
    before: _Logical | None = None
    for line in logical:
        if line.comment:
            for header in stack:
                if header.indent < line.indent:
                    header.end_line = line.last + 1
            continue
        if before is not None and line.indent > before.indent and not before.opens and suspended:
            stack.extend(header for header in suspended if header.indent < line.indent)
            suspended = []
        ended = [header for header in stack if header.indent >= line.indent]
        stack = [header for header in stack if header.indent < line.indent]
        match = _HEADER.match(line.text)
        if ended or match or line.opens:
            suspended = [] if match or line.opens else ended
        if match:
            first = decorator.first if decorator is not None and decorator.indent == line.indent else line.first
            header_end = (line.first if line.unclosed else line.last) + 1
            is_inline = not line.opens and one_line("\n".join(lines[line.first : header_end]).lstrip())[1]
            kind: Literal["function", "class"] = "class" if match["keyword"] == "class" else "function"
            header = Header(
                kind, match["name"], first, line.first, header_end, header_end - is_inline, line.indent, header_end
            )
            found.append(header)
            stack.append(header)
        for header in stack:
            header.end_line = line.last + 1
        if not line.text.startswith("@"):
            decorator = None
        elif decorator is None or decorator.indent != line.indent:
            decorator = line
        before = line
    return sorted(found, key=lambda header: (header.start_line, -header.end_line))


def docstring(parsed: Parsed, scope: Scope) -> str | None:
    lines = parsed.snapshot.lines
    if scope.body_start_line == scope.header_end_line:
        return docstring_text("\n".join(lines[scope.body_start_line : scope.end_line]).removeprefix("\ufeff"))
    return docstring_text(after_colon("\n".join(lines[scope.def_line : scope.end_line])))


def docstring_lines(parsed: Parsed, scope: Scope, end: int) -> tuple[int, int]:
    lines = parsed.snapshot.lines
    if scope.body_start_line < scope.header_end_line:
        return 0, 0
    for statement in statements(lines, scope.body_start_line, end):
        text = lines[statement.start].strip()
        if text.startswith("#"):
            continue
        if text.lstrip("rRuU")[:1] not in ("'", '"'):
            return 0, 0
        is_bare = text.lstrip("rRuU").rstrip("\\") in ('"""', "'''")
        return min(statement.start + 1 + is_bare, statement.stop), statement.stop
    return 0, 0


def one_line(text: str) -> tuple[str, bool]:
    """(The header up to its colon on one line, whether the colon was there.)

    Runs of white space become one space, comments and a trailing comma before a newline are removed, strings stay
    unchanged.  An unfinished header is completed in the obvious way: `def f(a` becomes `def f(a...):`.
    """
    header, _, complete = _split(text)
    return header, complete


def after_colon(text: str) -> str:
    """The text after the header's colon; empty for an unfinished header."""
    return _split(text)[1]


def _split(text: str) -> tuple[str, str, bool]:
    out: list[str] = []
    depth = 0
    for match in _PIECE.finditer(text):
        kind, piece = match.lastgroup, match[0]
        if kind == "comment":
            continue
        if kind == "space":
            if out and out[-1] not in " ([{":
                out.append(" ")
            continue
        if kind == "open":
            depth += 1
        elif kind == "close":
            depth = max(0, depth - 1)
            _strip_before_close(out, outermost=depth == 0)
        elif kind == "colon" and depth == 0:
            return "".join(out).rstrip() + ":", text[match.end() :], True
        out.append(piece)
    unfinished = "".join(out).rstrip()
    return (f"{unfinished}...):" if depth else f"{unfinished}:"), "", False


def _strip_before_close(out: list[str], *, outermost: bool) -> None:
    if out and out[-1] == " ":
        out.pop()
        if outermost and out and out[-1] == ",":
            out.pop()


def ends_with_colon(statement: str) -> bool:
    """Ignores white space and a comment without quotes at the end.  Looks at each character at most twice."""
    rest = _QUOTE.split(statement)[-1]
    return rest.rstrip().endswith(":") or _COLON_AND_COMMENT.search(rest) is not None


def docstring_text(body: str) -> str | None:
    """The docstring that a body starts with, without its indent and with escapes as written; None if there is none."""
    match = _DOCSTRING.match(body)
    if match is None or match["more"]:
        return None
    string = match["string"]
    width = 3 if string[:3] in ('"""', "'''") else 1
    content = string[width:-width]
    return inspect.cleandoc(content if match["raw"] in ("r", "R") else content.replace("\\\n", ""))
