"""C++'s headers: found as C's are, but read as C++, whatever their names end with.

In: includes, the workspace's files.  Out: files.
"""

from __future__ import annotations

import re
from pathlib import Path

from palimpsest.languages.c.language import HEADERS
from palimpsest.languages.c.modules import CModules
from palimpsest.syntax.parse import Language
from palimpsest.syntax.values import Import

_STANDARD, _USUAL = re.compile(r"<[a-z_]+>"), "<vector>"


class CppModules(CModules):
    def language_at(self, path: Path) -> Language:
        return self._language if path.suffix.lower() in HEADERS else super().language_at(path)

    def lacks(self, found: Import, module: str, path: Path | None) -> bool:
        """One of the standard library's, too, where that is installed."""
        if _STANDARD.fullmatch(found.module) is None:
            return super().lacks(found, module, path)
        return self.find(_USUAL, path) is not None and self.find(found.module, path) is None

    def is_known(self, name: str) -> bool:
        """The standard library's headers have no suffix, but for those that are C's."""
        return super().is_known(name) or (name.startswith("<") and "." not in name)


MODULES = CppModules
