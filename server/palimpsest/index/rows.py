"""What the index keeps of one file.

In: a parse.  Out: its definitions, packages, imports and words as plain values, bounded in number and length, without
secrets.  Pure.
"""

import re
import zlib
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from palimpsest.languages.registry import languages
from palimpsest.syntax.imports import imports
from palimpsest.syntax.parse import Parsed
from palimpsest.syntax.scopes import docstring, scopes, signature
from palimpsest.syntax.values import Import, Scope
from palimpsest.text.positions import utf8
from palimpsest.text.tokens import masked

MOST_DEFINITIONS = 2_000
MOST_IMPORTS = 500
MOST_PACKAGES = 100
MOST_WORDS = 20_000
LONGEST_NAME = 200
LONGEST_SIGNATURE = 300
LONGEST_DOC = 200
_WORD = re.compile(rb"[A-Za-z_\x80-\xff][\w\x80-\xff]*")
_LAST = re.compile(r"\w+\Z")
_AFTER_NAME = "/\"'<>;"


class DefinitionRow(NamedTuple):
    kind: str
    name: str
    qualified_name: str
    line: int
    signature: str
    doc: str


class ImportRow(NamedTuple):
    """`module`, `name`, `alias`, `level` and `line` of an import; `name` and `alias` are empty where it has none."""

    module: str
    name: str
    alias: str
    level: int
    line: int


@dataclass(frozen=True, slots=True)
class FileRows:
    """`words` are the hashes of the words in the text, four bytes each; None where there are too many."""

    language: str
    definitions: tuple[DefinitionRow, ...] = ()
    packages: tuple[str, ...] = ()
    imports: tuple[ImportRow, ...] = ()
    words: bytes | None = b""


def rows_of(parsed: Parsed) -> FileRows:
    language = parsed.language
    return FileRows(
        language.id,
        tuple(_definition(parsed, scope) for scope in _outer(scopes(parsed))),
        tuple(name[:LONGEST_NAME] for name in dict.fromkeys(language.packages(parsed)))[:MOST_PACKAGES],
        tuple(_import(item) for item in imports(parsed)[:MOST_IMPORTS]),
        words_of(parsed.snapshot.utf8),
    )


def last_names(module: str, name: str = "", alias: str = "") -> frozenset[str]:
    """What an import of `name` from `module` may end with: `a/b.js`, `a::b` and `b` from `a` all end with b, and so
    does what is called b here."""
    whole = module.rstrip(_AFTER_NAME)
    path, dot, suffix = whole.rpartition(".")
    ends = [whole]
    if dot and f".{suffix}" in _suffixes():  # a file's name, or (`django.utils.html`) a module that is called so
        ends = [path] if "/" in path else [path, whole]
    found = {last[0] for end in ends if (last := _LAST.search(end))}
    return frozenset({*found, name, alias}) - {"", "*"}


@cache
def _suffixes() -> frozenset[str]:
    return frozenset(suffix for language in languages() for suffix in language.suffixes)


def words_of(utf8: bytes) -> bytes | None:
    words = set(_WORD.findall(utf8))
    return None if len(words) > MOST_WORDS else _hashes(sorted(words))


def may_have(words: bytes | None, wanted: Sequence[Sequence[bytes]]) -> bool:
    """Whether a text with these words may contain one of the `wanted` names (of `hashed`); False is certain."""
    return words is None or any(all(part in words for part in parts) for parts in wanted)


def hashed(names: Iterable[str]) -> list[list[bytes]]:
    """Names as `may_have` compares them: the hash of each word in each name."""
    return [[_hashes([word]) for word in _WORD.findall(utf8(name))] for name in names]


def _hashes(words: Iterable[bytes]) -> bytes:
    return array("I", map(zlib.crc32, words)).tobytes()


def _import(item: Import) -> ImportRow:
    module, name, alias = (part[:LONGEST_NAME] for part in (item.module, item.name or "", item.alias or ""))
    return ImportRow(module, name, alias, item.level, item.line)


def _outer(found: list[Scope]) -> list[Scope]:
    """The definitions that are not inside a function."""
    return [scope for scope in found if scope.kind != "file" and _is_outer(scope)][:MOST_DEFINITIONS]


def _is_outer(scope: Scope) -> bool:
    around = scope.parent
    while around is not None:
        if around.kind == "function":
            return False
        around = around.parent
    return bool(scope.name) and not scope.is_described


def _definition(parsed: Parsed, scope: Scope) -> DefinitionRow:
    doc = (docstring(parsed, scope) or "").strip().partition("\n")[0].rstrip()[:LONGEST_DOC]
    head = signature(parsed, scope)[:LONGEST_SIGNATURE]
    return DefinitionRow(
        "method" if scope.is_method else scope.kind,
        scope.name[:LONGEST_NAME],
        scope.qualified_name[:LONGEST_NAME],
        scope.def_line,
        masked(head),
        masked(doc),
    )
