"""From which length on a text stands in a prompt as a descriptor: as the settings say, or less for a model that reads
little.

In: the settings, the model's window, how long the texts' tokens are.  Out: the settings as they hold now.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from palimpsest.config.settings import FileDescriptorSettings
from palimpsest.context.estimate import CHARS_PER_TOKEN
from palimpsest.conversations.token_counts import TokenCounts
from palimpsest.errors import EngineError
from palimpsest.window.services import LOADING_S, Services

LONGEST = 1 / 3
"""Of the window: system prompt, tools, a summary and the reply need the rest."""
COUNTED = 500
"""Characters from which a text is long enough to be counted."""


def thresholds(services: Services, chars_per_token: float = CHARS_PER_TOKEN) -> FileDescriptorSettings:
    """As the settings say where nobody knows what the model can read."""
    options, model = services.settings.file_descriptor, services.supervisor.status.model
    if model is None or not model.window:
        return options
    most = max(2, int(LONGEST * model.window * chars_per_token))
    return replace(
        options,
        max_direct_output_chars=min(options.max_direct_output_chars, most),
        max_input_chars=min(options.max_input_chars, most),
        default_page_size=min(options.default_page_size, most // 2),
    )


async def thresholds_for(services: Services, counts: TokenCounts, texts: Sequence[str]) -> FileDescriptorSettings:
    """By the texts' own tokens: a log has three times those of code.  Where one is long, the model is waited for."""
    most = services.settings.file_descriptor.max_input_chars
    long = [text[:most] for text in texts if len(text) > COUNTED]
    if long:
        try:
            await services.supervisor.ready(LOADING_S)
        except EngineError:
            return thresholds(services)
    found, _ = await counts.of(long)
    sizes = [len(text) / count for text, count in zip(long, found, strict=True) if count]
    return thresholds(services, min([CHARS_PER_TOKEN, *sizes]))
