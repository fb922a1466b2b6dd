"""Code actions that keep what is there: a code block of a conversation as a ref, a selection as a descriptor.

In: a range in a document.  Out: actions with commands.
"""

from collections.abc import Iterator

from lsprotocol import types as lsp

from palimpsest.conversations.conversations import Conversation
from palimpsest.conversations.lsp.link_ids import conversation_of
from palimpsest.conversations.memory import Memory
from palimpsest.conversations.transcript.reading import parse
from palimpsest.lsp.protocol import converter
from palimpsest.lsp.server import PalimpsestServer
from palimpsest.text.snapshot import Snapshot

REF, DESCRIPTOR = "refactor.rewrite.palimpsest.ref", "refactor.rewrite.palimpsest.fd"
KINDS = (REF, DESCRIPTOR)
ADD, CREATE = "palimpsest.refs.add", "palimpsest.fd.create"
LONGEST_NAME = 40
"""Characters of a conversation's name that are shown."""


def blocks(memory: Memory, snapshot: Snapshot, range: lsp.Range) -> Iterator[lsp.CodeAction]:
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


def selection(
    server: PalimpsestServer, snapshot: Snapshot, range: lsp.Range, to: Conversation
) -> Iterator[lsp.CodeAction]:
    """For what is selected.  Raises InvalidArgument for a document that is kept from models."""
    if range.start == range.end:
        return
    server.window.session.services.privacy.check(snapshot)
    given = {"conversation": to.id, "uri": snapshot.uri, "range": converter().unstructure(range), "tell": True}
    yield _action(f"put this selection into a descriptor of {called(to)}", DESCRIPTOR, CREATE, given)


def called(talk: Conversation) -> str:
    name = talk.name if len(talk.name) <= LONGEST_NAME else f"{talk.name[: LONGEST_NAME - 1]}…"
    return f"“{name or talk.id}”"


def _action(title: str, kind: str, command: str, argument: dict[str, object]) -> lsp.CodeAction:
    title = f"Palimpsest: {title}"
    return lsp.CodeAction(title, kind=kind, command=lsp.Command(title=title, command=command, arguments=[argument]))
