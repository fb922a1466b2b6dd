"""Words in the code that name a value's class, found without type inference.

In: a parse and where an expression stands.  Out: names of classes and modules; empty if there are none.  Does not
follow imports or run anything.

    cart.add(x)          cart: Cart            {"Cart"}
    line.price()         for line in lines     {"list", "Line"}, where `lines: list[Line]`
    self.find(n).item    def find() -> Line    {"Line"}, and then what `Line` says of `item`
"""

from __future__ import annotations

import re

from tree_sitter import Node

from palimpsest.syntax.parse import Parsed
from palimpsest.syntax.scopes import children, class_around, file_scope, scope_at, scopes
from palimpsest.syntax.uses import Use, nodes_named, uses
from palimpsest.syntax.values import Scope

DEEPEST = 6
"""Maximum number of steps from a value to its origin."""
_LITERALS = frozenset(
    {
        *("string", "concatenated_string", "integer", "float", "true", "false", "none", "list", "tuple", "dictionary"),
        *("set", "list_comprehension", "set_comprehension", "dictionary_comprehension"),
    }
)
_ABOVE = "super"
_WORD = re.compile(r"\w+")
_AROUND_TARGETS = frozenset({"as_pattern_target", "list_splat_pattern", "pattern_list"})
Words = frozenset[str]
_NOTHING: Words = frozenset()


def owners(parsed: Parsed, start: int, end: int) -> Words:
    """Words for the owner of a member (`head.name`); empty if nothing is known."""
    node = parsed.node_at(start, end)
    head = node.parent.child_by_field_name("object") if node is not None and node.parent is not None else None
    return _NOTHING if head is None else _of_value(parsed, head, DEEPEST)


def head(parsed: Parsed, start: int, end: int) -> str:
    """`a.b` of a member `a.b.name`, without white space; empty if the head is more than dotted names."""
    node = parsed.node_at(start, end)
    above = node.parent if node is not None else None
    before = above.child_by_field_name("object") if above is not None else None
    text = "" if before is None else "".join(parsed.text_of(before).split())
    return text if text.replace(".", "").isidentifier() else ""


def bases(parsed: Parsed, cls: Scope) -> Words:
    """The last names of a class's bases as written."""
    for captures in parsed.matches("scopes", cls.def_line, cls.def_line + 1):
        if "class" in captures and captures["class"][0].start_point.row == cls.def_line:
            holder = captures["class"][0].child_by_field_name("superclasses")
            if holder is not None:
                return frozenset(_last(parsed, child) for child in holder.named_children) - {""}
    return _NOTHING


def _of_value(parsed: Parsed, node: Node, depth: int) -> Words:
    if depth == 0:
        return _NOTHING
    if node.type in _LITERALS:
        return frozenset({node.type}) | frozenset().union(
            *(_of_value(parsed, child, depth - 1) for child in node.named_children if child.type == "call")
        )
    if node.type == "identifier":
        return _of_name(parsed, node, depth - 1)
    if node.type == "call":
        function = node.child_by_field_name("function")
        return _NOTHING if function is None else _of_call(parsed, function, depth - 1)
    if node.type == "attribute":
        return _of_member(parsed, node, depth - 1)
    inner = node.child_by_field_name("value") or next(iter(node.named_children), None)
    if node.type in ("subscript", "await", "parenthesized_expression") and inner is not None:
        return _of_value(parsed, inner, depth - 1)
    return _NOTHING


def _of_name(parsed: Parsed, node: Node, depth: int) -> Words:
    name = parsed.text_of(node)
    if (cls := _class_of_receiver(parsed, node, name)) is not None:
        return frozenset({cls.name}) | bases(parsed, cls)
    places = uses(parsed, name)
    here = next((use for use in places if use.start == node.start_byte), None)
    if here is None or here.belongs is None:
        return _NOTHING
    found = set[str]()
    for use in places:
        if use.binds and use.belongs == here.belongs:
            found |= _of_binding(parsed, use, depth)
    return frozenset(found)


def _of_binding(parsed: Parsed, use: Use, depth: int) -> Words:
    """What the place where a name gets its value tells about the value."""
    if use.role in ("class", "import"):
        return frozenset({use.name}) | frozenset(use.source.replace(".", " ").split()[-1:])
    node = parsed.node_at(use.start, use.end)
    if node is None or node.parent is None or use.role == "function":
        return _NOTHING
    if use.role == "parameter" and _is_first_of_method(parsed, node):
        cls = class_around(parsed, use.line)
        return _NOTHING if cls is None else frozenset({cls.name}) | bases(parsed, cls)
    return _of_target(parsed, node, depth)


