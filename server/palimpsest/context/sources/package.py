"""`package` blocks: the public names of the imported modules that the editing block uses.

In: a view.  Out: one block for each module, named as it is imported.  Names that the file uses come first, with
documentation; then the module's other public names, as far as tokens go, few of a module whose names all are at hand
(a header, a package, `import *`).  All of the file counts except the word being typed, so that the text stays the same
while the user types and moves between functions; the value alone follows what the editing block uses.

`languages/modules.py` describes modules and may read them in the background.  Knows no syntax tree.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial

from palimpsest.context.estimate import estimate, fitted
from palimpsest.context.sources.modules import ModulesByLanguage
from palimpsest.context.sources.source import Source
from palimpsest.context.values import PER_RANK, Distance, worth
from palimpsest.context.view import CursorView
from palimpsest.languages.modules import Description, ModuleEntry, Modules
from palimpsest.newest import Newest
from palimpsest.syntax.values import Import
from palimpsest.types import Block

MAX_MODULES, _MOST_LOOKED_AT = 16, 48
_FILLER_TOKENS = 150
"""The unused names of a module whose names are all at hand take at most this many tokens: there may be dozens of such
modules."""
_LONGEST_DOC = 90
_LONGEST_LINE = 220
_MAX_MEMBERS = 24


@dataclass(slots=True)
class ModuleUse:
    """What a file uses of one module.  `prefix` is the module's name in the code.

    `names` are the used names, each as the code writes it; `star`: there is an `import *`, so any word of the file may
    be one of the names; `is_own`: the module is part of the workspace, so its classes have blocks of their own;
    `is_fresh`: nothing in the file uses it yet.
    """

    module: str
    prefix: str
    names: dict[str, str] = field(default_factory=dict)
    star: bool = False
    is_own: bool = False
    is_fresh: bool = True


class PackageSource(Source):
    """Owner of the latest text for each module."""

    name = "package"
    setting = "package"

    def __init__(self, modules: ModulesByLanguage) -> None:
        self._modules = modules
        self.readers = (modules,)
        self._texts = Newest[str, tuple[Description, ModuleUse, int, frozenset[str], str]]()

    def candidates(self, view: CursorView) -> list[Block]:
        groups = [list(self._blocks(view, use, rank)) for rank, use in enumerate(self._uses(view))]
        best = sorted(filter(None, groups), key=lambda blocks: -blocks[0].value)[:MAX_MODULES]
        return [block for blocks in best for block in blocks]

    def why_not(self, view: CursorView, name: str) -> str:
        own, modules, uses = self._own_name(view), self._modules.of(view), self._uses(view)
        item = next(view.imports_of(name), None)
        module = modules.imported(item, own, view.path) if item is not None else None
        if item is not None and module is None:
            return f"the import in line {item.line + 1} leads to no file that may be shown"
        if module is not None and modules.is_known(module):
            return f"{module} is so common that models know it"
        meant = set(self._imported(view, own, item)) if item is not None else {it.module for it in uses if it.star}
        asked = [use for use in uses if use.module in meant]
        read = [(use, modules.describe(use.module, frozenset(use.names), view.path)) for use in asked]
        for use, described in read:
            if described is not None and item is not None and use.prefix == name:
                return f"it is what this file calls {use.module}"
            if described is not None and described.entry(name) is not None:
                return f"the block of {use.module} has no room for it, or {MAX_MODULES} others come before that"
        if module is None:
            return "no module that this file imports offers it"
        if not asked:
            return f"the code at the cursor does not use {module}"
        if all(described is None for _, described in read):
            return f"nothing of {module} may be shown, or it cannot be read"
        return f"outside of its classes, {module} has nothing of that name"

    def still_valid(self, block: Block, view: CursorView) -> bool:
        """While the file imports the module."""
        own = self._own_name(view)
        modules = {module for item in self._imports(view, own) for module in self._imported(view, own, item)}
        return block.name in modules or block.name.rpartition(".")[0] in modules

    def _own_name(self, view: CursorView) -> str:
        """The file's module name, to which its relative imports refer."""
        return self._modules.name_of(view) if view.path is not None else ""

    def _uses(self, view: CursorView) -> list[ModuleUse]:
        """The modules that the editing block uses, in order of their first import."""
        own, uses, chosen = self._own_name(view), dict[str, ModuleUse](), set[str]()
        modules, imported = self._modules.of(view), self._imports(view, own)
        bases = [modules.imported(item, own, view.path) for item in imported]
        needed = [_is_needed(view, item) for item in imported]
        needed_bases = {base for base, is_needed in zip(bases, needed, strict=True) if is_needed}
        for item, base, is_needed in zip(imported, bases, needed, strict=True):
            if base is None or modules.is_known(base) or base not in needed_bases:
                continue
            module = self._imported(view, own, item)[0]
            binds = item.name is None or module != base
            head = item.alias or (module if item.name is None else item.bound)
            use = uses.setdefault(module, ModuleUse(module, head if binds else module))
            if item.name == "*":
                use.star = True
            elif binds:
                use.prefix = head
                use.names |= {name: f"{head}.{name}" for name in view.attributes_of(head)}
            elif item.name:
                use.names[item.name] = item.bound
            if is_needed:
                chosen.add(module)
                use.is_fresh = use.is_fresh and _is_fresh(view, item)
        return [use for module, use in uses.items() if module in chosen][:_MOST_LOOKED_AT]

    def _imports(self, view: CursorView, own: str) -> list[Import]:
        """The imports of the file, then those that it need not write."""
        return [*view.imports, *self._modules.of(view).implied(own, view.path)]

    def _imported(self, view: CursorView, own: str, item: Import) -> list[str]:
        """The full names an import may mean, the likelier first: `from a import b` may be the module `a.b`."""
        modules = self._modules.of(view)
        module = modules.imported(item, own, view.path)
        if module is None or item.name in (None, "*"):
            return [] if module is None else [module]
        below = modules.below(module, item.name or "")
        return [below, module] if below is not None and modules.is_own(below, view.path) else [module]

    def _text(self, view: CursorView, description: Description, use: ModuleUse) -> str:
        """`_package_text`, cached."""
        max_tokens, words = view.settings.block_tokens, view.words
        known = self._texts.get(use.module)
        if known is not None and known[0] is description and known[1:4] == (use, max_tokens, words):
            return known[4]
        comment = next(iter(view.parsed.language.lexical.line_comments), "")
        text = _package_text(description, use, max_tokens, words, partial(_line, self._modules.of(view), comment))
        self._texts[use.module] = description, use, max_tokens, words, text
        return text

    def _blocks(self, view: CursorView, use: ModuleUse, rank: int) -> Iterator[Block]:
        modules = self._modules.of(view)
        description = modules.describe(use.module, frozenset(use.names), view.path)
        if description is None:
            return
        use.is_own = modules.is_own(use.module, view.path)
        used = len((description.public.keys() | use.names.keys()) & view.used) if use.star else 0
        distance: Distance = "imported" if use.is_own else "installed"
        is_unused = use.is_fresh or (use.star and not used)
        value = worth("module", distance, "unused" if is_unused else "named", rank=rank, used=used)
        entries = {name: description.entry(name) for name in sorted(use.names)}
        below = {name: entry for name, entry in entries.items() if entry is not None and entry.kind == "module"}
        if (not below or use.star or len(use.names) > len(below)) and (text := self._text(view, description, use)):
            yield Block("package", use.module, text, value=value, source=self.name)
        for name, entry in below.items():
            head = use.names[name]
            inner = ModuleUse(f"{use.module}.{name}", head, {n: f"{head}.{n}" for n in view.attributes_of(head)})
            deeper = modules.describe(entry.target, frozenset(inner.names), view.path) if inner.names else None
            if deeper is not None and (text := self._text(view, deeper, inner)):
                yield Block("package", inner.module, text, value=value - PER_RANK / 2, source=self.name)


