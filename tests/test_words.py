"""One word, one meaning: the table of words in server/ARCHITECTURE.md, read against the code."""

import re

from tests.sources import MAP, sources

WORDS = re.findall(r"^\| `(\w+)` \| .+ \| `([\w/.]+)` \|$", MAP, re.MULTILINE)
RETIRED = frozenset(re.findall(r"`(\w+)`", MAP.partition("Retired words:")[2].partition("\n\n")[0]))


def words(text: str) -> set[str]:
    """`_EngineLifecycle_of` has the words engine, lifecycle and of."""
    return {word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", text)}


def test_the_map_has_a_table_of_words() -> None:
    assert len(WORDS) > 20
    assert len(RETIRED) > 10


def test_each_word_of_the_table_is_defined_once_and_where_it_says() -> None:
    defined = [(c, path) for path, text in sources().items() for c in re.findall(r"^ *class (\w+)", text, re.MULTILINE)]
    problems = [
        f"`{word}`: the table says {where}, the code {found}"
        for word, where in WORDS
        if (found := [path for name, path in defined if name == word]) != [where]
    ]
    assert problems == []


def test_no_retired_word_is_used() -> None:
    found = {path: RETIRED & words(f"{path} {text.replace('of course', '')}") for path, text in sources().items()}
    assert {path: used for path, used in found.items() if used} == {}
