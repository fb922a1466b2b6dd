"""A walk of the cursor through every function of a file: how often each block is decoded.

In: a window, a file, an engine.  Out: how many blocks, and how many of them were decoded more than once, with whatever
text: one that comes and goes, and one whose text changes on the way, both count.

At each function happens what a pause does (`session/prefetch.py`): blocks are chosen, and decoded; and once more where
a source has read something meanwhile.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bench.gathering.timing import places_in
from palimpsest.checking.window import WindowWithoutEditor
from palimpsest.providers.base.protocol import Engine
from palimpsest.types import Block, BlockKey
from palimpsest.window.requests import Requests

WRITTEN = ("written", "extended")


@dataclass(slots=True)
class Walked:
    """Functions, and how often each block was decoded."""

    functions: int = 0
    decoded: Counter[BlockKey] = field(default_factory=Counter)

    @property
    def decoded_twice(self) -> list[BlockKey]:
        return [key for key, n in self.decoded.items() if n > 1]


async def walk(window: WindowWithoutEditor, path: Path, engine: Engine, requests: Requests) -> Walked:
    walked, chooser = Walked(), window.chooser
    parsed = window.open(path)
    for position in places_in(parsed):
        walked.functions += 1
        view = window.view(parsed, position)
        known = chooser.revision
        await _decode(chooser.choose(view, fresh=True), window, engine, requests, walked)
        if await chooser.knows_more_than(known):
            await _decode(chooser.choose(view, fresh=True), window, engine, requests, walked)
    window.close(parsed)
    return walked


async def _decode(
    blocks: Sequence[Block], window: WindowWithoutEditor, engine: Engine, requests: Requests, walked: Walked
) -> None:
    answer = await engine.sync(requests.sync(list(blocks), "background"))
    window.chooser.counted({BlockKey.parse(report.key): report.tokens for report in answer.blocks}, blocks)
    for report in answer.blocks:
        walked.decoded[BlockKey.parse(report.key)] += report.action in WRITTEN
