"""One session of the protocol: a conversation, shown to an editor as it goes on.

In: prompts, and what the window tells of the conversation.  Out: updates in their order, and how each turn ended.  A
prompt is what was typed, with the names of linked files in their places, and the files as parts, of which long ones
become descriptors.
"""

import asyncio
import logging
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from acp import schema
from acp.interfaces import Client

from palimpsest.agents.acp import updates
from palimpsest.agents.acp.commands import COMMANDS, command_in
from palimpsest.agents.acp.held_calls import HeldCalls
from palimpsest.agents.acp.lines import LineTransport
from palimpsest.agents.acp.workspaces import AcpWorkspace
from palimpsest.chat_templates.spoken import Spoken
from palimpsest.conversations.calls.parsing import without_calls
from palimpsest.conversations.conversing import ReplyOptions
from palimpsest.conversations.descriptors.incoming import MessagePart
from palimpsest.conversations.events import (
    CallBegan,
    CallDone,
    CompactionBegan,
    CompactionEnded,
    Stopped,
    TurnBegan,
    TurnEnded,
    TurnText,
)
from palimpsest.conversations.refs.tags import PROBLEMS, extracted
from palimpsest.conversations.reply_writer import NATIVE, THOUGHT
from palimpsest.conversations.transcript.showing import written_documents
from palimpsest.conversations.transcript.writing import documents_text
from palimpsest.conversations.turns import Turn
from palimpsest.conversations.unfit import unfit
from palimpsest.errors import InvalidArgument
from palimpsest.languages.registry import language_of

logger = logging.getLogger(__name__)

LONGEST_TITLE = 80
CANCELLED = "It was cancelled."
UNUSED = "Palimpsest does not use these MCP servers, since its model has tools of its own only: {}.\n\n"
StopReason = Literal["end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled"]
CALLS: frozenset[Stopped] = frozenset({"end", "length"})
"""How a reply ends whose calls are run."""
STOPS: dict[Stopped, StopReason] = {
    "end": "end_turn",
    "length": "max_tokens",
    "rounds": "max_turn_requests",
    "repeated": "end_turn",
    "cancelled": "cancelled",
    "failed": "refusal",
}

HEARD = (TurnBegan, TurnText, TurnEnded, CallBegan, CallDone, CompactionBegan, CompactionEnded)
_WORD_OR_FILE = re.compile(r"[\w`)\[]")
Block = (
    schema.TextContentBlock
    | schema.ImageContentBlock
    | schema.AudioContentBlock
    | schema.ResourceContentBlock
    | schema.EmbeddedResourceContentBlock
)


@dataclass(frozen=True, slots=True)
class AcpPrompt:
    text: str
    parts: tuple[MessagePart, ...] = ()


