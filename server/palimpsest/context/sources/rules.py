"""`documentation` blocks: the project's rules for contributors (`AGENTS.md`, `.palimpsest/rules.md`).

In: a view, the Markdown and text files that the setting `context.rules` names in the document's workspace folder.
Out: a block for each, whole, or cut after a paragraph and marked `(...)`.
"""

import logging
from collections.abc import Iterator, Sequence
from pathlib import Path

from palimpsest.context.estimate import estimate, head
from palimpsest.context.sources.source import Source
from palimpsest.context.values import PER_RANK, RULES
from palimpsest.context.view import CursorView
from palimpsest.documents.markdown import fences
from palimpsest.text.tokens import masked_block
from palimpsest.types import Block
from palimpsest.workspace.files import WorkspaceFiles

log = logging.getLogger(__name__)

SUFFIXES = frozenset({".md", ".txt"})
"""Others are refused: a workspace's settings may name any of its files."""
MARK = "(...)"
"""Stands where a file goes on."""


class RulesSource(Source):
    name = "rules"
    setting = "documentation"

    def __init__(self, files: WorkspaceFiles) -> None:
        self._files = files
        self._logged: set[tuple[Path, str]] = set()

    def candidates(self, view: CursorView) -> list[Block]:
        root = view.root or (view.roots[0] if len(view.roots) == 1 else None)
        return self.of(root, view.settings.rules, view.settings.block_tokens) if root is not None else []

    def of(self, root: Path, names: Sequence[str], max_tokens: int) -> list[Block]:
        """The rules of one workspace folder, in the setting's order, each of at most `max_tokens`."""
        blocks = list[Block]()
        for rank, name in enumerate(dict.fromkeys(names)):
            lines = self._lines(root / name)
            if lines:
                text = "\n".join(cut(lines, max_tokens))
                blocks.append(Block("documentation", name, text, RULES - rank * PER_RANK, source=self.name))
        return blocks

    def _lines(self, path: Path) -> list[str]:
        source = self._files.source(path) if path.suffix.lower() in SUFFIXES else None
        if source is None:
            self._log_refusal(path)
            return []
        text = masked_block(source.text).strip().replace("\r\n", "\n")  # before a cut hides what a secret stands behind
        return text.split("\n") if text else []

    def _log_refusal(self, path: Path) -> None:
        """Log once that an existing file is not read; that there is no such file is the ordinary case."""
        if not self._files.is_there(path):
            return
        is_text = path.suffix.lower() in SUFFIXES
        reason = (self._files.why_not(path) or "is gone") if is_text else f"is none of {', '.join(sorted(SUFFIXES))}"
        if (path, reason) not in self._logged:
            self._logged.add((path, reason))
            log.warning("context.rules: %s %s.", path, reason)


def cut(lines: Sequence[str], max_tokens: int) -> list[str]:
    """The lines if they fit, else whole paragraphs and a mark; of a first paragraph that is too long, its first lines.

    A blank line inside fenced code ends no paragraph.
    """
    if len(first_lines := head(lines, max_tokens)) == len(lines):
        return first_lines
    room = head(lines, max_tokens - estimate(MARK + "\n"))
    behind = [number for number in _paragraph_ends(lines) if number <= len(room)]
    return [*lines[: behind[-1] if behind else len(room)], MARK]


def _paragraph_ends(lines: Sequence[str]) -> Iterator[int]:
    """The numbers of the lines behind each paragraph's last."""
    code = {number for fence in fences("\n".join(lines)) for number in fence.lines[:-1]}
    for number, line in enumerate(lines):
        ends = number + 1 == len(lines) or not lines[number + 1].strip()
        if line.strip() and ends and number not in code:
            yield number + 1
