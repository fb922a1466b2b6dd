"""Tools in OpenAI's protocol: messages with calls, and calls as they come in pieces.

In: `wire` messages, events' choices.  Out: JSON objects, calls.  Pure.
"""

import json
from typing import Any

from palimpsest.errors import EngineError, InvalidArgument
from palimpsest.providers.http.http import NotServed
from palimpsest.providers.openai.markers import unspaced
from palimpsest.wire import Message, NativeChat, NativeMessage, ToolCall

MOST_CALLS = 128
"""One answer may have this many calls; OpenAI's servers take as many tools."""
MOST_CHARS = 4_000_000
"""The arguments of one call may have this many characters; what comes behind them is left out, so that they are no
JSON."""


def chat_message(message: Message | NativeMessage) -> dict[str, Any]:
    """A message as the route takes it."""
    made: dict[str, Any] = {"role": message.role, "content": message.content}
    if isinstance(message, NativeMessage):
        if message.calls:
            made["content"] = message.content or None  # some refuse a text without characters
            made["tool_calls"] = [
                {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
                for call in message.calls
            ]
        if message.answers:
            made["tool_call_id"] = message.answers
    return made


def n_chars(chat: NativeChat) -> int:
    """Of all that the model reads, tools too."""
    calls = (call for message in chat.messages for call in message.calls)
    return (
        sum(len(message.content) for message in chat.messages)
        + sum(len(call.name) + len(call.arguments) for call in calls)
        + len(json.dumps(chat.tools, ensure_ascii=False))
    )


def refuses_tools(error: EngineError | InvalidArgument, body: dict[str, Any], url: str) -> bool:
    """Whether a server that was told of tools says that it does not take them."""
    refused = isinstance(error, InvalidArgument | NotServed) or type(error) is EngineError  # some say so with a 500
    message = error.message.replace(url, "").lower()
    return "tools" in body and refused and ("tool" in message or "function call" in message)


class ComingCalls:
    """The calls of one answer, in pieces: an index says which one goes on; where there is none, an id begins one."""

    def __init__(self) -> None:
        self._calls: dict[int, list[str]] = {}

    def feed(self, choice: dict[str, Any]) -> bool:
        """Whether the choice had a piece of a call."""
        delta = choice.get("delta")
        pieces = delta.get("tool_calls") if isinstance(delta, dict) else None
        valid = [piece for piece in pieces if isinstance(piece, dict)] if isinstance(pieces, list) else []
        for piece in valid:
            self._add(piece)
        return bool(valid)

    def finish(self, *, is_spaced: bool = False) -> list[ToolCall]:
        """In the order of their indices; one without a name is no call.  `is_spaced`: as prompts are (`markers.py`)."""
        ordered = [self._calls[index] for index in sorted(self._calls)]
        plain = unspaced if is_spaced else str
        return [ToolCall(id_, name, plain(arguments)) for id_, name, arguments in ordered if name]

    def _add(self, piece: dict[str, Any]) -> None:
        function = piece.get("function")
        function = function if isinstance(function, dict) else {}
        id_, name = str(piece.get("id") or ""), str(function.get("name") or "")
        index = self._index(piece.get("index"), id_, name)
        if index not in self._calls and len(self._calls) >= MOST_CALLS:
            return
        call = self._calls.setdefault(index, ["", "", ""])
        call[0] = call[0] or id_
        call[1] = call[1] or name  # said once; some say it again with every piece
        arguments = function.get("arguments")
        if isinstance(arguments, dict):  # some give the object itself
            arguments = json.dumps(arguments, ensure_ascii=False)
        call[2] = (call[2] + str(arguments or ""))[:MOST_CHARS]

    def _index(self, given: Any, id_: str, name: str) -> int:
        if isinstance(given, int):
            return given
        last = max(self._calls, default=-1)
        begins = last < 0 or (id_ and id_ != self._calls[last][0]) or (name and not id_)
        return last + 1 if begins else last
