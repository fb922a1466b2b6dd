"""The rooms and arrows of server/ARCHITECTURE.md hold: read from the imports themselves, and from the map's own table.

What is imported for types alone counts: whoever names a type knows it.
"""

import ast
import re
from collections import defaultdict
from functools import cache
from graphlib import CycleError, TopologicalSorter
from typing import NamedTuple

from tests.sources import MAP, sources

ONLY = {  # library: the rooms that may import it
    "pygls": {"lsp"},
    "lsprotocol": {"lsp"},
    "tree_sitter": {"syntax", "languages"},
    "httpx": {"providers", "models", "libraries"},
    "llama_cpp": {"kv"},
    "numpy": {"kv", "engine", "llama_server", "measure", "models"},
    "gguf": {"models"},
    "starlette": {"engine", "llama_server"},
    "uvicorn": {"engine"},
    "jinja2": {"chat_templates"},
    "griffe": {"languages"},
    "acp": {"agents"},
    "mcp": {"agents"},
    "mcp_types": {"agents"},
    "pydantic": {"agents"},
}
NEVER = {("kv", "text"), ("engine", "text"), ("edits", "prompt"), ("prompt", "edits")}


class Module(NamedTuple):
    """A file, as far as these tests ask for it."""

    folder: str
    libraries: set[str]
    imports: set[str]
    """The modules of ours."""
    relative: list[int]
    """Lines with a relative import."""
    runs_git: list[int]
    """Lines with a list that begins with "git"."""


def slashed(dotted: str) -> str:
    return dotted.removeprefix("palimpsest.").replace(".", "/")


def name_of(path: str) -> str:
    """`kv/arena/plan`; a package's own file has the package's name."""
    return path.removesuffix(".py").removesuffix("/__init__")


def read(path: str, text: str, names: set[str]) -> Module:
    name = name_of(path)
    is_folder = path.endswith("/__init__.py") or "/" not in name
    module = Module(name if is_folder else name.rpartition("/")[0], set(), set(), [], [])
    for node in ast.walk(ast.parse(text)):
        imported = list[str]()
        if isinstance(node, ast.Import):
            imported = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            if node.level:
                module.relative.append(node.lineno)
            inner = [f"{node.module}.{alias.name}" for alias in node.names]
            imported = [one if slashed(one) in names else str(node.module) for one in inner]
        elif isinstance(node, ast.List | ast.Tuple) and node.elts:
            first = node.elts[0]
            if isinstance(first, ast.Constant) and first.value == "git":
                module.runs_git.append(first.lineno)
        module.libraries.update(one.partition(".")[0] for one in imported)
        module.imports.update(names & set(map(slashed, imported)) - {name})
    return module


@cache
def modules() -> dict[str, Module]:
    files = {path: text for path, text in sources().items() if path != "__init__.py"}
    names = {name_of(path) for path in files}
    return {name_of(path): read(path, text, names) for path, text in files.items()}


def floors() -> dict[str, int]:
    """The map's table: `| 3 | `models/` `syntax/` | … |`."""
    rows = re.findall(r"^\| (\d+) \| (.+?) \|", MAP, re.MULTILINE)
    return {room.rstrip("/"): int(floor) for floor, rooms in rows for room in re.findall(r"`([^`]+)`", rooms)}


def room_of(module: str) -> str:
    return module.partition("/")[0]


def circles(arrows: dict[str, set[str]]) -> list[str]:
    """The ways that lead back to where they began, each broken once it is found."""
    found = list[str]()
    while True:
        try:
            TopologicalSorter(arrows).prepare()
        except CycleError as error:
            last, first, *_ = error.args[1]
            arrows[first].remove(last)
            found.append(" <- ".join(error.args[1]))
        else:
            return found


def test_every_room_is_on_one_floor_of_the_map() -> None:
    assert {room_of(name) for name in modules()} == floors().keys()


def test_rooms_are_named_in_full() -> None:
    assert [f"{name}:{line} imports relatively" for name, module in modules().items() for line in module.relative] == []


def test_a_library_is_imported_by_its_rooms_only() -> None:
    problems = [
        f"{name} imports {library}, which belongs to {ONLY[library]}"
        for name, module in modules().items()
        for library in module.libraries & ONLY.keys()
        if room_of(name) not in ONLY[library]
    ]
    assert problems == []


def test_a_room_imports_from_floors_below_only() -> None:
    floor, problems = floors(), list[str]()
    for name, module in modules().items():
        for target in sorted(module.imports):
            ours, theirs = room_of(name), room_of(target)
            if (ours, theirs) in NEVER or (ours != theirs and floor[theirs] >= floor[ours]):
                problems.append(f"{name} imports {target}")
    assert problems == []


def test_no_file_leads_back_to_itself() -> None:
    assert circles({name: set(module.imports) for name, module in modules().items()}) == []


def test_no_folder_leads_back_to_itself() -> None:
    arrows = defaultdict[str, set[str]](set)
    for module in modules().values():
        arrows[module.folder] |= {modules()[one].folder for one in module.imports} - {module.folder}
    assert circles(arrows) == []


def test_one_room_runs_git() -> None:
    """It knows how to keep a repository's own configuration from running programs."""
    assert [f"{name}:{line}: ask system/git.py" for name, module in modules().items() for line in module.runs_git] == []
