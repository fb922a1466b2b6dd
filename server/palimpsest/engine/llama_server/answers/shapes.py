"""Answers in the shapes that clients of llama-server read: its own, OpenAI's completions, OpenAI's chats.

In: `Done`, `StreamPiece`.  Out: JSON objects, keys in llama-server's order.  Pure but for identifiers and the clock.
"""

import secrets
import string
import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from palimpsest import __version__
from palimpsest.engine.llama_server.completions.outcome import Done, Probability, StreamPiece, Timings
from palimpsest.engine.llama_server.requests.params import Params, settings

Json = dict[str, Any]
LETTERS = string.ascii_letters + string.digits
FINGERPRINT = f"palimpsest-{__version__}"
FINISH = {"limit": "length", "none": "length", "word": "stop", "eos": "stop"}


def _id() -> str:
    return "chatcmpl-" + "".join(secrets.choice(LETTERS) for _ in range(32))


@dataclass(frozen=True, slots=True)
class Replies(ABC):
    """What all answers to one request have in common.  `index`: which of its completions this is.  `before`: the
    beginning of a chat's answer that the request gave.

    `has_marker`: a stream ends with `[DONE]`.  `shows_prompt`: the answer contains the prompt's text.  `in_one`:
    several completions are choices of one object, not an array of objects."""

    params: Params
    before: str = ""
    model: str = ""
    slot: int = -1
    index: int = 0
    id: str = field(default_factory=_id)
    created: int = field(default_factory=lambda: int(time.time()))
    has_marker: ClassVar[bool] = True
    shows_prompt: ClassVar[bool] = False
    in_one: ClassVar[bool] = True

    @abstractmethod
    def whole(self, done: Done) -> Json:
        """A completion that is not streamed."""

    def begin(self) -> list[Json]:
        """What a stream has before the first piece."""
        return []

    @abstractmethod
    def piece(self, piece: StreamPiece) -> Json:
        """An event of a stream."""

    @abstractmethod
    def end(self, done: Done) -> list[Json]:
        """The last events of a stream."""

    @property
    def wants_prompt(self) -> bool:
        wanted = self.params.response_fields
        return self.shows_prompt and (wanted is None or "prompt" in wanted)

    def _choices(self, kind: str, choices: list[Json]) -> Json:
        return {
            "choices": choices,
            "created": self.created,
            "model": self.model,
            "system_fingerprint": FINGERPRINT,
            "object": kind,
        }

    def _timed(self, piece: StreamPiece) -> Json:
        return {"timings": timings(piece.timings)} if self.params.timings_per_token or piece.stopped else {}

    def _logprobs(self, items: Sequence[Probability]) -> Json:
        return {"logprobs": {"content": [self._probability(item) for item in items]}} if items else {}

    def _probability(self, item: Probability) -> Json:
        after = self.params.post_sampling_probs
        one, many = ("prob", "top_probs") if after else ("logprob", "top_logprobs")
        best = [_token(token, text) | {one: value} for token, text, value in item.best]
        return _token(item.token, item.text) | {one: item.value, many: best}


class NativeReplies(Replies):
    """llama-server's own."""

    has_marker: ClassVar[bool] = False
    shows_prompt: ClassVar[bool] = True
    in_one: ClassVar[bool] = False

    def whole(self, done: Done) -> Json:
        return self._object(done, done.text, list(done.tokens) if self.params.return_tokens else [], done.probabilities)

    def piece(self, piece: StreamPiece) -> Json:
        out: Json = {
            "index": self.index,
            "content": piece.text,
            "tokens": [piece.token],
            "stop": False,
            "id_slot": -1,
            "tokens_predicted": piece.n_predicted,
            "tokens_evaluated": piece.n_prompt,
        }
        return out | self._timed(piece) | self._probabilities(piece.probabilities)

    def end(self, done: Done) -> list[Json]:
        return [self._object(done, "", [], ())]

    def _object(self, done: Done, text: str, tokens: list[int], probabilities: Sequence[Probability]) -> Json:
        out: Json = {
            "index": self.index,
            "content": text,
            "tokens": tokens,
            "id_slot": self.slot,
            "stop": True,
            "model": self.model,
            "tokens_predicted": len(done.tokens),
            "tokens_evaluated": done.n_prompt,
            "generation_settings": settings(self.params),
            "prompt": done.prompt,
            "has_new_line": done.has_new_line,
            "truncated": done.truncated,
            "stop_type": done.stop,
            "stopping_word": done.stopping_word,
            "tokens_cached": max(0, done.n_prompt + len(done.tokens) - 1),
            "timings": timings(done.timings),
        } | self._probabilities(probabilities)
        wanted = self.params.response_fields
        return out if wanted is None else chosen(out, wanted)

    def _probabilities(self, items: Sequence[Probability]) -> Json:
        return {"completion_probabilities": [self._probability(item) for item in items]} if items else {}


