"""Lists that stand in text files of a package.

In: a package, a file in it.  Out: the file's sections by their heads, `;; name`.  A line that begins with `; ` is a
comment.
"""

import re
from collections.abc import Mapping
from importlib.resources import files

_HEAD = re.compile(r"(?m)^;; (.+)$")
_COMMENT = re.compile(r"(?m)^; .*\n")


def sections(package: str, file: str) -> Mapping[str, str]:
    _, *parts = _HEAD.split(_COMMENT.sub("", (files(package) / file).read_text("utf-8")))
    return dict(zip(parts[::2], parts[1::2], strict=True))


def word_lists(package: str, file: str = "words.txt") -> Mapping[str, frozenset[str]]:
    """The words of each section."""
    return {name: frozenset(text.split()) for name, text in sections(package, file).items()}
