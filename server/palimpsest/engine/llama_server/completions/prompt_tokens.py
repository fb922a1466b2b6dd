"""A prompt's tokens.

In: a prompt's parts, texts and tokens.  Out: tokens.
"""

from palimpsest.engine.llama_server.requests.prompts import Parts
from palimpsest.engine.native_engine import NativeEngine
from palimpsest.errors import ContextTooLarge, InvalidArgument


class PromptTooLong(ContextTooLarge):
    """The prompt has `n_prompt` tokens; `n_ctx` is the most there can be."""

    def __init__(self, n_prompt: int, n_ctx: int) -> None:
        message = f"request ({n_prompt} tokens) exceeds the available context size ({n_ctx} tokens), try increasing it"
        super().__init__(message, fitting=n_ctx - 1)
        self.n_prompt, self.n_ctx = n_prompt, n_ctx


def prompt_tokens(
    engine: NativeEngine, parts: Parts, *, add_special: bool = True, parse_special: bool = True
) -> list[int]:
    """Raises InvalidArgument for a token that there is not.  What every prompt begins with goes before a first text."""
    out: list[int] = []
    n_chars = sum(len(part) for part in parts if isinstance(part, str))
    if n_chars > engine.model.longest_text:
        raise InvalidArgument(
            "prompt", f"is {n_chars:,} characters long; {engine.model.longest_text:,} are read at most."
        )
    for i, part in enumerate(parts):
        if isinstance(part, int):
            if not 0 <= part < engine.model.n_vocab:
                raise InvalidArgument("prompt", f"{part} is no token: there are {engine.model.n_vocab}.")
            out.append(part)
            continue
        if i == 0 and add_special:
            out += engine.facts.header_start
        out += engine.model.tokenize(part, special=parse_special)
    return out