class CompletionReplies(Replies):
    """OpenAI's completions."""

    def whole(self, done: Done) -> Json:
        return self._object(done, done.text, done.probabilities)

    def piece(self, piece: StreamPiece) -> Json:
        choice = self._choice(piece.text, None) | self._logprobs(piece.probabilities)
        return self._choices("text_completion", [choice]) | {"id": self.id} | self._timed(piece)

    def end(self, done: Done) -> list[Json]:
        return [self._object(done, "", ())]

    def _object(self, done: Done, text: str, probabilities: Sequence[Probability]) -> Json:
        choice = self._choice(text, FINISH[done.stop]) | self._logprobs(probabilities)
        out = self._choices("text_completion", [choice]) | {"usage": usage(done), "id": self.id}
        return out | {"timings": timings(done.timings)}

    def _choice(self, text: str, finish: str | None) -> Json:
        return {"text": text, "index": self.index, "logprobs": None, "finish_reason": finish}


class ChatReplies(Replies):
    """OpenAI's chats."""

    def whole(self, done: Done) -> Json:
        message = {"role": "assistant", "content": self.before + done.text}
        choice: Json = {"finish_reason": FINISH[done.stop], "index": self.index, "message": message}
        out = self._choices("chat.completion", [choice | self._logprobs(done.probabilities)])
        return out | {"usage": usage(done), "id": self.id, "timings": timings(done.timings)}

    def begin(self) -> list[Json]:
        return [self._chunk([self._delta({"role": "assistant", "content": None})])]

    def piece(self, piece: StreamPiece) -> Json:
        before = self.before if piece.n_predicted == 1 else ""
        choice = self._delta({"content": before + piece.text}) | self._logprobs(piece.probabilities)
        return self._chunk([choice]) | self._timed(piece)

    def end(self, done: Done) -> list[Json]:
        """The last chunk, and one with nothing but the usage where that is asked for."""
        last = self._chunk([self._delta({}, FINISH[done.stop])])
        if not self.params.include_usage:
            return [last | {"timings": timings(done.timings)}]
        return [last, self._chunk([]) | {"usage": usage(done), "timings": timings(done.timings)}]

    def _delta(self, delta: Json, finish: str | None = None) -> Json:
        return {"finish_reason": finish, "index": self.index, "delta": delta}

    def _chunk(self, choices: list[Json]) -> Json:
        return {
            "choices": choices,
            "created": self.created,
            "id": self.id,
            "model": self.model,
            "system_fingerprint": FINGERPRINT,
            "object": "chat.completion.chunk",
        }


def _token(token: int, text: bytes) -> Json:
    return {"id": token, "token": text.decode("utf-8", "replace"), "bytes": list(text)}


def timings(t: Timings) -> Json:
    """Generation is timed from the first token on, so n tokens took n − 1 steps."""
    n_steps = t.predicted_n - 1
    return {
        "cache_n": t.cache_n,
        "prompt_n": t.prompt_n,
        "prompt_ms": round(t.prompt_ms, 3),
        "prompt_per_token_ms": t.prompt_ms / t.prompt_n if t.prompt_n else 0.0,
        "prompt_per_second": 1000 * t.prompt_n / t.prompt_ms if t.prompt_ms else 0.0,
        "predicted_n": t.predicted_n,
        "predicted_ms": round(t.predicted_ms, 3),
        "predicted_per_token_ms": t.predicted_ms / n_steps if n_steps > 0 else 0.0,
        "predicted_per_second": 1000 * n_steps / t.predicted_ms if n_steps > 0 and t.predicted_ms else 0.0,
    }


def usage(done: Done) -> Json:
    return {
        "completion_tokens": len(done.tokens),
        "prompt_tokens": done.n_prompt,
        "total_tokens": done.n_prompt + len(done.tokens),
        "prompt_tokens_details": {"cached_tokens": done.timings.cache_n},
    }


def chosen(reply: Json, names: Sequence[str]) -> Json:
    """The named fields; a name with slashes is looked up level by level and kept whole."""
    out: Json = {}
    for name in names:
        value: Any = reply
        for part in name.split("/"):
            value = value.get(part, ...) if isinstance(value, dict) else ...
            if value is ...:
                break
        if value is not ...:
            out[name] = value
    return out
