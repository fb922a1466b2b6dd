"""What is said is kept as a turn; of a long message, the model reads descriptors' previews.

In: what somebody said.  Out: the turn, whose own text is whole.
"""

from __future__ import annotations

from typing import Any

from palimpsest.assist.conversations.putting import DOCUMENTS, SHOWN
from palimpsest.config.settings import FileDescriptorSettings
from palimpsest.memory.conversations.turns import Role, Turn
from palimpsest.memory.descriptors.incoming import Paging, paged
from palimpsest.memory.owners.memory import Memory


def keep(
    memory: Memory,
    options: FileDescriptorSettings,
    conversation: str,
    role: Role,
    text: str,
    *,
    source: str = "",
    documents: str = "",
) -> Turn:
    """`documents`: what the model is told of those that the text links to.  Raises NotFound, InvalidArgument."""
    details: dict[str, Any] = {DOCUMENTS: documents} if documents else {}
    with memory.database.transaction():
        incoming = None
        if options.enabled and options.page_user_input and role == "user":
            paging = Paging(options.max_input_chars, options.default_page_size, options.json_pretty_print)
            incoming = paged(memory.descriptors, conversation, text, paging)
        if incoming is not None:
            details[SHOWN] = incoming.shown
        fd = incoming.fds[0] if incoming is not None else None
        return memory.turns.add(conversation, role, text, source=source, descriptor=fd, details=details)
