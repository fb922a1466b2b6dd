"""The agent that an editor talks with: what the protocol asks, led to the workspace's conversations.

In: the protocol's requests.  Out: its answers; errors in words fit for a person.  A session of the protocol is a
conversation, and has its id.
"""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, cast

from acp import PROTOCOL_VERSION, RequestError, run_agent, schema
from acp.interfaces import Agent, Client

from palimpsest import __version__
from palimpsest.agents.acp.host import AcpHost
from palimpsest.agents.acp.lines import LineTransport
from palimpsest.agents.acp.talk import AcpSession, Block
from palimpsest.agents.acp.workspaces import AcpWorkspace, AcpWorkspaces
from palimpsest.conversations.conversations import MOST_NAME, Conversation
from palimpsest.errors import InvalidArgument, NotFound, PalimpsestError
from palimpsest.text.positions import PositionEncoding

if TYPE_CHECKING:
    from palimpsest.agents.acp.next_edits import AcpNextEdits

logger = logging.getLogger(__name__)

A_PAGE = 50
"""Sessions of one answer."""
Servers = list[schema.HttpMcpServer | schema.SseMcpServer | schema.AcpMcpServer | schema.McpServerStdio] | None
Folders = list[str] | None
INVALID, FAILED, MISSING = -32602, -32603, -32002
ENCODINGS: tuple[PositionEncoding, ...] = ("utf-16", "utf-8", "utf-32")
SET_UP = schema.TerminalAuthMethod(
    type="terminal",
    id="palimpsest-set-up",
    name="Fetch the engine and the default model",
    description="Nobody logs in: everything stays on this machine. llama.cpp and a model of 93 MB are fetched once.",
    args=["--set-up"],
)
EVENTS = schema.NesDocumentEventCapabilities(
    did_open=schema.NesDocumentDidOpenCapabilities(),
    did_change=schema.NesDocumentDidChangeCapabilities(sync_kind="incremental"),
    did_close=schema.NesDocumentDidCloseCapabilities(),
    did_save=schema.NesDocumentDidSaveCapabilities(),
    did_focus=schema.NesDocumentDidFocusCapabilities(),
)
"""What an editor is to say of its documents, for next edits."""


async def serve(lines: LineTransport) -> None:
    """Until the editor leaves."""
    agent = ConversationAgent(lines)
    try:
        await run_agent(cast(Agent, agent), lines, use_unstable_protocol=True)  # to fork, resume and close
        if (task := asyncio.current_task()) is not None and task.cancelling():
            raise asyncio.CancelledError  # by Ctrl-C, which the library takes for the end of its input
    finally:
        await agent.aclose()


