"""Work-done progress for slow work, and its cancellation by token.

In: a title, and the client's token where it gave one.  Out: begin, report, end.  Knows no feature.

Nothing waits for the client: where it has to make a token of ours first, progress begins when it says that it has, or
not at all.  (Some answer that only when they have the answer to what they asked themselves.)  A client that has not
answered is not asked again.
"""

import asyncio
import logging
import uuid
from collections.abc import AsyncIterator
from concurrent.futures import Future
from contextlib import asynccontextmanager
from contextvars import ContextVar
from typing import Any

from lsprotocol import types as lsp

from palimpsest.lsp.server import PalimpsestServer

logger = logging.getLogger(__name__)


class ShownWork:
    """One piece of work as the client shows it; `begin` and `end` in any number and order."""

    def __init__(self, server: PalimpsestServer, title: str) -> None:
        self.message = ""
        """What came of the work, in a few words."""
        self._reporter = server.work_done_progress
        self._title = title
        self._task = asyncio.current_task()
        self._token: lsp.ProgressToken | None = None
        self._ended = False

    def begin(self, token: lsp.ProgressToken) -> None:
        if self._ended or self._token is not None:
            return
        self._token = token
        self._reporter.begin(token, lsp.WorkDoneProgressBegin(title=self._title, cancellable=True))
        self._reporter.tokens[token].add_done_callback(self._cancelled)

    def created(self, token: str, answer: Future[Any]) -> None:
        """The client's answer to `window/workDoneProgress/create`."""
        if (error := answer.exception()) is None:
            self.begin(token)
        else:
            logger.debug("no progress: %r", error)

    def report(self, message: str) -> None:
        if self._token is not None and not self._ended:
            self._reporter.report(self._token, lsp.WorkDoneProgressReport(message=message))

    def end(self) -> None:
        self._ended = True
        if self._token is not None:
            self._reporter.tokens.pop(self._token, None)
            self._reporter.end(self._token, lsp.WorkDoneProgressEnd(message=self.message or None))

    def _cancelled(self, future: Future[Any]) -> None:
        if self._task is not None and future.cancelled():
            self._task.cancel()


_SHOWN: ContextVar[ShownWork | None] = ContextVar("shown", default=None)
"""What is shown of the present task's work."""


@asynccontextmanager
async def progress(
    server: PalimpsestServer, title: str, token: lsp.ProgressToken | None = None
) -> AsyncIterator[ShownWork]:
    """Show that work goes on; `window/workDoneProgress/cancel` cancels the task that runs inside.  The `message` that
    the body gives it is shown at the end."""
    shown = ShownWork(server, title)
    if token is not None:
        shown.begin(token)
    elif server.window.client.progress and (server.creating is None or server.creating.done()):
        own = f"palimpsest-{uuid.uuid4()}"
        params = lsp.WorkDoneProgressCreateParams(own)
        server.creating = server.protocol.send_request(lsp.WINDOW_WORK_DONE_PROGRESS_CREATE, params)
        server.creating.add_done_callback(lambda future: shown.created(own, future))
    around = _SHOWN.set(shown)
    try:
        yield shown
    finally:
        _SHOWN.reset(around)
        shown.end()


def report(message: str) -> None:
    """Say how far the work of this task is, where progress of it is shown."""
    if (shown := _SHOWN.get()) is not None:
        shown.report(message)
