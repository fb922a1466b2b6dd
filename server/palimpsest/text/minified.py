"""Recognise minified code and data by its lines: no person wrote them, and they say little for their tokens.

In: a text.  Out: whether most of it is such lines; the text with them cut.  Pure.

A line counts if it has over 2,000 characters and hardly a space among them; a paragraph on one line has more.
"""

import re
from collections.abc import Iterator

MOST_CHARACTERS = 2_000
"""A line with more characters is a long one."""
KEPT = 80
"""Characters that stay of a line that is cut."""
_PICTURE = re.compile(r"data:[\w.+/-]*(?:;[\w=.-]+)*,[A-Za-z0-9+/=%_-]+")
"""A picture or font within a text, which says nothing of the rest."""
_SPACES_IN_PROSE = 9
"""One character in so many is a space, at least: in English one in six, in German one in seven."""


def is_minified(text: str) -> bool:
    """Whether more than half of the text is lines of minified code."""
    if len(text) <= MOST_CHARACTERS:
        return False
    long = [_PICTURE.sub("", line) for line in long_lines(text, MOST_CHARACTERS)]
    return 2 * sum(len(line) for line in long if len(line) > MOST_CHARACTERS and _is_dense(line)) > len(text)


def without_minified_lines(text: str) -> str:
    """The text with the rest of each line of minified code replaced by `…`."""
    if len(text) <= MOST_CHARACTERS:
        return text
    lines = text.split("\n")
    return "\n".join(f"{line[:KEPT]}…" if len(line) > MOST_CHARACTERS and _is_dense(line) else line for line in lines)


def long_lines(text: str, most: int) -> Iterator[str]:
    """Without a look at each of the others: every text that is a block's or a module's is asked about, at every place
    of the cursor."""
    start = 0
    while len(text) - start > most:
        end = text.rfind("\n", start, start + most + 1)
        if end < 0:
            end = text.find("\n", start)
            end = len(text) if end < 0 else end
            yield text[start:end]
        start = end + 1


def _is_dense(line: str) -> bool:
    """Whether a long line is too dense for prose; writing without spaces between words has few ASCII characters."""
    n_ascii = len(line.encode("ascii", "ignore"))
    return 2 * n_ascii > len(line) and line.count(" ") * _SPACES_IN_PROSE < len(line)
