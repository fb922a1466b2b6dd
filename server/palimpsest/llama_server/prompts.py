"""Prompts as requests give them: a text, tokens, both mixed, or several of these.

In: the JSON of `prompt`.  Out: parts, and their tokens.  Knows no route.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from palimpsest.errors import InvalidArgument

if TYPE_CHECKING:
    from palimpsest.kv.cache.engine import Engine

Parts = tuple[int | str, ...]
EXPECTED = (
    "expected a string, an array of tokens, an object with prompt_string, an array of strings and tokens, "
    "or several of them."
)


def read(value: Any) -> list[Parts]:
    """One or more prompts.  Raises InvalidArgument."""
    if value is None:
        raise InvalidArgument("prompt", "is missing.")
    if value == []:
        raise InvalidArgument("prompt", "must not be empty.")
    if isinstance(value, list) and value and not _is_mixed(value):
        return [_one(item) for item in value]
    return [_one(value)]


def _is_mixed(value: list[Any]) -> bool:
    """An array with a token in it is one prompt; one of texts alone is as many."""
    return any(isinstance(item, int) and not isinstance(item, bool) for item in value)


def _one(value: Any) -> Parts:
    if isinstance(value, dict) and isinstance(value.get("prompt_string"), str):
        if value.get("multimodal_data"):
            raise InvalidArgument("prompt.multimodal_data", "is not supported here.")
        return (value["prompt_string"],)
    if isinstance(value, str):
        return (value,)
    if not isinstance(value, list) or not all(_is_part(item) for item in value):
        raise InvalidArgument("prompt", EXPECTED)
    return tuple(value)


def _is_part(item: Any) -> bool:
    return isinstance(item, (int, str)) and not isinstance(item, bool)


def tokens(engine: Engine, parts: Parts, *, add_special: bool = True, parse_special: bool = True) -> list[int]:
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
