"""Pure: what `<ref>` tags of a reply mark, and the reply without them (docs/formats.md, "Refs").

In: a reply, whole or in pieces.  Out: the parts that have an id, the text that a person sees, what is wrong.  Knows no
conversation.  The newline after an opening tag and the one before a closing tag belong to the tags; they are shown only
where another line would otherwise be joined to the content.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from palimpsest.conversations.refs.scanner import LONGEST_ID, Closed, Event, OpenedTag, Scanner, Text

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


def _problems(reply: str, scanner: Scanner, unclosed: "list[_Open]") -> list[str]:
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
    content: "_Display" = field(default_factory=lambda: _Display())


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
