"""How large one workspace of a cache may become.

In: the context's cells, the model's facts.  Out: counts of cells and positions.
"""

from dataclasses import dataclass

from palimpsest.engine.model.facts import ModelFacts


@dataclass(frozen=True, slots=True)
class Sizes:
    """`n_ctx`: cells of the cache, which all workspaces share.  `n_positions`: positions of one workspace.
    `tail_room`: positions and cells for a tail and its answer, of which one that fills in the middle takes `fim_room`
    at most."""

    n_ctx: int
    n_positions: int
    tail_room: int
    fim_room: int

    @classmethod
    def of(cls, n_ctx: int, facts: ModelFacts, *, in_place: bool) -> "Sizes":
        """Half as many more positions than cells where the cache is edited in place: holes and slack cost no cell.
        To fill in the middle, a quarter, and 1,024 at least where that leaves half.  A model that is told in its tail
        what to do: 1,536 where that leaves five eighths.  A tail that can be a conversation gets half: blocks take a
        quarter at most (`context.budget`)."""
        n_positions = min(facts.n_ctx_train, n_ctx + n_ctx // 2 if in_place else n_ctx)
        n = min(n_ctx, n_positions)
        with_template = min(1536, 3 * n // 8) if facts.instructed else 0
        fim_room = max(n // 4, min(1024, n // 2), with_template)
        return cls(n_ctx, n_positions, max(fim_room, n // 2 if facts.chat is not None else 0), fim_room)

    def room(self, *, fim: bool) -> int:
        """For a tail and its answer."""
        return self.fim_room if fim else self.tail_room

    @property
    def n_prompt(self) -> int:
        """Tokens that one prompt may have, answer included."""
        return min(self.n_ctx, self.n_positions)
