"""The ids of descriptors and refs in a conversation's document: where they are, and what they lead to; links,
definitions and hovers of them.

In: a conversation's document.  Out: ids, and the documents `palimpsest:/fd/…` and `palimpsest:/ref/…` that they lead
to; `turn-12` and `result-12-0` can be read like descriptors.  Knows no database: a link to what is not there opens a
document that says so.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal
from urllib.parse import quote

from lsprotocol import types as lsp

from palimpsest.conversations.refs.tags import LONGEST_ID
from palimpsest.conversations.transcript.writing import PLAIN_ID
from palimpsest.documents.lsp.link_texts import fenced, plain
from palimpsest.documents.markdown import front_matter
from palimpsest.documents.passages import LONGEST_LINE
from palimpsest.errors import PalimpsestError
from palimpsest.lsp import virtual
from palimpsest.lsp.convert import TOP, position_in, range_out
from palimpsest.lsp.server import PalimpsestServer
from palimpsest.text.snapshot import Position, Range, Snapshot

MOST = 2_000
LONGEST_FRONT = 8_000
"""Characters in which the front matter ends."""
_CONVERSATION = re.compile(r"c-[0-9a-f]{8}")
_ID = re.compile(
    rf"`ref:(?P<quoted>[^`\n]{{1,{LONGEST_ID}}})`"
    r"|(?<![\w\-/:])(?:(?P<fd>fd-\d{1,9}|turn-\d{1,15}|result-\d{1,15}-\d{1,6})"
    rf"|ref:(?P<ref>{PLAIN_ID.pattern}))(?![\w\-/])"
)
_TAG = re.compile(r"""<ref\s[^>\n]{0,200}?\bid=(["'])(?P<ref>(?:(?!\1)[^\n]){1,200})\1""")


@dataclass(frozen=True, slots=True)
class IdAt:
    kind: Literal["fd", "ref"]
    id: str
    start: int
    end: int


def conversation_of(snapshot: Snapshot) -> str:
    """The id in the front matter of a conversation's document; "" for any other document."""
    named = front_matter(snapshot.text[:LONGEST_FRONT])[0].get("id", ())
    return next(filter(_CONVERSATION.fullmatch, named), "")


def ids(text: str) -> Iterator[IdAt]:
    for number, found in enumerate(_ID.finditer(text)):
        if number >= MOST:
            return
        if quoted := found.group("quoted"):
            yield IdAt("ref", quoted, found.start() + 1, found.end() - 1)
            continue
        kind: Literal["fd", "ref"] = "fd" if found.group("fd") else "ref"
        yield IdAt(kind, (found.group("fd") or found.group("ref")).rstrip("."), found.start(), found.end())
    for number, tag in enumerate(_TAG.finditer(text)):
        if number >= MOST:
            return
        yield IdAt("ref", tag.group("ref"), tag.start("ref"), tag.end("ref"))


def id_at(snapshot: Snapshot, position: Position) -> IdAt | None:
    start = snapshot.offset(Position(position.line, 0))
    column = snapshot.offset(position) - start
    return next((one for one in ids(snapshot.lines[position.line]) if one.start <= column <= one.end), None)


def uri_of(conversation: str, kind: Literal["fd", "ref"], id: str) -> str:
    return f"palimpsest:/{kind}/{conversation}/{quote(id, safe='')}"


async def document_link(server: PalimpsestServer, params: lsp.DocumentLinkParams) -> list[lsp.DocumentLink]:
    snapshot, encoding = server.window.session.documents.get(params.text_document.uri), server.window.client.encoding
    conversation, found = conversation_of(snapshot), list[lsp.DocumentLink]()
    for one in ids(snapshot.text) if conversation else ():
        where = range_out(snapshot, Range(snapshot.position(one.start), snapshot.position(one.end)), encoding)
        found.append(lsp.DocumentLink(where, uri_of(conversation, one.kind, one.id), one.id))
    return found


async def definition(server: PalimpsestServer, params: lsp.DefinitionParams) -> list[lsp.Location]:
    one, uri = _id_at(server, params)
    return [lsp.Location(uri, TOP)] if one is not None else []


async def hover(server: PalimpsestServer, params: lsp.HoverParams) -> lsp.Hover | None:
    one, uri = _id_at(server, params)
    if one is None:
        return None
    try:
        lines = (await virtual.text_of(server, uri)).split("\n")
    except PalimpsestError:  # there is nothing to be said of it, and nobody asked for an error
        return None
    most = server.window.settings.documents.hover_lines
    shown = fenced("\n".join(line[:LONGEST_LINE] for line in lines[:most]))
    more = f"\n\n{len(lines)} lines" if len(lines) > most else ""
    return lsp.Hover(lsp.MarkupContent(lsp.MarkupKind.Markdown, f"[{plain(one.id)}]({uri})\n\n{shown}{more}"))


def _id_at(server: PalimpsestServer, params: lsp.DefinitionParams | lsp.HoverParams) -> tuple[IdAt | None, str]:
    """The id at a place, and the document that it leads to."""
    snapshot = server.window.session.documents.get(params.text_document.uri)
    conversation = conversation_of(snapshot)
    position = position_in(snapshot, params.position, server.window.client.encoding)
    one = id_at(snapshot, position) if conversation else None
    return one, uri_of(conversation, one.kind, one.id) if one is not None else ""
