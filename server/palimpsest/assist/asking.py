"""One question to the engine for edits, from the blocks shown to checked proposals.

In: a question, the document it is about (or a draft of it), blocks.  Out: proposals for the documents as they are
when the answer has come, and what was refused.  Keeps nothing.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from palimpsest import wire
from palimpsest.assist.desk import Desk
from palimpsest.assist.files import Files
from palimpsest.assist.proposals import Question
from palimpsest.context.view import CursorView
from palimpsest.engines.protocol import Engine
from palimpsest.errors import InvalidArgument
from palimpsest.suggest import selection
from palimpsest.suggest.candidates import Candidate, candidate_of, grouped
from palimpsest.suggest.check import Document, checked
from palimpsest.suggest.continued import Ground, continued
from palimpsest.suggest.formats import FORMATS
from palimpsest.suggest.reply import Reply
from palimpsest.suggest.shown import EDITING, ShownBlock, shown_blocks
from palimpsest.suggest.validate import Standing, words_of
from palimpsest.syntax.parse import language_of
from palimpsest.text.snapshot import Snapshot
from palimpsest.types import Block, Change, Proposal, Reading, Refusal

logger = logging.getLogger(__name__)

_QUOTED = re.compile(r"'.*'|\".*\"|“.*”|`.*`")
_UNFINISHED = ("length", "time")


@dataclass(frozen=True, slots=True)
class Suggested:
    """What a question for edits came to.  `snapshots` has every document that a proposal is for, as it applies to it,
    and the one that was asked about."""

    proposals: tuple[Proposal, ...]
    refused: tuple[Refusal, ...]
    summary: str
    replies: int
    snapshots: Mapping[str, Snapshot]
    question: Question


@dataclass(frozen=True)
class Draft:
    """What a proposal would make of the documents: `before` them, `changes` its part in each."""

    before: Mapping[str, Snapshot] = field(default_factory=dict)
    changes: Mapping[str, Change] = field(default_factory=dict)


class Asking:
    """One window's."""

    def __init__(self, desk: Desk, files: Files) -> None:
        self._desk = desk
        self._files = files

    async def ask(
        self,
        engine: Engine,
        question: Question,
        view: CursorView,
        blocks: Sequence[Block],
        *,
        draft: Draft | None = None,
        slot: wire.Slot = "suggestion",
    ) -> Suggested:
        """`view` is of the document asked about, with the draft's changes where there is one.

        Raises EngineError when the engine cannot answer, InvalidArgument for a selection of nothing that is shown.
        """
        desk, draft = self._desk, draft or Draft()
        instructions = await self._with_instructions(engine)
        # A model that is told the format may edit other blocks, too; a small one keeps to the editing block.
        placed = [self._files.placed(block) for block in blocks] if instructions else []
        then = self._documents(view, placed, draft)
        shown = shown_blocks(view.editing, placed, {uri: snapshot.version for uri, snapshot in then.items()})
        instruction = question.instruction
        nameable: Mapping[str, ShownBlock] = shown
        if question.lines is not None:
            numbered = FORMATS[self._format(question)].numbered
            instruction, nameable = _selected(shown, question.lines, instruction, numbered)
        request = desk.requests.suggestion(
            view,
            blocks,
            nameable.values(),
            instruction=instruction,
            instructions=instructions,
            n=question.n,
            format=question.format,
            round=question.round,
            slot=slot,
        )
        answer = await desk.generate(engine, request, blocks)
        desk.documents.get(view.uri)  # closed meanwhile: InvalidArgument says so
        return self._proposals(question, shown, then, draft, answer.choices, words_of(_texts(blocks)))

    def _documents(self, view: CursorView, blocks: Sequence[Block], draft: Draft) -> dict[str, Snapshot]:
        """Every document that may be edited, as it was shown.  One that the draft changes is shown nowhere but in the
        editing block: other blocks have its text as it is."""
        found = dict[str, Snapshot]()
        for block in blocks:
            if block.editable and block.uri is not None and block.uri not in (*found, *draft.changes):
                snapshot = self._files.now(block.uri)
                if snapshot is not None:
                    found[block.uri] = snapshot
        found[view.uri] = view.parsed.snapshot
        return found

    def _proposals(
        self,
        question: Question,
        shown: Mapping[str, ShownBlock],
        then: Mapping[str, Snapshot],
        draft: Draft,
        choices: Sequence[wire.Choice],
        words: frozenset[str],
    ) -> Suggested:
        now = {uri: found for uri in {**then, **draft.before} if (found := self._now(uri, question)) is not None}
        standing = {uri: _standing(snapshot, words) for uri, snapshot in now.items()}
        read = FORMATS[self._format(question)].read
        candidates, refused, summaries = list[Candidate | None](), list[Refusal](), list[str]()
        for choice in choices:
            reply = read(choice.text, shown)
            if question.lines is not None:
                reply = selection.within(reply, shown, question.lines)
            reading = self._reading(reply, shown, then, now, draft)
            candidate, more = candidate_of(
                reading, standing, here=question.uri, logprob=choice.logprob, cut_off=_is_cut_off(reply, choice)
            )
            candidates.append(candidate)
            refused += more
            summaries.append(reading.summary)
        proposals = grouped(candidates, standing)
        for refusal in dict.fromkeys(refused):
            logger.info("suggestion for %s refused: %s", refusal.name or "no block", without_code(refusal.reason))
        summary = next(filter(None, [*(proposal.summary for proposal in proposals), *summaries]), "")
        return Suggested(proposals, tuple(dict.fromkeys(refused)), summary, len(choices), now, question)

    def _reading(
        self,
        reply: Reply,
        shown: Mapping[str, ShownBlock],
        then: Mapping[str, Snapshot],
        now: Mapping[str, Snapshot],
        draft: Draft,
    ) -> Reading:
        """Without a draft a reply is checked against the documents as they are now; with one against the draft, and
        what it comes to in the end is carried over to now."""
        document = self._desk.document
        if not draft.changes:
            return checked(reply, shown, {uri: document(found, then[uri].lines) for uri, found in now.items()})
        drafted: dict[str, Document] = {uri: document(found, found.lines) for uri, found in then.items()}
        reading = checked(reply, shown, drafted)
        grounds = {
            uri: Ground(
                draft.before.get(uri, then.get(uri, found)).lines, draft.changes.get(uri), found.lines, found.version
            )
            for uri, found in now.items()
        }
        return continued(reading, grounds)

    def _now(self, uri: str, question: Question) -> Snapshot | None:
        return self._desk.documents.find(uri) if uri == question.uri else self._files.now(uri)

    def _format(self, question: Question) -> str:
        return question.format or self._desk.settings.suggestion.format

    async def _with_instructions(self, engine: Engine) -> bool:
        choice = self._desk.settings.suggestion.instructions
        if choice != "auto":
            return choice == "always"
        return (await engine.model()).chat_template


def without_code(reason: str) -> str:
    """A reason as it may stand in a log: what it quotes is left out."""
    return _QUOTED.sub("…", reason.partition(": ")[0])


def _selected(
    shown: Mapping[str, ShownBlock], lines: range, instruction: str, numbered: bool
) -> tuple[str, Mapping[str, ShownBlock]]:
    if not selection.selected(shown[EDITING], lines):
        raise InvalidArgument("range", "none of its lines are in the block of code at the position.")
    told = selection.told(shown[EDITING], lines, numbered=numbered)
    return f"{instruction} {told}".strip(), selection.narrowed(shown, lines)


def _standing(snapshot: Snapshot, words: frozenset[str]) -> Standing:
    return Standing(snapshot.lines, language_of(snapshot.language_id, snapshot.uri), words)


def _texts(blocks: Sequence[Block]) -> list[str]:
    return [text for block in blocks for text in (block.name, block.text)]


def _is_cut_off(reply: Reply, choice: wire.Choice) -> bool:
    """Inside a suggestion, or before the summary that would have ended it."""
    ended = all(written.complete for written in reply.written)
    return not ended or (choice.finish in _UNFINISHED and not reply.summary)
