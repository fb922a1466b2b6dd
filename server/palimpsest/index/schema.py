"""The index's database: its tables, and what an index must have been made with to be used.

Out: SQL, a fingerprint.  An index with another fingerprint is thrown away, since other grammars and
queries find other names.
"""

import hashlib
import importlib.metadata
from importlib.resources import files

from palimpsest import __version__
from palimpsest.languages.base import Base
from palimpsest.languages.registry import languages

VERSION = 3
"""This is the version of the tables and of what is put into them."""
TABLES = (files("palimpsest.index") / "schema.sql").read_text("utf-8")
OF_FILE = ("definitions", "packages", "imports", "ends")
"""Tables with a column `file`."""


def fingerprint() -> str:
    """Changes with the tables, with our version, and with a grammar or a query of ours."""
    parts = [str(VERSION), __version__, _installed("tree_sitter")]
    for language in languages():
        module = language.grammar_module.partition(":")[0] if isinstance(language, Base) else ""
        parts += [language.id, _installed(module), *_queries(language.id)]
    return hashlib.blake2b("\0".join(parts).encode(), digest_size=12).hexdigest()


def _installed(module: str) -> str:
    """The version of the package that brings a module; the grammars' wheels are called as their modules are."""
    if not module:
        return ""
    try:
        return importlib.metadata.version(module)
    except importlib.metadata.PackageNotFoundError:
        return ""


def _queries(language_id: str) -> list[str]:
    """Digests of the files of a language's folder."""
    folder = files("palimpsest.languages") / language_id
    ours = [item for item in folder.iterdir() if item.is_file() and item.name.endswith((".scm", ".py"))]
    ours.sort(key=lambda item: item.name)
    return [hashlib.blake2b(item.read_bytes(), digest_size=8).hexdigest() for item in ours]
