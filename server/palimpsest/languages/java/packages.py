"""Names of packages, from paths alone.

In: paths relative to a workspace folder, imports as written.  Out: names, answers.  Accesses no files.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePosixPath

SOURCES = frozenset({"java", "kotlin", "groovy", "scala"})
"""Folders in a source set, whose names say what language they hold."""


def module_name(file: str, suffixes: Sequence[str]) -> str:
    """`shop.cart.Cart` for `core/src/main/java/shop/cart/Cart.java`; a file of another language keeps its name."""
    path = PurePosixPath(file)
    if path.suffix.lower() not in suffixes:
        return path.name
    parts = [part for part in path.with_suffix("").parts if part not in ("/", "..")]
    return ".".join(parts[_root(parts) :])


def _root(parts: Sequence[str]) -> int:
    """The number of folders around the packages: up to `src/main/java` or, without one, up to `src`."""
    for n in range(len(parts) - 3, -1, -1):
        if parts[n] == "src" and parts[n + 2] in SOURCES:
            return n + 3
    return parts.index("src") + 1 if "src" in parts[:-1] else 0


def package_of(module: str) -> str:
    return module.rpartition(".")[0]


def gives(source: str, module: str) -> bool:
    """Whether an import from `source`, a package or a class, may provide what the file `module` defines."""
    return any(name == source or name.endswith(f".{source}") for name in (package_of(module), module))
