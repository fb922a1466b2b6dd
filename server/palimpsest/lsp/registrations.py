"""What the client is asked for once it can be asked: to tell changes of files, and to open documents of ours.

In: a session that begins, `workspace/didChangeWatchedFiles`.  Out: `client/registerCapability`, events.
"""

import logging
from concurrent.futures import Future
from typing import Any

from lsprotocol import types as lsp

from palimpsest.languages.registry import languages
from palimpsest.lsp.server import PalimpsestServer
from palimpsest.lsp.virtual import SCHEME
from palimpsest.window.events import FilesChanged

logger = logging.getLogger(__name__)

WATCHED = (
    "**/.gitignore",
    "**/.palimpsestignore",
    "**/palimpsest.toml",
    "**/README*",
    "**/.editorconfig",
    "**/pyvenv.cfg",
)
"""Besides the files of languages."""


def register(server: PalimpsestServer) -> None:
    window = server.window

    window.session_listeners.append(lambda _: server.run_beside(_ask(server)))

    @server.feature(lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def files_changed(params: lsp.DidChangeWatchedFilesParams) -> None:
        uris = [change.uri for change in params.changes]
        if any(uri.endswith("/palimpsest.toml") for uri in uris):
            window.apply()
        window.session.events.emit(FilesChanged(uris))


async def _ask(server: PalimpsestServer) -> None:
    window = server.window
    await window.initialized.wait()  # no request may be sent before
    if window.client.watches:
        sources = (f"**/*{suffix}" for language in languages() for suffix in language.suffixes)
        watchers = [lsp.FileSystemWatcher(glob_pattern=pattern) for pattern in (*sources, *WATCHED)]
        options = lsp.DidChangeWatchedFilesRegistrationOptions(watchers=watchers)
        _register(server, lsp.Registration("palimpsest-files", lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES, options))
    if window.client.opens_virtual:  # which pygls does not announce
        shown = lsp.TextDocumentContentOptions(schemes=[SCHEME])
        _register(server, lsp.Registration("palimpsest-virtual", lsp.WORKSPACE_TEXT_DOCUMENT_CONTENT, shown))


def _register(server: PalimpsestServer, one: lsp.Registration) -> None:
    def answered(answer: Future[Any]) -> None:
        if (error := answer.exception()) is not None:
            logger.warning("the client does not register %s: %s", one.method, error)

    asked = server.protocol.send_request(lsp.CLIENT_REGISTER_CAPABILITY, lsp.RegistrationParams([one]))
    asked.add_done_callback(answered)
