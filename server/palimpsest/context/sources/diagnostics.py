"""`recent` blocks: what other language servers say is wrong in the document.

In: a view, what was passed on (`activity/diagnostics.py`).  Out: one block for the document, errors first
(`shop/cart.py problems`), and where it has no room for what is wrong in the cursor's line, one for that.  No numbers of
lines, which change with every line that is added above.
"""

from collections.abc import Sequence
from itertools import groupby

from palimpsest.context.activity.activity import Activity
from palimpsest.context.activity.diagnostics import Diagnostic
from palimpsest.context.sources.source import Source, is_among
from palimpsest.context.values import worth
from palimpsest.context.view import CursorView
from palimpsest.types import Block

MOST = 10
"""At most this many diagnostics of a document, and of a line, are shown."""


class DiagnosticSource(Source):
    name = "diagnostics"
    setting = "diagnostics"

    def __init__(self, activity: Activity) -> None:
        self._activity = activity

    def candidates(self, view: CursorView) -> list[Block]:
        every = self._activity.diagnostics.of(view.uri)
        first_ones, line = every[:MOST], view.position.line
        here = [it for it in every[MOST:] if it.first <= line <= it.last][:MOST]
        rows = ("problems", first_ones, worth("problem", "file")), ("problem here", here, worth("problem", "function"))
        blocks = [
            Block("recent", f"{view.file} {name}", _text(diagnostics), value, uri=view.uri, source=self.name)
            for name, diagnostics, value in rows
        ]
        return [block for block in blocks if block.text]

    def still_valid(self, block: Block, view: CursorView) -> bool:
        """While nothing else is wrong."""
        return is_among(block, self.candidates(view))


def _text(diagnostics: Sequence[Diagnostic]) -> str:
    """The block's text: each line of code once, and below it what is wrong there."""
    lines = list[str]()
    for (_, code), there in groupby(sorted(diagnostics, key=lambda it: it.first), key=lambda it: (it.first, it.code)):
        lines.append(code)
        lines += [f"  {it.severity}: {it.message}{f' ({it.source})' if it.source else ''}" for it in there]
    return "\n".join(lines)