class AcpSession:
    """Everything to the editor goes through one queue, so that nothing overtakes what was told before."""

    def __init__(self, workspace: AcpWorkspace, conversation: str, client: Client, lines: LineTransport) -> None:
        self.conversation = conversation
        self.call = ""
        """The id of the call that is being run; "" where none is."""
        self.unused: Sequence[str] = ()
        """The MCP servers that the editor has named, until the person is told that they are not used."""
        self._workspace = workspace
        self._session, self._conversations = workspace.session, workspace.conversations
        self._client = client
        self._lines = lines
        self._turn: asyncio.Task[Stopped] | None = None
        self._cancelled = self._is_ended = self._is_warned = False
        self._idle = asyncio.Event()
        self._sent: dict[int, Spoken] = {}  # of each turn
        self._held: dict[int, HeldCalls] = {}
        self._queue: asyncio.Queue[Any] = asyncio.Queue()
        self._sending = asyncio.get_running_loop().create_task(self._send())
        events = workspace.session.events
        self._listening = [events.on(kind, self._happened) for kind in HEARD]

    async def prompt(self, blocks: Sequence[Block]) -> schema.PromptResponse:
        """Behind a turn that was cancelled, as soon as that has ended: not every editor waits for its answer.  Raises
        PalimpsestError."""
        while self._turn is not None:
            if not self._cancelled:
                raise InvalidArgument("sessionId", "is being answered; cancel that first, or wait for its end.")
            await self._idle.wait()
        self._cancelled = False
        self._idle.clear()
        self._turn = asyncio.get_running_loop().create_task(self._answered(blocks))
        try:
            stopped = await self._ended(self._turn)
            self._tell_usage()
            return schema.PromptResponse(stop_reason=STOPS[stopped])
        finally:
            self._turn.cancel()  # where the connection ends
            self._turn = None
            self._close_call()
            self._idle.set()
            await self._queue.join()

    async def stop(self) -> None:
        self._cancelled = True
        if not self._conversations.conversing.stop(self.conversation) and self._turn is not None:
            self._turn.cancel()  # such as a command

    async def replay(self) -> None:
        """Tell all that was said, the oldest first."""
        for update in await asyncio.to_thread(self._all_said):
            self._tell(update)
        await self._queue.join()

    async def tell_commands(self) -> None:
        self._tell(updates.available({one.name: (one.does, one.hint) for one in COMMANDS.values()}))

    async def close(self) -> None:
        """Once what is under way has ended, and the editor has been told."""
        await self.stop()
        if self._turn is not None:
            await self._idle.wait()
        await self._queue.join()
        self._end()

    async def aclose(self) -> None:
        """The editor has left.  What it began, and nobody used, is not kept."""
        await self.stop()
        self._end()
        await asyncio.to_thread(self._forget_unused)

    # Parts

    def _end(self) -> None:
        """Nobody is told anything any more, and nobody waits for it."""
        self._is_ended = True
        for end in self._listening:
            end()
        self._sending.cancel()
        while not self._queue.empty():
            self._queue.get_nowait()
            self._queue.task_done()

    def _tell(self, update: Any) -> None:
        if not self._is_ended:
            self._queue.put_nowait(update)

    def _forget_unused(self) -> None:
        memory, talk = self._conversations.conversing.memory, self.conversation
        known = memory.conversations.get(talk)
        if known.head is None and not (known.name or memory.refs.list(talk) or memory.descriptors.list(talk)):
            memory.conversations.delete(talk)

    async def _ended(self, turn: asyncio.Task[Stopped]) -> Stopped:
        try:
            return await turn
        except asyncio.CancelledError:
            if not self._cancelled:
                raise
            return "cancelled"

    async def _answered(self, blocks: Sequence[Block]) -> Stopped:
        workspace, conversing = self._workspace, self._conversations.conversing
        prompt = await asyncio.to_thread(prompt_of, blocks, workspace)
        if self._cancelled:
            return "cancelled"
        if self.unused:
            self._tell(updates.said(UNUSED.format(", ".join(f"`{name}`" for name in self.unused)), "mcp-servers"))
            self.unused = ()
        if (found := command_in(prompt.text)) is not None:
            command, rest = found
            answer = await command.run(self._conversations, self.conversation, rest)
            self._tell(updates.said(answer, f"command-{command.name}"))
            return "cancelled" if self._cancelled else "end"
        await self._named(prompt.text)
        reply = await conversing.send(self.conversation, prompt.text, ReplyOptions(parts=prompt.parts))
        for turn in reply.turns:
            self._tell_documents(turn)
        return reply.stopped

    async def _named(self, text: str) -> None:
        """A conversation is called by what was said first."""
        conversations = self._conversations.conversing.memory.conversations
        known = await asyncio.to_thread(conversations.get, self.conversation)
        title = "".join(char if char.isprintable() else " " for char in text.strip()[:LONGEST_TITLE]).strip()
        if not known.name and title:
            await asyncio.to_thread(conversations.rename, self.conversation, title)
            self._tell(schema.SessionInfoUpdate(session_update="session_info_update", title=title))

    def _tell_usage(self) -> None:
        """How long the conversation is, of what the model can read."""
        talked = self._session.usage.talked
        if talked is not None and talked.conversation == self.conversation and talked.total:
            used, size = talked.used, talked.total
            self._tell(schema.UsageUpdate(session_update="usage_update", used=used, size=size))

    def _happened(self, event: Any) -> None:
        if event.conversation != self.conversation:
            return
        match event:
            case TurnBegan(turn=turn) if turn.role == "user":
                self._tell_documents(turn)
            case TurnText():
                self._text(event)
            case TurnEnded():
                self._turn_ended(event)
            case CallBegan():
                self.call = updates.call_id(event.turn, event.number)
                self._tell(updates.call_began(self.call, event.name, event.arguments))
            case CallDone(call=call):
                self.call = ""
                identity = updates.call_id(event.turn, call.number)
                self._tell(updates.call_done(identity, event.result, failed=call.status == "failed"))
            case CompactionBegan(turn=turn) if self._lines.takes_compactions:
                self._tell(updates.compaction(turn, "in_progress"))
            case CompactionEnded(turn=turn) if self._lines.takes_compactions:
                self._tell(updates.compaction_ended(turn, event.compaction, event.why))

    def _tell_documents(self, turn: Turn) -> None:
        for update in self._documents(turn):
            self._tell(update)

    def _documents(self, turn: Turn) -> list[Any]:
        """What a turn refers to, and what was not found, behind it."""
        most = self._session.services.settings.documents.most_listed
        found, n_more = written_documents(self._conversations.conversing.memory, turn, most)
        return [updates.said(f"\n\n{documents_text(found, n_more)}\n\n", f"documents-{turn.id}")] if found else []

    def _text(self, event: TurnText) -> None:
        if not event.text.startswith(self._sent.get(event.turn, Spoken()).text):
            self._held.pop(event.turn, None)  # that was a thought
        held = self._held.setdefault(event.turn, HeldCalls(self._tools))
        self._tell_text(replace(event, text=held.shown(event.text)))

    def _tell_text(self, event: TurnText) -> None:
        if not self._is_warned and (why := unfit(self._session.services.supervisor.status.model)):
            self._is_warned = True
            self._tell(updates.said(f"{why}\n\n", f"model-{event.turn}"))
        sent, name = self._sent.get(event.turn, Spoken()), f"turn-{event.turn}"
        self._sent[event.turn] = Spoken(event.text, event.thought)
        if not event.text.startswith(sent.text):  # it was a thought; the editor shows it as text and keeps it
            self._tell(updates.said(f"\n\n{event.text}", name))
            return
        if more := _behind(event.thought, sent.thought):
            self._tell(updates.thought(more, name))
        if more := event.text[len(sent.text) :]:
            self._tell(updates.said(more, name))

    def _turn_ended(self, event: TurnEnded) -> None:
        shown = self._shown(event.turn, event.text) if event.stopped in CALLS else event.text
        self._held.pop(event.turn.id, None)
        self._tell_text(TurnText(self.conversation, event.turn.id, shown, _thought(event.turn)))
        for update in _problems(event.turn):
            self._tell(update)

    @property
    def _tools(self) -> Mapping[str, Sequence[str]]:
        return self._conversations.conversing.tools.parameters()

    def _shown(self, turn: Turn, text: str) -> str:
        """A reply without the calls in it."""
        if turn.details.get(NATIVE):
            return text
        return extracted(
            without_calls(self._conversations.conversing.memory.turns.text(turn), self._tools), turn.details
        ).shown

    def _close_call(self) -> None:
        """One that was cancelled does not stay open in the editor."""
        if self.call:
            self._tell(updates.call_done(self.call, CANCELLED, failed=True))
            self.call = ""

    def _all_said(self) -> list[Any]:
        memory = self._conversations.conversing.memory
        compacted = memory.compactions.applied(self.conversation) if self._lines.takes_compactions else {}
        told = list[Any]()
        for turn in memory.turns.branch(self.conversation):
            told += self._said(turn)
            if (found := compacted.get(turn.id)) is not None:
                told.append(updates.compaction_ended(turn.id, found))
        return told

    def _said(self, turn: Turn) -> list[Any]:
        memory = self._conversations.conversing.memory
        text, name = memory.turns.text(turn), f"turn-{turn.id}"
        if turn.role == "user":
            return [updates.asked(text, name), *self._documents(turn)]
        if turn.role != "assistant":
            return []
        found = [updates.thought(it, name)] if (it := _thought(turn)) else list[Any]()
        calls, shown = memory.turns.called(turn.id), extracted(text, turn.details).shown
        if said := self._shown(turn, shown) if calls else shown:
            found.append(updates.said(said, name))
        found += _problems(turn)
        for call, result in calls:
            identity = updates.call_id(turn.id, call.number)
            found.append(updates.call_began(identity, call.name, call.arguments))
            found.append(updates.call_done(identity, result, failed=call.status == "failed"))
        return [*found, *self._documents(turn)]

    async def _send(self) -> None:
        while True:
            update = await self._queue.get()
            try:
                if isinstance(update, Mapping):
                    params = {"sessionId": self.conversation, "update": update}
                    await self._lines.send({"jsonrpc": "2.0", "method": "session/update", "params": params})
                else:
                    await self._client.session_update(self.conversation, update)
            except (ConnectionError, OSError) as error:
                logger.info("the editor is not told any more: %s", error)
            except Exception:  # what follows is told all the same, and who waits for the queue's end goes on
                logger.exception("an update was not told")
            finally:
                self._queue.task_done()


