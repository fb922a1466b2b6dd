"""Notebooks: their cells are documents, and have an order.

In: notebookDocument/didOpen, didChange, didSave, didClose.  Out: snapshots and the order of cells for the session.
An editor that does not speak of notebooks opens cells as plain documents, which then do not know one another.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types as lsp

from palimpsest.lsp.documents import change, numbered
from palimpsest.text.snapshot import Snapshot
from palimpsest.window.events import DocumentClosed, DocumentOpened

if TYPE_CHECKING:
    from palimpsest.lsp.server import PalimpsestServer


def register(server: PalimpsestServer) -> None:
    window = server.window

    def opened(items: list[lsp.TextDocumentItem]) -> None:
        for item in items:
            snapshot = Snapshot(item.uri, numbered(item.version), item.language_id, item.text)
            window.session.events.emit(DocumentOpened(snapshot))

    @server.feature(lsp.NOTEBOOK_DOCUMENT_DID_OPEN)
    def did_open(params: lsp.DidOpenNotebookDocumentParams) -> None:
        notebook = params.notebook_document
        window.session.documents.notebooks.opened(notebook.uri, [cell.document for cell in notebook.cells])
        opened(list(params.cell_text_documents))

    @server.feature(lsp.NOTEBOOK_DOCUMENT_DID_CHANGE)
    def did_change(params: lsp.DidChangeNotebookDocumentParams) -> None:
        session, uri, cells = window.session, params.notebook_document.uri, params.change.cells
        if cells is None:
            return
        if (structure := cells.structure) is not None:
            opened(list(structure.did_open or ()))
            new = [cell.document for cell in structure.array.cells or ()]
            session.documents.notebooks.spliced(uri, structure.array.start, structure.array.delete_count, new)
            for closed in structure.did_close or ():
                session.events.emit(DocumentClosed(closed.uri))
        for content in cells.text_content or ():
            change(window, content.document, content.changes)

    @server.feature(lsp.NOTEBOOK_DOCUMENT_DID_CLOSE)
    def did_close(params: lsp.DidCloseNotebookDocumentParams) -> None:
        cells = window.session.documents.notebooks.closed(params.notebook_document.uri)
        for uri in {*cells, *(cell.uri for cell in params.cell_text_documents)}:
            window.session.events.emit(DocumentClosed(uri))
