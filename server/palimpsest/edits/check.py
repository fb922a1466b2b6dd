"""Pure: checks a reply's edits and turns edits of the blocks shown into edits of documents.

In: what a format read, the blocks shown, the documents as they were then.  Out: changes of these documents, and
refusals.  A change is made as written or refused as a whole; nothing is guessed.  Parses no code.
"""

from collections.abc import Mapping, Sequence

from palimpsest.edits.line_edits import applied, normalised
from palimpsest.edits.reply import CheckedReply, EditReply, WrittenEdits
from palimpsest.edits.shown import ShownBlock
from palimpsest.types import DocumentChange, LineEdit, Refusal


class _Refused(Exception):
    """Holds the reason, worded for a person."""


def checked(reply: EditReply, blocks: Mapping[str, ShownBlock], documents: Mapping[str, Sequence[str]]) -> CheckedReply:
    """Everything that a reply edits as changes of the documents, or its refusals.

    `documents` has the lines of every document of an editable block, by URI, as they were when the blocks were shown.
    What is written for each block is checked by itself.
    """
    changes, refused = list[DocumentChange](), list[Refusal]()
    for written in reply.written:
        try:
            changes.append(_change(written, blocks, documents))
        except _Refused as reason:
            refused.append(Refusal(written.name, str(reason)))
    return CheckedReply(tuple(changes), tuple(refused), reply.summary)


def _change(
    written: WrittenEdits, blocks: Mapping[str, ShownBlock], documents: Mapping[str, Sequence[str]]
) -> DocumentChange:
    block = blocks.get(written.name)
    if block is None:
        raise _Refused(written.problem or f'no block named "{written.name}" was shown')
    if not block.editable or block.uri not in documents:
        raise _Refused(f'the block "{written.name}" cannot be edited')
    if written.problem:
        raise _Refused(written.problem)
    lines = documents[block.uri]
    edits = normalised(lines, _placed(written.edits, block, lines))
    if applied(lines, edits) == list(lines):  # also where several together come to that
        raise _Refused("it changes nothing")
    return DocumentChange(block.uri, block.version, edits, (block.name,))


def _placed(edits: Sequence[LineEdit], block: ShownBlock, lines: Sequence[str]) -> list[LineEdit]:
    """Edits of the document, one per line touched, because neighbouring lines of the block need not be
    neighbours in the document.  If an edit adds more lines than it replaces, the extra ones go to its last line."""
    _check_order(edits, block)
    anchors = {i: _document_line(i, block) for edit in edits for i in _touched(edit, block)}
    if len(set(anchors.values())) < len(anchors):
        raise _Refused(f'"{block.name}" shows one line of the document twice, and the suggestion changes both')
    if any(line >= len(lines) or lines[line] != block.lines[i].text for i, line in anchors.items()):
        raise _Refused(f'the block "{block.name}" does not show the lines as the document has them')
    placed = list[LineEdit]()
    for edit in edits:
        touched = _touched(edit, block)
        *first, last = (anchors[i] for i in touched)
        if edit.start == edit.end:
            at = last + (touched.start < edit.start)
            placed.append(LineEdit(at, at, edit.lines))
        else:
            placed += [LineEdit(at, at + 1, edit.lines[n : n + 1]) for n, at in enumerate(first)]
            placed.append(LineEdit(last, last + 1, edit.lines[len(first) :]))
    return sorted(placed, key=lambda edit: (edit.start, edit.end))  # stable: insertions at one place keep their order


def _check_order(edits: Sequence[LineEdit], block: ShownBlock) -> None:
    behind = 0
    for edit in edits:
        if not behind <= edit.start <= edit.end <= len(block.lines):
            raise _Refused(f'it changes the same lines of "{block.name}" twice')
        behind = edit.end


def _touched(edit: LineEdit, block: ShownBlock) -> range:
    """The block's lines that an edit replaces.  For an insertion: the line before it, or the line after it if the one
    before does not stand for a line of the document."""
    if edit.start < edit.end:
        return range(edit.start, edit.end)
    if edit.start > 0 and block.lines[edit.start - 1].document_line is not None:
        return range(edit.start - 1, edit.start)
    return range(edit.start, edit.start + 1)


def _document_line(index: int, block: ShownBlock) -> int:
    """The line of the document as it was when shown."""
    line = block.lines[index] if index < len(block.lines) else None
    if line is not None and line.document_line is not None:
        return line.document_line
    if line is None or line.number is None:
        raise _Refused(f'it changes "{block.name}" where code was left out')
    raise _Refused(f'line {line.number} of "{block.name}" stands for no line of the document')
