"""What tests of imports ask: which files a module is, what it offers."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from palimpsest.config.settings import ContextSettings
from palimpsest.languages.modules import Modules, Surroundings
from palimpsest.languages.registry import language_of, modules_of
from palimpsest.syntax.imports import imports
from palimpsest.workspace.files import WorkspaceFiles
from tests.languages.reading import parsed_as


def write(root: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, "utf-8")


def modules(root: Path, language_id: str, variables: Mapping[str, str] | None = None, *exclude: str) -> Modules:
    around = Surroundings(WorkspaceFiles([root], exclude), ContextSettings(), variables or {})
    return modules_of(language_of(language_id), around)


def files_of(found: Modules, root: Path, name: str, near: str) -> list[str]:
    """The files of a module of the workspace, relative to its folder."""
    return [path.relative_to(root).as_posix() for path in found.files_of(name, root / near)]


def imported(found: Modules, root: Path, file: str) -> list[tuple[str, str | None, str | None]]:
    """(Module as written, name, full name of the module) of each import of a file."""
    path = root / file
    own = found.name_of(path, root)
    items = imports(parsed_as(file, path.read_text("utf-8")))
    return [(item.module, item.name, found.imported(item, own, path)) for item in items]


def offered(found: Modules, name: str, near: Path, *names: str) -> dict[str, str] | None:
    """What a module offers, as it is declared; None if it has no description."""
    description = found.describe(name, frozenset(names), near)
    if description is None:
        return None
    every = [*description.public.values(), *(entry for entry in description.looked_up.values() if entry is not None)]
    return {entry.name: entry.declaration or f"module {entry.target}" for entry in every}


def members(found: Modules, module: str, cls: str, near: Path) -> list[str]:
    description = found.describe(module, frozenset(), near)
    assert description is not None
    entry = description.entry(cls)
    assert entry is not None
    return [member.declaration for member in entry.members]