def _is_needed(view: CursorView, item: Import) -> bool:
    # The editing block of a file shows imports, and someone who writes an import is about to use it.
    is_shown = view.scope.kind == "file" and item.line in view.shown_lines
    return is_shown or item.bound in view.used or item.name == "*" or _is_fresh(view, item)


def _is_fresh(view: CursorView, item: Import) -> bool:
    return item.bound in view.unused_imports and not (view.scope.kind == "file" and item.line in view.shown_lines)


def _package_text(
    description: Description, use: ModuleUse, max_tokens: int, words: frozenset[str], line: Callable[..., str]
) -> str:
    """The block's lines: used names with documentation and a used class's members, then the other public names."""
    lines, first = list[str](), set[int]()
    names = set(use.names) | (set(description.public) & words if use.star else set())
    used = [name for name in description.public if name in names] + sorted(names - set(description.public))
    for name in used:
        entry = description.entry(name)
        if entry is None or entry.kind == "module":
            continue
        for one in (entry, *entry.overloads):
            first.add(len(lines))
            lines.append(line(use.prefix, one, with_doc=True))
        for member in () if use.is_own else sorted(entry.members, key=lambda m: m.name not in words)[:_MAX_MEMBERS]:
            if member.name in words:
                first.add(len(lines))
            lines.append(line(f"{use.prefix}.{name}", member, with_doc=member.name in words))
    if use.star:
        max_tokens = min(max_tokens, estimate("\n".join(lines)) + _FILLER_TOKENS)
    rest = [entry for name, entry in description.public.items() if name not in names]
    lines += [line(use.prefix, entry, with_doc=False) for entry in sorted(rest, key=lambda e: e.kind == "value")]
    return "\n".join(lines[i] for i in fitted(lines, first, max_tokens))


def _line(modules: Modules, comment: str, prefix: str, entry: ModuleEntry, *, with_doc: bool) -> str:
    line = modules.written(prefix, entry)[:_LONGEST_LINE]
    doc = entry.doc[:_LONGEST_DOC].rstrip() + ("…" if len(entry.doc) > _LONGEST_DOC else "")
    return f"{line}  {comment} {doc}" if with_doc and doc else line
