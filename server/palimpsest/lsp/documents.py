"""Text synchronisation, and where the cursor is.  Handlers are synchronous and tiny.

In: didOpen, didChange, didSave, didClose, `palimpsest/cursor`.  Out: snapshots for the session.
"""

import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from lsprotocol import types as lsp

from palimpsest.lsp.arguments import At, Uri, read, refusals_logged
from palimpsest.lsp.convert import apply_changes, position_in
from palimpsest.lsp.protocol import UNVERSIONED
from palimpsest.lsp.server import PalimpsestServer
from palimpsest.lsp.tolerance import UNREADABLE
from palimpsest.text.documents import LOST
from palimpsest.text.positions import joined
from palimpsest.text.snapshot import Snapshot
from palimpsest.window.events import (
    CursorMoved,
    DocumentChanged,
    DocumentClosed,
    DocumentOpened,
    DocumentSaved,
    FilesChanged,
)

logger = logging.getLogger(__name__)


CURSOR = "palimpsest/cursor"


@dataclass(frozen=True, slots=True)
class CursorParams:
    textDocument: Uri
    position: At


def numbered(version: int, before: int = -1) -> int:
    """A version of a document, the next one where the client counts none."""
    return before + 1 if version == UNVERSIONED else version


def change(
    server: PalimpsestServer,
    document: lsp.VersionedTextDocumentIdentifier,
    changes: Sequence[lsp.TextDocumentContentChangeEvent],
) -> None:
    """What cannot be read loses the document, until it comes as a whole; what is in the way before that counts no
    more."""
    window, uri = server.window, document.uri
    documents, events = window.session.documents, window.session.events
    old, lost = documents.find(uri), documents.lost(uri)
    if (known := old or lost) is None:
        logger.warning("a change of %s, which is not open", uri)
        return
    whole = [at for at, one in enumerate(changes) if isinstance(one, lsp.TextDocumentContentChangeWholeDocument)]
    changes = changes[whole[-1] :] if whole else changes
    if UNREADABLE in changes or (lost is not None and not whole):
        if lost is None:
            events.emit(DocumentClosed(uri, lost=True))
            window.report.warn(f"{uri.rpartition('/')[2]} {LOST}: until then nothing is offered in it.")
        return
    if old is None:
        new, _ = apply_changes(known, numbered(document.version, known.version), changes, window.client.encoding)
        events.emit(DocumentOpened(new, server.protocol.spellings.written(uri)))
        return
    new, edits = apply_changes(old, numbered(document.version, old.version), changes, window.client.encoding)
    events.emit(DocumentChanged(old, new, edits))


def register(server: PalimpsestServer) -> None:
    window = server.window

    def opened(items: Iterable[lsp.TextDocumentItem]) -> None:
        for item in items:
            snapshot = Snapshot(item.uri, numbered(item.version), item.language_id, joined(item.text))
            window.session.events.emit(DocumentOpened(snapshot, server.protocol.spellings.written(item.uri)))

    @server.feature(lsp.TEXT_DOCUMENT_DID_OPEN)
    def did_open(params: lsp.DidOpenTextDocumentParams) -> None:
        opened([params.text_document])

    @server.feature(lsp.TEXT_DOCUMENT_DID_CHANGE)
    def did_change(params: lsp.DidChangeTextDocumentParams) -> None:
        change(server, params.text_document, params.content_changes)

    @server.feature(lsp.TEXT_DOCUMENT_DID_SAVE)
    def did_save(params: lsp.DidSaveTextDocumentParams) -> None:
        window.session.events.emit(DocumentSaved(params.text_document.uri))
        window.session.events.emit(FilesChanged([params.text_document.uri]))

    @server.feature(lsp.TEXT_DOCUMENT_DID_CLOSE)
    def did_close(params: lsp.DidCloseTextDocumentParams) -> None:
        window.session.events.emit(DocumentClosed(params.text_document.uri))

    @server.feature(CURSOR)
    async def cursor(params: Any) -> None:
        with refusals_logged(CURSOR):
            there = read(CURSOR, CursorParams, params)
            if window.session.documents.lost(there.textDocument.uri) is not None:
                window.session.cursor.lost(there.textDocument.uri)
                return
            snapshot = window.session.documents.get(there.textDocument.uri)
            position = position_in(snapshot, there.position.lsp, window.client.encoding)
            window.session.events.emit(CursorMoved(snapshot.uri, position, said=True))

    # Notebooks: their cells are documents, and have an order.  An editor that does not speak of notebooks opens cells
    # as plain documents, which then do not know one another.
    @server.feature(lsp.NOTEBOOK_DOCUMENT_DID_OPEN)
    def notebook_did_open(params: lsp.DidOpenNotebookDocumentParams) -> None:
        notebook = params.notebook_document
        window.session.documents.notebooks.opened(notebook.uri, [cell.document for cell in notebook.cells])
        opened(params.cell_text_documents)

    @server.feature(lsp.NOTEBOOK_DOCUMENT_DID_CHANGE)
    def notebook_did_change(params: lsp.DidChangeNotebookDocumentParams) -> None:
        session, uri, cells = window.session, params.notebook_document.uri, params.change.cells
        if cells is None:
            return
        if (structure := cells.structure) is not None:
            opened(structure.did_open or ())
            new = [cell.document for cell in structure.array.cells or ()]
            session.documents.notebooks.spliced(uri, structure.array.start, structure.array.delete_count, new)
            for closed in structure.did_close or ():
                session.events.emit(DocumentClosed(closed.uri))
        for content in cells.text_content or ():
            change(server, content.document, content.changes)

    @server.feature(lsp.NOTEBOOK_DOCUMENT_DID_CLOSE)
    def notebook_did_close(params: lsp.DidCloseNotebookDocumentParams) -> None:
        cells = window.session.documents.notebooks.closed(params.notebook_document.uri)
        for uri in {*cells, *(cell.uri for cell in params.cell_text_documents)}:
            window.session.events.emit(DocumentClosed(uri))
