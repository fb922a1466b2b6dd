"""The values that rooms hand to one another: blocks, editing blocks, edits.

In: nothing.  Out: immutable data.  This room knows no file, no token, no editor and no model.
Names follow DESIGN's words: a *block* is a piece of prompt, a *span* a range of positions in the cache.
Every range is half-open.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, NamedTuple, get_args

BlockType = Literal["filesystem", "class", "scope", "package", "documentation", "file", "recent"]
"""What a block may hold: the one list of it (FORMATS.md)."""
BLOCK_TYPES: tuple[BlockType, ...] = get_args(BlockType)
EditingType = Literal["function", "class", "file"]

HEADER = "<workspace>\n"
FOOTER = "</workspace>\n"
"""Around all blocks of a workspace (FORMATS.md): the embedded model never saw a prompt without them."""

CURSOR_MARKER = "<|FIM_MIDDLE|>"
"""Stands where the cursor is in an editing block that a model or a person reads (FORMATS.md)."""

MARKUP = (
    HEADER.rstrip(), FOOTER.rstrip(), "<context", "</context>", "<editing", "</editing>", "<suggestion",
    "</suggestion>", "\n<summary>", "\n</summary>", CURSOR_MARKER,
)  # fmt: skip
"""What is our own markup and no code; a model that was trained on it may go on with it.  Documentation of C# has
summaries too, but not at the beginning of a line."""


class BlockKey(NamedTuple):
    """What a block is known by, unique among the blocks of one request.

    To the engine it is one opaque string, `type:name`: `str(key)` writes it, `parse` reads it from an answer.
    """

    type: str
    name: str

    def __str__(self) -> str:
        return f"{self.type}:{self.name}"

    @classmethod
    def parse(cls, text: str) -> BlockKey:
        """Of what is no block's key (a cache map's header), `type` is the whole and `name` empty."""
        type, _, name = text.partition(":")
        return cls(type, name)


@dataclass(frozen=True, slots=True)
class Block:
    """One candidate or chosen `<context>` block.

    `text` is verbatim content without the surrounding tags and without a newline at its end.
    `value` orders candidates, higher first; what it weighs is the source's business (see
    `context/choice/selection.py`).  `uri` is the document that an edit of an editable block goes to,
    `lines` the document line (0-based) of each line of `text`, or None for a line of no document line.
    """

    type: BlockType
    name: str
    text: str
    value: float = 0.0
    editable: bool = False
    pinned: bool = False
    uri: str | None = None
    source: str = ""
    lines: tuple[int | None, ...] | None = None

    @property
    def key(self) -> BlockKey:
        return BlockKey(self.type, self.name)


@dataclass(frozen=True, slots=True)
class ShownLine:
    """One line of an editing block.

    `number` is the `L<n>` it is shown with (1-based, rising), None for a line that stands for a body
    or a cut and cannot be edited.  `document_line` is its 0-based line in the document, None where it
    stands for none.
    """

    text: str
    number: int | None
    document_line: int | None


@dataclass(frozen=True, slots=True)
class Editing:
    """The `<editing>` block at a cursor: the smallest reasonable piece of code, as FORMATS.md says.

    `cursor_line` indexes `lines`; `cursor_column` counts characters (code points) in that line's text.
    `file` is the path relative to the workspace with forward slashes, `name` the qualified name of the
    scope (`Cart.add`), for a file its module name or file name.
    """

    type: EditingType
    file: str
    name: str
    uri: str
    version: int
    lines: tuple[ShownLine, ...]
    cursor_line: int
    cursor_column: int

    @property
    def text(self) -> str:
        """The lines joined, unnumbered, without the cursor marker."""
        return "\n".join(line.text for line in self.lines)

    @property
    def prefix(self) -> str:
        """What stands before the cursor in this block."""
        before = [line.text for line in self.lines[: self.cursor_line]]
        return "\n".join([*before, self.lines[self.cursor_line].text[: self.cursor_column]])

    @property
    def suffix(self) -> str:
        """What stands after the cursor in this block."""
        after = [line.text for line in self.lines[self.cursor_line + 1 :]]
        return "\n".join([self.lines[self.cursor_line].text[self.cursor_column :], *after])

    @property
    def with_marker(self) -> str:
        return self.prefix + CURSOR_MARKER + self.suffix


@dataclass(frozen=True, slots=True)
class LineEdit:
    """Replace the document lines `start..end` (0-based, half-open) by `lines` (without line ends).

    `start == end` inserts before line `start`.
    """

    start: int
    end: int
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A checked suggestion for one document: what a code action applies.

    `name` is `editing` or the name of an editable block; `version` the document version it was made for;
    `before` the document lines each edit replaces, so that a rebase can tell whether they still stand.
    """

    name: str
    uri: str
    version: int
    edits: tuple[LineEdit, ...]
    before: tuple[tuple[str, ...], ...]
    summary: str = ""
    agreement: float = 1.0


@dataclass(frozen=True, slots=True)
class DocumentChange:
    """All that a proposal does to one document: edits of its lines at `version`, sorted and without overlap.

    `names` are the blocks it was written for; `before` are the lines that each edit replaces.  The version of a file
    that is not open in the editor is below 0 and tells one text from another (`assist/suggestions/files.py`).
    """

    uri: str
    version: int
    edits: tuple[LineEdit, ...]
    before: tuple[tuple[str, ...], ...]
    names: tuple[str, ...] = ()

    @property
    def is_open(self) -> bool:
        return self.version >= 0


@dataclass(frozen=True, slots=True)
class Proposal:
    """What is offered: all edits of one reply, over every document it touches, applied together or not at all.

    `changes` has each document once, the cursor's first.  `agreement` is the share of replies that make these edits
    (0 to 1), `logprob` the best mean log probability among them.  `flags` are remarks fit for a person (`unknown
    name: foo`).  `id` is empty as long as it was not given out (`assist/suggestions/proposals.py`).
    """

    changes: tuple[DocumentChange, ...]
    summary: str = ""
    agreement: float = 1.0
    flags: tuple[str, ...] = ()
    logprob: float = 0.0
    id: str = ""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a suggestion did not become an edit; the reason is fit for a person."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class Reading:
    """What a reply came to after reading and checking."""

    suggestions: tuple[Suggestion, ...] = ()
    refused: tuple[Refusal, ...] = ()
    summary: str = field(default="")
