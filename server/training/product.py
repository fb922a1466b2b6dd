"""Workspaces as the product makes them: its own view of a cursor, its own sources, its own choice of blocks.

In: a package's folder and the modules in it.  Out: `examples.Workspace`s.

The text between the cursor and the middle's end is taken out of the document first, as if it had not been written yet;
the product then looks at what is left.  So editing blocks end where it would cut them, and a block is there only if the
product would find it without knowing the answer.  Knows no token.
"""

from __future__ import annotations

import keyword
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

from bench.repairing.damage import Damage
from palimpsest.config.settings import ContextSettings
from palimpsest.context.choice.chooser import Chooser
from palimpsest.context.editing.block import editing_at
from palimpsest.context.external_blocks import ExternalBlocks
from palimpsest.context.sources.gatherer import Gatherer
from palimpsest.context.view import CursorView
from palimpsest.edits.formats.ln_diff import TEXT as LN_DIFF
from palimpsest.languages.registry import language_of
from palimpsest.prompt import blocks as rendering
from palimpsest.prompt.instructions import suggestion_tail
from palimpsest.syntax.parse import parse_text
from palimpsest.syntax.scopes import scope_at
from palimpsest.text.roots import Roots
from palimpsest.text.snapshot import Position, Snapshot
from palimpsest.text.uris import to_uri
from palimpsest.types import Block
from training import outline
from training.corpus import Module
from training.damage import reply_text, wishes
from training.examples import (
    N_TAILS,
    USUAL,
    Layout,
    Mix,
    Tail,
    Workspace,
    choose_cut,
    digest,
    end_of_middle,
    rename,
    renaming,
)
from training.next_edit import next_edit
from training.sketch import Sketch, Span, sketch

SETTINGS = ContextSettings()
ROOM = [(60, 250, 0.1), (96, 400, 0.3), (140, 600, 0.35), (200, 900, 0.2), (400, 1500, 0.05)]
"""(tokens of a block, of all blocks, how often): less than the product's own limits, for there is little time."""
EDITING_TOKENS = (120, 180, 240, 270)
SHARE_OUTSIDE, SHARE_INSIDE = 0.08, 0.12
"""How often a cut is outside of functions; inside a word, and not where the engine heals to."""


class Place:
    """One package's folder, opened as a workspace.  `cache` keeps what interpreters said."""

    def __init__(self, folder: Path, cache: Path) -> None:
        self.folder, self.roots, self.board = folder, Roots((folder,)), ExternalBlocks()
        self.gatherer = Gatherer(self.board, SETTINGS, cache=cache, variables={}, synchronous=True)

    def view(self, path: str, text: str, at: Position, settings: ContextSettings) -> CursorView:
        uri = to_uri(self.folder / path)
        language = language_of("", path)
        snapshot = Snapshot(uri, 1, language.id, text)
        parsed = replace(parse_text(text, language), snapshot=snapshot)
        root, file = self.roots.locate(uri)
        return CursorView(
            parsed=parsed,
            scope=scope_at(parsed, at.line, at.column),
            editing=editing_at(parsed, at, file, settings.editing_tokens),
            position=at,
            file=file,
            roots=self.roots.folders,
            root=root,
            settings=settings,
        )

    def workspaces(
        self,
        module: Module,
        words: Sequence[str],
        wanted: Collection[int],
        rng: Random,
        mix: Mix,
    ) -> Iterator[Workspace]:
        """The workspaces of one module: of its functions those whose `digest` is wanted."""
        found = sketch(module.path, module.source)
        if found is None:
            return
        names = renaming(found.names(), words, rng) if rng.random() < mix.renamed else {}
        file = File(module.path, found, bool(names))
        spans = [span for span in found.functions if function_digest(found.lines, span) in wanted]
        for at in range(0, len(spans), N_TAILS):
            desk = Desk(self, file, rng, mix, words)
            cuts = [span for span in spans[at : at + N_TAILS] for _ in range(mix.n_cuts)]
            tails = [tail for span in cuts if (tail := desk.tail(span))]
            if tails and desk.blocks:
                rng.shuffle(desk.blocks)
                texts = tuple(rename(rendering.render_context(block), names) for block in desk.blocks)
                yield Workspace(module.package, texts, tuple(renamed(tail, names) for tail in tails))


@dataclass(frozen=True)
class File:
    """A module as it is worked on; `is_renamed`: some of its names will be replaced by fresh ones."""

    path: str
    sketch: Sketch
    is_renamed: bool

    @property
    def lines(self) -> list[str]:
        return self.sketch.lines


