"""Cursors in documents, each completed once by the real server and engine, as an editor would ask.

In: questions, settings.  Out: the model's name; what was offered for each, and what it cost.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.progress import Progress

from bench.completing.completions import SETTLE_S, START_S, inserted, sure_of
from bench.completing.scores import Offered
from bench.replaying.ours import own_folders
from palimpsest.errors import ModelError
from palimpsest.lsp.client.driver import Driver
from palimpsest.lsp.client.editor import position_at


@dataclass(frozen=True, slots=True)
class Question:
    """A document open at `path`, the cursor between `prefix` and `suffix`."""

    path: Path
    prefix: str
    suffix: str


async def ask(
    root: Path,
    questions: Sequence[Question],
    settings: dict[str, Any],
    folder: Path,
    advance: Callable[[], None],
    *,
    invoked: bool,
) -> tuple[str, list[Offered]]:
    """`root`: the workspace; `folder`: an empty one for what the server and the engine keep.  `invoked`: as one asks
    for a completion, not as while typing.  Raises EngineUnavailable, and ModelError for a model that cannot complete.
    """
    driver = Driver()
    await driver.start(root, settings, own_folders(folder))
    try:
        await driver.ready(START_S)
        info = await driver.command("palimpsest.model.info")
        if not info["fim"]["layout"]:
            raise ModelError(f"{info['name']} has no tokens for filling in the middle: it offers no completions.")
        answers = list[Offered]()
        for question in questions:
            uri = driver.open(question.path, question.prefix + question.suffix)
            if not answers:
                await driver.indexed(uri)
            position = position_at(question.prefix, len(question.prefix), driver.encoding)
            await driver.settled(uri, position, SETTLE_S)
            before = (await driver.command("palimpsest.cache.map"))["stats"]
            start = time.perf_counter()
            items = await driver.complete(uri, position, invoked=invoked)
            ms = 1000 * (time.perf_counter() - start)
            if invoked:  # the others come behind the first
                await driver.settled(uri, position, SETTLE_S)
                items = await driver.complete(uri, position)
            after = (await driver.command("palimpsest.cache.map"))["stats"]
            driver.close(uri)
            text, taken = inserted(items[0], position) if items else ("", 0)
            decoded, generated = (after[name] - before[name] for name in ("decoded", "generated"))
            answers.append(Offered(text, decoded, generated, ms, sure_of(items), taken))
            advance()
        return info["name"], answers
    finally:
        await driver.stop()


def bar(progress: Progress, name: str, total: int) -> Callable[[], None]:
    """What is called behind each of so many."""
    task = progress.add_task(name, total=total)
    return lambda: progress.advance(task)
