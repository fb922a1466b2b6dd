"""What an answer keeps to, asked token by token: a GBNF or a JSON schema, followed by llguidance.

In: a grammar's text or a decoded schema, the vocabulary.  Out: a `Grammar`, which says what may come next.  llguidance
bounds its own memory and time and is left only with an error; of a schema it ignores the name of what it does not know,
as llama-server does.
"""

import json
import math
from collections.abc import Collection, Iterator
from decimal import Decimal
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
from llguidance import LLMatcher, LLTokenizer, TokenizerWrapper

from palimpsest.engine.generation.gbnf import lark
from palimpsest.engine.llama.native import Model
from palimpsest.engine.llama.vocab import Ids, Vocabulary
from palimpsest.errors import InvalidArgument

TRIED = 3
"""Tokens that a grammar is followed while it is made."""
MAX_BYTES = 256 << 10
FIELD = "json_schema"
LARGEST_MULTIPLE = 100_000
"""The least common multiple of all that a schema wants numbers to be multiples of is at most this, without the decimal
point: llguidance takes 10 microseconds and half a kilobyte for each remainder, in the one thing whose time and memory
it does not bound."""
SPACE = r"(| |\n[ \t]{0,20})"
"""Between the elements of JSON: nearly llama-server's own; a model may go on with spaces for ever."""
MAPS, LISTS, ONE = ("properties", "$defs", "definitions"), ("anyOf", "oneOf", "prefixItems"), ("items",)
"""Keywords with schemas in them."""


def json_grammar(schema: Any) -> str:
    """Raises InvalidArgument that says what is not understood, or which bound is exceeded."""
    if not isinstance(schema, dict):
        raise InvalidArgument(FIELD, "expected an object.")
    try:
        text = json.dumps(_closed(schema))
        multiple = math.lcm(*_multiples(schema))
    except RecursionError:
        raise InvalidArgument(FIELD, "is nested too deep.") from None
    if len(text) > MAX_BYTES:
        raise InvalidArgument(FIELD, f"is larger than {MAX_BYTES >> 10} KiB.")
    if multiple > LARGEST_MULTIPLE:
        why = f"wants multiples of {multiple}, which asks for more than can be followed: {LARGEST_MULTIPLE} at most"
        raise InvalidArgument(FIELD, f"{why}, of all `multipleOf` together.")
    try:
        return LLMatcher.grammar_from_json_schema(text, overrides={"lenient": True, "whitespace_pattern": SPACE})
    except ValueError as error:
        raise InvalidArgument(FIELD, f"is not understood: {str(error)[:200]}") from None


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


def _multiples(schema: Any) -> Iterator[int]:
    """The significant digits of each `multipleOf`, and the zeros before the point; 0.25: 25."""
    for inner in schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ():
        yield from _multiples(inner)
    given = schema.get("multipleOf") if isinstance(schema, dict) else None
    if isinstance(given, int | float) and math.isfinite(given) and given > 0:
        number = Decimal(str(given)).normalize()
        yield int(number if number == number.to_integral_value() else number.scaleb(-int(number.as_tuple().exponent)))


@lru_cache(maxsize=8)
def check_gbnf(text: str) -> None:
    """Raises InvalidArgument that says what is not understood, or which bound is exceeded.  May take a second."""
    if why := LLMatcher.validate_grammar(LLMatcher.grammar_from_lark(lark(text))):
        raise _not_understood("grammar", why)


def check_schema(schema: Any) -> None:
    """The same."""
    if why := LLMatcher.validate_grammar(json_grammar(schema)):
        raise _not_understood(FIELD, why)


def _not_understood(field: str, why: str) -> InvalidArgument:
    why = " ".join(why.partition("<state>")[0].split())  # its state means something to its authors alone
    if why.startswith("NoExtension"):
        return InvalidArgument(field, "is satisfied by no text.")
    if why.startswith("panic"):
        return InvalidArgument(field, "asks for more than can be followed.")
    return InvalidArgument(field, f"is not understood: {why[:200]}")


