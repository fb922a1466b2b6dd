"""One editor window: its settings, its session, what it is told.

In: the editor's capabilities and settings.  Out: a session for the features to use.  Owns both; knows no feature.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lsprotocol import types as lsp

from palimpsest.config.layers import file_layers, from_editor, merged, of_others
from palimpsest.config.settings import Settings
from palimpsest.errors import EngineUnavailable, PalimpsestError
from palimpsest.lsp.convert import encoding_name
from palimpsest.lsp.plain import plain
from palimpsest.lsp.protocol import OUR_FAULT, Protocol
from palimpsest.lsp.report import Report
from palimpsest.system import folders
from palimpsest.text.positions import PositionEncoding
from palimpsest.text.roots import Roots
from palimpsest.text.uris import folder_of, path_or_none, to_uri

if TYPE_CHECKING:
    from palimpsest.session.session import Session

logger = logging.getLogger(__name__)

SECTION = "palimpsest"
CONFIGURATION_WAIT_S = 2.0
CLOSING_S = 1.8
"""Nobody waits longer for the end: VS Code ends a server that has not answered `shutdown` after two seconds."""
"""A client that says it answers `workspace/configuration` but does not is not waited for longer."""


@dataclass(frozen=True, slots=True)
class Client:
    """What this client can do, as far as an answer depends on it."""

    encoding: PositionEncoding = "utf-16"
    versioned_edits: bool = False
    annotates: bool = False
    configuration: bool = False
    progress: bool = False
    resolves_edit: bool = False
    resolves_command: bool = False
    watches: bool = False
    opens_virtual: bool = False
    tags: bool = False
    shows: bool = False
    refreshes_lenses: bool = False
    has_virtual: bool = False
    documents_actions: bool = False
    edit_metadata: bool = False
    tooltips: bool = False


@dataclass(frozen=True, slots=True)
class SessionFactory:
    """How sessions come about: `build` gives one, `change` has it go on with other settings and folders."""

    build: Callable[[Settings, tuple[Path, ...], Report], Session]
    change: Callable[[Session, Settings, tuple[Path, ...]], None]


class Window:
    """State of one connection.  `session` is there once the editor has said what it opens."""

    def __init__(
        self, protocol: Protocol, report: Report, factory: SessionFactory, load: Callable[[], Awaitable[None]]
    ) -> None:
        self.client = Client()
        self.report = report
        self.settings = Settings()
        self._protocol = protocol
        self._factory = factory
        self._load = load
        self.roots = Roots(())
        self._folders: tuple[str, ...] = ()
        self._elsewhere: list[str] = []
        self._options: Mapping[str, Any] = {}
        self._configuration: Mapping[str, Any] = {}
        self._n_requested = self._n_answered = 0
        self._answered = asyncio.Event()
        self._session: Session | None = None
        self._closing: asyncio.Task[None] | None = None
        self._configured: asyncio.Task[None] | None = None
        self.initialized = asyncio.Event()
        self.session_listeners: list[Callable[[Session], object]] = []
        """Told the session, as soon as it is built: what is told to the person unasked begins there."""

    @property
    def session(self) -> Session:
        if self._closing is not None:
            raise EngineUnavailable("The server is shutting down.")
        if self._session is None:
            self.settings = self._read_settings()
            self._session = self._factory.build(self.settings, self.roots.folders, self.report)
            for listener in self.session_listeners:
                listener(self._session)
        return self._session

    def initialize(self, params: lsp.InitializeParams, client: Client) -> None:
        """Note what the editor says; nothing is read or started before it has its answer."""
        self.client = client
        uris = [folder.uri for folder in params.workspace_folders or ()]
        if not uris:
            roots = [uri for uri in (params.root_uri, params.root_path and to_uri(params.root_path)) if uri]
            uris = [uri for uri in roots if folder_of(uri) is not None][:1] or roots[:1]
        self._open_folders(uris)
        options = plain(params.initialization_options)
        self._options = options if isinstance(options, Mapping) else {}
        # No session with settings that are not the person's, and no feature before it is loaded.
        self._protocol.inbox.hold()
        # Not waiting for `initialized`: some clients never send it.
        self._configured = asyncio.get_running_loop().create_task(self._configure())

    def ask_for_configuration(self) -> None:
        """The client's answer counts whenever it comes, unless it has answered a later question meanwhile."""
        self._n_requested += 1
        params = lsp.ConfigurationParams(items=[lsp.ConfigurationItem(section=SECTION)])
        answer = self._protocol.send_request(lsp.WORKSPACE_CONFIGURATION, params)
        answer.add_done_callback(partial(self._on_answer, self._n_requested))

    def configure_with(self, settings: Any) -> None:
        """`workspace/didChangeConfiguration` with the settings in it (clients without `workspace/configuration`)."""
        if isinstance(settings, Mapping):
            own = settings.get(SECTION, None if of_others(settings) else settings)
            if isinstance(own, Mapping):
                self._configuration = own
        self.apply()

    def folders_changed(self, added: list[str], removed: list[str]) -> None:
        gone = {path_or_none(uri) or uri for uri in removed}
        self._open_folders([*(uri for uri in self._folders if (path_or_none(uri) or uri) not in gone), *added])
        self._warn_of_folders()
        self.apply()

    def apply(self) -> None:
        """Go on with the settings and folders as they are now."""
        if self._session is not None and self._closing is None:
            self.settings = self._read_settings()
            self._factory.change(self._session, self.settings, self.roots.folders)

    @property
    def is_closing(self) -> bool:
        return self._closing is not None

    async def aclose(self) -> None:
        """Whoever comes second, as where an editor closes its pipe behind `shutdown`, waits for the same end, and
        at most `CLOSING_S`."""
        if self._closing is None:
            self._closing = asyncio.get_running_loop().create_task(self._close())
        done, _ = await asyncio.wait({self._closing}, timeout=CLOSING_S)
        for closed in done:
            closed.result()

    async def _close(self) -> None:
        self._protocol.inbox.drop("The server is shutting down.")
        if self._configured is not None:
            self._configured.cancel()
        if self._session is not None:
            await self._session.aclose()

    # Parts ----------------------------------------------------------------------------------------------------

    def _open_folders(self, uris: Iterable[str]) -> None:
        self._folders = tuple(dict.fromkeys(uris))
        here = {uri: real for uri in self._folders if (real := folder_of(uri)) is not None}
        self._protocol.spellings.folders(here)
        self.roots = Roots(tuple(dict.fromkeys(here.values())))
        self._elsewhere = [uri for uri in self._folders if uri not in here]

    def _warn_of_folders(self) -> None:
        """Once of each: on another machine or in an archive is nothing to be read."""
        for uri in self._elsewhere:
            self.report.warn(f"{uri!r:.300} is no folder of this machine: nothing in it is read but what is open.")

    async def _configure(self) -> None:
        """Begin as soon as the settings are known, or after a moment without an answer."""
        try:
            await asyncio.sleep(0)  # the answer to `initialize` goes first
            asked = self.client.configuration and await _came(self.initialized)  # no request may be sent before
            if asked:
                self.ask_for_configuration()
            await self._load()  # while the client answers
            if asked and not await _came(self._answered):
                logger.warning("no answer to workspace/configuration yet")
            if self._closing is None:
                _ = self.session
                self._warn_of_folders()
        except ImportError as error:
            logger.exception("starting failed")
            why = f"Palimpsest cannot start here, since a part of it cannot be imported: {error}."
            self._protocol.inbox.drop(why)
            self.report.trouble("import", why)
        except Exception as error:  # whatever it is, the person is told
            logger.exception("starting the session failed")
            why = str(error) if isinstance(error, PalimpsestError) else OUR_FAULT
            self.report.trouble("session", f"Palimpsest cannot start here: {why}")
        finally:
            self._protocol.inbox.release()

    def _on_answer(self, number: int, answer: Future[Any]) -> None:
        """One answer to `workspace/configuration`: a list with one object, or null where nothing is set."""
        if number < self._n_answered:
            return
        self._n_answered = number
        if (error := answer.exception()) is not None:  # a client's refusal is no reason not to work
            logger.warning("the client did not answer workspace/configuration: %s", error)
        else:
            values = answer.result()
            own = plain(values[0]) if values else None
            self._configuration = own if isinstance(own, Mapping) else {}
            self.apply()
        self._answered.set()

    def _read_settings(self) -> Settings:
        layers, problems = file_layers(folders.config(), self.roots.folders)
        settings, wrong = merged([*layers, from_editor(self._options), from_editor(self._configuration)])
        for problem in [*problems, *wrong]:
            self.report.warn(f"Setting {problem}")
        return settings


