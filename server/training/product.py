"""Workspaces as the product makes them: its own view of a cursor, its own sources, its own choice of blocks.

In: a package's folder and the modules in it.  Out: `examples.Workspace`s.

The text between the cursor and the middle's end is taken out of the document first, as if it had not been written yet;
the product then looks at what is left.  So editing blocks end where it would cut them, and a block is there only if the
product would find it without knowing the answer.  Knows no token.
"""

from __future__ import annotations

import ast
import keyword
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

from palimpsest.context.board import Board
from palimpsest.context.chooser import Chooser
from palimpsest.context.editing import editing_at
from palimpsest.context.gather import Gatherer
from palimpsest.context.view import CursorView
from palimpsest.prompt import blocks as rendering
from palimpsest.settings import ContextSettings
from palimpsest.syntax.parse import parse_text
from palimpsest.syntax.scopes import scope_at
from palimpsest.text.roots import Roots
from palimpsest.text.snapshot import Position, Snapshot
from palimpsest.text.uris import to_uri
from palimpsest.types import Block
from training import outline
from training.corpus import Module
from training.damage import damage, reply_text
from training.examples import (
    N_TAILS,
    SHARES,
    Layout,
    Tail,
    Workspace,
    choose_cut,
    digest,
    end_of_middle,
    parse,
    rename,
    renaming,
    short_docstrings,
)

SETTINGS = ContextSettings()
ROOM = [(60, 250, 0.1), (96, 400, 0.3), (140, 600, 0.35), (200, 900, 0.2), (400, 1500, 0.05)]
"""(tokens of a block, of all blocks, how often): less than the product's own limits, for there is little time."""
EDITING_TOKENS = (120, 180, 240, 270)
SHARE_INSIDE = 0.12
"""How often a cut is inside a word and not where the engine heals to."""


