"""Find passwords, and keys too short to look random anywhere: what stands behind the name of a secret.

In: a text in any language.  Out: where such secrets are.  Pure.

Behind a name means the rest of its line and the line after it, and, where the line ends open (`token:`, `keys = [`),
the lines below that are indented deeper.  There a word counts as a key that is less random than a key elsewhere, and a
word with letters, digits and signs as a password.  What a program fills in (`${KEY}`, `<token>`, `%s`) does not count.
Each name is looked for once and its lines are bounded, so time is linear in the text.
"""

import re
from collections.abc import Iterator
from urllib.parse import unquote

from palimpsest.text.randomness import random_parts
from palimpsest.text.secret_formats import PASSWORDS, SECRETS, SHORT

_FEWEST, _BITS = 10, 11.0
_FEWEST_OF_A_PASSWORD = 8
_MOST_OF_A_LINE, _MOST_LINES, _MOST = 4_000, 12, 8_000
"""Characters of a line, lines and characters behind a name."""
_NO_NAME = re.compile(
    r"key(?:bo|word|frame|stroke|code)|author(?!iz)|tokeni[sz]e|passenger"
    r"|pass(?!w|phrase|code|e?(?:_\w{1,6})?[\"'`]?\]?\s{0,3}[=:>＝：])"
    r"|cred(?!s?(?![a-z])|ential|[A-Z])|(?:ba|as)salt|salt[iey]"
)
_ALSO_OTHERS = frozenset(("key", "pass", "auth", "token", "cred", "salt"))
_LONGEST_NO_NAME = 12
_OPEN = re.compile(r"(?:[:：=＝(\[{,|>+\\]|&\w+|[|>][+\-\d]{1,2}|!!?\w+)[ \t]*\r?$")
_LETTER = re.compile(r"[a-zа-я]")
_VALUE = re.compile(
    r"(?P<quote>[\"'`])(?P<quoted>[^\s\"'`\\]{8,200})(?P=quote)"
    r"|(?:(?<=[\s=:>＝：「『“„«‘])|(?<=&quot;))"
    r"(?P<plain>[^\s\"'`\\,;<>(){}\[\]&」』”“»’，、。；]{8,200}+)(?!(?<!\$)[(\[{])"
)
_STOPS = ".:?"
"""Which end a sentence, not a password; `!` may belong to one."""
_PLACEHOLDER = re.compile(r"[$#%@]?\{\{?[^{}]*\}?\}?|<[\w -]*>|%\(\w+\)[sdifr]|%[0-9.]*[sdifrvq](?![A-Za-z0-9])|\.\.\.")
"""What a program fills in, or what is left out."""
_FILLED_IN = re.compile(
    r"\}\}|\(\?[:!=<P]|[Aa]-[Zz]|^\$\{?\w+\}?$|^%\w+%$|xxxx|\*\*\*\*|example|://"
    r"|^(?:user|pass(?:word|wd)?)$|^\w+=[\w.]*$",
    re.IGNORECASE,
)
_WORD = re.compile(r"[A-Za-z0-9+/=_.~%\\&#;$!*?@^|:\-]{10,}")
_DIGITS = re.compile(r"(?<![\w.])\d{14,}(?![\w.])")
_REST = r"[^\n|;&]{0,200}?\s"
_OPTIONS = (
    r"(?:\b(?:mysql\w*|mariadb\w*|redis-cli|sshpass|7z\w?|(?:docker|podman|helm)[^\n|;&]{0,20} login)\b"
    rf"{_REST}-[pa]|\b(?:un)?zip\b{_REST}-P|\bldap\w{{1,20}}\b{_REST}-w)"
)
_IN_AN_OPTION = r"[\"']?(?P<given>[^\s\"'`$<>{}|]{6,200})"
_PAIR = re.compile(
    r"(?:[Aa]uth|[Ll]ogin)\w{0,12}[\"']?\s{0,3}[=:(]\s{0,3}\(?\s{0,20}[\"'][^\"'\n]{1,100}[\"'],\s{0,20}"
    r"[\"'](?=\w{0,200}?\d)(?=\w{0,200}?[A-Za-z])(?P<given>[^\s\"'`$<>{}|]{8,200})[\"']"
)
"""A person and their password, as `auth=("ann", "…")`."""
_IN_COMMANDS = (
    ("//", re.compile(r"(?P<scheme>:)?//[^\s:/@\"'`<>{}$]{0,100}:(?P<given>[^\s:/\"'`<>{}$]{3,200})@[\w\[.\-]")),
    ("machine", re.compile(r"\bmachine\s{1,9}\S{1,99}(?:\s{1,9}(?:login|password)\s{1,9}(?P<given>\S{3,99})){2}")),
    ("-u", re.compile(r"-u(?:ser)?[ =]{1,3}[\"']?[^\s:\"'$]{1,64}:(?P<given>[^\s\"'`$<>{}]{3,200})")),
    ("@", re.compile(r"\w:(?P<given>[^\s:/\"'`<>{}$]{8,200})@(?:tcp|unix)?[(/]")),
    (" -", re.compile(rf"{_OPTIONS} ?{_IN_AN_OPTION}")),
    ("pass ", re.compile(rf"(?<![\w-])--?[a-z]{{0,12}}(?<!by)pass {{1,3}}(?!-)(?=\S{{0,200}}?\d){_IN_AN_OPTION}")),
    ("uth", _PAIR),
    ("ogin", _PAIR),
)  # fmt: skip
"""What each has in it, and the password in an address or a command."""


