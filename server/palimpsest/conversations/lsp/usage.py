"""What a conversation takes of what the model can read, as commands answer it.

In: a conversation's counts.  Out: plain dictionaries with the field names of docs/commands.md.
"""

from dataclasses import asdict
from typing import Any

from palimpsest.conversations.budgets import ConversationUsage
from palimpsest.conversations.feature import conversations_of
from palimpsest.lsp.server import PalimpsestServer


async def of_conversation(server: PalimpsestServer, conversation: str, *, items: bool) -> dict[str, Any]:
    """`items`: with what each message, result, tool and block of it takes."""
    counting = conversations_of(server.window.session).counting
    answer = answered(await counting.usage(conversation))
    return answer | ({"items": await counting.items(conversation)} if items else {})


def answered(found: ConversationUsage) -> dict[str, Any]:
    """`compact`: it is time to."""
    parts = {name: asdict(part) | {"percentage": part.percentage} for name, part in found.parts.items()}
    return {
        "total": found.total,
        "used": found.used,
        "available": found.available,
        "parts": {**parts, "blocks": found.blocks},
        "estimated": found.estimated,
        "compact": found.should_compact(),
    }
