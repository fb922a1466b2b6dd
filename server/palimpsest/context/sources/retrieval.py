"""`documentation` blocks: the sections of the workspace's documents that are about what the code at the cursor does.

In: a view, the Markdown, reStructuredText and text files of the workspace.  Out: the best sections, named as the
README's are (`docs/prices.md#Rounding`), by Okapi BM25 as SQLite's FTS5 computes it (Robertson and Zaragoza, "The
Probabilistic Relevance Framework", 2009).  Documents are read, and questions answered, in the background; the index
is in memory, and nothing is written.

A section has to name something of the code: a name that only code is written in (`apply_discount`, `applyDiscount`), or
the scope at the cursor, or two of its other names.  That an English word is in both says nothing.
"""

from __future__ import annotations

import re
import sqlite3
import threading
import time
from collections.abc import Collection, Iterable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path

from palimpsest.context.estimate import head
from palimpsest.context.sources.answers import Answers
from palimpsest.context.sources.documentation import MAX_TOKENS, sections
from palimpsest.context.sources.source import Source
from palimpsest.context.values import PER_RANK, README_SECTION
from palimpsest.context.view import CursorView
from palimpsest.syntax.scopes import enclosing
from palimpsest.text.conversations import MOST_FRONT, is_conversation
from palimpsest.text.uris import to_uri
from palimpsest.types import Block
from palimpsest.workspace.documents_walk import DocumentsWalk
from palimpsest.workspace.files import Stamp, WorkspaceFiles

SUFFIXES = frozenset({".md", ".markdown", ".rst", ".txt", ".adoc"})
LEFT_OUT = re.compile(r"(?i)(licen[cs]e|copying|notice|authors|change(s|log)|history|news|requirements|robots)\b")
"""Beginnings of the names of documents that mention everything or nothing, and of text files that are data."""
MOST_BLOCKS = 2
MOST_DOCUMENTS = 1_000
MOST_CHARACTERS = 8_000_000
MOST_FOLDERS = 2_000
LOOK_S = 20.0
"""While nothing is said to have changed, documents are looked for again at most this often."""
MOST_WORDS = 48
"""At most this many words of one question are looked for."""
_TABLE = """
CREATE VIRTUAL TABLE sections USING fts5(
    title, body, path UNINDEXED, number UNINDEXED, tokenize = "{} remove_diacritics 0 tokenchars '_'"
)
"""
TITLE_WEIGHT = 3.0
"""A word of the title counts as often: what a section is called is what it is about."""
_CONSIDERED = 8
_SHORTEST = 4
_OF_CODE = re.compile(r".*(_.|[a-z\d][A-Z]).*")
_WORD = re.compile(r"[^\W\d]\w*")


class RetrievalSource(Source):
    """`files` is looked at by this source's own thread alone."""

    name = "retrieval"
    setting = "documentation"

    def __init__(self, files: WorkspaceFiles, executor: Executor | None) -> None:
        self._look_s = 0.0 if executor is None else LOOK_S
        self._documents = SearchedDocuments(files, self._look_s)
        self._answers = Answers[tuple[Path, frozenset[str]], tuple[FoundSection, ...]](self._search, executor, ())
        self.readers = (self._answers,)

    def candidates(self, view: CursorView) -> list[Block]:
        if view.root is None:
            return []
        own, used = _names(view)
        time_of = int(time.monotonic() / LOOK_S) if self._look_s else time.monotonic_ns()
        found_sections = self._answers.ask((view.root, own | used), time_of)
        known = {view.path, *(view.root / name for name in view.settings.rules)}  # which are shown as they are
        about = [section for section in found_sections if section.path not in known and _is_about(section, own, used)]
        return [self._block(view, view.root, section, rank) for rank, section in enumerate(about[:MOST_BLOCKS])]

    def still_valid(self, block: Block, view: CursorView) -> bool:
        """While the section is in its document."""
        path, _, title = block.name.partition("#")
        if view.root is None:
            return False
        known = self._documents.section(view.root / path, title)
        return known is not None and self._block(view, view.root, known, 0).text == block.text

    def _block(self, view: CursorView, root: Path, section: FoundSection, rank: int) -> Block:
        name = f"{section.path.relative_to(root).as_posix()}#{section.title}"
        text = "\n".join(head(section.text.split("\n"), min(MAX_TOKENS, view.settings.block_tokens))).rstrip("\n")
        value, uri = README_SECTION - rank * PER_RANK, to_uri(section.path)
        # Without lines: the document may have changed since it was looked at, so whoever edits it finds the text in it.
        return Block("documentation", name, text, value, editable=True, uri=uri, source=self.name)

    def _search(self, question: tuple[Path, frozenset[str]]) -> tuple[FoundSection, ...]:
        root, words = question
        self._documents.look(root)
        return self._documents.search(root, words)


