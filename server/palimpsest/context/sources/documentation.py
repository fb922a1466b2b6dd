"""`documentation` blocks: the module's documentation, and the README's sections about it.

In: a view, the workspace's README files.  Out: the module's docstring (`module shop.cart`) and the sections of
the README (`README.md#Usage`) that mention the module or what the editing block uses.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

from palimpsest.context.estimate import head
from palimpsest.context.sources.modules import ModulesByLanguage
from palimpsest.context.sources.source import Source, is_among
from palimpsest.context.values import MODULE_DOCUMENTATION, PER_RANK, README_SECTION
from palimpsest.context.view import CursorView
from palimpsest.documents.markdown import lines_of
from palimpsest.documents.outline import heading_marks
from palimpsest.syntax.scopes import docstring, enclosing, file_scope
from palimpsest.text.uris import to_uri
from palimpsest.types import Block
from palimpsest.workspace.files import WorkspaceFiles
from palimpsest.workspace.kept import Kept

MAX_SECTIONS = 2
MAX_TOKENS = 250
_SHORTEST_WORD = 4
_NAMES = frozenset({"readme.md", "readme.rst", "readme.txt", "readme"})
_UNDERLINE = re.compile(r"^([=\-~^\"'`#*+.:_])\1{2,}\s*$")
_WORD = re.compile(r"[^\W\d]\w*")


@dataclass(frozen=True, slots=True)
class DocumentSection:
    """`lines` with the heading and up to the next one of whatever level; the first is line `start` of the document."""

    title: str
    lines: tuple[str, ...]
    words: frozenset[str]
    start: int = 0


class DocumentationSource(Source):
    name = "documentation"
    setting = "documentation"

    def __init__(self, files: WorkspaceFiles, modules: ModulesByLanguage) -> None:
        self._files = files
        self._modules = modules
        self._sections = Kept[Path, list[DocumentSection]]()

    def candidates(self, view: CursorView) -> list[Block]:
        return [*self._docstring(view), *self._readme(view)]

    def still_valid(self, block: Block, view: CursorView) -> bool:
        """While the text is still there."""
        return is_among(block, [*self._docstring(view), *(known for _, known in self._blocks(view))])

    def _docstring(self, view: CursorView) -> Iterator[Block]:
        if view.scope.kind == "file":
            return  # the editing block of a file shows it
        text = docstring(view.parsed, file_scope(view.parsed)) or ""
        name = self._modules.name_of(view)
        lines = head(text.strip().split("\n"), min(MAX_TOKENS, view.settings.block_tokens))
        if any(lines):
            yield Block("documentation", f"module {name}", "\n".join(lines), MODULE_DOCUMENTATION, source=self.name)

    def _readme(self, view: CursorView) -> list[Block]:
        relevant = self._relevant_words(view)
        scored = [
            (len(section.words & relevant), -at, block)
            for at, (section, block) in enumerate(self._blocks(view))
            if section.words & relevant
        ]
        best = sorted(scored, key=lambda item: item[:2], reverse=True)[:MAX_SECTIONS]
        return [replace(b, value=README_SECTION - rank * PER_RANK) for rank, (_, _, b) in enumerate(best)]

    def _relevant_words(self, view: CursorView) -> frozenset[str]:
        """Words of a relevant section: the module, the scopes around the cursor, names used there."""
        own = {scope.name for scope in enclosing(view.scope) if scope.name}
        if view.path is not None:
            own |= {self._modules.name_of(view).removesuffix(view.path.suffix).rpartition(".")[2], view.path.name}
        used = {name for name in view.used if len(name) >= _SHORTEST_WORD}
        return frozenset(own | used) - view.parsed.language.common_words

    def _blocks(self, view: CursorView) -> Iterator[tuple[DocumentSection, Block]]:
        """Every section of the READMEs from the file's folder up, as a block."""
        if view.path is None or view.root is None:
            return
        max_tokens = min(MAX_TOKENS, view.settings.block_tokens)
        for folder in [view.path.parent, *view.path.parent.parents]:
            if not folder.is_relative_to(view.root):
                return
            for entry in self._files.listing(folder):
                if entry.name.lower() in _NAMES and not entry.is_dir:
                    path = folder / entry.name
                    name = path.relative_to(view.root).as_posix()
                    for section in self._read(path):
                        yield section, self._block(path, name, section, max_tokens)

    def _block(self, path: Path, document: str, section: DocumentSection, max_tokens: int) -> Block:
        """A section as far as tokens go, which is a range of its document; its value depends on the other sections."""
        lines = head(section.lines, max_tokens)
        while lines and not lines[-1].strip():
            lines.pop()
        return Block(
            "documentation",
            f"{document}#{section.title}",
            "\n".join(lines),
            editable=bool(lines),
            uri=to_uri(path),
            source=self.name,
            lines=tuple(range(section.start, section.start + len(lines))),
        )

    def _read(self, path: Path) -> list[DocumentSection]:
        source = self._files.source(path)
        if source is None:
            return []
        return self._sections.get(path, source, lambda: sections(source.text, path.name))


def sections(text: str, name: str = "") -> list[DocumentSection]:
    """The sections of a document, each without its subsections; text before the first heading is left out."""
    lines, found_sections = lines_of(text), list[DocumentSection]()
    for (mark, title, _), (behind, _, _) in pairwise([*heading_marks(text, name), (range(len(lines), 0), "", 0)]):
        start, body = mark.start, lines[mark.start : behind.start]
        while body and not body[-1].strip():
            body.pop()
        words = frozenset(_WORD.findall("\n".join(body)))
        if len(body) > 1 and any(line.strip() and not _UNDERLINE.match(line) for line in body[1:]):
            found_sections.append(DocumentSection(title, tuple(body), words, start))
    return found_sections
