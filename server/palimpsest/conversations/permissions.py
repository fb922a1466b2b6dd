"""A person's answers that hold for a folder from then on.

In: a folder, what was asked, the answer.  Out: the answer, until it is forgotten.  Owner of the table `permission`.
Asks nobody.
"""

from collections.abc import Sequence

from palimpsest.conversations.store.database import Database
from palimpsest.errors import NotFound

ALLOWED, REFUSED = "allowed", "refused"


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
