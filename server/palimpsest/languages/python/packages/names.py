"""Dotted names of modules, which file an import refers to, and where that is, as Python's import would find it.

In: paths, imports as written; dotted names, folders in order.  Out: names, folders, answers; a `FoundModule`.  Checks
which files there are; opens none and imports nothing.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Literal

from palimpsest.syntax.values import Import

_PACKAGE = "__init__"


def module_name(file: str) -> str:
    """`shop.cart` for `shop/cart.py`, `shop` for `shop/__init__.py`."""
    path = PurePosixPath(file)
    parts = [part for part in (path.with_suffix("") if path.name else path).parts if part not in ("/", "..")]
    if len(parts) > 1 and parts[-1] == _PACKAGE:
        parts.pop()
    return ".".join(parts)


def absolute(source: str, file: str) -> str:
    """The module that `from <source> import` refers to in a file: `..a` in `shop/x/y.py` is `shop.a`."""
    name = source.lstrip(".")
    level = len(source) - len(name)
    if level == 0:
        return name
    parts = list(PurePosixPath(file).parent.parts)
    base = parts[: len(parts) - (level - 1)]
    return ".".join([*base, *([name] if name else [])])


def is_module(name: str, module: str) -> bool:
    """Whether an absolute name refers to the module, whose own name may begin in a folder above (`src.shop.cart`)."""
    return bool(name) and (module == name or module.endswith(f".{name}"))


def gives(source: str, file: str, module: str) -> bool:
    """Whether an import from `source` in `file` may provide the module's names: from the module itself, or from a
    package around it that re-exports them."""
    name = absolute(source, file)
    parts = module.split(".")
    return any(is_module(name, ".".join(parts[:n])) for n in range(len(parts), 0, -1))


def means_module(head: str, imported: Sequence[Import], file: str, module: str) -> bool:
    """Whether `head`, as in `head.name`, refers to the module because of one of the file's imports."""
    for item in imported:
        source = "." * item.level + item.module
        if item.name is None and (item.alias or item.module) == head and is_module(item.module, module):
            return True
        if item.name is not None and item.bound == head:
            inner = absolute(source, file)
            if is_module(f"{inner}.{item.name}".lstrip("."), module):
                return True
    return False


def source_folder(path: Path, root: Path | None) -> Path:
    """The folder that a file's dotted name starts from: the one around its outermost package, else `src`, else the
    root."""
    folder = path.parent
    if (folder / "__init__.py").is_file():
        while (folder / "__init__.py").is_file() and folder.parent != folder:
            folder = folder.parent
        return folder
    if root is None or not path.is_relative_to(root):
        return folder
    return root / "src" if path.is_relative_to(root / "src") else root


def source_folders(path: Path | None, roots: Sequence[Path]) -> list[Path]:
    """The folders that may contain the workspace's top-level modules, most likely first."""
    folders = list[Path]()
    if path is not None:
        root = next((root for root in roots if path.is_relative_to(root)), None)
        if root is not None:
            folders.append(source_folder(path, root))
    for root in roots:
        folders += [root / "src", root]
    if path is not None and any(path.is_relative_to(root) for root in roots):
        folders.append(path.parent)  # a script imports its neighbours
    return [folder for folder in dict.fromkeys(folders) if folder.is_dir()]


def module_of(path: Path, root: Path | None) -> str:
    """`shop.cart` for `shop/cart.py`, whatever folder above it the name starts from."""
    return module_name(path.relative_to(source_folder(path, root)).as_posix())


def imported_module(found: Import, module: str, *, is_package: bool) -> str | None:
    """The absolute name of the module that an import in `module` refers to; None if it leads above the top."""
    if found.level == 0:
        return found.module or None
    parts = module.split(".") if module else []
    up = found.level - 1 if is_package else found.level
    if up > len(parts):
        return None
    base = parts[: len(parts) - up]
    return ".".join([*base, *([found.module] if found.module else [])]) or None


@dataclass(frozen=True, slots=True)
class FoundModule:
    """`source` is a `.py` file, `compiled` an extension, `stub` a `.pyi` without either, `namespace` a folder."""

    kind: Literal["source", "stub", "compiled", "namespace"]
    path: Path
    is_package: bool = False
    stub: Path | None = None


def find_module(name: str, folders: Sequence[Path], suffixes: Sequence[str] = ()) -> FoundModule | None:
    """`suffixes` are those of extension modules (`importlib.machinery.EXTENSION_SUFFIXES`)."""
    parts = name.split(".")
    if not all(part.isidentifier() for part in parts):
        return None
    found: FoundModule | None = None
    for n, part in enumerate(parts):
        found = _find_part(part, folders, suffixes)
        if found is None:
            return None
        if n + 1 < len(parts):
            if found.kind == "namespace":
                folders = [folder / part for folder in folders if (folder / part).is_dir()]
            elif found.is_package:
                folders = [found.path.parent]
            else:
                return None
    return found


def _find_part(part: str, folders: Sequence[Path], suffixes: Sequence[str]) -> FoundModule | None:
    namespace = None
    for folder in folders:
        there = os.path.join(folder, part)
        is_folder = os.path.isdir(there)
        found = _find_file(os.path.join(there, "__init__"), suffixes) if is_folder else None
        if found is not None:
            return FoundModule(found.kind, found.path, True, found.stub)
        found = _find_file(there, suffixes)
        if found is not None:
            return found
        if is_folder and namespace is None:
            namespace = FoundModule("namespace", Path(there), is_package=True)
    return namespace


def _find_file(base: str, suffixes: Sequence[str]) -> FoundModule | None:
    stub = Path(base + ".pyi") if os.path.isfile(base + ".pyi") else None
    if os.path.isfile(base + ".py"):
        return FoundModule("source", Path(base + ".py"), stub=stub)
    for suffix in suffixes:
        if os.path.isfile(base + suffix):
            return FoundModule("compiled", Path(base + suffix), stub=stub)
    return FoundModule("stub", stub, stub=stub) if stub is not None else None
