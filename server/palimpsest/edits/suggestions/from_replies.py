"""From replies to proposals: parsed, checked, ranked, and moved to the documents as they are now.

In: the request with what was shown, the engine's choices.  Out: proposals for the current documents, and refusals.
Keeps nothing.
"""

import asyncio
import logging
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from palimpsest import wire
from palimpsest.edits import selection
from palimpsest.edits.candidates import EditCandidate, candidate_of, grouped
from palimpsest.edits.check import checked
from palimpsest.edits.continued import continued
from palimpsest.edits.formats import FORMATS
from palimpsest.edits.rebased import MovedOn, moved
from palimpsest.edits.reply import EditReply
from palimpsest.edits.shown import ShownBlock
from palimpsest.edits.suggestions.files import EditableFiles
from palimpsest.edits.suggestions.proposals import SuggestionRequest
from palimpsest.edits.validate import Baseline
from palimpsest.languages.registry import language_of
from palimpsest.text.snapshot import Snapshot
from palimpsest.types import DocumentChange, Proposal, Refusal
from palimpsest.window.services import Services

logger = logging.getLogger(__name__)

_QUOTED = re.compile(r"'.*'|\".*\"|“.*”|`.*`")
_UNFINISHED = ("length", "time")
FIX_FORMAT = "ln-diff"
MOVED_ON = "the lines it changes have been edited since"


@dataclass(frozen=True, slots=True)
class Suggested:
    """What a question for edits came to.  `snapshots` has every document that a proposal is for, as it applies to it,
    and the one that was asked about."""

    proposals: tuple[Proposal, ...]
    refused: tuple[Refusal, ...]
    summary: str
    snapshots: Mapping[str, Snapshot]
    request: SuggestionRequest


@dataclass(frozen=True)
class Draft:
    """What a proposal would make of the documents: `before` them, `changes` its part in each."""

    before: Mapping[str, Snapshot] = field(default_factory=dict)
    changes: Mapping[str, DocumentChange] = field(default_factory=dict)


@dataclass(frozen=True)
class SuggestionPrompt:
    """A question as it was put: the blocks shown, the documents `then`, with the draft's changes, and all words of the
    blocks and of the cells before it in a notebook.  `hides_names`: one of these imports whatever a module has."""

    request: SuggestionRequest
    shown: Mapping[str, ShownBlock]
    then: Mapping[str, Snapshot]
    draft: Draft
    words: frozenset[str]
    hides_names: bool = False


async def ranked(
    services: Services,
    files: EditableFiles,
    prompt: SuggestionPrompt,
    choices: Sequence[wire.Choice],
    fixes: Sequence[str] = (),
) -> Suggested:
    """Everything that the choices come to, and replies of ours (`name_fixes.py`), which are in `FIX_FORMAT`.
    Whoever types goes first: between two of them the loop is let go.

    Raises InvalidArgument when the document asked about has been closed."""
    request = prompt.request
    before = {**prompt.then, **prompt.draft.before}  # what proposals are made for
    baseline = {uri: _baseline(snapshot, prompt) for uri, snapshot in before.items()}
    lines = {uri: snapshot.lines for uri, snapshot in prompt.then.items()}
    format = request.format or services.settings.suggestion.format
    candidates, refused, summaries = list[EditCandidate | None](), list[Refusal](), list[str]()
    for choice, is_fix in [(wire.Choice(text, "end", 0), True) for text in fixes] + [(c, False) for c in choices]:
        reply = FORMATS[FIX_FORMAT if is_fix else format].read(choice.text, prompt.shown)
        if request.lines is not None:
            reply = selection.within(reply, prompt.shown, request.lines)
        result = checked(reply, prompt.shown, lines)
        if prompt.draft.changes:
            result = continued(result, before, prompt.draft.changes)
        candidate, more = candidate_of(
            result, baseline, here=request.uri, logprob=choice.logprob, cut_off=_is_cut_off(reply, choice)
        )
        if not is_fix:
            candidates.append(candidate)
        elif candidate is not None:
            candidates.append(replace(candidate, mends=True))
        refused += more
        summaries.append(result.summary)
        await asyncio.sleep(0)
    services.documents.get(request.uri)  # closed meanwhile: InvalidArgument says so
    latest = {uri: it for uri in before if (it := files.seen(uri, request.uri))}
    proposals = list[Proposal]()
    for proposal in grouped(candidates, baseline):
        try:
            newer = moved(proposal, before, latest)
        except MovedOn:
            refused.append(Refusal(proposal.changes[0].names[0], MOVED_ON))
            continue
        proposals.append(await _indented(services, newer, latest))
    refused = list(dict.fromkeys(refused))
    for refusal in refused:
        logger.info("suggestion for %s refused: %s", refusal.name or "no block", without_code(refusal.reason))
    summary = next(filter(None, [*(proposal.summary for proposal in proposals), *summaries]), "")
    return Suggested(tuple(proposals), tuple(refused), summary, latest, request)


def without_code(reason: str) -> str:
    """A reason as it may stand in a log: what it quotes is left out."""
    return _QUOTED.sub("…", reason.partition(": ")[0])


async def _indented(services: Services, proposal: Proposal, latest: Mapping[str, Snapshot]) -> Proposal:
    changes = [await services.levels.applied(change, latest[change.uri]) for change in proposal.changes]
    return replace(proposal, changes=tuple(changes))


def _baseline(snapshot: Snapshot, prompt: SuggestionPrompt) -> Baseline:
    hides_names = prompt.hides_names and snapshot.uri == prompt.request.uri
    return Baseline(snapshot.lines, language_of(snapshot.language_id, snapshot.uri), prompt.words, hides_names)


def _is_cut_off(reply: EditReply, choice: wire.Choice) -> bool:
    """Inside a suggestion, or before the summary that would have ended it."""
    ended = all(written.complete for written in reply.written)
    return not ended or (choice.finish in _UNFINISHED and not reply.summary)
