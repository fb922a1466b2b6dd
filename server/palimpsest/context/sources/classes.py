"""`class` blocks: the class around the cursor, and the classes that the code there uses.

In: a view.  Out: editable blocks named `shop.cart.Cart` with the class's members and signatures.  Candidates are the
enclosing class and its bases, the classes of parameters and attributes, every class that the editing block names, and
the bases of all of these, defined in this file, imported from the workspace, or defined in an earlier cell of the
notebook whose own block does not show it.  Classes of installed packages are in `package` blocks.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from palimpsest.context.estimate import estimate, fitted
from palimpsest.context.name_uses import bare_name
from palimpsest.context.sources.cached import visible
from palimpsest.context.sources.cells import shown_of
from palimpsest.context.sources.class_lookup import (
    ClassDefinition,
    ClassLookup,
    ParsedModule,
    base_names,
    function_in,
    names_in,
)
from palimpsest.context.sources.modules import ModulesByLanguage
from palimpsest.context.sources.skeleton import Line, added, skeleton
from palimpsest.context.sources.source import Source
from palimpsest.context.sources.stable_lines import stable
from palimpsest.context.values import Distance, Mention, worth
from palimpsest.context.view import CursorView
from palimpsest.newest import Newest
from palimpsest.syntax.scopes import class_of, enclosing, parts, signature
from palimpsest.types import Block

MAX_CLASSES = 12
MAX_STEPS = 3
"""Bases of bases are followed for at most this many steps."""
_UNUSED_TOKENS = 200
"""Members that the file does not name, of a class that is not around the cursor, take at most this many tokens."""
_WORD = re.compile(r"[^\W\d]\w*")
_SEPARATOR = re.compile(r"\W+")


class ClassSource(Source):
    """Owner of how the document's classes looked when it last parsed without errors."""

    name = "class"
    setting = "class"

    def __init__(self, lookup: ClassLookup, modules: ModulesByLanguage) -> None:
        self._lookup = lookup
        self._modules = modules
        self._sound = Newest[tuple[str, str], tuple[str, list[Line]]]()
        self._inherited = Newest[str, ClassDefinition]()

    def candidates(self, view: CursorView) -> list[Block]:
        blocks, derived = dict[str, Block](), list[ClassDefinition]()
        for rank, (target, mention) in enumerate(self._meant(view)):
            if mention not in ("attribute", "unused"):
                derived.append(target)
            if not self._is_shown(view, target):
                value = worth("class", _distance(view, target), mention, rank=rank)
                block = self._block(view, target, value)
                blocks.setdefault(block.name, block)
            if len(blocks) >= MAX_CLASSES:
                break
        for steps, target in self._bases(view, derived):
            if len(blocks) < MAX_CLASSES and target.name not in blocks and not self._is_shown(view, target):
                value = worth("class", _distance(view, target), "inherited", rank=steps)
                blocks[target.name] = self._block(view, target, value)
        return list(blocks.values())

    def why_not(self, view: CursorView, name: str) -> str:
        targets = list(self._find(view, name))
        if not targets:
            return "neither this file nor what it imports has a class that is called so"
        if all(self._is_shown(view, target) for target in targets):
            return "the code at the cursor shows the class itself"
        is_meant = any(target.name == one.name for target in targets for one, _ in self._meant(view))
        return f"{MAX_CLASSES} classes come before it" if is_meant else "the code at the cursor does not name the class"

    def still_valid(self, block: Block, view: CursorView) -> bool:
        """While the file defines or imports the class, and its block's text is the same."""
        last = block.name.rpartition(".")[2]
        bound = {last, *(item.bound for item in view.imports if item.name == last)}
        heads = {head for item in view.imports if item.name is None for head in (item.alias, item.module) if head}
        bound |= {item.bound for item in view.imports if _SEPARATOR.split(item.module)[-1] == last}  # its member
        names = [*bound, *(f"{head}.{last}" for head in heads), _enclosing_name(view) or last]
        for name in names:
            for target in self._find(view, name):
                if target.name == block.name and self._block(view, target, 0.0).text == block.text:
                    return True
        base = self._inherited.get(block.name)
        there = self._lookup.again(base, self._modules.document(view)) if base is not None else None
        return there is not None and self._block(view, there, 0.0).text == block.text

    def _bases(self, view: CursorView, derived: Sequence[ClassDefinition]) -> Iterator[tuple[int, ClassDefinition]]:
        """The bases of classes, and theirs, each once with the steps to it: the nearest first."""
        known = {target.name for target in derived}
        for steps in range(1, MAX_STEPS + 1):
            bases = [base for target in derived for base in self._lookup.bases(target)]
            above = [base for each in bases for base in self._current(view, each)]
            derived = list({base.name: base for base in above if base.name not in known}.values())
            known |= {base.name for base in derived}
            for base in derived:
                self._inherited[base.name] = base
                yield steps, base

    def _find(self, view: CursorView, name: str) -> Iterator[ClassDefinition]:
        """The classes that a name may mean: those of the document and its imports, else that of the nearest cell."""
        here = self._modules.document(view)
        targets = self._lookup.find(name, here, view.imports)
        own = [each for target in targets for each in self._current(view, target)]
        yield from own
        for cell in () if own else reversed(view.cells):
            there = ParsedModule(cell.name, None, cell.parsed, cell.parsed.snapshot.uri, here.modules)
            if (last := next(self._lookup.find(name, there, ()), None)) is not None:
                if last.module is there:
                    yield last
                return

    def _current(self, view: CursorView, target: ClassDefinition) -> Iterator[ClassDefinition]:
        """The class as the view's text has it: by way of another file, the document is found in a later version or as
        it is on disk, where lines are others."""
        is_other = target.module.uri == view.uri and target.module.parsed is not view.parsed
        there = self._lookup.again(target, self._modules.document(view)) if is_other else target
        yield from [there] if there is not None else []

    def _meant(self, view: CursorView) -> Iterator[tuple[ClassDefinition, Mention]]:
        """The classes that may be meant, most valuable first: those of attributes behind the others, then those that
        are imported and not used yet."""
        names = sorted(self._named(view), key=lambda named: named[1] == "attribute")
        late = [name for name, mention in names if mention == "attribute"]
        for name, mention in names[: len(names) - len(late)]:
            yield from ((target, mention) for target in self._find(view, name))
        yield from self._of_owner(view)
        yield from self._of_elements(view)
        for name in late:
            yield from ((target, "attribute") for target in self._find(view, name))
        for name in sorted(view.unused_imports):
            yield from ((target, "unused") for target in self._find(view, name))

    def _of_owner(self, view: CursorView) -> Iterator[tuple[ClassDefinition, Mention]]:
        """The classes of the attributes that the code uses, of a class that another file declares: `crane_->lift()` in
        a method that is written outside of its class."""
        name = _enclosing_name(view)
        if name is None or class_of(view.parsed, view.scope) is not None:
            return
        used = {use.name for use in view.name_uses}
        for owner in list(self._find(view, name)) or list(self._find(view, name.rpartition(".")[2])):
            there = owner.module
            for part in parts(there.parsed, owner.scope) if there.uri != view.uri else ():
                for item in visible(there.parsed, part):
                    if item.kind != "attribute" or bare_name(item.name) not in used:
                        continue
                    for type_ in names_in(item.type):
                        # A header may name a class that the source alone includes the header of.
                        known = list(self._lookup.find(type_, there))
                        for target in known or self._find(view, type_):
                            self._inherited[target.name] = target
                            yield target, "base"

    def _of_elements(self, view: CursorView) -> Iterator[tuple[ClassDefinition, Mention]]:
        """The classes in the headers of what elements of markup are made by: their members are what `<Badge …>` is
        given."""
        pattern = view.parsed.language.elements
        names = re.findall(pattern, view.editing.text) if pattern else ()
        for name in dict.fromkeys(name for name in names if name != view.typed):
            for made in self._lookup.find(name, self._modules.document(view), view.imports, function_in):
                there = made.module
                for type_ in names_in(signature(there.parsed, made.scope)):
                    for target in self._lookup.find(type_, there):
                        self._inherited[target.name] = target
                        yield target, "base"

    def _named(self, view: CursorView) -> Iterator[tuple[str, Mention]]:
        """Names that may be classes, as the code writes them, each with where; most valuable first."""
        around, name = class_of(view.parsed, view.scope), _enclosing_name(view)
        if name is not None:
            yield name, "named"
        used = sorted(view.used) + sorted(self._dotted(view))
        header = set[str]()
        if view.scope.kind == "function":
            header = set(_WORD.findall(signature(view.parsed, view.scope))) - {view.typed}
        yield from ((name, "signature") for name in sorted(header))
        yield from ((name, "named") for name in used)
        names = {use.name for use in view.name_uses}
        for part in parts(view.parsed, around) if around is not None else ():
            yield from ((name, "base") for name in base_names(view.parsed, part))
            for item in visible(view.parsed, part):
                if item.kind == "attribute" and item.line != view.position.line:
                    mention: Mention = "base" if bare_name(item.name) in names else "attribute"
                    yield from ((name, mention) for name in names_in(item.type))

    def _dotted(self, view: CursorView) -> Iterator[str]:
        """Names such as `item.Item`, for modules that the editing block uses."""
        for item in view.imports:
            if item.bound in view.used:
                head = item.bound if item.name is not None or item.alias else item.module
                yield from (f"{head}.{name}" for name in view.shown_attributes_of(head))

    def _is_shown(self, view: CursorView, target: ClassDefinition) -> bool:
        """Whether the editing block shows the class itself."""
        cell = next((cell for cell in view.cells if cell.parsed is target.module.parsed), None)
        if cell is not None:
            return target.scope.end_line <= len(shown_of(cell, view.settings.block_tokens))
        if target.module.uri != view.uri:
            return False
        return target.scope.def_line in view.shown_lines and view.scope.kind != "file"

    def _added(self, view: CursorView, target: ClassDefinition) -> Iterator[Line]:
        """What other files add to a class, not to be edited in its block."""
        here = self._modules.document(view)
        for module, scope in self._lookup.additions(target, here):
            cursor_line = view.position.line if module is here else None
            yield from (replace(line, document_line=None) for line in added(module.parsed, scope, cursor_line))

    def _typed(self, view: CursorView, target: ClassDefinition) -> list[Line]:
        """The skeleton of a class in the document.

        A half-written statement may hide what follows it from the parser.  So the last skeleton without errors is used
        until the document parses again, while the cursor stays in one scope.  So is that of a member being edited.
        """
        key = view.uri, target.scope.qualified_name
        where, lines = self._sound.get(key, ("", []))
        if view.parsed.n_errors and lines and where == view.scope.qualified_name:
            document = view.parsed.snapshot.lines
            return [line.checked(document) for line in lines]
        full = skeleton(target.module.parsed, target.scope)
        without = skeleton(view.parsed, target.scope, view.position.line) if view.is_typing else full
        texts = [[line.text for line in some] for some in (full, without, lines)]
        chosen = stable(texts[0], texts[1], texts[2] if lines else texts[1] if view.typed else None)
        if chosen is texts[2]:
            document = view.parsed.snapshot.lines
            return [line.checked(document) for line in lines]
        lines = full if chosen is texts[0] else without
        if not view.parsed.n_errors:
            self._sound[key] = view.scope.qualified_name, lines
        return lines

    def _block(self, view: CursorView, target: ClassDefinition, value: float) -> Block:
        is_here = target.module.uri == view.uri
        lines = [
            *(self._typed(view, target) if is_here else skeleton(target.module.parsed, target.scope)),
            *self._added(view, target),
        ]
        first = {i for i, line in enumerate(lines) if not line.name or line.name in view.words}
        texts, most = [line.text for line in lines], view.settings.block_tokens
        if target.scope.qualified_name != _enclosing_name(view):
            most = min(most, estimate("\n".join(texts[i] for i in sorted(first))) + _UNUSED_TOKENS)
        indexes = fitted(texts, first, most)
        return Block(
            "class",
            target.name,
            "\n".join(lines[i].text for i in indexes),
            value=value,
            editable=not any(cell.parsed is target.module.parsed for cell in view.cells),  # nor is a cell's own block
            uri=target.module.uri,
            source=self.name,
            lines=tuple(lines[i].document_line for i in indexes),
        )


def _distance(view: CursorView, target: ClassDefinition) -> Distance:
    if target.scope.qualified_name == _enclosing_name(view):
        return "class"
    if any(cell.parsed is target.module.parsed for cell in view.cells):
        return "file"
    if target.module.uri != view.uri:
        return "imported"
    return "function" if target.scope.parent is not None and target.scope.parent.kind == "function" else "file"


def _enclosing_name(view: CursorView) -> str | None:
    """The qualified name of the class around the cursor, which may be in another file."""
    for scope in enclosing(view.scope):
        if scope.kind == "class" or scope.owner:
            return scope.qualified_name if scope.kind == "class" else scope.class_name
    return None
