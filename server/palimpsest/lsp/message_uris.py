"""Where the URIs are in messages.

In and out: messages as JSON values.  Knows nothing of files.
"""

from collections.abc import Callable
from typing import Any

DEEPEST = 16
"""No URI of LSP's, and none of ours, is below."""


def rewritten(value: Any, of: Callable[[str], str], depth: int = DEEPEST) -> Any:
    """The message with `of` each URI: the values of `uri`, `targetUri` and their like, a link's `target`, a cell's
    `document`, and the keys of `changes`."""
    if not depth:
        return value
    if isinstance(value, list):
        return [rewritten(inner, of, depth - 1) for inner in value]
    if not isinstance(value, dict):
        return value
    return {
        of(name) if name.startswith("file:") else name: of(inner)
        if _is_uri(name, inner)
        else rewritten(inner, of, depth - 1)
        for name, inner in value.items()
    }


def _is_uri(name: str, value: Any) -> bool:
    return isinstance(value, str) and (name in ("target", "document") or name.lower().endswith("uri"))
