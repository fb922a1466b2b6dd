"""The packages that a Go file imports.

In: a parse and a statement.  Out: `Import`s; a package's name is the last part of its path, unless the import says
another.

    import "example.com/shop/cart"     example.com/shop/cart, known as cart
    import m "math"                    math as m
    import . "strings"                 strings, *
    import _ "embed"                   embed as _
"""

import re
from collections.abc import Iterator

from tree_sitter import Node

from palimpsest.syntax.parse import Parsed
from palimpsest.syntax.values import Import

_VERSION = re.compile(r"v[0-9]+")
_DOTTED_VERSION = re.compile(r"\.v[0-9]+\Z")
_PARTS = re.compile(r"[^\W\d]\w*")


def imported(parsed: Parsed, statement: Node) -> list[Import]:
    return [found for spec in _specs(statement) if (found := _import(parsed, spec)) is not None]


def written(item: Import) -> str:
    name = "." if item.name == "*" else item.alias or ""
    shown = "" if name == package_name(item.module) else f"{name} "
    return f'import {shown}"{item.module}"'


def package_name(path: str) -> str:
    """What a package is most likely called: the last part of its path, without a version, `go-` or `.v2`."""
    parts = [part for part in path.split("/") if part]
    if len(parts) > 1 and _VERSION.fullmatch(parts[-1]):
        parts.pop()
    last = _DOTTED_VERSION.sub("", parts[-1]) if parts else ""
    last = last.removeprefix("go-").removesuffix("-go").removesuffix(".go")
    words = _PARTS.findall(last)
    return words[-1] if words else ""


def _specs(statement: Node) -> Iterator[Node]:
    for child in statement.named_children:
        if child.type == "import_spec":
            yield child
        elif child.type == "import_spec_list":
            yield from _specs(child)


def _import(parsed: Parsed, spec: Node) -> Import | None:
    path, name = spec.child_by_field_name("path"), spec.child_by_field_name("name")
    if path is None:
        return None
    module, line = parsed.text_of(path).strip('"`'), spec.start_point.row
    if name is not None and name.type == "dot":
        return Import(module, "*", None, 0, line)
    alias = package_name(module) if name is None else parsed.text_of(name)
    return Import(module, None, alias, 0, line)
