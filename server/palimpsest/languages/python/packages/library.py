"""Describe what a module offers, including names that it imports from others.

In: a `ModuleLocation` that finds, reads and inspects modules.  Out: a `Description`.  Aliases and `from … import *` are
followed from file to file, up to a limit for each description.

A module's source is read with griffe, without running it; nothing else imports that.  One file is read at a time:
griffe's own loader would read a whole package, which takes seconds when a block needs only a few names.
"""

import re
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol

import griffe

from palimpsest.languages.modules import Description, ModuleEntry
from palimpsest.languages.python.packages.names import FoundModule
from palimpsest.newest import Newest
from palimpsest.text.paragraphs import first_paragraph
from palimpsest.workspace.files import Stamp

MAX_FILES = 60
"""Files read for one description."""
MAX_PUBLIC = 400
MAX_QUESTIONS = 20_000
"""Maximum number of names looked up for one description: files that all import from each other offer a name in many
ways."""
_MAX_STEPS = 10
_MOST_CACHED = 256
_LONGEST_VALUE = 40
_MOST_EXPORTS, _MOST_STARS, _MOST_OVERLOADS = 5_000, 64, 6
_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Alias:
    """A name that stands for one in another module: `target` is dotted; a wildcard stands for everything `target`
    exports."""

    name: str
    target: str
    wildcard: bool = False
    explicit: bool = False


@dataclass(frozen=True, slots=True)
class Module:
    """`exports` is `__all__` as far as it could be read, None if there is none; members are in order of definition.
    `stars` are the modules imported with `import *`; `is_listed`: `exports` are all of `__all__`."""

    name: str
    doc: str = ""
    exports: tuple[str, ...] | None = None
    is_package: bool = False
    members: Mapping[str, ModuleEntry | Alias] = field(default_factory=dict)
    stars: tuple[str, ...] = ()
    is_listed: bool = False


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
        self._modules = Newest[tuple[str, str], tuple[Stamp | None, Module | None]](_MOST_CACHED)
        self._inspected = Newest[tuple[str, Stamp | None], Module | None](_MOST_CACHED)
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
        self._modules[(name, kind)] = (stamp, module)
        return module

    def _ask(self, name: str, found: FoundModule | None) -> Module | None:
        key = (name, self._stamp(name))
        if key not in self._inspected:
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


def read_module(name: str, path: Path, text: str) -> Module | None:
    """The module; None if the text does not parse."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # such as invalid escapes in third-party code
            found = griffe.visit(name.rpartition(".")[2], filepath=path, code=text, parent=_parent(name, path))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    members = dict[str, ModuleEntry | Alias]()
    for key, member in found.members.items():
        converted = _member(member)
        if converted is not None:
            members[key] = converted
    for key, overloads in found.overloads.items():
        if overloads and key not in members:  # a stub's function that has only overloads
            members[key] = _function(overloads[0], overloads)
    if "globals()" in text:  # it may define names that nobody wrote
        members.setdefault("__getattr__", ModuleEntry("__getattr__", "function"))
    # A list built at run time is read as an empty one.
    exports = tuple(item for item in found.exports or () if isinstance(item, str))[:_MOST_EXPORTS] or None
    # What is added to it later, by a call or from another module's, is not read.
    is_listed = exports is not None and text.count("__all__") == 1 and len(exports) == len(found.exports or ())
    stars = [member.target for member in members.values() if isinstance(member, Alias) and member.wildcard]
    is_package = path.stem == "__init__"
    doc, stars = _first_line(found.docstring), stars[-_MOST_STARS:]
    return Module(name, doc, exports, is_package, members, tuple(stars), is_listed)


def _parent(name: str, path: Path) -> griffe.Module | None:
    """The packages around a module, without contents: griffe needs them to resolve relative imports."""
    *packages, _ = name.split(".")
    folder = path.parent.parent if path.stem == "__init__" else path.parent
    folders = [folder, *folder.parents][: len(packages)]
    parent = None
    for package, there in zip(packages, reversed(folders), strict=False):
        parent = griffe.Module(package, filepath=there / "__init__.py", parent=parent)
    return parent


def _member(member: griffe.Object | griffe.Alias) -> ModuleEntry | Alias | None:
    if isinstance(member, griffe.Alias):
        target, wildcard = member.target_path, member.wildcard is not None
        explicit = not wildcard and "." in target and target.rpartition(".")[2] == member.name
        return Alias(member.name, target.removesuffix(".*"), wildcard, explicit)
    if isinstance(member, griffe.Function):
        return _function(member, member.overloads or ())
    if isinstance(member, griffe.Class):
        return _class(member)
    if isinstance(member, griffe.Attribute):
        return _attribute(member)
    return None


def _function(function: griffe.Function, overloads: Sequence[griffe.Function] = ()) -> ModuleEntry:
    """As it can be called: by its overloads, if it has some."""
    first, *others = overloads[:_MOST_OVERLOADS] or (function,)
    found = ModuleEntry(
        function.name,
        "function",
        _parameters(first),
        _first_line(function.docstring, function.name),
        is_async="async" in function.labels,
        summary=_summary(function),
    )
    return replace(found, overloads=tuple(ModuleEntry(found.name, "function", _parameters(it)) for it in others))


def _summary(function: griffe.Function) -> str:
    """The first paragraph, if it is more than the first line."""
    text = first_paragraph(function.docstring.value if function.docstring is not None else "")
    return text if "\n" in text and not text.startswith(f"{function.name}(") else ""


def _parameters(function: griffe.Function, *, returns: bool = True) -> str:
    """`(a, b: int = 1) -> str`, without a method's `self` or `cls`."""
    return _one_line(function.signature(return_type=returns)).removeprefix(function.name)


