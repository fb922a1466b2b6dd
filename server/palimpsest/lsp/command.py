"""A command as it is declared: once, beside what carries it out.

In: `workspace/executeCommand`.  Out: an answer, or an error that names the field.  `commands.py` has the list of them;
`scripts/reference.py` makes the documents' table of it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from palimpsest.conversations.events import ConversationChanged
from palimpsest.errors import InvalidArgument, PalimpsestError
from palimpsest.lsp.arguments import A, read
from palimpsest.lsp.progress import progress
from palimpsest.lsp.protocol import response_error

if TYPE_CHECKING:
    from palimpsest.lsp.server import PalimpsestServer


@dataclass(frozen=True, slots=True)
class Command(Generic[A]):
    """`does` is the line of the documents' table.  `slow`: the title of the progress that is shown.  `id_alone`: the
    argument may be the id alone, as clients of `copilotInlineEdit` send it.  `changes`: behind it the argument's
    conversation is not as it was."""

    name: str
    argument: type[A]
    run: Callable[[PalimpsestServer, A], Awaitable[dict[str, Any]]]
    does: str
    slow: str = ""
    id_alone: bool = False
    changes: bool = False

    def register(self, server: PalimpsestServer) -> None:
        async def handle(ls: PalimpsestServer, params: lsp.ExecuteCommandParams) -> dict[str, Any]:
            return await self._handle(ls, params)  # of any other name, pygls would look at the types of them all

        server.command(self.name)(handle)

    async def _handle(self, server: PalimpsestServer, params: lsp.ExecuteCommandParams) -> dict[str, Any]:
        task = asyncio.current_task()
        assert task is not None
        server.protocol.adopt(task)
        try:
            given = params.arguments[0] if params.arguments else None  # further ones are ignored
            argument = read(
                self.name, self.argument, {"id": given} if self.id_alone and isinstance(given, str) else given
            )
            if not self.slow:
                return await self._answer(server, argument)
            async with progress(server, self.slow, params.work_done_token or _token(given)) as outcome:
                answer = await self._answer(server, argument)
                outcome.message = str(answer.get("summary") or "")
                return answer
        except PalimpsestError as error:
            raise response_error(error) from error
        except asyncio.CancelledError:
            if server.window.is_closing or server.is_ending:  # there is nobody to be answered
                raise
            # pygls answers a command through a generator that a CancelledError would leave without an answer.
            raise JsonRpcException(f"{self.name} was cancelled", lsp.LSPErrorCodes.RequestCancelled.value) from None

    async def _answer(self, server: PalimpsestServer, argument: A) -> dict[str, Any]:
        answer = await self.run(server, argument)
        if self.changes:
            server.window.session.events.emit(ConversationChanged(getattr(argument, "conversation", "")))
        return answer


def _token(given: Any) -> lsp.ProgressToken | None:
    """`workDoneToken` in the argument: some clients cannot put it beside."""
    token = getattr(given, "workDoneToken", None)
    if isinstance(given, dict):
        token = given.get("workDoneToken")
    if token is None or (isinstance(token, (str, int)) and not isinstance(token, bool)):
        return token
    raise InvalidArgument("workDoneToken", f"expected a string or a whole number, got {token!r}.")
