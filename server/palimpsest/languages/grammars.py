"""Grammars from their wheels, and the sections of query files compiled against them.

In: names of packages and files.  Out: a grammar, compiled queries.  What does not load or compile is left out with one
line in the log: an installed grammar may be newer or older than the query, and a person goes on without it.
"""

import importlib
import logging
import re
from collections.abc import Mapping, Sequence
from importlib.resources import files

import tree_sitter
from tree_sitter import Query

log = logging.getLogger(__name__)

_MORE = "more "
_HEAD = re.compile(r"(?m)^;; ((?:more )?\w+)\r?\n")


def load(name: str) -> tree_sitter.Language | None:
    """The grammar that `tree_sitter_x` or `tree_sitter_x:language_y` names; None for "" and for one that fails."""
    module, _, function = name.partition(":")
    if not module:
        return None
    try:
        return tree_sitter.Language(getattr(importlib.import_module(module), function or "language")())
    except Exception as error:  # whatever a package can raise: not installed, other names, another ABI
        log.error("no grammar %s: %s: %s", name, type(error).__name__, error)
        return None


def sections(package: str, names: Sequence[str]) -> dict[str, str]:
    """The sections of query files, by name; one of a later file replaces that of an earlier one, or with `;; more name`
    adds to it."""
    found = dict[str, str]()
    for name in names:
        try:
            _, *parts = _HEAD.split(_text(package, name))
        except (OSError, ImportError, UnicodeDecodeError) as error:
            log.error("no queries %s of %s: %s", name, package, error)
            continue
        for section, text in zip(parts[::2], parts[1::2], strict=True):
            known = section.removeprefix(_MORE)
            found[known] = text if known == section else found.get(known, "") + text
    return found


def _text(package: str, name: str) -> str:
    """The text of a file relative to a package, which need not be the file's own."""
    while name.startswith("../"):
        package, name = package.rpartition(".")[0], name.removeprefix("../")
    *below, file = name.split("/")
    return (files(".".join([package, *below])) / file).read_text("utf-8")


class Queries:
    """The sections of one language, each compiled when it is first asked for."""

    def __init__(self, name: str, grammar: tree_sitter.Language | None, texts: Mapping[str, str]) -> None:
        self._name = name
        self._grammar = grammar
        self._texts = texts
        self._compiled: dict[str, Query | None] = {}

    def get(self, section: str) -> Query | None:
        if section not in self._compiled:
            self._compiled[section] = self._compile(section)
        return self._compiled[section]

    def _compile(self, section: str) -> Query | None:
        text = self._texts.get(section)
        if self._grammar is None or text is None:
            return None
        try:
            return Query(self._grammar, text)
        except Exception as error:  # a QueryError if the grammar has other nodes than the query
            log.error("%s: the queries of %r do not fit the grammar: %s", self._name, section, error)
            return None
