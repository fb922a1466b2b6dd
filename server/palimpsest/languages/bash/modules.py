"""Scripts that a script reads with `source`.

In: paths as the language finds them.  Out: files of the workspace, with all that they define.
"""

import os
from pathlib import Path

from palimpsest.languages.source_modules import ModuleFiles, SourceModules
from palimpsest.syntax.values import Import
from palimpsest.text.uris import relative


class BashModules(SourceModules):
    passes_on = True
    separator = ""

    def name_of(self, path: Path, root: Path | None) -> str:
        """The script's path in the workspace."""
        return relative(path, root) if root is not None else path.name

    def imported(self, found: Import, module: str, path: Path | None) -> str | None:
        """From the script's folder; where there is none of that name, from the workspace's."""
        root = self.files.root_of(path) if path is not None else None
        if root is None or path is None or not found.module or os.path.isabs(found.module):
            return None
        places = (Path(os.path.normpath(folder / found.module)) for folder in (path.parent, root))
        there = next((place for place in places if self.files.shows_own(place)), None)
        return None if there is None else relative(there, root)

    def find(self, name: str, near: Path | None) -> ModuleFiles | None:
        root = self.files.root_of(near) if near is not None else None
        path = Path(os.path.normpath(root / name)) if root is not None else None
        return ModuleFiles((path,)) if path is not None and self.files.shows_own(path) else None


MODULES = BashModules
