"""Values that several packages share: blocks, editing blocks, edits.

Out: immutable data.  Knows no file, token, editor or model.  A *block* is a piece of the prompt, a
*span* a range of positions in the cache.  All ranges are half-open.
"""

from dataclasses import dataclass, replace
from typing import Literal, NamedTuple, get_args

BlockType = Literal["filesystem", "class", "scope", "package", "documentation", "file", "recent"]
"""All types of blocks (docs/formats.md)."""
BLOCK_TYPES: tuple[BlockType, ...] = get_args(BlockType)
EditingType = Literal["function", "class", "file"]

HEADER = "<workspace>\n"
FOOTER = "</workspace>\n"
"""Before and behind the blocks of a workspace (docs/formats.md); the embedded model was never trained without them."""

CURSOR_MARKER = "<|FIM_MIDDLE|>"
"""Marks the cursor in the text of an editing block (docs/formats.md)."""

MARKUP = (
    HEADER.rstrip(), FOOTER.rstrip(), "<context", "</context>", "<editing", "</editing>", "<suggestion",
    "</suggestion>", "\n<summary>", "\n</summary>", CURSOR_MARKER,
)  # fmt: skip
"""Our markup, which a model that was trained on it may write instead of code.  Documentation of C# has summaries too,
but not at the beginning of a line."""


class BlockKey(NamedTuple):
    """Identifies a block among those of one request.

    To the engine it is one opaque string, `type:name`: `str(key)` writes it, `parse` reads it from an answer.
    """

    type: str
    name: str

    def __str__(self) -> str:
        return f"{self.type}:{self.name}"

    @classmethod
    def parse(cls, text: str) -> "BlockKey":
        """Of a text that is no block's key (a cache map's header), `type` is all of it and `name` is empty."""
        type, _, name = text.partition(":")
        return cls(type, name)


@dataclass(frozen=True, slots=True)
class Block:
    """A candidate or chosen `<context>` block.

    `text` is the content without tags and without a newline at its end.  Candidates with a higher `value` come first
    (`context/values.py`).  `uri` is the document that it is of, and that edits of an editable block change; `lines` are
    the document's line (0-based) for each line of `text`, or None for a line that is not in the document.  `source`
    names its origin.
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

    `number` is the `L<n>` it is shown with (1-based, rising), None for a line that replaces a body or a cut and
    cannot be edited.  `document_line` is its 0-based line in the document, or None.
    """

    text: str
    number: int | None
    document_line: int | None


@dataclass(frozen=True, slots=True)
class Editing:
    """The `<editing>` block at a cursor: the smallest reasonable piece of code, as docs/formats.md says.

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
        """The text before the cursor."""
        before = [line.text for line in self.lines[: self.cursor_line]]
        return "\n".join([*before, self.lines[self.cursor_line].text[: self.cursor_column]])

    @property
    def suffix(self) -> str:
        """The text behind the cursor."""
        after = [line.text for line in self.lines[self.cursor_line + 1 :]]
        return "\n".join([self.lines[self.cursor_line].text[self.cursor_column :], *after])

    @property
    def with_marker(self) -> str:
        return self.marked.text

    @property
    def marked(self) -> "Editing":
        """The editing block with the cursor marker in its line."""
        line, at = self.lines[self.cursor_line], self.cursor_column
        marked = replace(line, text=line.text[:at] + CURSOR_MARKER + line.text[at:])
        return replace(self, lines=(*self.lines[: self.cursor_line], marked, *self.lines[self.cursor_line + 1 :]))


@dataclass(frozen=True, slots=True)
class LineEdit:
    """Replace the document lines `start..end` (0-based, half-open) by `lines` (without line ends).

    `start == end` inserts before line `start`.
    """

    start: int
    end: int
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DocumentChange:
    """Edits of one document at `version`, sorted and without overlap.

    `names` are the blocks that the edits were written for.  The version of a file that is not open in the editor is
    negative and identifies its text (`edits/suggestions/files.py`).
    """

    uri: str
    version: int
    edits: tuple[LineEdit, ...]
    names: tuple[str, ...] = ()

    @property
    def is_open(self) -> bool:
        return self.version >= 0


@dataclass(frozen=True, slots=True)
class Proposal:
    """All edits of one reply, in any number of documents, applied together or not at all.

    `changes` contains each document once, first the cursor's.  `agreement` is the share of replies that make these
    edits (0 to 1), `logprob` the best mean log probability among them.  `flags` are remarks for the user (`unknown
    name: foo`).  `id` is empty until the proposal is offered (`edits/suggestions/proposals.py`).
    """

    changes: tuple[DocumentChange, ...]
    summary: str = ""
    agreement: float = 1.0
    flags: tuple[str, ...] = ()
    logprob: float = 0.0
    id: str = ""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a suggestion was not accepted, in words for the user."""

    name: str
    reason: str
