"""Values that are derived from a parse, kept with it for all sources that ask.

In: a parse, what of it is wanted.  Out: the same value each time.  `visible` and `children` are those of
`syntax.names` and `syntax.scopes`.
"""

from collections.abc import Callable, Hashable
from typing import Any, TypeVar

from palimpsest.syntax import names, scopes
from palimpsest.syntax.names import Visible
from palimpsest.syntax.parse import Parsed
from palimpsest.syntax.values import Scope

T = TypeVar("T")


def cached(parsed: Parsed, key: Hashable, make: Callable[[], T]) -> T:
    known = parsed.once(_values)
    if key not in known:
        known[key] = make()
    value: T = known[key]
    return value


def visible(parsed: Parsed, scope: Scope) -> list[Visible]:
    return cached(parsed, ("visible", scope), lambda: names.visible(parsed, scope))


def children(parsed: Parsed, scope: Scope) -> list[Scope]:
    return cached(parsed, ("children", scope), lambda: scopes.children(parsed, scope))


def _values(_: Parsed) -> dict[Hashable, Any]:
    return {}
