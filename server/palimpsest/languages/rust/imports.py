"""Rust's module paths: what `use`, `mod` and `extern crate` bring, and what follows from the names of files.

In: a parse and a statement; files relative to a workspace's folder, paths of modules.  Out: `Import`s, whose module is
the path before the last name, as written, and whose level is the number of modules in the file around them; paths of
modules, the crate first: that of the workspace's own folder is `crate`, that of a folder in it has the folder's name.
Reads no file.

    use a::b::{self, C as D, e::*};    a, b    a::b, C as D    a::b::e, *
    mod cart;                          self, cart
    extern crate serde as s;           serde as s
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

from tree_sitter import Node

from palimpsest.syntax.parse import Parsed
from palimpsest.syntax.values import Import

SEPARATOR = "::"
HERE = "self"
CRATE = "crate"
ROOTS = frozenset({"lib", "main", "mod", "build"})
"""Files that are the module of their folder."""
_OWN_CRATES = frozenset({"tests", "benches", "examples", "bin"})
"""Folders of files that are a crate each."""
_STANDARD = frozenset({"std", "core", "alloc", CRATE, "self", "super"})


@dataclass(frozen=True, slots=True)
class _Leaf:
    """One imported name: `path` has all of it, `node` is what binds the name, `written` what is imported."""

    path: str
    alias: str | None
    node: Node
    written: Node


def imported(parsed: Parsed, statement: Node) -> list[Import]:
    line, level = statement.start_point.row, sum(node.type == "mod_item" for node in parsed.path(statement)[:-1])
    if statement.type == "mod_item":
        name = statement.child_by_field_name("name")
        return [] if name is None else [Import(HERE, parsed.text_of(name), None, level, line)]
    if statement.type == "extern_crate_declaration":
        name, alias = statement.child_by_field_name("name"), statement.child_by_field_name("alias")
        given = None if alias is None else parsed.text_of(alias)
        return [] if name is None else [Import(parsed.text_of(name), None, given, level, line)]
    return [_import(leaf, line, level) for leaf in _leaves(parsed, statement)]


def written(item: Import) -> str:
    """One imported name as a statement."""
    if item.module == HERE and item.name and item.alias is None:
        return f"mod {item.name};"
    path = item.module + (f"{SEPARATOR}{item.name}" if item.name else "")
    return f"use {path}{f' as {item.alias}' if item.alias else ''};"


def source_of(parsed: Parsed, name: Node) -> str:
    """The path before a name of a `use`."""
    for statement in (node for node in parsed.path(name) if node.type == "use_declaration"):
        for leaf in _leaves(parsed, statement):
            if name.id in (leaf.node.id, leaf.written.id):
                return _import(leaf).module
    return ""


def _import(leaf: _Leaf, line: int = 0, level: int = 0) -> Import:
    module, _, name = leaf.path.rpartition(SEPARATOR)
    if not module:
        return Import(name, None, leaf.alias, level, line)
    return Import(module, name, leaf.alias, level, line)


def _leaves(parsed: Parsed, statement: Node) -> Iterator[_Leaf]:
    argument = statement.child_by_field_name("argument")
    if argument is not None:
        yield from _under(parsed, argument, "")


def _under(parsed: Parsed, node: Node, path: str) -> Iterator[_Leaf]:
    """The names below a part of a `use`, behind `path`."""
    match node.type:
        case "use_list":
            for child in node.named_children:
                yield from _under(parsed, child, path)
        case "scoped_use_list":
            head, inner = node.child_by_field_name("path"), node.child_by_field_name("list")
            if inner is not None:
                yield from _under(parsed, inner, path if head is None else _joined(path, _text(parsed, head)))
        case "use_wildcard":
            head = next(iter(node.named_children), None)
            here = path if head is None else _joined(path, _text(parsed, head))
            yield _Leaf(_joined(here, "*"), None, node, node)
        case "use_as_clause":
            named, alias = node.child_by_field_name("path"), node.child_by_field_name("alias")
            if named is not None and alias is not None:
                yield _Leaf(_whole(parsed, named, path), parsed.text_of(alias), alias, _last(named))
        case "identifier" | "scoped_identifier" | "self" | "crate" | "super":
            yield _Leaf(_whole(parsed, node, path), None, _last(node), _last(node))


def _whole(parsed: Parsed, node: Node, path: str) -> str:
    """`self` in a list means the path itself."""
    return path if node.type == HERE and path else _joined(path, _text(parsed, node))


def _joined(path: str, rest: str) -> str:
    return f"{path}{SEPARATOR}{rest}" if path else rest


def _text(parsed: Parsed, node: Node) -> str:
    return "".join(parsed.text_of(node).split()).removeprefix(SEPARATOR)


def _last(node: Node) -> Node:
    name = node.child_by_field_name("name")
    return node if name is None else name


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
