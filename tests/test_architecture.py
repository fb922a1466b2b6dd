"""The rooms and arrows of server/ARCHITECTURE.md hold: read from the imports themselves."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent / "server" / "palimpsest"
FLOORS = {
    "errors": 0,
    "givers": 0,
    "programs": 0,
    "types": 0,
    "wire": 0,
    "text": 1,
    "memory": 1,
    "settings": 1,
    "layers": 1,
    "folders": 1,
    "logs": 1,
    "address": 1,
    "families": 1,
    "held": 1,
    "installed": 1,
    "git": 1,
    "reading": 1,
    "patterns": 1,
    "repetition": 1,
    "models": 2,
    "syntax": 2,
    "engines": 2,
    "kv": 2,
    "context": 3,
    "prompt": 4,
    "following": 4,
    "suggest": 4,
    "usage": 3,
    "requests": 5,
    "pause": 5,
    "assist": 6,
    "building": 7,
    "session": 7,
    "conversation": 8,
    "lsp": 9,
    "app": 10,
    "demo": 10,
    "doctor": 10,
    "bench": 10,
    "model_command": 10,
    "engine_command": 10,
    "__main__": 11,
}
# The command line's rooms stand on one floor and use the composition root and the demo's driver.
NEIGHBOURS = {
    ("errors", "types"),
    ("layers", "settings"),
    ("layers", "reading"),
    ("demo", "app"),
    ("bench", "app"),
    ("bench", "demo"),
    ("doctor", "app"),
    ("wire", "errors"),
}
ONLY = {  # library: the rooms that may import it
    "pygls": {"lsp"},
    "lsprotocol": {"lsp"},
    "tree_sitter": {"syntax"},
    "tree_sitter_python": {"syntax"},
    "httpx": {"engines", "models"},
    "llama_cpp": {"kv"},
    "numpy": {"kv", "models"},
    "gguf": {"models"},
    "starlette": {"kv"},
    "uvicorn": {"kv"},
    "jinja2": {"kv"},
    "griffe": {"context"},
}
NEVER = {("kv", "text"), ("kv", "syntax"), ("suggest", "engines"), ("suggest", "kv"), ("memory", "engines")}


def room_of(path: Path) -> str:
    part = path.relative_to(ROOT).parts[0]
    return part.removesuffix(".py")


def imports(path: Path) -> list[str]:
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path.name} imports relatively: rooms are named in full"
            assert node.module is not None
            found.append(node.module)
            if node.module == "palimpsest":
                found += [f"palimpsest.{alias.name}" for alias in node.names]
    return found


FILES = [p for p in sorted(ROOT.rglob("*.py")) if p != ROOT / "__init__.py"]


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(ROOT)))
def test_a_room_imports_from_floors_below_only(path: Path) -> None:
    room = room_of(path)
    assert room in FLOORS, f"{room} is on no floor: put it into ARCHITECTURE.md and here"
    for name in imports(path):
        top, *rest = name.split(".")
        if top != "palimpsest":
            assert room in ONLY.get(top, {room}), f"{path.name}: {top} belongs to {ONLY[top]}"
            continue
        target = rest[0] if rest else ""
        if target in ("", "__version__", room):
            continue
        assert (room, target) not in NEVER, f"{path.name} imports {name}"
        below = FLOORS[target] < FLOORS[room] or (room, target) in NEIGHBOURS
        assert below, f"{path.name} ({room}) imports {name}, which is not below it"


def test_one_room_runs_git() -> None:
    """It knows how to keep a repository's own configuration from running programs."""
    for path in FILES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            first = node.elts[0] if isinstance(node, (ast.List, ast.Tuple)) and node.elts else None
            runs = isinstance(first, ast.Constant) and first.value == "git"
            assert not runs, f"{path.name}:{first.lineno if first else 0} runs git: ask system/git.py"


def test_the_map_names_every_room() -> None:
    text = (ROOT.parent / "ARCHITECTURE.md").read_text(encoding="utf-8")
    for room in {room_of(p) for p in FILES}:
        assert f"`{room}`" in text or f"`{room}/`" in text, f"ARCHITECTURE.md does not name {room}"
