"""What JSON files say of the files that an import may mean: `package.json`, `tsconfig.json`, `jsconfig.json`.

In: texts and their objects, names, the part of a package that is asked for; a path as an import has it.  Out: objects,
patterns, paths, names of files, likeliest first: types before what runs, as TypeScript prefers them.  Pure; what makes
no sense is left out, and a path that would lead out of its package.

    {"name": "money", "types": "./index.d.ts"}                                   money is ./index.d.ts
    {"exports": {"./fp/*": {"types": "./dist/*.d.ts", "default": "./dist/*.js"}}}   money/fp/of is ./dist/of.d.ts
    {"compilerOptions": {"baseUrl": ".", "paths": {"@/*": ["src/*"]}}}     @/cart is src/cart
    ./cart       cart.ts, cart.tsx, cart.d.ts, cart.js, ..., then cart/index.ts, ...
    ./cart.js    cart.ts, cart.tsx, cart.d.ts, cart.js, cart.jsx
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from palimpsest.text.word_lists import word_lists

WHOLE = "."
_CONDITIONS = frozenset({"types", "typings", "import", "require", "node", "module", "default", "source", "development"})
_TYPES = "types"
_MAIN = ("types", "typings", "module", "main", "source")
_ENTRY = "index.d.ts"
_DEPENDENCIES = ("dependencies", "devDependencies", "peerDependencies", "optionalDependencies")
BUILTIN_MODULES = word_lists("palimpsest.languages.javascript")["modules"]
"""These modules of Node.js go before packages."""
_DEEPEST, _MOST = 8, 16
_LONGEST = 512
SUFFIXES = (".ts", ".tsx", ".d.ts", ".js", ".jsx", ".mts", ".d.mts", ".mjs", ".cts", ".d.cts", ".cjs")
INDEX = "index"
_MEANT = {
    ".js": (".ts", ".tsx", ".d.ts", ".js", ".jsx"),
    ".jsx": (".tsx", ".d.ts", ".jsx"),
    ".mjs": (".mts", ".d.mts", ".mjs"),
    ".cjs": (".cts", ".d.cts", ".cjs"),
    ".ts": (".ts", ".d.ts"),
    ".tsx": (".tsx", ".d.ts"),
    ".mts": (".mts", ".d.mts"),
    ".cts": (".cts", ".d.cts"),
}
"""What a file is written in that an import calls by the name of what it becomes."""
_MARKS = re.compile(r'("(?>(?:[^"\\]++|\\.)*)"?)|/\*(?:.*?\*/|.*+)|//[^\n]*+', re.DOTALL)
_COMMAS = re.compile(r'("(?>(?:[^"\\]++|\\.)*)"?)|,(?=\s*+[}\]])', re.DOTALL)
_MOST_LISTED = 64
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
        listed = list(options["paths"].items())[:_MOST_LISTED]
        given = [(name, texts(places)) for name, places in listed if isinstance(places, list)]
        start = base or folder
        paths = tuple((name, tuple(start / place for place in places)) for name, places in given if places)
    references = data.get("references")
    listed = references[:_MOST_LISTED] if isinstance(references, list) else []
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
        return tuple(one for one in found[:_MOST_LISTED] if isinstance(one, str) and "\0" not in one)
    return (found,) if isinstance(found, str) and "\0" not in found else ()


def _folder(options: Mapping[str, Any], name: str, folder: Path) -> Path | None:
    return next((folder / one for one in texts(options.get(name))), None)


@dataclass(frozen=True, slots=True)
class Specifier:
    """`money/fp/of`: `package` is `money`, `part` is `./fp/of`; of the package itself it is `.`."""

    package: str
    part: str


def specifier(text: str) -> Specifier | None:
    """The package that an import names; None if it is a path, an address or nothing that can be one."""
    parts = text.split("/")
    n = 2 if text.startswith("@") else 1
    if len(text) > _LONGEST or len(parts) < n or not _is_path(parts) or parts[0] == "@" or text[0] in "#~":
        return None
    below = "/".join(parts[n:])
    return Specifier("/".join(parts[:n]), f"./{below}" if below else WHOLE)


def builtin(text: str) -> str:
    """The module of Node.js that an import means, without `node:`; "" if it is none."""
    name = text.removeprefix("node:")
    return name if name in BUILTIN_MODULES or (name != text and _is_path(name.split("/"))) else ""


def types_of(package: str) -> str:
    """The package that has the types of another one."""
    return f"@types/{package.removeprefix('@').replace('/', '__')}"


def entries(data: Mapping[str, Any], part: str) -> list[str] | None:
    """The files that a part of a package is; None if the package does not say, empty if it shows no such part."""
    exports = data.get("exports")
    if exports is not None:
        return _inside(_exported(exports, part))
    if part != WHOLE:
        typed = list(_versioned(data, part))
        return _inside([*typed, part], bare=True) if typed else None
    named = [name for key in _MAIN for name in texts(data.get(key))[:1]]
    typed = list(_versioned(data, next(iter(named), _ENTRY)))
    return _inside([*typed, *named], bare=True) or None


def inner(data: Mapping[str, Any], name: str) -> list[str]:
    """What `#name` means in a package: its own files, and names of other packages."""
    imports = data.get("imports")
    found = list(_mapped(imports, name)) if isinstance(imports, dict) else []
    return [one for one in found if _inside([one]) or specifier(one) is not None][:_MOST]


def depends_on(data: Mapping[str, Any], package: str) -> bool:
    return any(isinstance(data.get(key), dict) and package in data[key] for key in _DEPENDENCIES)


def workspaces(data: Mapping[str, Any]) -> tuple[str, ...]:
    """The folders of the packages that are developed together, as patterns."""
    found = data.get("workspaces")
    return texts(found.get("packages") if isinstance(found, dict) else found)


def pnpm_workspaces(text: str) -> tuple[str, ...]:
    """The same of a `pnpm-workspace.yaml`: the list below `packages:`."""
    found, is_list = list[str](), False
    for line in text.splitlines():
        bare = line.partition(" #")[0].strip()
        if line[:1] not in (" ", "\t", "-", "#", ""):
            is_list = bare == "packages:"
        elif is_list and bare.startswith("- "):
            found.append(bare[2:].strip().strip("'\""))
    return tuple(found[:64])


def _exported(exports: object, part: str) -> Iterator[str]:
    if isinstance(exports, dict) and any(key.startswith(".") for key in exports):
        yield from _mapped(exports, part)
    elif part == WHOLE:
        yield from _targets(exports, "", 0)


def _versioned(data: Mapping[str, Any], name: str) -> Iterator[str]:
    """Where `typesVersions` has the types of a file: of its ranges the first that the newest TypeScript is in."""
    versions = data.get("typesVersions")
    for version, places in versions.items() if isinstance(versions, dict) else ():
        is_newest = version.strip() == "*" or (version.strip().startswith(">") and "<" not in version)
        if is_newest and isinstance(places, dict):
            yield from _mapped(places, name.removeprefix("./"))
            return


def _mapped(names: Mapping[str, Any], name: str) -> Iterator[str]:
    """The targets of a name: of its own entry, else of the pattern with the longest beginning."""
    if name in names and "*" not in name:
        yield from _targets(names[name], "", 0)
        return
    patterns = [pattern for pattern in names if pattern.count("*") == 1 and fitting(pattern, name)]
    best = max(patterns, key=lambda one: (one.index("*"), len(one)), default=None)
    if best is not None:
        yield from _targets(names[best], fitting(best, name) or "", 0)
        return
    folders = [folder for folder in names if folder.endswith("/") and name.startswith(folder)]
    if (folder := max(folders, key=len, default=None)) is not None:
        yield from (target + name[len(folder) :] for target in _targets(names[folder], "", 0))


def _targets(target: object, part: str, depth: int) -> Iterator[str]:
    """The types first, then the others that may be meant, in order."""
    if isinstance(target, str):
        yield target.replace("*", part)
    elif depth < _DEEPEST and isinstance(target, list):
        for one in target[:_MOST]:
            yield from _targets(one, part, depth + 1)
    elif depth < _DEEPEST and isinstance(target, dict):
        for name in sorted((name for name in target if name in _CONDITIONS), key=lambda name: name != _TYPES):
            yield from _targets(target[name], part, depth + 1)


def _inside(found: Iterator[str] | list[str], *, bare: bool = False) -> list[str]:
    """Those that lead to a place in the package; `bare`: also without `./`."""
    kept = list[str]()
    for _, one in zip(range(_MOST), found, strict=False):
        below = one.removeprefix("./")
        if (bare or one.startswith("./")) and _is_path(below.rstrip("/").split("/")) and below not in kept:
            kept.append(below)
    return kept


def _is_path(parts: list[str]) -> bool:
    """Whether no part leads elsewhere."""
    text = "".join(parts)
    return not {"", ".", "..", "node_modules"} & set(parts) and not any(letter in text for letter in "\\\0:")


def names(last: str) -> Iterator[str]:
    """The files beside each other that the last part of a path may be."""
    for suffix, meant in _MEANT.items():
        if last.endswith(suffix) and len(last) > len(suffix):
            yield from (last[: -len(suffix)] + other for other in meant)
            return
    if is_source(last):
        yield last
    yield from (last + suffix for suffix in SUFFIXES)


def indexes() -> Iterator[str]:
    """The files that a folder is."""
    return (INDEX + suffix for suffix in SUFFIXES)


def is_source(name: str) -> bool:
    return name.endswith(SUFFIXES)


def is_typed(name: str) -> bool:
    """Whether a file has types: what else a package has of them is not needed then."""
    return name.endswith((".ts", ".tsx", ".mts", ".cts"))
