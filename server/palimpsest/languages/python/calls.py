"""By which names calls of what a file defines may pass arguments."""

import re

from palimpsest.syntax.names import members_of
from palimpsest.syntax.parse import Parsed
from palimpsest.syntax.scopes import members
from palimpsest.syntax.values import Keywords, Scope

_DECORATOR = re.compile(r"@(?:\w+\.)*(\w+)")
_SAME_CALLS = frozenset(
    {"abstractmethod", "cache", "classmethod", "contextmanager", "final", "lru_cache", "override", "staticmethod"}
)
"""Decorators behind which a function is called by its own parameters."""
_DATA, _TUPLE = frozenset({"dataclass", "final", "total_ordering", "runtime_checkable"}), "NamedTuple"


def keywords(parsed: Parsed, scope: Scope, declared: Keywords | None) -> Keywords | None:
    """`declared`: those of its own parameters, or of its `__init__`."""
    above = [line.strip() for line in parsed.snapshot.lines[scope.start_line : scope.def_line]]
    marks = [found[1] for line in above if (found := _DECORATOR.match(line))]
    if scope.kind == "function":
        return declared if set(marks) <= _SAME_CALLS and len(marks) == len([one for one in above if one]) else None
    inner = {one.name for one in members(parsed, scope)}
    header = "\n".join(parsed.snapshot.lines[scope.def_line : scope.header_end_line])
    if "__new__" in inner or "=" in header or any(one not in _DATA for one in marks):
        return None
    if "__init__" in inner:
        return declared
    if "Enum" in parsed.language.bases(parsed, scope) or any("init=False" in line for line in above):
        return None
    is_tuple = _TUPLE in parsed.language.bases(parsed, scope)
    if not marks and not is_tuple:
        return Keywords(inherited=True)
    body = range(scope.body_start_line, scope.end_line)
    fields = [one for one in members_of(parsed, scope) if one.kind == "attribute" and one.line in body and one.type]
    return Keywords(frozenset(one.name for one in fields), inherited=not is_tuple)
