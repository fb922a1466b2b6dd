"""Grammars that can end the process or hang, on some texts: which they are, which texts they never get.

No grammar gets a text with a line as long as a file: trees are searched line by line.

In: names of grammars, texts.  Out: whether a grammar may parse a text.  Their scanners keep what is open around a place
in memory of a fixed size, and some versions write behind its end (256 levels).  So a text that may be nested deeper
than `MOST_LEVELS` is not parsed.
"""

import re
from collections.abc import Callable

from palimpsest.text.minified import long_lines

MOST_LEVELS = 200
LONGEST_LINE = 100_000
"""Characters of a line; each search of a line with a million nodes takes seconds."""
_LONG_LINE = re.compile(rf"(?m)^.{{{MOST_LEVELS},}}$")
_BLOCKS_OF_MARKDOWN = re.compile(r"[ \t>*+\-.)\d]*")
_BLOCKS_OF_YAML = re.compile(r"[-?:](?=\s|\Z)")


def _levels_of_markdown(line: str) -> int:
    """Quotes and lists are as deep as the line's beginning is long, at most."""
    found = _BLOCKS_OF_MARKDOWN.match(line)
    return len(found[0]) if found is not None else 0


def _levels_of_yaml(line: str) -> int:
    """One for each column of the indent, and for each mark of a list or a mapping behind it."""
    return len(line) - len(line.lstrip()) + len(_BLOCKS_OF_YAML.findall(line))


RISKY: dict[str, Callable[[str], int]] = {
    "tree_sitter_markdown": _levels_of_markdown,
    "tree_sitter_yaml": _levels_of_yaml,
}
"""The grammars, each with how deep the blocks of a line may be nested, at most."""


def may_parse(module: str, text: str) -> bool:
    """Whether a grammar may be given a text."""
    levels = RISKY.get(module)
    if next(long_lines(text, LONGEST_LINE), None) is not None:
        return False
    return levels is None or all(levels(found[0]) < MOST_LEVELS for found in _LONG_LINE.finditer(text))
