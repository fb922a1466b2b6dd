"""Pure: the format of Zeta 2, Zed's second model for next edits (Seed-Coder 8B, the suffix first).

The window stands like one side of a merge conflict, and the answer is the other.
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
from palimpsest.next_edits.formats.regions import n_tokens, region

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
