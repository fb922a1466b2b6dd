"""What the demonstration does, event by event, and what each cost.

In: a started driver and a workspace.  Out: `StoryEvent`s, a completion, a suggestion.  Draws nothing.
"""

import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from palimpsest.lsp.client.driver import Driver

REPLIES = 8
"""Asked for in one batch over the shared cache; what several agree on comes first."""


@dataclass(frozen=True)
class StoryEvent:
    """One thing the person did.  Tokens: `context` all that the model sees now, of which each is one of `decoded` for
    it, `restored` from host memory, `reused` as it was in the cache, and `warmed`: the code at the cursor, decoded on
    the pause so that the next keystroke finds it there.  `dropped` were decoded besides and are not seen: copies of the
    header that new blocks are decoded behind.  `ms` until all of it was done.  `new` are those of its blocks that were
    not there at any event before."""

    event: str
    decoded: int
    context: int
    reused: int
    restored: int
    warmed: int
    dropped: int
    ms: float
    blocks: list[dict[str, Any]] = field(default_factory=list)
    new: list[dict[str, Any]] = field(default_factory=list)
    map: dict[str, Any] = field(default_factory=dict)
    completion: str | None = None
    before_cursor: str = ""


@dataclass
class Story:
    """Plays the events on the sample workspace; `completion` and `suggestion` are filled as they come."""

    driver: Driver
    root: Path
    completion: str = ""
    suggestion: dict[str, Any] = field(default_factory=dict)
    _seen: set[tuple[str, str]] = field(default_factory=set)

    async def play(self) -> AsyncIterator[StoryEvent]:
        d = self.driver
        before = await d.stats()
        cart = d.open(self.root / "shop" / "cart.py")
        await d.indexed(cart)  # else what an event shows would be a matter of chance

        inside = d.at(cart, "        total = self.subtotal()")
        yield await self._event("open cart.py, cursor into Cart.total", cart, inside, before=before)

        line = d.type(cart, inside, "\n        if total > self.l")
        yield await self._event("type a line, ask for a completion", cart, line, ask=True)

        line = d.type(cart, line, "i")
        yield await self._event("type one character", cart, line, ask=True)

        line = d.type(cart, line, "m")
        yield await self._event("type the next", cart, line, ask=True)
        line = d.replace(cart, inside, line, "")

        top = d.at(cart, "import logging")
        added = d.type(cart, top, "\nimport json")
        receipt = d.at(cart, '        return "\\n".join(rows)', after=False)
        yield await self._event("import json added, which nothing uses yet", cart, receipt)

        d.replace(cart, top, added, "")
        again = d.at(cart, '        return "\\n".join(rows)', after=False)
        yield await self._event("import json removed again", cart, again)

        inside = d.at(cart, "        total = self.subtotal()")
        yield await self._event("cursor to another method of the file", cart, inside)

        order = d.open(self.root / "shop" / "order.py")
        away = d.at(order, "        weight = 0.0")
        yield await self._event("another file: order.py", order, away)
        yield await self._event("and back to cart.py", cart, inside)

        wrong = d.at(cart, "self.discount.amount(totla)")
        d.diagnostics(cart, wrong, 'Undefined name "totla"')
        yield await self._event("another language server finds an error in Cart.total", cart, wrong)
        yield await self._suggest("ask for an edit of Cart.total", cart, wrong)

    async def _event(
        self, name: str, uri: str, position: Any, *, ask: bool = False, before: dict[str, int] | None = None
    ) -> StoryEvent:
        before = before or await self.driver.stats()
        start = time.perf_counter()
        context: dict[str, Any] | None = None
        completion: str | None = None
        if ask:
            items = await self.driver.complete(uri, position)
            completion = str(items[0].insert_text) if items else ""
            self.completion = completion or self.completion
        else:
            context = await self.driver.settled(uri, position)
        return await self._measured(name, before, start, uri, position, context, completion)

    async def _suggest(self, name: str, uri: str, position: Any) -> StoryEvent:
        before = await self.driver.stats()
        start = time.perf_counter()
        where = {"line": position.line, "character": position.character}
        self.suggestion = await self.driver.command("palimpsest.suggest", {"uri": uri, "position": where, "n": REPLIES})
        return await self._measured(name, before, start, uri, position, None, None)

    async def _measured(
        self,
        name: str,
        before: dict[str, int],
        start: float,
        uri: str,
        position: Any,
        at_cursor: dict[str, Any] | None,
        completion: str | None,
    ) -> StoryEvent:
        ms = (time.perf_counter() - start) * 1000
        cache = await self.driver.command("palimpsest.cache.map")
        where = {"uri": uri, "position": {"line": position.line, "character": position.character}}
        at_cursor = at_cursor or await self.driver.command("palimpsest.context.show", where)
        after = cache["stats"]
        attached = sum(s["end"] - s["start"] for s in cache["spans"] if s["state"] not in ("detached", "tail"))
        tail = sum(s["end"] - s["start"] for s in cache["spans"] if s["state"] == "tail")
        context = attached + tail
        decoded, dropped, restored, warmed = (
            after[name] - before[name] for name in ("decoded", "replayed", "restored", "warmed")
        )
        decoded -= dropped
        # what was gathered twice within the event is not all seen
        restored = min(restored, context)
        made, warmed = decoded + warmed, min(warmed, context - restored)
        decoded = min(decoded, context - restored - warmed)
        dropped += made - decoded - warmed
        typed = self.driver.texts[uri].split("\n")[position.line]
        return StoryEvent(
            event=name,
            decoded=decoded,
            context=context,
            reused=context - decoded - restored - warmed,
            restored=restored,
            warmed=warmed,
            dropped=dropped,
            ms=round(ms, 1),
            blocks=at_cursor["blocks"],
            new=self._new(at_cursor["blocks"]),
            map=cache,
            completion=completion,
            before_cursor=typed[: position.character],
        )

    def _new(self, blocks: list[dict[str, Any]]) -> list[dict[str, Any]]:
        blocks_of_now = [block for block in blocks if (block["type"], block["name"]) not in self._seen]
        self._seen |= {(block["type"], block["name"]) for block in blocks_of_now}
        return blocks_of_now
