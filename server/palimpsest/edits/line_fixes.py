"""Pure: changes of one line that may put right a slip: candidates only, of which the model says how likely they are.

In: the lines of a piece of code, the words around it.  Out: `LineFix`es.  Pure: knows no language, so it proposes what
slips look like in most: a line twice, a letter wrong in a name, an operator or two arguments the wrong way round,
something missing at a line's end, a value that is not returned.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from palimpsest.edits.misspelt import is_slip_of
from palimpsest.prompt import titles

MOST = 32
"""Candidates for one piece of code: each costs the model a few lines."""
SHORTEST = 4
"""Letters of a name that is looked at."""
LONGEST = 400
"""Characters of a line that is looked at: nobody wrote a longer one by hand, and slips are looked for between keys."""
WORD = re.compile(r"(?<![\w'\"])[^\W\d]\w*")
OPERATORS = (
    (" == ", " != "),
    (" < ", " > "),
    (" <= ", " >= "),
    (" + ", " - "),
    (" += ", " -= "),
    (" and ", " or "),
    (" && ", " || "),
    (" is None", " is not None"),
)
TWO_ARGUMENTS = re.compile(r"\(([^\W\d][\w.]*), ([^\W\d][\w.]*)\)")
CLOSING = {"(": ")", "[": "]", "{": "}"}
VALUE = re.compile(r"\s*[^\W\d][\w.)\]]*(?:[(\[ ].*)?$")
"""A line that begins with a name; `NO_VALUE` are those that are no expression."""
NO_VALUE = re.compile(
    r"\s*(?:return|raise|throw|yield|pass|break|continue|del|import|from|assert|else|try|end)\b|.*[^=!<>]=[^=]"
)


@dataclass(frozen=True, slots=True)
class LineFix:
    """The line at `index` becomes the lines `instead`.  `completes`: it may be what code that does not parse lacks."""

    index: int
    instead: tuple[str, ...]
    summary: str
    completes: bool = False


def line_fixes(
    lines: Sequence[str], around: Mapping[str, int], *, among: Collection[int], is_broken: bool
) -> list[LineFix]:
    """At most MOST, of the lines `among`.  `around`: how often each word stands in what the model is shown, the lines
    included; `is_broken`: the lines do not parse, so that something may be missing."""
    lines = [line if len(line) <= LONGEST else "" for line in lines]
    kinds = [_repeated(lines), _misspelt(lines, around), _unreturned(lines), _turned(lines)]
    if is_broken:
        kinds.insert(0, _missing(lines))
    fixes = dict.fromkeys(fix for kind in kinds for fix in kind if fix.index in among)
    return list(islice(fixes, MOST))


def words_around(texts: Iterable[str]) -> Counter[str]:
    return Counter(word for text in texts for word in WORD.findall(text))


def _repeated(lines: Sequence[str]) -> Iterator[LineFix]:
    for i in range(1, len(lines)):
        if lines[i] == lines[i - 1] and sum(character.isalnum() for character in lines[i]) > 2:
            yield LineFix(i, (), titles.TWICE)


def _misspelt(lines: Sequence[str], around: Mapping[str, int]) -> Iterator[LineFix]:
    """Of words that stand nowhere else."""
    known = dict[int, list[str]]()
    for word in around:
        known.setdefault(len(word), []).append(word)
    for i, line in enumerate(lines):
        for match in WORD.finditer(line):
            name = match[0]
            if len(name) < SHORTEST or around.get(name, 0) > 1:
                continue
            alike = (other for n in (-1, 0, 1) for other in known.get(len(name) + n, ()) if len(other) >= SHORTEST)
            for other in alike:
                if is_slip_of(name, other) and bare(name) != bare(other):
                    fixed = line[: match.start()] + other + line[match.end() :]
                    yield LineFix(i, (fixed,), f"Write `{other}`, not `{name}`.")


def bare(name: str) -> str:
    """Without case and underscores: `_error`, `Error` and `error` are three names, and no slips of each other."""
    return name.replace("_", "").lower()


def _unreturned(lines: Sequence[str]) -> Iterator[LineFix]:
    i = next((i for i in reversed(range(len(lines))) if lines[i].strip(" \t})];")), 0)
    if i and VALUE.match(lines[i]) and not NO_VALUE.match(lines[i]):
        line = lines[i]
        indent = line[: len(line) - len(line.lstrip())]
        yield LineFix(i, (f"{indent}return {line.lstrip()}",), "Return the value.")


def _turned(lines: Sequence[str]) -> Iterator[LineFix]:
    for i, line in enumerate(lines):
        for pair in OPERATORS:
            for old, new in (pair, pair[::-1]):
                if line.count(old) == 1:
                    yield LineFix(i, (line.replace(old, new),), f"Write `{new.strip()}`, not `{old.strip()}`.")
        for match in TWO_ARGUMENTS.finditer(line):
            if match[1] != match[2]:
                turned = f"({match[2]}, {match[1]})"
                yield LineFix(i, (line[: match.start()] + turned + line[match.end() :],), "Swap the arguments.")


def _missing(lines: Sequence[str]) -> Iterator[LineFix]:
    """What would close a bracket of this line, begin a block below it, or end a statement as others end."""
    has_semicolons = any(line.rstrip().endswith(";") for line in lines)
    for i, line in enumerate(lines):
        text = line.rstrip()
        if not text:
            continue
        for closing in _unclosed(text):
            yield LineFix(i, (text + closing,), f"Add the missing `{closing}`.", True)
            if text[-1] in ":;,{":
                head = text[:-1].rstrip()
                yield LineFix(i, (head + closing + text[len(head) :],), f"Add the missing `{closing}`.", True)
        following = next((later for later in lines[i + 1 :] if later.strip()), "")
        if _indent(following) > _indent(line) and text[-1] not in ":{([,\\":
            yield LineFix(i, (text + ":",), titles.LACKS_COLON, True)
            yield LineFix(i, (text + " {",), "Add the missing brace.", True)
        if has_semicolons and text[-1] not in ";{}:,":
            yield LineFix(i, (text + ";",), titles.LACKS_SEMICOLON, True)


def _unclosed(text: str) -> list[str]:
    """The last bracket that is open at the end of a line, if any."""
    open_ = list[str]()
    for character in text:
        if character in CLOSING:
            open_.append(CLOSING[character])
        elif open_ and character == open_[-1]:
            open_.pop()
    return open_[-1:]


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
