"""Pure: adds a second reply to a proposal: both become one set of edits.

The reply was made on the text with the proposal applied; the result applies to the text without it.

In: the reply as checked, the documents without the proposal, what that does to them.  Out: changes of these documents.
Pure: does not know about engines or editors.
"""

from collections.abc import Mapping, Sequence

from palimpsest.edits.candidates import merged_by_document
from palimpsest.edits.line_edits import applied, line_map, normalised
from palimpsest.edits.reply import CheckedReply
from palimpsest.text.snapshot import Snapshot
from palimpsest.types import DocumentChange, LineEdit


def continued(
    reply: CheckedReply, documents: Mapping[str, Snapshot], proposed: Mapping[str, DocumentChange]
) -> CheckedReply:
    """`reply` has changes of the documents with `proposed` applied.  The result has one for each of `documents` that
    either of them changes, or none if the reply adds nothing."""
    more = merged_by_document(reply.changes)
    refused = [*reply.refused, *(refusal for _, overlapping in more.values() for refusal in overlapping)]
    changes = list[DocumentChange]()
    for uri, snapshot in documents.items() if more else ():
        first = proposed[uri].edits if uri in proposed else ()
        middle = applied(snapshot.lines, first)
        final = applied(middle, more[uri][0].edits) if uri in more else middle
        if edits := combined(first, snapshot.lines, final, middle):
            names = (more[uri][0] if uri in more else proposed[uri]).names
            changes.append(DocumentChange(uri, snapshot.version, edits, names[:1]))
    return CheckedReply(tuple(changes), tuple(refused), reply.summary)


def combined(
    first: Sequence[LineEdit], then: Sequence[str], final: Sequence[str], middle: Sequence[str]
) -> tuple[LineEdit, ...]:
    """The edits from `then` to `final`, where `first` turned `then` into `middle` and further edits turned that into
    `final`."""
    known = line_map(middle, final)
    shift, same = 0, list[tuple[int, int]]()  # lines of `then` that are in `final`, in order
    at, edits = 0, list[LineEdit]()
    for edit in [*first, LineEdit(len(then), len(then), ())]:
        same += [(line, known[line + shift]) for line in range(at, edit.start) if line + shift in known]
        at = edit.end
        shift += len(edit.lines) - (edit.end - edit.start)
    old = new = 0
    for line, place in [*same, (len(then), len(final))]:
        if place < new:
            continue
        if line > old or place > new:
            edits.append(LineEdit(old, line, tuple(final[new:place])))
        old, new = line + 1, place + 1
    return normalised(then, edits)