class Place:
    """One package's folder, opened as a workspace.  `cache` keeps what interpreters said."""

    def __init__(self, folder: Path, cache: Path) -> None:
        self.folder, self.roots = folder, Roots((folder,))
        self.gatherer = Gatherer(Board(), SETTINGS, cache=cache, variables={}, synchronous=True)

    def view(self, path: str, text: str, at: Position, settings: ContextSettings) -> CursorView:
        uri = to_uri(self.folder / path)
        snapshot = Snapshot(uri, 1, "python", text)
        parsed = replace(parse_text(text, "python"), snapshot=snapshot)
        root, file = self.roots.place(uri)
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
        self, module: Module, words: Sequence[str], seen: set[int], rng: Random, share_renamed: float
    ) -> Iterator[Workspace]:
        """The workspaces of one module.  `seen` holds the hashes of functions met before, and is added to."""
        tree = parse(module.source)
        source = short_docstrings(module.source, tree) if tree else ""
        tree = parse(source) if tree else None
        if tree is None:
            return
        names = renaming(tree, words, rng) if rng.random() < share_renamed else {}
        lines = source.split("\n")
        scopes = list(fresh(tree, lines, seen))
        for at in range(0, len(scopes), N_TAILS):
            block_tokens, budget, _ = rng.choices(ROOM, [weight for _, _, weight in ROOM])[0]
            settings = replace(
                SETTINGS, block_tokens=block_tokens, budget=budget, editing_tokens=rng.choice(EDITING_TOKENS)
            )
            chooser = Chooser(self.gatherer, self.gatherer._board, settings)
            known: set[str] = set()
            tails, blocks = [], list[Block]()
            for scope in scopes[at : at + N_TAILS]:
                if tail := self.tail(module, lines, scope, known, settings, chooser, bool(names), rng):
                    found, chosen = tail
                    tails.append(found)
                    blocks = chosen
                    known = defined(chosen)
            if tails and blocks:
                rng.shuffle(blocks)
                texts = tuple(rename(rendering.render_context(block), names) for block in blocks)
                yield Workspace(module.package, texts, tuple(renamed(tail, names) for tail in tails))

    def tail(
        self,
        module: Module,
        lines: Sequence[str],
        scope: outline.Scope,
        known: Collection[str],
        settings: ContextSettings,
        chooser: Chooser,
        is_renamed: bool,
        rng: Random,
    ) -> tuple[Tail, list[Block]] | None:
        """A tail and the blocks that the product chooses for it, those of the tails before among them."""
        layout = rng.choices(list(SHARES), list(SHARES.values()))[0]
        if not known:  # the first of a workspace: what blocks there will be is not known yet
            middle = Position(rng.randrange(scope.first + 1, scope.end), 0)
            view = self.view(module.path, "\n".join(lines), middle, settings)
            known = defined(chooser.choose(view, fresh=True))
        if layout == "repair":
            if found := self.repair(module, lines, scope, known, settings, chooser, is_renamed, rng):
                return found
            layout = "spm"
        return self.completion(layout, module, lines, scope, known, settings, chooser, rng)

    def completion(
        self,
        layout: Layout,
        module: Module,
        lines: Sequence[str],
        scope: outline.Scope,
        known: Collection[str],
        settings: ContextSettings,
        chooser: Chooser,
        rng: Random,
    ) -> tuple[Tail, list[Block]] | None:
        texts = lines[scope.first : scope.end]
        cut = choose_cut(texts, 1, known, rng)
        if cut is None:
            return None
        line, column = cut
        ends = {}
        for node in ast.walk(scope.node):
            if isinstance(node, ast.stmt) and not hasattr(node, "body"):
                ends[node.lineno - 1 - scope.first] = (node.end_lineno or node.lineno) - 1 - scope.first
        last, stop, kind = end_of_middle(texts, line, column, ends, rng)
        if rng.random() < SHARE_INSIDE:
            here = stop if last == line else len(texts[line])
            column, kind = min(column + rng.randint(1, 6), max(here - 1, column)), "inside"
        middle = "\n".join([*texts[line:last], texts[last][:stop]])[column:]
        text, at = without(lines, Position(scope.first + line, column), Position(scope.first + last, stop))
        view = self.view(module.path, text, at, settings)
        blocks = chooser.choose(view, fresh=True)
        prefix, suffix = rendering.render_fim(view.editing)
        return Tail(layout, prefix, suffix, rendering.escape_closing(middle, "editing"), kind), blocks

    def repair(
        self,
        module: Module,
        lines: Sequence[str],
        scope: outline.Scope,
        known: Collection[str],
        settings: ContextSettings,
        chooser: Chooser,
        is_renamed: bool,
        rng: Random,
    ) -> tuple[Tail, list[Block]] | None:
        texts = list(lines[scope.first : scope.end])
        if not 2 < len(texts) < 17 or sum(map(len, texts)) > 560:
            return None
        try:
            broken = damage(texts, rng, known)
        except (SyntaxError, IndexError, ValueError):
            return None  # a function that does not stand alone once dedented
        if broken is None or (is_renamed and broken.kind == "misspelt"):
            return None
        text = "\n".join([*lines[: scope.first], *broken.lines, *lines[scope.end :]])
        at = Position(scope.first + rng.randrange(1, len(broken.lines)), 0)
        view = self.view(module.path, text, at, settings)
        shown = view.editing.lines
        if [line.text for line in shown] != list(broken.lines) or shown[-1].number != len(shown):
            return None
        blocks = chooser.choose(view, fresh=True)
        return Tail("repair", rendering.render_numbered(view.editing), "", reply_text(broken), broken.kind), blocks


def fresh(tree: ast.Module, lines: Sequence[str], seen: set[int]) -> Iterator[outline.Scope]:
    """Functions of some length that were not met before."""
    for scope in outline.functions(tree):
        key = digest(" ".join("\n".join(lines[scope.first : scope.end]).split()))
        if scope.end - scope.first > 2 and key not in seen:
            seen.add(key)
            yield scope


def defined(blocks: Sequence[Block]) -> set[str]:
    """The names that stand in blocks."""
    return {w for b in blocks for w in outline.WORD.findall(b.text) if len(w) > 3} - set(keyword.kwlist)


def without(lines: Sequence[str], start: Position, end: Position) -> tuple[str, Position]:
    """The document with the text between two positions taken out, and where that was."""
    joined = lines[start.line][: start.column] + lines[end.line][end.column :]
    return "\n".join([*lines[: start.line], joined, *lines[end.line + 1 :]]), start


def renamed(tail: Tail, names: dict[str, str]) -> Tail:
    return Tail(tail.layout, *(rename(x, names) for x in (tail.prefix, tail.suffix, tail.middle)), tail.kind)
