"""Tokens of texts, counted by the model's own tokenizer.

In: texts.  Out: counts, and whether they are estimated; what follows for how much a model can read, and from what
length on a text is a descriptor.  A text is counted once; characters are estimated only where no engine answers, or one
that has no tokenizer to ask.  Owner of the counts.
"""

from collections.abc import Sequence
from dataclasses import replace

from palimpsest import wire
from palimpsest.config.settings import FileDescriptorSettings
from palimpsest.context.estimate import CHARS_PER_TOKEN, chars_for, estimate
from palimpsest.errors import EngineError
from palimpsest.newest import Newest
from palimpsest.providers.base.protocol import Estimating
from palimpsest.window.events import CacheForgotten
from palimpsest.window.services import LOADING_S, Services

MOST_KEPT = 20_000
"""Counts, by text."""
LONGEST = 1 / 3
"""One message may take this share of the window: system prompt, tools, a summary and the reply need the rest."""
COUNTED = 500
"""Characters from which a text is long enough to be counted."""


class TokenCounts:
    """Counts texts, each once for a tokenizer."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._known = Newest[str, int](MOST_KEPT)
        self._estimated = False
        services.events.on(CacheForgotten, lambda _: self._known.clear())  # it may be another model

    async def of(self, texts: Sequence[str]) -> tuple[list[int], bool]:
        """The tokens of each text, and whether they are estimated."""
        names = [wire.text_hash(text) for text in texts]
        counts = {name: self._known[name] for name in names if name in self._known}
        new = {name: text for name, text in zip(names, texts, strict=True) if name not in counts}
        if new:
            try:
                engine = await self._services.supervisor.ready()
                found = dict(zip(new, await engine.count(list(new.values())), strict=True))
            except EngineError:
                return [counts.get(name, estimate(text)) for name, text in zip(names, texts, strict=True)], True
            self._estimated = isinstance(engine, Estimating) and engine.estimates
            for name, n in found.items():
                self._known[name] = counts[name] = n
        return [counts[name] for name in names], self._estimated


def most_chars(services: Services) -> int | None:
    """What a model can read at once: the share of its window that messages have; None where nobody knows it."""
    model = services.supervisor.status.model
    return None if model is None else chars_for(int(services.settings.conversation.messages_share * model.window))


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
