"""Pure: what `<ref>` tags of a reply mark, and the reply without them (docs/formats.md, "Refs").

In: a reply, whole or in pieces.  Out: the parts that have an id, the text that a person sees, what is wrong.  Knows no
conversation.  The newline after an opening tag and the one before a closing tag belong to the tags; they are shown only
where another line would otherwise be joined to the content.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal
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
    """A reply as events: text, opening tags and closing tags, in order, the same however the reply is cut into pieces.
    Holds back at most one tag's length.

    Reading is lenient: single quotes, no quotes, attributes in any order, commas between them.  A tag without an id, a
    closing tag with nothing open, one right behind a backtick with nothing open (somebody writes about tags), and a tag
    inside more than `DEEPEST` others are text."""

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


PROBLEMS = "problems"
UNSEARCHED = "unsearched"
"""A turn's details say under this name that refs were off when it was made, so that its tags are text."""
MOST_PROBLEMS = 10
"""Tags of a reply that are reported as left in its text."""


@dataclass(frozen=True, slots=True)
class TaggedRef:
    """`start` and `end` are the content's place in what is shown (characters, half-open)."""

    id: str
    content: str
    attributes: dict[str, str] = field(default_factory=dict)
    start: int = 0
    end: int = 0


@dataclass(frozen=True, slots=True)
class Extracted:
    """`refs` in the order of their closing tags: an inner one comes before the outer one.  `problems` are sentences for
    the model and the person, which a turn keeps as `PROBLEMS`.  `regions` are the outermost tags with their content in
    the reply, half-open; one that is not closed goes to the end."""

    refs: tuple[TaggedRef, ...]
    shown: str
    problems: tuple[str, ...] = ()
    regions: tuple[tuple[int, int], ...] = ()


class ShownReply:
    """The reply as it is shown, while it comes: the pieces that `feed` and `finish` return, joined, are the same
    however the reply is cut."""

    def __init__(self, *, searches: bool = True) -> None:
        self._searches = searches
        self._scanner = Scanner()
        self._display = _Display()

    def feed(self, piece: str) -> str:
        return self._add(self._scanner.feed(piece)) if self._searches else piece

    def finish(self) -> str:
        return self._add(self._scanner.finish()) if self._searches else ""

    def _add(self, events: list[Event]) -> str:
        for event in events:
            self._display.add(event)
        return self._display.taken()


def extracted(reply: str, details: Mapping[str, Any]) -> Extracted:
    """What the tags in the reply of a turn with these details mark."""
    return Extracted((), reply) if details.get(UNSEARCHED) else extract(reply)


def extract(reply: str) -> Extracted:
    scanner, display = Scanner(), _Display()
    refs, regions = list[TaggedRef](), list[tuple[int, int]]()
    open_ = list[_Open]()
    for event in [*scanner.feed(reply), *scanner.finish()]:
        if isinstance(event, Closed):
            ended = open_.pop()
            content = ended.content.taken()
            refs.append(TaggedRef(ended.tag.id, content, ended.tag.attributes, ended.start, display.length))
            if not open_:
                regions.append((ended.tag.start, event.end))
        display.add(event)
        for one in open_:
            one.content.add(event)
        if isinstance(event, OpenedTag):
            open_.append(_Open(event, display.length))
    if open_:
        regions.append((open_[0].tag.start, len(reply)))
    return Extracted(tuple(refs), display.taken(), tuple(_problems(reply, scanner, open_)), tuple(regions))


def _problems(reply: str, scanner: Scanner, unclosed: list[_Open]) -> list[str]:
    unclosed_tags = [
        f'Line {_line(reply, one.tag.start)}: `<ref id="{one.tag.id}">` is not closed, so it was not kept; '
        "write `</ref>` behind its content."
        for one in unclosed
    ]
    return unclosed_tags + [
        f"Line {_line(reply, at)}: this `<ref>` was left as text: it needs an id of 1 to {LONGEST_ID} characters, "
        "and refs may be nested only so deep."
        for at in scanner.left_as_text[:MOST_PROBLEMS]
    ]


def _line(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1


@dataclass(slots=True)
class _Open:
    tag: OpenedTag
    start: int
    content: _Display = field(default_factory=lambda: _Display())


class _Display:
    """Text without tags, and with those newlines of tags that keep lines apart."""

    def __init__(self) -> None:
        self.length = 0
        self._pieces = list[str]()
        self._at_line_start = True
        self._newline = ""

    def add(self, event: Event) -> None:
        match event:
            case Text(text):
                if not text.startswith(("\n", "\r")):
                    self._put(self._newline)
                self._newline = ""
                self._put(text)
            case OpenedTag(newline=newline):
                self._put(self._newline)
                self._newline = ""
                if not self._at_line_start:
                    self._put(newline)
            case Closed(newline=newline):
                self._newline = newline or self._newline

    def _put(self, text: str) -> None:
        if not text:
            return
        self._pieces.append(text)
        self.length += len(text)
        last_line = text[text.rfind("\n") + 1 :]
        self._at_line_start = not last_line.strip() and ("\n" in text or self._at_line_start)

    def taken(self) -> str:
        """What was added since this was last called."""
        text = "".join(self._pieces)
        self._pieces.clear()
        return text
