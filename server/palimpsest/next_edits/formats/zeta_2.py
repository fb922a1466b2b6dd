"""Pure: the format of Zeta 2, Zed's second model for next edits (Seed-Coder 8B, the suffix first).

The window stands like one side of a merge conflict, and the answer is the other.  It is the lines around the cursor, as
many as a number of tokens allows: it grows from the cursor's line up and down, then to the ends of the nodes that fit,
then on by lines.  Tokens are bytes by three, as Zed counts them.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import ClassVar

from palimpsest.next_edits.formats.format import (
    EMPTY,
    FilePart,
    NextEditFormat,
    NextEditPrompt,
    PastChange,
    PromptPiece,
    Rows,
    WindowAnswer,
    WindowRequest,
    ended,
    marked,
    unended,
)
from palimpsest.text.positions import utf8

SUFFIX, PREFIX, MIDDLE = "<[fim-suffix]>", "<[fim-prefix]>", "<[fim-middle]>"
FILE = "<filename>"
CURSOR = "<|user_cursor|>"
START, SEPARATOR, END = "<<<<<<< CURRENT", "=======", ">>>>>>> UPDATED"
END_OF_TEXT = "<[end▁of▁sentence]>"
NOTHING = ("NO_EDITS", "KEEP_PREVIOUS")
"""What the model says where it changes nothing."""
MOST_CHANGES = 6
MOST_TOKENS = 4096 * 9 // 10
"""A prompt has at most this many tokens, as `n_tokens` counts."""
EDITABLE, CONTEXT = 350, 150
BYTES_PER_TOKEN = 3


class Zeta2(NextEditFormat):
    name = "zeta-2"
    stops: ClassVar[tuple[str, ...]] = (END, END_OF_TEXT)
    tokens = (SUFFIX, PREFIX, MIDDLE, FILE)
    marks: ClassVar[tuple[str, ...]] = (
        SUFFIX,
        PREFIX,
        MIDDLE,
        FILE,
        CURSOR,
        START,
        f"\n{SEPARATOR}\n",
        END,
        END_OF_TEXT,
    )
    most_tokens = MOST_TOKENS

    def window(self, lines: Sequence[str], line: int, syntax: Iterable[Rows]) -> tuple[range, range]:
        return region(lines, line, syntax)

    def _prompt(self, asked: WindowRequest) -> NextEditPrompt | None:
        """What has to be there comes first, then the newest changes, then the files, as far as there is room."""
        suffix, section = ended(f"{SUFFIX}{asked.after}"), self._section(asked)
        if n_tokens(f"{suffix}{PREFIX}{section}{MIDDLE}") > self.most_tokens:
            return None
        room = max(0, self.most_tokens - n_tokens(f"{suffix}{PREFIX}") - n_tokens(f"{section}{MIDDLE}"))
        changes = list(_changes(asked.changes, room))
        room -= n_tokens("".join(piece.text for piece in changes) + "\n")
        files = list(_files(asked.files, room))
        between = PromptPiece("text", "\n")
        return NextEditPrompt(
            (
                PromptPiece("text", f"{suffix}{PREFIX}"),
                *(files and [*files, between]),
                *(changes and [*changes, between]),
                PromptPiece("text", f"{section}{MIDDLE}"),
            )
        )

    def _section(self, asked: WindowRequest) -> str:
        window = ended(f"{asked.before}{START}\n{marked(asked.text, CURSOR, asked.offset)}")
        return f"{FILE}{asked.path}\n{window}{SEPARATOR}\n"

    def _read(self, asked: WindowRequest, prompt: NextEditPrompt, written: str) -> WindowAnswer:
        if written.strip() in NOTHING:
            return WindowAnswer(asked.text)
        if not written.strip():
            return EMPTY
        return WindowAnswer(unended(written, asked.text).replace(CURSOR, ""))


def _changes(changes: Sequence[PastChange], room: int) -> Iterator[PromptPiece]:
    """The history, the oldest first."""
    head, pieces = f"{FILE}edit_history\n", list[PromptPiece]()
    room -= n_tokens(head)
    for change in reversed(changes[-MOST_CHANGES:] if room > 0 else ()):
        accepted = "// User accepted prediction:\n" if change.accepted else ""
        written = f"{accepted}--- a/{change.path}\n+++ b/{change.path}\n{change.diff}"
        room -= n_tokens(written)
        if room < 0:
            break
        pieces.append(PromptPiece("text" if change.is_open else "change", written))
    if pieces:
        yield PromptPiece("text", head)
        yield from reversed(pieces)


def _files(files: Sequence[FilePart], room: int) -> Iterator[PromptPiece]:
    for part in files:
        head, text = f"{FILE}{part.path}\n", ended(part.text)
        room -= n_tokens(head) + n_tokens(text)
        if room < 0:
            return
        yield PromptPiece("file", f"{head}{text}")


def n_tokens(text: str) -> int:
    return len(utf8(text)) // BYTES_PER_TOKEN


def region(
    lines: Sequence[str], line: int, syntax: Iterable[Rows], editable: int = EDITABLE, context: int = CONTEXT
) -> tuple[range, range]:
    """The lines to rewrite, and all that are shown."""
    nodes, first = tuple(syntax), editable * 3 // 4
    growing = _Growing(lines, line, first)
    growing.evenly()
    growing.left += editable - first
    begun = growing.first, growing.last
    growing.to_nodes(nodes)
    growing.by_lines(up_first=begun[0] - growing.first <= growing.last - begun[1])
    window = range(growing.first, growing.last + 1)
    growing.left = context
    if not growing.to_nodes(nodes):
        growing.by_lines(up_first=True)
    return window, range(growing.first, growing.last + 1)


class _Growing:
    """Lines `first` to `last`, both included, and the tokens that are left for more."""

    def __init__(self, lines: Sequence[str], line: int, tokens: int) -> None:
        self._lines = lines
        self.first = self.last = line
        self.left = max(0, tokens - self._cost(line))

    def _cost(self, row: int) -> int:
        return max(1, n_tokens(self._lines[row]))

    def evenly(self) -> None:
        """Below and above in turn, until a line does not fit."""
        while self.left and (rows := list(self._next(up_first=False))):
            for row in rows:
                if self.left and not self._take(row):
                    return

    def by_lines(self, *, up_first: bool) -> None:
        """On either side as long as lines fit there."""
        begun = None
        while begun != (begun := (self.first, self.last)):
            for row in self._next(up_first=up_first):
                self._take(row)

    def to_nodes(self, nodes: Sequence[Rows]) -> bool:
        """To the ends of nodes, the smallest first, until one does not fit; whether any was larger and did."""
        begun, grew = (self.first, self.last), False
        for first, last in nodes:
            if first >= begun[0] and last <= begun[1]:
                continue
            rows = [*range(first, self.first), *range(self.last + 1, last + 1)]
            needed = sum(map(self._cost, rows)) if len(rows) <= self.left else self.left + 1
            if needed > self.left:
                break
            self.first, self.last = min(first, self.first), max(last, self.last)
            self.left, grew = self.left - needed, True
        return grew

    def _next(self, *, up_first: bool) -> Iterator[int]:
        rows = (self.first - 1, self.last + 1)
        return (row for row in (rows if up_first else rows[::-1]) if 0 <= row < len(self._lines))

    def _take(self, row: int) -> bool:
        cost = self._cost(row)
        if cost > self.left:
            return False
        self.first, self.last, self.left = min(row, self.first), max(row, self.last), self.left - cost
        return True
