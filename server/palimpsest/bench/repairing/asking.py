"""Damaged functions shown to a model, and what became of its replies.

In: cases, formats, settings.  Out: `Outcome`s.  The product's own work from end to end: the view of a cursor, the
choice of blocks, the request with the format's prompt and grammar, its reader, the checks.  Only the grammar may be left
out.  The engine is a process of its own, as an editor's is.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from palimpsest import wire
from palimpsest.app import build_session
from palimpsest.assist.desk import Desk
from palimpsest.assist.files import Files
from palimpsest.bench.repairing.cases import Case
from palimpsest.context.view import CursorView
from palimpsest.lsp.report import Report, Status
from palimpsest.settings import Settings
from palimpsest.suggest.check import checked
from palimpsest.suggest.edits import applied
from palimpsest.suggest.formats import FORMATS
from palimpsest.suggest.reply import Reply
from palimpsest.suggest.shown import ShownBlock, shown_blocks
from palimpsest.syntax.parse import parse_text
from palimpsest.text.snapshot import Snapshot
from palimpsest.types import Block

START_S = 300.0


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one reply.

    `well_formed`: what there is of it can be read, and edits what was shown; one that the token limit cut off
    (`is_cut`) is not malformed by that.  `applied`: an edit of it passes the checks.  `unchanged`: it says the text
    as it is.  `parses`: the document has no syntax errors that it did not have before the damage.  `repaired`: it is
    what it was before the damage.  `tokens` were generated in `ms`.
    """

    kind: str
    well_formed: bool
    is_cut: bool
    applied: bool
    unchanged: bool
    parses: bool
    repaired: bool
    tokens: int
    ms: float


@dataclass
class Asked:
    """By format, in the order of cases, under its grammar and without; `told`: the model got instructions."""

    model: str = ""
    told: bool = False
    bound: dict[str, list[Outcome]] = field(default_factory=dict)
    free: dict[str, list[Outcome]] = field(default_factory=dict)


class _Nobody(Report):
    """There is no editor to tell."""

    def __init__(self) -> None:
        pass

    def show_status(self, status: Status) -> None:
        pass


async def ask(
    roots: Sequence[Path],
    found: Sequence[Case],
    settings: Settings,
    formats: Sequence[str],
    grammars: Sequence[bool],
    on_reply: Callable[[], None],
) -> Asked:
    """Every case in every format, with its grammar and without as `grammars` says.  Raises EngineError."""
    session = build_session(settings, tuple(roots), _Nobody())
    try:
        desk = session.desk
        model = await (await desk.supervisor.ready(START_S)).model()
        choice = settings.suggestion.instructions
        told = choice == "always" or (choice == "auto" and model.chat_template)
        asked = Asked(model.name, told)
        for case in found:
            question = await Question.about(case, desk, told)
            for name in formats:
                for bound in grammars:
                    rows = asked.bound if bound else asked.free
                    rows.setdefault(name, []).append(await question.asked(name, bound))
                    on_reply()
            question.forget()
        return asked
    finally:
        await session.aclose()


@dataclass
class Question:
    """One case, as the product sees it."""

    case: Case
    desk: Desk
    told: bool
    view: CursorView
    blocks: list[Block]
    shown: Mapping[str, ShownBlock]
    documents: Mapping[str, Snapshot]

    @classmethod
    async def about(cls, case: Case, desk: Desk, told: bool) -> Question:
        """The damaged document is open, and the sources have read what they need."""
        given = case.function.parsed.snapshot
        snapshot = Snapshot(given.uri, 1, given.language_id, case.text)
        desk.parser.forget(given.uri)
        desk.documents.put(snapshot)
        view = desk.view(snapshot, case.at)
        blocks = await desk.chooser.settled(view)
        files = Files(desk)
        placed = [files.placed(block) for block in blocks] if told else []  # as `assist/asking.py`
        documents = {snapshot.uri: snapshot}
        for block in placed:
            if block.editable and block.uri and (there := files.now(block.uri)) is not None:
                documents[block.uri] = there
        shown = shown_blocks(view.editing, placed, {uri: there.version for uri, there in documents.items()})
        return cls(case, desk, told, view, blocks, shown, documents)

    def forget(self) -> None:
        self.desk.documents.close(self.view.uri)
        self.desk.parser.forget(self.view.uri)

    async def asked(self, name: str, bound: bool) -> Outcome:
        desk = self.desk
        request = desk.requests.suggestion(
            self.view,
            self.blocks,
            self.shown.values(),
            instruction="",
            instructions=self.told,
            n=1,
            format=name,
        )
        if not bound:
            request = replace(request, grammar="")
        start = time.perf_counter()
        async with desk.supervisor.engine(START_S) as engine:
            answer = await desk.generate(engine, request, self.blocks)
        ms = 1000 * (time.perf_counter() - start)
        return self.outcome(FORMATS[name].read(answer.choices[0].text, self.shown), answer.choices[0], ms)

    def outcome(self, reply: Reply, choice: wire.Choice, ms: float) -> Outcome:
        is_cut = choice.finish in ("length", "time")
        documents = {uri: self.desk.document(found, found.lines) for uri, found in self.documents.items()}
        reading = checked(reply, self.shown, documents)
        here = self.documents[self.view.uri]
        edits = [edit for s in reading.suggestions[:1] if s.uri == here.uri for edit in s.edits]
        lines = applied(here.lines, edits)
        original = self.case.function.parsed
        n_errors = parse_text("\n".join(lines), original.language).n_errors
        return Outcome(
            kind=self.case.damage.kind,
            well_formed=is_well_formed(reply, self.shown, is_cut),
            is_cut=is_cut,
            applied=bool(reading.suggestions),
            unchanged=any(refusal.reason == "it changes nothing" for refusal in reading.refused),
            parses=n_errors <= original.n_errors,
            repaired=lines == list(original.snapshot.lines),
            tokens=choice.tokens,
            ms=ms,
        )


def is_well_formed(reply: Reply, shown: Mapping[str, ShownBlock], is_cut: bool) -> bool:
    """Something is edited, only blocks that were shown, and nothing in it cannot be read but for its end."""
    return bool(reply.written) and all(
        written.name in shown and (not written.problem or (is_cut and not written.complete))
        for written in reply.written
    )
