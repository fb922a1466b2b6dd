"""What a chat template writes around messages, learnt from what it makes of stand-ins for them.

In: messages; a template's output.  Out: the conversation in parts: what the template writes, in which special tokens
may be spelled, and what people and the model said, which is text alone whatever it spells.  Pure.

Rendering the messages themselves would let a message that spells a special token end its own turn.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from palimpsest.chat_templates.spoken import opened_by
from palimpsest.wire import Message, Role

Frame = tuple[str, ...]
"""The template's own text before, between and behind the contents of some messages: one more than there are."""
Roles = tuple[Role, ...]


@dataclass(frozen=True, slots=True)
class FramePart:
    """`is_frame`: the template's own text, which may spell special tokens."""

    text: str
    is_frame: bool


def roles_of(messages: Sequence[Message]) -> Roles:
    """The roles of what the template writes: all but an assistant's message at the end, which the answer continues."""
    return tuple(message.role for message in _written(messages))


def stand_ins(roles: Roles) -> list[dict[str, str]]:
    """Messages of these roles, as templates take them."""
    return [{"role": role, "content": _stand_in(i)} for i, role in enumerate(roles)]


def frame_of(rendered: str, n_messages: int) -> Frame | None:
    """The frame in a template's output for `stand_ins`; None where it does not have each of them once, in order."""
    frame, rest = list[str](), rendered
    for i in range(n_messages):
        before, stand_in, rest = rest.partition(_stand_in(i))
        if not stand_in:
            return None
        frame.append(before)
    frame.append(rest)
    return None if any(_MARK in text for text in frame) else tuple(frame)


def parts(frame: Frame, messages: Sequence[Message]) -> list[FramePart]:
    """The conversation up to the answer; `frame` is the one for `roles_of(messages)`."""
    written = _written(messages)
    made = [FramePart(frame[0], is_frame=True)]
    for message, behind in zip(written, frame[1:], strict=True):
        made += [FramePart(message.content, is_frame=False), FramePart(behind, is_frame=True)]
    made += [FramePart(message.content, is_frame=False) for message in messages[len(written) :]]
    return [part for part in made if part.text]


def unframed(messages: Sequence[Message]) -> str:
    """The contents alone, each on lines of its own, for a model without a chat template.  The answer has lines of its
    own, too, or goes on from an assistant's message at the end."""
    written = _written(messages)
    return "".join(f"{message.content}\n" for message in written) + "".join(m.content for m in messages[len(written) :])


def opened_in(parts: Sequence[FramePart]) -> str:
    """The mark of a thought that the template begins the answer with; "" for none."""
    return opened_by(parts[-1].text) if parts and parts[-1].is_frame else ""


def _written(messages: Sequence[Message]) -> Sequence[Message]:
    return messages[:-1] if messages and messages[-1].role == "assistant" else messages


_MARK = "\u2042palimpsest"


def _stand_in(i: int) -> str:
    return f"{_MARK} {i}\u2042"
