"""Completion of `[[`: paths, titles, aliases and headings; behind `#`, the headings of the document named before it.

In: a place behind `[[`.  Out: items whose text replaces what is typed of the link.  Which documents there are is
known in `documents/catalog.py`.
"""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from lsprotocol import types as lsp

from palimpsest.documents.lsp.link_places import is_prose
from palimpsest.documents.outline import outline
from palimpsest.documents.wikilinks import LONGEST, SUFFIXES, DocumentNames, Found, Link, links, resolve
from palimpsest.errors import PalimpsestError
from palimpsest.lsp.convert import position_in, position_out
from palimpsest.lsp.server import PalimpsestServer
from palimpsest.text.snapshot import Position, Snapshot

MOST_ITEMS = 200


@dataclass(frozen=True, slots=True)
class Begun:
    """A link that is being written: `typed` since its brackets, from `start` to `end`; `is_closed` where the closing
    brackets are there."""

    typed: str
    start: Position
    end: Position
    is_closed: bool


@dataclass(frozen=True, slots=True, order=True)
class LinkOffer:
    text: str
    detail: str
    kind: lsp.CompletionItemKind = field(compare=False)


def register(server: PalimpsestServer) -> None:
    window = server.window

    @server.feature(lsp.TEXT_DOCUMENT_COMPLETION)
    async def completion(params: lsp.CompletionParams) -> lsp.CompletionList:
        session, nothing = window.session, lsp.CompletionList(is_incomplete=False, items=[])
        snapshot = session.documents.find(params.text_document.uri)
        if snapshot is None or not window.settings.documents.links:
            return nothing
        begun = begun_at(snapshot, position_in(snapshot, params.position, window.client.encoding))
        place = session.workspace_documents.place(snapshot.uri)
        if begun is None or place is None or not is_prose(session, snapshot, snapshot.offset(begun.start)):
            return nothing
        try:
            names = await session.workspace_documents.names(place.root)
        except PalimpsestError:
            return nothing
        found = await asyncio.to_thread(lambda: list(offers(begun.typed, place.near, names, snapshot.text)))
        items = [_item(server, snapshot, begun, offer, n) for n, offer in enumerate(found[:MOST_ITEMS])]
        return lsp.CompletionList(is_incomplete=len(found) > MOST_ITEMS, items=items)


def begun_at(snapshot: Snapshot, position: Position) -> Begun | None:
    line = snapshot.lines[position.line]
    before, behind = line[: position.column], line[position.column :]
    at = before.rfind("[[")
    typed = before[at + 2 :]
    if at < 0 or any(mark in typed for mark in "[]|") or len(typed) > LONGEST:
        return None
    end = behind.find("]]")
    rest = behind[:end] if end >= 0 else ""
    is_closed = end >= 0 and not any(mark in rest for mark in "[]|#") and len(rest.split()) <= 1
    column = position.column + (end if is_closed else 0)
    return Begun(typed, Position(position.line, at + 2), Position(position.line, column), is_closed)


def offers(typed: str, near: str, names: DocumentNames, text: str) -> Iterator[LinkOffer]:
    """What may be meant, the best first, each name once.  A name that would mean something else is not offered."""
    target, mark, heading = typed.partition("#")
    headings = list(_headings(target.strip(), heading, near, names, text)) if mark else []
    if headings:
        yield from headings
        return
    wanted, seen = typed.strip().casefold(), set[str]()
    every = sorted(_names(wanted, near, names), key=lambda offer: (not offer.text.casefold().startswith(wanted), offer))
    for offer in every:
        if offer.text not in seen:
            seen.add(offer.text)
            yield offer


def _names(wanted: str, near: str, names: DocumentNames) -> Iterator[LinkOffer]:
    """Headings only for somebody who has begun to write one: there are many."""
    for path, document in names.by_path.items():
        if path == near:
            continue
        suffix, known = PurePosixPath(path).suffix, document.outline
        name = path.removesuffix(suffix) if suffix in SUFFIXES else path
        if wanted in name.casefold():
            yield LinkOffer(name, path, lsp.CompletionItemKind.File)
        for name in (known.title, *known.aliases):
            if wanted in name.casefold() and _may_stand(name, near, names, path):
                yield LinkOffer(name, path, lsp.CompletionItemKind.Reference)
        for heading in known.headings if wanted else ():
            name = heading.title
            if wanted in name.casefold() and name != known.title and _may_stand(name, near, names, path):
                yield LinkOffer(name, f"{path}#{name}", lsp.CompletionItemKind.Text)


def _may_stand(name: str, near: str, names: DocumentNames, path: str) -> bool:
    """Whether a link with this name leads there."""
    link = next(links(f"[[{name}]]"), None)
    if link is None or link.name != name.strip():
        return False
    meaning = resolve(link, near, names)
    return isinstance(meaning, Found) and meaning.document.path == path


def _headings(target: str, typed: str, near: str, names: DocumentNames, text: str) -> Iterator[LinkOffer]:
    meaning = resolve(Link(target), near, names) if target else None
    if meaning is not None and not isinstance(meaning, Found):
        return
    known = meaning.document.outline if meaning is not None else outline(text, near)
    where = meaning.document.path if meaning is not None else "here"
    for heading in known.headings:
        if typed.strip().casefold() in heading.title.casefold() and not set("[]|") & set(heading.title):
            yield LinkOffer(f"{target}#{heading.title}", where, lsp.CompletionItemKind.Text)


def _item(
    server: PalimpsestServer, snapshot: Snapshot, begun: Begun, offer: LinkOffer, number: int
) -> lsp.CompletionItem:
    encoding = server.window.client.encoding
    where = lsp.Range(position_out(snapshot, begun.start, encoding), position_out(snapshot, begun.end, encoding))
    return lsp.CompletionItem(
        label=offer.text,
        kind=offer.kind,
        detail=offer.detail,
        filter_text=offer.text,
        sort_text=f"{number:05}",
        text_edit=lsp.TextEdit(where, offer.text if begun.is_closed else f"{offer.text}]]"),
    )
