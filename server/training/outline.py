"""Blocks and editing blocks out of a module, by plain `ast`.

In: `corpus.Module`.  Out: `palimpsest.types.Block` and `Editing`, in the shapes that FORMATS.md gives.
The product makes its blocks with tree-sitter and for more languages; what counts here is that they look alike.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from palimpsest.types import Block, Editing, EditingType, ShownLine
from training.corpus import Module

Function = ast.FunctionDef | ast.AsyncFunctionDef
WORD = re.compile(r"[^\W\d]\w*")
SHOWN_DECORATORS = frozenset(["property", "staticmethod", "classmethod", "abstractmethod", "overload"])
BLOCK_CHARACTERS = 430  # about 130 tokens


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


def parameter(arg: ast.arg, default: ast.expr | None, stars: str = "") -> str:
    """One parameter, spaced as PEP 8 has it (`ast.unparse` writes `a: int=1`)."""
    annotation = f": {ast.unparse(arg.annotation)}" if arg.annotation else ""
    equals = " = " if annotation else "="
    return f"{stars}{arg.arg}{annotation}" + (f"{equals}{ast.unparse(default)}" if default else "")


def parameters(a: ast.arguments) -> str:
    plain = [*a.posonlyargs, *a.args]
    defaults = [None] * (len(plain) - len(a.defaults)) + list(a.defaults)
    shown = [parameter(arg, default) for arg, default in zip(plain, defaults, strict=True)]
    if a.posonlyargs:
        shown.insert(len(a.posonlyargs), "/")
    if a.vararg:
        shown.append(parameter(a.vararg, None, "*"))
    elif a.kwonlyargs:
        shown.append("*")
    shown += [parameter(arg, default) for arg, default in zip(a.kwonlyargs, a.kw_defaults, strict=True)]
    if a.kwarg:
        shown.append(parameter(a.kwarg, None, "**"))
    return ", ".join(shown)


def signature(node: Function) -> str:
    start = "async def" if isinstance(node, ast.AsyncFunctionDef) else "def"
    returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    return f"{start} {node.name}({parameters(node.args)}){returns}"


def class_head(node: ast.ClassDef) -> str:
    bases = ", ".join(ast.unparse(base) for base in [*node.bases, *node.keywords])
    return f"class {node.name}({bases})" if bases else f"class {node.name}"


def assigned(node: ast.stmt, longest: int = 60) -> str | None:
    """`NAME: type`, `NAME = value` or just `NAME` for an assignment to one name."""
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        return f"{node.target.id}: {ast.unparse(node.annotation)}"
    if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
        name = node.targets[0].id
        if name.startswith("__"):
            return None
        value = ast.unparse(node.value)
        return f"{name} = {value}" if len(value) + len(name) < longest and "\n" not in value else name
    return None


def first_doc_line(node: ast.AST) -> str:
    if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
        return ""
    return (ast.get_docstring(node) or "").strip().split("\n")[0].strip()


def functions(tree: ast.Module) -> list[Scope]:
    """Functions of the module and methods of its classes; functions inside functions go with the outer one."""
    found = []
    for node in tree.body:
        if isinstance(node, Function):
            found.append(Scope(node, node.name, None))
        elif isinstance(node, ast.ClassDef):
            found += [Scope(m, f"{node.name}.{m.name}", node) for m in node.body if isinstance(m, Function)]
    return found


def fitted(lines: Sequence[str], wanted: Iterable[str], budget: int = BLOCK_CHARACTERS) -> str:
    """The lines that fit, those that name something wanted first, in their own order."""
    wanted = set(wanted)
    order = sorted(range(len(lines)), key=lambda i: not wanted.intersection(WORD.findall(lines[i])))
    kept, used = [], 0
    for i in order:
        if used + len(lines[i]) + 1 <= budget:
            kept.append(i)
            used += len(lines[i]) + 1
    return "\n".join(lines[i] for i in sorted(kept))


def class_block(module: str, node: ast.ClassDef, wanted: Iterable[str]) -> Block | None:
    """The class with its fields and its methods' signatures."""
    lines = []
    for item in node.body:
        if isinstance(item, Function):
            marks = [d.id for d in item.decorator_list if isinstance(d, ast.Name) and d.id in SHOWN_DECORATORS]
            lines += [f"    @{mark}" for mark in marks[:1]]
            lines.append(f"    {signature(item)}: ...")
        elif line := assigned(item):
            lines.append(f"    {line}")
    if not lines:
        return None
    head = class_head(node) + ":"
    doc = first_doc_line(node)
    if doc and len(doc) < 70:
        head += f'\n    """{doc}"""'
    body = fitted(lines, wanted, BLOCK_CHARACTERS - len(head))
    return Block("class", f"{module}.{node.name}", f"{head}\n{body}", editable=True) if body else None


