"""Blocks that people and agents put into the context (`context/external_blocks.py`)."""

from __future__ import annotations

from palimpsest.context.external_blocks import ExternalBlocks
from palimpsest.context.sources.source import Source
from palimpsest.context.view import CursorView
from palimpsest.types import Block


class ExternalSource(Source):
    name = "external"
    setting = None

    def __init__(self, external: ExternalBlocks) -> None:
        self._external = external

    def candidates(self, view: CursorView) -> list[Block]:
        return self._external.blocks()
