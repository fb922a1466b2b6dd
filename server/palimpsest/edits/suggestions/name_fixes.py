"""Fixes for names that are defined nowhere: an edit that writes the name that was probably meant.

In: a request, the view it is for, the blocks shown.  Out: a reply in a model's format, or none.  Keeps nothing.

A model too small for instructions does not see what is wrong with a line; the syntax tree does, where a name is
concerned (`edits/misspelt.py`).  Where several names fit, the model chooses, as it completes a word.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from palimpsest.completions import requests
from palimpsest.context.view import CursorView
from palimpsest.edits.formats import FORMATS
from palimpsest.edits.misspelt import Slip, slips
from palimpsest.edits.shown import ShownBlock
from palimpsest.edits.suggestions.from_replies import FIX_FORMAT
from palimpsest.edits.suggestions.proposals import SuggestionRequest
from palimpsest.edits.validate import WORD, words_of
from palimpsest.providers.base.protocol import Engine
from palimpsest.text.snapshot import ContentChange, Position, Range
from palimpsest.types import Block, LineEdit
from palimpsest.window.services import Services

MOST = 4
"""Names of one reply."""


@dataclass(frozen=True, slots=True)
class NameQuery:
    """Where a name is asked for, and of whom."""

    engine: Engine
    view: CursorView
    blocks: Sequence[Block]


async def replies(services: Services, place: NameQuery, request: SuggestionRequest, block: ShownBlock) -> list[str]:
    """One that puts right all names of the editing block that can be, or none.

    Raises EngineError when the engine cannot answer.
    """
    places = {line.document_line: i for i, line in enumerate(block.lines) if line.number is not None}
    edits, corrections = dict[int, LineEdit](), list[str]()
    for slip in reversed(_slips(place, request, places.keys())):  # from the last: columns stay right
        name = await _meant(services, place, slip)
        i, at = places[slip.start.line], slip.start.column
        text = edits[i].lines[0] if i in edits else place.view.parsed.snapshot.lines[slip.start.line]
        edits[i] = LineEdit(i, i + 1, (text[:at] + name + text[at + len(slip.name) :],))
        corrections.insert(0, f"`{name}` for `{slip.name}`")
    if not edits:
        return []
    summary = f"Write {', '.join(corrections)}, which {'is' if len(corrections) == 1 else 'are'} defined nowhere."
    return [FORMATS[FIX_FORMAT].write(block, [edits[i] for i in sorted(edits)], summary)]


async def _meant(services: Services, place: NameQuery, slip: Slip) -> str:
    first, *others = slip.meant
    answer = await _ask_word(services, place, slip) if others else ""
    return answer if answer in others else first


async def _ask_word(services: Services, place: NameQuery, slip: Slip) -> str:
    """The model's word behind the first character, as if the rest were not written yet."""
    if not (await place.engine.model()).fim_layouts:
        return ""
    old, start = place.view.parsed.snapshot, slip.start
    cursor = Position(start.line, start.column + 1)
    rest = Range(cursor, Position(start.line, start.column + len(slip.name)))
    new, edits = old.changed([ContentChange(rest, "")], old.version)
    begun = services.view_of(services.parser.imagined(old, new, edits), cursor)
    asked = requests.name(services.requests, begun, place.blocks)
    answer = await services.generate(place.engine, asked, place.blocks)
    match = WORD.match(slip.name[0] + answer.choices[0].text)
    return match[0] if match else ""


def _slips(place: NameQuery, request: SuggestionRequest, document_lines: Collection[int | None]) -> list[Slip]:
    """The first few of the lines asked about.  A name that other files' blocks have may well be meant, and lack an
    import; an instruction is about something else unless it has the name."""
    view = place.view
    lines = [n for n in document_lines if n is not None and (request.lines is None or n in request.lines)]
    if not lines or view.cells_hide_names:
        return []
    asked_about = words_of([request.instruction])
    # a class at the cursor, names in scope, the last edits and what is wrong are of this document, slip and all
    elsewhere = words_of(block.text for block in place.blocks if block.uri != view.uri and block.type != "scope")
    elsewhere |= view.cell_words
    candidates = slips(view.parsed, min(lines), max(lines) + 1, view.cell_names)
    return [
        slip
        for slip in candidates
        if slip.start.line in lines and slip.name not in elsewhere and (not asked_about or slip.name in asked_about)
    ][:MOST]
