"""Pure: edits as hunks of a unified diff, matched by the lines they quote (docs/formats.md, "udiff").

In: replies, blocks shown.  Out: edits of the blocks' lines.  Does not know about documents.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from palimpsest.edits.formats.elements import NO_NAME, Element, element, elements, escaped, summary_element
from palimpsest.edits.formats.lines import Unplaced, differences, placed
from palimpsest.edits.formats.quoting import hunks, unmistakable
from palimpsest.edits.gbnf import reply_grammar
from palimpsest.edits.reply import Reply, WrittenEdits
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


@dataclass(frozen=True, slots=True)
class Udiff:
    name: ClassVar[str] = "udiff"
    text: ClassVar[FormatText] = TEXT

    def read(self, reply: str, shown: Mapping[str, ShownBlock]) -> Reply:
        found, summary = elements(reply)
        return Reply(tuple(_written(one, shown.get(one.name)) for one in found), summary)

    def write(self, block: ShownBlock, edits: Sequence[LineEdit], summary: str) -> str:
        lines = [line for old, new in hunks(block, edits) for line in _hunk_lines(old, new)]
        reply = element(block.name, lines, block) + summary_element(summary)
        return unmistakable(block, edits, lambda text: self.read(text, {block.name: block}), reply)

    def grammar(self, shown: Iterable[ShownBlock]) -> str:
        """Allows one hunk in each suggestion; the lines it keeps and deletes can only be consecutive shown lines that
        occur at a single place."""
        return reply_grammar(shown, _rules, shared='plus ::= "+" text "\\n"')


def _written(found: Element, block: ShownBlock | None) -> WrittenEdits:
    if not found.name:
        return WrittenEdits("", complete=found.complete, problem=NO_NAME)
    if block is None:
        return WrittenEdits(found.name, (), found.complete)
    edits = list[LineEdit]()
    try:
        for lines in _hunks(found.lines(block)):
            old, new = _sides(lines, {line.text for line in block.lines})
            edits += placed(block, old, new, "a hunk")
    except Unplaced as reason:
        return WrittenEdits(found.name, (), found.complete, str(reason))
    return WrittenEdits(found.name, tuple(sorted(edits, key=lambda edit: (edit.start, edit.end))), found.complete)


def _hunks(lines: Sequence[str]) -> list[list[str]]:
    """The lines of each hunk that adds or deletes something, without the file names that may precede the first `@@`."""
    found, headed = [list[str]()], False
    for line in lines:
        if line.startswith("@@"):
            found.append([])
            headed = True
        elif headed or not _names_a_file(line, found[-1]):
            found[-1].append(line)
    return [hunk for hunk in found if any(line[:1] in ("+", "-") for line in hunk)]


def _names_a_file(line: str, before: Sequence[str]) -> bool:
    return FILE_NAMES.match(line) is not None and not any(line.strip() for line in before)


def _sides(lines: Iterable[str], shown: set[str]) -> tuple[list[str], list[str]]:
    """The lines that a hunk quotes and their replacement.  A kept line may have lost the space before it."""
    old, new = list[str](), list[str]()
    for line in lines:
        mark, text = line[:1], line[1:]
        if mark == "\\":
            continue  # says that a file has no newline at its end
        if mark not in ("+", "-"):
            text = line if mark not in ("", " ") or (text not in shown and line in shown) else text
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
