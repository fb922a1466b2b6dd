"""Candidates and proposals: what the replies to one request come to.

In: what `check.py` made of each reply, the documents before it.  Out: proposals, the most agreed on first, refusals.  A
candidate has all edits of one reply; candidates that lead to the same code are one proposal.  Pure: knows no format,
no engine and no editor.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from palimpsest.edits.validate import COMMENTS, FORMATTING, UNKNOWN, Baseline, Unfit, Validated, validated, window
from palimpsest.syntax.sameness import shape
from palimpsest.types import DocumentChange, LineEdit, Proposal, Reading, Refusal, Suggestion

CUT_OFF = "cut off"
INCOMPLETE = "incomplete: a part of it was refused"
NOTHING = "it changes nothing"
"""The one reason (`check.py`'s) that leaves nothing out."""
_LAYOUT = (FORMATTING, COMMENTS)
_DOUBTS = (CUT_OFF, INCOMPLETE, FORMATTING)


@dataclass(frozen=True, slots=True)
class Candidate:
    """One reply's edits, by document, the cursor's first.  `mends`: no reply's, but made where a name is defined
    nowhere (`misspelt.py`)."""

    parts: tuple[Validated, ...]
    summary: str
    flags: tuple[str, ...]
    logprob: float
    mends: bool = False

    @property
    def proposal(self) -> Proposal:
        return Proposal(tuple(part.change for part in self.parts), self.summary, flags=self.flags, logprob=self.logprob)


def candidate_of(
    reading: Reading, baseline: Mapping[str, Baseline], *, here: str, logprob: float = 0.0, cut_off: bool = False
) -> tuple[Candidate | None, tuple[Refusal, ...]]:
    """A reply's suggestions as one candidate, None where nothing of it may be offered, and what was refused.

    `baseline` has every document that a suggestion is for; `here` is the URI of the cursor's.  A document whose edits
    are refused as a whole leaves the others, and a flag.
    """
    refused, parts = list(reading.refused), list[Validated]()
    by_document = dict[str, list[Suggestion]]()
    for suggestion in reading.suggestions:
        by_document.setdefault(suggestion.uri, []).append(suggestion)
    for uri in sorted(by_document, key=lambda uri: uri != here):  # stable: the cursor's first, then as written
        change, overlapping = _merged(by_document[uri])
        refused += overlapping
        try:
            parts.append(validated(change, baseline[uri]))
        except Unfit as reason:
            refused.append(Refusal(change.names[0], str(reason)))
    if not parts:
        return None, tuple(refused)
    incomplete = any(refusal.reason != NOTHING for refusal in refused)
    flags = _flags(parts) + (CUT_OFF,) * cut_off + (INCOMPLETE,) * incomplete
    return Candidate(tuple(parts), reading.summary, flags, logprob), tuple(refused)


def grouped(candidates: Sequence[Candidate | None], baseline: Mapping[str, Baseline]) -> tuple[Proposal, ...]:
    """Candidates that leave the documents the same but for layout as one proposal, with the share of replies (`None`
    counts, too) that came to it; the most agreed on first, then the likelier, then the earlier.  What mends is agreed
    on: nobody was asked for anything else.

    Of a group the likeliest is given.
    """
    windows = dict[str, tuple[int, int]]()
    found = [candidate for candidate in candidates if candidate is not None]
    changes = [part.change for candidate in found for part in candidate.parts]
    for uri in {change.uri for change in changes}:
        windows[uri] = window((change for change in changes if change.uri == uri), baseline[uri].lines)
    groups = dict[object, list[Candidate]]()
    for candidate in found:
        groups.setdefault(_result(candidate, windows), []).append(candidate)
    n_replies = sum(candidate is None or not candidate.mends for candidate in candidates)
    proposals = list[Proposal]()
    for group in groups.values():
        best = max(group, key=lambda candidate: (candidate.mends, candidate.logprob))  # the first of those alike
        proposals.append(_agreed(best.proposal, 1.0 if best.mends else len(group) / n_replies))
    return tuple(sorted(proposals, key=lambda proposal: (-proposal.agreement, -proposal.logprob)))


def is_sure(proposal: Proposal, least: float) -> bool:
    """Whether it may be offered unasked: agreed on by that share of replies, whole, no mere layout, and without names
    that nobody knows."""
    doubts = any(flag in _DOUBTS or flag.startswith(UNKNOWN) for flag in proposal.flags)
    return proposal.agreement >= least and not doubts


def _agreed(proposal: Proposal, agreement: float) -> Proposal:
    return Proposal(proposal.changes, proposal.summary, agreement, proposal.flags, proposal.logprob)


def _merged(suggestions: Iterable[Suggestion]) -> tuple[DocumentChange, list[Refusal]]:
    """All edits of one document as one change; a suggestion that touches what an earlier one does is refused."""
    edits, names, refused = list[LineEdit](), list[str](), list[Refusal]()
    uri, version = "", 0
    for suggestion in suggestions:
        uri, version = suggestion.uri, suggestion.version
        if any(_overlap(edit, other) for edit in suggestion.edits for other in edits):
            refused.append(Refusal(suggestion.name, "it changes lines that another suggestion of this reply changes"))
            continue
        names.append(suggestion.name)
        edits += suggestion.edits
    edits.sort(key=lambda edit: (edit.start, edit.end))
    return DocumentChange(uri, version, tuple(edits), (), tuple(dict.fromkeys(names))), refused


def _overlap(one: LineEdit, other: LineEdit) -> bool:
    """Also two insertions at one place, whose order nobody said."""
    return (one.start < other.end and other.start < one.end) or (one.start, one.end) == (other.start, other.end)


def _flags(parts: Sequence[Validated]) -> tuple[str, ...]:
    """Those of all parts; what is layout only in one document says nothing of the whole unless it is so in all."""
    flags = dict.fromkeys(flag for part in parts for flag in part.flags)
    layout = [next((flag for flag in part.flags if flag in _LAYOUT), "") for part in parts]
    whole = "" if "" in layout else COMMENTS if COMMENTS in layout else FORMATTING
    return tuple(flag for flag in flags if flag not in _LAYOUT or flag == whole)


def _result(candidate: Candidate, windows: Mapping[str, tuple[int, int]]) -> object:
    found = list[tuple[str, tuple[str, ...]]]()
    for part in candidate.parts:
        head, tail = windows[part.change.uri]
        found.append((part.change.uri, shape(part.result, head, part.result.snapshot.line_count - tail)))
    return frozenset(found)
