"""The names that strings and comments of Python have.

In: a string or comment, a part of it.  Out: whether that is the name of something: in `__all__`, in a type that is
quoted or stands in a comment, in a role of documentation (:class:`~shop.Cart`), in what makes a type or a fixture known
by its name.
"""

import re

from tree_sitter import Node

from palimpsest.syntax.parse import Parsed

TEXTS = frozenset({"string_content", "comment"})
_TYPE = re.compile(r"[\w.\[\],| \t]+\Z")
_TYPE_COMMENT = re.compile(r"#[ \t]*type:[ \t]*(?!ignore\b)[^#]*\Z")
_PLAIN_ROLE = re.compile(r":(?:py:)?(?:class|exc|func|data|obj|const|type):`(?:[^`<\n]*<)?[~!.]?(?P<head>(?:\w+\.)*)\Z")
_MEMBER_ROLE = re.compile(r":(?:py:)?(?:meth|attr|property):`(?:[^`<\n]*<)?[~!]?(?P<head>(?:\w+\.)+)\Z")
_PARAMETER = re.compile(r":(?:param|parameter|arg|argument|key|keyword|type)[ \t]+(?:[\w.]+[ \t]+)?\Z")
_HEAD = re.compile(r"(?:\w+\.)*\Z")
_NAMED_AFTER = frozenset({"TypeVar", "ParamSpec", "TypeVarTuple", "NewType", "namedtuple", "NamedTuple", "TypedDict"})
"""What is called with the name that its value gets."""
_NO_TYPES = ("Literal", "Annotated")
_LISTED = "__all__"


def names(parsed: Parsed, text: Node, start: int, end: int) -> bool:
    data = parsed.snapshot.utf8
    around = (data[max(text.start_byte, start - 1) : start], data[end : min(text.end_byte, end + 1)])
    if any(mark.decode("utf-8", "replace").isidentifier() or mark.isdigit() or mark[:1] >= b"\x80" for mark in around):
        return False
    line = data.rfind(b"\n", 0, start) + 1
    before = data[max(text.start_byte, line) : start].decode("utf-8", "replace")
    if text.type == "comment":
        return _TYPE_COMMENT.match(before) is not None or _in_documentation(before)
    whole = parsed.text_of(text)
    if whole.isidentifier() and any(is_name(parsed, text) for is_name in (_is_listed, _is_called_so, takes_fixtures)):
        return True
    return _in_documentation(before) or (_TYPE.match(whole) is not None and _is_type(parsed, text))


def head(parsed: Parsed, start: int) -> str:
    """`a.b` before `.name` in a string or comment."""
    data = parsed.snapshot.utf8
    found = _HEAD.search(data[data.rfind(b"\n", 0, start) + 1 : start].decode("utf-8", "replace"))
    return found[0].rstrip(".") if found is not None else ""


def takes_fixtures(parsed: Parsed, text: Node) -> bool:
    """Whether a string names a fixture."""
    arguments = _arguments(text)
    return arguments is not None and _called(parsed, arguments) in ("usefixtures", "getfixturevalue")


def _in_documentation(before: str) -> bool:
    return any(role.search(before) for role in (_PLAIN_ROLE, _MEMBER_ROLE, _PARAMETER))


def _is_listed(parsed: Parsed, text: Node) -> bool:
    """In `__all__ = [...]`, `__all__ += (...)`, `__all__.extend([...])`, `__all__.append(...)`."""
    string = text.parent
    above = string.parent if string is not None else None
    if above is not None and above.type in ("list", "tuple", "set"):
        above = above.parent
    while above is not None and above.type == "binary_operator":
        above = above.parent
    if above is not None and above.type in ("assignment", "augmented_assignment"):
        left = above.child_by_field_name("left")
        return left is not None and parsed.text_of(left) == _LISTED
    function = above.parent.child_by_field_name("function") if above is not None and above.parent is not None else None
    return function is not None and parsed.text_of(function).startswith(f"{_LISTED}.")


def _is_called_so(parsed: Parsed, text: Node) -> bool:
    """What is named as the variable that it is assigned to, `T = TypeVar("T")`."""
    arguments = _arguments(text)
    if arguments is None or _called(parsed, arguments) not in _NAMED_AFTER:
        return False
    made = arguments.parent.parent if arguments.parent is not None else None
    left = made.child_by_field_name("left") if made is not None and made.type == "assignment" else None
    return left is not None and left.type == "identifier" and _index(arguments, text) == 0


def _is_type(parsed: Parsed, text: Node) -> bool:
    arguments = _arguments(text)
    if arguments is not None:
        called, index = _called(parsed, arguments), _index(arguments, text)
        return (called == "cast" and index == 0) or (called in ("NewType", "TypeVar") and index > 0)
    path = parsed.path(text)
    for n in range(len(path) - 1, 0, -1):
        if path[n].type == "keyword_argument":
            name, call = path[n].child_by_field_name("name"), path[n - 1]
            is_bound = name is not None and parsed.text_of(name) == "bound"
            return is_bound and call.type == "argument_list" and _called(parsed, call) == "TypeVar"
        if path[n].type in ("generic_type", "subscript"):
            named = parsed.text_of(path[n].named_children[0])
            if named.rpartition(".")[2] in _NO_TYPES:
                return False
        if path[n].type == "type":
            if path[n - 1].type not in ("type_parameter", "union_type"):
                return True
        elif path[n].type.endswith(("statement", "definition", "block", "argument_list", "lambda")):
            return False
    return False


def _arguments(text: Node) -> Node | None:
    """The arguments that a string is one of."""
    above = text.parent.parent if text.parent is not None else None
    return above if above is not None and above.type == "argument_list" else None


def _called(parsed: Parsed, arguments: Node) -> str:
    function = arguments.parent.child_by_field_name("function") if arguments.parent is not None else None
    return "" if function is None else parsed.text_of(function).rpartition(".")[2]


def _index(arguments: Node, text: Node) -> int:
    given = [child for child in arguments.named_children if child.type != "comment"]
    return next(n for n, child in enumerate(given) if child.start_byte <= text.start_byte < child.end_byte)
