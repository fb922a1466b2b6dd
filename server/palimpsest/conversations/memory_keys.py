"""Memory keys: conversations with the same one have the same experiences.

In: a key.  Out: the key, or an error.  Pure.
"""

from __future__ import annotations

import re

from palimpsest.errors import InvalidArgument

MAIN = "main"
"""What conversations have unless another is asked for."""
_KEY = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


def checked(key: str) -> str:
    """Raises InvalidArgument."""
    if _KEY.fullmatch(key) is None:
        raise InvalidArgument("memory_key", f"{key[:40]!r}: letters, digits, '.', '_' and '-' are wanted, 64 at most.")
    return key
