"""gitignore patterns from untrusted files: bounded in number, matched in quadratic time at worst.

In: lines in the format of gitignore(5), a path.  Out: whether it is ignored; where the bound leaves out a pattern that
ignores something, everything is.  Libraries turn `*a*a*a…b` into a regular
expression with exponential backtracking, so that one line of an untrusted file would stop the server.  This matcher
never returns to an earlier `*` or `**` once a later one has matched (atomic groups, as in `fnmatch`).  One difference
to git: a slash in brackets (`[a/b]`) separates names, too.
"""

import logging
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

log = logging.getLogger(__name__)

MOST_PATTERNS = 2_000
MOST_CHARACTERS = 1_000
"""One pattern has at most this many characters."""
MOST_WILD_CHARACTERS = 20_000
"""Patterns that are more than a name or a suffix have at most this many characters together."""
MOST_LEVELS = 128
"""Folders in a path; deeper files are ignored."""
_ANY_DEPTH = "**"
EVERYTHING = _ANY_DEPTH
"""The pattern that stands for those that are not known."""
_POSIX = {
    "alnum": r"a-zA-Z0-9", "alpha": r"a-zA-Z", "blank": r" \t", "cntrl": r"\x00-\x1f\x7f", "digit": "0-9",
    "graph": r"!-~", "lower": "a-z", "print": r" -~", "punct": r"!-/:-@\[-`{-~", "space": r"\s", "upper": "A-Z",
    "xdigit": "0-9a-fA-F",
}  # fmt: skip


_BEHIND_TEXT = re.compile(r"([^*?\[\\]*[^/*?\[\\])\*{2,}(?:/\*{2,})*(?:/(.*))?", re.DOTALL)
"""Stars behind text without wildcards: git compares the text alone and begins anew behind it, so that in `a**/b` they
stand at a beginning, as in `**/b`."""


class _NoPattern(ValueError):
    """A line that matches nothing, according to git."""


class Patterns:
    """The patterns of one file or setting, which `whose` names in the log."""

    def __init__(self, lines: Iterable[str], whose: str = "") -> None:
        self._patterns = list[_Pattern]()
        n_left_out, wild = 0, MOST_WILD_CHARACTERS
        for line in lines:
            if line.startswith(("#", "!")) and len(line) > MOST_CHARACTERS:
                continue  # a comment; one that would only take back
            try:
                read = _read(line) if len(line) <= MOST_CHARACTERS else []
            except _NoPattern:
                continue
            cost = len(line) * sum(pattern.is_wild for pattern in read)
            if not read or len(self._patterns) + len(read) > MOST_PATTERNS or cost > wild:
                n_left_out += not read or not read[0].negated
                continue
            wild -= cost
            self._patterns += read
        self._patterns.reverse()  # the last one that matches decides
        if n_left_out:
            self._patterns = _read(EVERYTHING)
            most = (
                f"more than {MOST_PATTERNS:,}, longer than {MOST_CHARACTERS:,} characters, or too much with wildcards"
            )
            whose = whose or "a list of patterns"
            log.warning("%s: %d patterns are too many (%s), so all is ignored", whose, n_left_out, most)

    def __bool__(self) -> bool:
        return bool(self._patterns)

    def verdict(self, parts: Sequence[str], *, is_dir: bool) -> bool | None:
        """For exactly this path: True if ignored, False if `!` includes it again, None if no pattern matches."""
        parts = [_as_bytes(part) for part in parts]
        for pattern in self._patterns:
            if pattern.matches(parts, is_dir):
                return not pattern.negated
        return None

    def ignores(self, path: str) -> bool:
        """Whether the file at a path with `/`, or a folder around it, is ignored; a folder's path ends in `/`."""
        is_dir, parts = path.endswith("/"), [part for part in path.split("/") if part]
        return len(parts) > MOST_LEVELS or any(
            self.verdict(parts[:n], is_dir=is_dir or n < len(parts)) is True for n in range(1, len(parts) + 1)
        )


@dataclass(frozen=True, slots=True)
class _Pattern:
    """`segments` are globs of names, and `**`.  A pattern that is not `anchored` has one, for names at any depth."""

    segments: "tuple[str | _Glob, ...]"
    anchored: bool
    negated: bool
    dirs_only: bool

    @property
    def is_wild(self) -> bool:
        return any(isinstance(segment, str) or segment.wild is not None for segment in self.segments)

    def matches(self, parts: Sequence[str], is_dir: bool) -> bool:
        if self.dirs_only and not is_dir:
            return False
        if not self.anchored:
            glob = self.segments[0]
            return isinstance(glob, str) or glob.matches(parts[-1])
        return _path_matches(self.segments, parts)


