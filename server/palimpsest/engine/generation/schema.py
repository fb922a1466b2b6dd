"""A JSON schema that an answer keeps to, followed by llguidance.

In: a decoded schema, the vocabulary.  Out: a `Schema`, which says what may come next.  llguidance bounds its own memory
and time and is left only with an error; of what it does not know it ignores the name, as llama-server does.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from llguidance import LLMatcher, LLTokenizer, TokenizerWrapper

from palimpsest.engine.llama.native import Model
from palimpsest.engine.llama.vocab import Ids, Vocabulary
from palimpsest.errors import InvalidArgument

MAX_BYTES = 256 << 10
FIELD = "json_schema"
SPACE = r"(| |\n[ \t]{0,20})"
"""Between the elements of JSON: nearly llama-server's own; a model may go on with spaces for ever."""
MAPS, LISTS, ONE = ("properties", "$defs", "definitions"), ("anyOf", "oneOf", "prefixItems"), ("items",)
"""Keywords with schemas in them."""


def check_schema(schema: Any) -> None:
    """Raises InvalidArgument that says what is not understood, or which bound is exceeded."""
    if why := LLMatcher.validate_grammar(_grammar(schema)):
        raise _not_understood(why)


def _grammar(schema: Any) -> str:
    if not isinstance(schema, dict):
        raise InvalidArgument(FIELD, "expected an object.")
    try:
        text = json.dumps(_closed(schema))
    except RecursionError:
        raise InvalidArgument(FIELD, "is nested too deep.") from None
    if len(text) > MAX_BYTES:
        raise InvalidArgument(FIELD, f"is larger than {MAX_BYTES >> 10} KiB.")
    try:
        return LLMatcher.grammar_from_json_schema(text, overrides={"lenient": True, "whitespace_pattern": SPACE})
    except ValueError as error:
        raise _not_understood(str(error)) from None


def _closed(schema: Any) -> Any:
    """An object whose properties are named has no others, as llama-server has it, unless the schema says so."""
    if not isinstance(schema, dict):
        return schema
    made = dict(schema)
    for key, value in schema.items():
        if key in MAPS and isinstance(value, dict):
            made[key] = {name: _closed(inner) for name, inner in value.items()}
        elif key in LISTS and isinstance(value, list):
            made[key] = [_closed(inner) for inner in value]
        elif key in ONE:
            made[key] = _closed(value)
    if "properties" in made and "allOf" not in made:
        made.setdefault("additionalProperties", False)
    return made


def _not_understood(why: str) -> InvalidArgument:
    why = " ".join(why.partition("<state>")[0].split())  # its state means something to its authors alone
    if why.startswith("NoExtension"):
        return InvalidArgument(FIELD, "is satisfied by no text.")
    return InvalidArgument(FIELD, f"is not understood: {why[:200]}")


class Schema:
    """One answer's way through a schema: what `Grammar` is for a GBNF."""

    def __init__(self, matcher: LLMatcher, ends: Collection[int]) -> None:
        self._matcher, self._ends = matcher, frozenset(ends)
        self._mask: npt.NDArray[np.bool_] | None = None

    def close(self) -> None: ...

    def admits(self, token: int) -> bool:
        return self._matcher.is_accepting() if token in self._ends else self._matcher.validate_tokens([token]) == 1

    def admitted(self, ids: Ids) -> npt.NDArray[np.bool_]:
        """For each id whether it may come next.  Raises InvalidArgument where the schema turns out to be too much."""
        if self._mask is None:
            bits = np.frombuffer(self._matcher.compute_bitmask(), np.uint8)
            self._mask = np.unpackbits(bits, bitorder="little").astype(np.bool_)
            self._mask[list(self._ends)] = self._matcher.is_accepting()
        if self._matcher.is_error():
            raise _not_understood(self._matcher.get_error())
        return self._mask[ids]

    def accept(self, token: int) -> None:
        self._matcher.consume_token(token)
        self._mask = None


class Schemas:
    """Of one model.  `ends`: tokens that may end an answer."""

    def __init__(self, model: Model, vocab: Vocabulary, ends: Collection[int]) -> None:
        self._model, self._vocab, self._ends = model, vocab, ends

    def follow(self, schema: Any) -> Schema:
        """Raises InvalidArgument."""
        matcher = LLMatcher(self._tokenizer, _grammar(schema), log_level=0)
        if matcher.is_error():
            raise _not_understood(matcher.get_error())
        return Schema(matcher, self._ends)

    @cached_property
    def _tokenizer(self) -> LLTokenizer:
        """Made at the first schema: a second or so for a large vocabulary."""
        return LLTokenizer(TokenizerWrapper(_Tokens(self._model, self._vocab)), eos_token=sorted(self._ends) or None)


class _Tokens:
    """What llguidance asks a tokenizer for.  Called, it gives the tokens of what a schema forces next."""

    bos_token_id = None

    def __init__(self, model: Model, vocab: Vocabulary) -> None:
        self._model, self._vocab = model, vocab
        self.tokens = vocab.pieces
        self.special_token_ids = [i for i, piece in enumerate(vocab.pieces) if not piece]
        self.eos_token_id = next(iter(self.special_token_ids), 0)

    def __call__(self, text: bytes) -> list[int]:
        found = self._model.tokenize(text.decode("utf-8", "replace"))
        # some models put a space in front of a text
        return found if self._vocab.text(found) == text else self._vocab.longest(text)
