"""Find secrets in a text, and mask them.

In: a text.  Out: what kind of secret it holds that one is sure of; the text with everything masked that looks random
or stands where secrets do.  Pure.

What a model could never write by itself is worth nothing in a prompt, so every random word is masked, whatever it is:
keys, hashes, UUIDs, images.  A document is kept out only for what begins like a token or is a private key.
Lines with `gitleaks:allow` or `pragma: allowlist secret`, and values that contain `EXAMPLE`, are not secrets.
No repetition is nested, so time is linear in the text.
"""

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import lru_cache
from operator import itemgetter

from palimpsest.text.assigned_secrets import assigned
from palimpsest.text.randomness import random_parts
from palimpsest.text.secret_formats import FORMS, KEY, PREFIXES, TOKEN

HIDDEN = "..."
HINT = "A line of a harmless one may say `gitleaks:allow`."
_FEWEST, _BITS = 16, 18.0
"""Characters and bits of what looks random anywhere."""
_FEWEST_OF_A_PREFIX, _BITS_OF_A_PREFIX = 16, 9.0
_FEWEST_OF_A_PART = 12
"""Characters of a token that is being typed or deleted."""
_LINE = 500
"""Characters around a token that are searched for the comment on its line."""
_LONGEST_LINE = 100_000
"""Characters that are kept until a line's end comes."""
_BEFORE = 4_000
"""Characters before a piece in which a name may stand."""
_ALLOWED = re.compile(r"gitleaks:allow|pragma:\s?allowlist[ -](?:next )?secret", re.IGNORECASE)
_PLACEHOLDER = re.compile(r"example|x{8,}|\*{4,}", re.IGNORECASE)
_RUN = re.compile(r"[A-Za-z0-9+/=_.~%\\&#;$\-]{12,}")
_START, _BODY = re.compile(r"(?<![A-Za-z0-9_])[A-Za-z$].?"), re.compile(r"[A-Za-z0-9_\-.$/+~]*=*")
_LONGEST_TOKEN = 400
_LAST = itemgetter(1)
_BYTES = (
    (
        "\\",
        re.compile(
            r"\\(?:x[0-9a-fA-F]{2}|[0-7]{3})(?>(?:(?>(?:[^\\\n]|\\[nrtabfv0\\'\"]){0,40})\\(?:x[0-9a-f]{2}|[0-7]{3})){11,})(?>(?:[^\\\n\"'`]|\\[nrtabfv0\\'\"]){0,40})",
            re.IGNORECASE,
        ),
    ),
    ("\\u00", re.compile(r"(?:\\{1,2}u00[2-7][0-9a-fA-F]){16,4000}")),
    (
        "0x",
        re.compile(r"0x(?>[0-9a-fA-F]{1,2}[uUL]?\s{0,9},?\s{0,40}(?:0x[0-9a-fA-F]{1,2}[uUL]?\s{0,9},?\s{0,40}){15,})"),
    ),
    ("", re.compile(r"(?<![0-9a-fA-F])[0-9a-fA-F]{2}[: ](?>(?:[0-9a-fA-F]{2}[:\s-]){15,})(?>[0-9a-fA-F]{0,2})")),
    (",", re.compile(r"\d(?<!\d\d)\d{0,2}\s{0,9},\s{0,40}(?>(?:\d{1,3}\s{0,9},\s{0,40}){23,})(?>\d{0,3})")),
)
"""A key byte by byte, in several ways of writing, and what is in each."""
_NUMBER = re.compile(r"[0-9a-fA-F]+")
_HEX = re.compile(
    r"(?<![A-Za-z0-9.])(?:\d{20,}|[0-9a-fA-F]{32,}|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})(?![A-Za-z0-9])"
)
_DIFFERENT, _DIFFERENT_BYTES = 7, 12
"""Digits or bytes of a key that are not the same."""


def _by_beginning() -> dict[str, tuple[str, ...]]:
    found = defaultdict[str, list[str]](list)
    for prefix in sorted(PREFIXES, key=len, reverse=True):
        found[prefix[:2]].append(prefix)
    return {beginning: tuple(prefixes) for beginning, prefixes in found.items()}


_PREFIXES = _by_beginning()


def found(text: str, *, parts: bool = False) -> str:
    """The kind of the first secret that is one for sure, such as "a private key", or "".  `parts`: also find incomplete
    tokens."""
    forms = ((kind, span) for kind, span in _formed(text) if not _is_allowed(text, *span))
    tokens = (span for span in _tokens(text, parts) if not _is_allowed(text, *span))
    return next((kind for kind, _ in forms), "") or next((TOKEN for _ in tokens), "")


