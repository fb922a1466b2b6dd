"""What each kind of our code actions does, for clients whose menus have a place for that (LSP 3.18).

In: `palimpsest.help`, a kind.  Out: a document, shown where the client shows documents of ours, else a message.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lsprotocol import types as lsp

from palimpsest.edits.feature import HELP, QUICKFIX, REWRITE, SOURCE
from palimpsest.errors import NotFound
from palimpsest.lsp.command import Commands
from palimpsest.lsp.server import PalimpsestServer

_CHECKED = (
    "Each edit is checked against the lines that it was made for, and applied as a whole or not at all. Before other "
    "files than yours are changed, you are asked (`suggestion.confirm`)."
)
TEXTS: Mapping[str, str] = {
    REWRITE: f"“Improve …” asks the model for an edit of the code at the cursor, or of the selected lines. {_CHECKED}",
    QUICKFIX: f"“Fix …” asks the model for an edit that puts right what the message of a diagnostic says. {_CHECKED}",
    SOURCE: "“Look over the file's own statements” asks the model for an edit of what stands outside of functions and "
    f"classes. {_CHECKED}",
}


@dataclass(frozen=True, slots=True)
class Kind:
    kind: str


def text_of(kind: str) -> str:
    """Raises NotFound."""
    if kind not in TEXTS:
        raise NotFound("kind", f"{kind[:200]!r} is no kind of code action here; there are {', '.join(TEXTS)}.")
    return TEXTS[kind]


COMMANDS = Commands()


@COMMANDS.add(HELP, "shows what a `kind` of our code actions does, for menus that have a place for that")
async def help_(server: PalimpsestServer, asked: Kind) -> dict[str, Any]:
    text, client = text_of(asked.kind), server.window.client
    if client.shows and client.opens_virtual:
        params = lsp.ShowDocumentParams(f"palimpsest:/help/{asked.kind}.md", take_focus=True)
        server.protocol.send_request(lsp.WINDOW_SHOW_DOCUMENT, params)
    else:
        server.window.report.tell(text)
    return {"text": text}


async def page(_: PalimpsestServer, parts: Sequence[str]) -> str:
    """The document `palimpsest:/help/<kind>.md`."""
    return text_of("/".join(parts).removesuffix(".md"))
