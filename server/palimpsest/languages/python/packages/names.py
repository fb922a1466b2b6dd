"""Dotted names of modules, and which file an import refers to.

In: paths, imports as written.  Out: names, folders, answers.  Checks which folders have an `__init__.py`; reads
no file.
"""

from collections.abc import Sequence
from pathlib import Path, PurePosixPath

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
