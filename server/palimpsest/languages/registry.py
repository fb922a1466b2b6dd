"""Which language a document is in.

In: a language id, a path.  Out: the `Language` that has it, found by its folder; one without a grammar where none does.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache, lru_cache
from pathlib import PurePosixPath

import palimpsest.languages
from palimpsest.languages.modules import Modules, Surroundings
from palimpsest.languages.plain import Plain
from palimpsest.syntax.parse import Language

_MOST_PLAIN = 64


@cache
def languages() -> tuple[Language, ...]:
    """Those with a folder, in order of its name."""
    packages = sorted(m.name for m in pkgutil.iter_modules(palimpsest.languages.__path__) if m.ispkg)
    return tuple(importlib.import_module(f"palimpsest.languages.{name}").LANGUAGE for name in packages)


def language_of(language_id: str, path: str | None = None) -> Language:
    """The language of an LSP language id, else of a file name's suffix; one without a grammar where there is none."""
    found = next((language for language in languages() if language_id in language.language_ids), None)
    if found is not None:
        return found
    suffix = PurePosixPath(path or "").suffix.lower()
    found = next((language for language in languages() if suffix and suffix in language.suffixes), None)
    return found or plain(language_id)


def modules_of(language: Language, around: Surroundings) -> Modules:
    """What a language knows of the modules around a workspace's files."""
    package = importlib.import_module(type(language).__module__).__package__ or ""
    make: type[Modules] = getattr(importlib.import_module(package), "MODULES", Modules)
    return make(language, around)


@lru_cache(_MOST_PLAIN)
def plain(language_id: str) -> Language:
    return Plain(language_id)