class ConversationAgent:
    """One connection's.  The protocol's library calls the methods by name."""

    def __init__(self, lines: LineTransport) -> None:
        self._lines = lines
        self._client: Client | None = None
        self._can = schema.ClientCapabilities()
        self._workspaces = AcpWorkspaces(self._host)
        self._next_edits: AcpNextEdits | None = None
        self._talks: dict[str, AcpSession] = {}
        self._tasks = set[asyncio.Task[None]]()

    def on_connect(self, conn: Client) -> None:
        self._client = conn

    async def initialize(
        self, protocol_version: int, client_capabilities: schema.ClientCapabilities | None = None, **_: Any
    ) -> schema.InitializeResponse:
        self._can = client_capabilities or schema.ClientCapabilities()
        sessions = schema.SessionCapabilities(
            list=schema.SessionListCapabilities(),
            fork=schema.SessionForkCapabilities(),
            resume=schema.SessionResumeCapabilities(),
            close=schema.SessionCloseCapabilities(),
            additional_directories=schema.SessionAdditionalDirectoriesCapabilities(),
        )
        capabilities = schema.AgentCapabilities(
            load_session=True,
            prompt_capabilities=schema.PromptCapabilities(image=False, audio=False, embedded_context=True),
            session_capabilities=sessions,
            nes=schema.NesCapabilities(events=schema.NesEventCapabilities(document=EVENTS)),
            position_encoding=self._encoding,
        )
        runs_it = isinstance(self._can.auth, schema.AuthCapabilities) and self._can.auth.terminal
        return schema.InitializeResponse(
            protocol_version=min(protocol_version, PROTOCOL_VERSION) or PROTOCOL_VERSION,
            agent_capabilities=capabilities,
            agent_info=schema.Implementation(name="palimpsest", title="Palimpsest", version=__version__),
            auth_methods=[SET_UP] if runs_it else [],
        )

    @property
    def _encoding(self) -> PositionEncoding:
        wanted = self._can.position_encodings or ()
        return next((one for one in ENCODINGS if one in wanted), "utf-16")

    async def authenticate(self, method_id: str, **_: Any) -> schema.AuthenticateResponse:
        return schema.AuthenticateResponse()  # nobody has to: the model is this machine's

    async def new_session(
        self, cwd: str, additional_directories: Folders = None, mcp_servers: Servers = None, **_: Any
    ) -> schema.NewSessionResponse:
        async with _told():
            workspace = self._workspaces.at(cwd, additional_directories)
            made = await asyncio.to_thread(workspace.conversations.conversing.memory.conversations.new)
        self._begin(workspace, made.id, mcp_servers)
        return schema.NewSessionResponse(session_id=made.id)

    async def load_session(
        self, cwd: str, session_id: str, additional_directories: Folders = None, mcp_servers: Servers = None, **_: Any
    ) -> schema.LoadSessionResponse:
        """Everything that was said is told again before the answer, as the protocol wants it."""
        async with _told():
            workspace = await self._found(cwd, session_id, additional_directories)
            talk = self._begin(workspace, session_id, mcp_servers)
            await talk.replay()
        return schema.LoadSessionResponse()

    async def resume_session(
        self, cwd: str, session_id: str, additional_directories: Folders = None, mcp_servers: Servers = None, **_: Any
    ) -> schema.ResumeSessionResponse:
        async with _told():
            self._begin(await self._found(cwd, session_id, additional_directories), session_id, mcp_servers)
        return schema.ResumeSessionResponse()

    async def fork_session(
        self, session_id: str, cwd: str, additional_directories: Folders = None, mcp_servers: Servers = None, **_: Any
    ) -> schema.ForkSessionResponse:
        """A copy with the same turns, refs and descriptors, which goes on by itself."""
        async with _told():
            workspace = await self._found(cwd, session_id, additional_directories)
            if workspace.conversations.conversing.is_running(session_id):
                raise InvalidArgument("sessionId", "is being answered; cancel that first, or wait for its end.")
            copy = await asyncio.to_thread(_copied, workspace, session_id)
        self._begin(workspace, copy.id, mcp_servers)
        return schema.ForkSessionResponse(session_id=copy.id)

    async def list_sessions(
        self, cwd: str | None = None, cursor: str | None = None, **_: Any
    ) -> schema.ListSessionsResponse:
        """Those of a folder; without one, of the folders that this connection has worked in."""
        async with _told():
            workspaces = self._workspaces.all() if cwd is None else [self._workspaces.at(cwd)]
            infos = [info for one in workspaces for info in await asyncio.to_thread(_infos, one)]
            first = _first(cursor)
        infos.sort(key=lambda info: info.updated_at or "", reverse=True)
        behind = first + A_PAGE
        return schema.ListSessionsResponse(
            sessions=infos[first:behind], next_cursor=str(behind) if behind < len(infos) else None
        )

    async def close_session(self, session_id: str, **_: Any) -> schema.CloseSessionResponse:
        talk = self._talks.pop(session_id, None)
        if talk is not None:
            await talk.close()
        return schema.CloseSessionResponse()

    async def prompt(self, session_id: str, prompt: list[Block], **_: Any) -> schema.PromptResponse:
        async with _told():
            return await self._talk(session_id).prompt(prompt)

    async def cancel(self, session_id: str, **_: Any) -> None:
        if (talk := self._talks.get(session_id)) is not None:
            await talk.stop()

    async def ext_method(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        async with _told():
            answer = await self._suggesting().request(method, params)
        if answer is None:
            raise RequestError.method_not_found(method)
        return answer

    async def ext_notification(self, method: str, params: dict[str, Any]) -> None:
        try:
            await self._suggesting().notify(method, params)
        except PalimpsestError as error:
            logger.warning("%s: %s", method, error)

    async def aclose(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*(talk.aclose() for talk in self._talks.values()), return_exceptions=True)
        await self._workspaces.aclose()

    # Parts

    def _suggesting(self) -> "AcpNextEdits":
        from palimpsest.agents.acp.next_edits import AcpNextEdits  # few editors ask for them

        if self._next_edits is None:
            self._next_edits = AcpNextEdits(self._workspaces, self._encoding)
        return self._next_edits

    def _begin(self, workspace: AcpWorkspace, conversation: str, servers: Servers) -> AcpSession:
        """The engine is made ready, and the editor is told what can be asked, behind the answer to its request."""
        assert self._client is not None  # requests come through the connection
        if (talk := self._talks.get(conversation)) is None:
            talk = self._talks[conversation] = AcpSession(workspace, conversation, self._client, self._lines)
        talk.unused = [server.name for server in servers or ()]
        workspace.start()
        task = asyncio.get_running_loop().create_task(talk.tell_commands())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return talk

    def _host(self, workspace: AcpWorkspace) -> AcpHost:
        assert self._client is not None  # requests come through the connection
        return AcpHost(workspace, self._client, self._can, self._talks.get)

    def _talk(self, session_id: str) -> AcpSession:
        if (talk := self._talks.get(session_id)) is None:
            raise NotFound("sessionId", f"session {session_id!r} is not open; load it, or begin a new one.")
        return talk

    async def _found(self, cwd: str, session_id: str, more: list[str] | None) -> AcpWorkspace:
        workspace = self._workspaces.at(cwd, more)
        await asyncio.to_thread(workspace.conversations.conversing.memory.conversations.get, session_id)
        return workspace


def _infos(workspace: AcpWorkspace) -> list[schema.SessionInfo]:
    """Not those in which nothing was said: an editor begins one as soon as it shows its panel."""
    memory = workspace.conversations.conversing.memory
    first, *more = map(str, workspace.roots)
    return [
        schema.SessionInfo(
            session_id=one.id,
            cwd=first,
            additional_directories=more or None,
            title=one.name or None,
            updated_at=datetime.fromtimestamp(one.updated, UTC).isoformat(),
        )
        for one in memory.conversations.list()
        if one.head is not None or one.name
    ]


def _copied(workspace: AcpWorkspace, session_id: str) -> Conversation:
    memory = workspace.conversations.conversing.memory
    first = memory.conversations.get(session_id)
    name = f"{first.name} (copy)"[:MOST_NAME] if first.name else ""
    return memory.forks.copied(session_id, first.head, name)


def _first(cursor: str | None) -> int:
    if cursor is None:
        return 0
    if not (cursor.isascii() and cursor.isdigit() and len(cursor) < 9):
        raise InvalidArgument("cursor", "the one of an answer is wanted.")
    return int(cursor)


@asynccontextmanager
async def _told() -> AsyncIterator[None]:
    """What goes wrong, as the protocol's error; a person reads its message."""
    try:
        yield
    except NotFound as error:
        raise RequestError(MISSING, str(error)) from None
    except InvalidArgument as error:
        raise RequestError(INVALID, str(error), {"field": error.field}) from None
    except PalimpsestError as error:
        raise RequestError(FAILED, str(error), {"code": error.code}) from None
    except (RequestError, ConnectionError):
        raise
    except Exception:  # a defect is the log's
        logger.exception("a request failed")
        raise RequestError(FAILED, "Something went wrong inside Palimpsest; its log says more.") from None
