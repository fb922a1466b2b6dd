"""The chat template of a llama-server's model, which the server itself applies.

In: messages.  Out: the conversation in parts (`chat_templates/frames.py`).  Asks `/apply-template`.
"""

from __future__ import annotations

from collections.abc import Sequence

from palimpsest.chat_templates.frames import Frame, Part, Roles, frame_of, parts, roles_of, stand_ins
from palimpsest.errors import EngineError, InvalidArgument
from palimpsest.providers.http.http import Http
from palimpsest.wire import Message


class RemoteChatTemplate:
    """Frames by roles, each asked for once."""

    def __init__(self, http: Http) -> None:
        self._http = http
        self._frames: dict[Roles, Frame] = {}

    @classmethod
    async def found(cls, http: Http) -> RemoteChatTemplate | None:
        """None where the server cannot write a user's message."""
        made = cls(http)
        try:
            await made._frame(("user",))
        except (EngineError, InvalidArgument):
            return None
        return made

    async def parts(self, messages: Sequence[Message]) -> list[Part]:
        """The conversation up to the answer.  Raises InvalidArgument for messages that the template refuses,
        EngineError."""
        return parts(await self._frame(roles_of(messages)), messages)

    async def _frame(self, roles: Roles) -> Frame:
        if roles not in self._frames:
            answer = await self._http.post("/apply-template", {"messages": stand_ins(roles)}, short=True)
            frame = frame_of(str(answer.get("prompt") or ""), len(roles))
            if frame is None:
                raise InvalidArgument("chat.messages", "the model's chat template changes what is said.")
            self._frames[roles] = frame
        return self._frames[roles]
