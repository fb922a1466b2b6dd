"""`package` blocks: what the imported modules that the editing block uses offer.

In: a view.  Out: one block for each module, named as it is imported.  What the file uses of the module comes first,
with docstrings; then the rest of its public names, as far as tokens go.  "Uses" is asked of the whole file and leaves
out the word being typed, so that the text stays the same while a person types and moves from function to function.

Modules are described by two catalogs, the workspace's and the interpreter's; what they do not know yet is read in the
background, and raises `revision`.  Knows no token and no tree.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, field
from pathlib import Path

from palimpsest.context.sources.fit import fitted
from palimpsest.context.sources.python.catalog import Catalog
from palimpsest.context.sources.python.environment import find_environment
from palimpsest.context.sources.python.finding import find_module
from palimpsest.context.sources.python.inspecting import Inspector
from palimpsest.context.sources.python.library import Description, ModuleSource
from palimpsest.context.sources.python.model import Entry
from palimpsest.context.sources.python.naming import imported_module, module_name, source_folders
from palimpsest.context.sources.python.places import EnvironmentPlace, WorkspacePlace
from palimpsest.context.sources.source import Source
from palimpsest.context.values import PACKAGE, PER_RANK, WORKSPACE_MODULE
from palimpsest.context.view import CursorView
from palimpsest.syntax.names import Import
from palimpsest.types import Block
from palimpsest.workspace.files import WorkspaceFiles

MAX_MODULES = 16
_KEPT = 256
_LONGEST_DOC = 90
_LONGEST_LINE = 220
_MAX_MEMBERS = 24
_SILENT = frozenset({"__future__", "typing", "typing_extensions"})
"""Modules whose names say all there is to say; every model knows them."""


@dataclass(slots=True)
class Use:
    """What a file uses of one module.  `prefix` is how its code calls the module.

    `names` are the used names, each with how the code writes it; `star`: by `import *`, so that any word of the file
    may be one of its names; `is_own`: the module is the workspace's, whose classes have blocks of their own.
    """

    module: str
    prefix: str
    names: dict[str, str] = field(default_factory=dict)
    star: bool = False
    is_own: bool = False


class PackageSource(Source):
    """`executor` None reads at once, in `candidates`.  `cache` is the folder for what interpreters answered."""

    name = "package"
    setting = "package"

    def __init__(
        self,
        files: WorkspaceFiles,
        *,
        executor: Executor | None = None,
        variables: Mapping[str, str] = os.environ,
        cache: Path | None = None,
        setting: str = "",
    ) -> None:
        self._files = files
        self._folders: tuple[Path, ...] = ()
        self._inspector = Inspector(cache)
        self._revision = 0
        self._texts: dict[str, tuple[Description, Use, int, frozenset[str], str]] = {}

        def open_environment() -> ModuleSource | None:
            environment = find_environment(setting, files.roots, variables)
            return EnvironmentPlace(environment, self._inspector) if environment is not None else None

        self._installed = Catalog(open_environment, executor, self._read_on)
        self._own = Catalog(lambda: WorkspacePlace(files, lambda: self._folders), executor, self._read_on)

    def candidates(self, view: CursorView) -> list[Block]:
        if view.parsed.language.id != "python":
            return []
        return [block for rank, use in enumerate(self._uses(view)) for block in self._blocks(view, use, rank)]

    def still_valid(self, block: Block, view: CursorView) -> bool:
        """As long as the file imports the module."""
        self._look_around(view)
        own = _Own.of(view)
        modules = {module for found in view.imports for module in self._imported(own, found)}
        return block.name in modules or block.name.rpartition(".")[0] in modules

    @property
    def revision(self) -> int:
        return self._revision

    def wait(self, seconds: float | None) -> bool:
        return self._installed.wait(seconds) and self._own.wait(seconds)

    def _read_on(self) -> None:
        """Called on the thread that reads."""
        self._revision += 1

    def _look_around(self, view: CursorView) -> None:
        self._folders = self._files.once(
            ("folders", view.path), lambda: tuple(source_folders(view.path, self._files.roots))
        )

    def _uses(self, view: CursorView) -> list[Use]:
        """The modules that the editing block uses, in order of their first import."""
        self._look_around(view)
        own, uses, wanted = _Own.of(view), dict[str, Use](), set[str]()
        bases = [imported_module(found, own.module, own.is_package) for found in view.imports]
        needed = [_is_needed(view, found) for found in view.imports]
        wanted_bases = {base for base, is_needed in zip(bases, needed, strict=True) if is_needed}
        for found, base, is_needed in zip(view.imports, bases, needed, strict=True):
            if base is None or base in _SILENT or base not in wanted_bases:
                continue
            module = self._imported(own, found)[0]
            binds = found.name is None or module != base
            head = found.alias or (module if found.name is None else found.bound)
            use = uses.setdefault(module, Use(module, head if binds else module))
            if found.name == "*":
                use.star = True
            elif binds:
                use.prefix = head
                use.names |= {name: f"{head}.{name}" for name in view.attributes_of(head)}
            elif found.name:
                use.names[found.name] = found.bound
            if is_needed:
                wanted.add(module)
        return [use for module, use in uses.items() if module in wanted][:MAX_MODULES]

    def _imported(self, own: _Own, found: Import) -> list[str]:
        """The absolute names an import may mean, the likelier first: `from a import b` may be the module `a.b`."""
        module = imported_module(found, own.module, own.is_package)
        if module is None or found.name in (None, "*"):
            return [] if module is None else [module]
        below = f"{module}.{found.name}"
        return [below, module] if self._is_own(below) else [module]

    def _is_own(self, module: str) -> bool:
        """Whether it is a module of the workspace; the standard library's names are not taken for one."""
        if module.partition(".")[0] in sys.stdlib_module_names:
            return False
        found = self._files.once(("module", module, self._folders), lambda: find_module(module, self._folders))
        return found is not None and self._files.root_of(found.path) is not None

    def _describe(self, module: str, names: Iterable[str]) -> Description | None:
        catalog = self._own if self._is_own(module) else self._installed
        return catalog.describe(module, frozenset(names))

    def _text(self, found: Description, use: Use, max_tokens: int, words: frozenset[str]) -> str:
        """`package_text`, made anew only when something that it depends on changed."""
        known = self._texts.get(use.module)
        if known is not None and known[0] is found and known[1:4] == (use, max_tokens, words):
            return known[4]
        text = package_text(found, use, max_tokens, words)
        if len(self._texts) > _KEPT:
            self._texts.clear()
        self._texts[use.module] = found, use, max_tokens, words, text
        return text

    def _blocks(self, view: CursorView, use: Use, rank: int) -> Iterator[Block]:
        found = self._describe(use.module, use.names)
        if found is None:
            return
        use.is_own = self._is_own(use.module)
        max_tokens = view.settings.block_tokens
        value = (WORKSPACE_MODULE if use.is_own else PACKAGE) - rank * PER_RANK
        below = [
            name for name in sorted(use.names) if (entry := found.entry(name)) is not None and entry.kind == "module"
        ]
        if not below or use.star or set(use.names) - set(below):
            text = self._text(found, use, max_tokens, view.words)
            if text:
                yield Block("package", use.module, text, value=value, source=self.name)
        for name in below:
            entry, head = found.entry(name), use.names[name]
            inner = Use(f"{use.module}.{name}", head, {n: f"{head}.{n}" for n in view.attributes_of(head)})
            deeper = self._describe(entry.target, inner.names) if entry is not None and inner.names else None
            if deeper is not None and (text := self._text(deeper, inner, max_tokens, view.words)):
                yield Block("package", inner.module, text, value=value - PER_RANK / 2, source=self.name)


