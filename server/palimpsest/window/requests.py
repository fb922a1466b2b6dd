"""Requests to the engine for a cursor: its blocks and the code around it, in the terms of `wire`.

In: a view, chosen blocks, settings.  Out: requests.  Pure; sends nothing.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import lru_cache

from palimpsest import wire
from palimpsest.config.settings import Settings
from palimpsest.prompt.blocks import (
    FOOTER,
    HEADER,
    render_context,
)
from palimpsest.text.positions import well_formed
from palimpsest.types import Block, BlockType

KEPT_TEXTS = 512
"""Blocks of which the rendered text and its hash are cached between requests."""


def _block(type: BlockType, name: str, text: str, editable: bool) -> wire.WantedBlock:
    block = Block(type, name, text, editable=editable)
    rendered = well_formed(render_context(block))
    return wire.WantedBlock(str(block.key), rendered, wire.text_hash(rendered))


@dataclass(frozen=True, slots=True)
class Requests:
    """Requests of one workspace under its settings.  `n_params`: of the model that is there now, None where there is
    none or nobody knows."""

    workspace: str
    settings: Settings
    n_params: Callable[[], int | None] = lambda: None
    _block: Callable[[BlockType, str, str, bool], wire.WantedBlock] = field(
        default_factory=lambda: lru_cache(KEPT_TEXTS)(_block), init=False, repr=False, compare=False
    )

    def sync(self, blocks: Iterable[Block], slot: wire.Slot, *, first: bool = True) -> wire.SyncRequest:
        """The request for these blocks; while `typing`, blocks that take longer to decode are left to the next
        pause."""
        wanted = [self._block(block.type, block.name, block.text, block.editable) for block in blocks]
        options = self.settings.completion
        bound = (options.sync_ms if first else options.time_ms) if slot == "typing" else 0
        return wire.SyncRequest(self.workspace, HEADER, FOOTER, wanted, slot, max_decode_ms=bound)

    def count(self, blocks: Iterable[Block]) -> wire.SyncRequest:
        """The same, for their tokens to be counted: of these blocks none is decoded yet."""
        return replace(self.sync(blocks, "background"), max_decode=1)
