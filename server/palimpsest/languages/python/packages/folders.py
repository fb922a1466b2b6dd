"""Convert between files of a workspace and dotted module names.

In: paths, imports.  Out: names, folders.  Checks which folders have an `__init__.py`; reads no file.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from palimpsest.languages.python.packages import names
from palimpsest.syntax.values import Import


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


def module_name(path: Path, root: Path | None) -> str:
    """`shop.cart` for `shop/cart.py`, `shop` for `shop/__init__.py`."""
    return names.module_name(path.relative_to(source_folder(path, root)).as_posix())


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