@dataclass(frozen=True, slots=True)
class _Own:
    """The dotted name of the file itself, by which its relative imports go."""

    module: str
    is_package: bool

    @staticmethod
    def of(view: CursorView) -> _Own:
        if view.path is None:
            return _Own("", False)
        return _Own(module_name(view.path, view.root), view.path.stem == "__init__")


def _is_needed(view: CursorView, found: Import) -> bool:
    # A file's own view shows the imports themselves: somebody who writes one is about to use it.
    is_shown = view.scope.kind == "file" and found.line in view.shown_lines
    return is_shown or found.bound in view.used or found.name == "*"


def package_text(found: Description, use: Use, max_tokens: int, words: frozenset[str]) -> str:
    """The block's lines: used names with docstrings and a used class's members, then the other public names."""
    lines, first = list[str](), set[int]()
    names = set(use.names) | (set(found.public) & words if use.star else set())
    used = [name for name in found.public if name in names] + sorted(names - set(found.public))
    for name in used:
        entry = found.entry(name)
        if entry is None or entry.kind == "module":
            continue
        first.add(len(lines))
        lines.append(_line(use.prefix, entry, with_doc=True))
        for member in () if use.is_own else sorted(entry.members, key=lambda m: m.name not in words)[:_MAX_MEMBERS]:
            if member.name in words:
                first.add(len(lines))
            lines.append(_line(f"{use.prefix}.{name}", member, with_doc=member.name in words))
    rest = [entry for name, entry in found.public.items() if name not in names]
    lines += [_line(use.prefix, entry, with_doc=False) for entry in sorted(rest, key=lambda e: e.kind == "value")]
    return "\n".join(lines[i] for i in fitted(lines, first, max_tokens))


def _line(prefix: str, entry: Entry, *, with_doc: bool) -> str:
    lead = "class " if entry.kind == "class" else "async " if entry.is_async else ""
    line = f"{lead}{prefix}.{entry.name}{entry.signature}"[:_LONGEST_LINE]
    doc = entry.doc[:_LONGEST_DOC].rstrip() + ("…" if len(entry.doc) > _LONGEST_DOC else "")
    return f"{line}  # {doc}" if with_doc and doc else line
