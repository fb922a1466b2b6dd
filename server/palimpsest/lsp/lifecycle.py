"""initialize, initialized, configuration, workspace folders, shutdown.

In: the client's life.  Out: the window's.  Knows no document.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lsprotocol import types as lsp

from palimpsest.lsp.window import client_of, plain

if TYPE_CHECKING:
    from palimpsest.lsp.server import PalimpsestServer

WATCHED = ("**/*.py", "**/.gitignore", "**/palimpsest.toml", "**/README*")


def register(server: PalimpsestServer) -> None:
    window = server.window

    @server.feature(lsp.INITIALIZE)
    def initialize(params: lsp.InitializeParams) -> None:
        chosen = server.workspace.position_encoding or lsp.PositionEncodingKind.Utf16
        window.initialize(params, client_of(params, chosen))

    @server.feature(lsp.INITIALIZED)
    async def initialized(params: lsp.InitializedParams) -> None:
        window.initialized.set()
        if window.client.watches:
            watchers = [lsp.FileSystemWatcher(glob_pattern=pattern) for pattern in WATCHED]
            options = lsp.DidChangeWatchedFilesRegistrationOptions(watchers=watchers)
            registration = lsp.Registration("palimpsest-files", lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES, options)
            await server.client_register_capability_async(lsp.RegistrationParams([registration]))

    @server.feature(lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    async def files_changed(params: lsp.DidChangeWatchedFilesParams) -> None:
        uris = [change.uri for change in params.changes]
        if any(uri.endswith("/palimpsest.toml") for uri in uris):
            await window.reconfigure()
        window.session.files_changed(uris)

    @server.feature(lsp.WORKSPACE_DID_CHANGE_CONFIGURATION)
    async def configuration_changed(params: lsp.DidChangeConfigurationParams) -> None:
        if window.client.configuration:
            await window.reconfigure()
        else:
            window.configure_with(plain(params.settings))

    @server.feature(lsp.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    async def folders_changed(params: lsp.DidChangeWorkspaceFoldersParams) -> None:
        event = params.event
        window.folders_changed([f.uri for f in event.added], [f.uri for f in event.removed])

    @server.feature(lsp.SHUTDOWN)
    async def shutdown(*_: Any) -> None:
        await window.aclose()
