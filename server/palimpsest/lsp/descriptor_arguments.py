"""What the commands for descriptors are called with.

In: nothing.  Out: dataclasses, with the names of the formats.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

from palimpsest.conversations.descriptors.reader import Wanted, name_of_unit
from palimpsest.errors import InvalidArgument
from palimpsest.json_data import Range
from palimpsest.lsp.arguments import Between, Count
from palimpsest.lsp.refs import Line
from palimpsest.workspace.changes import Mode

CONTEXT = 2
"""Lines around a match."""
LONGEST_CONTEXT = 100


@dataclass(frozen=True, slots=True)
class Create:
    """`uri` names a document or file, of which `range` is the part; else `content` is the text.  `language`: where
    neither says it.  `tell`: the person is told its id."""

    conversation: str
    content: str = ""
    uri: str = ""
    range: Between | None = None
    source: str = ""
    name: str = ""
    language: str = ""
    tell: bool = False


@dataclass(frozen=True, slots=True)
class Of:
    """One by its id or its name."""

    conversation: str
    fd: str = ""
    name: str = ""

    @property
    def which(self) -> str:
        if not (self.fd or self.name):
            raise InvalidArgument("fd", "is missing: the id or the name of the descriptor.")
        return self.fd or self.name


@dataclass(frozen=True, slots=True)
class Read(Of):
    page: Line | None = None
    read_all: bool = False
    start_line: Line | None = None
    end_line: Line | None = None
    start_char: Count | None = None
    end_char: Count | None = None
    unit: str = ""
    index: Count | None = None
    name_of_unit: str = ""
    extract: bool = False

    @property
    def wanted(self) -> Wanted:
        return Wanted(
            self.page, self.read_all, self.start_line, self.end_line, self.start_char, self.end_char, self.unit,
            self.index, name_of_unit(self.fd, self.name, self.unit, self.name_of_unit),
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Search(Of):
    query: str = ""
    regex: bool = False
    case_sensitive: bool = False
    context: Annotated[int, Range(0, LONGEST_CONTEXT)] = CONTEXT


@dataclass(frozen=True, slots=True)
class Rename:
    """One, or several by `names`, from ids to names."""

    conversation: str
    fd: str = ""
    name: str = ""
    names: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Close:
    conversation: str
    fd: str = ""
    fds: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Section(Of):
    ref_id: str = ""


@dataclass(frozen=True, slots=True)
class Mark(Section):
    start_line: Line | None = None
    end_line: Line | None = None

    @property
    def lines(self) -> tuple[int, int]:
        if self.start_line is None or self.end_line is None:
            missing = "start_line" if self.start_line is None else "end_line"
            raise InvalidArgument(missing, "is missing: the first and the last line of the section, from 1.")
        return self.start_line, self.end_line


@dataclass(frozen=True, slots=True)
class Write(Of):
    file_path: str = ""
    mode: Mode = "write"
    insert_at_line: Line | None = None
    overwrite: bool = False
    ask: bool = False
