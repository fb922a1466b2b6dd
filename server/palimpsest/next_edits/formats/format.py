"""Pure: what the formats of next-edit models have in common: what a model is asked, the prompt's pieces, its answer.

In: a window of a document, what was changed lately, other files.  Out: a `NextEditPrompt`, a `WindowAnswer`.  A format
knows no engine; its texts have LF alone.

A prompt is the text of its pieces, one after the other, as the model's makers write it.  Those of a kind are
independent sections that stay as they are while a person types; the rest, of kind "text", is what a keystroke changes.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, Literal

from palimpsest.text.snapshot import Position

Kind = Literal["text", "file", "change"]
Rows = tuple[int, int]
"""The first and the last line of something, both included."""
_RETURN, _ROW = re.compile(r"\r\n?"), re.compile(r"[^\n]*\n|[^\n]+")


@dataclass(frozen=True, slots=True)
class FilePart:
    """A file, or lines of it."""

    path: str
    text: str


@dataclass(frozen=True, slots=True)
class PastChange:
    """What was changed in a file; `diff` as `diffs.unified` writes it.

    `accepted`: it was proposed, and the person took it.  `is_open`: it may still go on.
    """

    path: str
    diff: str
    accepted: bool = False
    is_open: bool = False


@dataclass(frozen=True, slots=True)
class WindowRequest:
    """`window` are the lines of a document that the model rewrites, `around` those that it sees with them.

    `original` is the window's text before the newest change.  `changes` has the oldest first, and `files` come in the
    order of the prompt.
    """

    path: str
    lines: Sequence[str]
    window: range
    around: range
    cursor: Position
    original: str = ""
    files: tuple[FilePart, ...] = ()
    changes: tuple[PastChange, ...] = ()

    @property
    def text(self) -> str:
        """The window's, without the last line's end."""
        return "\n".join(self.lines[self.window.start : self.window.stop])

    @property
    def before(self) -> str:
        """What is seen above the window."""
        return "".join(f"{line}\n" for line in self.lines[self.around.start : self.window.start])

    @property
    def after(self) -> str:
        """What is seen below the window, from the end of its last line on."""
        return "".join(f"\n{line}" for line in self.lines[self.window.stop : self.around.stop])

    @property
    def offset(self) -> int:
        """Where the cursor is in the window's text."""
        above = self.lines[self.window.start : self.cursor.line]
        return sum(len(line) + 1 for line in above) + self.cursor.column


@dataclass(frozen=True, slots=True)
class PromptPiece:
    kind: Kind
    text: str


@dataclass(frozen=True, slots=True)
class NextEditPrompt:
    pieces: tuple[PromptPiece, ...]

    @property
    def text(self) -> str:
        return "".join(piece.text for piece in self.pieces)


@dataclass(frozen=True, slots=True)
class WindowAnswer:
    """The window's new text, or why there is none."""

    text: str = ""
    refused: str = field(default="", kw_only=True)


CUT_OFF = WindowAnswer(refused="it was cut off")
EMPTY = WindowAnswer(refused="it is empty")
LEAKED = WindowAnswer(refused="it has a mark of the format in it")


class NextEditFormat(ABC):
    """One way to ask for a next edit."""

    name: ClassVar[str]
    stops: ClassVar[tuple[str, ...]]
    """Texts at which an answer ends; they are no part of it."""
    tokens: ClassVar[tuple[str, ...]]
    """Texts of the prompt's own that are special tokens of the model's vocabulary."""
    marks: ClassVar[tuple[str, ...]]
    """Texts that mean something to the model.  Where a document has one, it would be taken for the prompt's own."""

    @abstractmethod
    def window(self, lines: Sequence[str], line: int, syntax: Iterable[Rows]) -> tuple[range, range]:
        """What the model rewrites with the cursor in this line, and what it sees around that.  `syntax`: the lines of
        the tree's nodes around the cursor, innermost first.  An empty window: nothing can be asked here."""

    def prompt(self, asked: WindowRequest) -> NextEditPrompt | None:
        """None where the window cannot be asked about; files and changes that have marks are left out."""
        if any(self._has_mark(text) for text in (asked.path, asked.text, asked.original)):
            return None
        if self._has_mark(f"{asked.before}{asked.after}"):
            return None
        return self._prompt(
            replace(
                asked,
                files=tuple(part for part in asked.files if not self._is_marked(part)),
                changes=tuple(it for it in asked.changes if not self._has_mark(f"{it.path}\n{it.diff}")),
            )
        )

    def read(self, asked: WindowRequest, prompt: NextEditPrompt, written: str, *, is_whole: bool) -> WindowAnswer:
        """What a model wrote behind the prompt.  `is_whole`: it ended by itself, or at one of `stops`."""
        written = _RETURN.sub("\n", written)
        end = min((at for stop in self.stops if (at := written.find(stop)) >= 0), default=len(written))
        if not is_whole and end == len(written):
            return CUT_OFF
        answer = self._read(asked, prompt, written[:end])
        return LEAKED if not answer.refused and self._has_mark(answer.text) else answer

    @abstractmethod
    def _prompt(self, asked: WindowRequest) -> NextEditPrompt | None: ...

    @abstractmethod
    def _read(self, asked: WindowRequest, prompt: NextEditPrompt, written: str) -> WindowAnswer: ...

    def _is_marked(self, part: FilePart) -> bool:
        return self._has_mark(f"{part.path}\n{part.text}")

    def _has_mark(self, text: str) -> bool:
        return any(mark in text for mark in self.marks)


def rows(text: str) -> list[str]:
    """Its lines with their ends, which are LF alone: form feeds and Unicode separators are ordinary characters."""
    return _ROW.findall(text)


def ended(text: str) -> str:
    """With a line end at its end."""
    return text if text.endswith("\n") else f"{text}\n"


def unended(answer: str, window: str) -> str:
    """An answer to a window that was shown `ended`, with the line ends that the window has at its end."""
    return ended(answer) if window.endswith("\n") else answer.removesuffix("\n")


def marked(text: str, mark: str, at: int) -> str:
    return f"{text[:at]}{mark}{text[at:]}"
