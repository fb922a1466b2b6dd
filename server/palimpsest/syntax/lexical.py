"""Tells brackets, strings and comments apart without a tree.

In: text, the language's syntax of comments and strings, the state before the text.  Out: tokens, or the state after
each character.  Unfinished code can mislead it about where a statement ends.  Pure.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, NamedTuple

_OPEN, _CLOSE = "([{", ")]}"
_ESCAPE = r"\\.?"
_WORD_START = r"(?<![^\s;&|()])"


@dataclass(frozen=True, slots=True)
class _Patterns:
    """`code` finds tokens outside strings; `closing` maps the end mark of a string or block comment to its pattern."""

    code: re.Pattern[str]
    closing: dict[str, re.Pattern[str]]
    ends: dict[str, str]
    blocks: frozenset[str]


@dataclass(frozen=True)
class Lexical:
    """The syntax of comments and strings in a language.

    Strings in `quotes` end with their line at the latest, those in `block_quotes` do not; block comments are (opening,
    closing), and so are `raw_quotes`, strings without escapes, whose closing mark no other string may have.
    `literals` is a pattern of what is no code but has no end mark of its own, such as characters that look like the
    beginning of a string.  `spaced_comments`: a line comment begins only where a word may begin.
    """

    line_comments: tuple[str, ...] = ()
    block_comments: tuple[tuple[str, str], ...] = ()
    quotes: tuple[str, ...] = ()
    block_quotes: tuple[str, ...] = ()
    raw_quotes: tuple[tuple[str, str], ...] = ()
    literals: str = ""
    spaced_comments: bool = False

    @cached_property
    def patterns(self) -> _Patterns:
        return _patterns(self)


class LexicalToken(NamedTuple):
    """`begin` and `end` are those of a string or block comment, `comment` is the start of a line comment; `quote` is
    the end mark of the string or block comment.  An `escape` is a backslash with the following character, if any."""

    kind: Literal["open", "close", "begin", "end", "comment", "escape", "line"]
    start: int
    end: int
    quote: str = ""


@dataclass(frozen=True, slots=True)
class State:
    """The state between two characters.  `depth` counts open brackets and is negative if more were closed than opened;
    `quote` is the end mark of the current string or block comment, or empty; `in_block`: it may end on a later line;
    `escaped`: the next character is literal."""

    depth: int = 0
    quote: str = ""
    in_block: bool = False
    comment: bool = False
    escaped: bool = False


def _patterns(lexical: Lexical) -> _Patterns:
    comments = dict((*lexical.block_comments, *lexical.raw_quotes))
    ends = {**comments, **{quote: quote for quote in (*lexical.quotes, *lexical.block_quotes)}}
    begins = sorted((*ends, *lexical.line_comments), key=len, reverse=True)
    # Only literals, no character sets: `re` can then skip to the first character that can begin one.
    literals = [lexical.literals] if lexical.literals else []
    marks = {mark: re.escape(mark) for mark in (*_OPEN, *_CLOSE, *begins)}
    if lexical.spaced_comments:
        marks |= {mark: _WORD_START + marks[mark] for mark in lexical.line_comments}
    code = "|".join([*literals, _ESCAPE, r"\n", *marks.values()])
    closing = {quote: re.compile(rf"{_ESCAPE}|\n|{re.escape(quote)}", re.DOTALL) for quote in lexical.quotes}
    closing |= {quote: re.compile(rf"{_ESCAPE}|{re.escape(quote)}", re.DOTALL) for quote in lexical.block_quotes}
    closing |= {end: re.compile(re.escape(end)) for end in comments.values()}
    blocks = frozenset((*lexical.block_quotes, *comments.values()))
    return _Patterns(re.compile(code, re.DOTALL), closing, ends, blocks)


def tokens(text: str, lexical: Lexical, quote: str = "", start: int = 0) -> Iterator[LexicalToken]:
    """The tokens of `text` from `start` on, in order; `quote` is the end mark of the string that is open there."""
    patterns = lexical.patterns
    at = start
    while (found := (patterns.closing[quote] if quote else patterns.code).search(text, at)) is not None:
        piece, at = found[0], found.end()
        if piece[0] == "\\" and piece != quote:
            yield LexicalToken("escape", found.start(), at)
        elif quote:
            yield LexicalToken("line" if piece == "\n" else "end", found.start(), at)
            quote = ""
        elif piece == "\n":
            yield LexicalToken("line", found.start(), at)
        elif piece in _OPEN:
            yield LexicalToken("open", found.start(), at)
        elif piece in _CLOSE:
            yield LexicalToken("close", found.start(), at)
        elif piece in patterns.ends:
            quote = patterns.ends[piece]
            yield LexicalToken("begin", found.start(), at, quote)
        elif piece.startswith(lexical.line_comments):
            yield LexicalToken("comment", found.start(), at)
            at = text.find("\n", at)
            if at < 0:
                return


def scan(text: str, lexical: Lexical, state: State | None = None) -> Iterator[State]:
    """The state after each character of `text`; a delimiter of several characters takes effect at its first one."""
    begun = state = state or State()
    at = 0
    if state.escaped and text:
        state, at = replace(state, escaped=False), 1
        yield state
    for token in tokens_from(text, lexical, begun):
        for _ in range(at, token.start):
            yield state
        at = token.end
        if token.kind == "escape":
            state = replace(state, escaped=True)
            yield state
            if at > token.start + 1:
                state = replace(state, escaped=False)
                yield state
            continue
        state = _after(state, token, lexical)
        for _ in range(token.start, at):
            yield state
    for _ in range(at, len(text)):
        yield state


def state_after(text: str, lexical: Lexical) -> State:
    """The state behind a text that begins in code, without those in between."""
    state = State()
    for token in tokens(text, lexical):
        if token.kind == "escape":
            state = replace(state, escaped=token.end == token.start + 1)
        else:
            state = _after(state, token, lexical)
    return state


def tokens_from(text: str, lexical: Lexical, state: State) -> Iterator[LexicalToken]:
    """The tokens of a text that goes on in a state."""
    start = int(state.escaped)
    if state.comment:
        start = text.find("\n")
    return tokens(text, lexical, state.quote, start) if start >= 0 else iter(())


def _after(state: State, token: LexicalToken, lexical: Lexical) -> State:
    match token.kind:
        case "open":
            return replace(state, depth=state.depth + 1)
        case "close":
            return replace(state, depth=state.depth - 1)
        case "begin":
            return replace(state, quote=token.quote, in_block=token.quote in lexical.patterns.blocks)
        case "comment":
            return replace(state, comment=True)
        case "line":
            return replace(state, quote="", comment=False)
    return replace(state, quote="", in_block=False)


def unmatched_closers(text: str, lexical: Lexical, state: State) -> int:
    """The number of brackets opened before `text` that it closes."""
    lowest = state.depth
    for after in scan(text, lexical, state):
        lowest = min(lowest, after.depth)
    return state.depth - lowest
