"""Named parts of descriptors.

In: lines of a descriptor, a name.  Out: sections.  Owner of the table `section`.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass

from palimpsest.conversations.store.database import Database
from palimpsest.errors import InvalidArgument, NotFound


@dataclass(frozen=True, slots=True)
class DescriptorSection:
    """Lines from 1, both included, of the descriptor with the id `fd`."""

    fd: str
    name: str
    start_line: int
    end_line: int
    created: float


class Sections:
    def __init__(self, database: Database) -> None:
        self._database = database

    def mark(self, conversation_id: str, fd: str, name: str, start_line: int, end_line: int) -> DescriptorSection:
        """Mark lines by a name; the same name again moves the mark."""
        if not name or len(name) > 200 or not name.isprintable():
            raise InvalidArgument("ref_id", f"{name[:40]!r} cannot be a section's name; give it a short one.")
        made = DescriptorSection(fd, name, start_line, end_line, time.time())
        with self._database.transaction() as rows:
            rows.execute(
                "INSERT OR REPLACE INTO section (conversation, descriptor, name, start_line, end_line, created)"
                " VALUES (?, ?, ?, ?, ?, ?)",
                (conversation_id, fd, name, start_line, end_line, made.created),
            )
        return made

    def list(self, conversation_id: str, fd: str) -> Sequence[DescriptorSection]:
        """The sections of a descriptor, in the order of their lines."""
        records = self._database.rows(
            "SELECT name, start_line, end_line, created FROM section WHERE conversation = ? AND descriptor = ?"
            " ORDER BY start_line, end_line, name",
            (conversation_id, fd),
        )
        return [DescriptorSection(fd, *row) for row in records]

    def get(self, conversation_id: str, fd: str, name: str) -> DescriptorSection:
        """Raises NotFound, which names those there are."""
        known = self.list(conversation_id, fd)
        section = next((one for one in known if one.name == name), None)
        if section is None:
            hint = f"There are: {', '.join(one.name for one in known[:30])}." if known else "It has none."
            raise NotFound("ref_id", f"there is no section {name[:60]!r} in {fd}.", hint=hint)
        return section

    def unmark(self, conversation_id: str, fd: str, name: str) -> DescriptorSection:
        with self._database.transaction() as rows:
            gone = self.get(conversation_id, fd, name)
            rows.execute(
                "DELETE FROM section WHERE conversation = ? AND descriptor = ? AND name = ?",
                (conversation_id, fd, name),
            )
        return gone
