"""Slots as llama-server's clients see them, and the sums behind `/metrics`.

In: requests as they begin and end, on the event loop's thread.  Out: plain data.  A slot is a name for a pair of
workspaces, which alone know what is in the cache.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from palimpsest.engine.llama_server.completions.outcome import Done
from palimpsest.engine.llama_server.requests.params import MOST_AT_ONCE, Params

N_SLOTS = MOST_AT_ONCE
METRICS = (  # name, kind, help, which sum it shows
    ("prompt_tokens_total", "counter", "Prompt tokens decoded, without those that were in the cache", "prompt_n"),
    ("prompt_tokens_cached_total", "counter", "Prompt tokens that were in the cache", "cache_n"),
    ("prompt_seconds_total", "counter", "Seconds spent on prompts", "prompt_s"),
    ("tokens_predicted_total", "counter", "Tokens generated", "predicted_n"),
    ("tokens_predicted_seconds_total", "counter", "Seconds spent generating", "predicted_s"),
    ("n_decode_total", "counter", "Calls of llama_decode()", "n_calls"),
    ("n_tokens_max", "counter", "The longest prompt and answer together, in tokens", "n_longest"),
    ("prompt_tokens_seconds", "gauge", "Prompt tokens a second", "prompt_rate"),
    ("predicted_tokens_seconds", "gauge", "Generated tokens a second", "predicted_rate"),
    ("requests_processing", "gauge", "Requests being worked on", "processing"),
    ("requests_deferred", "gauge", "Requests that wait", "deferred"),
    ("n_busy_slots_per_decode", "gauge", "Slots in use when llama_decode() is called", "busy"),
)


@dataclass(slots=True)
class Slot:
    """`task` is the number of its newest request, −1 before the first."""

    index: int
    task: int = -1
    n_open: int = 0
    done: Done | None = None

    def as_json(self, n_ctx: int) -> dict[str, Any]:
        """Its object in `/slots`."""
        out: dict[str, Any] = {"id": self.index, "n_ctx": n_ctx, "is_processing": self.n_open > 0}
        if self.task < 0:
            return out
        done = self.done
        return out | {
            "id_task": self.task,
            "n_prompt_tokens": done.n_prompt if done else 0,
            "n_prompt_tokens_processed": done.timings.prompt_n if done else 0,
            "n_prompt_tokens_cache": done.timings.cache_n if done else 0,
        }


@dataclass(slots=True)
class Slots:
    slots: list[Slot] = field(default_factory=lambda: [Slot(i) for i in range(N_SLOTS)])
    n_tasks: int = 0
    sums: dict[str, float] = field(
        default_factory=lambda: dict.fromkeys(
            ("prompt_n", "cache_n", "prompt_s", "predicted_n", "predicted_s", "n_calls", "n_longest"), 0.0
        )
    )

    @contextmanager
    def taken(self, params: Params) -> Iterator[Slot]:
        """The slot that a request names; an idle one where it names none or one that does not exist."""
        if 0 <= params.id_slot < N_SLOTS:
            slot = self.slots[params.id_slot]
        else:
            slot = next((slot for slot in self.slots if not slot.n_open), self.slots[0])
        slot.task = self.n_tasks
        self.n_tasks += 1
        slot.n_open += 1
        try:
            yield slot
        finally:
            slot.n_open -= 1

    def note(self, slot: Slot, dones: Sequence[Done]) -> None:
        """Count the completions of one prompt, which was decoded once for all of them."""
        slot.done = done = dones[0]
        sums, t = self.sums, done.timings
        for name, value in (
            ("prompt_n", t.prompt_n),
            ("cache_n", t.cache_n),
            ("prompt_s", t.prompt_ms / 1000),
            ("predicted_n", sum(done.timings.predicted_n for done in dones)),
            ("predicted_s", t.predicted_ms / 1000),
            ("n_calls", done.n_calls),
        ):
            sums[name] += value
        sums["n_longest"] = max(sums["n_longest"], *(done.n_prompt + len(done.tokens) for done in dones))

    def metrics(self) -> str:
        """Prometheus' text format."""
        n_open = [slot.n_open for slot in self.slots]
        values = self.sums | {
            "prompt_rate": self.sums["prompt_n"] / self.sums["prompt_s"] if self.sums["prompt_s"] else 0,
            "predicted_rate": self.sums["predicted_n"] / self.sums["predicted_s"] if self.sums["predicted_s"] else 0,
            "processing": sum(n > 0 for n in n_open),
            "deferred": sum(max(0, n - 1) for n in n_open),
            "busy": 1 if self.sums["n_calls"] else 0,
        }
        lines = []
        for name, kind, text, key in METRICS:
            lines += [f"# HELP llamacpp:{name} {text}", f"# TYPE llamacpp:{name} {kind}"]
            lines.append(
                f"llamacpp:{name} {values[key]:.6g}" if values[key] % 1 else f"llamacpp:{name} {int(values[key])}"
            )
        return "\n".join(lines) + "\n"
