"""Import statements.

In: a parse and a statement's node.  Out: `Import`s, and the text of an import.  Reads no files.
"""

from __future__ import annotations

from tree_sitter import Node

from palimpsest.syntax.parse import Parsed
from palimpsest.syntax.values import Import


def imported(parsed: Parsed, statement: Node) -> list[Import]:
    module, level = "", 0
    source = statement.child_by_field_name("module_name")
    if statement.type == "future_import_statement":
        module = "__future__"
    elif source is not None:
        dotted = "".join(parsed.text_of(source).split())
        module = dotted.lstrip(".")
        level = len(dotted) - len(module)
    found: list[Import] = []
    line = statement.start_point.row
    for item in statement.children_by_field_name("name"):
        name, alias = item.child_by_field_name("name"), item.child_by_field_name("alias")
        text = "".join(parsed.text_of(item if name is None else name).split())
        bound = None if alias is None else parsed.text_of(alias)
        if not text:
            continue  # a missing node: the name is still being typed
        if statement.type == "import_statement":
            found.append(Import(text, None, bound, 0, line))
        else:
            found.append(Import(module, text, bound, level, line))
    if any(child.type == "wildcard_import" for child in statement.children):
        found.append(Import(module, "*", None, level, line))
    return found


def written(item: Import) -> str:
    alias = f" as {item.alias}" if item.alias else ""
    if item.name is None:
        return f"import {item.module}{alias}"
    return f"from {'.' * item.level}{item.module} import {item.name}{alias}"


def source_of(parsed: Parsed, name: Node) -> str:
    """The module name after `from`, as written; empty for `import x`."""
    modules = (node.child_by_field_name("module_name") for node in reversed(parsed.path(name)[:-1]))
    return next(("".join(parsed.text_of(module).split()) for module in modules if module is not None), "")
