"""Engines that may have no tokenizer to ask.

Out: whether their counts are estimates.
"""

from __future__ import annotations

from typing import Protocol, runtime_checkable


@runtime_checkable
class Estimating(Protocol):
    @property
    def estimates(self) -> bool:
        """Whether what was counted last was estimated from characters."""
        ...
