"""How a JavaScript or TypeScript file writes what it imports, and how modules are named.

In: a parse and `Import`s, or paths; their module is as written, and a module as a whole has no name.  Out: statements,
names.  A module's own name is its path without suffix, `src/cart`; of a folder's `index` it is the folder.  Reads no
file.

    import cart from "./cart.js"              ./cart.js, default as cart
    import { total as sum } from "./cart.js"  ./cart.js, total as sum
    import * as money from "money"            money as money
    const fs = require("fs")                  fs as fs
    const { read: get } = require("fs")       fs, read as get
"""

import posixpath
import re
from pathlib import PurePosixPath

from palimpsest.syntax.imports import imports
from palimpsest.syntax.parse import Parsed
from palimpsest.syntax.values import Import

SUFFIXES = (".d.ts", ".d.mts", ".d.cts", ".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs")
"""Files with these suffixes import each other."""
DEFAULT, EVERYTHING = "default", "*"
MOST_ROWS = 100
"""Lines of a statement in which its module is looked for."""
_INDEX = "index"
_ROOTS = ("@/", "~/", "#/")
"""How projects commonly begin a path from the folder of their sources."""
_MODULE = frozenset({"import_statement", "export_statement"})


def written(parsed: Parsed, item: Import) -> str:
    """One imported name as a statement, in the way of the statement that it is from."""
    line = parsed.snapshot.lines[item.line]
    source = f'"{item.module}"'
    if not line.lstrip().startswith(("import", "export")):
        if item.name is None:
            return f"const {item.bound} = require({source});"
        named = item.name if item.alias is None else f"{item.name}: {item.alias}"
        return f"const {{ {named} }} = require({source});"
    start = "import type" if line.lstrip().startswith("import type ") else "import"
    if item.name is None:
        return f"{start} * as {item.bound} from {source};"
    if item.name == DEFAULT:
        return f"{start} {item.bound} from {source};"
    named = item.name if item.alias is None else f"{item.name} as {item.alias}"
    return f"{start} {{ {named} }} from {source};"


def repeats(parsed: Parsed, item: Import, other: Import) -> bool:
    """Whether a module is loaded by a call that a statement imports already."""
    ways = [parsed.snapshot.lines[one.line].lstrip().startswith("import") for one in (item, other)]
    return ways == [False, True] and item.module.removeprefix("node:") == other.module.removeprefix("node:")


NAMES = re.compile(r"""(import\s+(?:[\w$]+\s*,\s*)?\{\s*)([^{}]+?)(,?\s*\}\s*from\s*(?:"[^"]*"|'[^']*')\s*;?\s*)""")
"""`import { a, b } from "m"`, with a default or without."""


def added(parsed: Parsed, item: Import) -> str:
    """A new statement, in the way of those that the file has.  Whether a module is a value of its own or has it by
    name, others' imports do not tell for sure, so only names are imported."""
    there = imports(parsed)
    lines = [_with_source(parsed, one) for one in there]
    if item.name in (None, EVERYTHING):
        return ""
    quote = "'" if sum("'" in line for line in lines) > len(lines) / 2 else '"'
    end = "" if lines and not any(line.rstrip().endswith(";") for line in lines) else ";"
    if lines and not any(parsed.snapshot.lines[one.line].lstrip().startswith("import") for one in there):
        named = f"{item.name}: {item.alias}" if item.alias else item.name
        is_required = item.name != DEFAULT and any("require(" in line for line in lines)
        return f"const {{ {named} }} = require({quote}{item.module}{quote}){end}" if is_required else ""
    named = item.bound if item.name == DEFAULT else f"{{ {item.name}{f' as {item.alias}' if item.alias else ''} }}"
    return f"import {named} from {quote}{item.module}{quote}{end}"


def _with_source(parsed: Parsed, item: Import) -> str:
    """The line of a statement that has its module, which may be some lines below its first."""
    below = parsed.snapshot.lines[item.line : item.line + MOST_ROWS]
    quoted = (f"'{item.module}'", f'"{item.module}"')
    return next((line for line in below if any(text in line for text in quoted)), below[0])


def is_module(parsed: Parsed) -> bool:
    """Whether the file has names of its own: it imports or exports something."""
    return parsed.once(_is_module)


def module_name(file: str) -> str:
    """`src/cart.js` is `src/cart`, `src/cart/index.js` too."""
    bare = _without_suffix(file)
    folder, name = posixpath.split(bare)
    return folder if name == _INDEX and folder else bare


def gives(source: str, file: str, module: str) -> bool:
    """Whether an import from `source` in `file` may mean a module."""
    if source.startswith("."):
        path = posixpath.normpath(posixpath.join(PurePosixPath(file).parent.as_posix(), source))
        return module == module_name(path) or module == path
    for root in _ROOTS:
        if source.startswith(root):
            end = module_name(source.removeprefix(root))
            return module == end or module.endswith(f"/{end}")
    return False


def _without_suffix(file: str) -> str:
    suffix = next((one for one in SUFFIXES if file.lower().endswith(one)), "")
    return file[: len(file) - len(suffix)]


def _is_module(parsed: Parsed) -> bool:
    if parsed.root is None:
        return False
    if any(child.type in _MODULE for child in parsed.root.children):
        return True
    return "require(" in parsed.snapshot.text or "module.exports" in parsed.snapshot.text
