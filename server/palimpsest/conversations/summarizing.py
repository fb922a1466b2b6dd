"""A sentence on what a descriptor is, by the model; kept with it.

In: a descriptor.  Out: the same with its summary.
"""

from __future__ import annotations

import asyncio

from palimpsest.conversations.descriptors.descriptors import Descriptor
from palimpsest.conversations.documents.asking import asking
from palimpsest.conversations.memory import Memory
from palimpsest.errors import EngineUnavailable
from palimpsest.window.services import Services

PROMPT = "Say in one sentence what this text is:\n\n"
SHOWN_CHARS = 2_000
"""Of its beginning."""


async def summarized(services: Services, memory: Memory, conversation: str, fd: str) -> Descriptor:
    """Raises EngineError where the model cannot be asked or says nothing, NotFound, InvalidArgument."""
    ask = asking(services)
    if ask is None:
        raise EngineUnavailable(
            "The model cannot be asked for a summary.",
            hint="Use one that is told what to do, and wait until it is there.",
        )
    text = await asyncio.to_thread(memory.descriptors.beginning, conversation, fd, SHOWN_CHARS)
    said = " ".join((await ask(PROMPT + text)).split())
    if not said:
        raise EngineUnavailable("The model said nothing.")
    return await asyncio.to_thread(memory.descriptors.set_summary, conversation, fd, said)
