"""Pure: what a server that keeps pages of KV would decode of a session (docs/design-vllm.md).

In: what the model is shown for each request, a tokenizer.  Out: tokens decoded, by way.  A page is found again by its
tokens and by the page before it, as vLLM's prefix cache does; nothing is ever evicted, and a page that is not full is
not kept.

    prefix   one prompt: header, blocks, footer, suffix, prefix; a page depends on all before it
    spans    header, each block, footer and suffix are spans of their own, wherever they stand; the code before the
             cursor depends on all of them
    stale    the same, but that code depends on the spans that it was decoded behind; its last tokens are decoded again
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Literal

from bench.replaying.kinds import View
from palimpsest.prompt.blocks import FOOTER, HEADER

Way = Literal["prefix", "spans", "stale"]
WAYS: tuple[Way, ...] = ("prefix", "spans", "stale")
FRESH = 16
"""Tokens at the end of a prompt that are decoded again, as the engine does (`engine/cache/tail.py`)."""


class Pages:
    """Those that one server has."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._known = set[int]()

    def decoded(self, tokens: Sequence[int], before: int = 0) -> tuple[int, int]:
        """Tokens of a span that are decoded, and a name for all of it; `before` names what it depends on."""
        n_kept, chain, is_kept = 0, before, True
        for at in range(0, len(tokens) - self._size + 1, self._size):
            chain = hash((chain, *tokens[at : at + self._size]))
            is_kept = is_kept and chain in self._known
            n_kept += self._size if is_kept else 0
            self._known.add(chain)
        rest = len(tokens) % self._size
        return len(tokens) - n_kept, hash((chain, *tokens[len(tokens) - rest :]))


def decoded(views: Iterable[View], tokenize: Callable[[str], Sequence[int]], size: int) -> dict[Way, int]:
    """Tokens of the whole session, without answers."""
    pages, total = {way: Pages(size) for way in WAYS}, dict.fromkeys(WAYS, 0)
    blocks: Mapping[str, str] = {}
    for view in views:
        blocks = blocks if view.blocks is None else view.blocks
        spans = [tokenize(text) for text in (HEADER, *blocks.values(), FOOTER, view.suffix)]
        code = tokenize(view.prefix)
        total["prefix"] += pages["prefix"].decoded([token for span in (*spans, code) for token in span])[0]
        for way in ("spans", "stale"):
            found = [pages[way].decoded(span) for span in spans]
            total[way] += sum(n for n, _ in found)
            if way == "spans":
                total[way] += pages[way].decoded(code, hash(tuple(name for _, name in found)))[0]
            else:
                total[way] += max(pages[way].decoded(code)[0], min(FRESH, len(code)))
        blocks = blocks if view.behind is None else view.behind
    return total
