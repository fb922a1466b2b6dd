"""Dotted names of modules: decides from its text alone which file an import refers to.

In: paths relative to a workspace folder, imports as written.  Out: names, answers.  Accesses no files.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePosixPath

from palimpsest.syntax.values import Import

_PACKAGE = "__init__"


def module_name(file: str) -> str:
    """`shop.cart` for `shop/cart.py`, `shop` for `shop/__init__.py`."""
    parts = [part for part in PurePosixPath(file).with_suffix("").parts if part not in ("/", "..")]
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
