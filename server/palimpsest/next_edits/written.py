"""The next edits that a model made for them writes (`next_edit.model`): when it is asked, and what is held of it.

In: requests, what the editor says of documents, what becomes of what was offered.  Out: one edit, or why there is none.
Owner of the edit that is held, of the question that is under way and of the one asked ahead, and of what is let be for
a while.

What was given out holds while the person types what it says (`held.py`): it keeps its id, and the model is not asked
again.  While a person sees one, what follows it is asked in the background.
"""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from math import inf

from palimpsest.languages.embedded import parsed_at
from palimpsest.next_edits.changes import Site
from palimpsest.next_edits.events import EditEvent
from palimpsest.next_edits.formats.diffs import OffsetEdit
from palimpsest.next_edits.held import HeldEdit, extends
from palimpsest.next_edits.newest import NewestTask
from palimpsest.next_edits.offered import Offered, OfferedNextEdits, Point
from palimpsest.next_edits.policy import is_blank
from palimpsest.next_edits.writer import OF_NO_USE, NextEditWriter, as_one, clusters, parsed_alone
from palimpsest.syntax.indentation import is_worse
from palimpsest.syntax.parse import Parsed, parse_text
from palimpsest.syntax.prose import prose_at
from palimpsest.text.positions import utf8
from palimpsest.text.snapshot import Position, Snapshot
from palimpsest.window.events import DocumentChanged, DocumentClosed, WindowClosing
from palimpsest.window.services import Services

logger = logging.getLogger(__name__)

COOL_S = 5.0
"""So long the model is not asked again about a line that it had nothing for, nor anywhere after a rejection."""
OVERTAKEN = "something newer was typed or asked"


@dataclass(frozen=True, slots=True)
class _Answer:
    """An edit of a text, with the lines that the model looked at, or why there is none."""

    edit: OffsetEdit | None = None
    window: range = range(0)
    why_not: str = ""
    is_answer: bool = True


@dataclass(slots=True)
class _Held:
    """`made_for` is the document that it was written for, `window` the lines there that the model looked at; `rest` is
    what makes the same of the document as it is now."""

    offered: Offered
    edit: HeldEdit
    made_for: Snapshot
    window: range
    rest: OffsetEdit

    def is_about(self, here: Snapshot, position: Position) -> bool:
        window, grown = self.window, here.line_count - self.made_for.line_count
        return self.made_for.uri == here.uri and window.start <= position.line < window.stop + grown


@dataclass(frozen=True, slots=True)
class _Ahead:
    """What is asked before it is wanted: about a document with the held edit made, the cursor behind it."""

    made: Snapshot
    position: Position
    task: asyncio.Task[_Answer]


