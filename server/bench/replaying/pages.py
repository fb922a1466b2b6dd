"""Pure: what a server that keeps pages of KV would decode of a session (docs/design-vllm.md).

In: what the model is shown for each request, a tokenizer.  Out: tokens decoded, by way.  A page is found again by its
tokens and by the page before it, as vLLM's prefix cache does; nothing is ever evicted, and a page that is not full is
not kept.

    prefix   one prompt: header, blocks, footer, suffix, prefix; a page depends on all before it
    spans    header, each block, footer and suffix are spans of their own, wherever they stand; the code before the
             cursor depends on all of them
    padded   the same, and the last page of a span is kept, too, filled up with positions that nobody sees
    stale    padded, and the code before the cursor keeps its pages when the spans before it are others; its last
             tokens are decoded again
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Literal

from bench.replaying.kinds import View
from palimpsest.prompt.blocks import FOOTER, HEADER

Way = Literal["prefix", "spans", "padded", "stale"]
WAYS: tuple[Way, ...] = ("prefix", "spans", "padded", "stale")
FRESH = 16
"""Tokens at the end of a prompt that are decoded again, as the engine does (`engine/cache/tail.py`)."""


class Pages:
    """Those that one server has."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._known = set[int]()

    def decoded(self, tokens: Sequence[int], before: int = 0, *, padded: bool = False) -> tuple[int, int]:
        """Tokens of a span that are decoded, and a name for all of it.  `before` names what it depends on; `padded`:
        its last page is kept as well."""
        n_kept, chain, is_kept = 0, before, True
        for at in range(0, len(tokens), self._size):
            page = tokens[at : at + self._size]
            chain = hash((chain, *page))
            is_kept = is_kept and chain in self._known
            n_kept += len(page) if is_kept else 0
            if len(page) == self._size or padded:
                self._known.add(chain)
        return len(tokens) - n_kept, chain


def decoded(views: Iterable[View], tokenize: Callable[[str], Sequence[int]], size: int) -> dict[Way, int]:
    """Tokens of the whole session, without answers."""
    pages, total = {way: Pages(size) for way in WAYS}, dict.fromkeys(WAYS, 0)
    blocks: Mapping[str, str] = {}
    for view in views:
        blocks = blocks if view.blocks is None else view.blocks
        spans = [tokenize(text) for text in (HEADER, *blocks.values(), FOOTER, view.suffix)]
        code = tokenize(view.prefix)
        total["prefix"] += pages["prefix"].decoded([token for span in (*spans, code) for token in span])[0]
        for way in WAYS[1:]:
            found = [pages[way].decoded(span, padded=way != "spans") for span in spans]
            total[way] += sum(n for n, _ in found)
            exact = pages[way].decoded(code, hash(tuple(name for _, name in found)))[0]
            kept = max(pages[way].decoded(code)[0], min(FRESH, len(code))) if way == "stale" else exact
            total[way] += min(exact, kept)
        blocks = blocks if view.behind is None else view.behind
    return total
