"""What a conversation needs of the place it is held in: a person who is asked, files that are written.

In: questions.  Out: answers.  An editor's window and an agent's connection are hosts.  What a person allows or refuses
for good is kept for the folder that the file is in, until it is forgotten, and holds in every editor and for agents,
too.  Owner of the table `permission`.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Protocol

from palimpsest.conversations.store.database import Database
from palimpsest.errors import NotFound
from palimpsest.text.amounts import amount
from palimpsest.text.previews import preview
from palimpsest.workspace.changes import FileWrite
from palimpsest.workspace.places import around, shown
from palimpsest.workspace.writing import WrittenFile

ALLOWED, REFUSED = "allowed", "refused"


@dataclass(frozen=True, slots=True)
class WriteQuestion:
    """Before a model's call writes.  An answer for good is one to `what`, in the folder with the path `folder`, which
    the person reads as `here`.  `content`: the beginning of what would be written."""

    what: str
    folder: str
    here: str
    text: str
    content: str

    @property
    def answers(self) -> Mapping[str, str]:
        """By a word for each."""
        return {
            "allow": "Allow",
            "always": f"Always allow in {self.here}",
            "reject": "Do not allow",
            "never": f"Never allow in {self.here}",
        }


def asking_to_write(real: Path, roots: Sequence[Path], file: FileWrite, *, is_there: bool) -> WriteQuestion:
    """`real`: the place in the workspace, links resolved; `is_there`: whether a file is.  To make a new file, to add to
    one and to replace what is in one are asked apart.  What is called with a dot in front says what editors, hooks
    and workflows run: an answer for other files does not hold for it."""
    path, root = shown(real, roots), around(real, roots)
    lines = amount(len(file.text.splitlines()), "line")
    dotted = next((f" {part}" for part in PurePath(path).parts if part.startswith(".")), "")
    how = {"write": "write {} to", "append": "append {} to", "insert": "insert {} in"}[file.mode]
    what, question = "write", f"The model wants to {how.format(lines)} {path}."
    if is_there and file.mode != "write":
        what = "add"
    elif is_there:
        what, question = "overwrite", f"The model wants to replace what is in {path} by {lines}."
    here = PurePath(root.name, path).parent.as_posix()
    return WriteQuestion(what + dotted, str(real.parent), here, question, preview(file.text))


class Permissions:
    """One database's.  `folder`: the path of the folder that files are in, not of those below it; `what`: a word for
    the kind of thing, such as `write`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def answer(self, folder: str, what: str) -> bool | None:
        """None where the person is to be asked."""
        row = self._database.row("SELECT answer FROM permission WHERE folder = ? AND what = ?", (folder, what))
        return None if row is None else row["answer"] == ALLOWED

    def remember(self, folder: str, what: str, *, allowed: bool) -> None:
        with self._database.transaction() as rows:
            rows.execute(
                "INSERT INTO permission (folder, what, answer) VALUES (?, ?, ?)"
                " ON CONFLICT (folder, what) DO UPDATE SET answer = excluded.answer",
                (folder, what, ALLOWED if allowed else REFUSED),
            )

    def folders(self) -> Sequence[str]:
        """Those for which something was answered."""
        return [folder for (folder,) in self._database.rows("SELECT DISTINCT folder FROM permission ORDER BY 1")]

    def list(self, folder: str) -> dict[str, bool]:
        """What was answered for a folder."""
        found = self._database.rows("SELECT what, answer FROM permission WHERE folder = ? ORDER BY what", (folder,))
        return {row["what"]: row["answer"] == ALLOWED for row in found}

    def forget(self, folder: str, what: str) -> None:
        """The person is asked again.  Raises NotFound."""
        with self._database.transaction() as rows:
            gone = rows.execute("DELETE FROM permission WHERE folder = ? AND what = ?", (folder, what))
            if gone.rowcount == 0:
                known = ", ".join(self.list(folder)) or "nothing"
                raise NotFound(
                    "what", f"nothing is remembered of {what[:40]!r} in {folder}.", hint=f"There is {known}."
                )


async def is_allowed(
    permissions: Permissions, question: WriteQuestion, ask: Callable[[WriteQuestion], Awaitable[str]]
) -> bool:
    """`ask`: the word for the person's answer, "" for none.  They are asked once where the answer holds for good."""
    known = await asyncio.to_thread(permissions.answer, question.folder, question.what)
    if known is not None:
        return known
    answer = await ask(question)
    if answer in ("always", "never"):
        allowed = answer == "always"
        await asyncio.to_thread(permissions.remember, question.folder, question.what, allowed=allowed)
    return answer in ("allow", "always")


class Host(Protocol):
    async def write_file(self, conversation: str, file: FileWrite) -> WrittenFile:
        """Once the person has allowed it.

        Raises OutsideWorkspace, AlreadyExists, Denied, InvalidArgument, StorageError."""
        ...

    async def agrees(self, conversation: str, question: str, yes: str, no: str) -> bool:
        """Whether the person says yes; not where nobody can be asked."""
        ...
