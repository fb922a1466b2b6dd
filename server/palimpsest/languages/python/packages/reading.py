"""Reads a module's source with griffe, without running it.

In: a module's name and text.  Out: `model.Module`.  The only importer of griffe.  Reads one file at a time: griffe's
own loader would read a whole package, which takes seconds when a block needs only a few names; `library.py` follows the
aliases.
"""

import re
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import griffe

from palimpsest.languages.modules import ModuleEntry
from palimpsest.text.paragraphs import first_paragraph

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
