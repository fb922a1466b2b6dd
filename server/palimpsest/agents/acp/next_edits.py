"""Next edits for an editor that asks an agent for them: `nes/…` and `document/…` of the Agent Client Protocol.

In: the protocol's parameters, unchecked.  Out: its answers, as JSON.  A session is about the folders it began with;
what is open in it is a document of that workspace.  The protocol's library has the types of these methods, and no
routes for them (0.12), so `agent.py` is given them as extensions.
"""

import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, TypeVar
from uuid import uuid4

from acp import schema
from pydantic import BaseModel, ValidationError

from palimpsest.agents.acp.workspaces import AcpWorkspace, AcpWorkspaces
from palimpsest.errors import InvalidArgument, NotFound
from palimpsest.next_edits.next_edits import NextEdit
from palimpsest.text.editor_positions import EditorPosition, change_between, editor_position, position_of
from palimpsest.text.positions import PositionEncoding, joined
from palimpsest.text.snapshot import ContentChange, InputEdit, Snapshot
from palimpsest.text.uris import path_or_none
from palimpsest.window.events import (
    CursorMoved,
    DocumentChanged,
    DocumentClosed,
    DocumentOpened,
    DocumentSaved,
    FilesChanged,
)

logger = logging.getLogger(__name__)
M = TypeVar("M", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class NextEditSession:
    """`opened`: the URIs, as the editor writes them, that are closed with it."""

    workspace: AcpWorkspace
    opened: set[str] = field(default_factory=set)


class AcpNextEdits:
    """One connection's sessions."""

    def __init__(self, workspaces: AcpWorkspaces, encoding: PositionEncoding) -> None:
        self._workspaces = workspaces
        self._encoding = encoding
        self._sessions: dict[str, NextEditSession] = {}
        self._notifications: dict[str, tuple[type[BaseModel], Callable[[Any], None]]] = {
            "nes/reject": (schema.RejectNesNotification, self._rejected),
            "document/didOpen": (schema.DidOpenDocumentNotification, self._opened),
            "document/didChange": (schema.DidChangeDocumentNotification, self._changed),
            "document/didClose": (schema.DidCloseDocumentNotification, self._closed),
            "document/didSave": (schema.DidSaveDocumentNotification, self._saved),
            "document/didFocus": (schema.DidFocusDocumentNotification, self._focused),
        }

    async def request(self, method: str, params: dict[str, Any]) -> dict[str, Any] | None:
        """The answer; None for a method that is none of these.  Raises InvalidArgument, NotFound."""
        answer: BaseModel
        match method:
            case "nes/start":
                answer = self._start(_read(schema.StartNesRequest, params))
            case "nes/suggest":
                answer = await self._suggest(_read(schema.SuggestNesRequest, params))
            case "nes/close":
                self._close(_read(schema.CloseNesRequest, params).session_id)
                answer = schema.CloseNesResponse()
            case _:
                return None
        return answer.model_dump(mode="json", by_alias=True, exclude_none=True)

    async def notify(self, method: str, params: dict[str, Any]) -> None:
        """What the editor says.  Raises InvalidArgument, NotFound, which nobody is told but the log."""
        if method == "nes/accept":
            accepted = _read(schema.AcceptNesNotification, params)
            await self._session(accepted.session_id).workspace.session.next_edits.accept(accepted.id)
        elif (known := self._notifications.get(method)) is not None:
            model, told = known
            told(_read(model, params))

    # Sessions

    def _start(self, asked: schema.StartNesRequest) -> schema.StartNesResponse:
        named = [folder.uri for folder in asked.workspace_folders or ()]
        uris = list(dict.fromkeys((*((asked.workspace_uri,) if asked.workspace_uri else ()), *named)))
        if not uris:
            raise InvalidArgument("workspaceUri", "the folder that is worked in is wanted.")
        paths = [str(path) if (path := path_or_none(uri)) is not None else uri for uri in uris]
        identity = uuid4().hex
        self._sessions[identity] = NextEditSession(self._workspaces.at(paths[0], paths[1:]))
        return schema.StartNesResponse(session_id=identity)

    async def _suggest(self, asked: schema.SuggestNesRequest) -> schema.SuggestNesResponse:
        workspace = self._session(asked.session_id).workspace
        session = workspace.session
        here = session.documents.get(workspace.spellings.identity(asked.uri))
        if asked.version != here.version:
            return schema.SuggestNesResponse(suggestions=[])  # what was typed since is on its way
        invoked = asked.trigger_kind == "manual"
        position = position_of(here, _at(asked.position), self._encoding)
        found = await session.next_edits.next(here.uri, position, invoked=invoked)
        if found is None:
            return schema.SuggestNesResponse(suggestions=[])
        session.next_edits.mark_shown(found.id)
        return schema.SuggestNesResponse(suggestions=[self._suggestion(workspace, found)])

    def _suggestion(self, workspace: AcpWorkspace, found: NextEdit) -> schema.NesEditSuggestionVariant:
        places = (editor_position(found.snapshot, at, self._encoding) for at in (found.range.start, found.range.end))
        start, end = (schema.Position(line=line, character=units) for line, units in places)
        edit = schema.NesTextEdit(range=schema.Range(start=start, end=end), new_text=found.text)
        uri = workspace.spellings.written(found.snapshot.uri)
        return schema.NesEditSuggestionVariant(kind="edit", id=found.id, uri=uri, edits=[edit])

    def _rejected(self, told: schema.RejectNesNotification) -> None:
        """Offered again, unless a person did not want it: the protocol has other reasons, such as `replaced`."""
        if told.reason in (None, "rejected"):
            self._session(told.session_id).workspace.session.next_edits.dismiss(told.id)

    def _close(self, identity: str) -> None:
        session = self._session(identity)
        for uri in tuple(session.opened):
            self._close_document(session, uri)
        del self._sessions[identity]

    def _session(self, identity: str) -> NextEditSession:
        if (session := self._sessions.get(identity)) is None:
            raise NotFound("sessionId", f"session {identity!r} is not open; begin one with nes/start.")
        return session

    # Documents

    def _opened(self, told: schema.DidOpenDocumentNotification) -> None:
        session = self._session(told.session_id)
        uri = session.workspace.spellings.opened(told.uri)
        session.opened.add(told.uri)
        snapshot = Snapshot(uri, told.version, told.language_id, joined(told.text))
        session.workspace.session.events.emit(DocumentOpened(snapshot, told.uri))

    def _changed(self, told: schema.DidChangeDocumentNotification) -> None:
        workspace = self._session(told.session_id).workspace
        old = workspace.session.documents.get(workspace.spellings.identity(told.uri))
        new, edits = _applied(old, told.version, told.content_changes, self._encoding)
        workspace.session.events.emit(DocumentChanged(old, new, edits))

    def _closed(self, told: schema.DidCloseDocumentNotification) -> None:
        self._close_document(self._session(told.session_id), told.uri)

    def _close_document(self, session: NextEditSession, uri: str) -> None:
        """Unless another session has it open in the same workspace: an editor may begin one before it ends the last."""
        session.opened.discard(uri)
        if any(uri in one.opened and one.workspace is session.workspace for one in self._sessions.values()):
            return
        session.workspace.session.events.emit(DocumentClosed(session.workspace.spellings.closed(uri)))

    def _saved(self, told: schema.DidSaveDocumentNotification) -> None:
        workspace = self._session(told.session_id).workspace
        uri = workspace.spellings.identity(told.uri)
        workspace.session.events.emit(DocumentSaved(uri))
        workspace.session.events.emit(FilesChanged([uri]))

    def _focused(self, told: schema.DidFocusDocumentNotification) -> None:
        workspace = self._session(told.session_id).workspace
        here = workspace.session.documents.get(workspace.spellings.identity(told.uri))
        position = position_of(here, _at(told.position), self._encoding)
        workspace.session.events.emit(CursorMoved(here.uri, position, said=True))


def _read(model: type[M], params: dict[str, Any]) -> M:
    try:
        return model.model_validate(params)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise InvalidArgument(".".join(map(str, first["loc"])) or "params", f"{first['msg']}.") from None


def _at(position: schema.Position) -> EditorPosition:
    return position.line, position.character


def _applied(
    snapshot: Snapshot,
    version: int,
    changes: Iterable[schema.TextDocumentContentChangeEvent],
    encoding: PositionEncoding,
) -> tuple[Snapshot, list[InputEdit]]:
    """The next snapshot.  Each change is against the text that the ones before it leave."""
    edits = list[InputEdit]()
    for change in changes:
        text, where = joined(change.text), change.range
        one = ContentChange(None, text)
        if where is not None:
            one = change_between(snapshot, _at(where.start), _at(where.end), text, encoding)
        snapshot, made = snapshot.changed([one], version)
        edits += made
    return snapshot, edits
