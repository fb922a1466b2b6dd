"""Rust's modules: which file a path means, in the workspace, in Cargo's registry, in Rust's own crates.

In: paths such as `crate::cart` and `serde::de`.  Out: files, or parts of them: a module may be a block of its parent's
file.  `use` trees, aliases and `pub use` come from the language; what macros make is not known.
"""

import re
from collections.abc import Sequence
from pathlib import Path

from palimpsest.languages.modules import Surroundings
from palimpsest.languages.rust.crates import SUFFIX, Crate, Crates, Toolchain
from palimpsest.languages.rust.imports import CRATE, HERE, SEPARATOR
from palimpsest.languages.source_modules import Item, ModuleFiles, SourceModules
from palimpsest.syntax.parse import Language, Parsed
from palimpsest.syntax.scopes import class_around, enclosing, scopes, signature
from palimpsest.syntax.values import Import, Scope

_UP = "super"
_SELF_NAMED = frozenset({"mod.rs", "lib.rs", "main.rs"})
_MACRO = re.compile(r"(?m)^(?:\w+::)*\w+!")
_PUBLIC = re.compile(r"pub\b")
_RESTRICTED = re.compile(r"pub\s*\(")
_EXPORTED = "#[macro_export"
_RENAMED = {"alloc_crate": "alloc", "realstd": "std", "realcore": "core"}
"""Names that Rust's own crates have for one another."""
_MOST_ADDING = 32
_DEEPEST = 4
"""Nodes from the root to a `use` in a module in the file."""


