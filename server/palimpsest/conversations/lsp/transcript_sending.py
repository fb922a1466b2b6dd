"""`palimpsest.conversation.send` and `.stop`: what stands last in a conversation's document is said.

In: a document.  Out: the reply, as `palimpsest.ask` answers it; the document grows meanwhile (`transcript_showing.py`).
Where a person has edited or taken away earlier turns, the conversation goes on from there as another branch, once they
have been asked; nothing of the old one is lost.
"""

import asyncio
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from palimpsest.conversations.conversations import Conversation, name_of
from palimpsest.conversations.conversing import ReplyOptions
from palimpsest.conversations.events import BranchChanged
from palimpsest.conversations.feature import conversations_of
from palimpsest.conversations.lsp.ask import answered
from palimpsest.conversations.lsp.transcript_showing import replaced
from palimpsest.conversations.memory import Memory
from palimpsest.conversations.prompt_builder import QUOTED, CursorPlace
from palimpsest.conversations.transcript.reading import DocumentTurn, Transcript, parse
from palimpsest.conversations.transcript.showing import front_of, shown_text
from palimpsest.conversations.transcript.updating import is_same, unnumbered, with_front, without
from palimpsest.conversations.turns import Turn
from palimpsest.errors import Denied, InvalidArgument, NotFound, StaleDocument
from palimpsest.lsp.arguments import Uri
from palimpsest.lsp.asking import NO, chosen
from palimpsest.lsp.command import Commands
from palimpsest.lsp.server import PalimpsestServer
from palimpsest.text.snapshot import Snapshot

MOST_BEFORE = 500
"""Turns that a document brings along, from elsewhere or from somebody else."""
BRANCH = "Go on from there"
QUESTION = (
    "Turn {turn} is not as it was. Go on from there as another branch of the conversation? What was said behind it is "
    "kept."
)
SHOW = "Show them"
MORE = (
    "The conversation has turns that this document does not show: it has gone on elsewhere, or they were taken away. "
    "Go on without them, as another branch of the conversation? They are kept."
)


@dataclass(frozen=True, slots=True)
class Pending:
    """Turn `last` of the document is to be said; up to turn `kept` it is as the conversation is.  `unfinished`: the
    reply that another takes the place of.  `untouched`: turns of the conversation that are as they were."""

    last: int
    kept: int
    is_branch: bool
    is_again: bool
    unfinished: DocumentTurn | None = None
    untouched: Collection[int] = ()


COMMANDS = Commands()


@COMMANDS.add(
    "palimpsest.conversation.send",
    "what stands last in a conversation's document is said; the reply streams into the document",
    slow="Answering",
)
async def send(server: PalimpsestServer, asked: Uri) -> dict[str, Any]:
    with conversations_of(server.window.session).conversing.sending(asked.uri):
        return await _sent(server, asked)


async def _sent(server: PalimpsestServer, asked: Uri) -> dict[str, Any]:
    session = server.window.session
    conversing = conversations_of(session).conversing
    async with conversing.writing(asked.uri):
        talk, pending, turns = await _prepared(server, asked.uri)
    for turn in turns[pending.kept : pending.last]:
        if turn.id is not None and turn.id in pending.untouched:
            await conversing.say_again(talk, turn.id)
            continue
        source = "" if _is_from_here(conversing.memory, talk, turn, pending) else QUOTED
        await conversing.append(talk, turn.role, turn.text, source)  # type: ignore[arg-type]
    said = None if pending.is_again else turns[pending.last].text
    place = session.cursor.code
    asked_at = ReplyOptions(None if place is None else CursorPlace(*place))
    return answered(conversing.memory, await conversing.send(talk, said, asked_at))


async def _prepared(server: PalimpsestServer, uri: str) -> tuple[str, Pending, Sequence[DocumentTurn]]:
    """The conversation, what of its document is to be said, and the document's turns; both show no more than what it
    goes on from."""
    session = server.window.session
    memory, snapshot = conversations_of(session).memory.now(), session.documents.get(uri)
    transcript = await asyncio.to_thread(parse, snapshot.text)
    known = conversation_of(memory, transcript)
    if known is not None:
        await conversations_of(session).conversing.settle(known.id)
    pending = await asyncio.to_thread(pending_of, memory, known.id if known is not None else None, transcript)
    if pending is None:
        raise InvalidArgument("uri", "there is nothing to send: write something below the last “## user”.")
    turns = transcript.turns
    if pending.last - pending.kept > MOST_BEFORE:
        few = f"{pending.last - pending.kept:,} turns stand before it that are not kept yet, and {MOST_BEFORE} can be"
        raise InvalidArgument("uri", f"{few}; take away what is not needed.")
    talk = known or await _begun(memory, snapshot, transcript, session.services.roots.names)
    if conversations_of(session).conversing.is_running(talk.id):
        raise InvalidArgument("conversation", "is being answered; stop that first, or wait for its end.")
    if pending.is_branch:
        await _asked(server, talk.id, turns[pending.kept].id)
    text = "\n".join(snapshot.lines)
    if pending.is_branch or any(turn.id is not None for turn in turns[pending.kept :]):  # numbers of another database
        text = unnumbered(text, pending.kept, pending.last)
    if pending.unfinished is not None:
        text = without(text, pending.unfinished)
    model = session.services.supervisor.status.model
    front = front_of(talk) | ({"model": model.name} if model is not None else {})
    text = with_front(text, {name: front[name] for name in ("id", "model", "workspace") if front[name]})
    if not _is_as(server, snapshot) or not await replaced(server, snapshot, text):
        if _is_as(server, snapshot):
            raise StaleDocument("The editor did not change the document; what is said by palimpsest.ask needs none.")
        raise StaleDocument("The document was edited meanwhile; send it again.")
    await memory.writes.run(_shown_here, memory, talk.id, snapshot.uri, pending)
    return talk.id, pending, turns


