"""Incoming messages: which are invalid, which come out of turn, and which have to wait.

In: the bytes of one message after the other.  Out: JSON-RPC messages in order, refusals.  Owner of the connection's
state (before `initialize`, open, after `shutdown`) and of what is held back.  Knows no feature.
"""

import asyncio
import json
import logging
from collections import deque
from collections.abc import Callable
from typing import Any, Literal

from lsprotocol import types

logger = logging.getLogger(__name__)

NOT_HELD = {types.INITIALIZE, types.INITIALIZED, types.SHUTDOWN, types.EXIT}
Refuse = Callable[[Any, int, str], None]
"""Answers the request of an id with an error code and a sentence; the id is None where nobody knows it."""


class Inbox:
    """`take` is called with each message in turn; it must not raise."""

    def __init__(self, take: Callable[[dict[str, Any]], None], refuse: Refuse) -> None:
        self._take = take
        self._refuse = refuse
        self._state: Literal["new", "open", "shut"] = "new"
        self._why_not = ""
        self._held: deque[dict[str, Any]] | None = None
        self._releasing: asyncio.Task[None] | None = None

    def receive(self, body: bytes) -> None:
        """One message as it came.  Raises nothing but SystemExit."""
        try:
            data = json.loads(body)
        except (ValueError, RecursionError) as error:
            logger.warning("a message that is no JSON: %s", type(error).__name__)
            self._refuse(None, types.ErrorCodes.ParseError.value, "The message is no JSON.")
            return
        if (problem := _not_a_message(data)) != "":
            logger.warning("no message of JSON-RPC: %s", problem)
            known = data.get("id") if isinstance(data, dict) else None
            self._refuse(known if _is_id(known) else None, types.ErrorCodes.InvalidRequest.value, problem)
        elif "method" not in data:
            self._take(data)
        elif self._in_turn(data):
            self._pass_on(data)

    def begun(self) -> None:
        """`initialize` was understood: what else there is may come."""
        self._state = "open"

    def hold(self) -> None:
        """Keep what comes from now on until `release`, but for answers and the connection's own beginning and end."""
        if self._held is None:
            self._held = deque()

    def release(self) -> None:
        """What was held goes on in order, with a turn of the loop behind each, and what comes meanwhile behind it."""
        if self._held is not None and self._releasing is None:
            self._releasing = asyncio.get_running_loop().create_task(self._release_held())

    async def _release_held(self) -> None:
        while self._held:
            self._take(self._held.popleft())
            await asyncio.sleep(0)
        self._held = self._releasing = None

    def drop(self, why: str) -> None:
        """Whoever waits is told; nothing that was held, or comes from now on, begins."""
        self._why_not = why
        for data in self._held or ():
            if "id" in data:
                self._refuse(data["id"], types.LSPErrorCodes.RequestCancelled.value, why)
        if self._held is not None:
            self._held.clear()

    def _pass_on(self, data: dict[str, Any]) -> None:
        if self._held is None or data["method"] in NOT_HELD:
            self._take(data)
        else:
            self._held.append(data)

    def _in_turn(self, data: dict[str, Any]) -> bool:
        """Whether it may come now; a request that may not is refused, a notification passed over."""
        method, code, problem = data["method"], types.ErrorCodes.InvalidRequest.value, ""
        if method == types.EXIT:
            return True
        if self._state == "new" and method != types.INITIALIZE:
            code, problem = types.ErrorCodes.ServerNotInitialized.value, "comes before `initialize`"
        elif self._state == "open" and method == types.INITIALIZE:
            problem = "came already, and comes once"
        elif self._state == "shut":
            problem = "comes after `shutdown`"
        elif self._why_not and method not in NOT_HELD:
            code, problem = types.LSPErrorCodes.RequestFailed.value, self._why_not
        if problem and "id" in data:
            self._refuse(data["id"], code, problem if problem == self._why_not else f"{method} {problem}.")
        if problem:
            logger.info("%s %s", method, problem)
            return False
        if method == types.SHUTDOWN and "id" in data:
            self._state = "shut"
            self.drop("The server is shutting down.")
        return True


def _is_id(value: Any) -> bool:
    return isinstance(value, (str, int)) and not isinstance(value, bool)


def _not_a_message(data: Any) -> str:
    """Why this is none; "" where it is one."""
    if not isinstance(data, dict):
        return "A message is one JSON object."
    if data.get("jsonrpc") != "2.0":
        return 'A message has `"jsonrpc": "2.0"`.'
    if "id" in data and not _is_id(data["id"]):
        return "An id is a string or a whole number."
    if "method" in data:
        return "" if isinstance(data["method"], str) else "A method is a string."
    return "" if "id" in data and ("result" in data or "error" in data) else "It asks and answers nothing."