def _of_target(parsed: Parsed, node: Node, depth: int) -> Words:
    """The annotation of a parameter or an assignment, else the value that is assigned or looped over."""
    child, above = node, node.parent
    while above is not None and above.type in _AROUND_TARGETS:
        child, above = above, above.parent
    if above is None:
        return _NOTHING
    annotation = above.child_by_field_name("type")
    if annotation is not None:
        return words_of(parsed, annotation)
    value = above.child_by_field_name("right") or above.child_by_field_name("value")
    if above.type == "as_pattern":
        value = above.named_children[0]
    if value is None or value.id == child.id:
        return _NOTHING
    return _of_value(parsed, value, depth)


def _class_of_receiver(parsed: Parsed, node: Node, name: str) -> Scope | None:
    """The class whose method has the name as its first parameter.  Methods use it all over a file, so where it stands
    is not looked for."""
    for above in reversed(parsed.path(node)):
        holder = above.child_by_field_name("parameters")
        if holder is None or node.start_byte < holder.end_byte:
            continue
        for parameter in holder.named_children:
            if name == next(parsed.language.bound(parsed, parameter), None):
                is_receiver = _is_first_of_method(parsed, parameter)
                return class_around(parsed, above.start_point.row) if is_receiver else None
    return None


def _is_first_of_method(parsed: Parsed, node: Node) -> bool:
    holder = node.parent
    if holder is None or holder.type != "parameters" or holder.named_children[0].id != node.id:
        return False
    scope = scope_at(parsed, node.start_point.row, node.start_point.column)
    return scope.is_method


def _of_call(parsed: Parsed, function: Node, depth: int) -> Words:
    """What a call returns: an instance of the class that is called, or the function's annotated return type."""
    if depth <= 0:
        return _NOTHING
    name = function.child_by_field_name("attribute") or function
    if name.type != "identifier":
        return _NOTHING
    called = parsed.text_of(name)
    if function.type == "identifier":
        if called == _ABOVE:
            cls = class_around(parsed, function.start_point.row)
            return _NOTHING if cls is None else bases(parsed, cls)
        defined = [s for s in children(parsed, file_scope(parsed)) if s.name == called]
        if not defined or defined[0].kind == "class":
            return frozenset({called})
        return frozenset().union(*(_returned(parsed, scope) for scope in defined))
    owners = _of_value(parsed, function.children[0], depth - 1)
    found = set[str]()
    for scope in scopes(parsed):
        if scope.name == called and scope.is_method and scope.parent is not None and scope.parent.name in owners:
            found |= _returned(parsed, scope)
    return frozenset(found) or (frozenset({called}) if called[:1].isupper() else _NOTHING)


def _of_member(parsed: Parsed, node: Node, depth: int) -> Words:
    """What the classes of the head tell about a member: annotations and values in their bodies and assignments to
    `self`."""
    head, member = node.child_by_field_name("object"), node.child_by_field_name("attribute")
    if head is None or member is None or depth <= 0:
        return _NOTHING
    owners, found = _of_value(parsed, head, depth - 1), set[str]()
    if not owners:
        return _NOTHING
    for place in nodes_named(parsed, parsed.text_of(member)):
        if place.parent is None or place.id == member.id:
            continue
        cls = class_around(parsed, place.start_point.row)
        if cls is None or cls.name not in owners:
            continue
        if place.parent.type == "attribute":
            target = place.parent
            if target.parent is not None and target.parent.child_by_field_name("left") == target:
                found |= _of_target(parsed, target, depth - 1)
        elif place.parent.child_by_field_name("left") == place:
            found |= _of_target(parsed, place, depth - 1)
    return frozenset(found)


def _returned(parsed: Parsed, scope: Scope) -> Words:
    for captures in parsed.matches("scopes", scope.def_line, scope.def_line + 1):
        node = captures.get("function", [None])[0]
        if node is not None and node.start_point.row == scope.def_line:
            annotation = node.child_by_field_name("return_type")
            if annotation is not None:
                return words_of(parsed, annotation)
    return _NOTHING


def words_of(parsed: Parsed, annotation: Node) -> Words:
    """The identifiers of an annotation, including those in a string."""
    return frozenset(_WORD.findall(parsed.text_of(annotation)))


def _last(parsed: Parsed, node: Node) -> str:
    name = node.child_by_field_name("attribute") or node.child_by_field_name("value") or node
    return parsed.text_of(name) if name.type == "identifier" else ""
