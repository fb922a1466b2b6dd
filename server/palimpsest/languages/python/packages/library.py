"""Describe what a module offers, including names that it imports from others.

In: a `ModuleLocation` that finds, reads and inspects modules.  Out: a `Description`.  Aliases and `from … import *` are
followed from file to file, up to a limit for each description.
"""

from dataclasses import replace
from pathlib import Path
from typing import Protocol

from palimpsest.languages.modules import Description, ModuleEntry
from palimpsest.languages.python.packages.names import FoundModule
from palimpsest.languages.python.packages.reading import Alias, Module, read_module
from palimpsest.workspace.files import Stamp

MAX_FILES = 60
"""Files read for one description."""
MAX_PUBLIC = 400
MAX_QUESTIONS = 20_000
"""Maximum number of names looked up for one description: files that all import from each other offer a name in many
ways."""
_MAX_STEPS = 10
_MOST_CACHED = 256


class ModuleLocation(Protocol):
    """A place to look for modules: the workspace, or an interpreter's folders."""

    def find(self, name: str) -> FoundModule | None: ...

    def read(self, path: Path) -> tuple[str, Stamp] | None:
        """A file's text and version; None if it may not be read."""

    def stamp(self, path: Path) -> Stamp | None:
        """The version that `read` would return."""

    def inspect(self, name: str, found: FoundModule | None) -> Module | None:
        """Asks the interpreter; None if it may not or cannot import the module."""

    def canonical(self, target: str) -> str:
        """The module that a dotted name refers to on this platform (`os.path`)."""


