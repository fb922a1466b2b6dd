"""From a reply's line operations to edits that can be applied, or the reason why not.

In: what `lndiff.read` read, the blocks shown, the documents then and now.  Out: a `Reading` of `Suggestion`s and
`Refusal`s.  Nothing is guessed: a suggestion is applied as written or refused whole.  This room parses no code
itself (`Document.count_errors` is injected) and knows no editor.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from palimpsest.suggest.edits import applied, line_map, normalised
from palimpsest.suggest.lndiff import Operation, Reply, Written
from palimpsest.suggest.shown import ShownBlock
from palimpsest.types import LineEdit, Reading, Refusal, Suggestion


@dataclass(frozen=True, slots=True)
class Document:
    """A document now (`version`, `lines`), and as it was when its blocks were shown (`lines_shown`; None: unknown).

    `lines` have no line ends.  `count_errors` counts the syntax errors of a whole text whose lines are joined by a
    newline; it must be pure.
    """

    version: int
    lines: tuple[str, ...]
    count_errors: Callable[[str], int]
    lines_shown: tuple[str, ...] | None = None


class _Refused(Exception):
    """The reason, fit for a person."""


def checked(reply: Reply, shown: Mapping[str, ShownBlock], documents: Mapping[str, Document]) -> Reading:
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


def agreed(readings: Sequence[Reading]) -> Reading:
    """Several replies to one question as one: equal edits once, with the share of replies that make them, the most
    agreed on first.  The summary is that of the reply whose edit comes first."""
    makers, first = dict[object, set[int]](), dict[object, Suggestion]()
    for i, reading in enumerate(readings):
        for suggestion in reading.suggestions:
            key = (suggestion.uri, suggestion.edits)
            makers.setdefault(key, set()).add(i)
            first.setdefault(key, suggestion)
    shares = [replace(found, agreement=len(makers[key]) / len(readings)) for key, found in first.items()]
    shares.sort(key=lambda suggestion: -suggestion.agreement)  # stable: earlier replies first
    refused = tuple(dict.fromkeys(refusal for reading in readings for refusal in reading.refused))
    summaries = [s.summary for s in shares] + [reading.summary for reading in readings]
    return Reading(tuple(shares), refused, next(filter(None, summaries), ""))


def _suggestion(written: Written, shown: Mapping[str, ShownBlock], documents: Mapping[str, Document]) -> Suggestion:
    if written.problem:
        raise _Refused(written.problem)
    block = shown.get(written.name)
    if block is None:
        raise _Refused(f'no block named "{written.name}" was shown')
    if not block.editable or block.uri not in documents:
        raise _Refused(f'the block "{written.name}" cannot be edited')
    document = documents[block.uri]
    _check_numbers(written.operations, block)
    edits = normalised(document.lines, _placed(written.operations, block, document))
    result = applied(document.lines, edits)
    if result == list(document.lines):
        raise _Refused("it changes nothing")
    _check_syntax(result, document)
    before = tuple(document.lines[edit.start : edit.end] for edit in edits)
    return Suggestion(block.name, block.uri, document.version, edits, before)


def _check_numbers(operations: Iterable[Operation], block: ShownBlock) -> None:
    numbers = set(block.numbers)
    kinds = dict[int, str]()
    for operation in operations:
        if operation.number not in numbers and not (operation.number == 0 and operation.kind == "insert"):
            raise _Refused(f'line {operation.number} of "{block.name}" was not shown')
        if operation.kind != "insert" and kinds.setdefault(operation.number, operation.kind) != operation.kind:
            raise _Refused(f'line {operation.number} of "{block.name}" is both replaced and deleted')


def _placed(operations: Sequence[Operation], block: ShownBlock, document: Document) -> list[LineEdit]:
    """One edit per touched line of the document as it is now; an insertion stands right after its line."""
    touched = dict[int, list[Operation]]()
    for operation in operations:
        touched.setdefault(operation.number, []).append(operation)
    anchors = {number: _document_line(number, block) for number in touched}
    numbered = [anchor for number, anchor in anchors.items() if number]
    if len(set(numbered)) < len(numbered):
        raise _Refused(f'"{block.name}" shows one line of the document twice, and the suggestion changes both')
    places = _places(set(anchors.values()), block, document)
    edits = list[LineEdit]()
    for number, line_operations in sorted(touched.items(), key=lambda item: (anchors[item[0]], item[0] > 0)):
        line = places[anchors[number]]
        inserted = tuple(o.text for o in line_operations if o.kind == "insert")
        change = next((o for o in line_operations if o.kind != "insert"), None)
        if number == 0:
            edits.append(LineEdit(line, line, inserted))
        elif change is None:
            edits.append(LineEdit(line + 1, line + 1, inserted))
        else:
            kept = (change.text,) if change.kind == "replace" else ()
            edits.append(LineEdit(line, line + 1, kept + inserted))
    return edits


def _document_line(number: int, block: ShownBlock) -> int:
    """The line of the document as shown; of the first line there is one for, where `number` is 0."""
    if number == 0:
        found = next((line.document_line for line in block.lines if line.document_line is not None), None)
    else:
        line = block.at(number)
        found = line.document_line if line else None
    if found is None:
        raise _Refused(f'line {number} of "{block.name}" stands for no line of the document')
    return found


def _places(anchors: set[int], block: ShownBlock, document: Document) -> dict[int, int]:
    """Where the lines touched are in the document now: all shifted by one offset, or the suggestion is refused."""
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


def _check_syntax(result: Sequence[str], document: Document) -> None:
    before = document.count_errors("\n".join(document.lines))
    after = document.count_errors("\n".join(result))
    if after > before:
        errors = "syntax error" if after == 1 else "syntax errors"
        raise _Refused(f"it would leave {after} {errors} where there were {before or 'none'}")
