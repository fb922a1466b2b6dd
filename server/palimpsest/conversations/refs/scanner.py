"""Pure: a reply with `<ref>` tags as events, also while it comes in pieces (docs/formats.md, "Refs").

In: pieces of a reply, of any size.  Out: text, opening tags and closing tags, in order, the same however the reply is
cut into pieces.  Holds back at most one tag's length.  Knows nothing of what is done with the content.

Reading is lenient: single quotes, no quotes, attributes in any order, commas between them.  A tag without an id, a
closing tag with nothing open, one right behind a backtick with nothing open (somebody writes about tags), and a tag
inside more than `DEEPEST` others are text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal
from xml.sax.saxutils import unescape

DEEPEST = 32
LONGEST_TAG = 2_000
LONGEST_ID = 200

_NAME = r"[A-Za-z_][\w.:-]*+"
_VALUE = r"""(?:"[^"<]*+"|'[^'<]*+'|[^\s"'<>,=]++)"""
_ATTRIBUTE = re.compile(rf"({_NAME})\s*+=\s*+({_VALUE})")
_OPEN = re.compile(rf"<ref(?>(?:[\s,]++{_NAME}\s*+=\s*+{_VALUE})*)[\s,]*+>(\r?\n)?")
_HALF_VALUE = r"""(?:"[^"<]*+|'[^'<]*+|[^\s"'<>,=]*+)"""
_OPEN_BEGUN = re.compile(
    rf"<(?:r(?:e(?:f(?>(?:[\s,]++{_NAME}\s*+=\s*+{_VALUE})*)(?:[\s,]++(?:{_NAME}\s*+(?:=\s*+{_HALF_VALUE})?)?)?)?)?)?"
)
_CLOSE = re.compile(r"(\r?\n)?</ref\s*+>")
_CLOSE_BEGUN = re.compile(r"(?:\r?\n?|\r?\n<|<|(?:\r?\n)?</(?:r(?:e(?:f\s*+)?)?)?)")
_ESCAPED = re.compile(r"&(?>(?:amp;)*)lt;/ref")
_ESCAPED_BEGUN = re.compile(r"&(?>(?:amp;)*)(?:a(?:m(?:p)?)?|l(?:t(?:;(?:/(?:r(?:e)?)?)?)?)?)?")
_OUTSIDE = re.compile("<")
_INSIDE = re.compile(r"[<&\r\n]")


@dataclass(frozen=True, slots=True)
class Text:
    text: str


@dataclass(frozen=True, slots=True)
class OpenedTag:
    """`start` is the tag's place in the reply; `newline` is the one after it, or empty."""

    id: str
    attributes: dict[str, str]
    newline: str
    start: int


@dataclass(frozen=True, slots=True)
class Closed:
    """`end` is behind the tag in the reply; `newline` is the one before it, or empty."""

    newline: str
    end: int


Event = Text | OpenedTag | Closed


@dataclass
class Scanner:
    depth: int = 0
    _held: str = ""
    _offset: int = 0
    _before: str = ""
    left_as_text: list[int] = field(default_factory=list)
    """Where tags are that have attributes but no usable id, or are too deep."""

    def feed(self, piece: str) -> list[Event]:
        return self._read(piece, is_last=False)

    def finish(self) -> list[Event]:
        return self._read("", is_last=True)

    def _read(self, piece: str, *, is_last: bool) -> list[Event]:
        text = self._held + piece
        events = list[Event]()
        plain = at = 0
        while (mark := (_INSIDE if self.depth else _OUTSIDE).search(text, at)) is not None:
            at = mark.start()
            token = self._token(text, at, is_last=is_last)
            if token is None:
                break
            event, length = token
            if event is not None:
                events += _text(text[plain:at])
                events.append(event)
                plain = at + length
            at += length
        else:
            at = len(text)
        events += _text(text[plain:at])
        self._before = text[at - 1] if at else self._before
        self._held, self._offset = text[at:], self._offset + at
        return events

    def _token(self, text: str, at: int, *, is_last: bool) -> tuple[Event | None, int] | None:
        """The event at a place and its length, (None, length) for text; None if more must be read to know."""
        end = min(len(text), at + LONGEST_TAG)
        may_wait = not is_last and end - at < LONGEST_TAG
        for read in (self._closed, self._opened, self._escaped):
            answer = read(text, at, end, may_wait)
            if answer is not None:
                return None if answer == "wait" else answer
        return None, 1

    def _closed(self, text: str, at: int, end: int, may_wait: bool) -> _Answer:
        if not self.depth:
            return None
        if (tag := _CLOSE.match(text, at, end)) is not None:
            self.depth -= 1
            return Closed(tag[1] or "", self._offset + tag.end()), len(tag[0])
        return "wait" if may_wait and _CLOSE_BEGUN.fullmatch(text, at, end) else None

    def _opened(self, text: str, at: int, end: int, may_wait: bool) -> _Answer:
        if text[at] != "<" or (not self.depth and (text[at - 1] if at else self._before) == "`"):
            return None
        if (tag := _OPEN.match(text, at, end)) is None:
            return "wait" if may_wait and _OPEN_BEGUN.fullmatch(text, at, end) else None
        if may_wait and not tag[1] and text[tag.end() : end] in ("", "\r"):
            return "wait"
        attributes = _attributes(tag[0])
        id = attributes.pop("id", "")
        if not is_id(id) or self.depth >= DEEPEST:
            if attributes or id:
                self.left_as_text.append(self._offset + at)
            return None, len(tag[0]) - len(tag[1] or "")
        self.depth += 1
        return OpenedTag(id, attributes, tag[1] or "", self._offset + at), len(tag[0])

    def _escaped(self, text: str, at: int, end: int, may_wait: bool) -> _Answer:
        if not self.depth or text[at] != "&":
            return None
        if (match := _ESCAPED.match(text, at, end)) is not None:
            written = match[0]
            meant = "<" + written[4:] if written.startswith("&lt;") else "&" + written[5:]
            return Text(meant), len(written)
        return "wait" if may_wait and _ESCAPED_BEGUN.fullmatch(text, at, end) else None


_Answer = tuple[Event | None, int] | Literal["wait"] | None


def is_id(text: str) -> bool:
    """Whether a ref may have this id."""
    return bool(text) and len(text) <= LONGEST_ID and text.isprintable() and text == text.strip()


def _text(text: str) -> Iterator[Event]:
    if text:
        yield Text(text)


def _attributes(tag: str) -> dict[str, str]:
    attributes = dict[str, str]()
    for name, value in _ATTRIBUTE.findall(tag):
        bare = value[1:-1] if value[0] in "\"'" else value
        attributes.setdefault(name.lower(), unescape(bare, {"&quot;": '"', "&apos;": "'"}))
    return attributes
