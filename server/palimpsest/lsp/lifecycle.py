"""initialize, initialized, configuration, workspace folders, shutdown.

In: the client's life.  Out: the window's.  Knows no document.
"""

from __future__ import annotations

import logging
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any

from lsprotocol import types as lsp

from palimpsest.assist.shared.events import FilesChanged
from palimpsest.languages.registry import languages
from palimpsest.lsp.plain import plain
from palimpsest.lsp.virtual import SCHEME
from palimpsest.lsp.window import client_of

if TYPE_CHECKING:
    from palimpsest.lsp.server import PalimpsestServer

logger = logging.getLogger(__name__)

WATCHED = ("**/.gitignore", "**/.palimpsestignore", "**/palimpsest.toml", "**/README*")
"""Besides the files of languages."""


def register(server: PalimpsestServer) -> None:
    window = server.window

    @server.feature(lsp.INITIALIZE)
    def initialize(params: lsp.InitializeParams) -> None:
        server.protocol.begun()
        if server.ending is not None:
            server.ending.watch(params.process_id)
        chosen = server.workspace.position_encoding or lsp.PositionEncodingKind.Utf16
        window.initialize(params, client_of(params, chosen))

    @server.feature(lsp.INITIALIZED)
    def initialized(params: lsp.InitializedParams) -> None:
        window.initialized.set()
        if window.client.watches:
            sources = (f"**/*{suffix}" for language in languages() for suffix in language.suffixes)
            watchers = [lsp.FileSystemWatcher(glob_pattern=pattern) for pattern in (*sources, *WATCHED)]
            options = lsp.DidChangeWatchedFilesRegistrationOptions(watchers=watchers)
            _register(server, lsp.Registration("palimpsest-files", lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES, options))
        if window.client.opens_virtual:  # which pygls does not announce
            shown = lsp.TextDocumentContentOptions(schemes=[SCHEME])
            _register(server, lsp.Registration("palimpsest-virtual", lsp.WORKSPACE_TEXT_DOCUMENT_CONTENT, shown))

    @server.feature(lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def files_changed(params: lsp.DidChangeWatchedFilesParams) -> None:
        uris = [change.uri for change in params.changes]
        if any(uri.endswith("/palimpsest.toml") for uri in uris):
            window.apply()
        window.session.events.tell(FilesChanged(uris))

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


def _register(server: PalimpsestServer, one: lsp.Registration) -> None:
    def answered(answer: Future[Any]) -> None:
        if (error := answer.exception()) is not None:
            logger.warning("the client does not register %s: %s", one.method, error)

    asked = server.protocol.send_request(lsp.CLIENT_REGISTER_CAPABILITY, lsp.RegistrationParams([one]))
    asked.add_done_callback(answered)
