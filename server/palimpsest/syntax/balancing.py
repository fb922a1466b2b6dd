"""Brackets of half-typed code, put right by indentation.

In: lines, the language's syntax of comments and strings.  Out: the same lines with brackets and quotes added at the end
of some, or taken away at the beginning.  What a parser reads off the result is true of the code, line by line, as far
as it is indented as people indent code.  Pure.

A bracket is closed before a line that is indented no deeper than the line it was opened on, unless that line closes it;
a bracket that closes one of a line indented less than its own closes nothing.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from palimpsest.syntax.indentation import indent_width
from palimpsest.syntax.lexical import Lexical, tokens

_CLOSERS = {"(": ")", "[": "]", "{": "}"}
_LABEL = re.compile(r"(?:case|default|public|private|protected|else|catch|finally|where|while)\b|\w+:(?!:)|#|\{")
"""What may begin a line that is indented like the one with the bracket around it."""
_MOST_LINES = 500
"""A block whose head has no bracket is followed for at most this many lines."""
_MOST_STRINGS = 4
"""Strings of several lines of which one may be the one that is not closed."""


@dataclass(slots=True)
class _Opened:
    """`indent` is that of the line it is on."""

    bracket: str
    line: int
    indent: int


@dataclass(slots=True)
class _Balancing:
    """`by_block`: a bracket that is open when a block ends was to be closed before the block.  `ended` are lines at
    whose end a string of several lines is closed."""

    lines: list[str]
    lexical: Lexical
    by_block: bool = False
    ended: frozenset[int] = frozenset()
    quote: str = ""
    opened: list[_Opened] = field(default_factory=list)
    code: list[tuple[int, int]] = field(default_factory=list)
    """The lines with code so far, and their indents."""
    ends: dict[int, int] = field(default_factory=dict)
    """Where the code of a line ends, before a comment."""
    begun: list[int] = field(default_factory=list)
    """The lines where a string begins that goes on."""
    n_changes: int = 0
    is_block_ended: bool = False
    """A block ended while another bracket was open: there is more than one way."""

    def run(self) -> "_Balancing":
        for number, line in enumerate(self.lines):
            indent = indent_width(line)
            if not self.quote and line.strip():
                self._close_before(number, line, indent)
            now = self.lines[number]
            self._read(number, now, indent if now is line else indent_width(now))
        while self.opened:
            self._close()
        return self

    def _close_before(self, number: int, line: str, indent: int) -> None:
        """Close what must have ended before a line, and take away a bracket that has none to close."""
        text = line.lstrip()
        if text.startswith(self.lexical.line_comments):
            return
        closer = text[0] if text[0] in _CLOSERS.values() else ""
        while self.opened and not self._goes_on(text, indent, closer):
            self._close()
        while closer == "}" and self.opened and self.opened[-1].bracket != "{":
            self.is_block_ended = True
            if not self.by_block:
                break
            self._close(at_once=True)
        if closer and (not self.opened or indent > self.opened[-1].indent):
            if closer == "}" and (head := self._head(indent)) is not None:
                self._insert(head, "{")
                self.opened.append(_Opened("{", head, indent))
            else:
                self.lines[number] = f"{line[: len(line) - len(text)]} {text[1:]}"
                self.n_changes += 1

    def _head(self, indent: int) -> int | None:
        """The last line with that indent, if the lines below it are indented deeper: a block's head without bracket."""
        below = None
        for number, its in reversed(self.code[-_MOST_LINES:]):
            if its <= indent:
                return number if its == indent and below is not None else None
            below = number
        return None

    def _goes_on(self, text: str, indent: int, closer: str) -> bool:
        """Whether a line is inside of the innermost bracket, or closes it."""
        top = self.opened[-1]
        if not closer:
            return indent > top.indent or _LABEL.match(text) is not None
        if _CLOSERS[top.bracket] == closer:
            return indent >= top.indent
        closes = any(_CLOSERS[one.bracket] == closer and one.indent == indent for one in self.opened)
        return indent >= top.indent and not closes

    def _close(self, *, at_once: bool = False) -> None:
        """The innermost bracket: behind all code so far, or at the end of the line it is on."""
        top = self.opened.pop()
        self._insert(top.line if at_once else self.code[-1][0], _CLOSERS[top.bracket])

    def _insert(self, number: int, bracket: str) -> None:
        """Behind the code of a line."""
        line, at = self.lines[number], self.ends[number]
        self.lines[number] = f"{line[:at]}{bracket}{line[at:]}"
        self.ends[number] += 1
        self.n_changes += 1

    def _read(self, number: int, line: str, indent: int) -> None:
        end, was_open = len(line), bool(self.quote)
        for token in tokens(line, self.lexical, self.quote):
            if token.kind == "open":
                self.opened.append(_Opened(line[token.start], number, indent))
            elif token.kind == "close" and self.opened and _CLOSERS[self.opened[-1].bracket] == line[token.start]:
                self.opened.pop()
            elif token.kind in ("begin", "end"):
                self.quote = token.quote
            elif token.kind == "comment":
                end = token.start
        is_short = self.quote in self.lexical.quotes and not line.endswith("\\")
        if self.quote and (is_short or number in self.ended):
            self.lines[number] += self.quote
            end, self.quote = end + len(self.quote), ""
            self.n_changes += 1
        elif self.quote and not was_open and self.quote not in dict(self.lexical.block_comments).values():
            self.begun.append(number)
        if line[:end].strip():
            self.code.append((number, indent))
            self.ends[number] = len(self.lines[number]) if end >= len(line) else end


def balanced(lines: Sequence[str], lexical: Lexical) -> list[tuple[str, ...]]:
    """The lines with brackets that fit, each way that this may be; none if they fit as they are."""
    first = _Balancing(list(lines), lexical).run()
    tried = [first]
    if first.is_block_ended:
        tried.append(_Balancing(list(lines), lexical, by_block=True).run())
    # After a string without its end, code and strings are swapped, so that the first one is the likeliest.
    tried += [_Balancing(list(lines), lexical, ended=frozenset({line})).run() for line in first.begun[:_MOST_STRINGS]]
    return list(dict.fromkeys(tuple(one.lines) for one in tried if one.n_changes))
