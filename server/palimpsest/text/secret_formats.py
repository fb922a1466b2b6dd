"""What tells a secret besides being random: names, the beginnings of keys, and what stands around passwords.

Out: the tables of `secret_formats.txt`.  What looks random is masked without any of this (`randomness.py`).  With it,
what is shorter or no more random than a word is masked too, and a document that holds a key is known.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from palimpsest.text.word_lists import sections

TOKEN, KEY, HASH = "an access token", "a private key", "a hashed password"
_SECTIONS = sections("palimpsest.text", "secret_formats.txt")
PREFIXES, SECRETS = tuple(_SECTIONS["prefixes"].split()), tuple(_SECTIONS["secrets"].split())
PASSWORDS = "identified by", *_SECTIONS["passwords"].split()
SHORT = tuple(_SECTIONS["short"].split())


class Form(NamedTuple):
    """A kind of secret, what one of is always in it, and all of it; `example` looks like one."""

    kind: str
    literals: tuple[str, ...]
    pattern: re.Pattern[str]
    example: str


def _forms() -> Iterator[Form]:
    for block in _SECTIONS["forms"].strip().split("\n\n"):
        said, literals, pattern, example = block.split("\n")
        yield Form(said.partition(": ")[0], tuple(literals.split("|")), re.compile(pattern), example)


FORMS = tuple(_forms())
