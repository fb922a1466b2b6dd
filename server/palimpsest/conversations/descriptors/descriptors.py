"""The descriptors of conversations: long texts under short ids, read in parts.

In: texts, whole or as they come.  Out: descriptors, and any part of them.  Owner of the tables `descriptor` and
`section`, which has named parts.  The text is in `Contents`, stored once.  Ids are `fd-1`, `fd-2`, … in each
conversation, and never used again.
"""

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from palimpsest.conversations.contents import Contents
from palimpsest.conversations.descriptors.addresses import (
    COLUMNS,
    DEFAULT_PAGE_SIZE,
    Addressed,
    addressed,
    is_free,
    of_row,
)
from palimpsest.conversations.descriptors.pretty import pretty_printed
from palimpsest.conversations.descriptors.reader import PARAGRAPH, Match, PageReading, PartWanted, StoredText, no_such
from palimpsest.conversations.descriptors.searching import places
from palimpsest.conversations.refs.kinds import language_name
from palimpsest.conversations.store.database import Database
from palimpsest.errors import AlreadyExists, InvalidArgument, NotFound
from palimpsest.text.tokens import masked

LONGEST_NAME = 100
MOST_CONTEXT = 50
LOOKED_AT = 20_000
"""Characters of a text that are looked at to tell its language."""


@dataclass(frozen=True, slots=True)
class Descriptor:
    """What is known of a text without reading it.  `created` is in seconds since 1970."""

    id: str
    name: str
    source: str
    language: str
    created: float
    page_size: int
    pages: int
    total_lines: int
    n_chars: int
    hash: str
    summary: str = ""


@dataclass(frozen=True, slots=True)
class SearchResult:
    """`count` lines, of which `matches` are the first."""

    fd: str
    query: str
    count: int
    matches: tuple[Match, ...]


@dataclass(frozen=True, slots=True)
class DescriptorSection:
    """Lines from 1, both included, of the descriptor with the id `fd`."""

    fd: str
    name: str
    start_line: int
    end_line: int
    created: float


