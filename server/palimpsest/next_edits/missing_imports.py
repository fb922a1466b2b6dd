"""Imports that what was just written needs.

In: the text before the last edits and the document as it is.  Out: sites of imports.  A name counts if the document did
not have it before, neither the document nor its language defines it, and other files of the workspace agree what to
import for it.
"""

import asyncio
import re
from collections.abc import Iterator

from palimpsest.context.sources.name_lookup import Exported
from palimpsest.errors import InvalidArgument
from palimpsest.next_edits.changes import MissingImport, Site
from palimpsest.next_edits.targets import File
from palimpsest.syntax.import_places import import_edits
from palimpsest.syntax.naming import unexplained
from palimpsest.syntax.parse import Parsed
from palimpsest.syntax.values import Import
from palimpsest.text.positions import utf8
from palimpsest.text.snapshot import Position, Snapshot
from palimpsest.window.services import Services

WAIT_S = 0.3
"""This is how long a next edit waits for what other files say."""
MOST_WORDS = 64
"""A document that has more new words has another text."""
MOST_NAMES = 16
"""As many names are looked up."""
LONGEST = 400_000
"""Characters of a document that names are looked for in."""
_WORDS = re.compile(r"[^\W\d]\w*")


async def missing_imports(
    services: Services, before: Snapshot, file: File, position: Position
) -> list[tuple[MissingImport, Site]]:
    """In the order in which the names are used.  A name that ends at the cursor may go on."""
    parsed = file.parsed
    snapshot = parsed.snapshot
    if before.uri != snapshot.uri or len(snapshot.text) > LONGEST or parsed.n_errors:
        return []
    names = await asyncio.to_thread(_new_names, before, parsed, len(utf8(snapshot.text[: snapshot.offset(position)])))
    if not names:
        return []
    try:
        view = services.view(snapshot, position)
    except InvalidArgument:  # a document of which nothing is shown to a model
        return []

    async def asked() -> list[Exported | None] | None:
        return await services.chooser.ask(lambda known: [known.exported(view, name) for name in names], WAIT_S)

    if (answers := await asked()) is None:
        await services.chooser.chosen(view)  # nothing was gathered yet, without which nothing is known
        answers = await asked()
    items = [answer.item for answer in answers or () if answer is not None and answer.item is not None]
    return [found for item in items for found in _sites(parsed, item)]


def _new_names(before: Snapshot, parsed: Parsed, cursor: int) -> list[str]:
    text = parsed.snapshot.text
    words = set(_WORDS.findall(text)) - set(_WORDS.findall(before.text))
    if not 0 < len(words) <= MOST_WORDS:
        return []
    places = [found.span() for found in _WORDS.finditer(text) if found[0] in words]
    start, end = (len(utf8(text[:at])) for at in (places[0][0], places[-1][1]))
    plain = [one for one in unexplained(parsed, start, end) if not one.is_member]
    return list(dict.fromkeys(one.name for one in plain if one.name in words and one.end != cursor))[:MOST_NAMES]


def _sites(parsed: Parsed, item: Import) -> Iterator[tuple[MissingImport, Site]]:
    snapshot = parsed.snapshot
    for edit in import_edits(parsed, [item]):
        if edit.end >= snapshot.line_count:
            continue  # there is no line to hold on to
        start, end = (len(utf8(snapshot.text[: snapshot.offset(Position(row, 0))])) for row in (edit.start, edit.end))
        text = "".join(f"{line}{snapshot.line_end}" for line in edit.lines)
        message = f"{item.bound} is imported"
        yield MissingImport(snapshot.uri, item.bound), Site(snapshot.uri, start, end, "", text, "import", message)
