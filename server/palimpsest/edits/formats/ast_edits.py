"""Pure: edits as operations on definitions: `<replace node="function Cart.add">…</replace>` (docs/formats.md, "ast").

In: replies, blocks shown.  Out: edits of the blocks' lines.  Does not know about documents.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from palimpsest.edits.formats.ast_grammar import SHARED, node_rules
from palimpsest.edits.formats.elements import (
    LAST_LINE_END,
    Element,
    attributes,
    closing,
    one_less,
    one_more,
    unfenced,
)
from palimpsest.edits.formats.format import EditFormat
from palimpsest.edits.formats.lines import Unplaced, differences, indent_of, marks, texts, ungutter
from palimpsest.edits.formats.nodes import BlockNode, Nodes, nodes_of
from palimpsest.edits.formats.renaming import renamed
from palimpsest.edits.gbnf import reply_grammar
from palimpsest.edits.line_edits import applied
from palimpsest.edits.shown import ShownBlock
from palimpsest.prompt.formats import FormatText
from palimpsest.text.markup import attribute, escape_closing, unescape_closing
from palimpsest.types import LineEdit

_NAMES = "replace|insert-before|insert-after|delete|rename"
OPERATION = re.compile(rf"""(?m)^[ \t]*<({_NAMES})\b((?:[^>"'\n]|"[^"\n]*"|'[^'\n]*')*)>""")
ESCAPED = re.compile(rf"^([ \t]*)(?:&((?:amp;)*lt;)|<)(?=(?:{_NAMES})\b)")
"""Text that would be read as the next operation if it stood at the beginning of a line."""
UNESCAPED = re.compile(rf"^([ \t]*)&(?:amp;((?:amp;)*lt;)|lt;)(?=(?:{_NAMES})\b)")
KEPT = "kept"
"""Value of the attribute `indent` for lines that are at the margin and must stay there."""
TEXT = FormatText(
    """\
- Name a function or class by what is around it: "function area", "class Cart", "function Cart.add".
- <replace node="function Cart.add">, its code as it shall be, </replace> changes one. In the same way \
<insert-before node="…"> and <insert-after node="…"> put code beside it.
- <delete node="function Cart.add"/> removes it; <rename node="function Cart.add" to="append"/> renames it and its \
uses in the block.
- Where code stands in no function or class, <replace node="file"> writes the whole block again.
- Keep every space of the indentation, and every line "..." that stands for code left out.""",
    '<replace node="function area">\ndef area(width, height):\n    return width * height\n</replace>',
)


class Ast(EditFormat):
    name = "ast"
    text = TEXT

    def lines(self, block: ShownBlock, edits: Sequence[LineEdit]) -> list[str]:
        return [line for operation in _operations(block, edits) for line in operation]

    def edits(self, suggestion: Element, block: ShownBlock) -> Sequence[LineEdit]:
        text = "\n".join(suggestion.lines(block))
        operations = _read_operations(text, suggestion.complete)
        if not operations and text.strip() and suggestion.complete:
            raise Unplaced("there is no operation such as <replace node=…>")
        nodes = nodes_of(block)
        return [edit for operation in operations for edit in _edits(operation, block, nodes)]

    def grammar(self, blocks: Iterable[ShownBlock]) -> str:
        """Allows one operation in each suggestion, on an existing definition."""
        return reply_grammar(blocks, node_rules, shared=SHARED)


@dataclass(frozen=True, slots=True)
class _Operation:
    """`kind` is the element's name.  `lines` are the content's."""

    kind: str
    given: Mapping[str, str]
    lines: tuple[str, ...] = ()


def _read_operations(text: str, complete: bool) -> list[_Operation]:
    """The operations in order; text between them is ignored, and so is a last operation that was cut off."""
    operations, position = list[_Operation](), 0
    while head := OPERATION.search(text, position):
        kind, given = head[1], attributes(head[2].rstrip("/"))
        position = head.end()
        if kind in ("delete", "rename") or head[2].endswith("/"):
            operations.append(_Operation(kind, given))
            continue
        close, following = closing(kind).search(text, position), OPERATION.search(text, position)
        if following is not None and (close is None or following.start() < close.start()):
            content, position = text[position : following.start()], following.start()  # the closing tag is missing
        elif close is not None:
            content, position = text[position : close.start()], close.end()
        elif complete:
            content, position = text[position:] + "\n", len(text)
        else:
            break
        operations.append(_Operation(kind, given, tuple(_content_lines(content, kind))))
    return operations


def _content_lines(content: str, kind: str) -> list[str]:
    content = content.removeprefix("\n")
    if not content:
        return []
    lines = unfenced(LAST_LINE_END.sub("", content).split("\n"))
    return ungutter([unescape_closing(UNESCAPED.sub(one_less, line), kind) for line in lines])


def _edits(operation: _Operation, block: ShownBlock, nodes: Nodes) -> list[LineEdit]:
    if "node" not in operation.given:
        raise Unplaced(f"<{operation.kind}> does not say which node")
    node = nodes.at(operation.given["node"])
    if operation.kind == "rename":
        return renamed(block, nodes, node, operation.given.get("to", ""))
    left_out = {i - node.start for i in marks(block) if node.start <= i < node.end}
    if operation.kind == "delete":
        if left_out:
            raise Unplaced(f'"{node.address}" cannot be deleted: code of it was left out')
        return [LineEdit(node.start, node.end, ())]
    lines = list(operation.lines)
    if operation.given.get("indent") != KEPT:
        lines = _indented(lines, block, node)
    if operation.kind == "replace":
        return differences(texts(block)[node.start : node.end], lines, left_out, node.start)
    at = node.start if operation.kind == "insert-before" else node.end
    return [LineEdit(at, at, tuple(lines))]


def _indented(lines: list[str], block: ShownBlock, node: BlockNode) -> list[str]:
    """Lines written at the margin, indented like the definition."""
    full = [line for line in lines if line.strip()]
    indent = indent_of(next((line.text for line in block.lines[node.start : node.end] if line.text.strip()), ""))
    if not indent or not full or indent_of(full[0]):
        return lines
    return [indent + line if line.strip() else line for line in lines]


def _operations(block: ShownBlock, edits: Sequence[LineEdit]) -> list[list[str]]:
    """The lines of a small number of short operations that make these edits, in order."""
    nodes = nodes_of(block)
    if len(edits) == 1 and (short := _short(block, nodes, edits[0])):
        return [short]
    changed = list[tuple[BlockNode, list[LineEdit]]]()
    for edit in edits:
        node, inside = _around(nodes, edit.start, edit.end), [edit]
        while changed and changed[-1][0].end > node.start:
            other, before = changed.pop()
            node, inside = _around(nodes, other.start, max(node.end, other.end)), [*before, *inside]
        changed.append((node, inside))
    return [_replacing(block, node, inside) for node, inside in changed]


def _around(nodes: Nodes, start: int, end: int) -> BlockNode:
    """The smallest definition that contains these lines; an insertion at its first or last line is outside it."""
    inside = [n for n in nodes.found if n.start <= start and end <= n.end and (start < end or n.start < start < n.end)]
    return min(inside, key=lambda node: node.end - node.start, default=nodes.whole)


def _short(block: ShownBlock, nodes: Nodes, edit: LineEdit) -> list[str] | None:
    """The single operation that inserts before or after a definition, or deletes one."""
    for node in nodes.found:
        if (edit.start, edit.end, edit.lines) == (node.start, node.end, ()):
            return [f"<delete node={attribute(node.address)}/>"]
        if edit.start == edit.end and edit.start in (node.start, node.end):
            kind = "insert-before" if edit.start == node.start else "insert-after"
            return _with_content(kind, node, edit.lines, block)
    return None


def _replacing(block: ShownBlock, node: BlockNode, edits: Iterable[LineEdit]) -> list[str]:
    shifted = [LineEdit(edit.start - node.start, edit.end - node.start, edit.lines) for edit in edits]
    return _with_content("replace", node, applied(texts(block)[node.start : node.end], shifted), block)


def _with_content(kind: str, node: BlockNode, lines: Sequence[str], block: ShownBlock) -> list[str]:
    """Writes the content so that reading does not mistake it for line numbers, fences or an indent to correct."""
    indent = f' indent="{KEPT}"' if _indented(list(lines), block, node) != list(lines) else ""
    if ungutter(lines) != list(lines):
        lines = [f"L1 {line}" for line in lines]
    if unfenced(list(lines)) != list(lines):
        lines = ["```", *lines, "```"]
    content = [ESCAPED.sub(one_more, escape_closing(line, kind)) for line in lines]
    return [f"<{kind} node={attribute(node.address)}{indent}>", *content, f"</{kind}>"]
