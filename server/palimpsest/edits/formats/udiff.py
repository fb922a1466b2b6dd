"""Pure: edits as hunks of a unified diff, matched by the lines they quote (docs/formats.md, "udiff").

In: replies, blocks shown.  Out: edits of the blocks' lines.  Does not know about documents.
"""

import re
from collections.abc import Iterable, Sequence

from palimpsest.edits.formats.elements import Element, escaped
from palimpsest.edits.formats.format import EditFormat
from palimpsest.edits.formats.lines import differences, placed
from palimpsest.edits.formats.quoting import hunks
from palimpsest.edits.gbnf import reply_grammar
from palimpsest.edits.runs import Runs
from palimpsest.edits.shown import ShownBlock
from palimpsest.prompt.formats import FormatText
from palimpsest.types import LineEdit

HEAD = "@@ @@"
"""Without line numbers, which would be ignored."""
MAX_ADDED = 40
"""The most lines that may be added at one place under the grammar."""
FILE_NAMES = re.compile(r"(?:---|\+\+\+) |diff --git |index [0-9a-f]+\.\.|(?:---|\+\+\+)\s*\Z")
TEXT = FormatText(
    """\
- Write a unified diff without file names. Begin each hunk with "@@ @@"; no line numbers are needed.
- A line that stays begins with one more space, a line to remove with "-", a line to add with "+".
- Copy the lines that stay and those to remove exactly, and as many as stand nowhere else.""",
    "@@ @@\n def area(width, height):\n-    print(width)\n-    return width + height\n+    return width * height",
)


class Udiff(EditFormat):
    name = "udiff"
    text = TEXT

    def lines(self, block: ShownBlock, edits: Sequence[LineEdit]) -> list[str]:
        return [line for old, new in hunks(block, edits) for line in _hunk_lines(old, new)]

    def edits(self, suggestion: Element, block: ShownBlock) -> Sequence[LineEdit]:
        known = {line.text for line in block.lines}
        sides = [_sides(lines, known) for lines in _hunks(suggestion.lines(block))]
        return [edit for old, new in sides for edit in placed(block, old, new, "a hunk")]

    def grammar(self, blocks: Iterable[ShownBlock]) -> str:
        """Allows one hunk in each suggestion; the lines it keeps and deletes can only be consecutive shown lines that
        occur at a single place."""
        return reply_grammar(blocks, _rules, shared='plus ::= "+" text "\\n"')


def _hunks(lines: Sequence[str]) -> list[list[str]]:
    """The lines of each hunk that adds or deletes something, without the file names that may precede the first `@@`."""
    hunks, headed = [list[str]()], False
    for line in lines:
        if line.startswith("@@"):
            hunks.append([])
            headed = True
        elif headed or not _names_a_file(line, hunks[-1]):
            hunks[-1].append(line)
    return [hunk for hunk in hunks if any(line[:1] in ("+", "-") for line in hunk)]


def _names_a_file(line: str, before: Sequence[str]) -> bool:
    return FILE_NAMES.match(line) is not None and not any(line.strip() for line in before)


def _sides(lines: Iterable[str], known: set[str]) -> tuple[list[str], list[str]]:
    """The lines that a hunk quotes and their replacement.  A kept line may have lost the space before it."""
    old, new = list[str](), list[str]()
    for line in lines:
        mark, text = line[:1], line[1:]
        if mark == "\\":
            continue  # says that a file has no newline at its end
        if mark not in ("+", "-"):
            text = line if mark not in ("", " ") or (text not in known and line in known) else text
        if mark != "+":
            old.append(text)
        if mark != "-":
            new.append(text)
    return old, new


def _hunk_lines(old: Sequence[str], new: Sequence[str]) -> list[str]:
    lines, at = [HEAD], 0
    for edit in differences(old, new):
        lines += [f" {line}" for line in old[at : edit.start]]
        lines += [f"-{line}" for line in old[edit.start : edit.end]]
        lines += [f"+{line}" for line in edit.lines]
        at = edit.end
    return [*lines, *(f" {line}" for line in old[at:])]


def _rules(rule: str, block: ShownBlock) -> list[str]:
    runs = Runs(
        rule,
        block,
        lambda text: escaped(f" {text}", block)[1:],
        end='""',
        mark="[- ]",
        between=f"{rule}-added",
    ).rules()
    if not runs:
        return []
    return [f'{rule} ::= "{HEAD}\\n" {rule}-run', f"{rule}-added ::= plus{{0,{MAX_ADDED}}}", *runs]
