"""Experiences: lasting facts, which stand in the system prompt of every conversation with the same memory key, or of
one conversation alone.

In: facts.  Out: those that were not forgotten, with ids that are never used again.
"""

import re
import time
from dataclasses import dataclass, replace

from palimpsest.conversations.store.database import Database
from palimpsest.errors import InvalidArgument, NotFound
from palimpsest.text.tokens import masked

MAIN = "main"
"""What conversations have unless another is asked for."""
_KEY = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
MOST_CHARS = 2_000
"""One experience has at most this many characters: each is read again with every turn."""


def checked_key(key: str) -> str:
    """Raises InvalidArgument."""
    if _KEY.fullmatch(key) is None:
        raise InvalidArgument("memory_key", f"{key[:40]!r}: letters, digits, '.', '_' and '-' are wanted, 64 at most.")
    return key


@dataclass(frozen=True, slots=True)
class Experience:
    id: str
    text: str
    created: float
    alone: bool = False
    """It is of one conversation: nobody has agreed that others have it, too."""


class Experiences:
    """Keeps experiences in a database, by memory key."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def remember(self, key: str, text: str, by: str = "", *, alone: bool = False) -> Experience:
        """What is remembered already keeps its id.  `by`: the conversation; `alone`: for that one only, unless it is
        remembered for all.  Raises InvalidArgument."""
        text, now = _checked(key, text), time.time()
        with self._database.transaction() as rows:
            known = next((one for one in self.list(key, by) if one.text == text), None)
            if known is not None and known.alone and not alone:
                number = _number(known.id)
                rows.execute("UPDATE experience SET own_to = '' WHERE memory_key = ? AND number = ?", (key, number))
                return replace(known, alone=False)
            if known is not None:
                return known
            (number,) = rows.execute(
                "SELECT COALESCE(MAX(number), 0) + 1 FROM experience WHERE memory_key = ?", (key,)
            ).fetchone()
            rows.execute(
                "INSERT INTO experience (memory_key, number, text, created, made_by, own_to) VALUES (?, ?, ?, ?, ?, ?)",
                (key, number, text, now, by, by if alone else ""),
            )
        return Experience(_id(number), text, now, alone)

    def forget(self, key: str, identity: str, by: str = "") -> Experience:
        """`by`: the conversation.  Raises NotFound, whose hint names those that there are."""
        with self._database.transaction() as rows:
            known = self.list(key, by)
            found = next((one for one in known if one.id == identity), None)
            if found is None:
                hint = f"There are {', '.join(one.id for one in known)}." if known else "There is none."
                raise NotFound("experience_id", f"there is no experience {identity[:40]!r}.", hint=hint)
            rows.execute(
                "UPDATE experience SET forgotten = 1, forgotten_by = ? WHERE memory_key = ? AND number = ?",
                (by, key, _number(found.id)),
            )
        return found

    def keys(self) -> list[str]:
        """Forks' own are not among them."""
        found = self._database.rows(
            "SELECT memory_key FROM experience UNION SELECT memory_key FROM conversation"
            " EXCEPT SELECT id FROM fork ORDER BY 1"
        )
        return [key for (key,) in found]

    def is_fork(self, key: str) -> bool:
        """Whether it is a fork's own, which no other conversation has."""
        return self._database.row("SELECT 1 FROM fork WHERE id = ?", (key,)) is not None

    def list(self, key: str, conversation: str = "") -> list[Experience]:
        """Of all, and of this conversation alone, in the order in which they were made."""
        found = self._database.rows(
            "SELECT number, text, created, own_to FROM experience WHERE memory_key = ? AND NOT forgotten"
            " AND own_to IN ('', ?) ORDER BY number",
            (key, conversation),
        )
        return [Experience(_id(row["number"]), row["text"], row["created"], bool(row["own_to"])) for row in found]

    def go_back(self, key: str, identities: set[str], by: str) -> None:
        """Of what this conversation remembered and forgot, only these count from now on (a checkpoint restored).  What
        others with the same key remembered or forgot since stays so; of older rows nobody knows whose they are."""
        marks = ", ".join("?" * len(identities))
        numbers = [_number(one) for one in identities]
        with self._database.transaction() as rows:
            rows.execute(
                "UPDATE experience SET forgotten = 1, forgotten_by = ? WHERE memory_key = ? AND NOT forgotten"
                f" AND made_by IN (?, '') AND number NOT IN ({marks})",
                (by, key, by, *numbers),
            )
            rows.execute(
                "UPDATE experience SET forgotten = 0 WHERE memory_key = ? AND forgotten_by IN (?, '')"
                f" AND number IN ({marks})",
                (key, by, *numbers),
            )


def _id(number: int) -> str:
    return f"exp_{number:03d}"


def _number(identity: str) -> int:
    return int(identity.removeprefix("exp_"))


def _checked(key: str, text: str) -> str:
    checked_key(key)
    text = masked(text.strip())
    if not text or len(text) > MOST_CHARS:
        raise InvalidArgument("text", f"1 to {MOST_CHARS} characters are wanted, not {len(text)}.")
    return text
