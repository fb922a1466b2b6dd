"""The names that languages define: the lists in `words.txt` of their folders.

In: a language's package.  Out: sets of words by the heads of their lists.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib.resources import files

_HEAD = re.compile(r"(?m)^;; (\w+)$")
_COMMENT = re.compile(r"(?m)^; .*$")


def word_lists(package: str) -> Mapping[str, frozenset[str]]:
    """The lists of a package, each headed by a line `;; name`; a line that begins with `; ` is a comment."""
    _, *parts = _HEAD.split(_COMMENT.sub("", (files(package) / "words.txt").read_text("utf-8")))
    return {name: frozenset(text.split()) for name, text in zip(parts[::2], parts[1::2], strict=True)}
