"""Find literals that are given to the name of a secret and look random: keys and passwords without a format.

In: a text in any language.  Out: where such literals are.  Pure.

A name of a secret has a word such as `key`, `token` or `password` in it.  It is given the quoted literal that follows
within some 80 characters, whatever stands between (a call, a default, a type, a line's end) but another name that is
given it, and the others of a list; without quotes, what is behind an assignment, a mapping's key, markup or a blank.
A literal looks random if few of its characters stand beside one that they stand beside in words.  What a program fills
in (`${KEY}`, `<token>`, `%s`) does not count.  Each word is looked for once, and what follows it has bounds, so time is
linear in the text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from math import log2
from urllib.parse import unquote

_OF_PASSWORDS = (
    "pass", "requirepass", "sshpass -p", "pwd", "identified by", "clave", "senha", "contrase", "kennwort",
    "пароль", "密码", "パスワード", "비밀번호", "hasło",
)  # fmt: skip
_WORDS = (
    *_OF_PASSWORDS,
    "key",
    "token",
    "secret",
    "cred",
    "auth",
    "bearer",
    "salt",
    "hmac",
    "jwt",
    "cookie",
    "schlüssel",
)
_NO_NAME = re.compile(
    r"pub(?:lic)?[_-]?key|key(?:bo|word|frame|stroke|code)|author(?!iz)|tokeni[sz]e"
    r"|pass(?!w|phrase|code|e?(?:_\w{1,6})?[\"'`]?\]?\s{0,3}[=:>＝])"
    r"|cred(?!s?(?![a-z])|ential|[A-Z])|(?:ba|as)salt|salt[iey]"
)
_LONGEST_NO_NAME = 12
_QUOTE = r"[\"']{3}|[\"'`]"
_NAME_END = r"[\w.\-]{0,40}+\\?(?:[\"'`]|&quot;)?[\])]?"
_TYPE = (
    r"(?:\s{0,3}:\s{0,3}[A-Za-z_&?*][\w.<>\[\], |&'?]{0,40}?(?=\s{0,3}=)|\s{1,3}[A-Za-z]\w{0,20}(?=\s{1,3}=)"
    r"|\[\w{0,9}\])?"
)
_PLAIN = re.compile(
    rf"{_NAME_END}{_TYPE}"
    r"(?:[\"']?,?\s{0,40}[\"']?[\w:]{0,20}value[\"']?(?=\s{0,8}[:=])|</\w{1,20}>\s{0,40}<\w{1,20}(?=>))?"  # the pair's
    r"(?:\s{0,8}(?:=>|:{0,3}=|[?.+|]{0,2}={1,3}|:(?:\s{0,9}!!\w{1,9}|\s{0,9}[|>][+\-\d]{0,2}(?=\s))?|<-|>)\s{0,40}"
    r"|[ \t]{1,20})"
    r"(?:&quot;)?"
    r"(?:(?:[Bb]earer|[Bb]asic|[Tt]oken)\s{1,3})?"
    r"(?:\[\[|%[qQ]?[({\[]|ENC\(|<!\[CDATA\[)?"
    r"(?P<given>[^\s\"'`\\,;<>(){}\[\]&]{8,4000}+)(?!(?<!\$)[(\[{])"
)
_BODY = rf"(?P<quote>{_QUOTE})(?P<given>(?>(?:(?!(?P=quote))[^\r\n]){{8,4000}}))(?P=quote)"
_ANY_BODY = _BODY.replace("{8,", "{1,")
"""A short one may be a list's first: `auth=("bob", "q7Zp3…")`."""
_KEY = r"[\"'][^\s\"'`]{0,40}[\"']\s{0,8}(?::|=>?)\s{0,8}"
_GAP = r"[^\"'`;\r\n]{0,80}+(?:\r?\n[^\"'`;\r\n]{0,40}+)?"
_ACCESSORS = r"(?:\s{0,3}\{[\w; ]{3,40}\})?"
"""Of a property in C#."""
_QUOTED = re.compile(rf"{_NAME_END}{_ACCESSORS}(?P<gap>{_GAP})(?P<key>{_KEY})?(?:[\"']\\)?{_ANY_BODY}")
_NEXT = re.compile(rf"\s{{0,8}}(?:(?P<comma>,)|[+.&\\]{{0,2}})\s{{0,40}}(?:{_KEY})?\w{{0,2}}{_BODY}")
_MOST_IN_A_LIST = 64
_ANOTHERS = re.compile(r"[,\n]\s*(?![\w:]*(?:value|default|content))[\w\-]+\s*[=:](?!=)")
"""Between a name and a literal: the literal is another name's."""
_URL = re.compile(r"(?P<scheme>:)?//[^\s:/@\"'`<>{}$]{0,100}:(?P<given>[^\s:/\"'`<>{}$]{3,200})@[\w\[.\-]")
_NETRC = re.compile(r"\bmachine\s{1,9}\S{1,99}\s{1,9}login\s{1,9}\S{1,99}\s{1,9}password\s{1,9}(?P<given>\S{3,200})")
_CURL = re.compile(r"-u(?:ser)?[ =]{1,3}[\"']?[^\s:\"'$]{1,64}:(?P<given>[^\s\"'`$<>{}]{3,200})")
_MYSQL = re.compile(r"\w:(?P<given>[^\s:/\"'`<>{}$]{8,200})@(?:tcp|unix)?[(/]")
_PLACEHOLDER = re.compile(r"[$#%@]?\{\{?[^{}]*\}?\}?|<[\w -]*>|%\(\w+\)[sdifr]|%[0-9.]*[sdifrvq](?![A-Za-z0-9])|\.\.\.")
"""What a program fills in, or what is left out: the rest of such a literal may be random still."""
_FILLED_IN = re.compile(
    r"\}\}|\(\?[:!=<P]|[Aa]-[Zz]|^\$\{?\w+\}?$|^%\w+%$|xxxx|\*\*\*\*|example"
    r"|^(?:user|pass(?:word|wd)?)$|^(?:https?|file)://[^?]*$",
    re.IGNORECASE,
)
_DIGITS = re.compile(r"(?:0x)?(?:[0-9a-f\-]{16,}|[0-9A-F\-]{16,})")
"""Also without letters; they have no pairs that tell words."""
_OF_WORDS = """
    abcdgilmnprst baelu caehiklortu daeiou eacdeflmnprstvx faefio ge haeio iabcdefglmnoprstv ke ladeilostuy maeiop
    nacdegiost ocdlmnoprstuw paeiloprt qu raegimnorstuy sacehiopstu taehiorstuy uelmnprst vae wahi xt
"""
"""A letter, then those that follow it: 86 % of the pairs in the words of Python's standard library."""
_PAIRS = frozenset(word[0] + letter for word in _OF_WORDS.split() for letter in word[1:])
_LEAST_ENTROPY = 2.9
"""Bits for each character."""
_FEWEST, _FEWEST_OF_A_PASSWORD, _FEWEST_OF_A_PART = 14, 10, 8
_PART = re.compile(r"[^\s\\]{8,}")
_FEWEST_PAIRS = 5
"""Pairs that no word has: fewer are in versions and dates."""
_SHARE = 0.42