async def _came(event: asyncio.Event) -> bool:
    """Whether it came in time."""
    with suppress(TimeoutError):  # `event` says so
        async with asyncio.timeout(CONFIGURATION_WAIT_S):
            await event.wait()
    return event.is_set()


def client_of(params: lsp.InitializeParams, encoding: lsp.PositionEncodingKind | str) -> Client:
    """Read once what the client can do."""
    capabilities = params.capabilities
    workspace = capabilities.workspace
    action = capabilities.text_document.code_action if capabilities.text_document else None
    lens = capabilities.text_document.code_lens if capabilities.text_document else None
    resolve = action.resolve_support.properties if action and action.resolve_support else []
    return Client(
        encoding=encoding_name(encoding),
        versioned_edits=bool(workspace and workspace.workspace_edit and workspace.workspace_edit.document_changes),
        annotates=bool(workspace and workspace.workspace_edit and workspace.workspace_edit.change_annotation_support),
        configuration=bool(workspace and workspace.configuration),
        progress=bool(capabilities.window and capabilities.window.work_done_progress),
        resolves_edit="edit" in resolve,
        resolves_command="command" in resolve,
        watches=bool(
            workspace and workspace.did_change_watched_files and workspace.did_change_watched_files.dynamic_registration
        ),
        opens_virtual=bool(
            workspace and workspace.text_document_content and workspace.text_document_content.dynamic_registration
        ),
        tags=bool(action and action.tag_support),
        refreshes_lenses=bool(workspace and workspace.code_lens and workspace.code_lens.refresh_support),
        shows=bool(capabilities.window and capabilities.window.show_document),
        has_virtual=bool(workspace and workspace.text_document_content),
        documents_actions=bool(action and action.documentation_support),
        edit_metadata=bool(workspace and workspace.workspace_edit and workspace.workspace_edit.metadata_support),
        tooltips=bool(lens and lens.resolve_support),  # as old as they are; they have no capability of their own
    )
