"""One model's chat template: conversations in the parts that it makes of them.

In: the template that a model's file has, messages.  Out: parts (`frames.py`).  Knows no token.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass

from palimpsest.chat_templates.frames import Frame, FramePart, Roles, frame_of, parts, roles_of, stand_ins
from palimpsest.chat_templates.program import CHATML
from palimpsest.chat_templates.rendering import Renderer
from palimpsest.wire import Message

MOST_FRAMES = 256
"""Remembered at once: a conversation needs one for each of its turns."""
logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class TemplateSource:
    """What a model's file says: the template ("" where it has none), and the tokens that templates may write."""

    text: str
    bos: str
    eos: str


class ChatTemplate:
    """Callable from any thread; close it."""

    def __init__(self, source: TemplateSource) -> None:
        self._source = source
        self._renderer = Renderer()
        self._frames: dict[Roles, Frame] = {}

    def parts(self, messages: Sequence[Message]) -> list[FramePart]:
        """The conversation up to the answer.

        The first time for a sequence of roles, the template is run, which may take seconds.  Raises InvalidArgument for
        messages that it refuses, EngineUnavailable.
        """
        roles = roles_of(messages)
        frame = self._frames.get(roles)
        if frame is None:
            frame = self._learnt(roles)
            if len(self._frames) >= MOST_FRAMES:
                self._frames.clear()
            self._frames[roles] = frame
        return parts(frame, messages)

    def close(self) -> None:
        self._renderer.close()

    def _learnt(self, roles: Roles) -> Frame:
        source, messages = self._source, stand_ins(roles)
        for template in (source.text, CHATML):
            rendered = self._renderer.render(template, messages, bos=source.bos, eos=source.eos)
            if (frame := frame_of(rendered, len(roles))) is not None:
                return frame
            logger.error("the model's chat template changes what is said; chats are written as ChatML instead")
        raise AssertionError("ChatML writes messages as they are")
