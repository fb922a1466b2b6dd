"""What is said is kept as a turn; of a long message, the model reads descriptors' previews.

In: what somebody said.  Out: the turn, whose own text is whole; the refs of a reply.
"""

from collections.abc import Sequence
from typing import Any

from palimpsest.config.settings import FileDescriptorSettings
from palimpsest.conversations.descriptors.incoming import MessagePart, Paging, paged, stored, written
from palimpsest.conversations.memory import Memory
from palimpsest.conversations.prompt_builder import DOCUMENTS, SHOWN
from palimpsest.conversations.refs.tags import PROBLEMS, UNSEARCHED, extracted
from palimpsest.conversations.turns import Role, Turn
from palimpsest.text.tokens import masked


def keep(
    memory: Memory,
    options: FileDescriptorSettings,
    conversation: str,
    role: Role,
    text: str,
    *,
    source: str = "",
    documents: str = "",
    parts: Sequence[MessagePart] = (),
    refs: bool = True,
) -> Turn:
    """`documents`: what the model is told of those that the text links to; `parts`: what comes with it; `refs`: a
    reply is searched for them.  Raises NotFound, InvalidArgument."""
    details: dict[str, Any] = {DOCUMENTS: masked(documents)} if documents else {}
    with memory.database.transaction():
        incoming = None
        if options.enabled and role == "user":
            incoming = paged(memory.descriptors, conversation, text, _paging(options), parts)
        elif options.enabled and role == "tool":
            said = MessagePart(text, source or "tool")
            incoming = stored(memory.descriptors, conversation, said, _paging(options))
        if incoming is not None:
            details[SHOWN] = incoming.shown
        fd = incoming.fds[0] if incoming is not None else None
        whole = written(masked(text) if role == "tool" else text, parts)
        if role == "assistant" and not refs:
            details[UNSEARCHED] = True
        marked = extracted(whole, details) if role == "assistant" else None
        if marked is not None and marked.problems:
            details[PROBLEMS] = list(marked.problems)
        turn = memory.turns.add(conversation, role, whole, source=source, descriptor=fd, details=details)
        if marked is not None:
            memory.refs.store(conversation, turn.id, marked)
        return turn


def _paging(options: FileDescriptorSettings) -> Paging:
    return Paging(
        options.max_input_chars if options.page_user_input else None,
        options.default_page_size,
        options.json_pretty_print,
        options.max_direct_output_chars,
    )
