"""Long messages: what stands in their place, with the long parts as descriptors.

In: a message, and what comes with it: selections, files, what a terminal said.  Out: what the model reads of it.  Each
part above its threshold becomes a descriptor, and so do the long code fences of a message that is too long, so that
what is asked about them stays; a message that is still too long becomes one as a whole.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from palimpsest.conversations.descriptors import results
from palimpsest.conversations.descriptors.descriptors import Descriptors
from palimpsest.documents.markdown import fence_mark, fences
from palimpsest.text.tokens import masked_block

PREVIEW = re.compile(r"  <preview>\n(.*?)  </preview>\n", re.DOTALL)
MOST_BEGINNING = 600
"""Characters of a preview in a request that is told again behind a summary."""


@dataclass(frozen=True, slots=True)
class MessagePart:
    """Something that comes with a message.  `source`: `terminal`, `file:shop/cart.py`, `selection:shop/cart.py`."""

    text: str
    source: str
    language: str = ""


@dataclass(frozen=True, slots=True)
class Incoming:
    """`shown` stands in the message's place; `fds` are the descriptors in it, in order."""

    shown: str
    fds: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Paging:
    """A message of more than `limit` characters is paged, None: none is; a part of more than `part_limit` is."""

    limit: int | None
    page_size: int
    pretty: bool
    part_limit: int = 8_000


def written(text: str, parts: Sequence[MessagePart]) -> str:
    """A message with its parts behind it, whole."""
    return _joined(text, [_write_part(part) for part in parts])


def paged(
    descriptors: Descriptors, conversation_id: str, text: str, paging: Paging, parts: Sequence[MessagePart] = ()
) -> Incoming | None:
    """The message with its long parts as descriptors; None where all is short enough."""
    bound = paging.part_limit
    if paging.limit is not None and len(text) + _within(parts, bound) > paging.limit:
        bound = min(bound, paging.page_size)
        if _within(parts, bound) > paging.limit:  # many short ones
            return _of_text(descriptors, conversation_id, written(text, parts), paging, paging.limit)
    pieces, fds = list[str](), list[str]()
    for part in parts:
        if len(part.text) <= bound:
            pieces.append(_write_part(part))
            continue
        fd, preview = _made(descriptors, conversation_id, part, paging)
        pieces.append(f"{_title(part.source)}\n\n{preview}")
        fds.append(fd)
    if paging.limit is not None and len(text) > paging.limit:
        own = _of_text(descriptors, conversation_id, text, paging, paging.limit)
        text, fds = own.shown, [*own.fds, *fds]
    return Incoming(_joined(text, pieces), tuple(fds)) if fds else None


def stored(descriptors: Descriptors, conversation_id: str, part: MessagePart, paging: Paging) -> Incoming | None:
    """What a tool or a terminal said: None where it is short enough."""
    if len(part.text) <= paging.part_limit:
        return None
    fd, preview = _made(descriptors, conversation_id, part, paging)
    return Incoming(preview, (fd,))


def _within(parts: Sequence[MessagePart], bound: int) -> int:
    """Characters of those that are not longer."""
    return sum(len(part.text) for part in parts if len(part.text) <= bound)


def _joined(text: str, pieces: Sequence[str]) -> str:
    return "\n\n".join(piece for piece in (text, *pieces) if piece.strip()) if pieces else text


def _of_text(descriptors: Descriptors, conversation_id: str, text: str, paging: Paging, limit: int) -> Incoming:
    large = [one for one in fences(text) if one.is_closed and len(one.content) > paging.page_size]
    rest = len(text) - sum(len(one.content) for one in large) + len(large) * paging.page_size
    if not large or rest > limit:
        fd, preview = _made(descriptors, conversation_id, MessagePart(text, results.FROM_USER), paging)
        return Incoming(preview, (fd,))
    pieces, fds, at = list[str](), list[str](), 0
    for fence in large:
        fd, preview = _made(
            descriptors, conversation_id, MessagePart(fence.content, results.FROM_USER, fence.language), paging
        )
        pieces += [text[at : fence.start], preview]
        fds.append(fd)
        at = fence.end
    return Incoming("".join([*pieces, text[at:]]), tuple(fds))


def shortened(message: str, page_size: int) -> str:
    """What stands in a long message's place, its previews cut to their beginnings: the descriptors have all of it."""
    most = min(MOST_BEGINNING, page_size // 8)

    def beginning(match: re.Match[str]) -> str:
        text = match[1]
        return match[0] if len(text) <= most else f"  <preview>\n{text[:most]} …\n  </preview>\n"

    return PREVIEW.sub(beginning, message)


def _made(descriptors: Descriptors, conversation_id: str, part: MessagePart, paging: Paging) -> tuple[str, str]:
    made = descriptors.create(
        conversation_id, part.text, part.source, language=part.language, page_size=paging.page_size,
        pretty=paging.pretty,
    )  # fmt: skip
    return made.id, results.created(made, descriptors.read(conversation_id, made.id), paging.part_limit).xml


def _write_part(part: MessagePart) -> str:
    text = masked_block(part.text)  # which nobody has typed here
    fence, end = fence_mark(text), "" if text.endswith("\n") else "\n"
    return f"{_title(part.source)}\n\n{fence}{part.language}\n{text}{end}{fence}"


def _title(source: str) -> str:
    kind, _, name = source.partition(":")
    words = {"file": "The file", "selection": "Selected in", "terminal": "In the terminal", "tool": "Output of"}
    line = " ".join(name.split()).replace("`", "")
    return f"{words.get(kind, 'Besides')}{f' `{line}`' if line else ''}:"