class PythonLibrary:
    """Holds the modules read so far.  Not thread-safe."""

    def __init__(self, location: ModuleLocation) -> None:
        self._location = location
        self._modules: dict[tuple[str, str], tuple[Stamp | None, Module | None]] = {}
        self._inspected: dict[tuple[str, Stamp | None], Module | None] = {}
        self._seen: dict[str, Module | None] = {}
        self._found: dict[str, FoundModule | None] = {}
        self._answers: dict[tuple[str, str], ModuleEntry | None] = {}
        self._named: dict[str, dict[str, None]] = {}
        self._allowance = 0
        self._questions = 0

    def describe(self, name: str, names: frozenset[str] = frozenset()) -> Description | None:
        """The module's public names, and `names` even if they are not public; None if there is no such module."""
        self._allowance, self._questions = MAX_FILES, MAX_QUESTIONS
        # Files do not change while one description is made.
        self._seen, self._found, self._answers, self._named = {}, {}, {}, {}
        name = self._location.canonical(name)
        module = self._module(name)
        if module is None:
            return None
        public = dict[str, ModuleEntry]()
        # Requested names come first, so that the limits do not cut them off.
        looked_up = {item: self._lookup(module, item, 0) for item in sorted(names)}
        for item in self._public_names(module, 0):
            if self._questions <= 0:
                break
            entry = looked_up.get(item) or self._lookup(module, item, 0)
            if entry is not None and (entry.kind != "module" or item in (module.exports or ())):
                public[item] = entry
            if len(public) >= MAX_PUBLIC:
                break
        found = self._find(name)
        path = found.path if found is not None and found.kind == "source" else None
        read = () if path is None else ((path, self._stamp(name)),)
        return Description(name, module.doc, public, looked_up, read)

    def stamp(self, path: Path) -> Stamp | None:
        return self._location.stamp(path)

    def _stamp(self, name: str) -> Stamp | None:
        known = self._modules.get((name, "source"))
        return known[0] if known is not None else None

    def _find(self, name: str) -> FoundModule | None:
        if name not in self._found:
            self._found[name] = self._location.find(name)
        return self._found[name]

    def _module(self, name: str) -> Module | None:
        if name not in self._seen:
            self._seen[name] = self._load(name)
        return self._seen[name]

    def _load(self, name: str) -> Module | None:
        found = self._find(name)
        if found is None or found.kind == "compiled":
            stub = self._stub(name, found)
            return stub if stub is not None else self._ask(name, found)
        if found.kind == "namespace":
            return Module(name, is_package=True)
        module = self._file(name, "source", found.path)
        return module if module is not None else self._stub(name, found)

    def _stub(self, name: str, found: FoundModule | None) -> Module | None:
        return self._file(name, "stub", found.stub) if found is not None and found.stub is not None else None

    def _file(self, name: str, kind: str, path: Path) -> Module | None:
        known = self._modules.get((name, kind))
        if known is not None and known[0] == self._location.stamp(path):
            return known[1]
        read = self._location.read(path) if self._allowance > 0 else None
        if read is None:
            return None
        text, stamp = read
        self._allowance -= 1
        module = read_module(name, path, text)
        if module is None and known is not None:
            module = known[1]  # while the user types, the file may not parse: use its last version
        if name == "os" and module is not None:
            # `os` decides at run time which of the two it is.
            alias = Alias("path", self._location.canonical("os.path"), explicit=True)
            module = replace(module, members={**module.members, "path": alias})
        self._modules.pop((name, kind), None)
        self._modules[(name, kind)] = (stamp, module)
        if len(self._modules) > _MOST_CACHED:
            del self._modules[next(iter(self._modules))]
        return module

    def _ask(self, name: str, found: FoundModule | None) -> Module | None:
        key = (name, self._stamp(name))
        if key not in self._inspected:
            if len(self._inspected) > _MOST_CACHED:
                self._inspected.clear()
            self._inspected[key] = self._location.inspect(name, found)
        return self._inspected[key]

    def _lookup(self, module: Module, name: str, steps: int) -> ModuleEntry | None:
        """The definition of `module.name`.  Cached for one description, with None while it is being looked up, so that
        circular imports end."""
        key = module.name, name
        if key in self._answers:
            return self._answers[key]
        if steps > _MAX_STEPS or self._questions <= 0:
            return None
        self._questions -= 1
        self._answers[key] = None
        self._answers[key] = entry = self._followed(module, name, steps)
        return entry

    def _followed(self, module: Module, name: str, steps: int) -> ModuleEntry | None:
        member = module.members.get(name)
        if isinstance(member, ModuleEntry):
            return self._completed(module, member, steps)
        if isinstance(member, Alias) and not member.wildcard:
            entry = self._target(member.target, steps + 1)
            if entry is not None:
                return replace(entry, name=name, overloads=tuple(replace(it, name=name) for it in entry.overloads))
        for source in self._starred(module, name):
            entry = self._lookup(source, name, steps + 1)
            if entry is not None:
                return entry
        return self._elsewhere(module, name, is_alias=member is not None)

    def _starred(self, module: Module, name: str) -> list[Module]:
        """The modules that `name` may come from by `import *`: those that export it, then those without a list of
        exports."""
        sources = [source for star in reversed(module.stars) if (source := self._module(star)) is not None]
        if name.startswith("_"):
            return [source for source in sources if name in (source.exports or ())]
        sure = [source for source in sources if name in (source.exports or ()) or name in source.members]
        return sure + [source for source in sources if source not in sure]

    def _elsewhere(self, module: Module, name: str, *, is_alias: bool) -> ModuleEntry | None:
        """A name that the module's source does not define: in its stub, created at import time, or a submodule."""
        found = self._find(module.name)
        stub = self._stub(module.name, found)
        member = stub.members.get(name) if stub is not None else None
        if isinstance(member, ModuleEntry):
            return member
        if name in (module.exports or ()) or is_alias or not module.is_package:
            asked = self._ask(module.name, found)
            member = asked.members.get(name) if asked is not None else None
            if isinstance(member, ModuleEntry):
                return member
        below = f"{module.name}.{name}"
        if module.is_package and self._find(below) is not None:
            return ModuleEntry(name, "module", target=below)
        return None

    def _target(self, target: str, steps: int) -> ModuleEntry | None:
        """The object that a dotted name refers to: a module, or a name in the module given by its longest possible
        prefix."""
        parts = target.split(".")
        for n in range(len(parts), 0, -1):
            name = self._location.canonical(".".join(parts[:n]))
            if n == len(parts):
                if self._find(name) is not None:
                    return ModuleEntry(parts[-1], "module", target=name)
                continue
            module = self._module(name)
            if module is not None:
                return self._lookup(module, parts[n], steps) if n == len(parts) - 1 else None
        return None

    def _completed(self, module: Module, entry: ModuleEntry, steps: int) -> ModuleEntry:
        """A class without a constructor of its own, completed by its first known base."""
        if entry.kind != "class" or not entry.bases or entry.signature:
            return entry
        for base in entry.bases:
            found = self._lookup(module, base, steps + 1) if base.isidentifier() and base != entry.name else None
            if found is not None and found.kind == "class":
                own = {member.name for member in entry.members}
                inherited = tuple(member for member in found.members if member.name not in own)
                return replace(entry, signature=found.signature, members=entry.members + inherited)
        return entry

    def _public_names(self, module: Module, steps: int) -> dict[str, None]:
        """In the module's order: what it exports, then what it defines without a leading underscore.  Of this,
        `import *` in another (`steps`) takes nothing where a list says what is exported."""
        if module.name not in self._named:
            self._named[module.name] = {}  # for modules that import names from each other
            self._named[module.name] = self._names_of(module, steps)
        return self._named[module.name]

    def _names_of(self, module: Module, steps: int) -> dict[str, None]:
        exports = module.exports or ()
        exported = {name for name in exports if not name.startswith("_")}
        names = dict.fromkeys(name for name in module.members if name in exported)
        names |= dict.fromkeys(name for name in exports if name in exported)
        top = module.name.partition(".")[0]
        for name, member in module.members.items():
            if isinstance(member, Alias) and member.wildcard:
                source = self._module(member.target) if steps < _MAX_STEPS else None
                if source is not None:
                    names |= self._public_names(source, steps + 1)
            elif steps and module.is_listed:
                continue
            elif not name.startswith("_") and (isinstance(member, ModuleEntry) or _is_offered(module, member, top)):
                names[name] = None
        return names


def _is_offered(module: Module, alias: Alias, top: str) -> bool:
    """Whether an import is meant for users: a package importing from itself, with no `__all__` to say otherwise."""
    return module.exports is None and module.is_package and alias.target.partition(".")[0] == top and alias.explicit
