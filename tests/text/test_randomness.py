"""Characters that nobody has made up are told from words and names."""

from __future__ import annotations

import random
import string
import subprocess
import sys

import pytest
from tests.sources import SERVER

from palimpsest.text.randomness import CLASSES, score

TABLE = SERVER / "text" / "letter_pairs.txt"
WORDS = """
    createOkRawHttpServer EGYPTIAN_HIEROGLYPHS getElementsByClassName SQLITE_CANTOPEN_ISDIR XMLHttpRequest
    pthread_mutexattr_setpshared AbstractSingletonProxyFactoryBean internationalization kCFStreamSSLPeerName
    abcdefghijklmnopqrstuvwxyz xxxxxxxxxxxxxxxxxxxxxxxx 00000000000000000000 ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklm
    Donaudampfschifffahrtsgesellschaft aansprakelijkheidsverzekering DEADBEEF utf8mb4_unicode_ci
    x86_64_unknown_linux_gnu
"""


@pytest.mark.parametrize(
    "word",
    WORDS.split(),
)
def test_words_and_names_are_not_random(word: str) -> None:
    assert sum(map(score, word.split("_"))) < 18


@pytest.mark.parametrize(
    "alphabet",
    [
        string.ascii_letters + string.digits,
        string.ascii_lowercase + string.digits,
        string.ascii_uppercase + string.digits,
        "0123456789abcdef",
        string.ascii_uppercase + "234567",
        string.ascii_letters,
    ],
)
def test_random_characters_of_any_alphabet_are(alphabet: str) -> None:
    source = random.Random(1)
    missed = sum(score("".join(source.choices(alphabet, k=32))) < 18 for _ in range(1_000))
    assert missed <= 5


@pytest.mark.slow(part="properties")
def test_the_table_can_be_made_again() -> None:
    """Almost the same with another version of Python, whose library has other words."""
    made = subprocess.run(
        [sys.executable, "scripts/letter_pairs.py"], cwd=SERVER.parents[1], capture_output=True, text=True, check=True
    ).stdout
    kept = "".join(TABLE.read_text(encoding="ascii").split())
    again = "".join(made.split())
    assert len(kept) == len(again) == len(CLASSES) ** 2
    assert sum(abs(int(a, 36) - int(b, 36)) for a, b in zip(kept, again, strict=True)) / len(kept) < 1
