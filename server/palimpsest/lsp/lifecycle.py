"""initialize, initialized, configuration, workspace folders, shutdown.

In: the client's life.  Out: the window's.  Knows no document.
"""

from typing import Any

from lsprotocol import types as lsp

from palimpsest.lsp.action_kinds import documented_actions
from palimpsest.lsp.plain import plain
from palimpsest.lsp.server import PalimpsestServer
from palimpsest.lsp.window import client_of


def register(server: PalimpsestServer) -> None:
    window = server.window

    @server.feature(lsp.INITIALIZE)
    def initialize(params: lsp.InitializeParams) -> None:
        server.protocol.inbox.begun()
        if server.ending is not None:
            server.ending.note(params.process_id)
        chosen = server.workspace.position_encoding or lsp.PositionEncodingKind.Utf16
        client = client_of(params, chosen)
        if client.documents_actions:
            server.protocol.fm.feature_options[lsp.TEXT_DOCUMENT_CODE_ACTION] = documented_actions()
        window.initialize(params, client)

    @server.feature(lsp.INITIALIZED)
    def initialized(params: lsp.InitializedParams) -> None:
        window.initialized.set()

    @server.feature(lsp.WORKSPACE_DID_CHANGE_CONFIGURATION)
    def configuration_changed(params: lsp.DidChangeConfigurationParams) -> None:
        if window.client.configuration:
            window.ask_for_configuration()
        else:
            window.configure_with(plain(params.settings))

    @server.feature(lsp.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    def folders_changed(params: lsp.DidChangeWorkspaceFoldersParams) -> None:
        event = params.event
        window.folders_changed([f.uri for f in event.added], [f.uri for f in event.removed])

    @server.feature(lsp.SHUTDOWN)
    async def shutdown(*_: Any) -> None:
        await window.aclose()