def scope_lines(tree: ast.Module) -> list[str]:
    lines = []
    for node in tree.body:
        if isinstance(node, Function):
            lines.append(signature(node))
        elif isinstance(node, ast.ClassDef):
            lines.append(class_head(node))
        elif line := assigned(node):
            lines.append(line)
    return lines


def scope_block(name: str, lines: Sequence[str], wanted: Iterable[str]) -> Block | None:
    text = fitted(lines, wanted)
    return Block("scope", name, text) if text else None


def exports(tree: ast.Module) -> dict[str, str]:
    """What an importer may want to know about each name of a module: signature and first docstring line."""
    found = {}
    for node in tree.body:
        if isinstance(node, Function):
            head = signature(node)
        elif isinstance(node, ast.ClassDef):
            head = class_head(node)
            init = next((m for m in node.body if isinstance(m, Function) and m.name == "__init__"), None)
            if init:
                head += f"\n    {signature(init)}"
        else:
            continue
        doc = first_doc_line(node)
        found[node.name] = f"{head}\n    {doc}" if doc and len(doc) < 90 else head
    return found


def imports(tree: ast.Module, module: str, is_package: bool) -> list[tuple[str, str]]:
    """(module, name) of every `from module import name`, relative ones resolved."""
    found = []
    parents = module.split(".") if is_package else module.split(".")[:-1]
    for node in tree.body:
        if isinstance(node, ast.ImportFrom):
            base = parents[: len(parents) - node.level + 1] if node.level else []
            source = ".".join([*base, *([node.module] if node.module else [])])
            found += [(source, alias.name) for alias in node.names]
    return found


def package_block(source: str, entries: Sequence[str]) -> Block | None:
    text = fitted(entries, ())
    return Block("package", source, text) if text else None


def filesystem_block(path: str, siblings: Sequence[str]) -> Block | None:
    """The files around a path, one a line."""
    folder = path.rsplit("/", 1)[0] if "/" in path else "."
    text = fitted(list(siblings), WORD.findall(path.rsplit("/", 1)[-1]), 260)
    return Block("filesystem", folder, text) if text else None


def documentation_block(module: str, tree: ast.Module) -> Block | None:
    doc = (ast.get_docstring(tree) or "").strip()
    text = fitted(doc.split("\n"), (), 360).strip()
    return Block("documentation", module, text) if len(text) > 40 else None


def lines_shown(texts: Sequence[tuple[str, bool]], first: int = 0) -> tuple[ShownLine, ...]:
    """(text, is editable) lines, the editable ones numbered from 1."""
    shown, number = [], 0
    for text, editable in texts:
        number += editable
        shown.append(ShownLine(text, number if editable else None, first + number - 1 if editable else None))
    return tuple(shown)


def editing(
    kind: EditingType, module: Module, name: str, texts: Sequence[tuple[str, bool]], line: int = 0, column: int = 0
) -> Editing:
    return Editing(kind, module.path, name, "", 0, lines_shown(texts), line, column)


def skeleton(lines: Sequence[str], body: Sequence[ast.stmt], first: int, end: int) -> list[tuple[str, bool]]:
    """Lines `first..end` with every function's body replaced by one unnumbered `...`."""
    shown: list[tuple[str, bool]] = []
    at = first
    for node in body:
        inner = [node] if isinstance(node, Function) else []
        if isinstance(node, ast.ClassDef):
            inner = [m for m in node.body if isinstance(m, Function)]
        for function in inner:
            start, stop = function.body[0].lineno - 1, function.end_lineno or function.lineno
            if start <= function.lineno - 1:
                continue  # written on one line
            shown += [(text, True) for text in lines[at:start]]
            shown.append((" " * function.body[0].col_offset + "...", False))
            at = stop
    return shown + [(text, True) for text in lines[at:end]]


def cut_around(lines: Sequence[str], scope: Scope, keep: range) -> list[tuple[str, bool]]:
    """A long function as signature, `...`, the lines kept (indexes in the file), `...`."""
    head_end = scope.node.body[0].lineno - 1
    dots = (" " * scope.node.body[0].col_offset + "...", False)
    shown = [(text, True) for text in lines[scope.first : head_end]]
    if keep.start > head_end:
        shown.append(dots)
    shown += [(text, True) for text in lines[max(keep.start, head_end) : keep.stop]]
    return shown + ([dots] if keep.stop < scope.end else [])
