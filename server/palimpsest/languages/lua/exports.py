"""What a Lua file gives to those that require it: the value that it returns at its end.

In: a parse.  Out: definitions and values by the names that they have in the returned table, and what is passed on of
other modules.  What a function puts into the table while it runs is not known.

    local M = { most = 3 }                   M gives most, add, and passes shop.cart on as `cart`
    function M.add(a) end
    M.cart = require("shop.cart")
    return M

    return { sum = total }                   gives total, as `sum`
    return require("shop.cart")              passes on everything
"""

from collections.abc import Iterator

from tree_sitter import Node

from palimpsest.languages.source_entries import Item, top_level
from palimpsest.syntax.names import Visible
from palimpsest.syntax.parse import Parsed
from palimpsest.syntax.scopes import members, scopes
from palimpsest.syntax.values import Import, Scope

_LONGEST = 120


def items(parsed: Parsed) -> dict[str, Item]:
    return parsed.once(_items)


def reexports(parsed: Parsed) -> list[Import]:
    returned = _returned(parsed)
    whole = None if returned is None else _required(parsed, returned)
    if returned is not None and whole is not None:
        return [Import(whole, "*", None, 0, returned.start_point.row)]
    named = ((name, value, _required(parsed, value)) for name, value in _fields(parsed))
    return [Import(module, None, name, 0, value.start_point.row) for name, value, module in named if module is not None]


def returned(parsed: Parsed) -> str:
    """The name of the table that the file returns; "" if it has none."""
    return parsed.once(_table)


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
    shown = text if len(text) <= _LONGEST else "..."
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
