"""The part of a next edit that only a model can write: a new argument's value.

In: places with a gap.  Out: complete places.  Answers are checked like any suggestion; nothing is
requested where completions are off or while the model is still loading.
"""

import logging
from dataclasses import replace

from palimpsest.completions.requests import completion
from palimpsest.errors import PalimpsestError
from palimpsest.next_edits.changes import Site
from palimpsest.next_edits.targets import File
from palimpsest.syntax.calls import first_argument
from palimpsest.syntax.parse import parse_snapshot
from palimpsest.text.markup import unescape_closing
from palimpsest.text.snapshot import Snapshot
from palimpsest.window.services import Services

logger = logging.getLogger(__name__)

VALUE_TOKENS = 24
VALUES = 3
"""Asked for; the first that is an argument is taken."""


class NextEditModel:
    """Keeps nothing."""

    def __init__(self, services: Services) -> None:
        self._services = services

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


def utf8_text(data: bytes) -> str:
    return data.decode("utf-8", "surrogatepass")


def applied(snapshot: Snapshot, place: Site) -> str:
    """The text of a document with a place followed."""
    start = len(utf8_text(snapshot.utf8[: place.start]))
    end = start + len(utf8_text(snapshot.utf8[place.start : place.end]))
    return snapshot.text[:start] + place.text + snapshot.text[end:]