class ModelEdits:
    """`offers` are the window's; `clock`: seconds that only go on."""

    def __init__(self, services: Services, offers: OfferedNextEdits, clock: Callable[[], float]) -> None:
        self._services, self._offers, self._clock = services, offers, clock
        self._writer = NextEditWriter(services)
        self._asking = NewestTask[_Answer]()
        self._held: _Held | None = None
        self._ahead: _Ahead | None = None
        self._made: tuple[Offered, Position] | None = None
        """The edit whose result is there now, unless its fate is known, and where it ends."""
        self._nothing_for = dict[tuple[str, int], float]()
        self._rejected = -inf
        self.why_not = ""
        """Why the last request was given nothing, while a model is set."""
        events = services.events
        events.on(DocumentClosed, lambda event: self._forget(event.uri))
        events.on(WindowClosing, lambda _: self._forget())

    # What happens ---------------------------------------------------------------------------------------------

    def document_changed(self, event: DocumentChanged) -> None:
        self._writer.document_changed(event)
        uri, text, held = event.new.uri, event.new.text, self._held
        self._asking.drop(lambda about: about[0] == uri)
        self._nothing_for = {line: at for line, at in self._nothing_for.items() if line[0] != uri}
        if held is not None and held.made_for.uri == uri:
            rest = held.edit.remaining(text)
            if rest is not None and rest.is_nothing:
                end = event.new.position(len(held.edit.above) + len(held.edit.new))
                self._made = held.offered, end
            if rest is None or rest.is_nothing:
                self._held = None
            else:
                held.rest = rest
        ahead = self._ahead
        if ahead is not None and ahead.made.uri == uri and self._held is None and ahead.made.text != text:
            self._drop_ahead()

    def mark_shown(self, identity: str) -> None:
        """The person sees it: what follows is asked ahead, once."""
        held = self._held
        here = None if held is None else self._services.documents.find(held.made_for.uri)
        if held is None or here is None or held.offered.id != identity or self._ahead is not None:
            return
        made = replace(here, text=held.edit.result, version=here.version + 1)
        position = made.position(len(held.edit.above) + len(held.edit.new))
        event = EditEvent(here, made, "accepted", is_open=True)
        self._ahead = _Ahead(made, position, asyncio.create_task(self._written(made, position, event)))

    def accepted(self, identity: str) -> Position | None:
        """Where an edit ends that has just been made, if it is the one that was held."""
        made = self._made
        if self._held is not None and self._held.offered.id == identity:
            self._held = None
        if made is None or made[0].id != identity:
            return None
        self._made = None
        return made[1]

    def typed(self) -> Offered | None:
        """An edit that is made, and nobody says that it was accepted: the person has typed it.  Told once."""
        made, self._made = self._made, None
        return None if made is None else made[0]

    def rejected(self, identity: str) -> None:
        self._rejected = self._clock()
        held = self._held
        if held is None or held.offered.id != identity:
            return
        self._held = None
        self._drop_ahead()
        here = self._services.documents.find(held.made_for.uri)
        rest = None if here is None else self._new(here, held.rest, held.window)
        if rest is not None and rest.offered.id != identity:  # of several lines, of which the first are typed
            self._offers.settle(rest.offered.id, "dismissed")

    def nothing(self, why: str) -> Offered | None:
        """A request is given nothing, for this reason."""
        if why not in (self.why_not, self._writer.last_problem):
            logger.info("no next edit: %s", why)
        self.why_not = why
        return None

    # What is offered ------------------------------------------------------------------------------------------

    async def next(self, here: Snapshot, position: Position, *, invoked: bool) -> Offered | None:
        """What is held, was asked ahead, or the model writes now.  `invoked`: a person asks for it."""
        services = self._services
        if not services.settings.next_edit.model:
            self.why_not = ""
            return None
        if services.documents.find(here.uri) is not here:
            return self.nothing(OVERTAKEN)
        if not services.roots.may_edit(here.uri):
            return self.nothing("none in files outside of the workspace")
        if not invoked and (reason := self._why_quiet(here, position)):
            return self.nothing(reason)
        held = self._held
        if held is not None and held.is_about(here, position):
            return self._given(held, here)
        answer = await self._asked_ahead(here, position)
        if answer is None:
            if not invoked and (reason := self._why_cool(here, position)):
                return self.nothing(reason)
            about = here.uri, here.text, position.line
            answer = await self._asking.ask(about, lambda: self._written(here, position))
        if answer is None or services.documents.find(here.uri) is not here:
            return self.nothing(OVERTAKEN)
        return self._settled(here, position, answer)

    def _settled(self, here: Snapshot, position: Position, answer: _Answer) -> Offered | None:
        newer = None if answer.edit is None else self._new(here, answer.edit, answer.window)
        if newer is None:
            if answer.is_answer:
                self._nothing_for[here.uri, position.line] = self._clock()
            return self.nothing(answer.why_not or "it was accepted or dismissed before")
        held = self._held
        if held is not None and held.made_for.uri == here.uri and not _may_replace(here, newer.rest, held.rest):
            return self._given(held, here)
        if held is None or newer.edit.result != held.edit.result:
            self._drop_ahead()
        self._held = newer
        return self._given(newer, here)

    def _why_quiet(self, here: Snapshot, position: Position) -> str:
        services = self._services
        if services.activity.origins.newest.get(here.uri) == "undone":
            return "none after undo or redo, until something is typed"
        quiet_in = services.settings.completion.quiet_in
        if quiet_in and (prose := prose_at(parsed_at(services.parser.hurried(here), position), position)) in quiet_in:
            return f"none in {prose} (completion.quiet_in)"
        return ""

    def _why_cool(self, here: Snapshot, position: Position) -> str:
        now = self._clock()
        if now - self._rejected < COOL_S:
            return f"one was dismissed less than {COOL_S:.0f} seconds ago"
        at = self._nothing_for.get((here.uri, position.line))
        if at is not None and now - at < COOL_S:
            return f"the model had nothing for this line less than {COOL_S:.0f} seconds ago"
        return ""

    async def _asked_ahead(self, here: Snapshot, position: Position) -> _Answer | None:
        """What was asked about this text before it was there; what was asked about another one only takes time."""
        ahead = self._ahead
        if ahead is None:
            return None
        is_it = ahead.made.uri == here.uri and ahead.made.text == here.text and ahead.position.line == position.line
        if not is_it:
            self._drop_ahead()
            return None
        await asyncio.wait([ahead.task])
        if self._ahead is ahead:
            self._ahead = None
        return None if ahead.task.cancelled() or not ahead.task.result().is_answer else ahead.task.result()

    async def _written(self, here: Snapshot, position: Position, made: EditEvent | None = None) -> _Answer:
        """The first of the edits that says something, with those next to it; all of them where that alone brings a
        syntax error."""
        services = self._services
        if made is None and services.documents.find(here.uri) is not here:
            return _Answer(why_not="something newer was typed", is_answer=False)
        written = await self._writer.write(here, position, made)
        if not written.edits:
            return _Answer(why_not=written.why_not, is_answer=written.is_answer)
        parsed = services.parser.parse(here) if made is None else await asyncio.to_thread(parsed_alone, here)
        near = next((edits for edits in clusters(here, written.edits) if not is_blank(here.text, edits)), written.edits)
        for edits in (near, written.edits):
            edit = as_one(here.text, edits)
            text = edit.applied(here.text)
            if services.activity.origins.had(here.uri, text):
                return _Answer(why_not=f"{OF_NO_USE}: it brings back an earlier text")
            if await asyncio.to_thread(_is_sound, parsed, text):
                return _Answer(edit, written.window)
        return _Answer(why_not=f"{OF_NO_USE}: it brings new syntax errors")

    def _new(self, here: Snapshot, edit: OffsetEdit, window: range) -> _Held | None:
        """The edit as one that is offered; None where the person has settled it before."""
        held = HeldEdit.of(here.text, edit)
        place, point = _place(here, edit), (here.position(edit.start).line, 0)
        about = _lines(held)
        if not self._offers.may_offer(about, place, point):
            return None
        return _Held(self._offers.give(about, place, point), held, here, window, edit)

    def _given(self, held: _Held, here: Snapshot) -> Offered:
        self.why_not = ""
        point: Point = (held.made_for.position(len(held.edit.above)).line, 0)
        held.offered = self._offers.update(held.offered, _place(here, held.rest), point)
        return held.offered

    def _drop_ahead(self) -> None:
        if self._ahead is not None:
            self._ahead.task.cancel()
            self._ahead = None

    def _forget(self, uri: str = "") -> None:
        """All that is about a document, or about any."""
        self._asking.drop(lambda about: uri in ("", about[0]))
        self._made = None
        if self._held is not None and uri in ("", self._held.made_for.uri):
            self._held = None
        if self._ahead is not None and uri in ("", self._ahead.made.uri):
            self._drop_ahead()
        self._nothing_for = {line: at for line, at in self._nothing_for.items() if uri not in ("", line[0])}


def _may_replace(here: Snapshot, newer: OffsetEdit, held: OffsetEdit) -> bool:
    """Whether one that is true goes for another one: the same and more, or one for a place that the person went to."""
    (first, last), (other, end) = (
        (here.position(edit.start).line, here.position(edit.end).line) for edit in (newer, held)
    )
    return extends(newer, held) or last < other or end < first


def _lines(edit: HeldEdit) -> str:
    """The lines that an edit makes, by which it is known again however much of it is typed."""
    start = edit.above.rfind("\n") + 1
    return f"{edit.above[start:]}{edit.new}{edit.below.partition(chr(10))[0]}"


def _place(here: Snapshot, edit: OffsetEdit) -> Site:
    first, before = len(utf8(here.text[: edit.start])), here.text[edit.start : edit.end]
    return Site(here.uri, first, first + len(utf8(before)), before, edit.text, "model", "what comes next")


def _is_sound(parsed: Parsed, text: str) -> bool:
    return not is_worse(parse_text(text, parsed.language), parsed)
