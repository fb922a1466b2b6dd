"""The imports of a document.

In: a parse.  Out: `Import`s.  This room knows no file: what an import names is found elsewhere.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from tree_sitter import Node

from palimpsest.syntax.languages import grammar
from palimpsest.syntax.parse import Parsed, parse_text


@dataclass(frozen=True, slots=True)
class Import:
    """One imported name.

        import a.b as c          module "a.b", name None, alias "c"
        from ..a import b as c   module "a", name "b", alias "c", level 2
        from . import b          module "", name "b", level 1
        from a import *          module "a", name "*"

    `line` is 0-based, where the statement starts.
    """

    module: str
    name: str | None
    alias: str | None
    level: int
    line: int

    @property
    def bound(self) -> str:
        """The name that code uses: the alias, the name, or the first part of a dotted module."""
        return self.alias or self.name or self.module.partition(".")[0]


def imports(parsed: Parsed) -> list[Import]:
    """Every import statement's names in document order, those inside functions too."""
    return list(parsed.once(_imports))


def _imports(parsed: Parsed) -> tuple[Import, ...]:
    if parsed.language is None:
        return ()
    hint = grammar(parsed.language).row.import_hint
    hinted = [number for number, line in enumerate(parsed.snapshot.lines) if hint in line]
    found: dict[int, Node] = {}
    for line in hinted:
        for captures in parsed.matches("imports", line, line + 1):
            node = captures["import"][0]
            found.setdefault(node.start_byte, node)
    return tuple(item for start in sorted(found) for item in _sound_items(parsed, found[start], hinted))


def _sound_items(parsed: Parsed, node: Node, hinted: list[int]) -> list[Import]:
    """The names of a statement; where it does not parse, line by line, as a half-typed one swallows the next."""
    first, last = node.start_point.row, node.end_point.row
    if not node.has_error or first == last:
        return _items(parsed, node)
    found: list[Import] = []
    for line in (number for number in hinted if first <= number <= last):
        alone = parse_text(parsed.snapshot.lines[line].strip(), parsed.language)
        found += [replace(item, line=line) for item in _imports(alone)]
    return found


def _items(parsed: Parsed, node: Node) -> list[Import]:
    module, level = "", 0
    source = node.child_by_field_name("module_name")
    if node.type == "future_import_statement":
        module = "__future__"
    elif source is not None:
        dotted = "".join(parsed.text_of(source).split())
        module = dotted.lstrip(".")
        level = len(dotted) - len(module)
    found: list[Import] = []
    line = node.start_point.row
    for item in node.children_by_field_name("name"):
        name, alias = item.child_by_field_name("name"), item.child_by_field_name("alias")
        text = "".join(parsed.text_of(item if name is None else name).split())
        bound = None if alias is None else parsed.text_of(alias)
        if not text:
            continue  # a missing node: the name is still being typed
        if node.type == "import_statement":
            found.append(Import(text, None, bound, 0, line))
        else:
            found.append(Import(module, text, bound, level, line))
    if any(child.type == "wildcard_import" for child in node.children):
        found.append(Import(module, "*", None, level, line))
    return found
