"""Pure: candidates and proposals: combines the replies to one request.

In: each reply as checked, the documents before it.  Out: proposals, ordered by how many replies
agree, and refusals.  A candidate holds all edits of one reply; candidates that lead to the same code form one proposal.
Does not know about formats, engines or editors.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from palimpsest.edits.reply import CheckedReply
from palimpsest.edits.validate import COMMENTS, FORMATTING, Baseline, Unfit, Validated, validated, window
from palimpsest.syntax.sameness import shape
from palimpsest.types import DocumentChange, LineEdit, Proposal, Refusal

CUT_OFF = "cut off"
INCOMPLETE = "incomplete: a part of it was refused"
NOTHING = "it changes nothing"
"""The one reason (from `check.py`) for which nothing counts as left out."""
_LAYOUT = (FORMATTING, COMMENTS)


@dataclass(frozen=True, slots=True)
class EditCandidate:
    """One reply's edits, by document, the cursor's first.  `mends`: made for a name that is not defined anywhere
    (`misspelt.py`), not taken from a reply."""

    parts: tuple[Validated, ...]
    summary: str
    flags: tuple[str, ...]
    logprob: float
    mends: bool = False

    @property
    def proposal(self) -> Proposal:
        return Proposal(tuple(part.change for part in self.parts), self.summary, flags=self.flags, logprob=self.logprob)


def candidate_of(
    reply: CheckedReply, baseline: Mapping[str, Baseline], *, here: str, logprob: float = 0.0, cut_off: bool = False
) -> tuple[EditCandidate | None, tuple[Refusal, ...]]:
    """Combines a reply's changes into one candidate, None if none of them may be offered, and lists what was refused.

    `baseline` has every document that a change is for; `here` is the URI of the cursor's.  If all edits of one
    document are refused, the other documents are kept and the candidate is flagged.
    """
    refused, parts = list(reply.refused), list[Validated]()
    by_document = merged_by_document(reply.changes)
    for uri in sorted(by_document, key=lambda uri: uri != here):  # stable: the cursor's first, then as written
        change, overlapping = by_document[uri]
        refused += overlapping
        try:
            parts.append(validated(change, baseline[uri]))
        except Unfit as reason:
            refused.append(Refusal(change.names[0], str(reason)))
    if not parts:
        return None, tuple(refused)
    incomplete = any(refusal.reason != NOTHING for refusal in refused)
    flags = _flags(parts) + (CUT_OFF,) * cut_off + (INCOMPLETE,) * incomplete
    return EditCandidate(tuple(parts), reply.summary, flags, logprob), tuple(refused)


def grouped(candidates: Sequence[EditCandidate | None], baseline: Mapping[str, Baseline]) -> tuple[Proposal, ...]:
    """Groups candidates that leave the documents equal except for layout into one proposal each, with the share of
    replies (`None` counts too) that led to it.  Ordered by share, then probability, then position.  A candidate with
    `mends` counts as fully agreed on, since no reply was requested for it.

    Each group is represented by its most probable candidate.
    """
    windows = dict[str, tuple[int, int]]()
    offerable = [candidate for candidate in candidates if candidate is not None]
    changes = [part.change for candidate in offerable for part in candidate.parts]
    for uri in {change.uri for change in changes}:
        windows[uri] = window((change for change in changes if change.uri == uri), baseline[uri].lines)
    groups = dict[object, list[EditCandidate]]()
    for candidate in offerable:
        groups.setdefault(_result(candidate, windows), []).append(candidate)
    n_replies = sum(candidate is None or not candidate.mends for candidate in candidates)
    proposals = list[Proposal]()
    for group in groups.values():
        best = max(group, key=lambda candidate: (candidate.mends, candidate.logprob))  # the first of those alike
        agreement = 1.0 if best.mends else len(group) / n_replies
        proposals.append(replace(best.proposal, agreement=agreement))
    return tuple(sorted(proposals, key=lambda proposal: (-proposal.agreement, -proposal.logprob)))


def merged_by_document(changes: Iterable[DocumentChange]) -> dict[str, tuple[DocumentChange, list[Refusal]]]:
    """All changes of each document as one, in the order in which documents are first named; a change that overlaps an
    earlier one is refused."""
    by_uri = dict[str, list[DocumentChange]]()
    for change in changes:
        by_uri.setdefault(change.uri, []).append(change)
    return {uri: _merged(of_one) for uri, of_one in by_uri.items()}


def _merged(changes: Sequence[DocumentChange]) -> tuple[DocumentChange, list[Refusal]]:
    edits, names, refused = list[LineEdit](), list[str](), list[Refusal]()
    for change in changes:
        if any(_overlap(edit, other) for edit in change.edits for other in edits):
            refused.append(Refusal(change.names[0], "it changes lines that another suggestion of this reply changes"))
            continue
        names += change.names
        edits += change.edits
    edits.sort(key=lambda edit: (edit.start, edit.end))
    return replace(changes[0], edits=tuple(edits), names=tuple(dict.fromkeys(names))), refused


def _overlap(one: LineEdit, other: LineEdit) -> bool:
    """Whether the edits overlap.  Two insertions at one place do, since their order is not defined."""
    return (one.start < other.end and other.start < one.end) or (one.start, one.end) == (other.start, other.end)


def _flags(parts: Sequence[Validated]) -> tuple[str, ...]:
    """The flags of all parts; "layout only" is kept only if it holds for every document."""
    flags = dict.fromkeys(flag for part in parts for flag in part.flags)
    layout = [next((flag for flag in part.flags if flag in _LAYOUT), "") for part in parts]
    whole = "" if "" in layout else COMMENTS if COMMENTS in layout else FORMATTING
    return tuple(flag for flag in flags if flag not in _LAYOUT or flag == whole)


def _result(candidate: EditCandidate, windows: Mapping[str, tuple[int, int]]) -> object:
    shapes = list[tuple[str, tuple[str, ...]]]()
    for part in candidate.parts:
        head, tail = windows[part.change.uri]
        shapes.append((part.change.uri, shape(part.result, head, part.result.snapshot.line_count - tail)))
    return frozenset(shapes)