def masked(text: str) -> str:
    """The text with `...` in place of each secret."""
    return _without(text, spans(text))


def masked_pieces(pieces: Iterable[str]) -> Iterator[str]:
    """`masked` for a text that comes in pieces, in which no format was found.  What is left is in one line, unless that
    is very long."""
    text, done = "", 0
    for piece in pieces:
        text += piece
        end = text.rfind("\n") + 1 or (len(text) if len(text) - done > _LONGEST_LINE else 0)
        if end > done:
            yield _without(text[:end], spans(text[:end]), done)
            start = max(0, end - _BEFORE)
            text, done = text[start:], end - start
    yield _without(text, spans(text), done)


def spans(text: str) -> list[tuple[int, int]]:
    """Where secrets begin and end, in order; none begins before another ends."""
    found = [span for _, span in _formed(text)]
    found += _tokens(text, False)
    for run in _RUN.finditer(text):
        found += random_parts(text, *run.span(), _FEWEST, _BITS)
    for sign, form in _BYTES:
        if sign in text:
            found += (it.span() for it in form.finditer(text) if len(set(_NUMBER.findall(it[0]))) >= _DIFFERENT_BYTES)
    found += (match.span() for match in _HEX.finditer(text) if len(set(match[0])) >= _DIFFERENT)
    found += assigned(text)
    merged = list[tuple[int, int]]()
    for start, end in sorted(span for span in found if not _is_allowed(text, *span)):
        if merged and start <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(merged[-1][1], end)
        else:
            merged.append((start, end))
    return merged


def _without(text: str, spans: Iterable[tuple[int, int]], at: int = 0) -> str:
    """The text from `at` on."""
    kept = list[str]()
    for start, end in spans:
        if end > at:
            kept += [text[at:start], HIDDEN]
            at = end
    return "".join([*kept, text[at:]])


@lru_cache(maxsize=1024)
def masked_block(text: str) -> str:
    """`masked`, cached."""
    return masked(text)


@lru_cache(maxsize=8)
def masked_lines(text: str) -> tuple[str, ...]:
    """The lines, each where it was, with `...` in place of each secret; cached."""
    kept, at = list[str](), 0
    for start, end in spans(text):
        kept += [text[at:start], HIDDEN, "\n" * text.count("\n", start, end)]
        at = end
    return tuple("".join([*kept, text[at:]]).split("\n"))


def _formed(text: str) -> Iterator[tuple[str, tuple[int, int]]]:
    """What has a form: its kind, and where it begins and ends."""
    for form in FORMS:
        if any(literal in text for literal in form.literals):
            behind = 0
            for match in form.pattern.finditer(text):
                if match.start() >= behind:
                    behind = _end(text, *match.span()) if form.kind == KEY else match.end()
                    yield form.kind, (match.start(), behind)


def _tokens(text: str, parts: bool) -> Iterator[tuple[int, int]]:
    """Where tokens are that begin as those of a service do."""
    fewest = _FEWEST_OF_A_PART if parts else _FEWEST_OF_A_PREFIX
    for run in _RUN.finditer(text):
        begun = [
            (it.start(), len(prefix)) for it in _START.finditer(text, *run.span()) if (prefix := _prefix(text, it))
        ]
        if not begun:
            continue
        random = [*random_parts(text, *run.span(), 1, _BITS_OF_A_PREFIX)]
        random += (it.span() for it in _HEX.finditer(text, *run.span()))
        random.sort(key=_LAST)
        for start, length in begun:
            body = start + length
            rest = _BODY.match(text, body, min(run.end(), start + _LONGEST_TOKEN))
            end, nth = rest.end() if rest is not None else body, bisect_right(random, body, key=_LAST)
            if end - start >= fewest and nth < len(random):
                first, last = random[nth]
                if min(last, end) - max(first, body) >= fewest - length:
                    yield start, end


def _prefix(text: str, start: re.Match[str]) -> str:
    known = _PREFIXES.get(start[0], ())
    return next((it for it in known if text.startswith(it, start.start())), "")


def _is_allowed(text: str, start: int, end: int) -> bool:
    before, behind = text[max(0, start - _LINE) : start], text[end : end + _LINE]
    line = before.rpartition("\n")[2] + "\n" + behind.partition("\n")[0]
    return bool(_PLACEHOLDER.search(text, start, min(end, start + _LINE)) or _ALLOWED.search(line))


def _end(text: str, start: int, end: int) -> int:
    """The end of a secret; of a private key in PEM, the end of its last line."""
    if not text.startswith("-----BEGIN", start):
        return end
    at = text.find("-----END", end)
    last = text.find("-----", at + 8) if at >= 0 else -1
    return last + 5 if last >= 0 else len(text)
