"""`documentation` blocks: what the functions say of themselves that the editing block calls.

In: a view, the modules of its language.  Out: a block for each function whose documentation has more than other blocks
show of it, its first line: `shop.cart.total`, with the first paragraph.  Calls of plain names, of an object's own
methods and of a module's functions are looked up; what a call of any other value means is not guessed.

The text depends on the function alone, so a block stays while the cursor moves.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from palimpsest.context.estimate import head
from palimpsest.context.sources.modules import ModulesByLanguage
from palimpsest.context.sources.source import Source
from palimpsest.context.values import Distance, worth
from palimpsest.context.view import CursorView
from palimpsest.languages.modules import ModuleEntry
from palimpsest.newest import Newest
from palimpsest.syntax.calls import calls
from palimpsest.syntax.scopes import children, class_of, docstring, file_scope, members, scopes, signature
from palimpsest.syntax.values import Scope
from palimpsest.text.paragraphs import first_paragraph
from palimpsest.types import Block

MOST_BLOCKS = 5
MAX_TOKENS = 120
_LONGEST_HEAD = 200
_HEAD = re.compile(r"([^\W\d]\w*)\s*\Z")
_FIRST_PARAMETER = re.compile(r"\(\s*([^\W\d]\w*)")


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a function is defined: under `name` in a module, or in the document itself (`module` is "")."""

    module: str
    name: str


class CalledSource(Source):
    name = "called"
    setting = "documentation"

    def __init__(self, modules: ModulesByLanguage) -> None:
        self._modules = modules
        self._places = Newest[tuple[str, str], _Place]()

    def candidates(self, view: CursorView) -> list[Block]:
        blocks = dict[str, Block]()
        for place in dict.fromkeys(self._called(view)):
            block = self._block(view, place, len(blocks))
            if block is not None and len(blocks) < MOST_BLOCKS:
                blocks[block.name] = block
                self._places[view.uri, block.name] = place
        return list(blocks.values())

    def still_valid(self, block: Block, view: CursorView) -> bool:
        """While the function says the same of itself."""
        place = self._places.get((view.uri, block.name))
        now = None if place is None else self._block(view, place, 0)
        return now is not None and now.text == block.text

    def _called(self, view: CursorView) -> Iterator[_Place]:
        """Where the functions are defined that the editing block calls, in its order."""
        lines, parsed = view.shown_lines, view.parsed
        if not lines:
            return
        marks = sorted(parsed.language.member_marks, key=len, reverse=True)
        for call in calls(parsed, min(lines), max(lines) + 1):
            if call.line not in lines or call.name == view.typed:
                continue
            start = max(0, call.name_start - _LONGEST_HEAD)
            before = parsed.snapshot.utf8[start : call.name_start].decode("utf-8", "ignore").rstrip()
            mark = next((mark for mark in marks if before.endswith(mark)), None)
            if mark is None:
                yield from self._plain(view, call.name)
                continue
            before = before[: -len(mark)]
            owner = _HEAD.search(before)
            if owner is not None and not before[: owner.start()].rstrip().endswith(tuple(marks)):
                yield from self._member(view, owner.group(1), call.name)

    def _plain(self, view: CursorView, name: str) -> Iterator[_Place]:
        own = [one for one in children(view.parsed, file_scope(view.parsed)) if one.name == name]
        if own:
            if len(own) == 1 and own[0].kind == "function" and own[0].def_line not in view.shown_lines:
                yield _Place("", own[0].qualified_name)
            return
        module, modules = self._modules.name_of(view), self._modules.of(view)
        for item in view.imports:
            if item.name is not None and item.bound == name:
                there = modules.imported(item, module, view.path)
                if there is not None:
                    yield _Place(there, item.name)
                return

    def _member(self, view: CursorView, owner: str, name: str) -> Iterator[_Place]:
        around = class_of(view.parsed, view.scope)
        if around is not None and owner == _receiver(view):
            own = [one for one in members(view.parsed, around) if one.name == name and one.kind == "function"]
            if len(own) == 1 and own[0].def_line not in view.shown_lines:
                yield _Place("", own[0].qualified_name)
            return
        module, modules = self._modules.name_of(view), self._modules.of(view)
        for item in view.imports:
            if item.bound != owner or item.name == "*":
                continue
            there = modules.imported(item, module, view.path)
            if there is not None and item.name is not None:
                below = modules.below(there, item.name)
                there = below if below is not None and modules.is_own(below, view.path) else None
            if there is not None:
                yield _Place(there, name)
            return

    def _block(self, view: CursorView, place: _Place, rank: int) -> Block | None:
        distance: Distance = "file"
        if place.module:
            modules = self._modules.of(view)
            if modules.is_known(place.module):
                return None
            description = modules.describe(place.module, frozenset({place.name}), view.path)
            entry = description.entry(place.name) if description is not None else None
            text = _more_of(entry)
            distance = "imported" if modules.is_own(place.module, view.path) else "installed"
        else:
            text = _own(view, place.name)
        lines = head(text.split("\n"), min(MAX_TOKENS, view.settings.block_tokens))
        if not any(lines):
            return None
        module = place.module or self._modules.name_of(view)
        value = worth("documentation", distance, rank=rank)
        return Block("documentation", f"{module}.{place.name}", "\n".join(lines), value, source=self.name)


def _more_of(entry: ModuleEntry | None) -> str:
    """The first paragraph, where it is more than its first line, which the module's block shows."""
    return entry.summary if entry is not None and entry.kind == "function" else ""


def _own(view: CursorView, name: str) -> str:
    """The documentation of a function of the file, as far as other blocks do not show it: they have its signature, and
    of a method also the first line."""
    scope = next((one for one in scopes(view.parsed) if one.kind == "function" and one.qualified_name == name), None)
    text = first_paragraph(docstring(view.parsed, scope) or "") if scope is not None else ""
    is_method = scope is not None and scope.parent is not None and scope.parent.kind == "class"
    return "" if is_method and "\n" not in text else text


def _receiver(view: CursorView) -> str:
    """What the object is called in the method at the cursor."""
    known = view.parsed.language.receiver
    if known or view.scope.kind != "function":
        return known
    first = _FIRST_PARAMETER.search(signature(view.parsed, _method(view)))
    return first.group(1) if first is not None else ""


def _method(view: CursorView) -> Scope:
    """The outermost function around the cursor that is in a class."""
    scope = view.scope
    while scope.parent is not None and scope.parent.kind == "function":
        scope = scope.parent
    return scope