def _thought(turn: Turn) -> str:
    return str(turn.details.get(THOUGHT, ""))


def _behind(text: str, sent: str) -> str:
    """What has come of a text since; nothing of one that does not go on from what was sent."""
    return text[len(sent) :] if text.startswith(sent) else ""


def _problems(turn: Turn) -> list[Any]:
    """Why a reply was ended, where the reason for stopping does not tell, and what is wrong with its refs."""
    told = list(turn.details.get(PROBLEMS, ()))
    if turn.details.get("stopped") == "repeated":
        told.insert(0, f"Not finished: {turn.details['why']}")
    return [updates.said(f"\n\n{problem}", f"turn-{turn.id}") for problem in told]


def prompt_of(blocks: Iterable[Block], files: AcpWorkspace) -> AcpPrompt:
    """Raises InvalidArgument for what is neither text nor a link, and for secrets."""
    typed, parts, was_text = "", dict[str, MessagePart](), False
    for block in blocks:
        if isinstance(block, schema.TextContentBlock):
            # a text right behind a text is one of its own, such as the code that was selected
            apart = was_text and typed.strip() and block.text.strip()
            typed = f"{typed}\n\n{block.text}" if apart else _beside(typed, block.text)
        elif isinstance(block, schema.ResourceContentBlock):
            text = files.text_of(block.uri)
            shown = f"[{block.name}]({block.uri})" if text is None else _added(parts, files.named(block.uri), text)
            typed = _beside(typed, shown)
        elif isinstance(block, schema.EmbeddedResourceContentBlock) and isinstance(
            block.resource, schema.TextResourceContents
        ):
            uri, text, name = block.resource.uri, block.resource.text, files.named(block.resource.uri)
            if (reason := files.why_not(uri, text)) is not None:
                raise InvalidArgument("prompt", f"{name} {reason}; take it out.")
            typed = _beside(typed, _added(parts, name, text))
        else:
            raise InvalidArgument("prompt", "the model reads only text: take pictures, sounds and binary files out.")
        was_text = isinstance(block, schema.TextContentBlock)
    return AcpPrompt(typed.strip("\n"), tuple(parts.values()))


def _beside(typed: str, more: str) -> str:
    """A word and a file are kept apart where the editor has not done so."""
    touch = _WORD_OR_FILE.match(typed[-1:]) and _WORD_OR_FILE.match(more[:1])
    return f"{typed} {more}" if touch else typed + more


def _added(parts: dict[str, MessagePart], name: str, text: str) -> str:
    """A file once, by its name; what stands for it in the text."""
    parts[name] = MessagePart(text, f"file:{name}", language_of("", name).id)
    return f"`{name}`"
