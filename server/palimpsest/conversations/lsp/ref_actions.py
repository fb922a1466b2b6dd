"""Code actions for conversations: "Send" and "Stop" in their documents; on any place in a file the refs of those that
are open, and what a code block or a selection can become: a ref, a descriptor.

In: a range in a document.  Out: actions with commands.  In a conversation's document these are for the refs at the
place (`refs_at`).
"""

import asyncio
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from lsprotocol import types as lsp

from palimpsest.conversations.conversations import Conversation
from palimpsest.conversations.feature import conversations_of
from palimpsest.conversations.lsp import transcript_lenses
from palimpsest.conversations.lsp.document_commands import OFFER, being_written
from palimpsest.conversations.lsp.link_ids import conversation_of, ids
from palimpsest.conversations.lsp.transcript_lenses import lenses
from palimpsest.conversations.memory import Memory
from palimpsest.conversations.refs.refs import Ref
from palimpsest.conversations.refs.tags import extracted
from palimpsest.conversations.transcript.reading import DocumentTurn, parse
from palimpsest.errors import NotFound, PalimpsestError
from palimpsest.languages.embedded import called
from palimpsest.lsp.action_kinds import is_asked
from palimpsest.lsp.protocol import converter
from palimpsest.lsp.server import PalimpsestServer
from palimpsest.text.conversations import is_conversation
from palimpsest.text.snapshot import Snapshot
from palimpsest.text.uris import path_or_none

_UNFIT = re.compile(r"[^\w.-]+")
REF, DESCRIPTOR = "refactor.rewrite.palimpsest.ref", "refactor.rewrite.palimpsest.fd"
SEND = "refactor.rewrite.palimpsest.send"
KINDS = (REF, DESCRIPTOR, SEND)
ADD, CREATE = "palimpsest.refs.add", "palimpsest.fd.create"
LONGEST_NAME = 40
"""Characters of a conversation's name that are shown."""
MOST_REFS = 5
"""The newest this many of a conversation's refs are offered."""
MOST_CONVERSATIONS = 3


