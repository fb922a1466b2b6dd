"""Results: tokens as they are generated, and each completion as a whole.

Out: immutable data.  Knows no HTTP.
"""

from dataclasses import dataclass

from palimpsest.engine.llama_server.completions.answer_text import StopType


@dataclass(frozen=True, slots=True)
class Probability:
    """A token, its (log) probability, and the most probable tokens at its place."""

    token: int
    text: bytes
    value: float
    best: tuple[tuple[int, bytes, float], ...]


@dataclass(frozen=True, slots=True)
class Timings:
    """Of the prompt's tokens, `prompt_n` were decoded and `cache_n` were in the cache."""

    cache_n: int
    prompt_n: int
    prompt_ms: float
    predicted_n: int = 0
    predicted_ms: float = 0.0


@dataclass(frozen=True, slots=True)
class StreamPiece:
    """A generated token of the completion `index`.  `text`: what can be shown now.  `stopped`: it completes a stop
    string."""

    token: int
    text: str
    n_predicted: int
    n_prompt: int
    timings: Timings
    probabilities: tuple[Probability, ...] = ()
    stopped: bool = False
    index: int = 0


@dataclass(frozen=True, slots=True)
class Done:
    text: str
    tokens: tuple[int, ...]
    n_prompt: int
    stop: StopType
    timings: Timings
    stopping_word: str = ""
    has_new_line: bool = False
    truncated: bool = False
    prompt: str = ""
    probabilities: tuple[Probability, ...] = ()
    n_calls: int = 0
