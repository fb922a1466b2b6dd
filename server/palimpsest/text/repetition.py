"""Find where a generated text begins to repeat itself, as small models sometimes do.

In: what a model wrote, the text before it.  Out: how much of it to keep.  Pure; knows no language.  Repetitions without
a letter (rows of numbers, rules of dashes) are allowed.

    a call in itself   two copies of a name of five characters or more and its bracket: `notona(notona(`
    within a line      four copies of a piece, 16 characters at least: ` is _name___module__` …, or three with blanks
                       between them, eight characters each at least
    one letter         16 times
    lines              a cycle of up to eight lines, two copies and the beginning of a third
"""

import re

LOOK_BACK = 1000
"""Characters before the cursor that are looked at."""
LONGEST_CYCLE = 8
_LETTER = re.compile(r"[^\W\d_]")
_WITHIN = (
    re.compile(r"(\w[\w.]{3,78}[(\[{])\1+"),
    re.compile(r"(?=.{16})(\S.{1,78}?)\1{3,}"),
    re.compile(r"(\S.{6,77}\S)(?: +\1){2,}"),
    re.compile(r"([^\W\d_])\1{15,}"),
)
_SHORTEST = 16
COPIES, FEWEST = 6, 600
"""What repeats stands there so often, and all of its copies are so many characters, at least."""
LONGEST = 500
"""One copy has at most this many characters."""


def kept(text: str, before: str) -> int:
    """The number of characters of `text`, which follows `before`, up to the end of the first copy of what repeats.

    All of them if nothing repeats.  A pattern that begins in `before` is the user's: `text` may continue it once.
    """
    before = before[-LOOK_BACK:]
    return min(_within_lines(text, before), _lines(text, before))


def _within_lines(text: str, before: str) -> int:
    start = 0
    head = before[before.rfind("\n") + 1 :]
    for line in text.split("\n"):
        for pattern in _WITHIN:
            for found in pattern.finditer(head + line):
                unit, n = len(found[1]), len(found[0])
                begin = found.start() + unit - len(head)  # of the second copy, in `line`
                is_long = n >= _SHORTEST or pattern is _WITHIN[0]
                new = found.end() - max(len(head), found.start())
                if is_long and new > unit and _LETTER.search(found[1]):
                    return start + max(0, begin)
        start += len(line) + 1
        head = ""
    return len(text)


def _lines(text: str, before: str) -> int:
    lines = (before + text).split("\n")
    n_old = before.count("\n")  # whole lines that are none of the text's
    ends = len(lines) - (not lines[-1].strip())
    for i in range(max(0, n_old - LONGEST_CYCLE), ends):
        for size in range(1, LONGEST_CYCLE + 1):
            n = max(3, 2 * size + 1)
            if i + n > ends or i + n - n_old <= size:
                continue
            if all(lines[i + k] == lines[i + k + size] for k in range(n - size)) and _LETTER.search(
                "".join(lines[i : i + size])
            ):
                at = sum(len(line) + 1 for line in lines[: i + size]) - 1 - len(before)
                return max(0, at)
    return len(text)


def is_endless(text: str) -> bool:
    """Whether a text that is being written only says the same again and again, as small models sometimes end.  Much
    more has to repeat than a person would ask for; repetitions without a letter, such as rules of dashes, are allowed.
    """
    for size in range(1, min(LONGEST, len(text) // COPIES) + 1):
        copies = text[-max(COPIES * size, FEWEST) :]
        if len(copies) >= FEWEST and copies[size:] == copies[:-size] and _LETTER.search(copies[:size]):
            return True
    return False
