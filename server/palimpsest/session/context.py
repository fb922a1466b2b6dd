"""`palimpsest.context.*`: the context at a cursor shown, and blocks from outside put there or taken away.

In: a cursor; blocks, files.  Out: the view, the chosen blocks, and what the engine has of them.
"""

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from palimpsest import wire
from palimpsest.context.choice.why import Why
from palimpsest.context.estimate import estimate
from palimpsest.context.external_blocks import ExternalBlocks
from palimpsest.context.view import CursorView
from palimpsest.errors import EngineError, InvalidArgument
from palimpsest.prompt.blocks import FOOTER, HEADER, render_context, render_numbered
from palimpsest.providers.base.protocol import Estimating
from palimpsest.text.snapshot import Position, Snapshot
from palimpsest.types import Block, BlockKey, BlockType
from palimpsest.window.events import RefreshNeeded
from palimpsest.window.services import Services


@dataclass(frozen=True, slots=True)
class ShownContext:
    """What `palimpsest.context.show` tells: the view, the chosen blocks, and what the engine has of them."""

    view: CursorView
    blocks: list[Block]
    tokens: dict[BlockKey, int]
    reports: dict[BlockKey, wire.BlockReport]
    stored: frozenset[BlockKey]

    @property
    def prompt(self) -> str:
        """As a model reads it from front to back, the editing block with its line numbers."""
        return HEADER + "".join(map(render_context, self.blocks)) + FOOTER + render_numbered(self.view.editing)


@dataclass(frozen=True, slots=True)
class ContextBudget:
    """Tokens: `total` of the cache, 0 where there is no engine; `system` around the blocks; `blocks` of those that it
    holds, without an engine of all; `tail` the code at the cursor.  `estimated`: no engine counted them."""

    total: int
    system: int
    blocks: int
    blocks_budget: int
    tail: int
    tail_budget: int
    estimated: bool

    @property
    def used(self) -> int:
        return self.system + self.blocks + self.tail


@dataclass(frozen=True, slots=True)
class PutBlock:
    """What `palimpsest.context.put` is asked for."""

    type: BlockType
    name: str
    text: str
    editable: bool = False
    uri: str = ""
    source: str = ""
    priority: float = 0.0
    ttl: float | None = None


_NAME = re.compile(r"[^\W\d]\w*")


def _name_at(view: CursorView) -> str:
    line, column = view.parsed.snapshot.lines[view.position.line], view.position.column
    found = next((it for it in _NAME.finditer(line) if it.start() <= column <= it.end()), None)
    if found is None:
        raise InvalidArgument("position", "there is no name at the cursor.")
    marked = line[found.start() : found.end() + 1]  # `empty?`
    return marked if marked[-1] in "?!" and marked in view.used else found[0]


class WindowContext:
    """Shows the context at a cursor, and puts blocks there; keeps nothing."""

    def __init__(self, services: Services) -> None:
        self._services = services

    def view(self, snapshot: Snapshot, position: Position) -> CursorView:
        """Raises InvalidArgument for a document of which nothing is shown to a model."""
        return self._services.view(snapshot, position, hurried=True)

    async def show(self, uri: str, position: Position) -> ShownContext:
        """The context as it is chosen now, after waiting a moment for sources that are still reading."""
        services = self._services
        view = services.view(services.documents.get(uri), position)
        return await self._shown(view, await services.chooser.settled(view))

    async def why(self, uri: str, position: Position, name: str = "") -> tuple[ShownContext, Why]:
        """What becomes of a name: of the one that is given, or the one there.  Nobody types it while he asks, so it
        counts like any other.  Raises InvalidArgument."""
        services = self._services
        view = replace(services.view(services.documents.get(uri), position), is_typing=False)
        why = await services.chooser.why(view, name or _name_at(view))
        return await self._shown(view, why.selection.chosen), why

    async def _shown(self, view: CursorView, blocks: list[Block]) -> ShownContext:
        services, chooser = self._services, self._services.chooser
        stored: frozenset[BlockKey] = frozenset()
        with suppress(EngineError):  # then nothing is said of it
            engine = await services.supervisor.ready()
            stored = frozenset(map(BlockKey.parse, (await engine.cache_map(services.workspace)).stored))
        reports = {block.key: report for block in blocks if (report := services.usage.report_of(block)) is not None}
        return ShownContext(view, blocks, {block.key: chooser.count(block) for block in blocks}, reports, stored)

    async def budget(self, uri: str, position: Position) -> ContextBudget:
        """What the context at a cursor takes of the cache, as it is chosen now."""
        view = self._services.view(self._services.documents.get(uri), position)
        return await self.budget_of(view, await self._services.chooser.settled(view))

    async def budget_of(self, view: CursorView, blocks: Sequence[Block]) -> ContextBudget:
        """The same of a context that was chosen before."""
        services = self._services
        texts = [HEADER, FOOTER, view.editing.text, *map(render_context, blocks)]
        estimated, n_ctx = False, 0
        try:
            engine = await services.supervisor.ready()
            n_ctx = (await engine.model()).n_ctx
            counts = await engine.count(texts)
            estimated = isinstance(engine, Estimating) and engine.estimates
        except EngineError:
            estimated, counts = True, [estimate(text) for text in texts]
        return ContextBudget(
            total=n_ctx,
            system=counts[0] + counts[1],
            blocks=sum(
                n for block, n in zip(blocks, counts[3:], strict=True) if not n_ctx or services.usage.holds(block)
            ),
            blocks_budget=services.chooser.budget,
            tail=counts[2],
            tail_budget=services.settings.context.editing_tokens,
            estimated=estimated,
        )

    def put(self, asked: PutBlock) -> tuple[str, int]:
        """A block's name and tokens.  Raises InvalidArgument that names the field."""
        block = self._external.put(
            asked.type,
            asked.name,
            asked.text,
            editable=asked.editable,
            uri=asked.uri or None,
            source=asked.source,
            priority=asked.priority,
            ttl=asked.ttl,
        )
        self._services.events.emit(RefreshNeeded())
        return block.name, self._services.chooser.count(block)

    def drop(self, type: BlockType, name: str) -> bool:
        """Whether there was one."""
        dropped = self._external.drop(type, name)
        self._services.events.emit(RefreshNeeded())
        return dropped

    def pin(self, uri: str) -> tuple[str, int]:
        """Hold a file in the context.  Raises InvalidArgument or OutsideWorkspace for one that may not be read."""
        services = self._services
        if (snapshot := services.documents.find(uri)) is not None:
            services.privacy.check(snapshot)
        block = services.chooser.pin(uri, services.roots.folders)
        services.events.emit(RefreshNeeded())
        return block.name, services.chooser.count(block)

    def unpin(self, uri: str) -> tuple[str, int]:
        """Raises InvalidArgument for a file that is not pinned."""
        name = self._services.roots.locate(uri)[1]
        if not self._external.unpin(uri):
            pins = ", ".join(self._external.pins) or "nothing"
            raise InvalidArgument("uri", f"{uri} is not pinned; {pins} is.")
        self._services.events.emit(RefreshNeeded())
        return name, 0

    @property
    def _external(self) -> ExternalBlocks:
        return self._services.chooser.external
