"""The path of a script that another one reads.

In: the argument of `source` as written, the lines above it.  Out: a path relative to the reading script's folder, if
the argument is literal, or begins with what scripts call their own folder.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_OWN_FOLDER = r"dirname\b[^)]*(?:\$\{?0|BASH_SOURCE)|BASH_SOURCE[^}]*%/\*|\$\{0%/\*"
_SUBSTITUTED = re.compile(
    rf"\A(?:\$\((?=.*(?:{_OWN_FOLDER})).*\)|\$\{{(?:BASH_SOURCE(?:\[0\])?|0)%/\*\}})/(?P<rest>.*)\Z"
)
_VARIABLE = re.compile(r"\A\$\{?(?P<name>\w+)\}?/(?P<rest>.*)\Z")
_LITERAL = re.compile(r"[\w./+@-]+\Z")
_UP = re.compile(r"/(\.\.(?:/\.\.)*)[\"')\s&]")


def literal_path(written: str, above: Sequence[str]) -> str | None:
    text = written.strip("\"'")
    if (own := _SUBSTITUTED.match(text)) is not None:
        text = own["rest"]
    elif (variable := _VARIABLE.match(text)) is not None:
        folder = _folder(variable["name"], above)
        if folder is None:
            return None
        text = folder + variable["rest"]
    return text if _LITERAL.match(text) and not text.startswith("/") else None


def _folder(name: str, above: Sequence[str]) -> str | None:
    """`` or `../` if the variable is the script's own folder or one around it; None if it is another one."""
    assigned = re.compile(rf"\b{re.escape(name)}=")
    line = next((line for line in reversed(above) if assigned.search(line)), "")
    if not re.search(_OWN_FOLDER, line):
        return None
    up = _UP.search(line)
    return "" if up is None else f"{up[1]}/"
