"""`documentation` blocks: documents that comments and docstrings link to, `[[prices#Rounding]]`.

In: a view, the workspace's documents.  Out: a block for each link that means one document: its title and its first
paragraph (`docs/prices.md`), or the section of the heading that is named (`docs/prices.md#Rounding`).  A link that is
broken, or may mean several documents, gets none.  Documents are looked for in the background, and only where there are
links.
"""

import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from pathlib import Path

from palimpsest.context.estimate import head
from palimpsest.context.sources.answers import Answers
from palimpsest.context.sources.cached import ReadFiles
from palimpsest.context.sources.documentation import MAX_TOKENS
from palimpsest.context.sources.source import Source
from palimpsest.context.values import LINKED, PER_RANK
from palimpsest.context.view import CursorView
from palimpsest.documents.catalog import LOOK_S, DocumentCatalog
from palimpsest.documents.outline import Outline, is_markdown, outline
from palimpsest.documents.prose import prose_links
from palimpsest.documents.wikilinks import SUFFIXES, Found, Link, links, resolve
from palimpsest.newest import Newest
from palimpsest.syntax.parse import Parsed
from palimpsest.syntax.scopes import children, docstring
from palimpsest.text.uris import path_or_none, to_uri
from palimpsest.types import Block
from palimpsest.workspace.files import WorkspaceFiles

MOST_LINKS = 4
_MOST_KEPT = 32
Target = tuple[str, str]
"""A document's path, and a heading in it or ""."""


class LinkedSource(Source):
    """`own` are looked at by this source's thread alone."""

    name = "linked"
    setting = "documentation"

    def __init__(self, read: ReadFiles, own: WorkspaceFiles, executor: Executor | None) -> None:
        self._look_s = 0.0 if executor is None else LOOK_S
        self._read = read
        self._catalog = DocumentCatalog(own, self._look_s)
        self._answers = Answers[tuple[Path, str, tuple[Link, ...]], tuple[Target, ...]](self._resolve, executor, ())
        self.readers = (self._answers,)
        self._outlines = Newest[Path, tuple[Sequence[str], Outline]](_MOST_KEPT)

    def candidates(self, view: CursorView) -> list[Block]:
        named = tuple(dict.fromkeys(link.unplaced for link in _links(view)))[:MOST_LINKS]
        if view.root is None or not named:
            return []
        time_of = int(time.monotonic() / LOOK_S) if self._look_s else time.monotonic_ns()
        targets = self._answers.ask((view.root, view.file, named), time_of)
        blocks = [self._block(view, view.root, *target, rank) for rank, target in enumerate(targets)]
        return [block for block in blocks if block is not None]

    def still_valid(self, block: Block, view: CursorView) -> bool:
        """While the document says the same."""
        path = path_or_none(block.uri or "")
        if view.root is None or path is None or not path.is_relative_to(view.root):
            return False
        document = path.relative_to(view.root).as_posix()
        now = self._block(view, view.root, document, block.name[len(document) + 1 :], 0)
        return now is not None and now.text == block.text

    def _resolve(self, question: tuple[Path, str, tuple[Link, ...]]) -> tuple[Target, ...]:
        root, near, named = question
        documents, targets = self._catalog.documents(root), dict[Target, None]()
        for link in named:
            meant = resolve(link, near, documents)
            if isinstance(meant, Found) and meant.document.path != near:
                targets[meant.document.path, meant.heading.title if meant.heading is not None else ""] = None
        return tuple(targets)

    def _block(self, view: CursorView, root: Path, document: str, heading: str, rank: int) -> Block | None:
        path = root / document
        lines = self._read.lines(path)
        if not lines or path == view.path:
            return None
        section = _lines_to_show(lines, self._outline(path, lines), heading)
        numbers = section[: len(head([lines[n] for n in section], min(MAX_TOKENS, view.settings.block_tokens)))]
        while numbers and not lines[numbers[-1]].strip():
            numbers.pop()
        if not numbers:
            return None
        return Block(
            "documentation",
            f"{document}#{heading}" if heading else document,
            "\n".join(lines[n] for n in numbers),
            LINKED - rank * PER_RANK,
            editable=True,
            uri=to_uri(path),
            source=self.name,
            lines=tuple(numbers),
        )

    def _outline(self, path: Path, lines: Sequence[str]) -> Outline:
        known = self._outlines.get(path)
        if known is None or known[0] is not lines:
            known = self._outlines[path] = lines, outline("\n".join(lines), path.name)
        return known[1]


def _lines_to_show(lines: Sequence[str], known: Outline, heading: str) -> list[int]:
    """The lines of the section, or of the title and the first paragraph."""
    if heading:
        section = next((one for one in (*known.headings, *known.blocks) if one.title == heading), None)
        if section is None:
            return []
        has_own = any(lines[n].strip() for n in range(section.start + 1, section.inner_end))
        return list(range(section.start, section.inner_end if has_own else section.end))
    start, end = known.summary
    title = [known.headings[0].start] if known.headings and known.headings[0].start < start else []
    return [*title, *range(start, end)]


def _links(view: CursorView) -> Iterator[Link]:
    """The links in the comments and docstrings that the editing block shows; in a document, all that it shows."""
    if view.path is not None and view.path.suffix.lower() in SUFFIXES:
        yield from (prose_links if is_markdown(view.path.name) else links)(view.editing.text)
        return
    if "[[" in view.parsed.snapshot.text:
        for text in _prose(view.parsed, view):
            yield from links(text)


def _prose(parsed: Parsed, view: CursorView) -> Iterator[str]:
    visible_lines = view.shown_lines
    if visible_lines:
        for node in parsed.captures("comments", min(visible_lines), max(visible_lines) + 1).get("comment", ()):
            if not visible_lines.isdisjoint(range(node.start_point.row, node.end_point.row + 1)):
                yield parsed.text_of(node)
    for scope in [view.scope, *children(parsed, view.scope)]:
        if scope is view.scope or scope.def_line in visible_lines:
            yield docstring(parsed, scope) or ""
