"""A `package` block of what the lines around use and other files define: what is written next mostly uses what its
neighbours do.

In: a view, the index of names.  Out: a line for each name that a part of the file uses and exactly one other file of
the workspace defines, the nearest to the part's middle first; where these are few, also for names that several of the
files beside it use, such as the other migrations of a folder of them.  The text is that of a part, so it stays while
the cursor moves in it, and as long as what it shows is still used: what is typed there changes nothing.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import islice
from pathlib import Path

from palimpsest.context.estimate import chars_for
from palimpsest.context.name_uses import NameUse, name_uses, names_that_come_with
from palimpsest.context.sources.cached import cached
from palimpsest.context.sources.indexed import INCOMPLETE, NOWHERE, SEVERAL, IndexedDefinitions, written
from palimpsest.context.sources.source import Source
from palimpsest.context.values import FILE_NAMES
from palimpsest.context.view import CursorView
from palimpsest.languages.name_index import IndexedDefinition
from palimpsest.newest import Newest
from palimpsest.syntax.imports import imports
from palimpsest.syntax.parse import Language, Parsed
from palimpsest.syntax.scopes import scopes
from palimpsest.syntax.unknown import bound_in
from palimpsest.types import Block
from palimpsest.workspace.kept import Kept

PART, AROUND = 200, 100
"""Lines of a part of a file, and before and behind it."""
MAX_TOKENS = 300
_LONGEST_LINE = 140
_SHORTEST = 4
_MOST_NAMES = 250
"""The index is asked for at most this many names."""
_MOST_FILES, _FEWEST = 8, 2
"""Files beside the document that are looked into, and by how many of them a name has to be used."""
_LONGEST_READ, _MOST_CHARACTERS = 500, 50_000
"""A line that is read has at most so many characters, and a file beside the document so many."""
_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")


class FileNamesSource(Source):
    """Owner of what each part shows."""

    name = "file names"
    setting = "package"

    def __init__(self, definitions: IndexedDefinitions) -> None:
        self._definitions = definitions
        self._by_part = Newest[tuple[str, int], Sequence[IndexedDefinition]]()
        self._read = Kept[Path, dict[str, NameUse]](2_000_000)

    def candidates(self, view: CursorView) -> list[Block]:
        if not self._definitions.is_complete:
            return []
        part = view.position.line // PART
        definitions = self._by_part.get((view.uri, part), ())
        if not definitions or not self._holds(view, part, definitions):
            definitions = self._defined(view, part)
        self._by_part[view.uri, part] = definitions
        name = f"used around {view.file}, lines {part * PART + 1} to {(part + 1) * PART}"
        text = "\n".join(_line(definition) for definition in definitions)
        return [Block("package", name, text, FILE_NAMES, source=self.name)] if definitions else []

    def why_not(self, view: CursorView, name: str) -> str:
        if not self._definitions.is_complete:
            return INCOMPLETE
        uses = self._every(view, view.position.line // PART)
        if name in view.parsed.once(_own) | names_that_come_with(view.parsed.language):
            return "this file or the language has it"
        if not any(use.name == name and _is_looked_for(view, use) for use in uses):
            return "the lines around and files beside do not use it, or as a member whose name is short and of one word"
        definitions = self._definitions.of(view, name)
        return (
            (SEVERAL if definitions else NOWHERE)
            if self._definitions.one(view, definitions) is None
            else "others are nearer"
        )

    def _uses_in(self, view: CursorView, part: int) -> Sequence[NameUse]:
        """The cursor moves more often than the text changes."""
        return cached(view.parsed, ("uses", part), lambda: _uses(view.parsed, part))

    def _holds(self, view: CursorView, part: int, definitions: Sequence[IndexedDefinition]) -> bool:
        unused = {one.name for one in definitions} - {use.name for use in self._uses_in(view, part)}
        if unused and not unused <= {use.name for use in self._beside(view)}:
            return False
        return all(self._definitions.only(view, one.name) == one for one in definitions)

    def _defined(self, view: CursorView, part: int) -> Sequence[IndexedDefinition]:
        definitions, room = list[IndexedDefinition](), chars_for(MAX_TOKENS)
        for definition in self._definitions_of(view, part):
            room -= len(_line(definition)) + 1
            if room < 0:
                break
            definitions.append(definition)
        return definitions

    def _definitions_of(self, view: CursorView, part: int) -> Iterator[IndexedDefinition]:
        language, seen, known = view.parsed.language, set[str](), view.parsed.once(_own) | {view.typed}
        for use in self._every(view, part):
            if use.name in seen or use.name in known or not _is_looked_for(view, use):
                continue
            if len(seen) == _MOST_NAMES:
                return
            seen.add(use.name)
            only = self._definitions.only(view, use.name)
            if only is None or only.kind == "namespace":
                continue
            if only.kind != "method" or use.head != "" or language.bare_members:
                yield only

    def _every(self, view: CursorView, part: int) -> Iterator[NameUse]:
        yield from self._uses_in(view, part)
        yield from self._beside(view)  # read only where there is room

    def _beside(self, view: CursorView) -> Sequence[NameUse]:
        """The names that several of the files beside the document use, those first that most of them use."""
        if view.path is None:
            return ()
        path, language = view.path, view.parsed.language
        return self._definitions.files.once(("beside", path, language.id), lambda: self._counted(path, language))

    def _counted(self, path: Path, language: Language) -> Sequence[NameUse]:
        counts, uses = Counter[str](), dict[str, NameUse]()
        files = self._definitions.files
        for file in files.seen(("siblings", path), lambda: self._siblings(path, language)):
            text = files.source(file)
            if text is None or len(text.text) > _MOST_CHARACTERS:
                continue
            names = self._read.get(file, text, partial(_names, text.text, language))
            counts.update(names.keys())
            uses = {**names, **uses}
        return [uses[name] for name, n in counts.most_common() if n >= _FEWEST]

    def _siblings(self, path: Path, language: Language) -> Sequence[Path]:
        """The files in the same folder that are called most like the document."""
        own, files = set(_WORDS.findall(path.stem)), self._definitions.files
        is_test = self._definitions.is_test(path, language)
        names = (it.name for it in files.listing(path.parent) if not it.is_dir and it.name.endswith(path.suffix))
        others = [path.with_name(name) for name in names if name != path.name]
        others.sort(key=lambda it: (-len(own.intersection(_WORDS.findall(it.stem))), it.name))
        alike = (it for it in others if self._definitions.is_test(it, language) == is_test)
        return list(islice(alike, _MOST_FILES))


def _is_looked_for(view: CursorView, use: NameUse) -> bool:
    """Whether it is no member of a value whose name many things have."""
    is_alone = use.head == "" or any(use.head == item.bound for item in view.imports)
    return is_alone or use.is_telling


def _line(definition: IndexedDefinition) -> str:
    return written(definition)[:_LONGEST_LINE]


def _uses(parsed: Parsed, part: int) -> Sequence[NameUse]:
    """The names in and around a part, those in its middle first."""
    language, start = parsed.language, max(0, part * PART - AROUND)
    every = parsed.snapshot.lines[start : (part + 1) * PART + AROUND]
    lines = [line if len(line) <= _LONGEST_READ else "" for line in every]
    code = "\n".join(lines)
    middle = len("\n".join(lines[: part * PART + PART // 2 - start]))
    return sorted(_uses_of(code, language), key=lambda use: abs(use.start - middle))


def _names(code: str, language: Language) -> dict[str, NameUse]:
    """Each name of some code once, as one that stands alone if it does somewhere."""
    return {use.name: use for use in sorted(_uses_of(code, language), key=lambda use: use.head == "")}


def _uses_of(code: str, language: Language) -> Iterator[NameUse]:
    """The uses of names, without those that are too short to tell anything and those that a model knows."""
    known = names_that_come_with(language)
    for use in name_uses(code, language.lexical, language.member_marks):
        if len(use.name) >= _SHORTEST and use.name not in known:
            yield use


def _own(parsed: Parsed) -> frozenset[str]:
    """What the file itself defines and binds, but for what it imports."""
    bound = bound_in(parsed, 0, parsed.snapshot.line_count) - {item.bound for item in imports(parsed)}
    return frozenset(bound | {scope.name for scope in scopes(parsed)})