class Desk:
    """Somebody at work in one file: `blocks` is what the product has chosen for the last cursor."""

    def __init__(self, place: Place, file: File, rng: Random, mix: Mix = USUAL, words: Sequence[str] = ()) -> None:
        self.place, self.file, self.rng, self.mix, self.words = place, file, rng, mix, words
        block_tokens, budget, _ = rng.choices(ROOM, [weight for _, _, weight in ROOM])[0]
        self.settings = replace(
            SETTINGS, block_tokens=block_tokens, budget=budget, editing_tokens=rng.choice(EDITING_TOKENS)
        )
        self.chooser = Chooser(place.gatherer, place.board, self.settings)
        self.blocks: list[Block] = []

    def look(self, text: str, at: Position) -> CursorView:
        """The cursor is there now, and the product chooses."""
        view = self.place.view(self.file.path, text, at, self.settings)
        self.blocks = self.chooser.choose(view, fresh=True)
        return view

    def tail(self, span: Span) -> Tail | None:
        layout = self.rng.choices(list(self.mix.shares), list(self.mix.shares.values()))[0]
        if not self.blocks:  # what there will be is to be known before a cut is chosen
            self.look("\n".join(self.file.lines), Position(span.first + 1, 0))
        if layout == "repair":
            if found := self.repair(span):
                return found
            layout = "spm"
        if self.rng.random() < SHARE_OUTSIDE:
            return self.completion(layout, range(len(self.file.lines)), self.file.sketch.headings, {})
        body = range(span.first, span.end)
        return self.completion(layout, body, body[span.header :], self.file.sketch.ends(span))

    def completion(self, layout: Layout, lines: range, among: Sequence[int], ends: dict[int, int]) -> Tail | None:
        """A cut in one of the lines `among`, chosen by what stands in `lines`."""
        rng, whole = self.rng, self.file.lines
        texts = whole[lines.start : lines.stop]
        known = set[str]() if self.mix.plain_cuts else defined(self.blocks)
        cut = choose_cut(texts, [i - lines.start for i in among], known, rng, self.file.sketch.comments)
        if cut is None:
            return None
        line, column = lines.start + cut[0], cut[1]
        if ends:
            last, stop, kind = end_of_middle(whole[: lines.stop], line, column, ends, rng)
        else:
            last, stop, kind = line, len(whole[line]), "heading"
        if rng.random() < SHARE_INSIDE:
            here = stop if last == line else len(whole[line])
            column, kind = min(column + rng.randint(1, 6), max(here - 1, column)), "inside"
        middle = "\n".join([*whole[line:last], whole[last][:stop]])[column:]
        view = self.look(*without(whole, Position(line, column), Position(last, stop)))
        prefix, suffix = rendering.render_fim(view.editing)
        return Tail(layout, prefix, suffix, rendering.escape_closing(middle, "editing"), kind)

    def repair(self, span: Span) -> Tail | None:
        lines = self.file.lines
        texts = lines[span.first : span.end]
        if not 2 < len(texts) < 17 or sum(map(len, texts)) > 560:
            return None
        broken, said = self.damage(texts)
        if broken is None or (self.file.is_renamed and broken.kind == "misspelt"):
            return None
        text = "\n".join([*lines[: span.first], *broken.lines, *lines[span.end :]])
        view = self.look(text, Position(span.first + self.rng.randrange(1, len(broken.lines)), 0))
        shown = view.editing.lines
        if [line.text for line in shown] != list(broken.lines) or shown[-1].number != len(shown):
            return None
        is_asked = not said and self.mix.asked > 0 and self.rng.random() < self.mix.asked
        instruction = self.rng.choice(wishes(broken)) if is_asked else said
        shown_as = suggestion_tail(
            view.editing, instruction, is_told=False, language=view.parsed.language.name, format=LN_DIFF
        )
        return Tail("repair", shown_as, "", reply_text(broken), broken.kind)

    def damage(self, lines: list[str]) -> tuple[Damage | None, str | None]:
        """A function broken in one way; or as it was before a change made elsewhere, too, and what is said of that."""
        if self.mix.followed > 0 and self.rng.random() < self.mix.followed:
            return next_edit(lines, self.rng, self.words) or (None, None)
        try:
            return self.file.sketch.broken(lines, self.rng, defined(self.blocks)), None
        except (SyntaxError, IndexError, ValueError):
            return None, None  # a function that does not stand alone once dedented


def function_digest(lines: Sequence[str], span: Span) -> int:
    """Names a function's text, whatever its spacing."""
    return digest(" ".join("\n".join(lines[span.first : span.end]).split()))


def functions(module: Module) -> list[int]:
    """Digests of the functions of some length, as `Place.workspaces` meets them."""
    found = sketch(module.path, module.source)
    return [function_digest(found.lines, span) for span in found.functions if span.is_wanted] if found else []


def defined(blocks: Sequence[Block]) -> set[str]:
    """The names that stand in blocks."""
    return {w for b in blocks for w in outline.WORD.findall(b.text) if len(w) > 3} - set(keyword.kwlist)


def without(lines: Sequence[str], start: Position, end: Position) -> tuple[str, Position]:
    """The document with the text between two positions taken out, and where that was."""
    joined = lines[start.line][: start.column] + lines[end.line][end.column :]
    return "\n".join([*lines[: start.line], joined, *lines[end.line + 1 :]]), start


def renamed(tail: Tail, names: dict[str, str]) -> Tail:
    prefix, suffix, middle = (rename(text, names) for text in (tail.prefix, tail.suffix, tail.middle))
    return replace(tail, prefix=prefix, suffix=suffix, middle=middle)
