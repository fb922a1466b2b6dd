"""The modules of each language, asked for on one thread while another one adds a language."""

from __future__ import annotations

import sys
import threading
from types import SimpleNamespace
from typing import cast

from palimpsest.config.settings import ContextSettings
from palimpsest.context.sources.modules import ModulesByLanguage
from palimpsest.context.view import CursorView
from palimpsest.languages.modules import Surroundings
from palimpsest.languages.registry import languages
from palimpsest.workspace.files import WorkspaceFiles

VIEWS = [cast(CursorView, SimpleNamespace(parsed=SimpleNamespace(language=language))) for language in languages()]


def test_the_revision_is_known_while_a_language_is_added() -> None:
    around, wrong = Surroundings(WorkspaceFiles(()), ContextSettings(), {}), list[Exception]()
    for view in VIEWS:
        ModulesByLanguage(around).of(view)  # its imports
    modules, over = [ModulesByLanguage(around)], threading.Event()

    def ask() -> None:
        try:
            while not over.is_set():
                assert modules[-1].revision >= 0
        except Exception as error:
            wrong.append(error)

    asking, before = threading.Thread(target=ask), sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        asking.start()
        for _ in range(100):
            modules.append(ModulesByLanguage(around))
            for view in VIEWS:
                modules[-1].of(view)
    finally:
        over.set()
        asking.join()
        sys.setswitchinterval(before)
    assert wrong == []
