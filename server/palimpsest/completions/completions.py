"""Inline completions at a cursor.

In: a document and a position in it.  Out: texts to insert there, trimmed.  Owner of what is on screen and of earlier
completions.  A stale answer is never returned: it is dropped when the document has changed.

A keystroke is answered by the first of these that can: what is left of the completion on screen; an earlier completion
with the same code and blocks around it; the engine, with little time.  On a pause (`prepare`), a completion that ran
out of time gets more of it; other lines are tried beside it, once for a place and before anything of it is typed; then
the text that would follow is generated as if it had been accepted.  `CompletionChanged` tells that something else is to
be shown now, or that there is an engine where there was none.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from palimpsest import wire
from palimpsest.completions import requests
from palimpsest.completions.fitting import fitting, placed
from palimpsest.completions.ghost import Ghost, Left
from palimpsest.completions.indentation import is_blank, missing_at
from palimpsest.completions.inline import has_behind
from palimpsest.completions.learning import Learning, Seen
from palimpsest.completions.names import Names
from palimpsest.completions.offers import Offers
from palimpsest.completions.query import CompletionQuery
from palimpsest.completions.quiet import Quiet
from palimpsest.completions.repairs import grows
from palimpsest.completions.requests import Reviewing
from palimpsest.completions.results import Result, Results
from palimpsest.context.view import CursorView
from palimpsest.errors import Cancelled, EngineError, EngineLoading
from palimpsest.text.levels import indentation_of
from palimpsest.text.snapshot import ContentChange, Position, Range, Snapshot
from palimpsest.types import Block
from palimpsest.window.events import (
    CacheForgotten,
    CompletionChanged,
    CursorMoved,
    FeatureSwitched,
    RefreshNeeded,
    SettingsChanged,
)
from palimpsest.window.services import Services

OVERTAKEN = "Another completion was asked for since."


@dataclass(frozen=True, slots=True)
class Completed:
    """Alternatives for one cursor, best first, each the text to insert there; `ids` name them when the editor later
    says what became of them.  `selected`: what a menu would put in the place of a range first.  `start`: where the text
    begins, if the blanks from there to the cursor are to go."""

    snapshot: Snapshot
    position: Position
    texts: tuple[str, ...]
    ids: tuple[str, ...]
    selected: ContentChange | None = None
    start: Position | None = None


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
    reviewed: bool  # other lines were tried beside it, or it is too late for that
    unsure: bool = False  # there was one that the model was not sure enough of
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
        self.document_changed = self._quiet.document_changed
        self.names = Names(services, self._quiet.admits)
        self._reviewing = Reviewing(services)
        self.learning = Learning(services)
        self.offers = Offers(services.statistics, self.learning)
        services.events.on(CacheForgotten, lambda _: self._forget())
        services.events.on(FeatureSwitched, lambda _: self._forget_screen())
        services.events.on(SettingsChanged, self._settings_changed)

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
        if not invoked and (
            self._quiet.is_due(old, position)
            or has_behind(new.lines[at.line][at.column :], services.settings.completion.max_suffix)
        ):
            return None
        blocks = await services.chooser.chosen(services.view(old, old.clamp(position), hurried=True))
        query = self._query(services.view_of(services.parser.imagined(old, new, edits), at), blocks)
        result = self._found(query, n, invoked=invoked) or await self._generated(query, n, invoked)
        if number != self._n_asked or services.documents.find(old.uri) is not old:
            raise Cancelled(OVERTAKEN)
        result = fitting(services.parser, query.view.parsed, at, result)
        if not invoked:
            result = self._quiet.worth(result, new, at)
        result = await self.names.worth(result, query, new, at, invoked=invoked)
        self._forget_screen()
        if not result.texts or services.documents.find(old.uri) is not old:
            return None
        ids = self.offers.give(result.texts, old.language_id, 1000 * (time.perf_counter() - began), _seen(query))
        self.names.given(ids, result.texts, old.uri)
        return Completed(old, position, result.texts, ids, selected)

    async def at(
        self, snapshot: Snapshot, position: Position, n: int = 1, *, invoked: bool = False
    ) -> Completed | None:
        """None: nothing worth showing.  Raises EngineError when there is no engine, Cancelled where a later question
        has overtaken this one: a stale answer is never shown.

        `invoked`: a person asked explicitly and waits for more and longer ones, also in the middle of a line.
        """
        services, began, options = self._services, time.perf_counter(), self._services.settings.completion
        position = snapshot.clamp(position)
        number = self._next()

        def is_wanted() -> bool:
            """Whether the person has not typed or moved on."""
            return number == self._n_asked and services.documents.find(snapshot.uri) is snapshot

        if not invoked and (
            self._quiet.is_due(snapshot, position)
            or has_behind(snapshot.lines[position.line][position.column :], options.max_suffix)
        ):
            return None
        before, after = _around(snapshot, position)
        left, screen = self._ghost.remainders(snapshot.uri, before, after), self._screen
        if not invoked:
            left = [it for it in left if self._quiet.admits(it.text, snapshot, position)]
        if left and screen is not None and screen.asked >= n and not self._wants_review(screen.reviewed, invoked):
            return self._typed_along(screen, snapshot, position, left)

        with services.usage.spent("blocks"):
            indentation = missing_at(services.parser.hurried(snapshot), position, asked=invoked)
            query = await self._query_behind(indentation, snapshot, position)
            result = self._found(query, n, invoked=invoked)
        if result is None and is_wanted():
            result = await self._generated_or_only(query, n, invoked, snapshot, position)
        if result is None or not is_wanted():
            raise Cancelled(OVERTAKEN)
        missing = indentation and (await services.levels.of(snapshot) or indentation)
        result, start = placed(services.parser, services.parser.hurried(snapshot), position, result, missing)
        unsure = not invoked and bool(result.texts) and not self._quiet.is_sure(result)
        if not invoked:
            result = self._quiet.worth(result, snapshot, position)
        result = await self.names.worth(result, query, snapshot, position, invoked=invoked)
        if not is_wanted():
            raise Cancelled(OVERTAKEN)
        self._ghost.show(snapshot.uri, before, after, result.texts)
        ms = 1000 * (time.perf_counter() - began)
        ids = self.offers.give(result.texts, snapshot.language_id, ms, _seen(query))
        self.names.given(ids, result.texts, snapshot.uri)
        first = result.texts[0] if result.texts else ""
        finished = result.finished or invoked
        self._screen = _OnScreen(snapshot, position, first, ids, result.asked, finished, result.reviewed, unsure)
        if start != position:  # what is typed next stands elsewhere
            self._forget_screen()
        return Completed(snapshot, position, result.texts, ids, start=start) if result.texts else None

    def _next(self) -> int:
        """The number of what is asked now: a higher one has overtaken it."""
        self._n_asked += 1
        self._missed = None
        return self._n_asked

    def _wants_review(self, reviewed: bool, invoked: bool) -> bool:
        return invoked and not reviewed and bool(self._reviewing.n_lines("asked"))

    def _found(self, query: CompletionQuery, n: int, *, invoked: bool) -> Result | None:
        """An earlier answer that will do."""
        result = self._results.find(query.place, query.prefix, n)
        return None if result is not None and self._wants_review(result.reviewed, invoked) else result

    def _typed_along(
        self, screen: _OnScreen, snapshot: Snapshot, position: Position, left: Sequence[Left]
    ) -> Completed:
        """What is left of the completion on screen; nothing is decoded."""
        texts, ids = tuple(it.text for it in left), tuple(screen.ids[it.index] for it in left)
        for id, text in zip(ids, texts, strict=True):
            self.offers.left(id, text)
        first = left[0].text if left[0].index == 0 else ""
        followed = screen.followed if first else True  # the first says something else: no more is made of it
        finished = screen.finished if first else True
        reviewed = screen.reviewed or snapshot is not screen.snapshot  # what a person has begun to type stays
        self._screen = replace(
            screen, snapshot=snapshot, position=position, text=first, finished=finished, reviewed=reviewed,
            followed=followed,
        )  # fmt: skip
        return Completed(snapshot, position, texts, ids)

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
        self, query: CompletionQuery, n: int, invoked: bool, snapshot: Snapshot, position: Position
    ) -> Result:
        """The engine's answer; none where there is no engine, but the code says how the name goes on."""
        try:
            return await self._generated(query, n, invoked)
        except Cancelled:
            raise
        except EngineError as error:
            if isinstance(error, EngineLoading):  # after a failure it would fail again
                self._missed = snapshot, position
            if not await self.names.only(query.view, snapshot, position):
                raise
            return Result((), n)

    async def _generated(self, query: CompletionQuery, n: int, invoked: bool) -> Result:
        """The engine's answer."""
        services = self._services
        n_lines = self._reviewing.n_lines("asked" if invoked else "typing")
        request = requests.completion(
            services.requests,
            query.view,
            query.blocks,
            query.multiline,
            n,
            first=not invoked,
            review=n_lines,
            names=query.names,
        )
        async with services.supervisor.engine() as engine:
            answer = await services.generate(engine, request, query.blocks)
        self._reviewing.note(answer)
        result = replace(query.result(answer, n, await self._level(query)), reviewed=n_lines > 0)
        if answer.sync is not None and any(report.action == "deferred" for report in answer.sync.blocks):
            services.events.emit(RefreshNeeded())  # it was made without some blocks: with them it may be another one
        else:
            self._results.put(query.place, query.prefix, result)
        return result

    # Behind what is on screen ---------------------------------------------------------------------------------

    @property
    def _has_more(self) -> bool:
        """Whether there is something for `prepare` to do."""
        screen = self._screen
        return screen is not None and (not screen.finished or self._may_review(screen) or self._may_follow(screen))

    async def prepare(self, snapshot: Snapshot, position: Position) -> None:
        """On a pause at a cursor: more of the completion on screen there, a better one, then what would follow it.

        Raises EngineError; Cancelled where typing goes first.
        """
        if self._missed == (snapshot, position):
            self._missed = None
            self._forget_screen()  # what the code alone says
            self._services.events.emit(CompletionChanged(snapshot, position))
        while (screen := self._screen) is not None and screen.snapshot is snapshot and screen.position == position:
            if not self.offers.are_open(screen.ids):
                return
            if not screen.finished:
                await self._lengthen(screen)
            elif self._may_review(screen):
                await self._review(screen)
            elif self._may_follow(screen):
                await self._follow(screen)
            else:
                return

    async def _lengthen(self, screen: _OnScreen) -> None:
        """Ask again with more time; the engine goes on from what it said."""
        result, seen = await self._asked_again(screen, 0)
        screen.finished = True
        if self._screen is screen and result.texts and grows(screen.text, result.texts[0]):
            self._show_first(screen, result, seen)  # with newer blocks it may say something else: what is there stays

    def _may_review(self, screen: _OnScreen) -> bool:
        is_there = bool(screen.text) or screen.unsure
        return not screen.reviewed and is_there and bool(self._reviewing.n_lines("pause"))

    async def _review(self, screen: _OnScreen) -> None:
        """Let the code behind the cursor choose between what is on screen, or was not sure enough for that, and other
        lines."""
        result, seen = await self._asked_again(screen, self._reviewing.n_lines("pause"))
        screen.reviewed = True
        if self._screen is screen and result.texts and (result.chosen or not screen.text):
            self._show_first(screen, result, seen)

    async def _asked_again(self, screen: _OnScreen, n_lines: int) -> tuple[Result, Seen]:
        """With time, for a completion that is on screen; what the answer is worth showing of, and what it was asked
        with."""
        snapshot, position = screen.snapshot, screen.position
        indentation = missing_at(self._services.parser.hurried(snapshot), position, asked=False)
        if screen.text and is_blank(snapshot, position):
            indentation = indentation_of(screen.text)
        query = await self._query_behind(indentation, snapshot, position)
        answer = await self._ahead(query, n_lines)
        result = query.result(answer, screen.asked if n_lines else 1, await self._level(query))
        result = replace(result, finished=True, reviewed=n_lines > 0)
        self._results.put(query.place, query.prefix, result)
        result = result.behind(indentation)
        result = fitting(self._services.parser, self._services.parser.hurried(snapshot), position, result)
        result = self._quiet.worth(result, snapshot, position)
        result = await self.names.worth(result, query, snapshot, position, invoked=False)
        return result, _seen(query)

    def _show_first(self, screen: _OnScreen, result: Result, seen: Seen) -> None:
        """In front of what is on screen, as more of it or instead of it."""
        snapshot, position, first = screen.snapshot, screen.position, result.texts[0]
        if first == screen.text:
            return
        before, after = _around(snapshot, position)
        is_more = grows(screen.text, first)
        others = [
            it
            for it in self._ghost.remainders(snapshot.uri, before, after)
            if it.text != first and (it.index or not is_more)
        ]
        ids = screen.ids[:1] if is_more else ()
        if not ids:
            ids = self.offers.give([first], snapshot.language_id, -1, seen, instead=bool(screen.ids))
        self.names.given(ids, [first], snapshot.uri)
        self._screen = replace(screen, text=first, ids=(*ids, *(screen.ids[it.index] for it in others)))
        self._ghost.show(snapshot.uri, before, after, [first, *(it.text for it in others)])
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
            result = query.result(await self._ahead(query, 0), 1, await self._level(query))
            self._results.put(query.place, query.prefix, result)
        screen.followed = True

    async def _ahead(self, query: CompletionQuery, n_lines: int) -> wire.GenerateAnswer:
        services = self._services
        engine = await services.supervisor.ready()
        request = requests.completion_ahead(
            services.requests, query.view, query.blocks, query.multiline, review=n_lines, names=query.names
        )
        answer = await engine.generate(request)
        self._reviewing.note(answer)
        if answer.sync is not None:
            services.note(query.blocks, answer.sync)
        services.usage.warmed(answer)
        return answer


def _seen(query: CompletionQuery) -> Seen:
    view = query.view
    line = view.parsed.snapshot.lines[view.position.line]
    return Seen(query.blocks, view.editing.text, line[: view.position.column])


def _around(snapshot: Snapshot, position: Position) -> tuple[str, str]:
    offset = snapshot.offset(position)
    return snapshot.text[:offset], snapshot.text[offset:]