def assigned(text: str) -> Iterator[tuple[int, int]]:
    """Where the secrets begin and end, in no order; without their quotes."""
    for start, end, is_password in _behind_names(text):
        for word in _WORD.finditer(text, start, end):
            yield from random_parts(text, *word.span(), _FEWEST, _BITS)
        yield from (found.span() for found in _DIGITS.finditer(text, start, end) if len(set(found[0])) >= 7)
        if is_password:
            for found in _VALUE.finditer(text, start, end):
                value, at, is_quoted = found["quoted"] or "", found.start("quoted"), bool(found["quoted"])
                if not is_quoted:  # there may be another name in it: `password=…` in the next line
                    value, at = found["plain"].rstrip(_STOPS), found.start("plain")
                    another, sign, behind = value.rpartition("=")
                    if sign and any(word in another.lower() for word in PASSWORDS):
                        value, at = behind, at + len(another) + 1
                if _is_password(value, is_quoted):
                    yield at, at + len(value)
    for sign, form in _IN_COMMANDS:
        if sign in text:
            for found in form.finditer(text):
                rest = _PLACEHOLDER.sub("", unquote(found["given"]))
                fewest = 3 if found.groupdict().get("scheme", ":") else _FEWEST_OF_A_PASSWORD
                if len(rest) >= fewest and not _FILLED_IN.search(rest):
                    yield found.span("given")


def _behind_names(text: str) -> Iterator[tuple[int, int, bool]]:
    """Where secrets may stand, no place twice, and whether passwords may."""
    plain = text.replace("\u0130", "i").lower()  # as long as `text`: no other letter becomes two
    for words, is_password in ((SECRETS, False), (PASSWORDS, True), (SHORT, True)):
        names = sorted(_names(text, plain, words, words is SHORT))
        behind = 0
        for at in names:
            start, end = max(at, behind), _end(text, at)
            if end > start:
                yield start, end, is_password
                behind = end


def _names(text: str, plain: str, words: tuple[str, ...], is_whole: bool) -> Iterator[int]:
    """Where names of secrets end."""
    for word in words:
        at = plain.find(word)
        while at >= 0:
            end = at + len(word)
            if is_whole:
                is_name = not _LETTER.match(plain, end) and not (at and _LETTER.match(plain, at - 1))
            else:
                is_name = word not in _ALSO_OTHERS or not _is_no_name(text, plain, at)
            if is_name:
                yield end
            at = plain.find(word, end)


def _is_no_name(text: str, plain: str, at: int) -> bool:
    """Whether the word at `at` is a part of one that means something else; other words beside it are not asked."""
    start = max(0, at - _LONGEST_NO_NAME)
    # a capital begins a word, as in `dbPass`
    near = plain[start:at] + plain[at] + text[at + 1 : at + _LONGEST_NO_NAME]
    return any(one.start() <= at - start < one.end() for one in _NO_NAME.finditer(near))


def _end(text: str, at: int) -> int:
    """The end of the lines behind a name."""
    start = text.rfind("\n", max(0, at - _MOST_OF_A_LINE), at) + 1
    indent, end, most = _indent(text, start), _line_end(text, at), at + _MOST
    is_open = _OPEN.search(text, max(at, end - 40), end) is not None
    for n in range(_MOST_LINES):
        if end >= min(len(text), most) or not (n == 0 or (is_open and _indent(text, end + 1) > indent)):
            break
        end = _line_end(text, end + 1)
    return min(end, most)


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at, at + _MOST_OF_A_LINE)
    return end if end >= 0 else min(len(text), at + _MOST_OF_A_LINE)


def _indent(text: str, at: int) -> int:
    end = at
    while end < len(text) and end - at < 100 and text[end] in " \t-":
        end += 1
    return end - at


def _is_password(text: str, is_quoted: bool) -> bool:
    if _FILLED_IN.search(text):
        return False
    text = _PLACEHOLDER.sub("", text)
    kinds = [bool(re.search(kind, text)) for kind in ("[a-z]", "[A-Z]", "[0-9]", r"[^A-Za-z0-9_.\-/]")]
    at = [text.lower().find(word) for word in (*PASSWORDS, *SECRETS)]
    is_name, is_named_so = max(at) > 0, max(at) >= 0
    return (
        (sum(kinds) >= 3 or (sum(kinds) == 2 and kinds[2] and not is_named_so))
        and len(set(text)) >= 6
        and len(text) >= _FEWEST_OF_A_PASSWORD
        and (is_quoted or kinds[3] or not {".", "_"} & set(text))
        and (kinds[2] or (is_quoted and not is_name))
    )
