"""What a model is tried on, and what came of it: plain data between a command and the process that loads the model.

In and out: JSON (`json_data.py`).  Pure.
"""

from dataclasses import dataclass, field

PREFIX = "prefix"
"""The code before the cursor alone, which every model can continue."""
LEAST_PLACES = 8
"""Fewer say nothing."""
BATCH = 8
KEYSTROKE_TOKENS = 3
"""Tokens that a keystroke generates (docs/measurements.md, "Typing")."""


@dataclass(frozen=True, slots=True)
class TrialPlace:
    """`middle` stands between `prefix` and `suffix`, as they are put to a model; `blocks` are those chosen there, by
    key."""

    prefix: str
    suffix: str
    middle: str
    blocks: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Losses:
    """Of one way of asking, at each place in the same order: nats of the whole middle."""

    nats: list[float] = field(default_factory=list)

    def with_next(self, nats: float) -> "Losses":
        return Losses([*self.nats, nats])

    def mean(self, tokens: list[int]) -> float:
        """Nats for each token, over the places that were measured."""
        return sum(self.nats) / max(1, sum(tokens[: len(self.nats)]))


@dataclass(frozen=True, slots=True)
class ThreadTrial:
    """`prefill`: tokens a second of a prompt; `token_ms`, `batch_ms`: one token, and `BATCH` at once, behind some 1,000
    others; `cores`: how many it had meanwhile."""

    n_threads: int
    flash_attention: str
    prefill: float
    token_ms: float
    batch_ms: float
    cores: float

    @property
    def keystroke_ms(self) -> float:
        """What llama.cpp's part of a keystroke takes: a few tokens at once, then some one by one."""
        return self.batch_ms + KEYSTROKE_TOKENS * self.token_ms


@dataclass(frozen=True, slots=True)
class ModelTrial:
    """What was measured of a model.

    tokens        of each place's middle
    fim_layout    the layout that the model gets by itself, "" where it has no FIM tokens
    layouts       without blocks, by layout; `prefix`: the code before the cursor alone, continued
    in_place      behind the blocks, each decoded by itself; empty where the cache is not edited in place
    in_order      behind the blocks in one prompt
    epic          in place, the beginning of each block decoded again behind the blocks before it
    stale         in place, with a tail that was decoded behind no block but for its last 16 tokens
    said          (bin of probability, share that was right) of the beginnings of answers: `calibration.Counts`
    why_not       why the cache cannot be edited in place
    """

    name: str = ""
    library: str = ""
    fim_layout: str = ""
    why_not: str = ""
    tokens: list[int] = field(default_factory=list)
    layouts: dict[str, Losses] = field(default_factory=dict)
    in_place: Losses = Losses()
    in_order: Losses = Losses()
    epic: Losses = Losses()
    stale: Losses = Losses()
    said: dict[str, tuple[float, float]] = field(default_factory=dict)
    keystroke_ms: list[float] = field(default_factory=list)
    threads: list[ThreadTrial] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class TrialRequest:
    """`settings`: those of the engine, without the places of processes.  `seconds`: after so many no further place is
    begun."""

    model: str
    settings: dict[str, str | int | float | bool]
    places: list[TrialPlace]
    seconds: float
    header: str
    footer: str
