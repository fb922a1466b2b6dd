"""Pure: checks a reply's edits and turns edits of the blocks shown into edits of documents.

In: what a format read, the blocks shown, the documents then and now.  Out: a `Reading` of `Suggestion`s and `Refusal`s.
A suggestion is applied as written or refused as a whole; nothing is guessed.  Parses no code.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from palimpsest.edits.line_edits import applied, line_map, normalised
from palimpsest.edits.reply import EditReply, WrittenEdits
from palimpsest.edits.shown import ShownBlock
from palimpsest.types import LineEdit, Reading, Refusal, Suggestion


@dataclass(frozen=True, slots=True)
class CheckedDocument:
    """A document now (`version`, `lines`), and as it was when its blocks were shown (`lines_shown`; None: unknown).

    `lines` have no line ends.
    """

    version: int
    lines: tuple[str, ...]
    lines_shown: tuple[str, ...] | None = None


class _Refused(Exception):
    """Holds the reason, worded for a person."""


def checked(reply: EditReply, shown: Mapping[str, ShownBlock], documents: Mapping[str, CheckedDocument]) -> Reading:
    """Every suggestion of a reply as an edit of the document as it is now, or its refusal.

    `documents` has every document of an editable block, by URI.  Suggestions are checked one by one: each applies to
    the document as it stands.
    """
    suggestions, refused = list[Suggestion](), list[Refusal]()
    for written in reply.written:
        try:
            found = _suggestion(written, shown, documents)
        except _Refused as reason:
            refused.append(Refusal(written.name, str(reason)))
        else:
            suggestions.append(replace(found, summary=reply.summary))
    return Reading(tuple(suggestions), tuple(refused), reply.summary)


def _suggestion(
    written: WrittenEdits, shown: Mapping[str, ShownBlock], documents: Mapping[str, CheckedDocument]
) -> Suggestion:
    block = shown.get(written.name)
    if block is None:
        raise _Refused(written.problem or f'no block named "{written.name}" was shown')
    if not block.editable or block.uri not in documents:
        raise _Refused(f'the block "{written.name}" cannot be edited')
    if written.problem:
        raise _Refused(written.problem)
    document = documents[block.uri]
    edits = normalised(document.lines, _placed(written.edits, block, document))
    result = applied(document.lines, edits)
    if result == list(document.lines):
        raise _Refused("it changes nothing")
    before = tuple(document.lines[edit.start : edit.end] for edit in edits)
    return Suggestion(block.name, block.uri, document.version, edits, before)


def _placed(edits: Sequence[LineEdit], block: ShownBlock, document: CheckedDocument) -> list[LineEdit]:
    """Edits of the document as it is now, one per line touched, because neighbouring lines of the block need not be
    neighbours in the document.  If an edit adds more lines than it replaces, the extra ones go to its last line."""
    _check_order(edits, block)
    anchors = {i: _document_line(i, block) for edit in edits for i in _touched(edit, block)}
    if len(set(anchors.values())) < len(anchors):
        raise _Refused(f'"{block.name}" shows one line of the document twice, and the suggestion changes both')
    places = _places(set(anchors.values()), block, document)
    placed = list[LineEdit]()
    for edit in edits:
        touched = _touched(edit, block)
        *first, last = (places[anchors[i]] for i in touched)
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


def _places(anchors: set[int], block: ShownBlock, document: CheckedDocument) -> dict[int, int]:
    """Where the touched lines are in the document now.  All must have moved by the same offset; otherwise the
    suggestion is refused."""
    texts = {line.document_line: line.text for line in block.lines}
    if document.version == block.version:
        places = {line: line for line in anchors if line < len(document.lines)}
    elif document.lines_shown is None:
        raise _Refused(f"the document has moved on from version {block.version}")
    else:
        known = line_map(document.lines_shown, document.lines)
        places = {line: known[line] for line in anchors if line in known}
    if set(places) != anchors or len({now - then for then, now in places.items()}) > 1:
        raise _Refused("the lines it changes have been edited since")
    if any(document.lines[now] != texts[then] for then, now in places.items()):
        raise _Refused(f'the block "{block.name}" does not show the lines as the document has them')
    return places
