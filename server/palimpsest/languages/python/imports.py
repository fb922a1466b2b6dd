"""Import statements.

In: imports, a name in one.  Out: their text, the module.  Reads no files.
"""

import re

from tree_sitter import Node

from palimpsest.syntax.parse import Parsed
from palimpsest.syntax.values import Import

NAMES = re.compile(r"(from\s+[\w.]+\s+import\s+\(?)([^()#;\\]+?)(,?\s*\)?\s*)")
"""`from a import b, c`, also in brackets; one with a comment has it for these names."""


def written(item: Import) -> str:
    alias = f" as {item.alias}" if item.alias else ""
    if item.name is None:
        return f"import {item.module}{alias}"
    return f"from {'.' * item.level}{item.module} import {item.name}{alias}"


def source_of(parsed: Parsed, name: Node) -> str:
    """The module name after `from`, as written; empty for `import x`."""
    modules = (node.child_by_field_name("module_name") for node in reversed(parsed.path(name)[:-1]))
    return next(("".join(parsed.text_of(module).split()) for module in modules if module is not None), "")
