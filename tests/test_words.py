"""One word, one meaning: the table of words in server/ARCHITECTURE.md, read against the code."""

import re

from tests.sources import MAP, sources

WORDS = re.findall(r"^\| `(\w+)` \| .+ \| `([\w/.]+)` \|$", MAP, re.MULTILINE)


def test_the_map_has_a_table_of_words() -> None:
    assert len(WORDS) > 20


def test_each_word_of_the_table_is_defined_once_and_where_it_says() -> None:
    defined = [(c, path) for path, text in sources().items() for c in re.findall(r"^ *class (\w+)", text, re.MULTILINE)]
    problems = [
        f"`{word}`: the table says {where}, the code {found}"
        for word, where in WORDS
        if (found := [path for name, path in defined if name == word]) != [where]
    ]
    assert problems == []
