"""Where in a module something may be completed or repaired, by plain `ast`.

In: a parsed module.  Out: `Scope`s.  What a model is shown of them is the product's business (`product`).
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass

Function = ast.FunctionDef | ast.AsyncFunctionDef
WORD = re.compile(r"[^\W\d]\w*")


@dataclass(frozen=True, slots=True)
class Scope:
    """A function with where it stands: its name as shown (`Cart.add`), its class if it is a method."""

    node: Function
    name: str
    owner: ast.ClassDef | None

    @property
    def first(self) -> int:
        """Index of the first line, decorators included."""
        return min([self.node.lineno, *(d.lineno for d in self.node.decorator_list)]) - 1

    @property
    def end(self) -> int:
        return self.node.end_lineno or self.node.lineno


def functions(tree: ast.Module) -> list[Scope]:
    """Functions of the module and methods of its classes; functions inside functions go with the outer one."""
    found = []
    for node in tree.body:
        if isinstance(node, Function):
            found.append(Scope(node, node.name, None))
        elif isinstance(node, ast.ClassDef):
            found += [Scope(m, f"{node.name}.{m.name}", node) for m in node.body if isinstance(m, Function)]
    return found


def headings(tree: ast.Module) -> list[int]:
    """Indexes of the lines outside of functions: signatures, fields, statements of the module."""
    found = []
    for node in tree.body:
        found.append(node.lineno - 1)
        if isinstance(node, ast.ClassDef):
            found += [item.lineno - 1 for item in node.body]
    return found


def statement_ends(node: ast.AST) -> dict[int, int]:
    """Index of the last line of the simple statement that begins on a line, by that line's index."""
    return {
        inner.lineno - 1: (inner.end_lineno or inner.lineno) - 1
        for inner in ast.walk(node)
        if isinstance(inner, ast.stmt) and not hasattr(inner, "body")
    }
