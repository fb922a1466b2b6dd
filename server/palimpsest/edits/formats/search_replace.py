"""Pure: edits as lines to find and their replacement (docs/formats.md, "search-replace").

In: replies, blocks shown.  Out: edits of the blocks' lines.  Does not know about documents.

All marks of a pair have as many signs as its first mark, so that lines of code may look like shorter marks.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from palimpsest.edits.formats.elements import Element, escaped
from palimpsest.edits.formats.format import EditFormat
from palimpsest.edits.formats.lines import Unplaced, placed, texts
from palimpsest.edits.formats.quoting import hunks
from palimpsest.edits.gbnf import FREE, reply_grammar
from palimpsest.edits.runs import Runs
from palimpsest.edits.shown import ShownBlock
from palimpsest.prompt.formats import FormatText
from palimpsest.types import LineEdit

SEARCH = re.compile(r"[ \t]*(<{5,})\s*(?:SEARCH|ORIGINAL|HEAD)?:?\s*\Z", re.IGNORECASE)
DIVIDER = re.compile(r"[ \t]*(={5,})\s*\Z")
REPLACE = re.compile(r"[ \t]*(>{5,})\s*(?:REPLACE|UPDATED?)?:?\s*\Z", re.IGNORECASE)
MARKS = (SEARCH, DIVIDER, REPLACE)
SIGNS = 7
MAX_LINES = 60
"""The most lines that may replace one SEARCH part under the grammar."""

_ROOM = r"""
to ::= [ \t]* (">" (">" (">" ">"?)?)?)? (after text)? "\n"
after ::= [^<> \t\r\n] | "<" ([^</s\r\n] | "s" [^<u\r\n] | "/" ([^<s\r\n] | "s" [^<u\r\n]))
""".strip()
TEXT = FormatText(
    """\
- Write <<<<<<< SEARCH, lines that are there now, =======, what they become, and >>>>>>> REPLACE.
- Copy the lines to search exactly, with every space of the indentation, and as many as stand nowhere else. Keep them \
few: the lines that change, and one or two around them.
- A suggestion may have several such parts.""",
    "<<<<<<< SEARCH\n    print(width)\n    return width + height\n=======\n    return width * height\n>>>>>>> REPLACE",
)


class SearchReplace(EditFormat):
    name = "search-replace"
    text = TEXT

    def lines(self, block: ShownBlock, edits: Sequence[LineEdit]) -> list[str]:
        return [line for old, new in hunks(block, edits) for line in _pair(block, old, new)]

    def edits(self, suggestion: Element, block: ShownBlock) -> Sequence[LineEdit]:
        lines, edits, n_pairs = suggestion.lines(block), list[LineEdit](), 0
        for old, new in _pairs(lines, suggestion.complete):
            n_pairs += 1
            edits += placed(block, old, new, "a SEARCH part")
        if not n_pairs and any(line.strip() for line in lines) and suggestion.complete:
            raise Unplaced("there is no SEARCH part")
        return edits

    def grammar(self, blocks: Iterable[ShownBlock]) -> str:
        """Allows one pair in each suggestion; its SEARCH part can only be consecutive shown lines that occur at a
        single place."""
        return reply_grammar(blocks, _rules, shared=f"{FREE}\n{_ROOM}")


def _pairs(lines: Sequence[str], complete: bool) -> Iterator[tuple[Sequence[str], Sequence[str]]]:
    """What each pair searches, and its replacement, in order; text outside them is ignored, and so is a last pair that
    was cut off.  Raises Unplaced for one without a divider."""
    at = 0
    while at < len(lines):
        head = SEARCH.match(lines[at])
        at += 1
        if not head:
            continue
        signs = len(head[1])
        divider = _next(DIVIDER, lines, at, signs)
        if divider is None:
            if complete:
                raise Unplaced("a SEARCH part has no ======= behind it")
            break
        end = _next(REPLACE, lines, divider + 1, signs)
        following = _next(SEARCH, lines, divider + 1, signs)
        if following is not None and (end is None or following < end):
            end = following  # the last mark is missing
        if end is None and not complete:
            break
        end = len(lines) if end is None else end
        yield lines[at:divider], lines[divider + 1 : end]
        at = end


def _next(mark: re.Pattern[str], lines: Sequence[str], start: int, signs: int) -> int | None:
    """The next line that is this mark, preferably with the same number of signs."""
    marks = [(i, match) for i in range(start, len(lines)) if (match := mark.match(lines[i]))]
    exact = next((i for i, match in marks if len(match[1]) == signs), None)
    return exact if exact is not None or not marks or mark is SEARCH else marks[0][0]


def _pair(block: ShownBlock, old: Sequence[str], new: Sequence[str]) -> list[str]:
    n = _signs([*texts(block), *new])
    return ["<" * n + " SEARCH", *old, "=" * n, *new, ">" * n + " REPLACE"]


def _signs(lines: Iterable[str]) -> int:
    """A number of signs that no line has as a mark."""
    taken = {len(match[1]) for line in lines for mark in MARKS if (match := mark.match(line))}
    return next(n for n in range(SIGNS, SIGNS + len(taken) + 1) if n not in taken)


def _rules(rule: str, block: ShownBlock) -> list[str]:
    n = _signs(texts(block))
    signs = {sign: sign * n for sign in "<=>"}
    end = f'"{signs["="]}\\n" to{{0,{MAX_LINES}}} "{signs[">"]} REPLACE\\n"'
    runs = Runs(rule, block, lambda text: escaped(text, block), end=f"{rule}-to").rules()
    return [f'{rule} ::= "{signs["<"]} SEARCH\\n" {rule}-run', f"{rule}-to ::= {end}", *runs] if runs else []
