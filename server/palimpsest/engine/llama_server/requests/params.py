"""A request's parameters for sampling and for its answer, and the `generation_settings` that repeat them.

In: a body's fields.  Out: `Params`, frozen.  A parameter that is not supported here and would change the answer's
meaning is refused by name; one that changes nothing (`n_cache_reuse`, `n_keep`, `t_max_prompt_ms`, …) is ignored.
Defaults and limits are llama-server's.  Knows no model.
"""

import struct
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from palimpsest.engine.llama_server.requests.fields import Fields
from palimpsest.errors import InvalidArgument
from palimpsest.wire import LONGEST_STOP, MAX_N, MAX_STOPS

RANDOM_SEED = 0xFFFFFFFF
MOST_AT_ONCE = 4
"""Completions of one prompt: llama-server's limit is its number of slots, of which there are as many here."""
INF = float("inf")
BIG = 3.4e38
SAMPLERS = ("penalties", "dry", "top_n_sigma", "top_k", "typ_p", "top_p", "min_p", "xtc", "temperature")
"""The order when a request names none."""
OTHER_NAMES = {"top-k": "top_k", "top-p": "top_p", "nucleus": "top_p", "typical-p": "typ_p", "typical": "typ_p",
               "typ-p": "typ_p", "typ": "typ_p", "min-p": "min_p", "temp": "temperature",
               "top-n-sigma": "top_n_sigma"}  # fmt: skip
BY_LETTER = {"d": "dry", "k": "top_k", "y": "typ_p", "p": "top_p", "s": "top_n_sigma", "m": "min_p",
             "t": "temperature", "x": "xtc", "i": "infill", "e": "penalties"}  # fmt: skip
FLOATS = {  # name: (default, what it is cut to)
    "temperature": (0.8, 0.0, BIG),
    "dynatemp_range": (0.0, -BIG, BIG),
    "dynatemp_exponent": (1.0, -BIG, BIG),
    "top_p": (0.95, 0.0, 1.0),
    "min_p": (0.05, 0.0, 1.0),
    "top_n_sigma": (-1.0, -BIG, BIG),
    "xtc_probability": (0.0, 0.0, 1.0),
    "xtc_threshold": (0.1, 0.0, 1.0),
    "typical_p": (1.0, -BIG, BIG),
    "repeat_penalty": (1.0, -BIG, BIG),
    "presence_penalty": (0.0, -BIG, BIG),
    "frequency_penalty": (0.0, -BIG, BIG),
    "dry_multiplier": (0.0, -BIG, BIG),
    "dry_base": (1.75, 1.0, BIG),
}
INTS = {  # name: (default, least)
    "repeat_last_n": (64, 0),
    "dry_allowed_length": (2, 0),
    "dry_penalty_last_n": (64, 0),
    "min_keep": (0, 0),
}
MAX_PROBS = 100
"""Tokens with their probabilities that are told for each one of the answer."""
MAX_BIASES = 10_000
GREATEST_BIAS = 1e30
"""What a bias is cut to: sums of many stay finite, as llama.cpp's arithmetic needs them."""
MAX_NAMES = 100
DRY_BREAKERS = ("\n", ":", '"', "*")
SETTINGS: tuple[str | tuple[str, Any], ...] = (
    "seed", "temperature", "dynatemp_range", "dynatemp_exponent", "top_k", "top_p", "min_p", "top_n_sigma",
    "xtc_probability", "xtc_threshold", "typical_p", "repeat_last_n", "repeat_penalty", "presence_penalty",
    "frequency_penalty", "dry_multiplier", "dry_base", "dry_allowed_length", "dry_penalty_last_n",
    "dry_sequence_breakers", ("mirostat", 0), ("mirostat_tau", 5.0), ("mirostat_eta", 0.1), ("adaptive_target", -1.0),
    ("adaptive_decay", 0.9), "stop", "max_tokens", "n_predict", ("n_keep", 0), ("n_discard", 0), "ignore_eos",
    "stream", "logit_bias", "n_probs", "min_keep", "grammar", ("grammar_lazy", False), ("grammar_triggers", []),
    ("preserved_tokens", []), ("chat_format", "Content-only"), ("reasoning_format", "none"),
    ("reasoning_in_content", False), ("generation_prompt", ""), "samplers", ("speculative.types", "none"),
    "timings_per_token", "post_sampling_probs", ("backend_sampling", False), ("lora", []),
)  # fmt: skip
REFUSED = {  # name: the value that turns it off
    "mirostat": 0,
    "adaptive_target": -1.0,
    "grammar_lazy": False,
    "lora": [],
    "best_of": 1,
    "suffix": "",
}


