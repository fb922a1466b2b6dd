"""What PHP's `use` and `include` statements import.

In: a statement's node.  Out: `Import`s: `use Shop\\Cart` has the module `Shop\\Cart`, which is one class, and its name;
`use function Shop\\total` the module `Shop`; an included file has its path from the file, and all of its names.
"""

import re
from collections.abc import Iterator

from tree_sitter import Node

from palimpsest.syntax.parse import Parsed
from palimpsest.syntax.values import Import

_KINDS = ("function", "const")
_PATH = re.compile(r"""(?:require|include)(?:_once)?\s*+(?:\(\s*+)?"""
                   r"""(__DIR__\s*\.\s*|dirname\(__FILE__\)\s*\.\s*)?(["'])"""
                   r"""([^"'$\n]+)\2\s*+(?:\)\s*+)?(?:;\s*+)?\Z""")  # fmt: skip


def imported(parsed: Parsed, statement: Node) -> list[Import]:
    line = statement.start_point.row
    if statement.type != "namespace_use_declaration":
        path = _PATH.search(parsed.text_of(statement))
        return [] if path is None else [Import(path[3].removeprefix("/") if path[1] else path[3], "*", None, 1, line)]
    return list(_used(parsed, statement))


def written(parsed: Parsed, item: Import) -> str:
    line = parsed.snapshot.lines[item.line].strip()
    if (
        item.level
        or not line.startswith("use")
        or "{" not in line + "".join(parsed.snapshot.lines[item.line + 1 :][:1])
    ):
        return line
    alias = f" as {item.alias}" if item.alias else ""
    return f"use {item.module}{alias};"


def _used(parsed: Parsed, statement: Node) -> Iterator[Import]:
    prefix = next((child for child in statement.children if child.type == "namespace_name"), None)
    group = statement.child_by_field_name("body")
    clauses = (group or statement).named_children
    kind = next((child.type for child in statement.children if child.type in _KINDS), "")
    for clause in clauses:
        if clause.type != "namespace_use_clause":
            continue
        alias = clause.child_by_field_name("alias")
        named = next((c for c in clause.named_children if c.type in ("name", "qualified_name")), None)
        if named is None:
            continue
        kind = next((child.type for child in clause.children if child.type in _KINDS), kind)
        full = parsed.text_of(named).strip("\\")
        if prefix is not None:
            full = f"{parsed.text_of(prefix).strip(chr(92))}\\{full}"
        around, _, last = full.rpartition("\\")
        module = around if kind else full
        yield Import(module, last, None if alias is None else parsed.text_of(alias), 0, statement.start_point.row)
