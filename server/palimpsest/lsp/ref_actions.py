"""Code actions for conversations: "Send" and "Stop" in their documents; on any place in a file the refs of those that
are open, and what a code block or a selection can become (`ref_making.py`).

In: a range in a document.  Out: actions with commands.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol import types as lsp

from palimpsest.errors import PalimpsestError
from palimpsest.languages.embedded import called
from palimpsest.lsp import ref_making, transcript_lenses
from palimpsest.lsp.link_ids import conversation_of, ids
from palimpsest.lsp.refs import WRITE
from palimpsest.lsp.related_documents import OFFER, being_written
from palimpsest.lsp.transcript_lenses import lenses
from palimpsest.memory.transcript.reading import is_conversation, parse
from palimpsest.text.uris import path_or_none

if TYPE_CHECKING:
    from palimpsest.lsp.server import PalimpsestServer
    from palimpsest.memory.conversations.conversations import Conversation
    from palimpsest.memory.refs.refs import Ref
    from palimpsest.text.snapshot import Snapshot

_UNFIT = re.compile(r"[^\w.-]+")
SEND = "refactor.rewrite.palimpsest.send"
KINDS = (*ref_making.KINDS, SEND)
MOST_REFS = 5
"""Of a conversation, those made last."""
MOST_CONVERSATIONS = 3


def actions(server: PalimpsestServer, params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
    """None where the database cannot be read: that is told where somebody asks for a conversation."""
    if params.context.trigger_kind == lsp.CodeActionTriggerKind.Automatic:
        return []
    found = list[lsp.CodeAction]()
    for some in (_to_send, _to_file, _to_keep):
        with suppress(PalimpsestError):
            found += some(server, params)
    return found


def _to_send(server: PalimpsestServer, params: lsp.CodeActionParams) -> Iterator[lsp.CodeAction]:
    session = server.window.session
    snapshot = session.documents.find(params.text_document.uri)
    if snapshot is None or not is_conversation(snapshot.uri, snapshot.lines):
        return
    for lens in lenses(session, snapshot):
        if lens.command is not None and lens.command.command in (transcript_lenses.SEND, transcript_lenses.STOP):
            title = f"Palimpsest: {lens.command.title.lower()}"
            yield lsp.CodeAction(title=title, kind=SEND, command=lens.command, is_preferred=True)
    if server.window.settings.documents.related and being_written(parse(snapshot.text)) is not None:
        title = "Palimpsest: link to a related document…"
        command = lsp.Command(title=title, command=OFFER, arguments=[{"uri": snapshot.uri}])
        yield lsp.CodeAction(title=title, kind=SEND, command=command)


def _to_file(server: PalimpsestServer, params: lsp.CodeActionParams) -> Iterator[lsp.CodeAction]:
    snapshot = server.window.session.documents.find(params.text_document.uri)
    if snapshot is not None and is_conversation(snapshot.uri, snapshot.lines):
        yield from _from_conversation(server, snapshot, params.range)
        return
    path = path_or_none(params.text_document.uri)
    if path is None or not server.window.roots.may_edit(params.text_document.uri):
        return
    memory = server.window.session.conversing.memory
    for conversation in _open(server)[:MOST_CONVERSATIONS]:
        for ref in reversed(memory.refs.list(conversation.id)[-MOST_REFS:]):
            yield from _of(conversation.id, ref, str(path), params.range.start.line + 1)


def _from_conversation(server: PalimpsestServer, snapshot: Snapshot, where: lsp.Range) -> Iterator[lsp.CodeAction]:
    """Of the refs that are named there, else of the newest: to the file in which the person was last, or a new one."""
    session, own = server.window.session, conversation_of(snapshot)
    if not own:
        return
    refs = session.conversing.memory.refs.list(own)
    text = "\n".join(snapshot.lines[where.start.line : where.end.line + 1])
    here = {one.id for one in ids(text) if one.kind == "ref"}
    named = [ref for ref in refs if ref.id in here]
    uri, position = session.cursor.code or ("", None)
    path = path_or_none(uri) if server.window.roots.may_edit(uri) else None
    folders = server.window.roots.folders
    for ref in named or reversed(refs[-MOST_REFS:]):
        if path is not None and position is not None:
            yield from _of(own, ref, str(path), position.line + 1, path.name)
        elif folders:
            yield _new(own, ref, str(folders[0] / "new"))


def _to_keep(server: PalimpsestServer, params: lsp.CodeActionParams) -> Iterator[lsp.CodeAction]:
    session = server.window.session
    snapshot = session.documents.find(params.text_document.uri)
    if snapshot is None:
        return
    memory, own = session.conversing.memory, conversation_of(snapshot)
    yield from ref_making.blocks(memory, snapshot, params.range)
    for conversation in [memory.conversations.get(own)] if own else _open(server)[:1]:
        yield from ref_making.selection(server, snapshot, params.range, conversation)


def _open(server: PalimpsestServer) -> list[Conversation]:
    """Those whose documents are open, the one changed last first; without any, the one changed last."""
    session = server.window.session
    known = session.conversing.memory.conversations.list()
    return [one for one in known if one.uri and session.documents.find(one.uri)] or known[:1]


def _of(conversation: str, ref: Ref, here: str, line: int, called_here: str = "") -> list[lsp.CodeAction]:
    """`line`: that of the cursor, from 1.  `called_here`: the file, where it is another one than the action's."""
    given = {"conversation": conversation, "ref_id": ref.id}
    inserted = f"in {called_here}, line {line}" if called_here else "here"
    return [
        _action(
            f"insert ref {ref.id} {inserted}", {**given, "file_path": here, "mode": "insert", "insert_at_line": line}
        ),
        _action(f"append ref {ref.id} to {called_here or 'this file'}", {**given, "file_path": here, "mode": "append"}),
        _new(conversation, ref, here),
    ]


def _new(conversation: str, ref: Ref, here: str) -> lsp.CodeAction:
    file = ref.path or _new_file(ref, here)
    given = {"conversation": conversation, "ref_id": ref.id, "file_path": file, "ask": True}
    return _action(f"write ref {ref.id} to {Path(file).name}", given)


def _new_file(ref: Ref, here: str) -> str:
    """Beside the file that the person is in, called as the ref is."""
    language = called(ref.language) if ref.language else None
    suffix = language.suffixes[0] if language is not None and language.suffixes else ".txt"
    return str(Path(here).with_name(f"{_UNFIT.sub('_', ref.id)}{suffix}"))


def _action(title: str, argument: dict[str, object]) -> lsp.CodeAction:
    title = f"Palimpsest: {title}"
    command = lsp.Command(title=title, command=WRITE, arguments=[argument])
    return lsp.CodeAction(title=title, kind=ref_making.REF, command=command, data=argument)
