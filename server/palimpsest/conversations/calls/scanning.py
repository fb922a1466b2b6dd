"""Where a call ends, and whether it has only literals: read from left to right, once.

In: text, and where a bracket opens.  Out: the place behind the bracket that closes it, or what is wrong.  What passes
here can be given to Python's parser without harm: brackets are nested `DEEPEST` deep at most, and nothing in it
could be chained without an end.
"""

import re
from dataclasses import dataclass

MOST_CHARS = 200_000
"""One call may have this many characters, so that what it writes into a file or tells a fork still fits."""
DEEPEST = 20
CONSTANTS = {"True": True, "False": False, "None": None, "true": True, "false": False, "null": None}
"""The constants by the names that Python and JSON have for them."""

_TOKEN = re.compile(
    r'''(?P<space>\s++|\#[^\n]*+)
      | (?P<string>[rRuU]?(?:"""(?>(?:[^\\"]++|\\.|"(?!""))*)"""|\'\'\'(?>(?:[^\\\']++|\\.|\'(?!\'\'))*)\'\'\'
                          |"(?!"")(?>(?:[^\\"\n]++|\\.)*)"|\'(?!\'\')(?>(?:[^\\\'\n]++|\\.)*)\'))
      | (?P<number>(?:\d[\d_]*+(?:\.\d*+)?|\.\d++)(?:[eE][+-]?\d++)?(?!\w))
      | (?P<name>[^\W\d]\w*+)
      | (?P<open>[(\[{]) | (?P<close>[)\]}]) | (?P<mark>[,:=]) | (?P<sign>[+-])
      | (?P<quote>["\']) | (?P<other>.)''',
    re.VERBOSE | re.DOTALL,
)
_PAIRS = {")": "(", "]": "[", "}": "{"}
_NOT_CLOSED = "a string does not end on its line; write \\n in it, or put it in triple quotes"


@dataclass(frozen=True, slots=True)
class Scanned:
    """`end` is None for a call that does not end before `stopped`; `problem` is the end of a sentence, or empty."""

    end: int | None
    problem: str = ""
    stopped: int = 0


def scan(text: str, start: int, most: int) -> Scanned:
    """Reads from the bracket at `start`, at most to `most`."""
    brackets, problem = list[str](), ""
    before, last_name = "mark", ""
    for token in _TOKEN.finditer(text, start, min(most, len(text))):
        kind, written = token.lastgroup or "other", token[0]
        if kind == "space":
            continue
        if kind == "quote":
            return Scanned(None, _NOT_CLOSED, token.start())
        problem = problem or _problem(kind, written, before, last_name)
        if kind == "open":
            brackets.append(written)
            if len(brackets) > DEEPEST:
                return Scanned(None, f"its brackets are more than {DEEPEST} deep", token.start())
        elif kind == "close":
            if brackets.pop() != _PAIRS[written]:
                return Scanned(None, "its brackets do not fit", token.start())
            if not brackets:
                return Scanned(token.end(), problem or _pending(before, last_name), token.end())
        last_name = written if kind == "name" else ""
        before = _kind_before(kind, written)
    if most < len(text) and most - start >= MOST_CHARS:
        return Scanned(None, f"it is longer than {MOST_CHARS:,} characters", most)
    return Scanned(None, "its bracket is not closed", min(most, len(text)))


def _kind_before(kind: str, written: str) -> str:
    """`value` behind what ends a value, `name` behind what may be a parameter's name."""
    if kind == "name" and written not in CONSTANTS:
        return "name"
    return "value" if kind in ("string", "number", "name", "close") else kind


def _problem(kind: str, written: str, before: str, last_name: str) -> str:
    if before == "name" and written != "=":
        return _pending(before, last_name)
    if kind == "other":
        return f"{written!r} is not part of a literal"
    if kind == "open" and before == "value":
        return f"{written!r} stands behind a value"
    if kind == "sign" and before not in ("open", "mark"):
        return f"{written!r} is computed with, and only literals can be given"
    if kind == "name" and written not in CONSTANTS and before not in ("open", "mark"):
        return f"{written!r} is not a literal"
    return ""


def _pending(before: str, last_name: str) -> str:
    return f"{last_name!r} is not a literal; put text in quotes" if before == "name" else ""
