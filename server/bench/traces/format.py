"""A recorded editing session: JSON lines, plain or compressed (`.gz`, `.xz`).

In: a file.  Out: a `Trace`, and back.  Knows no editor, no server and no git.

The first line holds `trace` (the format's version, 1), `name`, `made` (by what, for a reader) and `files`: the
workspace's files at the start, path to text, so that a trace replays anywhere.  Every other line is an event:

    {"do": "open", "file"}                                     the person turns to this file (opened when it is not)
    {"do": "cursor", "file", "line", "character"}              a jump: no edit moved the cursor there
    {"do": "edit", "file", "line", "character", "end_line", "end_character", "text"}
                                                               text for a range; the cursor is behind it then
    {"do": "yank", "file", "line", "end_line"}                 lines copied, `end_line` exclusive
    {"do": "save", "file"}                                     the text goes to disk
    {"do": "pause", "ms"}                                      nothing is done for that long
    {"do": "request"}                                          a completion at the cursor

Lines and characters count from 0; characters are UTF-16 code units, as in LSP.  Paths are relative, with `/`.
A file that `files` does not have is empty when it is first opened.
"""

from __future__ import annotations

import dataclasses
import gzip
import json
import lzma
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any, TypeVar

from palimpsest.errors import InvalidArgument
from palimpsest.json_data import from_json

VERSION = 1

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Open:
    file: str


@dataclass(frozen=True, slots=True)
class Cursor:
    file: str
    line: int
    character: int


@dataclass(frozen=True, slots=True)
class Edit:
    file: str
    line: int
    character: int
    end_line: int
    end_character: int
    text: str


@dataclass(frozen=True, slots=True)
class Yank:
    file: str
    line: int
    end_line: int


@dataclass(frozen=True, slots=True)
class Save:
    file: str


@dataclass(frozen=True, slots=True)
class Pause:
    ms: int


@dataclass(frozen=True, slots=True)
class Request:
    pass


Event = Open | Cursor | Edit | Yank | Save | Pause | Request
_KINDS: dict[str, type[Event]] = {
    "open": Open,
    "cursor": Cursor,
    "edit": Edit,
    "yank": Yank,
    "save": Save,
    "pause": Pause,
    "request": Request,
}
_NAMES = {kind: name for name, kind in _KINDS.items()}


@dataclass(frozen=True, slots=True)
class Trace:
    name: str
    files: Mapping[str, str]
    events: tuple[Event, ...]
    made: str = ""

    @property
    def n_requests(self) -> int:
        return sum(isinstance(event, Request) for event in self.events)


@dataclass(frozen=True, slots=True)
class _Head:
    trace: int
    name: str
    files: dict[str, Any] = field(default_factory=dict)
    made: str = ""


def read(path: Path) -> Trace:
    """Raises InvalidArgument that names the line and what is wrong with it."""
    try:
        with _opener(path)(path, "rt", encoding="utf-8", errors="surrogatepass") as file:
            text = file.read()
    except (OSError, EOFError, lzma.LZMAError, UnicodeError) as error:
        raise InvalidArgument("trace", f"{path} cannot be read: {error}") from None
    return parse(text, str(path))


def write(trace: Trace, path: Path) -> None:
    """The same trace is the same bytes."""
    raw = dump(trace).encode("utf-8", "surrogatepass")
    if path.suffix == ".gz":
        raw = gzip.compress(raw, mtime=0)
    elif path.suffix == ".xz":
        raw = lzma.compress(raw, preset=9 | lzma.PRESET_EXTREME)
    path.write_bytes(raw)


def dump(trace: Trace) -> str:
    head = {"trace": VERSION, "name": trace.name, "made": trace.made, "files": dict(trace.files)}
    return "".join(json.dumps(line) + "\n" for line in (head, *map(_line, trace.events)))


def parse(text: str, where: str = "trace") -> Trace:
    """Raises InvalidArgument."""
    lines = text.splitlines()
    if not lines:
        raise InvalidArgument("trace", f"{where} is empty.")
    head = _structured(lines[0], _Head, f"{where}:1")
    if head.trace != VERSION:
        raise InvalidArgument("trace", f"{where}:1 is of version {head.trace}; this reads version {VERSION}.")
    for path, content in head.files.items():
        _check_path(path, f"{where}:1")
        if not isinstance(content, str):
            raise InvalidArgument("files", f"{where}:1: {path} is no text.")
    return Trace(head.name, head.files, tuple(_events(lines[1:], where)), head.made)


def _line(event: Event) -> dict[str, Any]:
    return {"do": _NAMES[type(event)], **dataclasses.asdict(event)}


def _events(lines: list[str], where: str) -> Iterator[Event]:
    for number, line in enumerate(lines, start=2):
        place = f"{where}:{number}"
        data = _loaded(line, place)
        kind = _KINDS.get(data.get("do", ""))
        if kind is None:
            raise InvalidArgument("do", f"{place}: {data.get('do')!r} is none of {', '.join(_KINDS)}.")
        event: Event = _of(data, kind, place)
        if not isinstance(event, Pause | Request):
            _check_path(event.file, place)
        for name, value in dataclasses.asdict(event).items():
            if isinstance(value, int) and value < 0:
                raise InvalidArgument(name, f"{place}: {value} is below 0.")
        yield event


def _structured(line: str, wanted: type[T], place: str) -> T:
    return _of(_loaded(line, place), wanted, place)


def _loaded(line: str, place: str) -> dict[str, Any]:
    try:
        data = json.loads(line)
    except ValueError as error:
        raise InvalidArgument("trace", f"{place} is no JSON: {error}") from None
    if not isinstance(data, dict):
        raise InvalidArgument("trace", f"{place} is no JSON object.")
    return data


def _of(data: dict[str, Any], wanted: type[T], place: str) -> T:
    try:
        return from_json(data, wanted)
    except InvalidArgument as error:
        raise InvalidArgument(error.field, f"{place}: {error.message}") from None


def _check_path(path: str, place: str) -> None:
    pure = PurePosixPath(path)
    if not path or pure.is_absolute() or ".." in pure.parts or "\\" in path:
        raise InvalidArgument("file", f"{place}: {path!r} does not stay in the workspace.")


def _opener(path: Path) -> Callable[..., Any]:
    openers: dict[str, Callable[..., Any]] = {".gz": gzip.open, ".xz": lzma.open}
    return openers.get(path.suffix, open)