def assigned(text: str) -> Iterator[tuple[int, int]]:
    """Where the literals begin and end, in no order; without their quotes."""
    plain = text.replace("\u0130", "i").lower()  # as long as `text`: no other letter becomes two
    for word in _WORDS:
        at, is_password = plain.find(word), word in _OF_PASSWORDS
        while at >= 0:
            end = behind = at + len(word)
            if not _is_no_name(text, plain, at):
                for start, stop, is_quoted, is_string in _given(text, end):
                    yield from _random_parts(text, start, stop, is_password, is_string)
                    behind = behind if is_quoted else stop  # a long one may repeat the word
            at = plain.find(word, behind)
    for sign, form in (("//", _URL), ("machine", _NETRC), ("-u", _CURL), ("@", _MYSQL)):
        if sign in plain:
            for found in form.finditer(text):
                rest = _PLACEHOLDER.sub("", unquote(found["given"]))
                fewest = 3 if form is not _URL or found["scheme"] else _FEWEST_OF_A_PART
                if len(rest) >= fewest and not _FILLED_IN.search(rest):
                    yield found.span("given")


def _is_no_name(text: str, plain: str, at: int) -> bool:
    """Whether the word at `at` is a part of one that means something else; other words beside it are not asked."""
    start = max(0, at - _LONGEST_NO_NAME)
    # a capital begins a word, as in `dbPass`
    near = plain[start:at] + plain[at] + text[at + 1 : at + _LONGEST_NO_NAME]
    return any(one.start() <= at - start < one.end() for one in _NO_NAME.finditer(near))


def _given(text: str, end: int) -> Iterator[tuple[int, int, bool, bool]]:
    """Literals that a name ending near `end` may be given; whether each is quoted, and a string just assigned."""
    if (unquoted := _PLAIN.match(text, end)) is not None:
        yield *unquoted.span("given"), False, False
    quoted = _QUOTED.match(text, end)
    if quoted is None or _ANOTHERS.search(quoted["gap"]):
        return
    gap = quoted["gap"].rstrip("rRbBuUfFL@$#\\ ")
    yield *quoted.span("given"), True, not quoted["key"] and gap.endswith(("=", ":", ">")) and not set(gap) & set("(,")
    for _ in range(_MOST_IN_A_LIST):
        quoted = _NEXT.match(text, quoted.end())
        if quoted is None or (quoted["comma"] and not set(gap) & set("[({")):
            return
        yield *quoted.span("given"), True, False


def _random_parts(text: str, start: int, end: int, is_password: bool, is_string: bool) -> Iterator[tuple[int, int]]:
    """From the first to the last part between blanks that looks random."""
    parts = [
        (start + part.start(), start + part.end())
        for part in _PART.finditer(text[start:end])
        if _is_random(part[0], is_password) and not _is_name(part[0], is_string)
    ]
    if parts:
        yield parts[0][0], parts[-1][1]


def _is_name(text: str, is_string: bool) -> bool:
    """Of a type or of another secret, such as `x25519.PrivateKey`; a string that is just assigned is one less often."""
    has_digit, has_word = any(map(str.isdigit, text)), any(text.lower().find(word) > 0 for word in _WORDS)
    return (has_word and not has_digit) if is_string else (has_word or not has_digit)


def _is_random(text: str, is_password: bool) -> bool:
    if _FILLED_IN.search(text):
        return False
    text = _PLACEHOLDER.sub("", text).rstrip("=")
    if is_password:
        kinds = sum(bool(re.search(kind, text)) for kind in ("[a-z]", "[A-Z]", "[0-9]", r"[^A-Za-z0-9_.\-/]"))
        if kinds >= 3 and len(set(text)) >= 6 and len(text) >= _FEWEST_OF_A_PART:
            return True
    if _DIGITS.fullmatch(text) and len(set(text)) >= 7:
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
