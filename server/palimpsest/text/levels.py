"""What one level of a text's indentation is, and a text with another.

In: lines.  Out: a tab or spaces; lines.  Pure.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence

FOUR = " " * 4
OPENS = (":", "{", "(", "[", "=>", "->", " do", " then", "=")
LEAVES = re.compile(r"(?:return|break|continue|pass|raise|throw)\b")
"""Behind a statement that begins so, nothing more stands in its block."""
DEFINES = re.compile(
    r"(?:(?:async|export|pub|public|private|protected|static)\s+)*(?:def|class|fn|func|function|fun)\b"
)
QUOTES = ('"""', "'''")
NARROWEST = 2
"""One space is the margin of a comment (` * `), or alignment."""
DEEPEST = 120
"""Characters of an indentation: a line of blanks alone is not to fill the window."""


def is_indented(lines: Iterable[str]) -> bool:
    """Whether a line has a level, be it an empty one that an editor has indented."""
    return any(line.startswith(("\t", " " * NARROWEST)) for line in lines)


def level_of(lines: Iterable[str]) -> str | None:
    """What lines are mostly indented by; None where none is."""
    found, before = Counter[str](), 0
    for line in lines:
        rest = line.lstrip(" \t")
        if not rest or rest[0] == "*":
            continue
        indent = line[: len(line) - len(rest)]
        if indent[:1] == "\t":
            found["\t"] += 1
        elif len(indent) - before >= NARROWEST:
            found[" " * (len(indent) - before)] += 1
        before = len(indent)
    return max(found, key=lambda one: found[one]) if found else None


def indentation_between(above: Sequence[str], below: Sequence[str]) -> str:
    """Of an empty line, as far as the lines around it tell: of those above it, and of those below."""
    last = next((line for line in reversed(above) if line.strip()), "")
    own = indentation_of(last)
    following = indentation_of(next((line for line in below if line.strip()), ""))
    if last.rstrip().endswith(OPENS):
        deeper = own + (level_of([*above, *below]) or FOUR)
        return following if len(own) < len(following) < len(deeper) else deeper
    if LEAVES.match(last.strip()):
        return _behind_block(above, own, following)
    if above and not above[-1].strip() and not last.rstrip().endswith(QUOTES):  # a docstring's body is still to come
        return min(own, following, key=len)
    return own


def _behind_block(above: Sequence[str], own: str, following: str) -> str:
    """Behind a statement that ends its block: beside that block's head, or as far out as the code below and the
    definition around it admit."""
    found, width = min(own, following, key=len), len(own)
    for line in reversed(above):
        indentation = indentation_of(line)
        if not line.strip() or len(indentation) >= width:
            continue
        if DEFINES.match(line.strip()) or (width < len(own) and len(indentation) < len(following)):
            break
        found, width = indentation, len(indentation)
    return found


def missing_indentation(above: Sequence[str], typed: str, below: Sequence[str], *, asked: bool) -> str:
    """What an empty line with the blanks `typed` lacks.  Unless code is asked for there, only what the lines around
    demand: behind one that opens a block, and above one that is indented."""
    wanted = indentation_between(above, below)
    last = next((line for line in reversed(above) if line.strip()), "")
    if last.rstrip().endswith(OPENS):
        if len(typed) > len(indentation_of(last)):
            return ""  # a level of the person's own
    elif typed and _goes_on_at(typed, above):
        return ""  # there the block around goes on, or another clause of it
    if not asked:
        following = indentation_of(next((line for line in below if line.strip()), ""))
        if not last.rstrip().endswith(OPENS):
            wanted = min(wanted, following, key=len)
    return wanted[len(typed) :] if wanted.startswith(typed) else ""


def _goes_on_at(typed: str, above: Sequence[str]) -> bool:
    """Whether the last line above that is not deeper stands there."""
    levels = (indentation_of(line) for line in reversed(above) if line.strip())
    return next((level == typed for level in levels if len(level) <= len(typed)), False)


def indentation_of(line: str) -> str:
    """The blanks that a line begins with, up to `DEEPEST`."""
    return line[: len(line) - len(line.lstrip(" \t"))][:DEEPEST]


def with_level(text: str, level: str, *, at_start: bool) -> str:
    """A text that stands in a file without indentation, its levels written as `level`.  `at_start`: its first line is a
    whole one, not the rest of one."""
    first, *rest = text.split("\n")
    lines = [first, *rest] if at_start else rest
    own = level_of(lines)
    if own is None or own == level:
        return text
    changed = [_with_level(line, own, level) for line in lines]
    return "\n".join(changed if at_start else [first, *changed])


def _with_level(line: str, own: str, level: str) -> str:
    """What is left over aligns, and stays."""
    n = 0
    while line.startswith(own, n * len(own)):
        n += 1
    return level * n + line[n * len(own) :]
