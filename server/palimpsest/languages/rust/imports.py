"""The names that Rust's `use`, `mod` and `extern crate` bring.

In: a parse and a statement.  Out: `Import`s; their module is the path before the last name, as written, and their level
the number of modules in the file around them.

    use a::b::{self, C as D, e::*};    a, b    a::b, C as D    a::b::e, *
    mod cart;                          self, cart
    extern crate serde as s;           serde as s
"""

from collections.abc import Iterator
from dataclasses import dataclass

from tree_sitter import Node

from palimpsest.syntax.parse import Parsed
from palimpsest.syntax.values import Import

SEPARATOR = "::"
HERE = "self"


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
