"""The tokens of a conversation, counted by the model's own tokenizer.

In: a conversation.  Out: its usage, each message's tokens.  A text is counted once; only where no engine answers are
characters estimated, and the usage says so.  Owner of the counts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from palimpsest import wire
from palimpsest.assist.conversations.conversing import Conversing
from palimpsest.assist.shared.events import CacheForgotten
from palimpsest.assist.shared.services import Services
from palimpsest.context.estimate import estimate
from palimpsest.errors import EngineError
from palimpsest.memory.budgets.budgets import ConversationUsage, Shares
from palimpsest.memory.owners.memory import Memory
from palimpsest.prompt.blocks import render_context

MOST_KEPT = 20_000
"""Counts, by text."""


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
        return ConversationUsage(
            total=model.n_ctx if model is not None else 0,
            system=counts[0],
            tools=counts[1],
            messages=sum(counts[2 : 2 + len(said)]),
            blocks=sum(counts[2 + len(said) :]),
            estimated=estimated,
            shares=Shares(options.system_share, options.tools_share, options.messages_share),
        )

    async def of_turns(self, conversation: str) -> list[tuple[int, int, bool]]:
        """(turn, tokens, estimated) of the branch that is shown; counted once and kept with the turn."""
        memory = self._memory()
        branch = memory.turns.branch(conversation)
        new = [turn for turn in branch if (turn.n_tokens is None or turn.estimated) and turn.state != "writing"]
        counts, estimated = await self._counts([memory.turns.text(turn) for turn in new])
        for turn, count in zip(new, counts, strict=True):
            memory.turns.set_tokens(turn.id, count, estimated=estimated)
        return [(turn.id, turn.n_tokens or 0, turn.estimated) for turn in memory.turns.branch(conversation)]

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
