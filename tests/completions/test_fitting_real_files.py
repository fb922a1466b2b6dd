"""Cursors in the middle of lines that others wrote, and what a model says wrong there.

A piece of a line is missing, or nothing is; what is said is the piece with what models are seen to add to it or to
leave out of it, or something else of the file.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from random import Random

import pytest

from palimpsest.completions.fitting import fitting
from palimpsest.completions.inline import trim
from palimpsest.completions.repairs import untyped
from palimpsest.completions.results import CompletionResult
from palimpsest.languages.registry import language_of
from palimpsest.syntax.parse import Parsed, parse_snapshot
from palimpsest.syntax.parser import Parser
from palimpsest.text.snapshot import Snapshot
from tests.real_files import files

pytestmark = [pytest.mark.slow(part="storms"), pytest.mark.timeout(1200)]  # thousands of texts, each tried first
LANGUAGES = ("python", "javascript", "typescript", "go", "rust", "java", "c", "php", "ruby", "kotlin")
PER_LANGUAGE = 50


@dataclass(frozen=True)
class Place:
    """`piece` is missing between `prefix` and `suffix`, "" where nothing is."""

    parsed: Parsed
    prefix: str
    piece: str
    suffix: str

    @property
    def rest(self) -> str:
        return self.suffix.partition("\n")[0]


@dataclass(frozen=True)
class Said:
    """`shown` and `plain`: with fitting and without; `n_errors`: of the whole file with what is shown, which has none
    with the piece and `n_before` without it."""

    kind: str
    language: str
    shown: str
    plain: str
    n_errors: int
    n_before: int


def _another(place: Place, random: Random) -> str:
    return random.choice([line.strip() for line in place.parsed.snapshot.lines if len(line.strip()) > 3])


def _word(place: Place, random: Random) -> str:
    return random.choice(re.findall(r"\w+", place.parsed.snapshot.text))


RIGHT: dict[str, Callable[[Place, Random], str]] = {
    "the piece": lambda place, _: place.piece,
    "and the rest": lambda place, _: place.piece + place.rest,
    "and the rest and more": lambda place, random: f"{place.piece}{place.rest}\n{_another(place, random)}",
    "and the beginning of the rest": lambda place, random: place.piece + place.rest[: random.randint(1, 6)],
    "one bracket too many": lambda place, random: place.piece + random.choice([")", "]", "}", ");", "))"]),
    "a bracket and more": lambda place, random: f"{place.piece}) + {_word(place, random)}",
}
WRONG: dict[str, Callable[[Place, Random], str]] = {
    "a call opened": lambda place, random: f"{_word(place, random)}({_word(place, random)}",
    "another line": _another,
    "another line cut": lambda place, random: (line := _another(place, random))[: random.randint(2, len(line))],
    "a word and a call": lambda place, random: f"{_word(place, random)}Data(id);",
    "a string opened": lambda place, random: f'"{_word(place, random)}',
}


def _places(language: str, n: int, random: Random) -> Iterator[Place]:
    found = [parsed for parsed in files(language) if not parsed.n_errors]
    while n:
        parsed = random.choice(found)
        text = parsed.snapshot.text
        at = random.randrange(len(text))
        start, end = text.rfind("\n", 0, at) + 1, (text + "\n").find("\n", at)
        if not text[start:at].strip() or not text[at:end].strip():
            continue
        stop = random.choice([at, random.randint(at, end - 1)])
        yield Place(parsed, text[:at], text[at:stop], text[stop:])
        n -= 1


def _said(place: Place, kind: str, said: str) -> Said:
    parser, language = Parser(language_of), place.parsed.language
    snapshot = Snapshot(place.parsed.snapshot.uri, 1, language.id, place.prefix + place.suffix)
    before = parser.parse(snapshot)
    new = untyped(said, place.prefix.rpartition("\n")[2], snapshot.text)
    plain = trim(new, prefix=place.prefix, suffix=place.suffix, multiline=False, language=language)[0]
    result = fitting(parser, before, snapshot.position(len(place.prefix)), CompletionResult((plain,) if plain else ()))
    shown = "".join(result.texts[:1])
    after = parse_snapshot(Snapshot("", 1, language.id, place.prefix + shown + place.suffix), language)
    return Said(kind, language.id, shown, plain, after.n_errors, before.n_errors)


@cache
def everything_said() -> tuple[Said, ...]:
    random, found = Random(7), list[Said]()
    for language in LANGUAGES:
        for place in _places(language, PER_LANGUAGE, random):
            kinds = {**(RIGHT if place.piece else {}), **WRONG}
            found += [_said(place, kind, make(place, random)) for kind, make in kinds.items()]
    return tuple(found)


def share(said: list[Said], good: Callable[[Said], object]) -> float:
    assert len(said) > 1000
    assert len({one.language for one in said}) == len(LANGUAGES)
    return sum(bool(good(one)) for one in said) / len(said)


def test_what_is_shown_in_the_middle_of_a_line_adds_no_syntax_error() -> None:
    shown = [one for one in everything_said() if one.shown]
    assert share(shown, lambda one: one.n_errors <= one.n_before) >= 0.98
    right = [one for one in shown if one.kind in RIGHT]
    assert share(right, lambda one: not one.n_errors) >= 0.98, Counter(one.kind for one in right if one.n_errors)


def test_hardly_less_is_shown_where_a_model_says_what_is_missing_and_more() -> None:
    """Against no fitting at all."""
    said = [one for one in everything_said() if one.kind in RIGHT and one.plain.strip()]
    assert share(said, lambda one: one.shown) >= 0.9, Counter(one.kind for one in said if not one.shown)