async def code_action(server: PalimpsestServer, params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
    wanted = params.context.only
    if not any(is_asked(wanted, kind) for kind in KINDS):
        return []
    found = await asyncio.to_thread(_actions, server, params)  # a conversation's document may be long
    return [action for action in found if is_asked(wanted, action.kind or "")]


def _actions(server: PalimpsestServer, params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
    """None where the database cannot be read: that is told where somebody asks for a conversation."""
    found = list[lsp.CodeAction]()
    for some in (_to_send, _to_file, _to_keep):
        with suppress(PalimpsestError):  # told elsewhere
            found += some(server, params)
    return found


def _to_send(server: PalimpsestServer, params: lsp.CodeActionParams) -> Iterator[lsp.CodeAction]:
    session = server.window.session
    snapshot = session.documents.find(params.text_document.uri)
    if snapshot is None or not is_conversation(snapshot.uri, snapshot.lines):
        return
    here = turn_at(snapshot, params.range.start.line)
    for lens in lenses(session, snapshot):
        if lens.command is None:
            continue
        sends = lens.command.command in (transcript_lenses.SEND, transcript_lenses.STOP)
        if sends or (here is not None and here.start == lens.range.start.line):
            title = f"Palimpsest: {lens.command.title.lower()}"
            yield lsp.CodeAction(title=title, kind=SEND, command=lens.command, is_preferred=sends or None)
    if server.window.settings.documents.related and being_written(parse(snapshot.text)) is not None:
        yield _action("link to a related document…", SEND, OFFER, {"uri": snapshot.uri})


def _to_file(server: PalimpsestServer, params: lsp.CodeActionParams) -> Iterator[lsp.CodeAction]:
    if not server.window.settings.conversation.refs:
        return
    snapshot = server.window.session.documents.find(params.text_document.uri)
    if snapshot is not None and (own := conversation_of(snapshot)):
        yield from in_conversation(server, snapshot, own, params.range)
        return
    path = path_or_none(params.text_document.uri)
    if path is None or not server.window.roots.may_edit(params.text_document.uri):
        return
    memory = conversations_of(server.window.session).conversing.memory
    every = _open(server)[:MOST_CONVERSATIONS]
    refs = {one.id: list(reversed(memory.refs.list(one.id)[-MOST_REFS:])) for one in every}
    n_called = Counter(ref.id for some in refs.values() for ref in some)
    for conversation in every:
        for ref in refs[conversation.id]:
            whose = f" of {_called(conversation)}" if n_called[ref.id] > 1 else ""
            yield from _of(conversation.id, ref, whose, str(path), params.range.start.line + 1)


def _to_keep(server: PalimpsestServer, params: lsp.CodeActionParams) -> Iterator[lsp.CodeAction]:
    session = server.window.session
    snapshot = session.documents.find(params.text_document.uri)
    if snapshot is None:
        return
    memory, own = conversations_of(session).conversing.memory, conversation_of(snapshot)
    if server.window.settings.conversation.refs:
        yield from _blocks(memory, snapshot, params.range)
    for conversation in [memory.conversations.get(own)] if own else _open(server)[:1]:
        yield from _selection(server, snapshot, params.range, conversation)


def in_conversation(
    server: PalimpsestServer, snapshot: Snapshot, conversation: str, range: lsp.Range
) -> Iterator[lsp.CodeAction]:
    """For the refs at a place of their conversation's document: to a file, or to where the person was in another."""
    session, roots = server.window.session, server.window.roots
    place = session.cursor.code
    file = path_or_none(place[0]) if place is not None and roots.may_edit(place[0]) else None
    beside = path_or_none(snapshot.uri) or file or (roots.folders[0] / "ref" if roots.folders else None)
    for ref in refs_at(conversations_of(session).conversing.memory, snapshot, conversation, range):
        given = {"conversation": conversation, "ref_id": ref.id}
        if beside is not None:
            new = ref.path or _new_file(ref, str(beside))
            yield _writing(f"write ref {ref.id} to {Path(new).name}", {**given, "file_path": new, "ask": True})
        if file is not None and place is not None:
            given, name, line = {**given, "file_path": str(file)}, roots.locate(place[0])[1], place[1].line + 1
            yield _writing(f"append ref {ref.id} to {name}", {**given, "mode": "append"})
            yield _writing(f"insert ref {ref.id} at {name}:{line}", {**given, "mode": "insert", "insert_at_line": line})


def _open(server: PalimpsestServer) -> list[Conversation]:
    """Those whose documents are open, the one changed last first; without any, the one changed last."""
    session = server.window.session
    known = conversations_of(session).conversing.memory.conversations.list()
    return [one for one in known if one.uri and session.documents.find(one.uri)] or known[:1]


def _of(conversation: str, ref: Ref, whose: str, here: str, line: int) -> list[lsp.CodeAction]:
    """`line`: that of the cursor, from 1.  `whose`: the conversation, where others have a ref that is called so."""
    which = f"ref {ref.id}{whose}"
    given = {"conversation": conversation, "ref_id": ref.id}
    file = ref.path or _new_file(ref, here)
    return [
        _writing(f"insert {which} here", {**given, "file_path": here, "mode": "insert", "insert_at_line": line}),
        _writing(f"append {which} to this file", {**given, "file_path": here, "mode": "append"}),
        _writing(f"write {which} to {Path(file).name}", {**given, "file_path": file, "ask": True}),
    ]


def _new_file(ref: Ref, here: str) -> str:
    """Beside the file that the person is in, called as the ref is."""
    language = called(ref.language) if ref.language else None
    suffix = language.suffixes[0] if language is not None and language.suffixes else ".txt"
    return str(Path(here).with_name(f"{_UNFIT.sub('_', ref.id)}{suffix}"))


def _writing(title: str, argument: dict[str, object]) -> lsp.CodeAction:
    action = _action(title, REF, "palimpsest.refs.write", argument)
    action.data = argument
    return action


def _action(title: str, kind: str, command: str, argument: dict[str, object]) -> lsp.CodeAction:
    title = f"Palimpsest: {title}"
    return lsp.CodeAction(title, kind=kind, command=lsp.Command(title=title, command=command, arguments=[argument]))


def turn_at(snapshot: Snapshot, line: int) -> DocumentTurn | None:
    return next((turn for turn in parse(snapshot.text).turns if turn.start <= line < turn.end), None)


def refs_at(memory: Memory, snapshot: Snapshot, conversation: str, range: lsp.Range) -> list[Ref]:
    """In the order of the text, each once.  Raises NotFound."""
    first, last = range.start.line, range.end.line
    turn = turn_at(snapshot, first)
    written = [one.id for line in snapshot.lines[first : last + 1] for one in ids(line) if one.kind == "ref"]
    if not written and turn is not None and turn.id is not None:
        written = _of_turn(memory, snapshot, turn, first, last)
    known = {ref.id: ref for ref in memory.refs.list(conversation)}
    return [known[id] for id in dict.fromkeys(written) if id in known]


def _of_turn(memory: Memory, snapshot: Snapshot, turn: DocumentTurn, first: int, last: int) -> list[str]:
    try:
        said = memory.turns.get(turn.id or 0)
        tagged = extracted(memory.turns.text(said), said.details)
    except NotFound:
        return []
    if first >= turn.text_end or first < turn.text_start:
        return [ref.id for ref in tagged.refs]
    skipped = len(tagged.shown) - len(tagged.shown.lstrip("\r\n"))  # which the document leaves out
    found = list[str]()
    for ref in tagged.refs:
        start, end = (
            turn.text_start + tagged.shown.count("\n", skipped, max(skipped, at)) for at in (ref.start, ref.end)
        )
        if start <= last and end >= first:
            found.append(ref.id)
    return found


def _blocks(memory: Memory, snapshot: Snapshot, range: lsp.Range) -> Iterator[lsp.CodeAction]:
    """For the code blocks in a range of a conversation's document that are no refs yet.  Raises NotFound."""
    conversation = conversation_of(snapshot)
    if not conversation:
        return
    for turn in parse(snapshot.text).turns:
        if turn.id is None or turn.text_end <= range.start.line or turn.text_start > range.end.line:
            continue
        for one in memory.refs.suggest(conversation, turn.text):
            first, last = (turn.text_start + turn.text.count("\n", 0, at) for at in (one.start, one.end))
            if first <= range.end.line and last >= range.start.line and one.content:
                attributes = {"lang": one.language} if one.language else {}
                given = {"conversation": conversation, "ref_id": one.id, "content": one.content, "turn": turn.id}
                given |= {"attributes": attributes, "tell": True}
                yield _action(f"make this code block a ref ({one.id})", REF, ADD, given)


def _selection(
    server: PalimpsestServer, snapshot: Snapshot, range: lsp.Range, to: Conversation
) -> Iterator[lsp.CodeAction]:
    """For what is selected.  Raises InvalidArgument for a document that is kept from models."""
    if range.start == range.end:
        return
    server.window.session.services.privacy.check(snapshot)
    given = {"conversation": to.id, "uri": snapshot.uri, "range": converter().unstructure(range), "tell": True}
    yield _action(f"put this selection into a descriptor of {_called(to)}", DESCRIPTOR, CREATE, given)


def _called(talk: Conversation) -> str:
    name = talk.name if len(talk.name) <= LONGEST_NAME else f"{talk.name[: LONGEST_NAME - 1]}…"
    return f"“{name or talk.id}”"
