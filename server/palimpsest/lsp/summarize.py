"""`palimpsest.summarize`: a commit message for what is not committed yet.

In: `{uri?, staged?}`.  Out: `{summary, files, text, left_out, xml}`; `text` is ready to paste.
While it is written, the progress shows its first line.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from palimpsest.lsp.command import Command
from palimpsest.lsp.progress import report
from palimpsest.text.markup import attribute, escape_closing

if TYPE_CHECKING:
    from palimpsest.edits.summaries import Summarized
    from palimpsest.lsp.server import PalimpsestServer


@dataclass(frozen=True, slots=True)
class Summarize:
    uri: str = ""
    staged: bool = False


async def summarize(server: PalimpsestServer, asked: Summarize) -> dict[str, Any]:
    """Raises PalimpsestError."""
    return answer(await server.window.session.summaries.of(asked.uri, staged=asked.staged, on_summary=report))


def answer(found: Summarized) -> dict[str, Any]:
    files = " ".join(found.files)
    return {
        "summary": found.summary,
        "text": found.text,
        "files": list(found.files),
        "left_out": [{"file": file, "reason": reason} for file, reason in found.left_out],
        "xml": f"<summary files={attribute(files)}>\n{escape_closing(found.text, 'summary')}</summary>",
    }


COMMAND = Command(
    "palimpsest.summarize",
    Summarize,
    summarize,
    "a commit message for what is not committed in the workspace folder (of `uri`, whose text also counts unsaved)",
    slow="Summarizing the change",
)
