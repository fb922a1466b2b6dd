"""PHP's classes: which file has one, by `composer.json` and by the folder that a file is in.

In: qualified names such as `Shop\\Cart`.  Out: files of the workspace and of `vendor`, each the module of its class.
Nothing is run: of what Composer writes, only the text of its table is read.  Functions and constants are not looked up,
since nothing says which file has them.
"""

import itertools
import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from palimpsest.languages.source_modules import Item, ModuleFiles, SourceModules
from palimpsest.syntax.parse import Parsed
from palimpsest.syntax.values import Import, Scope
from palimpsest.text.uris import relative

_COMPOSER, _VENDOR, _TABLE = "composer.json", "vendor", ("composer", "autoload_psr4.php")
_SUFFIX = ".php"
_CLASS = re.compile(r"[^\W\d]\w*(?:\\[^\W\d]\w*)*")
_NAMESPACE = re.compile(r"(?m)^[ \t]*namespace\s+([\w\\]+)\s*[;{]")
_ROW = re.compile(r"'((?>(?:[^'\\]|\\.){1,300}))'\s*=>\s*array\(([^)]{0,2000})\)")  # in time linear to the text
_PLACE = re.compile(r"\$vendorDir\s*\.\s*'([^']*)'")
_HIDDEN = re.compile(r"\s*(?:abstract\s+|final\s+|static\s+|readonly\s+)*(?:private|protected)\b")
_MOST_ROWS = 2_000
_MOST_BESIDE = 200
"""Classes of one namespace, and prefixes of one table."""


