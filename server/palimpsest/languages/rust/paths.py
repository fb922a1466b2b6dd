"""Rust's module paths, as far as they follow from the names of files.

In: files relative to a workspace's folder, paths of modules.  Out: paths of modules, the crate first: that of the
workspace's own folder is `crate`, that of a folder in it has the folder's name.  Reads no file.
"""

from pathlib import PurePosixPath

from palimpsest.languages.rust.imports import SEPARATOR

CRATE = "crate"
ROOTS = frozenset({"lib", "main", "mod", "build"})
"""Files that are the module of their folder."""
_OWN_CRATES = frozenset({"tests", "benches", "examples", "bin"})
"""Folders of files that are a crate each."""
_STANDARD = frozenset({"std", "core", "alloc", CRATE, "self", "super"})


def module_name(file: str) -> str:
    """`src/cart.rs` is `crate::cart`, `crates/money/src/lib.rs` is `money`, `tests/shop.rs` is `shop`."""
    path = PurePosixPath(file)
    parts = [*path.parts[:-1], path.stem]
    at = max((n for n, part in enumerate(parts[:-1]) if part == "src"), default=None)
    if at is None:
        own = next((n for n, part in enumerate(parts[:-1]) if part in _OWN_CRATES), None)
        inside = parts if own is None else parts[own + 1 :]
        return SEPARATOR.join(inside[:-1] if inside[-1] == "mod" and len(inside) > 1 else inside)
    crate, inside = parts[at - 1].replace("-", "_") if at else CRATE, parts[at + 1 :]
    if inside[0] == "bin" and len(inside) > 1:
        crate, inside = inside[1], inside[2:]
    if inside and inside[-1] in ROOTS:
        inside = inside[:-1]
    return SEPARATOR.join([crate, *inside])


def is_beside_library(file: str) -> bool:
    """Whether a file of the workspace's own package is a crate beside its library: a test, an example, a binary."""
    parts = PurePosixPath(file).parts
    return len(parts) > 1 and (parts[0] in _OWN_CRATES or parts[:2] in (("src", "bin"), ("src", "main.rs")))


def of_library(path: str) -> str:
    """`shop::cart` as the library itself calls it; what has no module behind the crate is left as it is."""
    crate, mark, rest = path.partition(SEPARATOR)
    return f"{CRATE}{mark}{rest}" if mark and crate not in _STANDARD else path


def resolved(path: str, module: str) -> str:
    """The full path of what `path` means in `module`; a path that begins with a name is left as it is."""
    first, *rest = path.split(SEPARATOR)
    here = module.split(SEPARATOR)
    if first == CRATE:
        return SEPARATOR.join([here[0], *rest])
    if first not in ("self", "super"):
        return path
    if first == "super":
        here = here[:-1]
    while rest and rest[0] == "super":
        here, rest = here[:-1], rest[1:]
    return SEPARATOR.join([*here, *rest])
