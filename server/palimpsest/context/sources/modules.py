"""The `Modules` of each language in a workspace, created for the first document in that language.

In: a view.  Out: the `Modules` of its language.  Shared by the sources, so that each module is read once.
"""

import time

from palimpsest.context.sources.class_lookup import ParsedModule
from palimpsest.context.view import CursorView
from palimpsest.languages.modules import Modules, Surroundings
from palimpsest.languages.registry import modules_of


class ModulesByLanguage:
    def __init__(self, around: Surroundings) -> None:
        self._around = around
        self._by_language: dict[str, Modules] = {}

    def of(self, view: CursorView) -> Modules:
        language = view.parsed.language
        if language.id not in self._by_language:
            self._by_language[language.id] = modules_of(language, self._around)
        return self._by_language[language.id]

    def name_of(self, view: CursorView) -> str:
        """The module name of the document; its displayed name if it is no file."""
        path = view.path
        if path is None:
            return view.file
        # Asked for every name that the code uses.
        about = ("name of", path, view.root, view.parsed.snapshot.version, view.parsed.language.id)
        return self._around.files.once(about, lambda: self.of(view).name_of(path, view.root))

    def document(self, view: CursorView) -> ParsedModule:
        """The document as a module."""
        return ParsedModule(self.name_of(view) or "untitled", view.path, view.parsed, view.uri, self.of(view))

    @property
    def revision(self) -> int:
        every = list(self._by_language.values())  # another thread may be adding one
        return sum(modules.revision for modules in every)

    def wait(self, seconds: float | None) -> bool:
        until = None if seconds is None else time.monotonic() + seconds
        every = list(self._by_language.values())
        return all(modules.wait(None if until is None else until - time.monotonic()) for modules in every)
