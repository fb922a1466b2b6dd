"""A workspace's memory: its owners by name, on one database.

In: the database's file.  Out: the owners.  Closed by who opened it.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from palimpsest.conversations.checkpoints import ConversationCheckpoints
from palimpsest.conversations.compaction.compactions import Compactions
from palimpsest.conversations.contents import Contents
from palimpsest.conversations.conversations import Conversations
from palimpsest.conversations.descriptors.descriptors import Descriptors
from palimpsest.conversations.documents.document_references import DocumentReferences
from palimpsest.conversations.experiences import Experiences
from palimpsest.conversations.forks import Forks
from palimpsest.conversations.host import Permissions
from palimpsest.conversations.refs.refs import Refs
from palimpsest.conversations.store.database import Database
from palimpsest.conversations.store.write_queue import LateWrites, WriteQueue
from palimpsest.conversations.temp_files import TempFiles
from palimpsest.conversations.turns import Turns
from palimpsest.errors import StorageError


@dataclass(frozen=True, slots=True)
class Memory:
    """Every owner is safe to use from any thread.  What changes something may wait for another process; on an event
    loop, `writes` runs it."""

    database: Database
    writes: WriteQueue
    late: LateWrites
    contents: Contents
    conversations: Conversations
    turns: Turns
    experiences: Experiences
    compactions: Compactions
    refs: Refs
    descriptors: Descriptors
    temp_files: TempFiles
    permissions: Permissions
    documents: DocumentReferences
    forks: Forks
    checkpoints: ConversationCheckpoints

    @classmethod
    def open(cls, path: Path) -> Memory:
        """What was being written by processes that have died is settled; as soon as it can be, where another process
        writes.  Raises StorageError."""
        database = Database(path)
        contents, experiences = Contents(database), Experiences(database)
        conversations = Conversations(database, contents)
        memory = cls(
            database=database,
            writes=WriteQueue(),
            late=LateWrites(),
            contents=contents,
            conversations=conversations,
            turns=Turns(database, contents),
            experiences=experiences,
            compactions=Compactions(database, experiences),
            refs=Refs(database, contents),
            descriptors=Descriptors(database, contents),
            temp_files=TempFiles(database, contents),
            permissions=Permissions(database),
            documents=DocumentReferences(database),
            forks=Forks(database, contents, conversations),
            checkpoints=ConversationCheckpoints(database, conversations, experiences, contents),
        )
        try:
            with database.at_once():
                memory.settle()
        except StorageError:
            memory.writes.soon(memory.settle)
        return memory

    def settle(self) -> None:
        """What processes that have died were writing stays as far as it came; a text that is not whole goes."""
        self.contents.settle()
        self.turns.settle()
        self.forks.settle()

    def close(self) -> None:
        """What is under way is written first."""
        self.late.close()
        self.writes.close()
        self.database.close()
