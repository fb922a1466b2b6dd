"""`palimpsest.ask`: something is said in a conversation, without a document of it; what a conversation takes.

In: `{text, conversation?, uri?, position?}`.  Out: `{conversation, reply, refs, calls, documents, usage}`.  While the
reply is written, the progress shows its last line.
"""

from dataclasses import asdict, dataclass, field
from typing import Any

from palimpsest.conversations.budgets import ConversationUsage
from palimpsest.conversations.calls.parsing import calls_in
from palimpsest.conversations.conversations import name_of
from palimpsest.conversations.conversing import Reply, ReplyOptions
from palimpsest.conversations.events import TurnText
from palimpsest.conversations.feature import conversations_of
from palimpsest.conversations.lsp.parts import PartOf, parts_of
from palimpsest.conversations.memory import Memory
from palimpsest.conversations.prompt_builder import CursorPlace
from palimpsest.conversations.refs.tags import PROBLEMS, extracted
from palimpsest.conversations.turns import Role
from palimpsest.errors import InvalidArgument
from palimpsest.lsp.arguments import At
from palimpsest.lsp.command import Command
from palimpsest.lsp.convert import position_in
from palimpsest.lsp.progress import report
from palimpsest.lsp.server import PalimpsestServer

LONGEST_REPORT = 80
"""Characters of a line of progress."""


@dataclass(frozen=True, slots=True)
class Ask:
    """`uri` and `position`: whose blocks the model sees; without them, those where the cursor was last.  Without
    `text`, what was said last in the conversation is answered again.  `parts`: what comes with it."""

    text: str = ""
    conversation: str = ""
    uri: str = ""
    position: At | None = None
    parts: list[PartOf] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Append:
    conversation: str
    role: Role
    content: str
    source: str = ""
    parts: list[PartOf] = field(default_factory=list)


async def ask(server: PalimpsestServer, asked: Ask) -> dict[str, Any]:
    session = server.window.session
    memory = conversations_of(session).memory.now()
    parts = await parts_of(server, asked.parts)
    if not asked.conversation and not asked.text.strip() and not parts:
        raise InvalidArgument("text", "is empty.")
    talk = asked.conversation
    if not talk:
        workspace = session.services.roots.names
        talk = (await memory.writes.run(memory.conversations.new, name_of(asked.text), workspace=workspace)).id

    def came(event: TurnText) -> None:
        if event.conversation == talk:
            report((event.text or event.thought).rstrip().rpartition("\n")[2][-LONGEST_REPORT:])

    stop = session.events.on(TurnText, came)
    try:
        said = asked.text or ("" if parts else None)
        reply = await conversations_of(session).conversing.send(
            talk, said, ReplyOptions(_cursor(server, asked), parts=parts)
        )
    finally:
        stop()
    taken = await conversations_of(session).conversing.usage(reply.turn.conversation)
    return {**answered(memory, reply), "usage": {"decoded": reply.decoded, **_usage(taken)}}


async def append(server: PalimpsestServer, turn: Append) -> dict[str, Any]:
    """A turn made elsewhere enters as if made here; what it calls is not run."""
    conversing = conversations_of(server.window.session).conversing
    parts = await parts_of(server, turn.parts)
    said = await conversing.append(turn.conversation, turn.role, turn.content, turn.source, parts)
    memory = conversing.memory
    found = calls_in(turn.content, conversing.tools.parameters()) if turn.role == "assistant" else []
    return {
        "turn": said.id,
        "fd": said.descriptor,
        "refs": [ref.id for ref in memory.refs.list(turn.conversation) if ref.turn == said.id],
        "problems": list(said.details.get(PROBLEMS, ())),
        "documents": [asdict(one) for one in memory.documents.of_turn(said.id)],
        "calls": [{"name": call.name, "status": "not run"} for call in found],
    }


def answered(memory: Memory, reply: Reply) -> dict[str, Any]:
    """A reply as `palimpsest.ask` answers it."""
    tagged = [ref.id for turn in reply.turns for ref in extracted(memory.turns.text(turn), turn.details).refs]
    return {
        "conversation": reply.turn.conversation,
        "turn": reply.turn.id,
        "reply": reply.text,
        "stopped": reply.stopped,
        "refs": list(dict.fromkeys(tagged)),  # also one that is as it was before
        "problems": [problem for turn in reply.turns for problem in turn.details.get(PROBLEMS, ())],
        "calls": [
            {"name": call.name, "arguments": dict(call.arguments), "status": call.status, "fd": call.descriptor}
            for turn in reply.turns
            for call in memory.turns.calls(turn.id)
        ],
        "documents": documents_of(memory, reply),
    }


def documents_of(memory: Memory, reply: Reply) -> list[dict[str, Any]]:
    """Those that the message links to, then those that were found or read for the reply."""
    asked = reply.turns[0].parent if reply.turns else reply.turn.parent
    turns = [*([asked] if asked is not None else []), *(turn.id for turn in reply.turns)]
    return [{"turn": turn, **asdict(one)} for turn in turns for one in memory.documents.of_turn(turn)]


async def usage_of(server: PalimpsestServer, conversation: str, *, items: bool) -> dict[str, Any]:
    """`items`: with what each message, result, tool and block of it takes."""
    conversing = conversations_of(server.window.session).conversing
    answer = _usage(await conversing.usage(conversation))
    return answer | ({"items": await conversing.usage_items(conversation)} if items else {})


def _usage(found: ConversationUsage) -> dict[str, Any]:
    """With the field names of docs/commands.md.  `compact`: it is time to."""
    parts = {name: asdict(part) | {"percentage": part.percentage} for name, part in found.parts.items()}
    return {
        "total": found.total,
        "used": found.used,
        "available": found.available,
        "parts": {**parts, "blocks": found.blocks},
        "estimated": found.estimated,
        "compact": found.should_compact(),
    }


def _cursor(server: PalimpsestServer, asked: Ask) -> CursorPlace | None:
    """Raises InvalidArgument for a document that is not open."""
    session = server.window.session
    if asked.uri:
        snapshot = session.documents.get(asked.uri)
        where = (asked.position or At(0, 0)).lsp
        return CursorPlace(snapshot.uri, position_in(snapshot, where, server.window.client.encoding))
    return None if session.cursor.code is None else CursorPlace(*session.cursor.code)


COMMANDS = (
    Command(
        "palimpsest.ask",
        Ask,
        ask,
        "an answer in a conversation (a new one without `conversation`), seen with the blocks at the cursor",
        slow="Answering",
    ),
    Command(
        "palimpsest.conversation.append",
        Append,
        append,
        "a turn made elsewhere (an agent's reply, something pasted) enters as if made here; its calls are not run",
    ),
)
