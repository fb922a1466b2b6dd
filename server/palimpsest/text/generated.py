"""Recognise files that a program writes: a person's edit would be lost in them.

In: a path below the workspace's folder, a text.  Out: whether a program writes it.  Pure.
"""

import re
from pathlib import PurePosixPath

FOLDERS = frozenset({"dist", "vendor", "third_party", "node_modules", "generated", "__generated__"})
"""What is built, and what others have written."""
HEAD = 4_000
"""Characters in which a generator says so, behind a licence."""
_SAYS_SO = re.compile(
    r"""^\s*(?:\"""|''')?[^"'`\n]{0,200}?(?:@generated\b|<auto-?generated\b"""
    r"|\bauto(?:matically)?[- ]?generated (?:by|from|file|code)\b"
    r"|\bgenerated\b.{0,200}(?:\n.{0,40})?\bdo not (?:edit|modify)"
    r"|\bdo not (?:edit|modify)\b.{0,200}\bgenerated\b)",
    re.IGNORECASE | re.MULTILINE,
)
"""These words count in a comment, not in a string: a generator's own source has them, too."""


def is_generated(path: str, text: str) -> bool:
    """`path` has forward slashes."""
    name = PurePosixPath(path.lower())
    if not FOLDERS.isdisjoint(name.parts[:-1]) or ".min." in name.name:
        return True
    head = text[:HEAD]
    return "generated" in head.lower() and _SAYS_SO.search(head) is not None
