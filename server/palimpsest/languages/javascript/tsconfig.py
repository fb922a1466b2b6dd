"""What `tsconfig.json`, `jsconfig.json` and `package.json` say as JSON, and the paths that a tsconfig gives to names.

In: texts, names.  Out: objects, patterns, paths that a name may mean, likeliest first.  Pure; what makes no sense is
left out.

    {"compilerOptions": {"baseUrl": ".", "paths": {"@/*": ["src/*"]}}}     @/cart is src/cart
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_MARKS = re.compile(r'("(?>(?:[^"\\]++|\\.)*)"?)|/\*(?:.*?\*/|.*+)|//[^\n]*+', re.DOTALL)
_COMMAS = re.compile(r'("(?>(?:[^"\\]++|\\.)*)"?)|,(?=\s*+[}\]])', re.DOTALL)
_MOST = 64
"""Patterns, places and files that are looked at of one list."""


@dataclass(frozen=True, slots=True)
class TsConfig:
    """`base` is where names without a dot are searched for, None for nowhere; `paths` are patterns with what they mean;
    `extends` and `references` are other files, as written.  `made` and `sources` are the folders of what is built and
    what from."""

    base: Path | None = None
    paths: tuple[tuple[str, tuple[Path, ...]], ...] | None = None
    extends: tuple[str, ...] = ()
    references: tuple[str, ...] = ()
    made: Path | None = None
    sources: Path | None = None

    def over(self, other: "TsConfig") -> "TsConfig":
        """With what another one says where this one says nothing."""
        return TsConfig(
            self.base or other.base,
            other.paths if self.paths is None else self.paths,
            self.extends,
            self.references,
            self.made or other.made,
            self.sources or other.sources,
        )

    def places(self, name: str) -> Iterator[Path]:
        """What a name may be, likeliest first; the longest pattern that fits is the only one."""
        found = [(pattern, part) for pattern, _ in self.paths or () if (part := fitting(pattern, name)) is not None]
        if found:
            best, part = max(found, key=lambda one: ("*" not in one[0], len(one[0].partition("*")[0])))
            yield from (Path(str(place).replace("*", part, 1)) for place in dict(self.paths or ())[best])
        if self.base is not None:
            yield self.base / name


def tsconfig(text: str, folder: Path) -> TsConfig:
    """`folder` is where the file is."""
    data = parsed(text)
    options = table(data, "compilerOptions")
    base = _folder(options, "baseUrl", folder)
    paths = None
    if isinstance(options.get("paths"), dict):
        listed = list(options["paths"].items())[:_MOST]
        given = [(name, texts(places)) for name, places in listed if isinstance(places, list)]
        start = base or folder
        paths = tuple((name, tuple(start / place for place in places)) for name, places in given if places)
    references = data.get("references")
    listed = references[:_MOST] if isinstance(references, list) else []
    named = [one.get("path") for one in listed if isinstance(one, dict)]
    return TsConfig(
        base,
        paths,
        texts(data.get("extends")),
        texts(named),
        _folder(options, "outDir", folder),
        _folder(options, "rootDir", folder),
    )


def fitting(pattern: str, name: str) -> str | None:
    """What stands for the `*` of a pattern; empty if it has none and is the name; None if it does not fit."""
    if "*" not in pattern:
        return "" if pattern == name else None
    start, _, end = pattern.partition("*")
    if len(name) < len(start) + len(end) or not name.startswith(start) or not name.endswith(end):
        return None
    return name[len(start) : len(name) - len(end)]


def parsed(text: str) -> Mapping[str, Any]:
    """An object in JSON that may have comments and commas behind the last; empty if it is none."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        try:
            bare = _MARKS.sub(lambda match: match[1] or " ", text)
            data = json.loads(_COMMAS.sub(lambda match: match[1] or " ", bare))
        except (ValueError, RecursionError):
            return {}
    return data if isinstance(data, dict) else {}


def table(data: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = data.get(name)
    return found if isinstance(found, dict) else {}


def texts(found: object) -> tuple[str, ...]:
    """A text, or the texts of a list; those that cannot be paths are left out."""
    if isinstance(found, list):
        return tuple(one for one in found[:_MOST] if isinstance(one, str) and "\0" not in one)
    return (found,) if isinstance(found, str) and "\0" not in found else ()


def _folder(options: Mapping[str, Any], name: str, folder: Path) -> Path | None:
    return next((folder / one for one in texts(options.get(name))), None)
