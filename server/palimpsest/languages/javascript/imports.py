"""What a JavaScript or TypeScript file imports, and how modules are named.

In: a parse and a statement, or paths.  Out: `Import`s; their module is as written, and a module as a whole has no name.
A module's own name is its path without suffix, `src/cart`; of a folder's `index` it is the folder.  Reads no file.

    import cart from "./cart.js"              ./cart.js, default as cart
    import { total as sum } from "./cart.js"  ./cart.js, total as sum
    import * as money from "money"            money as money
    const fs = require("fs")                  fs as fs
    const { read: get } = require("fs")       fs, read as get
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from pathlib import PurePosixPath

from tree_sitter import Node

from palimpsest.syntax.imports import imports
from palimpsest.syntax.parse import Parsed
from palimpsest.syntax.values import Import

SUFFIXES = (".d.ts", ".d.mts", ".d.cts", ".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs")
"""Files with these suffixes import each other."""
DEFAULT, EVERYTHING = "default", "*"
_INDEX = "index"
_ROOTS = ("@/", "~/", "#/")
"""How projects commonly begin a path from the folder of their sources."""
_DECLARATIONS = frozenset({"lexical_declaration", "variable_declaration"})
_STATEMENTS = frozenset({"import_statement", "export_statement", *_DECLARATIONS})
_MODULE = frozenset({"import_statement", "export_statement"})


def imported(parsed: Parsed, statement: Node) -> list[Import]:
    if statement.type in _DECLARATIONS:
        return [item for declarator in statement.named_children for item in _required(parsed, declarator)]
    module, line = _module(parsed, statement), statement.start_point.row
    found = list[Import]()
    for name, alias in _names(statement):
        bound = None if alias is None else parsed.text_of(alias)
        if name.type == "namespace_import" or alias is name:
            found.append(Import(module, None, bound, 0, line))
        elif name.type == "import_clause":
            found.append(Import(module, DEFAULT, bound, 0, line))
        else:
            found.append(Import(module, parsed.text_of(name), bound, 0, line))
    return found


def source_of(parsed: Parsed, name: Node) -> str:
    """The module of the statement that a name is in."""
    above: Node | None = name
    while above is not None and above.type not in _STATEMENTS:
        above = above.parent
    if above is None:
        return ""
    if above.type not in _DECLARATIONS:
        return _module(parsed, above)
    for declarator in above.named_children:
        if declarator.start_byte <= name.start_byte < declarator.end_byte:
            return _required_module(parsed, declarator)
    return ""


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


def added(parsed: Parsed, item: Import) -> str:
    """A new statement, in the way of those that the file has.  Whether a module is a value of its own or has it by
    name, others' imports do not tell for sure, so only names are imported."""
    lines = [parsed.snapshot.lines[one.line] for one in imports(parsed)]
    if item.name in (None, EVERYTHING) or (lines and not any(line.lstrip().startswith("import") for line in lines)):
        return ""
    quote = "'" if sum("'" in line for line in lines) > len(lines) / 2 else '"'
    end = "" if lines and not any(line.rstrip().endswith(";") for line in lines) else ";"
    named = item.bound if item.name == DEFAULT else f"{{ {item.name}{f' as {item.alias}' if item.alias else ''} }}"
    return f"import {named} from {quote}{item.module}{quote}{end}"


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


def _module(parsed: Parsed, statement: Node) -> str:
    source = statement.child_by_field_name("source")
    if source is None:  # `import fs = require("fs")`
        clauses = (child.child_by_field_name("source") for child in statement.named_children)
        source = next((found for found in clauses if found is not None), None)
    return "" if source is None else _unquoted(parsed, source)


def _unquoted(parsed: Parsed, string: Node) -> str:
    return parsed.text_of(string)[1:-1]


def _names(statement: Node) -> Iterator[tuple[Node, Node | None]]:
    """The imported name with what it is called here: the clause for a default, the name itself for a whole module."""
    for clause in statement.named_children:
        if clause.type == "import_require_clause" and clause.named_children:
            yield clause.named_children[0], clause.named_children[0]
        for child in clause.named_children if clause.type == "import_clause" else ():
            if child.type == "identifier":
                yield clause, child
            elif child.type == "namespace_import" and child.named_children:
                yield child, child.named_children[0]
            elif child.type == "named_imports":
                yield from _specifiers(child)


def _specifiers(names: Node) -> Iterator[tuple[Node, Node | None]]:
    for one in names.named_children:
        name = one.child_by_field_name("name")
        if one.type == "import_specifier" and name is not None:
            yield name, one.child_by_field_name("alias")


def _required(parsed: Parsed, declarator: Node) -> Iterator[Import]:
    module, line = _required_module(parsed, declarator), declarator.start_point.row
    target, value = declarator.child_by_field_name("name"), declarator.child_by_field_name("value")
    if not module or target is None or value is None:
        return
    if target.type == "identifier":
        member = value.child_by_field_name("property")
        name = None if member is None else parsed.text_of(member)
        yield Import(module, name, parsed.text_of(target), 0, line)
    for part in target.named_children if target.type == "object_pattern" else ():
        if part.type == "shorthand_property_identifier_pattern":
            yield Import(module, parsed.text_of(part), None, 0, line)
        elif part.type == "pair_pattern":
            key, given = part.child_by_field_name("key"), part.child_by_field_name("value")
            if key is not None and given is not None and given.type == "identifier":
                yield Import(module, parsed.text_of(key), parsed.text_of(given), 0, line)


def _required_module(parsed: Parsed, declarator: Node) -> str:
    """The module that is loaded on the right, `require("x")`, `require("x").y`, `await import("x")`; else ""."""
    value = declarator.child_by_field_name("value")
    if value is not None and value.type == "member_expression":
        value = value.child_by_field_name("object")
    if value is not None and value.type == "await_expression" and value.named_children:
        value = value.named_children[0]
    function = None if value is None else value.child_by_field_name("function")
    given = None if value is None else value.child_by_field_name("arguments")
    if function is None or given is None or parsed.text_of(function) not in ("require", "import"):
        return ""
    first = next(iter(given.named_children), None)
    return _unquoted(parsed, first) if first is not None and first.type == "string" else ""


def _is_module(parsed: Parsed) -> bool:
    if parsed.root is None:
        return False
    if any(child.type in _MODULE for child in parsed.root.children):
        return True
    return "require(" in parsed.snapshot.text or "module.exports" in parsed.snapshot.text
