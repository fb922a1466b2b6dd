"""A window's session: put together once, and given other settings and folders when they change.

In: settings, folders.  Out: a session; `SettingsChanged` with the parts that begin anew.  Every owner is made here, and
none makes another: a new one is a line in `build`.
"""

import hashlib
import logging
import secrets
import time
from collections.abc import Callable
from pathlib import Path

from palimpsest.completions.completions import Completions
from palimpsest.config.settings import Settings, WindowPart
from palimpsest.context.activity.activity import Activity
from palimpsest.context.choice.chooser import Chooser
from palimpsest.context.external_blocks import ExternalBlocks
from palimpsest.context.sources.gatherer import Gatherer
from palimpsest.edits.suggestions.suggestions import Suggestions
from palimpsest.edits.summaries import Summaries
from palimpsest.index.workspace_index import WorkspaceIndex
from palimpsest.languages.registry import language_of, load, plain
from palimpsest.next_edits.next_edits import NextEdits
from palimpsest.providers.base.target import target_of
from palimpsest.providers.supervisor import Supervisor
from palimpsest.session.context import WindowContext
from palimpsest.session.cursor import Cursor
from palimpsest.session.engine_control import EngineControl
from palimpsest.session.feedback import Feedback
from palimpsest.session.indexing import Indexing
from palimpsest.session.prefetch import Prefetch
from palimpsest.session.session import Session
from palimpsest.session.tracking import ActivityTracker
from palimpsest.syntax.parser import Parser
from palimpsest.system import folders
from palimpsest.text.documents import Documents
from palimpsest.text.roots import Roots
from palimpsest.text.uris import is_inside, path_or_none
from palimpsest.window.events import DocumentChanged, DocumentOpened, Events, SettingsChanged, StatusChanged
from palimpsest.window.requests import Requests
from palimpsest.window.services import Services
from palimpsest.window.statistics import FILE as STATISTICS
from palimpsest.window.statistics import Statistics
from palimpsest.window.switches import Switches
from palimpsest.window.usage import Usage
from palimpsest.window.window_parts import stale_parts
from palimpsest.window.workspace_documents import WorkspaceDocuments


def build(settings: Settings, roots: tuple[Path, ...], clock: Callable[[], float] = time.monotonic) -> Session:
    """Nothing is started yet.

    The services come first: they hear of an event before the owners do, which ask them for documents and trees.
    """
    services = services_of(settings, roots)
    completions = Completions(services)
    suggestions = Suggestions(services)
    next_edits = NextEdits(services, clock)
    cursor = Cursor(services)
    engine = EngineControl(services)
    services.events.on(DocumentOpened, lambda event: load(language_of(event.snapshot.language_id, event.snapshot.uri)))
    indexing, tracker = Indexing(services), ActivityTracker(services)
    Prefetch(services, cursor, completions)
    for changed in (  # in this order; what an editor is shown of it (`lsp/`) comes behind
        services.document_changed,  # keeps documents and trees, which everybody else reads
        completions.document_changed,
        next_edits.document_changed,  # has to know of an edit before the place moves along with it
        cursor.document_changed,
        indexing.document_changed,
        tracker.document_changed,
    ):
        services.events.on(DocumentChanged, changed)
    return Session(
        events=services.events,
        services=services,
        documents=services.documents,
        usage=services.usage,
        statistics=services.statistics,
        cursor=cursor,
        context=WindowContext(services),
        completions=completions,
        suggestions=suggestions,
        next_edits=next_edits,
        summaries=Summaries(services),
        feedback=Feedback(services, cursor, completions, suggestions),
        engine=engine,
        workspace_documents=WorkspaceDocuments(services),
    )


def change(session: Session, settings: Settings, roots: tuple[Path, ...]) -> None:
    """The session goes on with other settings and folders; only what these are about begins anew."""
    session.events.emit(SettingsChanged(_update(session.services, settings, roots)))


def services_of(settings: Settings, roots: tuple[Path, ...]) -> Services:
    """Nothing is started yet."""
    events = Events()
    external, documents, supervisor = ExternalBlocks(), Documents(), Supervisor(target_of(settings))
    index, activity = WorkspaceIndex(), Activity()
    workspace, places = workspace_name(roots), Roots(roots)
    _log(settings)
    return Services(
        settings=settings,
        roots=places,
        workspace=workspace,
        documents=documents,
        parser=Parser(language_of, plain),
        chooser=Chooser(_gatherer(external, settings, documents, index, activity), external, settings.context),
        activity=activity,
        supervisor=supervisor,
        requests=_requests(workspace, settings, supervisor),
        usage=Usage(lambda: events.emit(StatusChanged())),
        statistics=Statistics(_in(folders.state, STATISTICS), enabled=settings.statistics.enabled),
        switches=Switches(settings, places, documents),
        index=index,
        events=events,
    )


def _update(services: Services, settings: Settings, roots: tuple[Path, ...]) -> frozenset[WindowPart]:
    """Give the services other settings and folders; the parts that this concerns."""
    before = services.roots.folders
    parts = stale_parts(services.settings, settings, folders=roots != before)
    services.settings, services.roots = settings, Roots(roots)
    services.requests = _requests(services.workspace, settings, services.supervisor)
    services.statistics.enabled = settings.statistics.enabled
    if "log" in parts:
        _log(settings)
    if "switches" in parts:
        earlier, services.switches = services.switches, Switches(settings, services.roots, services.documents)
        services.switches.continues(earlier)
    if "sources" in parts:
        of_window = services.documents, services.index, services.activity
        gatherer = _gatherer(services.chooser.external, settings, *of_window)
        services.chooser.begin_anew(gatherer, settings.context)
    gone = tuple(folder for folder in before if folder not in roots)
    if gone:
        services.chooser.external.remove(lambda uri: _lies_in(uri, gone) and not _lies_in(uri, roots))
    return parts


def workspace_name(roots: tuple[Path, ...]) -> str:
    """What the engine knows this window by: each has its own cache, also two windows on one folder, or on machines that
    have the same folders and process numbers, as containers do.  It stays when folders come and go."""
    place = hashlib.blake2b("\0".join(map(str, roots)).encode(), digest_size=6).hexdigest()
    return f"{place}-{secrets.token_hex(4)}"


def _gatherer(
    external: ExternalBlocks, settings: Settings, documents: Documents, index: WorkspaceIndex, activity: Activity
) -> Gatherer:
    return Gatherer(
        external,
        settings.context,
        open_document=documents.find,
        cache=_in(folders.cache, "packages"),
        index=index.seen_by,
        activity=activity,
    )


def _in(folder: Callable[[], Path], name: str) -> Path | None:
    """A path in one of the user's folders; None, and a line in the log, where there is none and none can be made."""
    try:
        return folder() / name
    except OSError as error:
        logging.getLogger(__name__).warning("%s is not kept: %s", name, error)
        return None


def _requests(workspace: str, settings: Settings, supervisor: Supervisor) -> Requests:
    return Requests(workspace, settings, lambda: model.n_params if (model := supervisor.status.model) else None)


def _log(settings: Settings) -> None:
    logging.getLogger("palimpsest").setLevel(settings.log.level.upper())


def _lies_in(uri: str, places: tuple[Path, ...]) -> bool:
    path = path_or_none(uri)
    return path is not None and is_inside(path, places)
