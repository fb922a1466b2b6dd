"""Finds a module's file as Python's import would, without importing.

In: a dotted name, folders in order.  Out: a `FoundModule`.  Opens no files.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal


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
