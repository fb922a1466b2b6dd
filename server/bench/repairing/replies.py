"""Damaged functions shown to a model, and what became of its replies.

In: cases, formats, settings.  Out: `Outcome`s.  The product's own work from end to end: the view of a cursor, the
choice of blocks, the request with the format's prompt and grammar, its reader, the checks.  Only the grammar may be
left out.  The engine is a process of its own, as an editor's is.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from bench.repairing.cases import Case
from bench.repairing.outcomes import Outcome, outcome
from palimpsest import wire
from palimpsest.app import build_session
from palimpsest.config.settings import Settings
from palimpsest.context.view import CursorView
from palimpsest.edits.shown import ShownBlock, shown_blocks
from palimpsest.edits.suggestions.files import EditableFiles
from palimpsest.edits.suggestions.requests import suggestion
from palimpsest.lsp.report import Report, StatusReport
from palimpsest.text.snapshot import Snapshot
from palimpsest.types import Block
from palimpsest.window.services import Services

START_S = 300.0
ANOTHER = "\n"
"""Decoded before each request, so that it finds nothing of the one before: two formats may have the same prompt."""


@dataclass
class ReplyRun:
    """By format, in the order of cases, under its grammar and without; `told`: the model got instructions."""

    model: str = ""
    told: bool = False
    bound: dict[str, list[Outcome]] = field(default_factory=dict)
    free: dict[str, list[Outcome]] = field(default_factory=dict)


class _Nobody(Report):
    """There is no editor to tell."""

    def __init__(self) -> None:
        pass

    def show_status(self, status: StatusReport) -> None:
        pass


async def ask(
    roots: Sequence[Path],
    found: Sequence[Case],
    settings: Settings,
    formats: Sequence[str],
    grammars: Sequence[bool],
    on_reply: Callable[[], None],
) -> ReplyRun:
    """Every case in every format, with its grammar and without as `grammars` says.  Raises EngineError."""
    session = build_session(settings, tuple(roots), _Nobody())
    try:
        services = session.services
        model = await (await services.supervisor.ready(START_S)).model()
        choice = settings.suggestion.instructions
        told = choice == "always" or (choice == "auto" and model.chat_template)
        asked = ReplyRun(model.name, told)
        for case in found:
            question = await RepairPrompt.about(case, services, told)
            for bound in grammars:
                rows = asked.bound if bound else asked.free
                for name in formats:
                    rows.setdefault(name, []).append(await question.asked(name, bound))
                    on_reply()
            question.forget()
        return asked
    finally:
        await session.aclose()


@dataclass
class RepairPrompt:
    """One case, as the product sees it."""

    case: Case
    services: Services
    told: bool
    view: CursorView
    blocks: list[Block]
    shown: Mapping[str, ShownBlock]
    documents: Mapping[str, Snapshot]

    @classmethod
    async def about(cls, case: Case, services: Services, told: bool) -> RepairPrompt:
        """The damaged document is open, the sources have read what they need, and the blocks are decoded."""
        given = case.function.parsed.snapshot
        snapshot = Snapshot(given.uri, 1, given.language_id, case.text)
        services.parser.forget(given.uri)
        services.documents.put(snapshot)
        view = services.view(snapshot, case.at)
        blocks = await services.chooser.settled(view)
        files = EditableFiles(services)
        placed = [files.placed(block) for block in blocks] if told else []  # as `edits/suggestions/model.py`
        documents = {snapshot.uri: snapshot}
        for block in placed:
            if block.editable and block.uri and (there := files.now(block.uri)) is not None:
                documents[block.uri] = there
        shown = shown_blocks(view.editing, placed, {uri: there.version for uri, there in documents.items()})
        async with services.supervisor.engine(START_S) as engine:
            services.note(blocks, await engine.sync(services.requests.sync(blocks, "suggestion")))
        return cls(case, services, told, view, blocks, shown, documents)

    def forget(self) -> None:
        self.services.documents.close(self.view.uri)
        self.services.parser.forget(self.view.uri)

    async def asked(self, name: str, bound: bool) -> Outcome:
        services = self.services
        request = suggestion(
            services.requests,
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
        other = replace(request, text=wire.TextTail(ANOTHER), chat=None, max_tokens=0, grammar="", sync=None)
        async with services.supervisor.engine(START_S) as engine:
            await engine.generate(other)
            start = time.perf_counter()
            answer = await services.generate(engine, request, self.blocks)
            ms = 1000 * (time.perf_counter() - start)
        return outcome(self.case, name, answer.choices[0], self.shown, self.documents, ms)
