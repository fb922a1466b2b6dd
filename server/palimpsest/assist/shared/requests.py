"""Requests to the engine for a cursor: its blocks and the code around it, in the terms of `wire`.

In: a view, chosen blocks, settings.  Out: requests.  Pure; sends nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from palimpsest import wire
from palimpsest.completion.inline import open_brackets, stops
from palimpsest.config.settings import Settings
from palimpsest.context.view import CursorView
from palimpsest.edits.formats import FORMATS
from palimpsest.edits.line_fixes import LineFix
from palimpsest.edits.shown import EDITING, ShownBlock
from palimpsest.prompt.blocks import (
    FOOTER,
    HEADER,
    number_line,
    render_context,
    render_fim,
    render_numbered,
)
from palimpsest.prompt.suggestion import suggestion_tail
from palimpsest.prompt.summary import CLOSE, LINE_GRAMMAR
from palimpsest.text.markup import escape_closing
from palimpsest.text.positions import well_formed
from palimpsest.types import Block, BlockType

AGAIN = 0.7
"""The least temperature when the same request is repeated: greedy decoding would repeat the answer, too."""
KEPT_TEXTS = 512
"""Blocks of which the rendered text and its hash are cached between requests."""

WORD_SEARCH = 4
"""Paths that the search for a word follows at once."""
SMALL = 500_000_000
"""Parameters of a model up to which the search is cheap compared with the answer."""

NAME_TOKENS = 16
"""The most tokens of a name."""

LINES_BEHIND = 3
"""Lines behind a changed one that bear on how likely it is."""

LINE_TOKENS, SUMMARY_TOKENS = 64, 300
"""The most tokens of a commit message: its first line alone, and with a body."""


def _block(type: BlockType, name: str, text: str, editable: bool) -> wire.WantedBlock:
    block = Block(type, name, text, editable=editable)
    rendered = well_formed(render_context(block))
    return wire.WantedBlock(str(block.key), rendered, wire.text_hash(rendered))


def _cached_blocks() -> Callable[[BlockType, str, str, bool], wire.WantedBlock]:
    return lru_cache(KEPT_TEXTS)(_block)


@dataclass(frozen=True, slots=True)
class Requests:
    """Requests of one workspace under its settings.  `n_params`: of the model that is there now, None where there is
    none or nobody knows."""

    workspace: str
    settings: Settings
    n_params: Callable[[], int | None] = lambda: None
    _block: Callable[[BlockType, str, str, bool], wire.WantedBlock] = field(
        default_factory=_cached_blocks, init=False, repr=False, compare=False
    )

    def sync(self, blocks: Iterable[Block], slot: wire.Slot, *, first: bool = True) -> wire.SyncRequest:
        """For `typing` with a bound: blocks that take longer to decode are left to the next pause."""
        wanted = [self._block(block.type, block.name, block.text, block.editable) for block in blocks]
        options = self.settings.completion
        bound = (options.sync_ms if first else options.time_ms) if slot == "typing" else 0
        return wire.SyncRequest(self.workspace, HEADER, FOOTER, wanted, slot, max_decode_ms=bound)

    def completion(
        self,
        view: CursorView,
        blocks: Iterable[Block],
        multiline: bool,
        n: int,
        *,
        first: bool = True,
        review: int = 0,
        names: Sequence[str] = (),
    ) -> wire.GenerateRequest:
        """The middle at the cursor; replaces an older one that still waits or runs.  `first`: with little time, since
        somebody is typing.  `review`: other lines that are tried, where there is code behind.  `names` that can stand
        at the cursor, where that is known."""
        options = self.settings.completion
        prefix, suffix = map(well_formed, render_fim(view.editing))
        # An open bracket is a statement that goes on, also where one line is asked for.
        brackets = open_brackets(view.editing.prefix, view.editing.suffix, view.parsed.language)
        return wire.GenerateRequest(
            workspace=self.workspace,
            fim=wire.FimTail(prefix, suffix, layout=options.layout, heal=options.heal),  # type: ignore[arg-type]
            slot="typing",
            sync=self.sync(blocks, "typing", first=first),
            max_tokens=options.max_tokens,
            time_ms=min(options.first_ms, options.time_ms) if first else options.time_ms,
            stop=stops(multiline, brackets=brackets),
            n=n,
            sampling=wire.Sampling(temperature=0.0, seed=0),
            replace=f"{self.workspace}:typing",
            word_search=self.word_search,
            review=review,
            names=list(names),
        )

    @property
    def word_search(self) -> int:
        """Paths of the search for the word being typed, 0 where there is none."""
        choice, n_params = self.settings.completion.known_words, self.n_params()
        wanted = choice == "always" or (choice == "auto" and n_params is not None and n_params <= SMALL)
        return WORD_SEARCH if wanted else 0

    def warm_up(self, view: CursorView) -> wire.GenerateRequest:
        """Decode the tail that `completion` asks for, after the blocks that are there, when nothing is more urgent; a
        completion that comes meanwhile continues from what is decoded."""
        request = self.completion(view, (), multiline=False, n=1)
        return replace(request, slot="background", tail="typing", sync=None, max_tokens=0)

    def completion_ahead(
        self,
        view: CursorView,
        blocks: Iterable[Block],
        multiline: bool,
        *,
        review: int = 0,
        names: Sequence[str] = (),
    ) -> wire.GenerateRequest:
        """The same with more time, when nothing is more urgent; whoever types replaces it, and finds its tail."""
        request = self.completion(view, (), multiline, 1, first=False, review=review, names=names)
        return replace(request, slot="background", tail="typing", sync=self.sync(blocks, "background"))

    def name(self, view: CursorView, blocks: Iterable[Block], slot: wire.Slot) -> wire.GenerateRequest:
        """The rest of a name, for someone who waits for an edit and does not type."""
        request = self.completion(view, (), multiline=False, n=1, first=False)
        return replace(request, slot=slot, sync=self.sync(blocks, slot), max_tokens=NAME_TOKENS, replace="")

    def suggestion(
        self,
        view: CursorView,
        blocks: Iterable[Block],
        shown: Iterable[ShownBlock],
        *,
        instruction: str,
        instructions: bool,
        n: int,
        format: str = "",
        round: int = 0,
        slot: wire.Slot = "suggestion",
    ) -> wire.GenerateRequest:
        """Edits of what is shown, under a grammar that admits nothing else.  A model that is told the format
        (`instructions`) may edit other blocks, too; a small one keeps to the editing block.  `format` names another
        edit format than the setting's; `round` counts how often the same was asked before: other replies are wanted."""
        options = self.settings.suggestion
        written = FORMATS[format or options.format]
        tail = suggestion_tail(
            view.editing, instruction or None, instructions, language=view.parsed.language.name, format=written.name
        )
        nameable = [block for block in shown if instructions or block.name == EDITING]
        return wire.GenerateRequest(
            workspace=self.workspace,
            **_text(tail, chat=instructions),
            slot=slot,
            sync=self.sync(blocks, slot),
            max_tokens=options.max_tokens,
            time_ms=options.time_ms,
            grammar=written.grammar(nameable),
            n=n,
            sampling=wire.Sampling(temperature=max(options.temperature, AGAIN * (round > 0)), seed=round),
            draft=options.draft,
        )

    def scores(
        self, view: CursorView, blocks: Iterable[Block], fixes: Sequence[LineFix], slot: wire.Slot
    ) -> wire.ScoreRequest:
        """How likely the editing block is with each of some fixes."""
        head, *lines, end = render_numbered(view.editing).split("\n", len(view.editing.lines) + 1)
        shown = view.editing.lines
        variants = list[wire.Variant]()
        for fix in fixes:
            last = min(fix.index + 1 + LINES_BEHIND, len(shown))
            behind = shown[fix.index + 1 : last]
            number, less = shown[fix.index].number, 1 - len(fix.instead)
            texts = [(number, text) for text in fix.instead]
            texts += [(None if line.number is None else line.number - less, line.text) for line in behind]
            instead = [escape_closing(number_line(*each), "editing") + "\n" for each in texts]
            is_whole = last == len(shown)
            variants.append(wire.Variant(fix.index + 1, last + 1 + is_whole, instead + [end] * is_whole))
        return wire.ScoreRequest(
            workspace=self.workspace,
            lines=[well_formed(f"{line}\n") for line in (head, *lines)] + [well_formed(end)],
            variants=[replace(variant, lines=[*map(well_formed, variant.lines)]) for variant in variants],
            slot=slot,
            sync=self.sync(blocks, slot),
        )

    def summary(self, asked: str, blocks: Iterable[Block], *, chat: bool) -> wire.GenerateRequest:
        """A commit message: with `chat` for a question, else a summary's one line that goes on from `asked`."""
        return wire.GenerateRequest(
            workspace=self.workspace,
            **_text(asked, chat=chat),
            slot="suggestion",
            sync=self.sync(blocks, "suggestion"),
            max_tokens=SUMMARY_TOKENS if chat else LINE_TOKENS,
            time_ms=self.settings.suggestion.time_ms,
            stop=[] if chat else [CLOSE],
            grammar="" if chat else LINE_GRAMMAR,
            sampling=wire.Sampling(temperature=0.0, seed=0),
        )


def _text(text: str, *, chat: bool) -> dict[str, Any]:
    """The tail for a text: a user's message with `chat`, else text to go on from."""
    text = well_formed(text)
    return {"chat": wire.ChatTail([wire.Message("user", text)])} if chat else {"text": wire.TextTail(text)}


def whole_prompt(view: CursorView, blocks: Sequence[Block]) -> str:
    """The prompt as a model reads it from front to back, the editing block with its line numbers."""
    return HEADER + "".join(map(render_context, blocks)) + FOOTER + render_numbered(view.editing)
