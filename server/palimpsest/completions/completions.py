"""Inline completions at a cursor.

In: a document and a position in it.  Out: texts to insert there, trimmed.  Owner of what is on screen and of earlier
completions.  A stale answer is never returned: it is dropped when the document has changed.

A keystroke is answered by the first of these that can: what is left of the completion on screen; an earlier completion
with the same code and blocks around it; the engine, with little time.  It is cut where it would not be sure enough.  On
a pause (`prepare`), a completion that ran out of time gets more of it; then the text that would follow is generated as
if it had been accepted.  `CompletionChanged` tells that something else is to be shown now, or that there is an engine
where there was none.
"""

import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace

from palimpsest.completions import requests
from palimpsest.completions.ghost import Ghost, Remainder
from palimpsest.completions.indentation import is_blank, missing_at, others_at
from palimpsest.completions.names import Names
from palimpsest.completions.offers import ShownCompletions
from palimpsest.completions.outcomes import Outcomes
from palimpsest.completions.query import CompletionPlace, CompletionQuery, bound_of
from palimpsest.completions.quiet import Quiet
from palimpsest.completions.repairs import grows
from palimpsest.completions.report import CompletionReport
from palimpsest.completions.results import CompletionResult, Results, together
from palimpsest.completions.steps import Steps, cut_unsure
from palimpsest.completions.sureness import Bound, Sureness
from palimpsest.context.view import CursorView
from palimpsest.errors import Cancelled, EngineError, EngineLoading
from palimpsest.syntax.parse import Parsed
from palimpsest.text.levels import indentation_of
from palimpsest.text.snapshot import ContentChange, Position, Range, Snapshot
from palimpsest.types import Block
from palimpsest.window.events import (
    CacheForgotten,
    CompletionChanged,
    CursorMoved,
    DocumentChanged,
    FeatureSwitched,
    RefreshNeeded,
    SettingsChanged,
)
from palimpsest.window.services import Services
from palimpsest.wire import GenerateRequest

OVERTAKEN = "Another completion was asked for since."


@dataclass(frozen=True, slots=True)
class Completed:
    """Alternatives for one cursor, best first, each the text to insert there; `ids` name them when the editor later
    says what became of them.  `selected`: what a menu would put in the place of a range first.  `start`: where the text
    begins, if the blanks from there to the cursor are to go.  `sure`: the probability that the first is what comes
    next, None where nobody knows."""

    snapshot: Snapshot
    position: Position
    texts: tuple[str, ...]
    ids: tuple[str, ...]
    selected: ContentChange | None = None
    start: Position | None = None
    sure: float | None = None


@dataclass(slots=True)
class _OnScreen:
    """What is shown at the cursor.  `ids` belong to the ghost's texts; `text` is what remains of the first, "" where
    there was no time for any."""

    snapshot: Snapshot
    position: Position
    text: str
    ids: tuple[str, ...]
    asked: int
    finished: bool
    reviewed: bool  # other lines were tried beside it
    wanted: int = 0  # alternatives that are still to come
    sure: Sureness = Sureness()
    followed: bool = False  # what comes after it is known


