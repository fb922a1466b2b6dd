"""What comes with a message, and what a descriptor is made of: texts, parts of documents, whole files.

In: a URI with a range, or a text.  Out: texts with what they are (`terminal`, `file:shop/cart.py`).  Of a document that
is not open its file is read, as far as a model may see it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from palimpsest.conversations.descriptors.incoming import MessagePart
from palimpsest.errors import InvalidArgument, PalimpsestError
from palimpsest.languages.registry import language_of
from palimpsest.lsp.arguments import Between
from palimpsest.lsp.convert import position_in
from palimpsest.lsp.server import PalimpsestServer
from palimpsest.system.reading import Refused
from palimpsest.text.snapshot import Snapshot
from palimpsest.text.uris import path_or_none
from palimpsest.workspace.files import MAX_BYTES, WorkspaceFiles
from palimpsest.workspace.large_files import pieces

MOST_PARTS = 50


@dataclass(frozen=True, slots=True)
class PartOf:
    """`content`, or the document `uri` with `range`, or all of it.  `name` says what it is, such as a command."""

    kind: Literal["text", "selection", "terminal", "file", "tool"] = "text"
    content: str = ""
    uri: str = ""
    range: Between | None = None
    name: str = ""
    language: str = ""


async def parts_of(server: PalimpsestServer, given: Sequence[PartOf]) -> list[MessagePart]:
    """Raises InvalidArgument."""
    if len(given) > MOST_PARTS:
        raise InvalidArgument("parts", f"{MOST_PARTS} are taken at most, not {len(given)}.")
    return [await _part(server, number, one) for number, one in enumerate(given)]


async def _part(server: PalimpsestServer, number: int, one: PartOf) -> MessagePart:
    if one.uri:
        found, source, language = await text_at(server, one.uri, one.range)
        return MessagePart(found if isinstance(found, str) else "".join(found), source, one.language or language)
    if not one.content:
        raise InvalidArgument(f"parts[{number}].content", "is missing; give a text, or the uri of a document.")
    return MessagePart(one.content, f"{one.kind}:{one.name}" if one.name else one.kind, one.language)


async def text_at(
    server: PalimpsestServer, uri: str, range: Between | None = None
) -> tuple[str | Iterable[str], str, str]:
    """(Text, source, language) of a document or a part of it.  A large file's text comes in pieces; reading them raises
    InvalidArgument where it cannot go on."""
    session = server.window.session
    snapshot = session.documents.find(uri)
    if snapshot is None:
        found = await asyncio.to_thread(_on_disk, server, uri)
        if not isinstance(found, Snapshot):
            if range is not None:
                raise InvalidArgument("range", f"{uri} is too large for a part of it; open it, or take all of it.")
            return found, f"file:{_shown(server, uri)}", ""
        snapshot = found
    else:
        session.services.privacy.check(snapshot)
    language = language_of(snapshot.language_id, str(path_or_none(snapshot.uri) or "")).id
    if range is None:
        return snapshot.text, f"file:{_shown(server, uri)}", language
    encoding = server.window.client.encoding
    start, end = (position_in(snapshot, at.lsp, encoding) for at in (range.start, range.end))
    text = snapshot.text[snapshot.offset(start) : snapshot.offset(end)]
    return text, f"selection:{_shown(server, uri)}", language


def _on_disk(server: PalimpsestServer, uri: str) -> Snapshot | Iterable[str]:
    path, session = path_or_none(uri), server.window.session
    if path is None:
        raise InvalidArgument("uri", f"{uri[:200]} is neither open nor a file.")
    files = WorkspaceFiles(
        session.services.roots.folders, session.services.settings.context.exclude, session.documents.find
    )
    if (found := files.source(path)) is not None:
        return Snapshot(uri, 0, "", found.text)
    try:
        is_large = files.kept_out(path) is None and path.is_file() and path.stat().st_size > MAX_BYTES
    except (OSError, ValueError):
        is_large = False
    if not is_large:
        raise InvalidArgument("uri", f"{uri[:200]} {files.why_not(path) or 'cannot be read'}.")
    return _large(uri, path, files)


def _large(uri: str, path: Path, files: WorkspaceFiles) -> Iterable[str]:
    try:
        yield from pieces(path, files)
    except Refused as error:
        raise InvalidArgument("uri", f"{uri[:200]} {error}.") from None
    except OSError as error:
        raise PalimpsestError(f"{uri[:200]} cannot be read: {error.strerror or error}.") from error


def _shown(server: PalimpsestServer, uri: str) -> str:
    return server.window.session.services.roots.locate(uri)[1]
