"""Why a name of the code is in the context, or is not: what the sources have, what the choice made of it, and where the
name is defined.

In: a view, a name, the sources' offers, a choice, the index.  Out: a `Why`.  A block that has the name among its words
declares it if a line is about it: one that imports it, or has it as the type or argument of something else, is not.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Literal

from palimpsest.context.choice.selection import Ranked, Selection
from palimpsest.context.name_uses import bare_name, names_that_come_with, without_strings
from palimpsest.context.sources.elsewhere import ElsewhereSource
from palimpsest.context.sources.gatherer import SourceOffer
from palimpsest.context.sources.indexed import INCOMPLETE, IndexedDefinitions
from palimpsest.context.sources.package import PackageSource
from palimpsest.context.view import CursorView
from palimpsest.languages.name_index import IndexedDefinition
from palimpsest.languages.registry import language_of
from palimpsest.syntax.names import visible
from palimpsest.syntax.unknown import bound_in
from palimpsest.text.uris import to_uri
from palimpsest.types import Block, BlockKey

NO_CODE = frozenset({"filesystem", "documentation", "recent"})
"""Types of blocks that declare no names."""
MOST = 20
"""Definitions and blocks that are told; the first, and how many there are."""
_LONGEST = 160
_OF_ANOTHER = re.compile(r"(?<!:):(?!:)|=|->|\w<[^>]*$")
"""What stands before types and values."""
_OWNER = re.compile(r"^[\w.:\\]+: (?=[^=]*\()")
"""The class before a method's signature (`indexed.written`)."""

Outcome = Literal["chosen", "no room", "off", "same name", "same lines"]
Origin = Literal["workspace", "library", "nowhere"]


@dataclass(frozen=True, slots=True)
class Holder:
    """A block that has the name.  `line`: that of its text; `place` in the order of the choice, from 1, or 0 if it has
    none; `instead`: the block that has its name or its lines."""

    block: Block
    tokens: int
    source: str
    outcome: Outcome
    line: str
    declares: bool
    place: int = 0
    instead: BlockKey | None = None

    @property
    def name(self) -> str:
        return f"{self.block.type} {self.block.name}"


@dataclass(frozen=True, slots=True)
class Looked:
    """A source: how many blocks it has, how many of them with the name, and if none declares it why."""

    source: str
    setting: str
    on: bool
    blocks: int
    having: int
    why_not: str


@dataclass(frozen=True, slots=True)
class Defined:
    """A place that the index has.  `file`: below its workspace folder; `line` from 0; `test`: tests define it."""

    uri: str
    file: str
    line: int
    kind: str
    name: str
    test: bool


@dataclass(frozen=True, slots=True)
class ImportOrigin:
    """An import that binds the name, or what stands before it."""

    module: str
    line: int
    origin: Origin


@dataclass(frozen=True, slots=True)
class Why:
    """`uses`: what stands before it in the editing block, "" for nothing, None for a value; `own_line`: where the file
    defines it, if the code at the cursor can use that; `is_shown`: the editing block has that line."""

    name: str
    uses: tuple[str | None, ...]
    is_common: bool
    own_line: int | None
    is_shown: bool
    is_complete: bool
    n_definitions: int
    definitions: tuple[Defined, ...]
    imports: tuple[ImportOrigin, ...]
    n_holders: int
    holders: tuple[Holder, ...]
    looked: tuple[Looked, ...]
    selection: Selection
    budget: int

    @property
    def summary(self) -> str:
        """What became of the name in one sentence, the first that holds."""
        return next(self._summaries())

    def _summaries(self) -> Iterator[str]:
        if self.own_line is not None and self.is_shown:
            yield f"The model sees it: the code at the cursor shows line {self.own_line + 1}, which defines it."
        if self.is_common and self.own_line is None and not self.n_definitions:
            yield "It comes with the language, so no source looks for it."
        declaring = [holder for holder in self.holders if holder.declares]
        yield from (f"The model sees it in {it.name}." for it in declaring if it.outcome == "chosen")
        yield from (self._without_room(it) for it in declaring if it.outcome == "no room")
        for holder in declaring:
            if holder.outcome == "off":
                yield f"{holder.name} has it, but comes from a source that is switched off (context.sources)."
            if holder.outcome in ("same name", "same lines"):
                shared = holder.outcome.removeprefix("same ")
                yield f"{holder.name} has it, but there is a better block of its {shared}."
        if not self.uses:
            yield "The code at the cursor does not use it, so no source looks for it."
        if not self.is_complete:
            yield f"No block has it, and {INCOMPLETE}."
        for item in self.imports:
            if item.origin == "nowhere":
                yield f"No block has it: the import in line {item.line + 1} leads to no file that a model may see."
        asked = PackageSource.name if self.imports else ElsewhereSource.name
        reason = next(it.why_not for it in self.looked if it.source == asked)
        yield f"No block has it: {reason}." if reason else "No block has it."

    def _without_room(self, holder: Holder) -> str:
        chosen, before = self.selection.chosen, self.selection.ranked[: holder.place - 1]
        taken = sum(ranked.tokens for ranked in before if ranked.block in chosen)
        return (
            f"{holder.name} has it, but there is no room for its {holder.tokens} tokens: of {self.budget}, "
            f"{taken} are taken by what comes before it."
        )


