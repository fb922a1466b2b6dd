"""What `.editorconfig` files say of a file's indentation (editorconfig.org), read in bounds.

In: their texts, the file's path from the folder of each.  Out: what one level is.  Pure.
"""

import re
from collections.abc import Iterable, Mapping

from palimpsest.text.patterns import MOST_CHARACTERS, Patterns

MOST_ALTERNATIVES = 64
"""One section has at most this many alternatives, `{a,b}` and `{1..9}` written out."""
MOST_PATTERNS = 500
"""A file has at most this many patterns, alternatives counted; sections behind them say nothing."""
WIDEST = 16
_BRACES = re.compile(r"\{([^{}]*)\}")
_RANGE = re.compile(r"(-?\d{1,6})\.\.(-?\d{1,6})")
_LITERAL = str.maketrans("\0\1", "{}")


def level(files: Iterable[tuple[str, str]]) -> str | None:
    """A tab or spaces; None where nothing says.  `files`: text and path with slashes, the nearest one first."""
    found = dict[str, str]()
    for text, path in files:
        properties, is_root = _properties(text, path)
        found = {**properties, **found}
        if is_root:
            break
    if found.get("indent_style") == "tab":
        return "\t"
    size = found.get("indent_size", "tab")
    size = found.get("tab_width", "") if size == "tab" else size
    is_size = found.get("indent_style") == "space" and size.isascii() and size.isdigit() and len(size) < 3
    return " " * int(size) or None if is_size and int(size) <= WIDEST else None


def _properties(text: str, path: str) -> tuple[Mapping[str, str], bool]:
    """What one file says, and whether those in the folders around it do not count."""
    found, is_root, applies, in_section, left = dict[str, str](), False, False, False, MOST_PATTERNS
    for line in map(str.strip, text.split("\n")):
        if line.startswith("[") and line.endswith("]"):
            globs = _all(line[1:-1]) if left > 0 else []
            in_section, left, applies = True, left - len(globs), _matches(globs, path)
        elif line and line[0] not in "#;":
            name, _, value = (part.strip().lower() for part in line.partition("="))
            if not in_section and name == "root":
                is_root = value == "true"
            elif applies:
                found[name] = value
    return found, is_root


def _matches(globs: Iterable[str], path: str) -> bool:
    """As gitignore's patterns match, but for `**`, which may be a part of a name."""
    lines = (f"\\{one}" if one[:1] in ("!", "#") else re.sub(r"(?<![^/])\*\*(?=[^/])", "**/*", one) for one in globs)
    return Patterns(lines, ".editorconfig").verdict(path.split("/"), is_dir=False) is True


def _all(glob: str) -> list[str]:
    """The alternatives that braces stand for; braces around a single name stand for themselves."""
    every, done = [glob] if len(glob) <= MOST_CHARACTERS else [], list[str]()
    while every and len(every) + len(done) <= MOST_ALTERNATIVES:
        one = every.pop()
        braces = _BRACES.search(one)
        if braces is None:
            done.append(one.translate(_LITERAL))
            continue
        numbers = _RANGE.fullmatch(braces[1])
        choices = braces[1].split(",") if "," in braces[1] else [f"\0{braces[1]}\1"]
        if numbers is not None:
            low, high = sorted((int(numbers[1]), int(numbers[2])))
            choices = [str(n) for n in range(low, min(high, low + MOST_ALTERNATIVES) + 1)]
        every += [one[: braces.start()] + choice + one[braces.end() :] for choice in choices]
    return done
