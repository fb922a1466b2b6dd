"""Holes completed by the real server and engine, with other blocks each time.

In: holes, settings.  Out: what was offered for each, by mode, and the names that only blocks could tell.

    all     the blocks that the server chooses for the cursor
    none    no blocks: `context.sources` is empty
    other   no sources either; the blocks that were chosen for a hole in another file are put in their place, by
            `palimpsest.context.put`

Each mode has a server of its own, so that nothing on one's screen or in its caches answers for another.  A document is
opened with its hole, the server is given the pause it would have, and then asked once, as an editor would.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.completing.holes import Hole
from bench.completing.scores import Offered
from bench.shared.options import BATCH
from palimpsest.errors import ModelError
from palimpsest.lsp.client.driver import Driver, Position
from palimpsest.text.positions import column_to_units
from palimpsest.text.uris import to_uri

START_S, SETTLE_S = 300.0, 60.0
MODES = ("all", "none", "other")
LONG_MS = 600_000
"""What is measured is what a model can do, not what it can do in time."""

Blocks = Sequence[Mapping[str, Any]]


@dataclass
class CompletionRun:
    """`offered` by mode, in the order of holes; `names` of each hole that stand in its blocks and nowhere else in what
    the model saw; `info` is what the server says of the model."""

    offered: dict[str, list[Offered]] = field(default_factory=dict)
    names: list[list[str]] = field(default_factory=list)
    info: dict[str, Any] = field(default_factory=dict)


def settings(model: Path, max_tokens: int, n_ctx: int = 0) -> dict[str, Any]:
    """The product's own, without limits of time and what is prepared ahead: each answer is one to its question."""
    return {
        "model": {"path": str(model)},
        "engine": {"idle_exit_s": 10, "n_ctx": n_ctx, "n_batch": BATCH},
        "completion": {
            "enabled": True,
            "disabled_languages": [],
            "disabled_folders": [],
            "max_tokens": max_tokens,
            "time_ms": LONG_MS,
            "first_ms": LONG_MS,
            "sync_ms": 0,
            "ahead": False,
            "review": "asked",  # a pause comes before or behind the figures are read, as it happens
            "cached": 0,
            "kv": "decode",  # what a tail has seen before depends on when a pause came
            "multiline": "auto",
            "confidence": "all",
        },
    }


async def ask(
    root: Path,
    holes: Sequence[Hole],
    given: Mapping[str, Any],
    environment: Mapping[str, str],
    on_answer: Callable[[], None],
    modes: Sequence[str] = MODES,
) -> CompletionRun:
    """Every hole in some modes, `all` among them; `other` only where holes are in more than one file.

    Raises EngineUnavailable, and ModelError for a model that cannot complete.
    """
    asked, shown = CompletionRun(), list[Blocks]()
    others = _others(holes)
    for mode in modes:
        if mode == "other" and not any(others):
            continue
        sources: dict[str, Any] = {} if mode == "all" else {"context": {"sources": []}}
        driver = Driver()
        await driver.start(root, {**given, **sources}, environment)
        try:
            await driver.ready(START_S)
            asked.info = await driver.command("palimpsest.model.info")
            if not asked.info["fim"]["layout"]:
                name = asked.info["name"]
                raise ModelError(f"{name} has no tokens for filling in the middle: it offers no completions.")
            window = _Window(driver)
            answers = asked.offered[mode] = []
            for hole, other in zip(holes, others, strict=True):
                put = shown[other] if mode == "other" and other is not None else ()
                answer, context = await window.complete(hole, put, holes[other or 0])
                answers.append(answer)
                if mode == "all":
                    shown.append(context["blocks"])
                    asked.names.append(_only_in_blocks(hole, context))
                on_answer()
            await driver.command("palimpsest.cache.reset")  # or the next mode would find what this one has decoded
        finally:
            await driver.stop()
    return asked


def _others(holes: Sequence[Hole]) -> list[int | None]:
    """For each hole the next one of its kind that is in another file, by index."""
    found = list[int | None]()
    for i, hole in enumerate(holes):
        behind = [*range(i + 1, len(holes)), *range(i)]
        there = [j for j in behind if holes[j].function.file != hole.function.file]
        found.append(next((j for j in there if holes[j].kind == hole.kind), there[0] if there else None))
    return found


def _only_in_blocks(hole: Hole, context: Mapping[str, Any]) -> list[str]:
    blocks = "\n".join(block["text"] for block in context["blocks"])
    around = context["editing"]["text"]
    return sorted(name for name in hole.names if _word(name, blocks) and not _word(name, around))


def _word(name: str, text: str) -> bool:
    return re.search(rf"\b{re.escape(name)}\b", text) is not None


@dataclass
class _Window:
    driver: Driver
    is_indexed: bool = False

    async def complete(self, hole: Hole, put: Blocks, owner: Hole) -> tuple[Offered, dict[str, Any]]:
        """What is offered for a hole with blocks `put` that are of `owner`'s file, and the context there was."""
        driver = self.driver
        before = (await driver.command("palimpsest.cache.map"))["stats"]
        for block in put:
            named = {key: block[key] for key in ("type", "name", "text", "editable")}
            await driver.command("palimpsest.context.put", {**named, "uri": to_uri(owner.function.path)})
        uri = driver.open(hole.function.path, hole.filled(""))
        if not self.is_indexed:
            self.is_indexed = await driver.indexed(uri)
        line = hole.function.document[hole.start.line][: hole.start.column]
        position = Position(hole.start.line, column_to_units(line, len(line), driver.encoding))
        context = await driver.settled(uri, position, SETTLE_S)
        generated = (await driver.stats())["generated"]  # what went on behind the hole before is over now
        start = time.perf_counter()
        items = await driver.complete(uri, position)
        ms = 1000 * (time.perf_counter() - start)
        found = await driver.command("palimpsest.cache.map")
        after = found["stats"]
        driver.close(uri)
        for block in put:
            await driver.command("palimpsest.context.drop", {key: block[key] for key in ("type", "name")})
        text, _ = inserted(items[0], position) if items else ("", 0)
        decoded = after["decoded"] + after["warmed"] - before["decoded"] - before["warmed"]
        return Offered(hole.trimmed(text), decoded, after["generated"] - generated, ms, sure_of(items)), context


def sure_of(items: Sequence[Any]) -> float | None:
    """How sure the server is of the first of what it offers, where it says so."""
    found: float | None = items[0].command.arguments[0].get("confidence") if items else None
    return found


def inserted(item: Any, position: Position) -> tuple[str, int]:
    """What an item puts behind the cursor, without the word that is typed already, and how many blanks before the
    cursor it takes away."""
    text = item.insert_text if isinstance(item.insert_text, str) else item.insert_text.value
    taken = len(item.filter_text) - len(text) if item.filter_text and item.filter_text.endswith(text) else 0
    typed = position.character - item.range.start.character - taken if item.range else 0
    data: bytes = text.encode("utf-16-le", "surrogatepass")[2 * typed :]
    return data.decode("utf-16-le", "surrogatepass"), taken
