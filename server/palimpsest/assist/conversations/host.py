"""What a conversation needs of the place it is held in: a person who is asked, files that are written.

In: questions.  Out: answers.  An editor's window and an agent's connection are hosts.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePath
from typing import Literal, Protocol

from palimpsest.errors import Denied
from palimpsest.text.amounts import amount

WriteMode = Literal["write", "append", "insert"]


@dataclass(frozen=True, slots=True)
class Written:
    """What was written: `shown` is the path as people see it, sizes are those of the text."""

    shown: str
    bytes: int
    lines: int


def asking_to_write(path: str, text: str, mode: WriteMode, *, overwrite: bool) -> tuple[str, str]:
    """Before a model's call writes: the kind by which an answer is remembered, and the question.

    `path` is the real one, below the workspace's folder.  What is called with a dot in front says what editors, hooks
    and workflows run: an answer for other files does not hold for it."""
    lines = amount(len(text.splitlines()), "line")
    dotted = next((f" {part}" for part in PurePath(path).parts if part.startswith(".")), "")
    if mode == "write" and overwrite:
        return f"overwrite{dotted}", f"The model wants to replace what is in {path} by {lines}."
    how = {"write": "write {} to", "append": "append {} to", "insert": "insert {} in"}[mode]
    return f"write{dotted}", f"The model wants to {how.format(lines)} {path}."


class Host(Protocol):
    async def write_file(
        self,
        conversation: str,
        path: str,
        text: str,
        mode: WriteMode = "write",
        insert_at_line: int | None = None,
        *,
        overwrite: bool = False,
    ) -> Written:
        """Once the person has allowed it.

        Raises OutsideWorkspace, AlreadyExists, Denied, InvalidArgument, StorageError."""
        ...


class NoHost:
    """Where nobody can be asked."""

    async def write_file(
        self,
        conversation: str,
        path: str,
        text: str,
        mode: WriteMode = "write",
        insert_at_line: int | None = None,
        *,
        overwrite: bool = False,
    ) -> Written:
        raise Denied("Nobody can be asked whether a file may be written.")