class SearchedDocuments:
    """The documents of each workspace folder, as they were when they were last looked for, at most every `look_s`
    seconds.  Names of code are looked for as they are, words by their `stems`.  Thread-safe."""

    def __init__(self, files: WorkspaceFiles, look_s: float, *, stems: bool = False) -> None:
        self._files = files
        self._stems = stems
        self._look_s = look_s
        self._looked: dict[Path, float] = {}
        self._lock = threading.Lock()
        self._indexes: dict[Path, SectionIndex] = {}
        self._walks: dict[Path, tuple[DocumentsWalk, set[Path]]] = {}
        self._stamps: dict[Path, Stamp] = {}
        self._sections: dict[tuple[Path, str], FoundSection] = {}

    def look(self, root: Path) -> None:
        """Read what is new or has changed, of very many folders a portion each time."""
        if root not in self._walks and time.monotonic() - self._looked.get(root, -self._look_s) < self._look_s:
            return
        self._looked[root] = time.monotonic()
        self._files.look_again()
        index = self._indexes.setdefault(root, SectionIndex(stems=self._stems))
        begun = DocumentsWalk(self._files, root, SUFFIXES, MOST_FOLDERS), set[Path]()
        walk, seen = self._walks.pop(root, begun)
        for path in walk.portion():
            if len(seen) >= MOST_DOCUMENTS or walk.n_characters > MOST_CHARACTERS:
                walk.end()
                break
            if LEFT_OUT.match(path.name):
                continue
            source = self._files.source(path)
            if source is None or is_conversation(path.name, source.text.split("\n", MOST_FRONT)):
                continue  # what was said about code is no documentation of it
            seen.add(path)
            walk.n_characters += len(source.text)
            if self._stamps.get(path) != source.stamp:
                self._put(index, path, source.text)
                self._stamps[path] = source.stamp
        if not walk.is_done:
            self._walks[root] = walk, seen
            return
        for path in index.paths - seen:
            with self._lock:
                self._remove(index, path)
                self._stamps.pop(path, None)

    def search(self, root: Path, words: frozenset[str], most: int = _CONSIDERED) -> tuple[FoundSection, ...]:
        with self._lock:
            return tuple(self._indexes[root].search(words, most))

    def section(self, path: Path, title: str) -> FoundSection | None:
        return self._sections.get((path, title))

    def _put(self, index: SectionIndex, path: Path, text: str) -> None:
        every = sections(text, path.name)
        with self._lock:
            self._remove(index, path)
            index.put(path, [(section.title, section.lines) for section in every])
            for section in reversed(every):  # the first of a title counts
                self._sections[path, section.title] = FoundSection(path, section.title, "\n".join(section.lines))

    def _remove(self, index: SectionIndex, path: Path) -> None:
        index.remove(path)
        for key in [key for key in self._sections if key[0] == path]:
            del self._sections[key]


def _names(view: CursorView) -> tuple[frozenset[str], frozenset[str]]:
    """Names of the scopes around the cursor, and names that the editing block uses."""
    common = view.parsed.language.common_words
    own = frozenset(scope.name for scope in enclosing(view.scope) if len(scope.name) >= _SHORTEST)
    used = frozenset(name for name in view.used if len(name) >= _SHORTEST)
    return own - common, used - own - common


def _is_about(section: FoundSection, own: frozenset[str], used: frozenset[str]) -> bool:
    words = {word.lower() for word in _WORD.findall(section.text)}
    named = {name for name in own | used if name.lower() in words}
    exact = frozenset(_WORD.findall(section.text))
    return bool(named & own) or len(named) > 1 or any(_OF_CODE.fullmatch(name) and name in exact for name in named)


@dataclass(frozen=True, slots=True)
class FoundSection:
    path: Path
    title: str
    text: str


class SectionIndex:
    """Sections in memory, for any thread, but one at a time.  By `stems`, a word is found in its other forms, too:
    `prices` and `pricing` where `price` stands (Porter's stemmer, made for English)."""

    def __init__(self, *, stems: bool = False) -> None:
        self._connection = sqlite3.connect(":memory:", check_same_thread=False, isolation_level=None)
        self._connection.execute(_TABLE.format("porter unicode61" if stems else "unicode61"))
        self._paths = set[Path]()

    @property
    def paths(self) -> frozenset[Path]:
        return frozenset(self._paths)

    def put(self, path: Path, sections: Iterable[tuple[str, Sequence[str]]]) -> None:
        """Title and lines of each section, in place of what was known of the document."""
        self.remove(path)
        rows = [(title, "\n".join(lines), str(path), number) for number, (title, lines) in enumerate(sections)]
        self._connection.executemany("INSERT INTO sections VALUES (?, ?, ?, ?)", rows)
        self._paths.add(path)

    def remove(self, path: Path) -> None:
        if path in self._paths:
            self._connection.execute("DELETE FROM sections WHERE path = ?", (str(path),))
            self._paths.discard(path)

    def search(self, words: Collection[str], most: int) -> list[FoundSection]:
        """The sections with at least one of the words."""
        quoted = ['"' + word.replace('"', '""') + '"' for word in sorted(words)[:MOST_WORDS]]
        if not quoted:
            return []
        rows = self._connection.execute(
            f"SELECT path, title, body FROM sections WHERE sections MATCH ? "
            f"ORDER BY bm25(sections, {TITLE_WEIGHT}, 1.0), path, number LIMIT ?",
            (" OR ".join(quoted), most),
        )
        return [FoundSection(Path(path), title, body) for path, title, body in rows]
