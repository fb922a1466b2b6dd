"""Grammars from their wheels, the sections of query files compiled against them, and which texts no grammar gets.

In: names of packages and files; texts.  Out: a grammar, compiled queries; whether a grammar may parse a text.  What
does not load or compile is left out with one line in the log: an installed grammar may be newer or older than the
query, and a person goes on without it.

Some grammars can end the process or hang: their scanners keep what is open around a place in memory of a fixed size,
and some versions write behind its end (256 levels).  So a text that may be nested deeper than `MOST_LEVELS` is not
parsed.  No grammar gets a text with a line as long as a file: trees are searched line by line.
"""

import importlib
import logging
import re
from collections.abc import Callable, Mapping, Sequence
from importlib.resources import files

import tree_sitter
from tree_sitter import Query

from palimpsest.text.minified import long_lines

log = logging.getLogger(__name__)

_MORE = "more "
_HEAD = re.compile(r"(?m)^;; ((?:more )?\w+)\r?\n")
MOST_LEVELS = 200
LONGEST_LINE = 100_000
"""Characters of a line; each search of a line with a million nodes takes seconds."""
_LONG_LINE = re.compile(rf"(?m)^.{{{MOST_LEVELS},}}$")
_BLOCKS_OF_MARKDOWN = re.compile(r"[ \t>*+\-.)\d]*")
_BLOCKS_OF_YAML = re.compile(r"[-?:](?=\s|\Z)")


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


def _levels_of_markdown(line: str) -> int:
    """Quotes and lists are as deep as the line's beginning is long, at most."""
    found = _BLOCKS_OF_MARKDOWN.match(line)
    return len(found[0]) if found is not None else 0


def _levels_of_yaml(line: str) -> int:
    """One for each column of the indent, and for each mark of a list or a mapping behind it."""
    return len(line) - len(line.lstrip()) + len(_BLOCKS_OF_YAML.findall(line))


RISKY: dict[str, Callable[[str], int]] = {
    "tree_sitter_markdown": _levels_of_markdown,
    "tree_sitter_yaml": _levels_of_yaml,
}
"""The grammars, each with how deep the blocks of a line may be nested, at most."""


def may_parse(module: str, text: str) -> bool:
    """Whether a grammar may be given a text."""
    levels = RISKY.get(module)
    if next(long_lines(text, LONGEST_LINE), None) is not None:
        return False
    return levels is None or all(levels(found[0]) < MOST_LEVELS for found in _LONG_LINE.finditer(text))
