"""The model, asked for a few words: a summary of a document.

In: a prompt.  Out: what the model says, in a tail of its own, so that no conversation's is disturbed.
"""

from __future__ import annotations

from palimpsest import wire
from palimpsest.conversations.documents.referring import Ask
from palimpsest.text.positions import well_formed
from palimpsest.text.tokens import masked
from palimpsest.window.services import LOADING_S, Services

MOST_TOKENS = 50


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