class Grammar:
    """One answer's way through a grammar.  `field`: where it was given."""

    def __init__(self, field: str, matcher: LLMatcher, ends: Collection[int]) -> None:
        self._field, self._matcher, self._ends = field, matcher, frozenset(ends)
        self._mask: npt.NDArray[np.bool_] | None = None
        self._raise_error()

    def admits(self, token: int) -> bool:
        return self._matcher.is_accepting() if token in self._ends else self._matcher.validate_tokens([token]) == 1

    def admitted(self, ids: Ids) -> npt.NDArray[np.bool_]:
        """For each id whether it may come next.  Raises InvalidArgument where the grammar turns out to be too much."""
        if self._mask is None:
            self._mask = _admitted(self._matcher)
            self._mask[list(self._ends)] = self._matcher.is_accepting()
        self._raise_error()
        return self._mask[ids]

    def accept(self, token: int) -> None:
        self._matcher.consume_token(token)
        self._mask = None

    def _raise_error(self) -> None:
        if self._matcher.is_error():
            raise _not_understood(self._field, self._matcher.get_error())


def _admitted(matcher: LLMatcher) -> npt.NDArray[np.bool_]:
    bits = np.frombuffer(matcher.compute_bitmask(), np.uint8)
    return np.unpackbits(bits, bitorder="little").astype(np.bool_)


class Grammars:
    """Of one model.  `ends`: tokens that may end an answer."""

    def __init__(self, model: Model, vocab: Vocabulary, ends: Collection[int]) -> None:
        self._model, self._vocab, self._ends = model, vocab, ends
        self._matcher = lru_cache(maxsize=4)(self._make)

    def gbnf(self, text: str) -> Grammar:
        """On any thread; soon made where it was made before.  Raises InvalidArgument."""
        return self._grammar("grammar", LLMatcher.grammar_from_lark(lark(text)))

    def schema(self, schema: Any) -> Grammar:
        """Raises InvalidArgument."""
        return self._grammar(FIELD, json_grammar(schema))

    def _grammar(self, field: str, grammar: str) -> Grammar:
        return Grammar(field, self._matcher(field, grammar).deep_copy(), self._ends)

    def _make(self, field: str, grammar: str) -> LLMatcher:
        """A second for a long grammar; a copy of it takes a tenth of a millisecond.  One that turns out to be too much
        at its first tokens, which takes seconds, is wrong from the beginning."""
        matcher = LLMatcher(self._tokenizer, grammar, log_level=0)
        tried = matcher.deep_copy()
        for _ in range(TRIED):
            admitted = _admitted(tried)
            if tried.is_error():  # it is as large as it was slow: not kept
                raise _not_understood(field, tried.get_error())
            if (token := int(admitted.argmax())) in self._ends or not admitted[token]:
                break
            tried.consume_token(token)
        return matcher

    @cached_property
    def _tokenizer(self) -> LLTokenizer:
        """Made at the first grammar: a second or so for a large vocabulary."""
        return LLTokenizer(TokenizerWrapper(_Tokens(self._model, self._vocab)), eos_token=sorted(self._ends) or None)


class _Tokens:
    """What llguidance asks a tokenizer for.  Called, it gives the tokens of what a grammar forces next."""

    bos_token_id = None

    def __init__(self, model: Model, vocab: Vocabulary) -> None:
        self._model, self._vocab = model, vocab
        self.tokens = vocab.pieces
        self.special_token_ids = [i for i, piece in enumerate(vocab.pieces) if not piece]
        self.eos_token_id = next(iter(self.special_token_ids), 0)

    def __call__(self, text: bytes) -> list[int]:
        try:
            tokens = self._model.tokenize(text.decode("utf-8", "replace"))
        except InvalidArgument:  # longer than a text may be: llguidance would end in a panic
            return self._vocab.longest(text)
        # some models put a space in front of a text
        return tokens if self._vocab.text(tokens) == text else self._vocab.longest(text)
