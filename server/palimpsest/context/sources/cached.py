"""`syntax.names.visible` and `syntax.scopes.children`, cached with the parse for the sources that share it."""

from __future__ import annotations

from palimpsest.syntax import names, scopes
from palimpsest.syntax.names import Visible
from palimpsest.syntax.parse import Parsed
from palimpsest.syntax.values import Scope


def visible(parsed: Parsed, scope: Scope) -> list[Visible]:
    known = parsed.once(_visible)
    if scope not in known:
        known[scope] = names.visible(parsed, scope)
    return known[scope]


def children(parsed: Parsed, scope: Scope) -> list[Scope]:
    known = parsed.once(_children)
    if scope not in known:
        known[scope] = scopes.children(parsed, scope)
    return known[scope]


def _visible(_: Parsed) -> dict[Scope, list[Visible]]:
    return {}


def _children(_: Parsed) -> dict[Scope, list[Scope]]:
    return {}
