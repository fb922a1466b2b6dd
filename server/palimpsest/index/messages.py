"""What the server and the process that builds the index say to each other, a line of JSON each.

In: messages.  Out: lines, and messages again.  Both ends are of one installation: a line that is none is an error.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, get_args

from palimpsest.index.rows import DefinitionRow, FileRows, ImportRow


@dataclass(frozen=True, slots=True)
class BeginIndex:
    """The first message to the process: which folders, and how much of them.  `exclude`: what never enters a block;
    `unindexed`: what only the index leaves out."""

    roots: tuple[str, ...]
    cache: str
    exclude: tuple[str, ...] = ()
    unindexed: tuple[str, ...] = ()
    max_files: int = 0
    max_file_bytes: int = 0


@dataclass(frozen=True, slots=True)
class Look:
    """These files or folders may have changed; without any, everything may have."""

    paths: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Read:
    """What is in this text of an open document?"""

    path: str
    version: int
    language_id: str
    text: str


@dataclass(frozen=True, slots=True)
class CheckIndex:
    """The database of a folder could not be read: is it damaged?"""

    root: str


@dataclass(frozen=True, slots=True)
class IndexOpened:
    """A folder's database can be asked.  `complete`: it was built to its end before."""

    root: str
    database: str
    complete: bool


@dataclass(frozen=True, slots=True)
class Building:
    """So many files of a folder have been read, of those that have to be."""

    root: str
    done: int
    total: int


@dataclass(frozen=True, slots=True)
class Built:
    """A folder's index is complete.  `read` files were new or changed; `left_out`: how many for which reason."""

    root: str
    files: int
    read: int
    seconds: float
    left_out: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class IndexChanged:
    """Rows of a folder's files have changed."""

    root: str


@dataclass(frozen=True, slots=True)
class Failed:
    """There will be no index of a folder from this process; `why` is a sentence."""

    root: str
    why: str


@dataclass(frozen=True, slots=True)
class Rows:
    """The answer to `Read`; without the hashes of words."""

    path: str
    version: int
    rows: FileRows


@dataclass(frozen=True, slots=True)
class IndexLogLine:
    """A line for the log, with its level."""

    level: int
    text: str


Asked = BeginIndex | Look | Read | CheckIndex
Told = IndexOpened | Building | Built | IndexChanged | Failed | Rows | IndexLogLine
_KINDS: Mapping[str, Callable[..., Any]] = {kind.__name__: kind for kind in get_args(Asked | Told)}


def line_of(message: Asked | Told) -> bytes:
    data = {name: getattr(message, name) for name in type(message).__slots__}
    if isinstance(message, Rows):
        rows = message.rows
        data["rows"] = [rows.language, rows.definitions, rows.packages, rows.imports]
    return json.dumps([type(message).__name__, data]).encode() + b"\n"


def asked(line: bytes) -> Asked:
    """What a line of the server says.  Raises ValueError, KeyError or TypeError for a line that is none."""
    message: Asked = _message(line)
    return message


def told(line: bytes) -> Told:
    """What a line of the process says.  Raises like `asked`."""
    message: Told = _message(line)
    return message


def _message(line: bytes) -> Any:
    name, data = json.loads(line)
    if name == Rows.__name__:
        language, definitions, packages, imports = data["rows"]
        data["rows"] = FileRows(
            language,
            tuple(DefinitionRow(*row) for row in definitions),
            tuple(packages),
            tuple(ImportRow(*row) for row in imports),
            None,
        )
    fields = {key: tuple(value) if isinstance(value, list) else value for key, value in data.items()}
    return _KINDS[name](**fields)
