"""A person's long message: what stands in its place, with the long parts as descriptors.

In: a message.  Out: what the model reads of it.  Of a message with code fences, only the long fences become
descriptors, so that what is asked about them stays; a message that is still too long becomes one as a whole.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from palimpsest.memory.descriptors import results
from palimpsest.memory.descriptors.descriptors import Descriptors
from palimpsest.memory.refs.fences import Fence, fences

PREVIEW = re.compile(r"  <preview>\n(.*?)  </preview>\n", re.DOTALL)
MOST_BEGINNING = 600
"""Characters of a preview in a request that is told again behind a summary."""


@dataclass(frozen=True, slots=True)
class Incoming:
    """`shown` stands in the message's place; `fds` are the descriptors in it, in order."""

    shown: str
    fds: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Paging:
    """A message of more than `limit` characters is paged."""

    limit: int
    page_size: int
    pretty: bool


def paged(descriptors: Descriptors, conversation_id: str, text: str, paging: Paging) -> Incoming | None:
    """None for a message that is short enough."""
    if len(text) <= paging.limit:
        return None
    large = [one for one in fences(text) if one.content_end - one.content_start > paging.page_size]
    rest = len(text) - sum(one.content_end - one.content_start for one in large) + len(large) * paging.page_size
    if not large or rest > paging.limit:
        fd, shown = _made(descriptors, conversation_id, text, "", paging)
        return Incoming(shown, (fd,))
    pieces, fds, at = list[str](), list[str](), 0
    for fence in large:
        fd, shown = _made(descriptors, conversation_id, *_inner(text, fence), paging)
        pieces += [text[at : fence.start], shown]
        fds.append(fd)
        at = fence.end
    return Incoming("".join([*pieces, text[at:]]), tuple(fds))


def shortened(shown: str) -> str:
    """What stands in a long message's place, its previews cut to their beginnings: the descriptors have all of it."""
    return PREVIEW.sub(_beginning, shown)


def _beginning(found: re.Match[str]) -> str:
    text = found[1]
    if len(text) <= MOST_BEGINNING:
        return found[0]
    return f"  <preview>\n{text[:MOST_BEGINNING]} …\n  </preview>\n"


def _inner(text: str, fence: Fence) -> tuple[str, str]:
    return text[fence.content_start : fence.content_end], fence.language


def _made(descriptors: Descriptors, conversation_id: str, text: str, language: str, paging: Paging) -> tuple[str, str]:
    made = descriptors.create(
        conversation_id, text, results.FROM_USER, language=language, page_size=paging.page_size, pretty=paging.pretty
    )
    return made.id, results.created(made, descriptors.read(conversation_id, made.id))[1]
