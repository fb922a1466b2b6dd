"""Fixes for slips: of the changes that would put one right, the one that makes the code much likelier to the model.

In: a request, the view it is for, the blocks shown.  Out: a reply in a model's format, or none.  Keeps nothing.

A small model seldom writes what mends a line, but tells well which of two lines somebody meant (the noisy channel of
spelling correction: Kernighan, Church and Gale 1990, https://aclanthology.org/C90-2036/).
"""

import logging
import re
from collections.abc import Sequence

from palimpsest.edits.formats import FORMATS
from palimpsest.edits.line_fixes import LineFix, line_fixes, words_around
from palimpsest.edits.shown import ShownBlock
from palimpsest.edits.suggestions.from_replies import FIX_FORMAT
from palimpsest.edits.suggestions.name_fixes import NameQuery
from palimpsest.edits.suggestions.proposals import SuggestionRequest
from palimpsest.edits.suggestions.requests import scores
from palimpsest.errors import ContextTooLarge
from palimpsest.providers.base.protocol import Scores
from palimpsest.syntax.tokens import errors_between
from palimpsest.types import LineEdit
from palimpsest.window.services import Services

logger = logging.getLogger(__name__)

LEAST_GAIN = 5.0
"""Nats.  With it 64 and 71 of 120 functions broken in one place are mended by models of 9 M and 135 M parameters, 2 and
none wrongly, and 1 of them is changed where nothing is broken (docs/measurements.md, "Slips")."""
LEAST_IF_BROKEN = 0.0
"""What code that does not parse may lack needs to be only this much likelier: there is something wrong in it."""
ASKS = re.compile(r"\b(?:bugs?|correct|fix|mend|mistakes?|repair|slips?|typos?|wrong)\b", re.IGNORECASE)
"""What an instruction says that this may answer."""


async def replies(services: Services, place: NameQuery, request: SuggestionRequest, block: ShownBlock) -> list[str]:
    """One with the change of a line that the code gains most by, or none.

    Raises EngineError when the engine cannot answer.
    """
    engine = place.engine
    if not isinstance(engine, Scores) or not (await engine.model()).in_place:
        return []
    fixes = _fixes(place, request, block)
    if not fixes:
        return []
    asked = scores(services.requests, place.view, place.blocks, fixes)
    try:
        answer = await services.score(engine, asked, place.blocks)
    except ContextTooLarge as error:  # the replies may still fit
        logger.info("slips were not looked for: %s", error)
        return []
    likely = [
        (gain, -i)
        for i, (gain, fix) in enumerate(zip(answer.gains, fixes, strict=True))
        if gain >= (LEAST_IF_BROKEN if fix.completes else LEAST_GAIN)
    ]
    if not likely:
        return []
    best = fixes[-max(likely)[1]]
    edit = LineEdit(best.index, best.index + 1, best.instead)
    return [FORMATS[FIX_FORMAT].write(block, [edit], best.summary)]


def _fixes(place: NameQuery, request: SuggestionRequest, block: ShownBlock) -> Sequence[LineFix]:
    """Of the lines asked about."""
    if request.round or (request.instruction and not ASKS.search(request.instruction)):
        return ()
    view, texts = place.view, [line.text for line in block.lines]
    wanted = {
        i
        for i, line in enumerate(block.lines)
        if line.number is not None
        and line.document_line is not None
        and (request.lines is None or line.document_line in request.lines)
    }
    document_lines = [line.document_line for line in block.lines if line.document_line is not None]
    is_broken = bool(document_lines) and errors_between(view.parsed, min(document_lines), max(document_lines) + 1) > 0
    around = words_around([*texts, *(block.text for block in place.blocks)])
    return line_fixes(texts, around, among=wanted, is_broken=is_broken)