class Completions:
    """Answers what an editor asks for at a cursor, from what is on screen, from what was answered before, or by asking
    the engine."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._ghost = Ghost()
        self._results = Results(services.settings.completion.cached)
        self._screen: _OnScreen | None = None
        self._missed: tuple[Snapshot, Position] | None = None
        """Where a completion was asked for while the engine was being loaded."""
        self._n_asked = 0
        self._n_awaited = 0
        self._quiet = Quiet(services)
        self.outcomes = Outcomes(services)
        self.names = Names(services, self._quiet.admits)
        self._steps = Steps(services.parser, self._quiet, self.names)
        self.offers = ShownCompletions(services.statistics)
        services.events.on(CacheForgotten, lambda _: self._forget())
        services.events.on(FeatureSwitched, lambda _: self._forget_screen())
        services.events.on(SettingsChanged, self._settings_changed)

    def document_changed(self, event: DocumentChanged) -> None:
        self._quiet.document_changed(event)
        self.outcomes.document_changed(event)

    def _forget(self) -> None:
        """The engine or its model changed."""
        self._ghost.forget()
        self._results.forget()
        self._screen = None

    def _settings_changed(self, event: SettingsChanged) -> None:
        if "completions" in event.parts:
            self._results = Results(self._services.settings.completion.cached)
            self._forget_screen()

    def _forget_screen(self) -> None:
        """Nothing is on screen any more."""
        self._ghost.forget()
        self._screen = None

    def is_on(self, snapshot: Snapshot) -> bool:
        """Whether inline completion is on here."""
        return not self._services.why_off(snapshot)

    @property
    def is_awaited(self) -> bool:
        """Whether somebody waits for a completion."""
        return self._n_awaited > 0

    async def complete(
        self, uri: str, position: Position, *, n: int = 1, invoked: bool = False, selected: ContentChange | None = None
    ) -> Completed | None:
        """Completions at the cursor, or behind what an open menu has selected; None also where they are off.  Raises as
        `at` does, and InvalidArgument for a document that is not open."""
        snapshot, events = self._services.documents.get(uri), self._services.events
        events.emit(CursorMoved(uri, position))
        if not self.is_on(snapshot):
            return None
        self._n_awaited += 1
        try:
            if selected is not None and selected.range is not None:
                completed = await self._behind(snapshot, position, selected, selected.range, n, invoked=invoked)
            else:
                completed = await self.at(snapshot, position, n, invoked=invoked)
        finally:
            self._n_awaited -= 1
        if self._has_more:
            events.emit(RefreshNeeded(restart=False))
        return completed

    async def _behind(
        self, old: Snapshot, position: Position, selected: ContentChange, where: Range, n: int, *, invoked: bool
    ) -> Completed | None:
        """As if what is selected stood in the document, at `where`."""
        services, began = self._services, time.perf_counter()
        number = self._next()
        new, edits = old.changed([selected], old.version)
        at = new.position(old.offset(where.start) + len(selected.text))
        if not invoked and self._quiet.why_nothing(old, position, _behind_cursor(new, at)):
            return None
        blocks = await services.chooser.chosen(services.view(old, old.clamp(position), hurried=True))
        query = self._query(services.view_of(services.parser.imagined(old, new, edits), at), blocks)
        result = self._find_cached(query, n, invoked=invoked) or await self._generated(
            query, n if invoked else 0, invoked=invoked
        )
        if number != self._n_asked or services.documents.find(old.uri) is not old:
            raise Cancelled(OVERTAKEN)
        place = self._place(query, query.view.parsed, at, invoked=invoked, is_indented=True)
        result = await self._steps.taken(result, place)
        self._forget_screen()
        if not result.texts or services.documents.find(old.uri) is not old:
            return None
        ids = self.offers.give(result.texts, old.language_id, 1000 * (time.perf_counter() - began))
        self.names.remember_imports(ids, result.texts, result.imports, old.uri)
        return Completed(old, position, result.texts, ids, selected, sure=result.sure.of(result.texts[0]))

    async def at(
        self, snapshot: Snapshot, position: Position, n: int = 1, *, invoked: bool = False
    ) -> Completed | None:
        """None: nothing worth showing.  Raises EngineError when there is no engine, Cancelled where a later question
        has overtaken this one: a stale answer is never shown.

        `invoked`: a person asked explicitly and waits for more and longer ones, also in the middle of a line.
        """
        services, began = self._services, time.perf_counter()
        position = snapshot.clamp(position)
        number = self._next()

        def is_wanted() -> bool:
            """Whether the person has not typed or moved on."""
            return number == self._n_asked and services.documents.find(snapshot.uri) is snapshot

        if not invoked and self._quiet.why_nothing(snapshot, position, _behind_cursor(snapshot, position)):
            return None
        before, after = _around(snapshot, position)
        remainders, screen = self._ghost.remainders(snapshot.uri, before, after), self._screen
        if not invoked:
            remainders = [it for it in remainders if self._quiet.admits(it.text, snapshot, position)]
        if remainders and screen is not None:
            is_coming = screen.wanted >= n and screen.snapshot is snapshot and screen.position == position
            is_enough = screen.asked >= n and not self._wants_review(screen.reviewed, invoked)
            if is_coming or is_enough:
                return self._typed_along(screen, snapshot, position, remainders)

        with services.usage.spent("blocks"):
            indentation = missing_at(services.parser.hurried(snapshot), position, asked=invoked)
            query = await self._query_behind(indentation, snapshot, position)
            result = self._find_cached(query, n, invoked=invoked)
        wanted = n if result is None and invoked else 0  # the first of them now
        if result is None and is_wanted():
            result = await self._generated_or_only(query, invoked, snapshot, position)
        if result is None or not is_wanted():
            raise Cancelled(OVERTAKEN)
        result = result.behind(await self._written(indentation, snapshot))
        if invoked and not wanted:
            result = await self._with_others(result, snapshot, position, indentation)
        place = self._place(
            query, services.parser.hurried(snapshot), position, invoked=invoked, is_indented=bool(indentation)
        )
        result = await self._steps.taken(result, place)
        if wanted and not result.texts and result.has_engine and is_wanted():
            result = await self._generated(query, wanted)
            result = result.behind(await self._written(indentation, snapshot))
            result = await self._with_others(result, snapshot, position, indentation, self._generated)
            result = await self._steps.taken(result, place)
            wanted = 0
        if not is_wanted():
            raise Cancelled(OVERTAKEN)
        self._ghost.show(snapshot.uri, before, after, result.texts)
        ms = 1000 * (time.perf_counter() - began)
        ids = self.offers.give(result.texts, snapshot.language_id, ms)
        self.names.remember_imports(ids, result.texts, result.imports, snapshot.uri)
        first = result.texts[0] if result.texts else ""
        finished = result.finished or invoked
        self._screen = _OnScreen(
            snapshot, position, first, ids, result.asked, finished, result.reviewed, wanted, result.sure
        )
        sure = result.sure.of(first)
        if result.start is not None:  # what is typed next stands elsewhere
            self._forget_screen()
        elif not invoked:
            self.outcomes.watch(snapshot, position, first, sure)
        if not result.texts:
            return None
        return Completed(snapshot, position, result.texts, ids, start=result.start, sure=sure)

    async def explain(self, uri: str, position: Position, *, invoked: bool) -> CompletionReport:
        """What would be shown at a cursor, and what each step makes of the answer.

        Shows and counts nothing; the engine is asked as on a pause.  Raises as `prepare` does, and InvalidArgument for
        a document that is not open.
        """
        services, snapshot = self._services, self._services.documents.get(uri)
        position, off = snapshot.clamp(position), services.why_off(snapshot)
        if not off and not invoked:
            off = self._quiet.why_nothing(snapshot, position, _behind_cursor(snapshot, position))
        if off:
            return CompletionReport(invoked, why_nothing=off)
        parsed = services.parser.hurried(snapshot)
        indentation = missing_at(parsed, position, asked=invoked)
        query = await self._query_behind(indentation, snapshot, position)
        n = services.settings.completion.n if invoked else 0
        result = self._find_cached(query, max(n, 1), invoked=invoked) or await self._ahead(query, n)
        result = result.behind(await self._written(indentation, snapshot))
        place = self._place(query, parsed, position, invoked=invoked, is_indented=bool(indentation))
        return CompletionReport(invoked, await self._steps.taken(result, place))

    def _place(
        self, query: CompletionQuery, document: Parsed, position: Position, *, invoked: bool, is_indented: bool
    ) -> CompletionPlace:
        confidence = self._services.settings.completion.confidence
        return CompletionPlace(query, document, position, invoked, confidence, is_indented)

    def _bound(self, query: CompletionQuery, *, invoked: bool) -> Bound:
        """How sure what is shown must be."""
        return bound_of(self._services.settings.completion.confidence, query, invoked=invoked)

    def _next(self) -> int:
        """The number of what is asked now: a higher one has overtaken it."""
        self._n_asked += 1
        self._missed = None
        return self._n_asked

    def _wants_review(self, reviewed: bool, invoked: bool) -> bool:
        return invoked and not reviewed and requests.n_lines(self._services) > 0

    def _find_cached(self, query: CompletionQuery, n: int, *, invoked: bool) -> CompletionResult | None:
        """An earlier answer that will do."""
        result = self._results.find(query.place, query.prefix, n)
        if result is None or self._wants_review(result.reviewed, invoked):
            return None
        if result.is_unsure and (invoked or not cut_unsure(result, query, self._bound(query, invoked=False)).texts):
            return None  # there is more of it, or may be by now
        return result

    def _typed_along(
        self, screen: _OnScreen, snapshot: Snapshot, position: Position, remainders: Sequence[Remainder]
    ) -> Completed:
        """What is left of the completion on screen; nothing is decoded."""
        texts, ids = tuple(it.text for it in remainders), tuple(screen.ids[it.index] for it in remainders)
        for id, text in zip(ids, texts, strict=True):
            self.offers.set_rest(id, text)
        first = remainders[0].text if remainders[0].index == 0 else ""
        followed = screen.followed if first else True  # the first says something else: no more is made of it
        finished = screen.finished if first else True
        sure = screen.sure.behind(screen.text[: len(screen.text) - len(first)]) if first else Sureness()
        wanted = screen.wanted if snapshot is screen.snapshot else 0  # who types on has chosen
        self._screen = replace(
            screen, snapshot=snapshot, position=position, text=first, finished=finished, wanted=wanted,
            followed=followed, sure=sure,
        )  # fmt: skip
        return Completed(snapshot, position, texts, ids, sure=sure.of(first))

    async def _query_behind(self, text: str, old: Snapshot, position: Position) -> CompletionQuery:
        """As if a text stood at the cursor; the blocks are those for the document as it is."""
        services = self._services
        view = services.view(old, position, hurried=True)
        blocks = await services.chooser.chosen(view)
        if not text:
            names = await self.names.standing(view, old, position) if requests.word_search(services.requests) else ()
            return self._query(view, blocks, names)
        new, edits = old.changed([ContentChange(Range(position, position), text)], old.version)
        at = new.position(old.offset(position) + len(text))
        return self._query(services.view_of(services.parser.imagined(old, new, edits), at), blocks)

    def _query(self, view: CursorView, blocks: Sequence[Block], names: tuple[str, ...] = ()) -> CompletionQuery:
        model, options = self._services.supervisor.status.model, self._services.settings.completion
        return CompletionQuery(view, blocks, options.multiline, model.name if model else "", names)

    async def _level(self, query: CompletionQuery) -> str | None:
        """As the document is, not as it would be with what was imagined in it."""
        snapshot = query.view.parsed.snapshot
        return await self._services.levels.of(self._services.documents.find(snapshot.uri) or snapshot)

    async def _generated_or_only(
        self, query: CompletionQuery, invoked: bool, snapshot: Snapshot, position: Position
    ) -> CompletionResult:
        """The engine's answer; none where there is no engine, but the code says how the name goes on."""
        try:
            return await self._generated(query, invoked=invoked)
        except Cancelled:
            raise
        except EngineError as error:
            if isinstance(error, EngineLoading):  # after a failure it would fail again
                self._missed = snapshot, position
            if not await self.names.only(query.view, snapshot, position):
                raise
            return CompletionResult((), has_engine=False)

    async def _generated(self, query: CompletionQuery, n: int = 0, *, invoked: bool = True) -> CompletionResult:
        """The engine's answer: the first, soon, or `n` that a person asked for."""
        services = self._services
        request = self._request(query, query.blocks, n, first=not n, invoked=invoked)
        async with services.supervisor.engine() as engine:
            answer = await services.generate(engine, request, query.blocks)
        result = replace(query.result(answer, max(n, 1), await self._level(query)), reviewed=n > 0)
        if answer.sync is not None and any(report.action == "deferred" for report in answer.sync.blocks):
            services.events.emit(RefreshNeeded())  # it was made without some blocks: with them it may be another one
        else:
            self._results.put(query.place, query.prefix, result)
        return result

    def _request(
        self, query: CompletionQuery, blocks: Sequence[Block], n: int, *, first: bool, invoked: bool
    ) -> GenerateRequest:
        """`n`: alternatives that a person asked for, 0 for one."""
        services = self._services
        return requests.completion(
            services.requests,
            query.view,
            blocks,
            query.multiline,
            max(n, 1),
            first=first,
            calibration=self.outcomes.calibration,
            bound=self._bound(query, invoked=invoked),
            review=requests.n_lines(services) if n else 0,
            names=query.names,
        )

    # Behind what is on screen ---------------------------------------------------------------------------------

    @property
    def _has_more(self) -> bool:
        """Whether there is something for `prepare` to do."""
        screen = self._screen
        return screen is not None and (screen.wanted > 0 or not screen.finished or self._may_follow(screen))

    async def prepare(self, snapshot: Snapshot, position: Position) -> None:
        """On a pause at a cursor: the others that were asked for, or more of the completion on screen there, then what
        would follow it.

        Raises EngineError; Cancelled where typing goes first.
        """
        if self._missed == (snapshot, position):
            self._missed = None
            self._forget_screen()  # what the code alone says
            self._services.events.emit(CompletionChanged(snapshot, position))
        while (screen := self._screen) is not None and screen.snapshot is snapshot and screen.position == position:
            if not self.offers.are_open(screen.ids):
                return
            if screen.wanted:
                await self._widen(screen)
            elif not screen.finished:
                await self._lengthen(screen)
            elif self._may_follow(screen):
                await self._follow(screen)
            else:
                return

    async def _widen(self, screen: _OnScreen) -> None:
        """Ask for all of it and for others, the one that the code behind the cursor chose first; what is on screen
        stays among them."""
        n, screen.wanted = screen.wanted, 0
        result = await self._asked_again(screen, n)
        if self._screen is not screen:
            return
        screen.asked, screen.reviewed = n, True
        first = next((text for text in result.texts if grows(screen.text, text)), screen.text)
        texts = [text for text in dict.fromkeys([*result.texts, first]) if text]
        if texts == [screen.text] or not texts:
            return
        ids = self.offers.give(texts, screen.snapshot.language_id, -1, instead=bool(screen.ids))
        self._show(screen, texts, ids, result)

    async def _lengthen(self, screen: _OnScreen) -> None:
        """Ask again with more time; the engine goes on from what it said."""
        result = await self._asked_again(screen)
        screen.finished = True
        if self._screen is not screen or not result.texts or result.texts[0] == screen.text:
            return
        first = result.texts[0]
        if not screen.text:
            ids = self.offers.give([first], screen.snapshot.language_id, -1)
            self._show(screen, [first], ids, result)
        elif grows(screen.text, first):  # with newer blocks it may say something else
            remainders = self._ghost.remainders(screen.snapshot.uri, *_around(screen.snapshot, screen.position))
            others = [it for it in remainders if it.index and it.text != first]
            ids = (screen.ids[0], *(screen.ids[it.index] for it in others))
            self._show(screen, [first, *(it.text for it in others)], ids, result)

    async def _asked_again(self, screen: _OnScreen, n: int = 0) -> CompletionResult:
        """With time, for a completion that is on screen; what the answer is worth showing of.
        `n`: alternatives that a person asked for."""
        services, snapshot, position = self._services, screen.snapshot, screen.position
        indentation = missing_at(services.parser.hurried(snapshot), position, asked=n > 0)
        if screen.text and is_blank(snapshot, position):
            indentation = indentation_of(screen.text)
        query = await self._query_behind(indentation, snapshot, position)
        result = (await self._ahead(query, n)).behind(await self._written(indentation, snapshot))
        if n:
            result = await self._with_others(result, snapshot, position, indentation, self._ahead)
        parsed = services.parser.hurried(snapshot)
        place = self._place(query, parsed, position, invoked=n > 0, is_indented=bool(indentation))
        result = await self._steps.taken(result, place)
        if result.start is not None:  # that would be another place
            result = replace(result, texts=())
        return result

    async def _with_others(
        self,
        result: CompletionResult,
        snapshot: Snapshot,
        position: Position,
        indentation: str,
        ask: Callable[[CompletionQuery, int], Awaitable[CompletionResult]] | None = None,
    ) -> CompletionResult:
        """An answer that begins with an indentation, and those for the others that an empty line may have, as far as
        they are known or `ask` finds them."""
        results = [result]
        for other in others_at(self._services.parser.hurried(snapshot), position, indentation):
            query = await self._query_behind(other, snapshot, position)
            known = self._find_cached(query, result.asked, invoked=True)
            if known is None and ask is not None:
                known = await ask(query, result.asked)
            results += [known.behind(other)] if known is not None else []
        return together(results)

    async def _written(self, indentation: str, snapshot: Snapshot) -> str:
        """As the document's files have it."""
        return indentation and (await self._services.levels.of(snapshot) or indentation)

    def _show(self, screen: _OnScreen, texts: Sequence[str], ids: tuple[str, ...], result: CompletionResult) -> None:
        """Texts of a result, from now on, at the same place."""
        snapshot, position = screen.snapshot, screen.position
        self.names.remember_imports(ids, texts, result.imports, snapshot.uri)
        self._screen = replace(screen, text=texts[0], ids=ids, sure=result.sure)
        self._ghost.show(snapshot.uri, *_around(snapshot, position), texts)
        self._services.events.emit(CompletionChanged(snapshot, position))

    def _may_follow(self, screen: _OnScreen) -> bool:
        """Only where the cache is our own: elsewhere it would cost what the next keystroke finds."""
        model = self._services.supervisor.status.model
        ahead = self._services.settings.completion.ahead and model is not None and model.in_place
        return ahead and bool(screen.text) and not screen.followed

    async def _follow(self, screen: _OnScreen) -> None:
        """Ask for what comes after the completion on screen, as if it were in the document."""
        query = await self._query_behind(screen.text, screen.snapshot, screen.position)
        if self._results.find(query.place, query.prefix) is None:
            await self._ahead(query, last=False)
        screen.followed = True

    async def _ahead(self, query: CompletionQuery, n: int = 0, *, last: bool = True) -> CompletionResult:
        """With time.  `n`: alternatives that a person asked for, however sure they are; `last`: none gets more time."""
        services = self._services
        engine = await services.supervisor.ready()
        request = self._request(query, (), n, first=False, invoked=n > 0)
        request = requests.completion_ahead(services.requests, request, query.blocks)
        answer = await engine.generate(request)
        if answer.sync is not None:
            services.note(query.blocks, answer.sync)
        services.usage.warmed(answer)
        result = query.result(answer, max(n, 1), await self._level(query))
        result = replace(result, finished=last or result.finished, reviewed=n > 0)
        self._results.put(query.place, query.prefix, result)
        return result


def _behind_cursor(snapshot: Snapshot, position: Position) -> str:
    return snapshot.lines[position.line][position.column :]


def _around(snapshot: Snapshot, position: Position) -> tuple[str, str]:
    offset = snapshot.offset(position)
    return snapshot.text[:offset], snapshot.text[offset:]
