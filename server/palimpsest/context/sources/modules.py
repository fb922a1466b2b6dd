"""The modules of each language that a workspace is written in, made when a document of that language is first asked
about."""

from __future__ import annotations

import time

from palimpsest.context.view import CursorView
from palimpsest.languages.modules import Modules, Surroundings
from palimpsest.languages.registry import modules_of


class ModulesByLanguage:
    """Several sources share it: what one asked for, another finds."""

    def __init__(self, around: Surroundings) -> None:
        self._around = around
        self._by_language: dict[str, Modules] = {}

    def of(self, view: CursorView) -> Modules:
        language = view.parsed.language
        if language.id not in self._by_language:
            self._by_language[language.id] = modules_of(language, self._around)
        return self._by_language[language.id]

    def name_of(self, view: CursorView) -> str:
        """What imports call the document's file; the name it is shown by where it is no file."""
        return self.of(view).name_of(view.path, view.root) if view.path is not None else view.file

    @property
    def revision(self) -> int:
        return sum(modules.revision for modules in self._by_language.values())

    def wait(self, seconds: float | None) -> bool:
        until = None if seconds is None else time.monotonic() + seconds
        every = list(self._by_language.values())
        return all(modules.wait(None if until is None else until - time.monotonic()) for modules in every)
