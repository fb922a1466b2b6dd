"""Which names that the code at a cursor uses, and other files define, stand in some block there.

In: a window with a complete index, files, a seed.  Out: counts by language.  A place is the first line of a function's
body.  A name counts if the function uses it, the language does not come with it, its own file does not define it, and
at most `MOST_DEFINITIONS` places of other files do, no tests.  With `cut`, the function's body behind its first line is
taken out of the document, and the names count that occur in it and nowhere else in the editing block: what is yet to be
written.  Estimated tokens are counted as unused of blocks that declare none of the function's names.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from bench.gathering.timing import places_in
from palimpsest.checking.window import WindowWithoutEditor
from palimpsest.context.choice.why import NO_CODE
from palimpsest.context.estimate import estimate
from palimpsest.context.name_uses import name_uses, names_that_come_with
from palimpsest.context.sources.counterparts import Counterparts
from palimpsest.context.view import CursorView
from palimpsest.languages.name_index import IndexedDefinition, NameIndex
from palimpsest.languages.registry import language_of
from palimpsest.syntax.imports import imports
from palimpsest.syntax.names import names_in
from palimpsest.syntax.parse import Parsed
from palimpsest.syntax.scopes import scope_at, scopes
from palimpsest.syntax.unknown import bound_in
from palimpsest.text.snapshot import Position
from palimpsest.types import Block
from palimpsest.workspace.files import WorkspaceFiles

MOST_DEFINITIONS = 3
SHORTEST = 3
_WORD = re.compile(r"[^\W\d]\w*")


@dataclass(slots=True)
class Recalled:
    """Of one language.  `missed` by the kind of the definition and what stands before the name; `examples` of them."""

    places: int = 0
    names: int = 0
    shown: int = 0
    tokens: int = 0
    unused: int = 0
    missed: Counter[str] = field(default_factory=Counter)
    examples: list[str] = field(default_factory=list)


class Recall:
    def __init__(self, window: WindowWithoutEditor, files: WorkspaceFiles, index: NameIndex) -> None:
        self._window, self._files, self._index = window, files, index
        self._counterparts = Counterparts(files)

    async def measure(self, paths: Sequence[Path], n: int, seed: int, *, cut: bool) -> dict[str, Recalled]:
        """At `n` places, one of each file as long as there are files with functions."""
        random, found = Random(seed), dict[str, Recalled]()
        for path in random.sample(paths, len(paths)):
            if sum(one.places for one in found.values()) >= n:
                break
            if not self._counterparts.is_test(path, language_of("", path.name)):
                await self._at(path, random, found, cut=cut)
        return found

    async def _at(self, path: Path, random: Random, found: dict[str, Recalled], *, cut: bool) -> None:
        parsed = self._window.open(path)
        try:
            around = ((place, scope_at(parsed, place.line, place.column)) for place in places_in(parsed))
            places = [place for place, it in around if it.kind == "function" and it.end_line > place.line + SHORTEST]
            if not places:
                return
            place = random.choice(places)
            wanted = self._wanted(parsed, place, path)
            if cut:
                parsed, place, left = self._cut(parsed, place)
                wanted = {name: kinds for name, kinds in wanted.items() if name not in left}
            if not wanted:
                return
            view = self._window.view(parsed, place)
            blocks = await self._window.chooser.settled(view)
            counts = found.setdefault(parsed.language.id, Recalled())
            self._count(counts, view, blocks, wanted)
        finally:
            self._window.close(parsed)

    def _wanted(self, parsed: Parsed, place: Position, path: Path) -> dict[str, str]:
        language, scope = parsed.language, scope_at(parsed, place.line, place.column)
        code = "\n".join(parsed.snapshot.lines[scope.start_line : scope.end_line])
        known = names_that_come_with(language) | {one.name for one in scopes(parsed)}
        alone = names_in(parsed, scope.start_line, scope.end_line)
        alone -= bound_in(parsed, 0, parsed.snapshot.line_count) - {item.bound for item in imports(parsed)}
        found = dict[str, str]()
        for use in name_uses(code, language.lexical, language.member_marks):
            if use.name in known or len(use.name) < SHORTEST or use.name in found:
                continue
            if use.head == "" and use.name not in alone and not (use.is_called and language.bare_members):
                continue
            places = self._definitions(use.name, path)
            if 0 < len(places) <= MOST_DEFINITIONS and all(one.path != path for one in places):
                head = "" if use.head == "" else "value." if use.head is None else "name."
                found[use.name] = f"{head}{places[0].kind}{'' if len(places) == 1 else ' of several'}"
        return found

    def _definitions(self, name: str, path: Path) -> list[IndexedDefinition]:
        language = language_of("", path.name)
        every = self._index.definitions(name)
        near = [one for one in every if language_of(one.language, one.path.name).lexical == language.lexical]
        return [one for one in near if not self._counterparts.is_test(one.path, language)]

    def _cut(self, parsed: Parsed, place: Position) -> tuple[Parsed, Position, set[str]]:
        scope, lines = scope_at(parsed, place.line, place.column), parsed.snapshot.lines
        last = scope.end_line - (0 if parsed.language.indented else 1)
        kept = [*lines[: place.line + 1], *lines[last:]]
        text = "\n".join(kept)
        again = self._window.reopen(parsed, text)
        view = self._window.view(again, place)
        return again, place, set(_WORD.findall(view.editing.text))

    def _count(self, counts: Recalled, view: CursorView, blocks: Sequence[Block], wanted: dict[str, str]) -> None:
        counts.places += 1
        words = [(block, set(_WORD.findall(block.text))) for block in blocks]
        shown = {name for name in wanted if any(name in some for block, some in words if block.type not in NO_CODE)}
        counts.names += len(wanted)
        counts.shown += len(shown)
        counts.missed.update(kind for name, kind in wanted.items() if name not in shown)
        counts.examples += [f"{view.file}:{view.position.line + 1} {name}" for name in wanted if name not in shown]
        language = view.parsed.language
        used = (wanted.keys() | view.used | {use.name for use in view.name_uses}) - language.common_words
        used -= language.builtins | {view.typed}
        for block, some in words:
            if block.type not in NO_CODE:
                counts.tokens += (size := estimate(block.text))
                counts.unused += size if some.isdisjoint(used) else 0
