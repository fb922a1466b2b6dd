"""C++'s headers: found as C's are, but read as C++, whatever their names end with.

In: includes, the workspace's files.  Out: files.
"""

from pathlib import Path

from palimpsest.languages.c import HEADERS
from palimpsest.languages.c.modules import CModules
from palimpsest.syntax.parse import Language


class CppModules(CModules):
    usual = "<vector>"

    def language_at(self, path: Path) -> Language:
        return self._language if path.suffix.lower() in HEADERS else super().language_at(path)

    def is_known(self, name: str) -> bool:
        """The standard library's headers have no suffix, but for those that are C's."""
        return super().is_known(name) or (name.startswith("<") and "." not in name)


MODULES = CppModules
