"""Find literals that are given to the name of a secret and look random: keys and passwords without a format.

In: a text in any language.  Out: where such literals are.  Pure.

A name of a secret has a word such as `key`, `token` or `password` in it; it is given a literal by an assignment, as a
mapping's key, as an argument, in markup, in a header or in a connection string.  A literal looks random if few of its
characters stand beside one that they stand beside in words.  What a program fills in (`${KEY}`, `<token>`, `%s`) is
none.  Each word is looked for once, and what follows it has bounds, so time is linear in the text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from math import log2

_WORDS = ("key", "token", "secret", "passw", "passphrase", "pwd", "credential", "auth", "bearer")
_OF_PASSWORDS = ("passw", "passphrase", "pwd")
_NO_NAME = re.compile(r"pub(?:lic)?[_-]?key|key(?:bo|word|frame|stroke|code)|author(?!iz)|tokeni[sz]e", re.IGNORECASE)
_GIVEN = re.compile(
    r"[\w.\-]{0,40}"  # the rest of the name, and a type
    r"\\?[\"'`]?[\])]?"
    r"(?:\s{0,3}:\s{0,3}[A-Za-z_&?*][\w.<>\[\], |&'?]{0,40}?(?=\s{0,3}=)|\s{1,3}[A-Za-z]\w{0,20}(?=\s{1,3}=))?"
    r"\s{0,8}(?:=>|:{0,3}=|[?.+|]{0,2}={1,3}|:|<-|>"
    r"|(?P<listed>,)(?=\s{0,3}[bBrRuU@$]?[\"'`])|\((?=[\"'`])|\s(?=[\"'`]))\s{0,40}"
    r"(?:(?:[Bb]earer|[Bb]asic|[Tt]oken)\s{1,3})?"
    r"(?:[rRbBuUfFL@$]{0,2}\\?(?P<quote>[\"'`])(?P<quoted>[^\s\"'`\\]{8,4000}+)\\?(?P=quote)"
    r"|(?P<plain>[^\s\"'`\\,;<>(){}\[\]&]{8,4000}+)(?P<called>[(\[{])?)"
)
_URL = re.compile(r"://[^\s:/@\"'`<>{}$]{0,100}:(?P<plain>[^\s:/@\"'`<>{}$%]{3,200})@[\w\[.\-]")
_NETRC = re.compile(r"\bmachine\s{1,9}\S{1,99}\s{1,9}login\s{1,9}\S{1,99}\s{1,9}password\s{1,9}(?P<plain>\S{3,200})")
_FILLED_IN = re.compile(
    r"[$#%@]\{|\(\?|\{\{|\}\}|<[\w -]*>|^\$|^%\w+%$|^\{|%[0-9.]*[sdifr]|xxxx|\*\*\*|\.\.\.|example"
    r"|^(?:user|pass(?:word|wd)?)$|^(?:https?|file)://[^?]*$",
    re.IGNORECASE,
)
_OF_WORDS = """
    abcdgilmnprst baelu caehiklortu daeiou eacdeflmnprstvx faefio ge haeio iabcdefglmnoprstv ke ladeilostuy maeiop
    nacdegiost ocdlmnoprstuw paeiloprt qu raegimnorstuy sacehiopstu taehiorstuy uelmnprst vae wahi xt
"""
"""A letter, then those that follow it: 86 % of the pairs in the words of Python's standard library."""
_PAIRS = frozenset(word[0] + letter for word in _OF_WORDS.split() for letter in word[1:])
_LEAST_ENTROPY = 2.9
"""Bits for each character."""
_FEWEST, _FEWEST_OF_A_PASSWORD = 14, 10
_FEWEST_PAIRS = 5
"""Pairs that no word has: fewer are in versions and dates."""
_SHARE = 0.42


def assigned(text: str) -> Iterator[tuple[int, int]]:
    """Where the literals begin and end, in no order; without their quotes."""
    plain = text.encode("ascii", "replace").decode("ascii").lower()  # as long as `text`
    for word in _WORDS:
        at = plain.find(word)
        while at >= 0:
            end = at + len(word)
            given = _GIVEN.match(text, end)
            if given is not None and not given["called"] and not _NO_NAME.search(text, max(0, at - 12), end + 12):
                kind = "quoted" if given["quoted"] else "plain"
                is_given = kind == "quoted" and not given["listed"]
                if _is_random(given[kind], word in _OF_PASSWORDS) and not _is_name(given[kind], is_given):
                    yield given.span(kind)
            at = plain.find(word, end if given is None else given.end())
    for sign, form in (("://", _URL), ("machine", _NETRC)):
        if sign in plain:
            yield from (found.span("plain") for found in form.finditer(text) if not _FILLED_IN.search(found["plain"]))


def _is_name(text: str, is_given: bool) -> bool:
    """Of a type or of another secret, such as `x25519.PrivateKey`; what `is_given` as a string is one less often."""
    has_digit, has_word = any(map(str.isdigit, text)), any(text.lower().find(word) > 0 for word in _WORDS)
    return (has_word and not has_digit) if is_given else (has_word or not has_digit)


def _is_random(text: str, is_password: bool) -> bool:
    if _FILLED_IN.search(text):
        return False
    text = text.rstrip("=")
    if is_password:
        kinds = sum(bool(re.search(kind, text)) for kind in ("[a-z]", "[A-Z]", "[0-9]", r"[^A-Za-z0-9_.\-/]"))
        if kinds >= 3 and len(set(text)) >= 6:
            return True
    if len(text) < (_FEWEST_OF_A_PASSWORD if is_password else _FEWEST) or entropy(text) < _LEAST_ENTROPY:
        return False
    return looks_random(text)


def looks_random(text: str) -> bool:
    """Whether few of its pairs of characters stand in words; one of two digits counts for neither."""
    pairs = [a + b for a, b in pairwise(text.lower()) if a.isalnum() and b.isalnum() and not (a + b).isdigit()]
    strange = sum(pair not in _PAIRS for pair in pairs)
    return strange >= _FEWEST_PAIRS and strange >= _SHARE * len(pairs)


def entropy(text: str) -> float:
    """Shannon's, in bits for each character."""
    return sum(-n / len(text) * log2(n / len(text)) for n in Counter(text).values()) if text else 0.0
