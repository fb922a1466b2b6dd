"""Pure: edits as numbered lines: those that change, each with its number as shown (docs/formats.md, "ln-diff").

In: replies, blocks shown.  Out: edits of the blocks' lines.  Does not know about documents.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from palimpsest.edits.formats.elements import Element
from palimpsest.edits.formats.format import EditFormat
from palimpsest.edits.formats.lines import Unplaced
from palimpsest.edits.grammar import grammar_for
from palimpsest.edits.shown import ShownBlock
from palimpsest.prompt.formats import FormatText
from palimpsest.types import LineEdit

DELETE = re.compile(r"L(\d{1,9})-(?:\s.*)?\Z")
INSERT = re.compile(r"L(\d{1,9})\+ ?(.*)\Z")
REPLACE = re.compile(r"L(\d{1,9})(?: (.*)|(\t.*))?\Z")
GUTTER = re.compile(r"L(\d{1,9}) (?!\s*(?:[-+*/%@&|^<>:]{0,2}=(?!=)))")
"""`L<n> ` at the start of inserted text, unless it is the target of an assignment: `L4 = 3` is code."""


@dataclass(frozen=True, slots=True)
class _Operation:
    """`replace` line `number` by `text`, `insert` `text` after it (0: before the first line), or `delete` it."""

    kind: Literal["replace", "insert", "delete"]
    number: int
    text: str = ""


TEXT = FormatText(
    """\
- Write only the lines that change, each with its number as shown, from small to large.
- "L4 text" makes line 4 read "text". "L4+ text" adds a line after line 4. "L4-" removes line 4.
- Keep every space of the indentation. Numbers always mean the lines as shown, not as they are after your changes.""",
    "L2-\nL3     return width * height",
    numbered=True,
)


class LnDiff(EditFormat):
    name = "ln-diff"
    text = TEXT

    def lines(self, block: ShownBlock, edits: Sequence[LineEdit]) -> list[str]:
        return [line for edit in _writable(block, edits) for line in _edit_lines(block, edit)]

    def edits(self, suggestion: Element, block: ShownBlock) -> Sequence[LineEdit]:
        return _edits(_read_operations(suggestion.lines(block), block), block)

    def grammar(self, blocks: Iterable[ShownBlock]) -> str:
        return grammar_for(blocks)


def _read_operations(lines: Iterable[str], block: ShownBlock) -> list[_Operation]:
    operations = list[_Operation]()
    for line in lines:
        operation = _numbered(line)
        if operation is None:
            if not operations:
                if not line.strip():
                    continue
                raise Unplaced(f"text stands before any line number: {line.strip()[:60]!r}")
            last = operations[-1].number
            if line.strip() in block.unnumbered_after(last):
                continue  # a copied mark of a cut or an omitted body
            operation = _Operation("insert", last, line)
        operations.append(_cleaned(operation))
    return _first_replaces(operations)


def _numbered(line: str) -> _Operation | None:
    if match := DELETE.match(line):
        return _Operation("delete", int(match[1]))
    if match := INSERT.match(line):
        return _Operation("insert", int(match[1]), match[2])
    if match := REPLACE.match(line):
        return _Operation("replace", int(match[1]), match[2] or match[3] or "")
    return None


def _cleaned(operation: _Operation) -> _Operation:
    """The operation without a line number that the model copied into the text."""
    gutter = GUTTER.match(operation.text)
    if gutter is None or (operation.kind != "insert" and int(gutter[1]) != operation.number):
        return operation
    return _Operation(operation.kind, operation.number, operation.text[gutter.end() :])


def _first_replaces(operations: list[_Operation]) -> list[_Operation]:
    """If `L<n>` occurs several times, the first replaces the line and the others insert after it (also after its
    deletion)."""
    seen, result = set[int](), list[_Operation]()
    for operation in operations:
        if operation.kind == "replace" and operation.number in seen:
            operation = _Operation("insert", operation.number, operation.text)
        elif operation.kind != "insert":
            seen.add(operation.number)
        result.append(operation)
    return result


def _edits(operations: Iterable[_Operation], block: ShownBlock) -> tuple[LineEdit, ...]:
    """One edit per line touched; an insertion goes right after its line."""
    indexes = {line.number: i for i, line in enumerate(block.lines) if line.number is not None}
    touched = dict[int, list[_Operation]]()
    for operation in operations:
        number = operation.number
        if number not in indexes and not (number == 0 and operation.kind == "insert"):
            raise Unplaced(f'line {number} of "{block.name}" was not shown')
        if number and block.lines[indexes[number]].document_line is None:
            raise Unplaced(f'line {number} of "{block.name}" stands for no line of the document')
        touched.setdefault(number, []).append(operation)
    indexes[0] = next((i for i, line in enumerate(block.lines) if line.document_line is not None), 0)
    edits = list[LineEdit]()
    for number in sorted(touched, key=lambda number: (indexes[number], number > 0)):
        at = indexes[number]
        kinds = {o.kind for o in touched[number]}
        if kinds >= {"replace", "delete"}:
            raise Unplaced(f'line {number} of "{block.name}" is both replaced and deleted')
        texts = [o.text for o in touched[number] if o.kind == "replace"]
        texts += [o.text for o in touched[number] if o.kind == "insert"]
        start = at if kinds != {"insert"} or number == 0 else at + 1
        edits.append(LineEdit(start, start + (kinds != {"insert"}), tuple(texts)))
    return tuple(edits)


def _edit_lines(block: ShownBlock, edit: LineEdit) -> list[str]:
    """The lines for one edit, as in docs/formats.md's table: lines replaced one for one, then deleted or inserted."""
    numbers = [block.lines[i].number for i in range(edit.start, edit.end)]
    if any(number is None for number in numbers):
        raise ValueError(f"{edit} touches a line without a number")
    written = [_line(f"L{number}", text) for number, text in zip(numbers, edit.lines, strict=False)]
    written += [f"L{number}-" for number in numbers[len(edit.lines) :]]
    if len(edit.lines) > len(numbers):
        last = numbers[-1] if numbers else _number_before(block, edit.start)
        written += [_line(f"L{last}+", text) for text in edit.lines[len(numbers) :]]
    return written


def _number_before(block: ShownBlock, index: int) -> int | None:
    """The number of the line before an insertion at `index`; 0 at the block's beginning."""
    if all(line.document_line is None for line in block.lines[:index]):
        return 0
    return block.lines[index - 1].number


def _writable(block: ShownBlock, edits: Sequence[LineEdit]) -> list[LineEdit]:
    """An insertion after a line without a number cannot name that line, so it is merged into the next line's edit."""
    result = list[LineEdit]()
    for edit in reversed(edits):
        at = edit.start
        if at == edit.end and _number_before(block, at) is None:
            if result and result[-1].start == at:
                following = result.pop()
            elif at < len(block.lines):
                following = LineEdit(at, at + 1, (block.lines[at].text,))
            else:
                raise ValueError(f"{edit} stands between lines without a number")
            edit = LineEdit(at, following.end, edit.lines + following.lines)
        result.append(edit)
    return result[::-1]


def _line(mark: str, text: str) -> str:
    """Text that begins like a line number gets another one in front, which reading removes."""
    if not text:
        return mark
    gutter = f"{mark.removesuffix('+')} " if GUTTER.match(text) else ""
    return f"{mark} {gutter}{text}"
