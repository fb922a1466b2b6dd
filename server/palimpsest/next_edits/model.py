"""The part of a next edit that only a model can write: a new argument's value, or the same change in similar code.

In: places with a gap, bursts of edits.  Out: complete places.  Answers are checked like any suggestion; nothing is
requested where completions are off or while the model is still loading.
"""

from __future__ import annotations

import logging
from dataclasses import replace

from palimpsest.completions.requests import completion
from palimpsest.edits.suggestions.suggestions import Suggestions
from palimpsest.errors import PalimpsestError
from palimpsest.next_edits.changes import Site
from palimpsest.next_edits.related import RelatedLine
from palimpsest.next_edits.targets import File
from palimpsest.syntax.calls import first_argument
from palimpsest.syntax.parse import parse_snapshot
from palimpsest.text.markup import unescape_closing
from palimpsest.text.positions import utf8
from palimpsest.text.snapshot import Position, Snapshot
from palimpsest.types import LineEdit
from palimpsest.window.services import Services

logger = logging.getLogger(__name__)

VALUE_TOKENS = 24
VALUES = 3
"""Asked for; the first that is an argument is taken."""


class NextEditModel:
    """Keeps nothing."""

    def __init__(self, services: Services, suggestions: Suggestions) -> None:
        self._services = services
        self._suggestions = suggestions

    def may_ask(self, snapshot: Snapshot) -> bool:
        services = self._services
        ready = services.supervisor.status.state == "ready"
        return services.settings.next_edit.ask and ready and not services.why_off(snapshot)

    async def filled(self, file: File, place: Site) -> Site | None:
        """The place with a value in its hole; None where the model has none to offer."""
        services, now = self._services, file.parsed.snapshot
        model = services.supervisor.status.model
        if place.hole is None or model is None or not model.fim_layout:
            return None
        # The parameter's name says what is looked for, also where the value is given by its place alone.
        lead = place.text[: place.hole]
        name = file.parsed.language.by_name(place.wants, "") or ""
        named = lead if lead.endswith(name) else lead + name
        imagined = replace(now, text=applied(now, replace(place, text=named + place.text[place.hole :])))
        at = len(utf8_text(now.utf8[: place.start])) + len(named)
        view = services.view_of(parse_snapshot(imagined, file.parsed.language), imagined.position(at))
        request = replace(
            completion(services.requests, view, (), multiline=False, n=VALUES),
            slot="suggestion",
            sync=None,
            max_tokens=VALUE_TOKENS,
            replace=f"{services.workspace}:nextEdit",
        )
        try:
            async with services.supervisor.engine() as engine:
                answer = await services.generate(engine, request, ())
        except PalimpsestError as error:
            logger.info("no value for a next edit: %s", error)
            return None
        for choice in answer.choices:
            text = unescape_closing(choice.text, "editing").lstrip()
            value = first_argument(text, file.parsed.language)
            if value:
                return replace(place, text=lead + value + place.text[place.hole :], hole=None)
        return None

    async def alike(self, snapshot: Snapshot, about: RelatedLine) -> Site | None:
        """The first edit of the model's around the related line, or None where it has none worth offering."""
        try:
            suggested = await self._suggestions.at(
                snapshot.uri, Position(about.line, 0), instruction=about.instruction, give=False
            )
        except PalimpsestError as error:
            logger.info("no next edit by the model: %s", error)
            return None
        for proposal in self._suggestions.worth_offering(suggested):
            for change in proposal.changes:
                if change.uri == snapshot.uri and change.version == snapshot.version and change.edits:
                    return _place(snapshot, change.edits[0], proposal.summary)
        return None


def utf8_text(data: bytes) -> str:
    return data.decode("utf-8", "surrogatepass")


def applied(snapshot: Snapshot, place: Site) -> str:
    """The text of a document with a place followed."""
    start = len(utf8_text(snapshot.utf8[: place.start]))
    end = start + len(utf8_text(snapshot.utf8[place.start : place.end]))
    return snapshot.text[:start] + place.text + snapshot.text[end:]


def _place(snapshot: Snapshot, edit: LineEdit, summary: str) -> Site | None:
    """A line edit as a place; None for one at the end of a document that has no line to hold on to."""
    if edit.end >= snapshot.line_count:
        return None
    start, end = (snapshot.offset(Position(line, 0)) for line in (edit.start, edit.end))
    text = "".join(f"{line}{snapshot.line_end}" for line in edit.lines)
    first = len(utf8(snapshot.text[:start]))
    before = snapshot.text[start:end]
    return Site(snapshot.uri, first, first + len(utf8(before)), before, text, "model", summary or "the same change")