def _class(found: griffe.Class) -> ModuleEntry:
    members = [entry for member in found.members.values() if isinstance(entry := _member(member), ModuleEntry)]
    public = tuple(member for member in members if not member.name.startswith("_") and member.kind != "class")
    bases = tuple(_one_line(str(base)) for base in found.bases)
    return ModuleEntry(
        found.name, "class", _constructor(found), _first_line(found.docstring, found.name), public, bases
    )


def _constructor(found: griffe.Class) -> str:
    """The arguments of a call of the class; empty if the class itself does not define them."""
    for name in ("__init__", "__new__"):
        member = found.members.get(name)
        if isinstance(member, griffe.Function):
            return _parameters(member, returns=False)
        if member is None and found.overloads.get(name):
            return _parameters(found.overloads[name][0], returns=False)
    is_tuple = any(str(base).rpartition(".")[2] == "NamedTuple" for base in found.bases)
    is_data = any(
        item.callable_path.rpartition(".")[2] in ("dataclass", "define", "frozen") for item in found.decorators
    )
    if not (is_tuple or is_data):
        return ""
    fields = [member for member in found.members.values() if isinstance(member, griffe.Attribute)]
    return "(" + ", ".join(_field(member) for member in fields if _is_field(member)) + ")"


def _is_field(member: griffe.Attribute) -> bool:
    return (
        "property" not in member.labels
        and member.annotation is not None
        and not str(member.annotation).startswith(("ClassVar", "typing.ClassVar"))
    )


def _field(member: griffe.Attribute) -> str:
    value = "" if member.value is None else _short(str(member.value))
    return f"{member.name}: {_one_line(str(member.annotation))}" + (
        f" = {value or '...'}" if member.value is not None else ""
    )


def _attribute(member: griffe.Attribute) -> ModuleEntry:
    annotation = "" if member.annotation is None else f": {_one_line(str(member.annotation))}"
    value = "" if member.value is None or "property" in member.labels else _short(str(member.value))
    return ModuleEntry(
        member.name, "value", annotation + (f" = {value}" if value else ""), _first_line(member.docstring)
    )


def _short(text: str) -> str:
    text = _one_line(text)
    return text if len(text) <= _LONGEST_VALUE else ""


def _first_line(docstring: griffe.Docstring | None, name: str = "") -> str:
    """The first meaningful line, after the signature that some docstrings begin with."""
    lines = [] if docstring is None else [line.strip() for line in docstring.value.splitlines()]
    return next((line for line in lines if line and not (name and line.startswith(f"{name}("))), "")


def _one_line(text: str) -> str:
    return _SPACE.sub(" ", text).strip()
