"""What a server with OpenAI's protocol offers, as far as it says so.

In: what `/v1/models` lists, a model's name.  Out: `OpenAIFacts`: the model, its context, how it completes code and how
it takes a grammar.  Pure."""

import re
from dataclasses import dataclass
from typing import Any, Literal

from palimpsest.errors import ModelError
from palimpsest.models.families import Family, of_server

Maker = Literal["llama.cpp", "vLLM", "SGLang", ""]
"""The kind of server; "" for a hosted one, which does not say."""
MAKERS: dict[str, Maker] = {"llamacpp": "llama.cpp", "vllm": "vLLM", "sglang": "SGLang"}
Way = Literal["tokens", "suffix", "chat"]
"""How a completion is asked for: with the family's FIM tokens, with the field `suffix`, or in words."""
MOST_CONTEXT = 16384
"""As for our own engine: half of it goes to blocks, and a server's 200,000 would have to be decoded and paid for."""
CONTEXT_FIELDS = ("max_model_len", "context_length", "context_window", "max_context_length")
TAKES_SUFFIX = re.compile(r"gpt-3\.5-turbo-instruct|deepseek-(chat|v\d)")
TALKS = re.compile(r"instruct|chat|codestral|[-_]it\b")


@dataclass(frozen=True, slots=True)
class OpenAIFacts:
    name: str
    maker: Maker
    n_ctx: int
    n_params: int
    family: Family | None
    way: Way
    talks: bool
    """It follows instructions; a base model only continues text."""

    def constraint(self, grammar: str) -> dict[str, Any]:
        """The fields for a grammar (GBNF); none for a server that may not take one: replies are checked in any case."""
        if self.maker == "llama.cpp":
            return {"grammar": grammar}
        if self.maker == "vLLM":
            return {"structured_outputs": {"grammar": grammar}}
        return {"ebnf": grammar} if self.maker == "SGLang" else {}


def facts(listed: dict[str, Any], wanted: str, n_ctx: int) -> OpenAIFacts:
    """`wanted`: the setting `engine.model`; `n_ctx`: the setting, 0 for what the server says.  Raises ModelError."""
    data = listed.get("data")
    models = [item for item in data if isinstance(item, dict) and item.get("id")] if isinstance(data, list) else []
    listed_model = next((item for item in models if wanted in ("", item["id"])), {})
    name = wanted or str(listed_model.get("id") or "")
    if not name:
        raise ModelError("The server lists no models.", hint="Set `engine.model`.")
    if models and not listed_model:
        known = ", ".join(str(item["id"]) for item in models[:8])
        raise ModelError(f"The server has no model {wanted!r}.", hint=f"It lists {known}.")
    family, small = of_server(name), name.lower()
    way: Way = "tokens" if family else "suffix" if TAKES_SUFFIX.search(small) else "chat"
    meta = listed_model.get("meta") if isinstance(listed_model.get("meta"), dict) else {}
    assert isinstance(meta, dict)
    return OpenAIFacts(
        name=name,
        maker=MAKERS.get(str(listed_model.get("owned_by") or "").lower(), ""),
        n_ctx=n_ctx or min(MOST_CONTEXT, _context(listed_model) or _number(meta.get("n_ctx")) or MOST_CONTEXT),
        n_params=_number(meta.get("n_params")),
        family=family,
        way=way,
        talks=family is None or bool(TALKS.search(small)),
    )


def _context(model: dict[str, Any]) -> int:
    return next((n for name in CONTEXT_FIELDS if (n := _number(model.get(name)))), 0)


def _number(value: Any) -> int:
    return value if isinstance(value, int) and value > 0 else 0