async def _asked(server: PalimpsestServer, conversation: str, turn: int | None) -> None:
    """Whether to go on as another branch: from before a turn that was edited, or without turns that are not shown.
    Raises Denied."""
    question = QUESTION.format(turn=turn) if turn is not None else MORE
    answer = await chosen(server, question, (BRANCH, NO) if turn is not None else (SHOW, BRANCH, NO))
    if answer == SHOW:
        server.window.session.events.emit(BranchChanged(conversation))
        raise Denied("Nothing was sent: the document shows all of the conversation now.")
    if answer != BRANCH:
        raise Denied("The conversation goes on as it was: nothing was sent.")


def _is_as(server: PalimpsestServer, snapshot: Snapshot) -> bool:
    now = server.window.session.documents.find(snapshot.uri)
    return now is not None and now.version == snapshot.version


@COMMANDS.add("palimpsest.conversation.stop", "stops the reply; what has come of it is kept")
async def stop(server: PalimpsestServer, asked: Uri) -> dict[str, Any]:
    session = server.window.session
    transcript = await asyncio.to_thread(parse, session.documents.get(asked.uri).text)
    talk = conversation_of(conversations_of(session).memory.now(), transcript)
    return {"stopped": talk is not None and conversations_of(session).conversing.stop(talk.id)}


def conversation_of(memory: Memory, transcript: Transcript) -> Conversation | None:
    try:
        return memory.conversations.get(transcript.id) if transcript.id else None
    except NotFound:
        return None


def pending_of(memory: Memory, conversation: str | None, transcript: Transcript) -> Pending | None:
    """What a document has to say; None for nothing.  `conversation`: None for one that is not kept here."""
    turns, branch = list(transcript.turns), memory.turns.branch(conversation) if conversation is not None else []
    while turns and turns[-1].role == "user" and not turns[-1].text.strip():
        turns.pop()
    kept = 0
    while kept < min(len(turns), len(branch)) and _is_kept(memory, turns[kept], branch[kept]):
        kept += 1
    if kept == len(turns):
        return _again(turns, branch)
    last = max((at for at, turn in enumerate(turns) if turn.role == "user" and turn.text.strip()), default=-1)
    is_answered = any(turn.role == "assistant" for turn in turns[last + 1 :])
    if last < kept or (is_answered and turns[last].id is None):
        return None
    if is_answered:  # an earlier turn was edited, and replies of before stand behind it
        last = next((at for at in range(kept, len(turns)) if turns[at].role == "user"), last)
    known = {turn.id: turn for turn in branch}
    there = [(turn, known[turn.id]) for turn in turns[kept:last] if turn.id in known]
    untouched = {one.id for turn, one in there if _is_kept(memory, turn, one)}
    return Pending(last, kept, is_branch=kept < len(branch), is_again=False, untouched=untouched)


def _again(turns: Sequence[DocumentTurn], branch: Sequence[Turn]) -> Pending | None:
    """What was said last once more, where it has no reply that came to its end.  An unfinished reply need not stand in
    the document: a person took it away, or it was not written yet."""
    is_cut = bool(branch) and branch[-1].is_unfinished
    asked = branch[: len(branch) - is_cut]
    if not asked or asked[-1].role != "user" or not len(asked) <= len(turns) <= len(branch):
        return None
    unfinished = turns[-1] if len(turns) > len(asked) else None
    return Pending(len(asked) - 1, len(turns), is_branch=False, is_again=True, unfinished=unfinished)


def _is_kept(memory: Memory, turn: DocumentTurn, known: Turn) -> bool:
    return turn.id == known.id and turn.role == known.role and is_same(turn.text, shown_text(memory, known))


def _is_from_here(memory: Memory, talk: str, turn: DocumentTurn, pending: Pending) -> bool:
    """Whether it is one of the conversation's as it was, or as the person has edited it and said that it goes on from
    there."""
    try:
        known = memory.turns.get(turn.id) if turn.id is not None else None
    except NotFound:
        return False
    is_own = known is not None and (known.conversation, known.role) == (talk, turn.role)
    return known is not None and is_own and (pending.is_branch or _is_kept(memory, turn, known))


async def _begun(memory: Memory, snapshot: Snapshot, transcript: Transcript, workspace: str) -> Conversation:
    """A new one, for a document that has none, or one that is not kept here."""
    said = next((turn.text for turn in transcript.turns if turn.text.strip()), "")
    return await memory.writes.run(memory.conversations.new, name_of(said), snapshot.uri, workspace=workspace)


def _shown_here(memory: Memory, talk: str, uri: str, pending: Pending) -> None:
    """Its document is this one; it goes on where that does, without a reply that another takes the place of."""
    with memory.database.transaction():
        memory.conversations.set_uri(talk, uri)
        branch = memory.turns.branch(talk)
        kept = [turn.id for turn in branch[: pending.kept] if not (pending.is_again and turn.is_unfinished)]
        if len(kept) < len(branch):
            memory.turns.set_head(talk, kept[-1] if kept else None)
