"""Who has cells of the cache, as the pool sees them: what they can be asked to give back.

Out: two protocols.  What a tenant keeps in its cells is its own affair.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class Tenant(Protocol):
    """A workspace, which has cells."""

    @property
    def name(self) -> str: ...

    @property
    def busy(self) -> bool:
        """Whether a job of this tenant's is under way: it is not to be closed."""

    def drop_tail(self) -> bool:
        """Give back the least recently used tail that no job uses; False where there is none."""

    def drop_tail_aside(self) -> bool:
        """The same of tails that are kept for other places than the present one."""

    def shrink(self, n_cells: int, *, attached: bool) -> bool:
        """Give back that many cells of detached blocks (or of attached ones too); False when there are none."""

    def verify(self) -> bool:
        """Whether llama.cpp's memory has what the tenant thinks it has, as far as it can be asked."""

    def forget(self) -> None:
        """Give everything back without a copy to the store."""


class Tenants(Protocol):
    """All workspaces that have cells of a cache."""

    def oldest_first(self) -> Sequence[Tenant]:
        """What was used least recently comes first."""

    def close(self, name: str) -> None:
        """Have a tenant give everything back, its blocks' KV to the store."""
