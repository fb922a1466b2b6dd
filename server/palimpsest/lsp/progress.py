"""Work-done progress around something slow, and cancellation by its token.

In: a title, and the client's token where it gave one.  Out: begin, report, end.  Knows no feature.
"""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lsprotocol import types as lsp

if TYPE_CHECKING:
    from palimpsest.lsp.server import PalimpsestServer

logger = logging.getLogger(__name__)

CREATE_WAIT_S = 1.0


@dataclass
class Outcome:
    """What came of the work, in a few words."""

    message: str = ""


@asynccontextmanager
async def progress(
    server: PalimpsestServer, title: str, token: lsp.ProgressToken | None = None
) -> AsyncIterator[Outcome]:
    """Show that work goes on; `window/workDoneProgress/cancel` cancels the task that runs inside.  What the body puts
    into the outcome is shown at the end."""
    reporter = server.work_done_progress
    if token is None:
        token = await _created(server)
    outcome = Outcome()
    if token is None:
        yield outcome
        return
    task = asyncio.current_task()
    reporter.begin(token, lsp.WorkDoneProgressBegin(title=title, cancellable=True))
    cancelled = reporter.tokens[token]
    cancelled.add_done_callback(lambda future: task.cancel() if task and future.cancelled() else None)
    try:
        yield outcome
    finally:
        reporter.tokens.pop(token, None)
        reporter.end(token, lsp.WorkDoneProgressEnd(message=outcome.message or None))


async def _created(server: PalimpsestServer) -> str | None:
    """A token of ours, where the client shows progress and answers in time."""
    if not server.window.client.progress:
        return None
    token = f"palimpsest-{uuid.uuid4()}"
    try:
        await asyncio.wait_for(server.work_done_progress.create_async(token), CREATE_WAIT_S)
    except Exception as error:  # progress is only for the eyes
        logger.debug("no progress: %r", error)
        return None
    return token
