"""The imports of a document.

In: a parse.  Out: `Import`s.  Reads no file: which file an import means is not known here.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from tree_sitter import Node

from palimpsest.syntax.parse import Parsed, parse_text
from palimpsest.syntax.values import Import

__all__ = ["Import", "imports"]

NEAR = 4
"""Lines between two that stand together, and one more."""


def imports(parsed: Parsed) -> list[Import]:
    """Every import statement's names in document order, those inside functions too."""
    return list(parsed.once(_imports))


def _imports(parsed: Parsed) -> tuple[Import, ...]:
    if parsed.root is None:
        return ()
    hint = parsed.language.import_hint
    hints = (hint,) if isinstance(hint, str) else hint
    hinted = parsed.snapshot.lines_with(hints)
    found: dict[int, Node] = {}
    for lines in _together(hinted):
        for captures in parsed.matches("imports", lines.start, lines.stop):
            node = captures["import"][0]
            found.setdefault(node.start_byte, node)
    return tuple(item for start in sorted(found) for item in _sound_items(parsed, found[start], hinted))


def _together(lines: Sequence[int]) -> Iterator[range]:
    """Ranges of lines that stand together: looking through a few more lines is cheaper than looking again."""
    start = 0
    for at in range(1, len(lines) + 1):
        if at == len(lines) or lines[at] - lines[at - 1] > NEAR:
            yield range(lines[start], lines[at - 1] + 1)
            start = at


def _sound_items(parsed: Parsed, node: Node, hinted: list[int]) -> list[Import]:
    """The names of a statement.  If it does not parse, they are read line by line, since an unfinished one swallows the
    next."""
    first, last = node.start_point.row, node.end_point.row
    if not node.has_error or first == last:
        return parsed.language.imported(parsed, node)
    found: list[Import] = []
    for line in (number for number in hinted if first <= number <= last):
        alone = parse_text(parsed.snapshot.lines[line].strip(), parsed.language)
        found += [replace(item, line=line) for item in _imports(alone)]
    return found