class Descriptors:
    def __init__(self, database: Database, contents: Contents) -> None:
        self._database = database
        self._contents = contents

    def create(
        self,
        conversation_id: str,
        text: str | Iterable[str],
        source: str = "",
        name: str = "",
        language: str = "",
        *,
        page_size: int = DEFAULT_PAGE_SIZE,
        pretty: bool = False,
    ) -> Descriptor:
        """Make a descriptor of a text; of secrets in a whole one, `...` is kept.  `pretty`: JSON on one line is read on
        lines, and still kept as it was given."""
        original = None
        if isinstance(text, str):
            text = given = masked(text)
            if pretty and (text := pretty_printed(given)) != given:
                original = self._contents.put(given).hash
        hash = self._contents.put(text).hash
        StoredText(self._database, self._contents, Addressed("", hash, page_size)).count_pages()  # now, not when read
        with self._database.transaction() as rows:
            if name:
                self._check_name(conversation_id, name)
            row = rows.execute("SELECT n_descriptors FROM conversation WHERE id = ?", (conversation_id,)).fetchone()
            if row is None:
                raise NotFound("conversation", f"there is no conversation {conversation_id[:40]!r}.")
            id = f"fd-{row['n_descriptors'] + 1}"
            rows.execute("UPDATE conversation SET n_descriptors = n_descriptors + 1 WHERE id = ?", (conversation_id,))
            rows.execute(
                f"INSERT INTO descriptor ({COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0, '', ?)",
                (conversation_id, id, name, hash, source, language, time.time(), page_size, original),
            )
        return self.get(conversation_id, id)

    def get(self, conversation_id: str, fd: str) -> Descriptor:
        """The descriptor of an id, name or address.  Raises NotFound, which names those there are."""
        return self._described(addressed(self._database, conversation_id, fd))

    def list(self, conversation_id: str) -> Sequence[Descriptor]:
        """The descriptors that are open, the oldest first."""
        records = self._database.rows(
            f"SELECT {COLUMNS} FROM descriptor WHERE conversation = ? AND NOT closed"
            " ORDER BY CAST(substr(id, 4) AS INTEGER)",
            (conversation_id,),
        )
        return [self._described(of_row(row)) for row in records]

    def read(
        self, conversation_id: str, fd: str, wanted: PartWanted | None = None, *, most: int | None = None
    ) -> PageReading:
        """A part, of `most` characters at most; the first page where nothing is wanted."""
        at, wanted = addressed(self._database, conversation_id, fd), wanted or PartWanted()
        language = "" if wanted.unit in ("", PARAGRAPH) else self._language(at)
        return self._stored(at).read(language, wanted, most)

    def extract(self, conversation_id: str, fd: str, wanted: PartWanted) -> Descriptor:
        """A part as a descriptor of its own."""
        at = addressed(self._database, conversation_id, fd)
        part = self.read(conversation_id, fd, wanted)
        source = f"{at.id}:{part.first_line}-{part.last_line}"
        language = self._language(at)
        return self.create(conversation_id, part.content, source, "", language, page_size=at.page_size)

    def language(self, conversation_id: str, fd: str) -> str:
        """What was said of it, else what its source or its text tells; "" for nothing."""
        return self._language(addressed(self._database, conversation_id, fd))

    def id_of(self, conversation_id: str, fd: str) -> str:
        """The id of what has this id, name or address."""
        return addressed(self._database, conversation_id, fd).id

    def text(self, conversation_id: str, fd: str) -> str:
        """All of it, as it was given."""
        at = addressed(self._database, conversation_id, fd)
        return self._contents.text(at.original or at.hash)

    def beginning(self, conversation_id: str, fd: str, n_chars: int) -> str:
        return self._contents.slice(addressed(self._database, conversation_id, fd).hash, 0, n_chars)

    def search(
        self,
        conversation_id: str,
        fd: str,
        query: str,
        *,
        regex: bool = False,
        case_sensitive: bool = False,
        context: int = 2,
        limit: int = 50,
    ) -> SearchResult:
        """Lines with the query, each with the lines around it."""
        at = addressed(self._database, conversation_id, fd)
        lines = places(self._contents.pieces(at.hash), query, regex=regex, case_sensitive=case_sensitive)
        stored = self._stored(at)
        matches = tuple(stored.match(place, context) for place in lines.found[:limit])
        return SearchResult(at.id, query, lines.count, matches)

    def rename(self, conversation_id: str, names: Mapping[str, str]) -> Sequence[Descriptor]:
        """All or none.  An empty name takes the name away."""
        with self._database.transaction() as rows:
            known = {fd: self._own(conversation_id, fd) for fd in names}
            rows.executemany(  # names may be exchanged
                "UPDATE descriptor SET name = '' WHERE conversation = ? AND id = ?",
                [(conversation_id, at.id) for at in known.values()],
            )
            for fd, name in names.items():
                if name:
                    self._check_name(conversation_id, name, known[fd].id)
                rows.execute(
                    "UPDATE descriptor SET name = ? WHERE conversation = ? AND id = ?",
                    (name, conversation_id, known[fd].id),
                )
        return [self.get(conversation_id, at.id) for at in known.values()]

    def close(self, conversation_id: str, fds: Sequence[str]) -> Sequence[str]:
        """All or none; their ids.  They are not found any more, and what read them stays as it is."""
        with self._database.transaction() as rows:
            ids = list(dict.fromkeys(self._own(conversation_id, fd).id for fd in fds))
            rows.executemany(
                "UPDATE descriptor SET closed = 1 WHERE conversation = ? AND id = ?",
                [(conversation_id, id) for id in ids],
            )
        return ids

    def set_summary(self, conversation_id: str, fd: str, summary: str) -> Descriptor:
        with self._database.transaction() as rows:
            at = self._own(conversation_id, fd)
            rows.execute(
                "UPDATE descriptor SET summary = ? WHERE conversation = ? AND id = ?", (summary, conversation_id, at.id)
            )
        return self.get(conversation_id, at.id)

    def mark(self, conversation_id: str, fd: str, name: str, start_line: int, end_line: int) -> DescriptorSection:
        """Mark lines by a name; the same name again moves the mark.  Lines that are not there are refused."""
        at = self._own(conversation_id, fd)
        stored = self._stored(at)
        stored.line_bounds(start_line, end_line)
        if end_line > stored.info.n_lines:
            raise no_such("end_line", "line", end_line, stored.info.n_lines)
        if not name or len(name) > 200 or not name.isprintable():
            raise InvalidArgument("ref_id", f"{name[:40]!r} cannot be a section's name; give it a short one.")
        made = DescriptorSection(at.id, name, start_line, end_line, time.time())
        with self._database.transaction() as rows:
            rows.execute(
                "INSERT OR REPLACE INTO section (conversation, descriptor, name, start_line, end_line, created)"
                " VALUES (?, ?, ?, ?, ?, ?)",
                (conversation_id, at.id, name, start_line, end_line, made.created),
            )
        return made

    def section(self, conversation_id: str, fd: str, name: str, *, most: int | None = None) -> PageReading:
        known = self._section(conversation_id, fd, name)
        return self.read(
            conversation_id, known.fd, PartWanted(start_line=known.start_line, end_line=known.end_line), most=most
        )

    def sections(self, conversation_id: str, fd: str) -> Sequence[DescriptorSection]:
        """The sections of a descriptor, in the order of their lines."""
        id = self._own(conversation_id, fd).id
        records = self._database.rows(
            "SELECT name, start_line, end_line, created FROM section WHERE conversation = ? AND descriptor = ?"
            " ORDER BY start_line, end_line, name",
            (conversation_id, id),
        )
        return [DescriptorSection(id, *row) for row in records]

    def unmark(self, conversation_id: str, fd: str, name: str) -> DescriptorSection:
        with self._database.transaction() as rows:
            gone = self._section(conversation_id, fd, name)
            rows.execute(
                "DELETE FROM section WHERE conversation = ? AND descriptor = ? AND name = ?",
                (conversation_id, gone.fd, name),
            )
        return gone

    def _section(self, conversation_id: str, fd: str, name: str) -> DescriptorSection:
        """Raises NotFound, which names those there are."""
        known = self.sections(conversation_id, fd)
        section = next((one for one in known if one.name == name), None)
        if section is None:
            hint = f"There are: {', '.join(one.name for one in known[:30])}." if known else "It has none."
            id = self._own(conversation_id, fd).id
            raise NotFound("ref_id", f"there is no section {name[:60]!r} in {id}.", hint=hint)
        return section

    def _own(self, conversation_id: str, fd: str) -> Addressed:
        """A descriptor, not a turn, result or ref."""
        at = addressed(self._database, conversation_id, fd)
        if not at.is_descriptor:
            raise InvalidArgument("fd", f"{fd} is no descriptor of its own.", hint="Read it with extract=True first.")
        return at

    def _check_name(self, conversation_id: str, name: str, own: str = "") -> None:
        if len(name) > LONGEST_NAME or not name.isprintable() or name != name.strip() or not is_free(name):
            raise InvalidArgument("name", f"{name[:40]!r} cannot be a name; give a short one that is no id.")
        if any(one.name == name and one.id != own for one in self.list(conversation_id)):
            raise AlreadyExists("name", f"another descriptor is called {name!r} already.")

    def _described(self, at: Addressed) -> Descriptor:
        stored = self._stored(at)
        return Descriptor(
            at.id, at.name, at.source, at.language, at.created, at.page_size, stored.count_pages(), stored.info.n_lines,
            stored.info.n_chars, at.hash, at.summary,
        )  # fmt: skip

    def _stored(self, at: Addressed) -> StoredText:
        return StoredText(self._database, self._contents, at)

    def _language(self, at: Addressed) -> str:
        path = at.source.partition(":")[2]
        begin = self._contents.slice(at.hash, 0, LOOKED_AT)
        if len(begin) == LOOKED_AT:  # amid a statement
            begin = begin.rpartition("\n\n")[0] or begin
        return language_name(begin, {"lang": at.language, "path": path})
