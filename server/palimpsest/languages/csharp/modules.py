"""C#'s namespaces: which files `using` means, and what a file sees without it.

In: names of namespaces, the workspace's files.  Out: files.  A file sees its own namespaces and those around them, and
what a `global using` gives all files of its project.  Assemblies are not looked into.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from palimpsest.languages.csharp import namespace_at, namespaces_in
from palimpsest.languages.package_modules import PackageModules
from palimpsest.languages.source_modules import Item, ModuleFiles, header_words
from palimpsest.syntax.parse import Parsed
from palimpsest.syntax.scopes import scopes, signature
from palimpsest.syntax.values import Import, Scope

_GLOBAL = re.compile(r"^[ \t]*global[ \t]+using[ \t]+([^\W\d]\w*(?:\.[^\W\d]\w*)*)[ \t]*;", re.MULTILINE)
_GLOBAL_FILES = ("GlobalUsings.cs", "Usings.cs")
_PROJECT = ".csproj"
_PARTIAL = re.compile(r"\bpartial\s+(?:class|struct|interface|record(?:\s+(?:class|struct))?)\s+([^\W\d]\w*)")


class CSharpModules(PackageModules):
    suffixes = (".cs",)

    def packages_in(self, text: str) -> Sequence[str]:
        return namespaces_in(text)

    def implied(self, module: str, path: Path | None) -> Sequence[Import]:
        if path is None:
            return []
        own = list(self.packages_of(path))
        around = [outer for name in own for outer in _around(name)]
        seen = dict.fromkeys([*own, *around, *self._global(path)])
        return [Import(name, "*", None, 0, -1) for name in seen]

    def imported(self, found: Import, module: str, path: Path | None) -> str | None:
        """Inside of `namespace Shop`, `using Parts` may mean `Shop.Parts`."""
        name = super().imported(found, module, path)
        if name is None or path is None or self.files_of(name, path):
            return name
        inner = (f"{outer}.{name}" for own in self.packages_of(path) for outer in (own, *_around(own)))
        return next((one for one in inner if self.files_of(one, path)), name)

    def lacks(self, found: Import, module: str, path: Path | None) -> bool:
        """A namespace inside one of the workspace's, which no file declares and no class is called."""
        name, index = self.imported(found, module, path), self._index
        outer, _, last = (name or "").rpartition(".")
        if name is None or index is None or not index.is_complete or index.definitions(last, self.languages):
            return False
        return bool(outer) and bool(self.files_of(outer, path)) and not self.files_of(name, path)

    def folders(self, name: str, near: Path) -> Iterator[Path]:
        """Beside the file; where folders around it have the parts of the name, or its last ones."""
        yield near.parent
        parts = name.split(".")
        for folder in self.files.folders_around(near):
            yield from (folder.joinpath(*parts[n:]) for n in range(len(parts)))
            yield from (folder / ".".join(parts[:n]) / Path(*parts[n:]) for n in range(1, len(parts) + 1))
            if folder.name in (parts[-1], name):
                yield folder

    def is_part(self, parsed: Parsed, line: int, found: ModuleFiles) -> bool:
        return namespace_at(parsed, line) == found.inside

    def adding(self, cls: str, module: str, path: Path) -> Sequence[Path]:
        """The other files with a part of the class, if it is `partial`."""
        last = cls.rpartition(".")[2]
        if last not in self._partial(path):
            return ()
        return [file for file in self.files_of(module, path) if file != path and last in self._partial(file)]

    def parts(self, parsed: Parsed, cls: str, module: str) -> Sequence[Scope]:
        return [
            scope
            for scope in scopes(parsed)
            if scope.kind == "class"
            and scope.qualified_name == cls
            and namespace_at(parsed, scope.def_line) == module
            and _PARTIAL.search(signature(parsed, scope)) is not None
        ]

    def _partial(self, path: Path) -> frozenset[str]:
        """The names of the classes of which a file has a part."""
        return self.library.said(path, None, _partial_in, frozenset())

    def is_public(self, parsed: Parsed, item: Item) -> bool:
        """`file` and `private` types are their file's own."""
        return not {"file", "private"} & set(header_words(parsed, item))

    def _global(self, path: Path) -> Iterator[str]:
        for folder in self.files.folders_around(path):
            names = {entry.name for entry in self.files.listing(folder) if not entry.is_dir}
            for name in names.intersection(_GLOBAL_FILES):
                text = self.files.described(folder / name)
                yield from _GLOBAL.findall(text.text) if text is not None else ()
            if any(name.endswith(_PROJECT) for name in names):
                return


def _partial_in(text: str) -> frozenset[str]:
    return frozenset(_PARTIAL.findall(text))


def _around(name: str) -> list[str]:
    """`A.B` and `A` for `A.B.C`."""
    parts = name.split(".")
    return [".".join(parts[:end]) for end in range(len(parts) - 1, 0, -1)]


MODULES = CSharpModules
