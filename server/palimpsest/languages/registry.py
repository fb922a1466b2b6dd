"""Finds the language of a document.

In: a language id, a path.  Out: the `Language` found by its folder; if there is none, one without a grammar: prose, and
code of which only comments and strings are known.
"""

import importlib.util
import pkgutil
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from pathlib import PurePosixPath

import palimpsest.languages
from palimpsest.languages.base import Base
from palimpsest.languages.modules import Modules, Surroundings
from palimpsest.languages.trying import trying
from palimpsest.syntax.lexical import Lexical
from palimpsest.syntax.parse import Language
from palimpsest.text.word_lists import word_lists

_MOST_PLAIN = 64
_WORDS = word_lists("palimpsest.languages")
_PROSE = _WORDS["prose"] | {""}


class Plain(Base):
    def __init__(self, language_id: str) -> None:
        self.id = language_id
        self.name = language_id or "plain text"
        self.language_ids = (language_id,)
        if language_id in _WORDS["hash"]:
            self.lexical = Lexical(("#",), quotes=('"', "'"))
        elif language_id in _WORDS["dashes"]:
            self.lexical = Lexical(("--",), (("/*", "*/"),), quotes=('"', "'", "`"))
        elif language_id not in _PROSE:
            self.lexical = Lexical(("//",), (("/*", "*/"),), quotes=('"', "'", "`"))

    def statements(self, lines: Sequence[str], start: int, end: int) -> Iterator[range]:
        """Paragraphs: lines between blank ones."""
        first = None
        for number in range(start, end):
            if not lines[number].strip():
                if first is not None:
                    yield range(first, number)
                first = None
            elif first is None:
                first = number
        if first is not None:
            yield range(first, end)


def is_prose(language_id: str) -> bool:
    """Whether a document with this language id is text for people."""
    return language_id in _PROSE


@cache
def languages() -> tuple[Language, ...]:
    """The languages with a folder, in order of the folder's name."""
    packages = sorted(m.name for m in pkgutil.iter_modules(palimpsest.languages.__path__) if m.ispkg)
    return tuple(importlib.import_module(f"palimpsest.languages.{name}").LANGUAGE for name in packages)


def language_of(language_id: str, path: str | None = None) -> Language:
    """The language with this LSP language id, else the one with the file name's suffix, else one without a grammar."""
    found = next((language for language in languages() if language_id in language.language_ids), None)
    if found is not None:
        return found
    suffix = PurePosixPath(path or "").suffix.lower()
    found = next((language for language in languages() if suffix and suffix in language.suffixes), None)
    return found or plain(language_id)


def language_in(path: str, text: str) -> Language:
    """The language of a file that no editor has open: by its suffix, and by its text where that leaves a choice."""
    found = language_of("", path)
    return next((language_of(id) for id, mark in found.others.items() if mark.search(text)), found)


def kin_of(language: Language) -> list[Language]:
    """The languages whose files this one's import: itself, those that it is made of, and those that are made of it."""
    kind = type(language)
    return [one for one in languages() if isinstance(one, kind) or isinstance(language, type(one))]


def modules_of(language: Language, around: Surroundings) -> Modules:
    """The modules of a language, for one workspace."""
    return _modules(language)(language, around)


def load(language: Language) -> None:
    """Import and start what a document of the language needs, so that no keystroke waits for it: a window has few
    languages."""
    _modules(language)
    if language.grammar is not None:
        trying().begin()


def _modules(language: Language) -> type[Modules]:
    """Those of its folder, else of the language that it derives from."""
    modules = (importlib.import_module(kind.__module__) for kind in type(language).__mro__)
    names = (f"{module.__package__}.modules" for module in modules if hasattr(module, "LANGUAGE"))
    name = next((name for name in names if importlib.util.find_spec(name) is not None), None)
    found: type[Modules] = getattr(importlib.import_module(name), "MODULES", Modules) if name is not None else Modules
    return found


@lru_cache(_MOST_PLAIN)
def plain(language_id: str) -> Language:
    return Plain(language_id)
