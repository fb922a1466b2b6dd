"""The rooms and arrows of server/ARCHITECTURE.md hold: read from the imports themselves, and from the map's own table.

What is imported for types alone counts: whoever names a type knows it.
"""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent / "server" / "palimpsest"
MAP = (ROOT.parent / "ARCHITECTURE.md").read_text(encoding="utf-8")
ONLY = {  # library: the rooms that may import it
    "pygls": {"lsp"},
    "lsprotocol": {"lsp"},
    "tree_sitter": {"syntax", "languages"},
    "httpx": {"providers", "models"},
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
FILES = [p for p in sorted(ROOT.rglob("*.py")) if p != ROOT / "__init__.py"]


def name_of(path: Path) -> str:
    """`kv/arena/plan`; a package's own file has the package's name."""
    relative = path.relative_to(ROOT).with_suffix("")
    return (relative.parent if relative.name == "__init__" else relative).as_posix()


MODULES = {name_of(p): p for p in FILES}


def floors() -> dict[str, int]:
    """The map's table: `| 3 | `models/` `syntax/` | … |`."""
    rows = re.findall(r"^\| (\d+) \| (.+?) \|", MAP, re.MULTILINE)
    return {room.rstrip("/"): int(floor) for floor, rooms in rows for room in re.findall(r"`([^`]+)`", rooms)}


FLOORS = floors()


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path.name} imports relatively: rooms are named in full"
            assert node.module is not None
            if node.module.partition(".")[0] != "palimpsest":
                yield node.module
                continue
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                yield inner if inner.removeprefix("palimpsest.").replace(".", "/") in MODULES else node.module


def ours(path: Path) -> set[str]:
    """The modules of ours that a file imports."""
    found = {name.removeprefix("palimpsest.").replace(".", "/") for name in imports(path) if name != "palimpsest"}
    return {name for name in found if name in MODULES and name != name_of(path)}


def folder_of(module: str) -> str:
    path = MODULES[module]
    return module if path.name == "__init__.py" or "/" not in module else module.rpartition("/")[0]


IMPORTS = {module: ours(path) for module, path in MODULES.items()}


def circles(arrows: Mapping[str, set[str]]) -> list[list[str]]:
    """Groups of more than one in which each leads to every other (Tarjan 1972)."""
    number: dict[str, int] = {}
    lowest: dict[str, int] = {}
    open_: list[str] = []
    found = []

    def visit(one: str) -> None:
        number[one] = lowest[one] = len(number)
        open_.append(one)
        for other in sorted(arrows.get(one, ())):
            if other not in number:
                visit(other)
            if other in open_:
                lowest[one] = min(lowest[one], lowest[other])
        if lowest[one] == number[one]:
            group = open_[open_.index(one) :]
            del open_[open_.index(one) :]
            if len(group) > 1:
                found.append(sorted(group))

    for one in sorted(arrows):
        if one not in number:
            visit(one)
    return found


def test_every_room_is_on_one_floor_of_the_map() -> None:
    assert {module.partition("/")[0] for module in MODULES} == FLOORS.keys()


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(ROOT)))
def test_a_room_imports_from_floors_below_only(path: Path) -> None:
    room = name_of(path).partition("/")[0]
    for name in imports(path):
        top = name.partition(".")[0]
        if top != "palimpsest":
            assert room in ONLY.get(top, {room}), f"{path.name}: {top} belongs to {ONLY[top]}"
    for module in ours(path):
        target = module.partition("/")[0]
        assert (room, target) not in NEVER, f"{path.name} imports {module}"
        assert target == room or FLOORS[target] < FLOORS[room], f"{path.name} ({room}) imports {module}, not below it"


def test_no_file_leads_back_to_itself() -> None:
    assert circles(IMPORTS) == []


def test_no_folder_leads_back_to_itself() -> None:
    arrows: dict[str, set[str]] = defaultdict(set)
    for module, others in IMPORTS.items():
        arrows[folder_of(module)] |= {folder_of(other) for other in others} - {folder_of(module)}
    assert circles(arrows) == []


def test_circles_are_found() -> None:
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": {"a"}}) == [["b", "c"]]


def test_one_room_runs_git() -> None:
    """It knows how to keep a repository's own configuration from running programs."""
    for path in FILES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            first = node.elts[0] if isinstance(node, (ast.List, ast.Tuple)) and node.elts else None
            runs = isinstance(first, ast.Constant) and first.value == "git"
            assert not runs, f"{path.name}:{first.lineno if first else 0} runs git: ask system/git.py"
