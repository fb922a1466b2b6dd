"""Find private keys and access tokens in a text by their formats, and mask them with what else looks like a secret.

In: a text.  Out: the kind of the first secret with a format; the text with all secrets masked, those without a format
among them.  Pure.

A format is tried only where one of its literals occurs, and no repetition is nested, so time is linear in the text.
Most tokens are long words, so most literals are looked for only in those, which are few in most texts.
Lines with `gitleaks:allow` or `pragma: allowlist secret`, and values that contain `EXAMPLE`, are not secrets.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterable, Iterator
from functools import lru_cache

from palimpsest.text.assigned_secrets import assigned
from palimpsest.text.secret_formats import FORMATS, LONG, LONG_PART

HIDDEN = "..."
HINT = "A line of a harmless one may say `gitleaks:allow`."
_LINE = 500
"""Characters around a token that are searched for the comment on its line."""
_LONGEST_LINE = 100_000
"""Characters that are kept until a line's end comes."""
_ALLOWED = re.compile(r"gitleaks:allow|pragma:\s?allowlist[ -](?:next )?secret", re.IGNORECASE)
_PLACEHOLDER = re.compile(r"example|x{8,}|\*{4,}", re.IGNORECASE)
_OF_WORDS = (string.ascii_letters + string.digits + "_-").encode()
_OF_RUNS = _OF_WORDS + b".+/=:~$"
WORDS, RUNS = (
    bytes(ord("w") if byte in members else ord(" ") for byte in range(256)) for members in (_OF_WORDS, _OF_RUNS)
)


def found(text: str, *, parts: bool = False) -> str:
    """The kind of the first secret, such as "a GitHub token", or "".  `parts`: also find incomplete tokens."""
    return next((kind for kind, _ in _all(text, parts)), "")


def masked(text: str) -> str:
    """The text with `...` in place of each secret."""
    return _without(text, [match.span() for _, match in _all(text, False)])


def masked_pieces(pieces: Iterable[str]) -> Iterator[str]:
    """`masked` for a text that comes in pieces, in which no format was found.  What is left is in one line, unless that
    is very long."""
    before = ""
    for piece in pieces:
        end = piece.rfind("\n") + 1 or (len(piece) if len(before) > _LONGEST_LINE else 0)
        if end:
            yield _without(before + piece[:end], [])
        before = piece[end:] if end else before + piece
    yield _without(before, [])


def _without(text: str, spans: list[tuple[int, int]]) -> str:
    kept, at = list[str](), 0
    for start, end in sorted([*spans, *(span for span in assigned(text) if not _is_allowed(text, *span))]):
        if end > at:
            kept += [text[at:start], HIDDEN]
            at = _end(text, start, end)
    return "".join([*kept, text[at:]])


@lru_cache(maxsize=1024)
def masked_block(text: str) -> str:
    """`masked`, cached."""
    return masked(text)


def _all(text: str, parts: bool) -> Iterator[tuple[str, re.Match[str]]]:
    """Matches with their kinds, in order of the formats."""
    fewest = LONG_PART if parts else LONG
    words, runs = long_words(text, fewest), long_words(text, fewest, RUNS)
    for form in FORMATS:
        pattern = form.part if parts and form.part is not None else form.whole
        if not form.may_stand_in(words, runs, pattern):
            continue
        for match in form.matches(text, pattern):
            if not _is_allowed(text, *match.span()):
                yield form.kind, match


def _is_allowed(text: str, start: int, end: int) -> bool:
    before, behind = text[max(0, start - _LINE) : start], text[end : end + _LINE]
    line = before.rpartition("\n")[2] + "\n" + behind.partition("\n")[0]
    return bool(_PLACEHOLDER.search(text, start, end) or _ALLOWED.search(line))


def _end(text: str, start: int, end: int) -> int:
    """The end of a secret; of a private key in PEM, the end of its last line."""
    if not text.startswith("-----BEGIN", start):
        return end
    at = text.find("-----END", end)
    last = text.find("-----", at + 8) if at >= 0 else -1
    return last + 5 if last >= 0 else len(text)


def long_words(text: str, fewest: int, kind: bytes = WORDS) -> str:
    """The words or runs of at least `fewest` characters, a line each.  A word is of ASCII letters, digits, `_` and `-`
    here, a run of these and what is in addresses and base64.  What can only stand in a long one need not be looked for
    elsewhere."""
    classes, word = text.encode("ascii", "replace").translate(kind), b"w" * fewest
    found, at = list[str](), classes.find(word)
    while at >= 0:
        end = classes.find(b" ", at + fewest)
        end = len(text) if end < 0 else end
        found.append(text[at:end])
        at = classes.find(word, end)
    return "\n".join(found)
