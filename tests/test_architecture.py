"""The packages and levels of server/ARCHITECTURE.md hold: read from the imports themselves, and from the map's tables.

What is imported for types alone counts: whoever names a type knows it.
"""

import ast
import re
from collections import defaultdict
from functools import cache
from graphlib import CycleError, TopologicalSorter
from typing import NamedTuple

from tests.sources import MAP, sources

LSP = {"lsp", "completions/lsp", "edits/lsp", "next_edits/lsp", "documents/lsp", "conversations/lsp"}
"""The protocol, and each feature's part of it."""
ONLY = {  # library: the packages that may import it, or parts of them
    "pygls": LSP,
    "lsprotocol": LSP | {"conversations/feature"},
    "tree_sitter": {"syntax", "languages"},
    "httpx2": {"providers", "models", "libraries"},
    "llama_cpp": {"engine"},
    "numpy": {"engine", "models"},
    "gguf": {"models"},
    "starlette": {"engine"},
    "uvicorn": {"engine"},
    "cattrs": {"lsp"},
    "msgspec": {"json_data"},
    "psutil": {"system"},
    "re2": {"conversations"},
    "h11": {"engine"},
    "jinja2": {"chat_templates"},
    "griffe": {"languages"},
    "markdown_it": {"documents"},
    "yaml": {"documents"},
    "acp": {"agents"},
    "mcp": {"agents"},
    "mcp_types": {"agents"},
    "pydantic": {"agents"},
}
ENGINE = "engine/"
TEXT_IN_ENGINE = f"{ENGINE}llama_server/"
"""The one part of the engine that knows texts as an editor has them."""
WAITS = {
    "asyncio",
    "httpx2",
    "io",
    "multiprocessing",
    "os",
    "select",
    "shutil",
    "socket",
    "sqlite3",
    "subprocess",
    "tempfile",
}
"""What a pure module does not import."""
ABOVE_PURE = ("index/", "providers/", ENGINE, "window/", "session/", "lsp/")


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
    is_pure: bool
    """Whether its docstring says so."""


def slashed(dotted: str) -> str:
    return dotted.removeprefix("palimpsest.").replace(".", "/")


def name_of(path: str) -> str:
    """`engine/arena/plan`; a package's own file has the package's name."""
    return path.removesuffix(".py").removesuffix("/__init__")


def read(path: str, text: str, names: set[str]) -> Module:
    name = name_of(path)
    is_folder = path.endswith("/__init__.py") or "/" not in name
    tree = ast.parse(text)
    is_pure = (ast.get_docstring(tree) or "").startswith("Pure:")
    module = Module(name if is_folder else name.rpartition("/")[0], set(), set(), [], [], is_pure)
    for node in ast.walk(tree):
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


@cache
def levels() -> dict[str, int]:
    """The map's tables: `| 3 | `models/` `syntax/` | … |`."""
    rows = re.findall(r"^\| (\d+) \| (.+?) \|", MAP, re.MULTILINE)
    return {name.rstrip("/"): int(level) for level, names in rows for name in re.findall(r"`([^`]+)`", names)}


def package_of(module: str) -> str:
    return module.partition("/")[0]


def part_of(module: str) -> str:
    """`engine/cache`, of what is inside of the engine; `conversations/lsp`, which the map has on a level of its own."""
    part = "/".join(module.split("/")[:2])
    return part if module.startswith(ENGINE) or part in levels() else package_of(module)


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


def is_inside(one: str, other: str) -> bool:
    """Whether one of two folders is in the other."""
    return one.startswith(f"{other}/") or other.startswith(f"{one}/")


def test_every_package_is_on_one_level_of_the_map() -> None:
    assert {package_of(name) for name in modules()} | set(map(part_of, modules())) == levels().keys()


def test_packages_are_named_in_full() -> None:
    assert [f"{name}:{line} imports relatively" for name, module in modules().items() for line in module.relative] == []


def test_a_library_is_imported_by_its_packages_only() -> None:
    problems = [
        f"{name} imports {library}, which belongs to {ONLY[library]}"
        for name, module in modules().items()
        for library in module.libraries & ONLY.keys()
        if not {package_of(name), part_of(name)} & ONLY[library]
    ]
    assert problems == []


def test_a_package_imports_from_levels_below_only() -> None:
    level, problems = levels(), list[str]()
    for name, module in modules().items():
        for target in sorted(module.imports):
            outside = name.startswith(ENGINE) != target.startswith(ENGINE)
            ours, theirs = (
                package_of(one) if outside and one.startswith(ENGINE) else part_of(one) for one in (name, target)
            )
            is_text = name.startswith(ENGINE) and not name.startswith(TEXT_IN_ENGINE) and target.startswith("text/")
            if is_text or (ours != theirs and level[theirs] >= level[ours]):
                problems.append(f"{name} imports {target}")
    assert problems == []


def test_pure_modules_do_no_io_and_know_no_engine() -> None:
    problems, pure = list[str](), {name for name, module in modules().items() if module.is_pure}
    assert {package_of(name) for name in pure} >= {"completions", "edits", "next_edits", "engine"}
    for name in pure:
        module = modules()[name]
        problems += [f"{name} imports {library}" for library in module.libraries & WAITS]
        for target in module.imports:
            is_own = package_of(target) == package_of(name) and modules()[target].folder != target
            if (is_own and target not in pure) or target.startswith(ABOVE_PURE if not is_own else ("!",)):
                problems.append(f"{name} imports {target}")
    assert problems == []


def test_no_file_leads_back_to_itself() -> None:
    assert circles({name: set(module.imports) for name, module in modules().items()}) == []


def test_no_folder_leads_back_to_itself() -> None:
    arrows = defaultdict[str, set[str]](set)
    for module in modules().values():
        folders = {modules()[one].folder for one in module.imports} - {module.folder}
        arrows[module.folder] |= {one for one in folders if not is_inside(one, module.folder)}
    assert circles(arrows) == []


def test_one_package_runs_git() -> None:
    """It knows how to keep a repository's own configuration from running programs."""
    assert [f"{name}:{line}: ask system/git.py" for name, module in modules().items() for line in module.runs_git] == []


def test_no_regular_expression_repeats_a_group_possessively() -> None:
    """Up to Python 3.11.4, Debian 12's among them, such a group goes on from where it failed, and what it should stop
    at is passed (python/cpython#100061, #106052): `(?>(?:…)*)` is the same in all versions."""
    possessive = re.compile(r"\)(?:[*+?]|\{\d*,?\d*\})\+")
    found = [
        path
        for path, text in sources().items()
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and possessive.search(node.value)
    ]
    assert found == ["conversations/descriptors/pretty.py"], "of valid JSON only"
