"""The model, asked for a few words: a summary of a document, or of a descriptor, which is kept with it.

In: a prompt, a descriptor.  Out: what the model says, in a tail of its own, so that no conversation's is disturbed.
"""

import asyncio

from palimpsest import wire
from palimpsest.conversations.descriptors.descriptors import Descriptor
from palimpsest.conversations.documents.referring import Ask
from palimpsest.conversations.memory import Memory
from palimpsest.errors import EngineUnavailable
from palimpsest.text.positions import well_formed
from palimpsest.text.tokens import masked
from palimpsest.window.services import LOADING_S, Services

PROMPT = "Say in one sentence what this text is:\n\n"
SHOWN_CHARS = 2_000
"""A model that is asked for a summary is shown this many characters of a text's beginning."""
MOST_TOKENS = 50


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


def asking(services: Services) -> Ask | None:
    """None where the model cannot be told what to do, or is not there."""
    model = services.supervisor.status.model
    if model is None or not model.chat_template:
        return None

    async def ask(prompt: str) -> str:
        request = wire.GenerateRequest(
            workspace=services.workspace,
            chat=wire.ChatTail([wire.Message("user", well_formed(masked(prompt)))]),
            slot="chat",
            sync=services.requests.sync([], "chat"),
            max_tokens=MOST_TOKENS,
            sampling=wire.Sampling(temperature=0.0),
            tail="document-summary",
        )
        async with services.supervisor.engine(LOADING_S) as engine:
            answer = await services.generate(engine, request, [])
        return answer.choices[0].text if answer.choices else ""

    return ask
