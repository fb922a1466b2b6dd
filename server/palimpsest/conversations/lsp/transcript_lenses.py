"""Code lenses, folding and links of a conversation's document.

In: a document with a conversation's front matter, or one called `*.palimpsest.md`.  Out: "Send" on what is to be said,
"Stop" while a reply comes; folds for front matter, turns, and calls with documents; the links in what was said.
"""

import asyncio
from collections.abc import Iterator
from typing import Any

from lsprotocol import types as lsp

from palimpsest.conversations.events import TurnBegan, TurnEnded
from palimpsest.conversations.feature import conversations_of
from palimpsest.conversations.lsp.transcript_sending import conversation_of, pending_of
from palimpsest.conversations.memory import Memory
from palimpsest.conversations.transcript.reading import Transcript, parse
from palimpsest.documents.wikilinks import Link
from palimpsest.errors import PalimpsestError
from palimpsest.lsp.server import PalimpsestServer
from palimpsest.session.session import Session
from palimpsest.text.snapshot import Snapshot

SEND, STOP = "palimpsest.conversation.send", "palimpsest.conversation.stop"
FORK, COMPACT = "palimpsest.conversation.fork", "palimpsest.conversation.compact"
TOOLTIPS = {
    SEND: "Say what stands here; the model's reply is written below it.",
    STOP: "End the reply; what has come of it is kept.",
    FORK: "Go on from this reply in another conversation, beside this one.",
    COMPACT: "A summary takes the place of these turns in what the model reads; they stay here.",
}


async def code_lens(server: PalimpsestServer, params: lsp.CodeLensParams) -> list[lsp.CodeLens]:
    session = server.window.session
    try:
        found = await asyncio.to_thread(lenses, session, session.documents.get(params.text_document.uri))
    except PalimpsestError:
        return []
    if server.window.client.tooltips:
        for command in (lens.command for lens in found if lens.command is not None):
            command.tooltip = TOOLTIPS[command.command]
    return found


async def folding_range(server: PalimpsestServer, params: lsp.FoldingRangeParams) -> list[lsp.FoldingRange]:
    return await asyncio.to_thread(_folds, server.window.session.documents.get(params.text_document.uri))


def lenses(session: Session, snapshot: Snapshot) -> list[lsp.CodeLens]:
    """Raises StorageError."""
    memory, transcript = conversations_of(session).memory.now(), parse(snapshot.text)
    talk = conversation_of(memory, transcript)
    if talk is not None and conversations_of(session).conversing.is_running(talk.id):
        kept = [turn.start for turn in transcript.turns if turn.id is not None]
        return [_lens(kept[-1] if kept else 0, "Stop", STOP, {"uri": snapshot.uri})]
    if talk is None:
        said = [turn for turn in transcript.turns if turn.role == "user" and turn.text.strip()]
        return [_lens(said[-1].start, "Send", SEND, {"uri": snapshot.uri})] if said else []
    return [*_sends(memory, talk.id, snapshot, transcript), *_beside(talk.id, snapshot.uri, transcript)]


def _beside(talk: str, uri: str, transcript: Transcript) -> Iterator[lsp.CodeLens]:
    """ "Fork here" behind each reply, "Compact" on the last."""
    replies = [turn for turn in transcript.turns if turn.role == "assistant" and turn.id is not None]
    for turn in replies:
        yield _lens(turn.start, "Fork here", FORK, {"conversation": talk, "turn": turn.id, "uri": uri})
    if replies:
        yield _lens(replies[-1].start, "Compact", COMPACT, {"conversation": talk})


def _sends(memory: Memory, talk: str, snapshot: Snapshot, transcript: Transcript) -> list[lsp.CodeLens]:
    pending = pending_of(memory, talk, transcript)
    if pending is None:
        return []
    title = "Send again" if pending.is_again else "Send as another branch" if pending.is_branch else "Send"
    return [_lens(transcript.turns[pending.last].start, title, SEND, {"uri": snapshot.uri})]


def _lens(line: int, title: str, command: str, argument: dict[str, Any]) -> lsp.CodeLens:
    where = lsp.Range(lsp.Position(line, 0), lsp.Position(line, 0))
    return lsp.CodeLens(where, lsp.Command(title=title, command=command, arguments=[argument]))


def _folds(snapshot: Snapshot) -> list[lsp.FoldingRange]:
    transcript, found = parse(snapshot.text), list[lsp.FoldingRange]()
    if transcript.front_end > 1:
        found.append(lsp.FoldingRange(0, transcript.front_end - 1, kind=lsp.FoldingRangeKind.Imports))
    for turn in transcript.turns:
        last = turn.end - 1
        while last > turn.start and not snapshot.lines[last].strip():
            last -= 1
        if last > turn.start:
            found.append(lsp.FoldingRange(turn.start, last, kind=lsp.FoldingRangeKind.Region))
        beside = next((at for at in range(turn.text_end, last) if snapshot.lines[at].startswith("<!-- calls")), None)
        if beside is not None:
            found.append(lsp.FoldingRange(beside, last, kind=lsp.FoldingRangeKind.Comment))
    return found


def begin(server: PalimpsestServer, session: Session) -> None:
    """Have the editor ask again where a reply begins or ends."""

    def refresh(_: object) -> None:
        if server.window.client.refreshes_lenses:
            server.protocol.send_request(lsp.WORKSPACE_CODE_LENS_REFRESH, None)

    session.events.on(TurnBegan, refresh)
    session.events.on(TurnEnded, refresh)


def said(snapshot: Snapshot, every: list[Link]) -> list[Link]:
    """Not the links that the server has written around the turns: it repeats those that stand in them."""
    lines = [range(turn.text_start, turn.text_end) for turn in parse(snapshot.text).turns]
    at = [snapshot.position(link.start).line for link in every]
    return [link for link, line in zip(every, at, strict=True) if any(line in text for text in lines)]
