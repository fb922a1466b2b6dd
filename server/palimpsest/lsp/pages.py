"""`palimpsest.page`: what an editor shows in a view that it keeps up to date, written for all of them.

In: a page's name, for the context a place.  Out: text, ranges with the kinds by which a theme colours them, and the
blocks that lines are about.
"""

from dataclasses import asdict, dataclass
from typing import Annotated, Any, Literal

from lsprotocol import types as lsp

from palimpsest.json_data import Range
from palimpsest.lsp import answers
from palimpsest.lsp.arguments import At, Nothing
from palimpsest.lsp.command import Commands
from palimpsest.lsp.context import NameAt, place_of, why
from palimpsest.lsp.engine import cache_map
from palimpsest.lsp.protocol import converter
from palimpsest.lsp.server import PalimpsestServer
from palimpsest.text.positions import PositionEncoding, column_to_units
from palimpsest.window import cache_page, context_page, why_page
from palimpsest.window.page import Page

WIDTH = 64


@dataclass(frozen=True, slots=True)
class PageAt:
    """The context is that of where the cursor was last, unless a document is named.  `of`: the name that `why` is
    about, if it is not the one there.  `width`, in characters, is that of the cache's grid."""

    name: Literal["cache", "context", "why"]
    uri: str = ""
    position: At | None = None
    of: str = ""
    width: Annotated[int, Range(8, 512)] = WIDTH


async def page_of(server: PalimpsestServer, asked: PageAt) -> Page:
    """Raises InvalidArgument, EngineError."""
    session = server.window.session
    last = asdict(session.usage.last)
    if asked.name == "cache":
        return cache_page.page(await cache_map(server, Nothing()), last, asked.width)
    if asked.name == "why":
        return why_page.page(await why(server, NameAt(asked.uri, asked.position, asked.of)))
    place = place_of(server, asked.uri, asked.position)
    shown = await session.context.show(*place)
    budget = answers.budget(await session.context.budget_of(shown.view, shown.blocks))
    return context_page.page(answers.context(shown), budget, last)


COMMANDS = Commands()


@COMMANDS.add(
    "palimpsest.page",
    "a page that an editor shows as it is: `cache`, or of there or the cursor the `context` or `why` a name is in it",
)
async def show(server: PalimpsestServer, asked: PageAt) -> dict[str, Any]:
    page = await page_of(server, asked)
    encoding = server.window.client.encoding
    return {
        "title": page.title,
        "text": page.text,
        "marks": [
            {"range": _range(page.lines, mark.line, mark.start, mark.end, encoding), "kind": mark.kind}
            for mark in page.marks
        ],
        "links": [
            {"range": _range(page.lines, line, 0, len(page.lines[line]), encoding), "block": block}
            for line, block in page.links.items()
        ],
    }


def _range(lines: list[str], line: int, start: int, end: int, encoding: PositionEncoding) -> Any:
    start, end = (column_to_units(lines[line], column, encoding) for column in (start, end))
    return converter().unstructure(lsp.Range(lsp.Position(line, start), lsp.Position(line, end)))
