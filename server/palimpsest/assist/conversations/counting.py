"""The tokens of a conversation, counted by the model's own tokenizer.

In: a conversation.  Out: its usage, and what each piece of it takes.  A text is counted once; only where no engine
answers are characters estimated, and the usage says so.  Owner of the counts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from palimpsest import wire
from palimpsest.assist.conversations.conversing import Conversing
from palimpsest.assist.shared.events import CacheForgotten
from palimpsest.assist.shared.services import Services
from palimpsest.context.estimate import estimate
from palimpsest.errors import EngineError
from palimpsest.memory.budgets.budgets import ConversationUsage, Shares
from palimpsest.memory.owners.memory import Memory
from palimpsest.prompt.blocks import render_context
from palimpsest.text.positions import well_formed

MOST_KEPT = 20_000
"""Counts, by text."""


@dataclass(frozen=True, slots=True)
class CountedItem:
    """`kind` and `name` as in `putting.Item`."""

    kind: str
    name: str
    tokens: int


class Counting:
    """One window's."""

    def __init__(self, services: Services, memory: Callable[[], Memory], conversing: Conversing) -> None:
        self._services = services
        self._memory = memory
        self._conversing = conversing
        self._known: dict[str, int] = {}
        services.events.on(CacheForgotten, lambda _: self._known.clear())  # it may be another model

    async def usage(self, conversation: str) -> ConversationUsage:
        """Raises NotFound, StorageError."""
        system, told, said = self._conversing.putting.parts(conversation)
        blocks = [render_context(block) for block in self._conversing.blocks_of(conversation)]
        contents = [message.content for message in said]
        counts, estimated = await self._counts([system, told, *contents, *blocks])
        options, model = self._services.settings.conversation, self._services.supervisor.status.model
        n_blocks = sum(counts[2 + len(said) :])
        total = model.window + (n_blocks if model.keeps_room else 0) if model is not None else 0
        return ConversationUsage(
            total=total,
            system=counts[0],
            tools=counts[1],
            messages=sum(counts[2 : 2 + len(said)]),
            blocks=n_blocks,
            estimated=estimated,
            shares=Shares(options.system_share, options.tools_share, options.messages_share),
        )

    async def items(self, conversation: str) -> list[CountedItem]:
        """The pieces of the next prompt: what each takes.  Raises NotFound, StorageError."""
        found = self._conversing.putting.items(conversation, self._conversing.blocks_of(conversation))
        counts, _ = await self._counts([well_formed(item.text) for item in found])
        return [CountedItem(item.kind, item.name, count) for item, count in zip(found, counts, strict=True)]

    async def _counts(self, texts: Sequence[str]) -> tuple[list[int], bool]:
        """The tokens of each text, and whether they are estimated."""
        names = [wire.text_hash(text) for text in texts]
        new = {name: text for name, text in zip(names, texts, strict=True) if name not in self._known}
        if new:
            try:
                engine = await self._services.supervisor.ready()
                found = dict(zip(new, await engine.count(list(new.values())), strict=True))
            except EngineError:
                return [self._known.get(name, estimate(text)) for name, text in zip(names, texts, strict=True)], True
            while len(self._known) + len(found) > MOST_KEPT and self._known:
                del self._known[next(iter(self._known))]
            self._known |= found
            return [found[name] if name in found else self._known[name] for name in names], False
        return [self._known[name] for name in names], False