@dataclass(frozen=True, slots=True)
class Params:
    """`sampling` has every number of FLOATS and INTS, and `seed` and `top_k`.  `n`: completions of each prompt.
    `bias`: (a token, or a text that means all of its tokens; what is added to the logit).  `schema`: a JSON schema in
    place of a grammar.  `review`: so many other lines are tried beside an infill, and the code behind it chooses."""

    sampling: Mapping[str, float]
    samplers: tuple[str, ...] = SAMPLERS
    n_predict: int = -1
    n: int = 1
    n_indent: int = 0
    t_max_predict_ms: int = 0
    stop: tuple[str, ...] = ()
    stream: bool = False
    id_slot: int = -1
    cache_prompt: bool = True
    return_tokens: bool = False
    timings_per_token: bool = False
    include_usage: bool = False
    response_fields: tuple[str, ...] | None = None
    n_probs: int = 0
    post_sampling_probs: bool = False
    ignore_eos: bool = False
    bias: tuple[tuple[int | str, float], ...] = ()
    breakers: tuple[str, ...] = DRY_BREAKERS
    grammar: str = ""
    schema: Any = field(default=None, compare=False)
    review: int = 0

    @property
    def is_bound(self) -> bool:
        """Whether answers keep to a grammar or a schema."""
        return bool(self.grammar) or self.schema is not None

    @property
    def is_greedy(self) -> bool:
        """Whether the draw can only choose the greatest logit."""
        s, names = self.sampling, self.samplers
        penalized = s["repeat_last_n"] and (
            s["repeat_penalty"] != 1.0 or s["presence_penalty"] != 0.0 or s["frequency_penalty"] != 0.0
        )
        return (
            "temperature" in names
            and s["temperature"] == 0.0
            and s["dynatemp_range"] == 0.0
            and not (
                "infill" in names
                or ("penalties" in names and penalized)
                or ("dry" in names and s["dry_multiplier"] != 0.0)
                or ("typ_p" in names and s["typical_p"] < 1.0)
                or ("xtc" in names and s["xtc_probability"] > 0.0)
            )
        )

    def of(self, index: int) -> "Params":
        """The parameters of one of several completions: each has a seed of its own, counted on from the given one."""
        seed = int(self.sampling["seed"])
        if not index or seed == RANDOM_SEED:
            return self
        return replace(self, sampling={**self.sampling, "seed": (seed + index) & RANDOM_SEED})


def read(fields: Fields, *, n_probs: int | None = None) -> Params:
    """Raises InvalidArgument."""
    _refuse(fields)
    named = fields.raw("samplers")
    return Params(
        sampling=_sampling(fields),
        samplers=_samplers(named, fields) if named is not None else SAMPLERS,
        n_predict=fields.integer("n_predict", "max_completion_tokens", "max_tokens", default=-1, low=-1),
        n=fields.integer("n_cmpl", "n", default=1, low=1, high=MOST_AT_ONCE),
        n_indent=fields.integer("n_indent", default=0, low=0),
        t_max_predict_ms=fields.integer("t_max_predict_ms", default=0, low=-1),
        stop=_stops(fields),
        stream=fields.flag("stream"),
        id_slot=fields.integer("id_slot", default=-1),
        cache_prompt=fields.flag("cache_prompt", default=True),
        return_tokens=fields.flag("return_tokens"),
        timings_per_token=fields.flag("timings_per_token"),
        include_usage=Fields(fields.table("stream_options")).flag("include_usage"),
        response_fields=fields.texts("response_fields", most=MAX_NAMES) if fields.has("response_fields") else None,
        n_probs=fields.integer("n_probs", "logprobs", default=0, low=0, high=MAX_PROBS) if n_probs is None else n_probs,
        post_sampling_probs=fields.flag("post_sampling_probs"),
        ignore_eos=fields.flag("ignore_eos"),
        bias=_bias(fields.raw("logit_bias")),
        breakers=_breakers(fields),
        grammar=fields.text("grammar"),
        schema=None if fields.text("grammar") else fields.raw("json_schema"),
    )


def with_review(params: Params, fields: Fields) -> Params:
    """Of an infill, which may ask for it.  Raises InvalidArgument."""
    n = fields.integer("review", default=0, low=0, high=MAX_N)
    if n and (not params.is_greedy or params.is_bound or params.bias or params.n_probs):
        raise InvalidArgument(
            "review", 'needs "temperature": 0, and no penalty, grammar, schema, logit_bias or n_probs.'
        )
    return replace(params, review=n)


