"""Lua's modules: which file `require` means, in the workspace and among the rocks that are installed in it.

In: names such as `shop.cart`, the workspace's files.  Out: files.  Where a program looks for modules depends on how it
is started: from the workspace's folder or one around the file, there or in its `lua`, `src` or `lib`.  If several
files may be meant, none is, except that a file below `lua` means its own folder, as Neovim has it.

A file gives to those that require it the value that it returns at its end: definitions and values by the names that
they have in the returned table, and what is passed on of other modules.  What a function puts into the table while it
runs is not known.

    local M = { most = 3 }                   M gives most, add, and passes shop.cart on as `cart`
    function M.add(a) end
    M.cart = require("shop.cart")
    return M

    return { sum = total }                   gives total, as `sum`
    return require("shop.cart")              passes on everything
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from tree_sitter import Node

from palimpsest.languages.lua import WORDS
from palimpsest.languages.modules import is_named
from palimpsest.languages.source_entries import Item, top_level
from palimpsest.languages.source_modules import ModuleFiles, SourceModules
from palimpsest.syntax.names import Visible
from palimpsest.syntax.parse import Parsed
from palimpsest.syntax.scopes import members, scopes
from palimpsest.syntax.values import Import, Scope
from palimpsest.text.uris import is_inside

_NAME = re.compile(r"[\w-]+(?:[./][\w-]+)*")
_LONGEST = 256
_SUFFIX, _INDEX = ".lua", "init"
_PLUGIN = "lua"
_FOLDERS = ("", _PLUGIN, "src", "lib")
_ROCKS = Path("lua_modules", "share", "lua")
_LONGEST_VALUE = 120


def items(parsed: Parsed) -> dict[str, Item]:
    return parsed.once(_items)


def reexports(parsed: Parsed) -> list[Import]:
    returned = _returned(parsed)
    whole = None if returned is None else _required(parsed, returned)
    if returned is not None and whole is not None:
        return [Import(whole, "*", None, 0, returned.start_point.row)]
    named = ((name, value, _required(parsed, value)) for name, value in _fields(parsed))
    return [Import(module, None, name, 0, value.start_point.row) for name, value, module in named if module is not None]


def _items(parsed: Parsed) -> dict[str, Item]:
    table, returned, found = _table(parsed), _returned(parsed), dict[str, Item]()
    known = top_level(parsed).get(table) if table else None
    if isinstance(known, Scope) and known.kind == "class":
        found |= {item.name: item for item in members(parsed, known) if item.kind == "function"}
    elif known is not None and returned is not None and returned.type == "identifier":
        return {table: known}  # a function
    for name, value in _fields(parsed):
        item = None if name in found or _required(parsed, value) is not None else _item(parsed, table, name, value)
        if item is not None:
            found[name] = item
    return {name: item for name, item in found.items() if not name.startswith("_")}


def _item(parsed: Parsed, table: str, name: str, value: Node) -> Item | None:
    if value.type == "identifier":
        return top_level(parsed).get(parsed.text_of(value)) or _value(parsed, table, name, value)
    if value.type == "function_definition":
        row = value.start_point.row
        return next((one for one in scopes(parsed) if one.def_line == row and one.name == name), None)
    return _value(parsed, table, name, value)


def _value(parsed: Parsed, table: str, name: str, value: Node) -> Visible:
    text = " ".join(parsed.text_of(value).split())
    shown = text if len(text) <= _LONGEST_VALUE else "..."
    head = f"{table}." if table else ""
    return Visible(name, "constant", f"{head}{name} = {shown}", value.start_point.row)


def _returned(parsed: Parsed) -> Node | None:
    """The value of the file's own `return`."""
    children = parsed.root.named_children if parsed.root is not None else []
    last = next((node for node in reversed(children) if "comment" not in node.type), None)
    if last is None or last.type != "return_statement" or not last.named_children:
        return None
    values = last.named_children[0].named_children
    return values[0] if len(values) == 1 else None


def _table(parsed: Parsed) -> str:
    """The name of the table that the file returns; "" if it has none."""
    node = _returned(parsed)
    if node is not None and node.type == "function_call" and _called(parsed, node) == "setmetatable":
        node = next(iter(_arguments(node)), None)
    return parsed.text_of(node) if node is not None and node.type == "identifier" else ""


def _fields(parsed: Parsed) -> Iterator[tuple[str, Node]]:
    """What the returned table is made with, and what is put into it at the top of the file."""
    table, returned = _table(parsed), _returned(parsed)
    if returned is not None and returned.type == "table_constructor":
        yield from _constructed(parsed, returned)
    for node in parsed.root.named_children if parsed.root is not None and table else []:
        assignment = node.named_children[0] if node.type == "variable_declaration" and node.named_children else node
        if assignment.type != "assignment_statement" or len(assignment.named_children) != 2:
            continue
        for target, value in zip(*(part.named_children for part in assignment.named_children), strict=False):
            if target.type == "identifier" and parsed.text_of(target) == table:
                yield from _constructed(parsed, value)
            elif target.type == "dot_index_expression" and _text(parsed, target, "table") == table:
                yield _text(parsed, target, "field"), value