class RustModules(SourceModules):
    separator = SEPARATOR

    def __init__(self, language: Language, around: Surroundings) -> None:
        super().__init__(language, around)
        self._crates = Crates(self.files, self.library, Toolchain(self.files, self.library, self.variables))

    # What `SourceModules` asks
    def name_of(self, path: Path, root: Path | None) -> str:
        crate = self._crates.of_file(path) if root is not None and path.suffix.lower() == SUFFIX else None
        if crate is None:
            return super().name_of(path, root)
        if path == crate.file:
            return crate.name
        parts = path.relative_to(crate.file.parent).with_suffix("").parts
        return SEPARATOR.join([crate.name, *(parts[:-1] if path.name == "mod.rs" else parts)])

    def imported(self, found: Import, module: str, path: Path | None) -> str | None:
        crate, *here = module.split(SEPARATOR)
        first, *rest = found.module.split(SEPARATOR)
        if first == CRATE:
            return SEPARATOR.join([crate, *rest])
        if first in (HERE, _UP):
            around = self.found(module, path)
            inside = around.inside.count(".") + 1 if around is not None and around.inside else 0
            return _relative(module, found, found.level - inside)
        if self.found(f"{module}{SEPARATOR}{first}", path) is not None:
            return SEPARATOR.join([module, first, *rest])
        there = self._crate(_RENAMED.get(first, first), path)
        if there is not None:
            return SEPARATOR.join([there.name if there.within is None else first, *rest])
        is_old = bool(here) and self.found(f"{crate}{SEPARATOR}{first}", path) is not None
        return SEPARATOR.join([crate, first, *rest]) if is_old else None

    def find(self, name: str, near: Path | None) -> ModuleFiles | None:
        crate, *parts = name.split(SEPARATOR)
        found = self._crate(crate, near)
        return self._module(found, parts) if found is not None else None

    def adds(self, text: str) -> bool:
        """By a macro at the top of the file."""
        return _MACRO.search(text) is not None

    def reexports(self, parsed: Parsed) -> Sequence[Import]:
        found = list[Import]()
        for captures in parsed.matches("imports", max_depth=_DEEPEST):
            node = captures["import"][0]
            if any(child.type == "visibility_modifier" for child in node.children):
                found += parsed.language.imported(parsed, node)
        inside = (scope for scope in parsed.once(_namespaces) if _is_pub(parsed, scope.def_line))
        return [*found, *(Import(HERE, scope.name, None, _level(scope), scope.def_line) for scope in inside)]

    def adding(self, cls: str, module: str, path: Path) -> Sequence[Path]:
        """Modules inside the one that declares a class, and files that the index knows of."""
        near = path.parent if path.name in _SELF_NAMED else path.with_suffix("")
        beside = [near / entry.name for entry in self.files.listing(near) if entry.name.endswith(SUFFIX)]
        indexed = self._index.definitions(cls.rpartition(".")[2], [self._language.id]) if self._index else ()
        every = dict.fromkeys([*beside, *(one.path for one in indexed)])
        return [file for file in every if file != path][:_MOST_ADDING]

    def is_public(self, parsed: Parsed, item: Item) -> bool:
        if not isinstance(item, Scope):
            return _is_pub(parsed, item.line)
        above = parsed.snapshot.lines[item.start_line : item.def_line]
        return _is_pub(parsed, item.def_line) or any(line.lstrip().startswith(_EXPORTED) for line in above)

    def is_member_public(self, parsed: Parsed, item: Item) -> bool:
        """What is not `pub` is public too in a trait, in its implementations and in an enum."""
        line = item.def_line if isinstance(item, Scope) else item.line
        if _is_pub(parsed, line):
            return True
        around = class_around(parsed, line)
        if isinstance(item, Scope) and around is not None and around.def_line == item.def_line:
            around = item.parent
        words = signature(parsed, around).split() if around is not None else []
        return bool({"trait", "enum"} & set(words[:-1])) or ("impl" in "".join(words[:1]) and "for" in words)

    def is_part(self, parsed: Parsed, line: int, found: ModuleFiles) -> bool:
        if found.within is not None and _RESTRICTED.match(parsed.snapshot.lines[line].lstrip()):
            return False
        inside = [scope for scope in parsed.once(_namespaces) if scope.def_line < line < scope.end_line]
        return (inside[-1].qualified_name if inside else "") == found.inside

    def sees_all(self, found: ModuleFiles, near: Path | None) -> bool:
        """A module sees what those around it have for themselves."""
        if near is None or not found.is_own or found.inside:
            return False
        around, own = (self.name_of(path, self.files.root_of(path)) for path in (found.files[0], near))
        return own == around or own.startswith(f"{around}{SEPARATOR}")

    # Files
    def _crate(self, name: str, near: Path | None) -> Crate | None:
        return self.files.once(("crate", name, near), lambda: self._crates.named(name, near))

    def _module(self, crate: Crate, parts: Sequence[str]) -> ModuleFiles | None:
        """The file of a module, or the part of the file above that it is."""
        file, folder, within = crate.file, crate.file.parent, crate.within
        for n, part in enumerate(parts):
            part = part.removeprefix("r#")
            if not part.isidentifier():
                return None
            below = (folder / f"{part}{SUFFIX}", folder / part / "mod.rs")
            found = next((path for path in below if self._exists(path, within)), None)
            if found is None:
                is_inside = all(self._has_inside(file, within, each) for each in parts[n:])
                return ModuleFiles((file,), within is None, within, ".".join(parts[n:])) if is_inside else None
            file, folder = found, folder / part
        return ModuleFiles((file,), within is None, within)

    def _exists(self, path: Path, within: Path | None) -> bool:
        return self.files.shows(path) if within is None else self.library.exists(path, within)

    def _has_inside(self, file: Path, within: Path | None, name: str) -> bool:
        text = self.library.text(file, within)
        return text is not None and re.search(rf"\bmod\s+{name}\s*\{{", text.text) is not None


def _relative(module: str, found: Import, level: int) -> str | None:
    """The path that begins with `self` or `super`; `level` is the number of modules around the import in `module`."""
    here, rest = module.split(SEPARATOR), found.module.split(SEPARATOR)
    ups = 0
    while rest and rest[0] in (HERE, _UP):
        ups += rest.pop(0) == _UP
    if ups < level or len(here) <= ups - level:
        return None
    return SEPARATOR.join([*here[: len(here) - (ups - level)], *rest])


def _level(scope: Scope) -> int:
    return sum(around.kind == "namespace" for around in enclosing(scope)) - 1


def _is_pub(parsed: Parsed, line: int) -> bool:
    return _PUBLIC.match(parsed.snapshot.lines[line].lstrip()) is not None


def _namespaces(parsed: Parsed) -> list[Scope]:
    return [scope for scope in scopes(parsed) if scope.kind == "namespace"]


MODULES = RustModules
