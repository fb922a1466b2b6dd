"""Prompts as requests give them: a text, tokens, a mix of both, or several of these.

In: the JSON of `prompt`.  Out: parts.  Knows no route and no tokenizer.
"""

from typing import Any

from palimpsest.errors import InvalidArgument

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
    """An array with a token in it is one prompt; an array of texts is one prompt for each."""
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
