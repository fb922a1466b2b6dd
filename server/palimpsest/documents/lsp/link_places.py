"""Where the `[[links]]` of an open document are, and what they mean.

In: a snapshot, the session.  Out: links with their ranges and meanings.  In Markdown all its prose has links, in code
comments and docstrings.  Knows no feature.
"""

import asyncio
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from palimpsest.documents.prose import prose_links
from palimpsest.documents.wikilinks import Found, Link, Resolved, links
from palimpsest.session.session import Session
from palimpsest.syntax.scopes import docstring, scopes
from palimpsest.text.snapshot import Position, Range, Snapshot
from palimpsest.text.uris import to_uri
from palimpsest.window.workspace_documents import LinkPlace

MARKDOWN = frozenset({"markdown", "quarto", "rmd"})
SUFFIXES = (".md", ".markdown")


@dataclass(frozen=True, slots=True)
class LinkAt:
    link: Link
    where: Range
    meaning: Resolved
    place: LinkPlace


def is_markdown(snapshot: Snapshot) -> bool:
    return snapshot.language_id in MARKDOWN or snapshot.uri.lower().endswith(SUFFIXES)


async def links_of(session: Session, snapshot: Snapshot) -> list[Link]:
    """In the order of the text."""
    if "[[" not in snapshot.text:
        return []
    if is_markdown(snapshot):
        return await asyncio.to_thread(prose_links, snapshot.text)
    found = dict[int, Link]()
    for start, end in _prose(session, snapshot):
        for link in links(snapshot.text[start:end]):
            found[start + link.start] = replace(link, start=start + link.start, end=start + link.end)
    return [link for _, link in sorted(found.items())]


async def meant(session: Session, snapshot: Snapshot, found: Iterable[Link]) -> list[LinkAt]:
    """Empty for a document that is in no folder of the workspace."""
    place = session.workspace_documents.place(snapshot.uri)
    every = list(found)
    if place is None or not every:
        return []
    meanings = await session.workspace_documents.meant(place, every, snapshot.text if is_markdown(snapshot) else "")
    return [
        LinkAt(link, Range(snapshot.position(link.start), snapshot.position(link.end)), meaning, place)
        for link, meaning in zip(every, meanings, strict=True)
    ]


async def link_at(session: Session, snapshot: Snapshot, position: Position) -> Link | None:
    offset = snapshot.offset(position)
    every = await links_of(session, snapshot)
    return next((link for link in every if link.start <= offset <= link.end), None)


def is_prose(session: Session, snapshot: Snapshot, offset: int) -> bool:
    """Whether a link may be written there."""
    return is_markdown(snapshot) or any(start < offset <= end for start, end in _prose(session, snapshot))


def opened_by(snapshot: Snapshot, one: LinkAt, meaning: Found) -> str:
    """The document that a link leads to."""
    return to_uri(one.place.root / meaning.document.path) if one.link.target else snapshot.uri


def target_of(snapshot: Snapshot, one: LinkAt, meaning: Found) -> str:
    """The address of what is meant; the lines of a section as its fragment, which editors select."""
    address = opened_by(snapshot, one, meaning)
    heading = meaning.heading
    return f"{address}#L{heading.start + 1},1-L{max(heading.start + 1, heading.end)},1" if heading else address


def _prose(session: Session, snapshot: Snapshot) -> Iterator[tuple[int, int]]:
    """Where comments and docstrings with brackets in them are."""
    parsed = session.services.parser.hurried(snapshot)
    text = parsed.snapshot.text
    for node in parsed.captures("comments", 0, parsed.snapshot.line_count).get("comment", ()):
        first = parsed.snapshot.at_point(node.start_point.row, node.start_point.column)
        last = parsed.snapshot.at_point(node.end_point.row, node.end_point.column)
        yield parsed.snapshot.offset(first), parsed.snapshot.offset(last)
    for scope in scopes(parsed):
        told = docstring(parsed, scope) or ""
        if "[[" in told:
            at = parsed.snapshot.offset(Position(scope.start_line, 0))
            for line in told.split("\n"):
                if "[[" in line and (begin := text.find(line.strip(), at)) >= 0:
                    yield begin, begin + len(line.strip())
                    at = begin + len(line.strip())
