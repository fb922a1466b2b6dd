"""`palimpsest.completion.why`: what becomes of a model's answer at a cursor before it is shown, step by step.

In: a cursor.  Out: what each step has cut or dropped, and why.  The steps are `completions/steps.py`'s.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from palimpsest.lsp.arguments import At
from palimpsest.lsp.command import Command
from palimpsest.lsp.context import place_of

if TYPE_CHECKING:
    from palimpsest.lsp.server import PalimpsestServer


@dataclass(frozen=True, slots=True)
class CompletionAt:
    """Without a document, where the cursor was last.  `invoked`: as if a person asks for it, not types."""

    uri: str = ""
    position: At | None = None
    invoked: bool = False


async def why(server: PalimpsestServer, at: CompletionAt) -> dict[str, Any]:
    place = place_of(server, at.uri, at.position)
    return (await server.window.session.completions.explain(*place, invoked=at.invoked)).data


COMMANDS = (
    Command(
        "palimpsest.completion.why",
        CompletionAt,
        why,
        "what is shown as a completion there, or at the cursor, and what each step has cut or dropped of the model's "
        "answer, and why",
    ),
)
