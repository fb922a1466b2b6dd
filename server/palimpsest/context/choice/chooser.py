"""The blocks in the context: gathered, chosen, and left alone while the user types.

In: a view of the cursor.  Out: blocks, most valuable first.  Owner of the choice and of the token counts of texts.
Knows no engine; its callers pass the engine's counts to `counted`.

Typing inside one scope keeps the choice, because gathering on every keystroke would change blocks in the middle of a
statement.  A new choice is made on a pause, in another scope or file, when an import is added or removed, when a block
is put or pinned, and when a source has finished reading.  While a line is being typed that is not right yet, the code
around it may seem to be anything: then no scope and no import counts.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from palimpsest.config.settings import ContextSettings
from palimpsest.context.choice.selection import Selection, select
from palimpsest.context.choice.why import Why, explain
from palimpsest.context.estimate import estimate_of
from palimpsest.context.external_blocks import ExternalBlocks
from palimpsest.context.sources.external import pinned_block
from palimpsest.context.sources.gatherer import Gatherer
from palimpsest.context.sources.name_lookup import NameLookup
from palimpsest.context.sources.rules import RulesSource
from palimpsest.context.values import FOLLOWED_RULES
from palimpsest.context.view import CursorView
from palimpsest.newest import Newest
from palimpsest.text.uris import path_or_none
from palimpsest.types import Block, BlockKey

T = TypeVar("T")
UNKNOWN_MODEL = 2048
MOST = 2048
"""The largest default budget.  A block costs its tokens once, and makes every token behind it attend to more; in a
replayed history of commits, twice the budget decoded a third more tokens of blocks."""
MOST_COUNTS = 4096


class Chooser:
    """One per session.  Gathers on a thread of its own, so that nobody waits for a slow file system but who wants the
    blocks; without an event loop, on its caller's.  `n_choices`: how often it has chosen."""

    def __init__(self, gatherer: Gatherer, external: ExternalBlocks, settings: ContextSettings) -> None:
        self.external = external
        self._gatherer = gatherer
        self._settings = settings
        self._n_ctx: int | None = None
        self._follows = False
        self._counts = Newest[int, int](MOST_COUNTS)  # by `hash(text)`: a collision costs no more than a wrong estimate
        self._ratios = Newest[BlockKey, float](MOST_COUNTS)  # of a block's last text: tokens counted for each estimated
        self._selected = Selection()
        self._made_for: object = None
        self._made_with = (0, 0)
        self.n_choices = 0
        self._at = ("", -1)
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="palimpsest-choice")

    def fits(self, n_ctx: int, *, follows: bool = False) -> None:
        """Set the budget for a model: half of its context, unless a setting says otherwise.  `follows`: the model
        follows instructions, so the project's rules are worth more than code that is only useful."""
        self._n_ctx = n_ctx
        self._follows = follows

    def begin_anew(self, gatherer: Gatherer, settings: ContextSettings) -> None:
        """Choose from other sources, by other settings.  External blocks and counts stay."""
        self._gatherer.close()
        self._gatherer, self._settings = gatherer, settings
        self._made_for = None

    @property
    def budget(self) -> int:
        """Tokens for all blocks together."""
        most = UNKNOWN_MODEL if self._n_ctx is None else min(self._n_ctx // 2, MOST)
        return self._settings.budget or most

    def choose(self, view: CursorView, *, fresh: bool = False) -> list[Block]:
        """The blocks for a cursor; `fresh` makes a new choice even where the last one still applies."""
        if fresh or self._is_due(view):
            gatherer, situation = self._gatherer, self._situation(view)
            selected = self._selection(view)
            if gatherer is not self._gatherer:  # other settings meanwhile: the next choice is a new one
                return selected.chosen
            self._selected, self._made_for, self._made_with = selected, situation, self._revisions
            self.n_choices += 1
        self._at = view.uri, view.position.line
        return list(self._selected.chosen)

    async def chosen(self, view: CursorView, *, fresh: bool = False) -> list[Block]:
        """`choose`; what is to be gathered is gathered on the thread."""
        if fresh or self._is_due(view):
            return await self._aside(partial(self.choose, view, fresh=fresh))
        return self.choose(view)

    async def ask(self, question: Callable[[NameLookup], T], most_s: float) -> T | None:
        """What is known of names, asked on the thread; None where nothing is known yet, or nobody answers in time."""
        names = self._gatherer.names
        if names is None:
            return None
        with suppress(TimeoutError):  # a slow file system: a completion does not wait for it
            async with asyncio.timeout(most_s):
                return await self._aside(partial(question, names))
        return None

    async def _aside(self, work: Callable[[], T]) -> T:
        try:
            made = asyncio.get_running_loop().run_in_executor(self._thread, work)
        except RuntimeError:
            raise asyncio.CancelledError from None  # the window has closed
        return await made

    def _is_due(self, view: CursorView) -> bool:
        """Whether the last choice does not apply at a cursor."""
        if self._same_line(view, (view.uri, view.position.line)) and self._revisions == self._made_with:
            return False
        return bool(self._situation(view) != self._made_for)

    def _same_line(self, view: CursorView, at: tuple[str, int]) -> bool:
        """Whether a line goes on being typed that is not right yet."""
        is_wrong = view.parsed.is_hurried or view.parsed.n_errors > 0
        return self._made_for is not None and at == self._at and view.is_typing and is_wrong

    @property
    def _revisions(self) -> tuple[int, int]:
        return self.external.revision, self._gatherer.revision

    async def settled(self, view: CursorView) -> list[Block]:
        """What would be chosen for a cursor once the sources have finished reading (at most `SETTLE_SECONDS`), of the
        disk as it is now.  Does not change the choice."""
        return (await self._once_read(partial(self._selection, view))).chosen

    async def why(self, view: CursorView, name: str) -> Why:
        """What becomes of a name by that choice."""
        return await self._once_read(partial(self._explained, view, name))

    async def _once_read(self, question: Callable[[], T]) -> T:
        """Asked once so that the sources begin to read, and again when they have."""
        self._gatherer.look_again()
        await self._aside(question)
        await self._gatherer.settled()
        return await self._aside(question)

    def _explained(self, view: CursorView, name: str) -> Why:
        gatherer, selection = self._gatherer, self._selection(view)
        assert gatherer.definitions is not None  # the choice has asked the sources
        return explain(
            view, name, gatherer.offers(view, name), selection, self.budget, self.count, gatherer.definitions
        )

    def _selection(self, view: CursorView) -> Selection:
        candidates = self._gatherer.candidates(view)
        if self._follows:
            candidates = [replace(c, value=FOLLOWED_RULES) if c.source == RulesSource.name else c for c in candidates]
        valid = partial(self._gatherer.still_valid, view=view)
        return select(candidates, self._selected.chosen, self.budget, self.count, valid)

    @property
    def revision(self) -> int:
        """Rises when a source has read what it did not know when it was asked."""
        return self._gatherer.revision

    async def has_read(self, revision: int, most_s: float) -> bool:
        """Wait for the sources to finish reading, but not longer than that; whether they have read anything since."""
        await self._gatherer.settled(most_s)
        return self._gatherer.revision != revision

    async def knows_more_than(self, revision: int) -> bool:
        """Wait (at most `SETTLE_SECONDS`) for the sources to finish reading; whether they have read anything since
        `revision`, or the last choice is miscounted.

        Take `revision` before choosing, so that what is read while blocks are decoded counts too.
        """
        await self._gatherer.settled()
        return self.is_miscounted or self._gatherer.revision != revision

    @property
    def is_estimated(self) -> bool:
        """Whether the last choice has blocks that no engine has counted."""
        return any(hash(block.text) not in self._counts for block in self._selected.chosen)

    @property
    def is_miscounted(self) -> bool:
        """Whether blocks have been counted since the last choice without which it had to leave something out, or with
        which it is more than the budget."""
        made = self._selected
        is_full = len(made.chosen) < len(made.ranked) or sum(map(self.count, made.chosen)) > self.budget
        return is_full and any(self.count(it.block) != it.tokens for it in made.ranked)

    def pin(self, uri: str, roots: Sequence[Path]) -> Block:
        """Pin a file.  Raises InvalidArgument or OutsideWorkspace if it may not be read."""
        block = pinned_block(self._gatherer.files(roots), uri, self._settings.block_tokens)
        self.external.pin(uri)
        return block

    def file(self, path: Path, roots: Sequence[Path]) -> str | None:
        """The text of a file of the workspace, open or not; None if blocks may not contain it."""
        source = self._gatherer.files(roots).source(path, pinned=self._is_pinned(path))
        return None if source is None else source.text

    def kept_out(self, path: Path, roots: Sequence[Path]) -> str | None:
        """Why a file of the workspace may be neither shown nor edited, as the end of a sentence; None if it may."""
        return self._gatherer.files(roots).kept_out(path, pinned=self._is_pinned(path))

    def _is_pinned(self, path: Path) -> bool:
        return any(path_or_none(uri) == path for uri in self.external.pins)

    def count(self, block: Block) -> int:
        """Tokens of a block with its tags: the engine's count of this text, else an estimate.

        The estimate is scaled by the count of the block's last text, so that a new line does not change its rank.
        """
        known = self._counts.get(hash(block.text))
        return known or round(estimate_of(block) * self._ratios.get(block.key, 1.0))

    def counted(self, tokens: Mapping[BlockKey, int], blocks: Sequence[Block]) -> None:
        for block in blocks:
            if n := tokens.get(block.key):
                self._counts[hash(block.text)] = n
                self._ratios[block.key] = n / estimate_of(block)

    def document_closed(self) -> None:
        """The next choice is a new one; the document's blocks may stay while there is room."""
        self._made_for = None

    def files_changed(self) -> None:
        self._gatherer.files_changed()
        self._made_for = None

    def close(self) -> None:
        self._thread.shutdown(wait=False, cancel_futures=True)
        self._gatherer.close()

    def _situation(self, view: CursorView) -> Any:
        """What a choice depends on.  An import on the cursor's line does not count: half of a module's name finds
        nothing and would remove the blocks of the whole name."""
        editing = view.editing
        return (
            view.uri,
            editing.type,
            editing.name,
            tuple((i.module, i.name, i.alias, i.level) for i in view.imports if i.line != view.position.line),
            self._revisions,
        )