class PhpModules(SourceModules):
    separator = ""

    def name_of(self, path: Path, root: Path | None) -> str:
        """The class that the file is named after; the file's path where it is in no namespace."""
        namespace = self._namespace(path) if path.suffix == _SUFFIX else ""
        return f"{namespace}\\{path.stem}" if namespace else relative(path, root) if root is not None else path.name

    def imported(self, found: Import, module: str, path: Path | None) -> str | None:
        root = self.files.root_of(path) if path is not None else None
        if root is None or path is None:
            return None
        if found.level:
            there = Path(os.path.normpath(path.parent / found.module))
            return relative(there, root) if self.files.shows_own(there) else None
        is_class = found.name is not None and found.module.rpartition("\\")[2] == found.name
        return found.module if is_class and _CLASS.fullmatch(found.module) else None

    def lacks(self, found: Import, module: str, path: Path | None) -> bool:
        """A class, or a namespace, that has no place below the folder of its prefix and that no file defines."""
        name, index = self.imported(found, module, path), self._index
        if name is None or path is None or found.level or self.found(name, path) is not None:
            return False
        if index is None or not index.is_complete or index.definitions(found.name or ""):
            return False
        for folder in self.files.folders_around(path):
            prefixes = self.files.once(("composer", folder), lambda folder=folder: self._prefixes(folder))  # type: ignore[misc]
            if prefixes is not None:
                places = list(_candidates(name, {key: prefixes[key] for key in prefixes if key}))
                return bool(places) and not any(one.with_suffix("").exists() for one in places)
        return False

    def find(self, name: str, near: Path | None) -> ModuleFiles | None:
        root = self.files.root_of(near) if near is not None else None
        if root is None or near is None:
            return None
        if name.endswith(_SUFFIX):
            path = Path(os.path.normpath(root / name))
            return ModuleFiles((path,)) if self.files.shows_own(path) else None
        if not _CLASS.fullmatch(name):
            return None
        namespace, _, cls = name.rpartition("\\")
        if namespace == self._namespace(near) and self.files.shows_own(near.parent / f"{cls}{_SUFFIX}"):
            return ModuleFiles((near.parent / f"{cls}{_SUFFIX}",))
        return self._own(name, near) or self._of_vendor(name, near)

    def import_of(self, name: str, path: Path, parsed: Parsed, near: Path | None) -> Import | None:
        """A class by its file; functions of other namespaces are found in other ways."""
        namespace = self._namespace(path)
        if path.stem != name or near is None or not namespace or namespace == self._namespace(near):
            return None
        return Import(f"{namespace}\\{name}", name, None, 0, -1)

    def implied(self, module: str, path: Path | None) -> Sequence[Import]:
        """The other classes of the namespace, which has one folder."""
        namespace = self._namespace(path) if path is not None else ""
        if path is None or not namespace:
            return []
        beside = [entry.name for entry in self.files.listing(path.parent) if entry.name.endswith(_SUFFIX)]
        names = [name.removesuffix(_SUFFIX) for name in beside if name != path.name and name[:1].isupper()]
        return [Import(f"{namespace}\\{name}", name, None, 0, -1) for name in names[:_MOST_BESIDE]]

    def is_member_public(self, parsed: Parsed, item: Item) -> bool:
        line = item.def_line if isinstance(item, Scope) else item.line
        return _HIDDEN.match(parsed.snapshot.lines[line]) is None

    def _namespace(self, path: Path) -> str:
        return self.library.said(path, None, namespace_in, "")

    # Composer
    def _own(self, name: str, near: Path) -> ModuleFiles | None:
        """By the prefixes of the nearest `composer.json`."""
        for folder in self.files.folders_around(near):
            prefixes = self.files.once(("composer", folder), lambda folder=folder: self._prefixes(folder))  # type: ignore[misc]
            if prefixes is None:
                continue
            for path in _candidates(name, prefixes):
                if path.is_relative_to(folder) and self.files.shows_own(path):
                    return ModuleFiles((path,))
            return None
        return None

    def _prefixes(self, folder: Path) -> Mapping[str, list[Path]] | None:
        """Prefix → folders; None where there is no `composer.json`."""
        text = self.files.described(folder / _COMPOSER)
        if text is None:
            return None
        found = dict[str, list[Path]]()
        try:
            config = json.loads(text.text)
        except (ValueError, RecursionError):
            config = {}
        for part in ("autoload", "autoload-dev"):
            loaded = config.get(part) if isinstance(config, dict) else None
            table = loaded.get("psr-4") if isinstance(loaded, dict) else None
            for prefix, given in table.items() if isinstance(table, dict) else ():
                every = given if isinstance(given, list) else [given]
                places = [Path(os.path.normpath(folder / place)) for place in every if isinstance(place, str)]
                found.setdefault(prefix, []).extend(places)
        return found

    def _of_vendor(self, name: str, near: Path) -> ModuleFiles | None:
        for folder in self.files.folders_around(near):
            vendor = folder / _VENDOR
            table = self.files.once(("vendor", vendor), lambda vendor=vendor: self._vendored(vendor))  # type: ignore[misc]
            for path in _candidates(name, table):
                if len(parts := path.relative_to(vendor).parts) > 2:
                    within = vendor.joinpath(*parts[:2])
                    if self.library.exists(path, within):
                        return ModuleFiles((path,), False, within)
        return None

    def _vendored(self, vendor: Path) -> Mapping[str, list[Path]]:
        """What Composer has noted of the packages that it installed."""
        text = self.library.read(vendor.joinpath(*_TABLE), vendor / _TABLE[0])
        found = dict[str, list[Path]]()
        for prefix, named in vendored_in(text.text) if text is not None else ():
            places = [Path(os.path.normpath(f"{vendor}/{place}")) for place in named]
            found[prefix] = [place for place in places if place.is_relative_to(vendor)]
        return found


def namespace_in(text: str) -> str:
    """The first that a file declares; "" for none."""
    found = _NAMESPACE.search(text)
    return found[1].strip("\\") if found is not None else ""


def vendored_in(text: str) -> Iterator[tuple[str, list[str]]]:
    """Prefixes with the folders below `vendor` that Composer's table gives them."""
    for row in itertools.islice(_ROW.finditer(text), _MOST_ROWS):
        yield row[1].replace("\\\\", "\\"), _PLACE.findall(row[2])


def _candidates(name: str, prefixes: Mapping[str, list[Path]]) -> Iterator[Path]:
    """PSR-4: what follows the prefix is the path below its folder; the longest prefix first."""
    for prefix in sorted((one for one in prefixes if name.startswith(one)), key=len, reverse=True):
        below = name.removeprefix(prefix).split("\\")
        yield from (folder.joinpath(*below[:-1], f"{below[-1]}{_SUFFIX}") for folder in prefixes[prefix] if below[-1])


MODULES = PhpModules