def _constructed(parsed: Parsed, made: Node) -> Iterator[tuple[str, Node]]:
    """The named fields of a table, or of the one that `setmetatable` gets."""
    if made.type == "function_call" and _called(parsed, made) == "setmetatable":
        made = next(iter(_arguments(made)), made)
    for field in made.named_children if made.type == "table_constructor" else ():
        name, value = field.child_by_field_name("name"), field.child_by_field_name("value")
        if name is not None and value is not None and name.type == "identifier":
            yield parsed.text_of(name), value


def _required(parsed: Parsed, value: Node) -> str | None:
    if value.type != "function_call" or _called(parsed, value) != "require":
        return None
    arguments = _arguments(value)
    content = arguments[0].child_by_field_name("content") if len(arguments) == 1 else None
    return parsed.text_of(content) if content is not None else None


def _called(parsed: Parsed, call: Node) -> str:
    return _text(parsed, call, "name")


def _arguments(call: Node) -> list[Node]:
    found = call.child_by_field_name("arguments")
    return found.named_children if found is not None else []


def _text(parsed: Parsed, node: Node, field: str) -> str:
    found = node.child_by_field_name(field)
    return parsed.text_of(found) if found is not None else ""


class LuaModules(SourceModules):
    separator = ""
    gives_wholes = True
    items = staticmethod(items)
    reexports = staticmethod(reexports)

    def name_of(self, path: Path, root: Path | None) -> str:
        """As the file is required, by its path below the folder in which modules are."""
        if root is None or path.suffix.lower() != _SUFFIX or not path.is_relative_to(root):
            return super().name_of(path, root)
        parts = list(path.relative_to(_plugin(path, root) or root).with_suffix("").parts)
        if len(parts) > 1 and parts[0] in _FOLDERS:
            parts.pop(0)
        if len(parts) > 1 and parts[-1] == _INDEX:
            parts.pop()
        return ".".join(parts)

    def imported(self, found: Import, module: str, path: Path | None) -> str | None:
        is_name = len(found.module) <= _LONGEST and _NAME.fullmatch(found.module)
        return found.module.replace("/", ".") if is_name else None

    def lacks(self, found: Import, module: str, path: Path | None) -> bool:
        """A file inside a folder of modules that the workspace has."""
        name, root = self.imported(found, module, path), self.files.root_of(path) if path is not None else None
        top, *below = name.split(".") if name is not None else [""]
        if path is None or root is None or not below or self._installed([top, *below], path) is not None:
            return False
        folders = list(self._folders(path))
        is_own = any((folder / top).is_dir() for folder in folders)
        return is_own and not any(is_named(folder.joinpath(top, *below)) for folder in folders)

    def find(self, name: str, near: Path | None) -> ModuleFiles | None:
        if len(name) > _LONGEST or not _NAME.fullmatch(name):
            return None
        parts = name.replace("/", ".").split(".")
        first = self.files.root_of(near) if near is not None else None
        plugin = _plugin(near, first) if near is not None and first is not None else None
        if plugin is not None and (own := self._in(plugin, parts)) is not None:
            return ModuleFiles((own,))
        every = (self._in(folder, parts) for folder in self._folders(near))
        meant = list(dict.fromkeys(path for path in every if path is not None))
        if meant:
            return ModuleFiles((meant[0],)) if len(meant) == 1 else None
        return self._installed(parts, near)

    def whole(self, parsed: Parsed) -> str | None:
        return parsed.once(_table) or None

    def is_known(self, name: str) -> bool:
        """What comes with the language, or with the programs that run it."""
        return name in WORDS["modules"]

    def _folders(self, near: Path | None) -> Iterator[Path]:
        """Where modules may be: around the file, in the workspace's folders."""
        around = self.files.folders_around(near) if near is not None else []
        for folder in dict.fromkeys([*around, *self.files.roots]):
            yield from (folder / name for name in _FOLDERS)

    def _in(self, folder: Path, parts: Sequence[str]) -> Path | None:
        below = folder.joinpath(*parts)
        paths = (below.with_name(parts[-1] + _SUFFIX), below / f"{_INDEX}{_SUFFIX}")
        return next((path for path in paths if self._exists(path)), None)

    def _exists(self, path: Path) -> bool:
        if not any(entry.name == path.name and not entry.is_dir for entry in self.files.listing(path.parent)):
            return False
        return is_inside(path, self.files.roots)

    def _installed(self, parts: Sequence[str], near: Path | None) -> ModuleFiles | None:
        """In the tree of rocks that LuaRocks keeps for a project."""
        for folder in self.files.folders_around(near) if near is not None else ():
            rocks = folder / _ROCKS
            for version in self.library.listing(rocks, rocks):
                below = rocks.joinpath(version.name, *parts)
                for path in (below.with_name(parts[-1] + _SUFFIX), below / f"{_INDEX}{_SUFFIX}"):
                    if version.is_dir and self.library.exists(path, rocks):
                        return ModuleFiles((path,), False, rocks)
        return None


def _plugin(path: Path, root: Path) -> Path | None:
    """The innermost folder `lua` around a file."""
    return next((at for at in path.parents if at.name == _PLUGIN and at != root and at.is_relative_to(root)), None)


MODULES = LuaModules