def explain(
    view: CursorView,
    name: str,
    offers: Sequence[SourceOffer],
    selection: Selection,
    budget: int,
    count: Callable[[Block], int],
    definitions: IndexedDefinitions,
) -> Why:
    own = _own_line(view, name)
    places = definitions.every(view, name)
    word = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
    every = _holders(view, word, offers, selection, count)
    holders = sorted(every, key=lambda it: (not it.declares, it.outcome != "chosen"))
    uses = dict.fromkeys(use.head for use in view.name_uses if use.name == name)
    return Why(
        name=name,
        uses=tuple(uses)[:MOST] or (("",) if name in map(bare_name, view.used) else ()),
        is_common=name in names_that_come_with(view.parsed.language),
        own_line=own,
        is_shown=own in view.shown_lines,
        is_complete=definitions.is_complete,
        n_definitions=len(places),
        definitions=tuple(_defined(view, definitions, it) for it in places[:MOST]),
        imports=tuple(_imports(view, name, definitions)),
        n_holders=len(holders),
        holders=tuple(holders[:MOST]),
        looked=tuple(_looked(offer, [it for it in holders if it.source == offer.source.name]) for offer in offers),
        selection=selection,
        budget=budget,
    )


def _own_line(view: CursorView, name: str) -> int | None:
    """Where the file defines a name that can be used at the cursor, if it is not imported."""
    if not any(item.bound == name for item in view.imports):
        for line in sorted(view.shown_lines):
            if name in view.parsed.snapshot.lines[line] and name in map(
                bare_name, bound_in(view.parsed, line, line + 1)
            ):
                return line
    own = (it for it in visible(view.parsed, view.scope) if bare_name(it.name) == name and it.kind != "import")
    return next((it.line for it in own), None)


def _holders(
    view: CursorView,
    word: re.Pattern[str],
    offers: Sequence[SourceOffer],
    selection: Selection,
    count: Callable[[Block], int],
) -> Iterator[Holder]:
    imports = {it.signature.rstrip(":") for it in visible(view.parsed, view.scope) if it.kind == "import"}
    places = {ranked.block.key: (place, ranked) for place, ranked in enumerate(selection.ranked, 1)}
    chosen, done = {block.key for block in selection.chosen}, set[BlockKey]()

    def holder(block: Block, source: str, outcome: Outcome, place: int = 0, instead: BlockKey | None = None) -> Holder:
        lines = block.text.split("\n")
        code = (
            without_strings(block.text, view.parsed.language.lexical).split("\n") if block.type not in NO_CODE else []
        )
        declaring = [
            line
            for line, bare in zip(lines, code, strict=False)
            if line.strip() not in imports and _declares(bare, word)
        ]
        best = next(line.strip() for line in declaring or lines if word.search(line))
        return Holder(block, count(block), source, outcome, best[:_LONGEST], bool(declaring), place, instead)

    for offer in offers:
        for block in offer.blocks:
            if not word.search(block.text):
                continue
            place, ranked = places.get(block.key, (0, None))
            if not offer.is_on:
                yield holder(block, offer.source.name, "off")
            elif ranked is None:
                yield holder(block, offer.source.name, "same lines", instead=_with_lines(block, selection.ranked))
            elif ranked.block.text != block.text or block.key in done:
                yield holder(block, offer.source.name, "same name", instead=block.key)
            else:
                done.add(block.key)
                yield holder(ranked.block, offer.source.name, "chosen" if block.key in chosen else "no room", place)
    for key, (place, ranked) in places.items():
        if key not in done and word.search(ranked.block.text) and key in chosen:  # it was chosen before, and stays
            yield holder(ranked.block, ranked.block.source, "chosen", place)


def _declares(line: str, word: re.Pattern[str]) -> bool:
    """Whether a name is what the line is about, and no type, argument or value in it."""
    line = _OWNER.sub("", line)
    before = (line[: match.start()] for match in word.finditer(line))
    return any(
        it.count("(") <= it.count(")") and it.count("[") <= it.count("]") and not _OF_ANOTHER.search(it)
        for it in before
    )


def _with_lines(block: Block, ranked: Sequence[Ranked]) -> BlockKey | None:
    same = (it.block for it in ranked if (it.block.uri, it.block.lines) == (block.uri, block.lines))
    return next((it.key for it in same), None)


def _looked(offer: SourceOffer, holders: Sequence[Holder]) -> Looked:
    why_not = "" if any(it.declares for it in holders) else offer.why_not
    return Looked(offer.source.name, offer.source.setting or "", offer.is_on, len(offer.blocks), len(holders), why_not)


def _defined(view: CursorView, definitions: IndexedDefinitions, definition: IndexedDefinition) -> Defined:
    files, path = definitions.files, definition.path
    root = files.root_of(path)
    file = path.relative_to(root).as_posix() if root is not None else path.name
    file = f"{root.name}/{file}" if root is not None and len(view.roots) > 1 else file
    is_test = definitions.is_test(path, language_of(definition.language, path.name))
    return Defined(to_uri(path), file, definition.line, definition.kind, definition.qualified_name, is_test)


def _imports(view: CursorView, name: str, definitions: IndexedDefinitions) -> Iterator[ImportOrigin]:
    modules, own = definitions.modules.of(view), definitions.modules.name_of(view)
    for item in islice(view.imports_of(name), MOST):
        module = modules.imported(item, own, view.path)
        origin: Origin = "nowhere"
        if module is not None and (modules.is_known(module) or modules.describe(module, frozenset({name}), view.path)):
            origin = "workspace" if modules.is_own(module, view.path) else "library"
        yield ImportOrigin("." * item.level + item.module or item.bound, item.line, origin)
