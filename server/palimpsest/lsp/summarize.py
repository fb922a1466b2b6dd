"""`palimpsest.summarize`: a commit message for what is not committed yet.

In: `{uri?, staged?}`.  Out: `{summary, files, text, left_out, xml}`; `text` is ready to paste.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from palimpsest.lsp.arguments import Arguments
from palimpsest.prompt.blocks import attribute, escape_closing

if TYPE_CHECKING:
    from palimpsest.assist.summaries.summaries import Summarized
    from palimpsest.lsp.server import PalimpsestServer

COMMAND = "palimpsest.summarize"
TITLE = "Summarizing the change"


async def summarize(server: PalimpsestServer, arguments: Arguments) -> dict[str, Any]:
    """Raises PalimpsestError."""
    uri, staged = arguments.string("uri", ""), arguments.boolean("staged", False)
    return answer(await server.window.session.summarize(uri, staged=staged))


def answer(found: Summarized) -> dict[str, Any]:
    files = " ".join(found.files)
    return {
        "summary": found.summary,
        "text": found.text,
        "files": list(found.files),
        "left_out": [{"file": file, "reason": reason} for file, reason in found.left_out],
        "xml": f"<summary files={attribute(files)}>\n{escape_closing(found.text, 'summary')}</summary>",
    }
