"""The tokens of a conversation, counted by the model's own tokenizer.

In: a conversation.  Out: its usage, and what each piece of it takes; where counts are estimated, the usage says so.
"""

import asyncio
from collections.abc import Callable
from typing import Any

from palimpsest.conversations.budgets import ConversationUsage
from palimpsest.conversations.conversing import Conversing
from palimpsest.conversations.memory import Memory
from palimpsest.prompt.blocks import render_context
from palimpsest.text.positions import well_formed
from palimpsest.window.services import Services


class Counting:
    """Counts a conversation and its pieces against the model's window."""

    def __init__(self, services: Services, memory: Callable[[], Memory], conversing: Conversing) -> None:
        self._services = services
        self._memory = memory
        self._conversing = conversing

    async def usage(self, conversation: str) -> ConversationUsage:
        """Raises NotFound, StorageError."""
        behind = self._conversing.blocks_of(conversation)
        sent = await asyncio.to_thread(self._conversing.prompt_builder.sent, conversation, behind)
        blocks, n_said = [render_context(block) for block in behind], len(sent.messages)
        counts, estimated = await self._conversing.counts.of([sent.system, sent.tools, *sent.messages, *blocks])
        model = self._services.supervisor.status.model
        n_blocks = sum(counts[2 + n_said :])
        total = model.window + (n_blocks if model.keeps_room else 0) if model is not None else 0
        return ConversationUsage(
            total=total,
            system=counts[0],
            tools=counts[1],
            messages=sum(counts[2 : 2 + n_said]),
            blocks=n_blocks,
            estimated=estimated,
            shares=self._conversing.prompt_builder.shares,
        )

    async def items(self, conversation: str) -> list[dict[str, Any]]:
        """The pieces of the next prompt, and what each takes: `kind` and `name` as in `prompt_builder.PromptItem`, and
        `tokens`.  Raises NotFound, StorageError."""
        behind = self._conversing.blocks_of(conversation)
        found = await asyncio.to_thread(self._conversing.prompt_builder.items, conversation, behind)
        counts, _ = await self._conversing.counts.of([well_formed(item.text) for item in found])
        return [
            {"kind": item.kind, "name": item.name, "tokens": count} for item, count in zip(found, counts, strict=True)
        ]