def _path_matches(segments: "Sequence[str | _Glob]", parts: Sequence[str]) -> bool:
    """`**` matches any number of folders; at the end, at least one name."""
    i = j = 0
    star, resume = -1, 0
    while j < len(parts):
        segment = segments[i] if i < len(segments) else None
        if segment is _ANY_DEPTH or segment == _ANY_DEPTH:
            if i + 1 == len(segments):
                return True  # parts[j] is the one name
            star, resume = i, j
            i += 1
        elif isinstance(segment, _Glob) and segment.matches(parts[j]):
            i += 1
            j += 1
        elif star >= 0:
            resume += 1
            i, j = star + 1, resume
        else:
            return False
    return i == len(segments)


@dataclass(frozen=True, slots=True)
class _Glob:
    """The pattern of one name: a literal text, a suffix, or an expression."""

    literal: str | None = None
    suffix: str | None = None
    wild: re.Pattern[str] | None = None

    def matches(self, name: str) -> bool:
        if self.literal is not None:
            return name == self.literal
        if self.suffix is not None:
            return name.endswith(self.suffix)
        return self.wild is not None and self.wild.fullmatch(name) is not None


def _read(line: str) -> list[_Pattern]:
    """What a line means: one pattern or two.  Raises _NoPattern for a comment, an empty line and what can match
    nothing."""
    line = _without_trailing_spaces(_as_bytes(line.rstrip("\r\n")))
    if not line or line.startswith("#"):
        raise _NoPattern
    negated = line.startswith("!")
    line = line[negated:]
    dirs_only = line.endswith("/")
    line = line[: len(line) - dirs_only]
    anchored = "/" in line
    line = line.removeprefix("/")
    split = _BEHIND_TEXT.fullmatch(line) if anchored else None
    lines = [line] if split is None else [split[1] + (split[2] or "*"), f"{split[1]}*/**/{split[2] or '*'}"]
    return [_Pattern(_segments(one), anchored, negated, dirs_only) for one in lines]


def _segments(line: str) -> tuple[str | _Glob, ...]:
    """Raises _NoPattern."""
    names = line.split("/")
    if not all(names):
        raise _NoPattern
    segments = list[str | _Glob]()
    for name in names:
        deep = len(name) > 1 and not name.strip("*")  # to git, more stars are two
        if not (deep and segments and segments[-1] == _ANY_DEPTH):
            segments.append(_ANY_DEPTH if deep else _glob(name))
    return tuple(segments)


def _without_trailing_spaces(line: str) -> str:
    """A space behind a backslash stays."""
    end = len(line.rstrip(" "))
    before = len(line[:end]) - len(line[:end].rstrip("\\"))
    return line[: end + 1] if before % 2 and end < len(line) else line[:end]


def _glob(text: str) -> _Glob:
    """Raises _NoPattern."""
    runs, literal, i = [list[str]()], True, 0  # between the stars: expressions of what stands there
    plain = [""]
    while i < len(text):
        char = text[i]
        i += 1
        if char == "*":
            runs += [[]] if runs[-1] or len(runs) == 1 else []
            plain += [""] if len(plain) < len(runs) else []
        elif char == "?":
            literal = False
            runs[-1].append(".")
        elif char == "[":
            literal = False
            expression, i = _one_of(text, i)
            runs[-1].append(expression)
        else:
            if char == "\\":
                char, i = _character(text, i - 1)
            plain[-1] += char
            runs[-1].append(re.escape(char))
    if literal and len(runs) == 1:
        return _Glob(literal=plain[0])
    if literal and len(runs) == 2 and not plain[0]:
        return _Glob(suffix=plain[1])
    first, *middle = ("".join(run) for run in runs)
    *middle, last = middle or [""]
    expression = first + "".join(f"(?>.*?{run})" for run in middle) + (f".*{last}" if len(runs) > 1 else "")
    return _Glob(wild=re.compile(expression, re.DOTALL))


def _as_bytes(text: str) -> str:
    """A character for each byte, since `?` and sets match bytes in git."""
    return text if text.isascii() else text.encode("utf-8", "surrogateescape").decode("latin-1")


def _one_of(text: str, i: int) -> tuple[str, int]:
    """The expression of the set that begins behind `[` at `i`, and its end.  Raises _NoPattern if it is not closed."""
    negated = text[i : i + 1] in ("!", "^") and bool(text[i : i + 1])
    i += negated
    found, first = "", True
    while first or text[i : i + 1] != "]":
        if i >= len(text):
            raise _NoPattern
        first = False
        if text.startswith("[:", i) and (end := text.find(":]", i)) >= 0:
            if (name := text[i + 2 : end]) not in _POSIX:
                raise _NoPattern
            found += _POSIX[name]
            i = end + 2
            continue
        low, i = _character(text, i)
        high = low
        if text[i : i + 1] == "-" and text[i + 1 : i + 2] not in ("]", ""):
            high, i = _character(text, i + 1)
        found += f"{re.escape(low)}-{re.escape(high)}" if low <= high else ""
    if not found:
        return ("." if negated else "(?!)"), i + 1
    return f"[{'^' * negated}{found}]", i + 1


def _character(text: str, i: int) -> tuple[str, int]:
    """The character at `i`, or the one behind a backslash at `i`."""
    i += text[i] == "\\"
    if i >= len(text):
        raise _NoPattern
    return text[i], i + 1