def _stops(fields: Fields) -> tuple[str, ...]:
    stops = tuple(word for word in fields.texts("stop", most=MAX_STOPS) if word)
    if any(len(word) > LONGEST_STOP for word in stops):
        raise InvalidArgument("stop", f"a stop string is {LONGEST_STOP:,} characters long at most.")
    return stops


def _refuse(fields: Fields) -> None:
    for name, off in REFUSED.items():
        if fields.has(name) and fields.raw(name) != off:
            raise InvalidArgument(name, "is not supported here.")


def _sampling(fields: Fields) -> dict[str, float]:
    made: dict[str, float] = {
        name: min(high, max(low, fields.number(name, default=default))) for name, (default, low, high) in FLOATS.items()
    }
    made |= {name: fields.integer(name, default=default, low=low) for name, (default, low) in INTS.items()}
    made["top_k"] = max(0, fields.integer("top_k", default=40))
    made["seed"] = fields.integer("seed", default=-1, low=-(2**63), high=2**63) & RANDOM_SEED
    return made


def _samplers(named: Any, fields: Fields) -> tuple[str, ...]:
    """Names, or a string of letters; unknown ones are ignored, as by llama-server."""
    if isinstance(named, str):
        if len(named) > MAX_NAMES:
            raise InvalidArgument("samplers", f"expected {MAX_NAMES} letters at most.")
        return tuple(BY_LETTER[letter] for letter in named if letter in BY_LETTER)
    known = {*SAMPLERS, "infill"}
    names = [OTHER_NAMES.get(name, name) for name in fields.texts("samplers", most=MAX_NAMES)]
    return tuple(name for name in names if name in known)


def _bias(value: Any) -> tuple[tuple[int | str, float], ...]:
    """`[[token or text, bias or false], …]` or `{token or text: …}`."""
    if value is None:
        return ()
    pairs = list(value.items()) if isinstance(value, dict) else value
    if not isinstance(pairs, list) or not all(isinstance(pair, (list, tuple)) and len(pair) == 2 for pair in pairs):
        raise InvalidArgument("logit_bias", "expected [[token, bias], …] or {token: bias, …}.")
    if len(pairs) > MAX_BIASES:
        raise InvalidArgument("logit_bias", f"expected {MAX_BIASES:,} tokens at most.")
    made: list[tuple[int | str, float]] = []
    for token, bias in pairs:
        if bias is not False and (isinstance(bias, bool) or not isinstance(bias, (int, float))):
            raise InvalidArgument("logit_bias", "a bias is a number, or false to ban the token.")
        if isinstance(token, bool) or not isinstance(token, (int, str)):
            raise InvalidArgument("logit_bias", "a token is its number, or a text.")
        if isinstance(token, str) and len(token) > LONGEST_STOP:
            raise InvalidArgument("logit_bias", f"a text is {LONGEST_STOP:,} characters long at most.")
        whole = isinstance(token, str) and isinstance(value, dict) and token.isdecimal() and len(token) < 10
        added = -INF if bias is False else min(GREATEST_BIAS, max(-GREATEST_BIAS, float(bias)))
        made.append((int(token) if whole else token, added))
    return tuple(made)


def _breakers(fields: Fields) -> tuple[str, ...]:
    if not fields.has("dry_sequence_breakers"):
        return DRY_BREAKERS
    breakers = fields.texts("dry_sequence_breakers", most=MAX_NAMES)
    if any(len(text) > LONGEST_STOP for text in breakers):
        raise InvalidArgument("dry_sequence_breakers", f"a text is {LONGEST_STOP:,} characters long at most.")
    if not breakers:
        raise InvalidArgument("dry_sequence_breakers", "expected an array of strings that is not empty.")
    return breakers


def settings(params: Params) -> dict[str, Any]:
    """`generation_settings`, with numbers as llama-server prints its 32-bit floats."""
    own: dict[str, Any] = {
        "dry_sequence_breakers": list(params.breakers),
        "stop": list(params.stop),
        "max_tokens": params.n_predict,
        "n_predict": params.n_predict,
        "ignore_eos": params.ignore_eos,
        "stream": params.stream,
        "logit_bias": [{"bias": bias, "token": token} for token, bias in params.bias if bias > -INF],
        "n_probs": params.n_probs,
        "grammar": params.grammar,
        "samplers": list(params.samplers),
        "timings_per_token": params.timings_per_token,
        "post_sampling_probs": params.post_sampling_probs,
        **params.sampling,
    }
    rows = [(row, own[row]) if isinstance(row, str) else row for row in SETTINGS]
    return {name: _single(value) for name, value in rows}


def _single(value: Any) -> Any:
    return struct.unpack("f", struct.pack("f", value))[0] if isinstance(value, float) else value
