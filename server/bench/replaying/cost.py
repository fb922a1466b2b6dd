"""What one request of a replayed session cost one side.

Out: data.
"""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Decoded:
    """Tokens, and how many of them were context blocks', the header's and its copies', and the code's at the cursor;
    the rest were answers'."""

    tokens: int = 0
    blocks: int = 0
    headers: int = 0
    tails: int = 0

    def __add__(self, other: Decoded) -> Decoded:
        return Decoded(*(a + b for a, b in zip(self._counts, other._counts, strict=True)))

    def __sub__(self, other: Decoded) -> Decoded:
        return Decoded(*(a - b for a, b in zip(self._counts, other._counts, strict=True)))

    @property
    def _counts(self) -> tuple[int, ...]:
        return self.tokens, self.blocks, self.headers, self.tails


@dataclass(frozen=True, slots=True)
class Cost:
    """Of one request and what was done in the background for it: in pauses since the person did what led to it, and
    in the pause behind it.

    `decoded`: every token that the side's engine decoded; `background` of them in pauses.  `reused`: what the request
    found decoded.  `ms`: from the last change or jump on the wire to the answer with one token; `background_ms`: what
    was done in pauses.  `prompt`: tokens that the model saw.  `asked` is False where the client answered from what it
    had.  `parts`: what was decoded, where that is known.
    """

    decoded: int
    background: int
    reused: int
    ms: float
    background_ms: float
    prompt: int
    asked: bool = True
    parts: Decoded = Decoded()

    def and_behind(self, decoded: int, ms: float, parts: Decoded | None = None) -> Cost:
        """With what was done in a pause behind it."""
        return replace(
            self,
            decoded=self.decoded + decoded,
            background=self.background + decoded,
            background_ms=self.background_ms + ms,
            parts=self.parts + (parts or Decoded()),
        )
