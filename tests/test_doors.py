"""Tests come in by doors that a person or another package has; where there is none, a comment says why."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

TESTS = Path(__file__).parent
DOCUMENTED = {"_asdict", "_exit", "_fields", "_replace"}
WHY = "# no door: "


def root_of(node: ast.expr) -> str:
    """`a` of `a.b(c).d`; the first part of a path in quotes."""
    while isinstance(node, ast.Attribute | ast.Call | ast.Subscript):
        node = node.func if isinstance(node, ast.Call) else node.value
    written = node.id if isinstance(node, ast.Name) else node.value if isinstance(node, ast.Constant) else ""
    return str(written).partition(".")[0]


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.endswith("__") and name not in DOCUMENTED


def reaching(tree: ast.Module) -> Iterator[int]:
    """The lines that use what is private, or put something in the place of what is not Python's own."""
    modules = dict[str, str]()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            modules.update({alias.asname or root_of(ast.Constant(alias.name)): alias.name for alias in node.names})
        elif isinstance(node, ast.ImportFrom):
            modules.update({alias.asname or alias.name: node.module or "." for alias in node.names})
    of_python = {name for name, module in modules.items() if module.partition(".")[0] in sys.stdlib_module_names}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            is_own = root_of(node) in ("self", "cls")
            is_put = isinstance(node.ctx, ast.Store) and isinstance(node.value, ast.Name) and node.value.id in modules
            if (is_private(node.attr) and not is_own) or (is_put and root_of(node) not in of_python):
                yield node.lineno
        elif isinstance(node, ast.ImportFrom) and any(is_private(alias.name) for alias in node.names):
            yield node.lineno
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "setattr":
            at = root_of(node.args[0])
            if at not in of_python and not (isinstance(node.args[0], ast.Constant) and at in sys.stdlib_module_names):
                yield node.lineno


def test_whoever_reaches_inside_says_why_no_door_serves() -> None:
    """On the line, or above it and those beside it."""
    silent = list[str]()
    for path in sorted(TESTS.rglob("*.py")):
        text, told = path.read_text(encoding="utf-8"), set[int]()
        lines = ["", *text.split("\n")]
        for number in sorted(set(reaching(ast.parse(text)))):
            if WHY in lines[number] or WHY in lines[number - 1] or number - 1 in told:
                told.add(number)
            else:
                silent.append(f"{path.relative_to(TESTS)}:{number}: {lines[number].strip()}")
    assert silent == [], f"use what a person or another package has, or say why not: {WHY}…"
