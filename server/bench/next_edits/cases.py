"""Cases of next edits: what was edited, where the cursor is then, and what the document should become.

In: folders with the cases of cursortab.nvim's evaluation.  Out: `Case`s.  Its cases are text archives: a header of
`name: value` lines, then sections behind lines `-- name --`.

    buffer.txt  the document as it is when the next edit is asked for
    history     pieces of text before and after each edit that led to it, the oldest first
    expected    what it should become; a case without it is one in which nothing should be shown

`row` counts from 1, `col` from 0 and in bytes; `cursor-positions` has more of them, and each is a case.  A case that
names providers (`targets`) is for those alone and left out.  The steps of the others are alike: ask, and accept what is
shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from palimpsest.errors import InvalidArgument
from palimpsest.text.snapshot import Position

_SECTION = re.compile(r"^-- (\S.*?) --$", re.MULTILINE)
_EDIT = re.compile(r"^<\|file\|>[^\n]*\n<\|old\|>\n(.*?)^<\|new\|>\n(.*?)(?=^<\|file\|>|\Z)", re.MULTILINE | re.DOTALL)
SCENARIOS = "scenarios"


@dataclass(frozen=True, slots=True)
class Case:
    """`versions` of the document, the oldest first; about the last one it is asked.  `expected`: None where nothing
    should be shown.  `earlier` are pieces, before and after, that were edited in other places of the file, which the
    document does not show.  `folder` has what models have answered."""

    name: str
    file: str
    versions: tuple[str, ...]
    cursor: Position
    expected: str | None
    earlier: tuple[tuple[str, str], ...] = ()
    folder: Path | None = None

    @property
    def text(self) -> str:
        return self.versions[-1]

    @property
    def was_edited(self) -> bool:
        return bool(self.earlier) or len(self.versions) > 1


def lines_of(text: str) -> list[str]:
    """Without the empty line behind the last line's end."""
    return text.removesuffix("\n").split("\n") if text else []


def read(folder: Path) -> list[Case]:
    """Those of a checkout of cursortab.nvim, of its `server/eval`, or of a folder with such archives.  Raises
    InvalidArgument."""
    for place in (folder / "server" / "eval" / SCENARIOS, folder / SCENARIOS, folder):
        if archives := sorted(place.glob("*.txtar")):
            return [case for path in archives for case in of_archive(path)]
    raise InvalidArgument("--cases", f"{folder} has no cases (*.txtar).", hint="It is a checkout of cursortab.nvim.")


def of_archive(path: Path) -> list[Case]:
    """Raises InvalidArgument that names the file."""
    try:
        header, sections = _parsed(path.read_text(encoding="utf-8"))
        return [] if "targets" in header else list(_cases(path, header, sections))
    except (OSError, ValueError, KeyError) as error:
        raise InvalidArgument("--cases", f"{path.name} cannot be read: {error}.") from None


def _parsed(text: str) -> tuple[dict[str, str], dict[str, str]]:
    parts = _SECTION.split(text)
    header = dict(line.split(": ", 1) for line in parts[0].splitlines() if re.match(r"[\w-]+: ", line))
    return header, {name: body.removeprefix("\n") for name, body in zip(parts[1::2], parts[2::2], strict=True)}


def _cases(path: Path, header: Mapping[str, str], sections: Mapping[str, str]) -> Iterator[Case]:
    text = sections["buffer.txt"]
    earlier, versions = _history(text, sections.get("history", ""))
    name, row = header.get("id", path.stem), int(header.get("row", "1"))
    if not Path(header["file"]).parts or {"..", "/"} & set(Path(header["file"]).parts):
        raise ValueError(f"{header['file']!r} is no file of a workspace")
    case = Case(name, header["file"], versions, Position(0, 0), sections.get("expected"), earlier, path.with_suffix(""))
    places = [(row, int(header.get("col", "0")))]
    for written in filter(None, header.get("cursor-positions", "").replace(" ", "").split(",")):
        there = written.partition(":")
        places.append((int(there[0]), int(there[2])))
    for row, column in places:
        at = f"@{row}" if len(places) > 1 else ""
        yield replace(case, name=f"{name}{at}", cursor=_position(text, row - 1, column))


def _position(text: str, line: int, column: int) -> Position:
    lines = lines_of(text)
    if not 0 <= line < len(lines):
        raise ValueError(f"there is no line {line + 1}")
    before = lines[line].encode()[:column]
    return Position(line, len(before.decode(errors="ignore")))


def _history(text: str, written: str) -> tuple[tuple[tuple[str, str], ...], tuple[str, ...]]:
    """The edits of what the document does not show, and the document's versions: it is taken back edit by edit."""
    earlier, versions = list[tuple[str, str]](), [text]
    for old, new in reversed([(match[1], match[2]) for match in _EDIT.finditer(written)]):
        before = _taken_back(versions[0], old, new)
        if before is None:
            earlier.insert(0, (old, new))
        else:
            versions.insert(0, before)
    return tuple(earlier), tuple(versions)


def _taken_back(text: str, old: str, new: str) -> str | None:
    """None where `new`, whole lines, is not in the text."""
    at = f"\n{text}".find(f"\n{new}") if new.strip() else -1
    return None if at < 0 else f"{text[:at]}{old}{text[at + len(new) :]}"


def typed(case: Case) -> Case:
    """A case that begins with no edit, with the word before the cursor typed."""
    if case.was_edited:
        return case
    lines = case.text.split("\n")
    line, column = lines[case.cursor.line], case.cursor.column
    word = re.search(r"(\w+|.)\Z", line[:column])
    if word is None:
        return case
    lines[case.cursor.line] = line[: word.start()] + line[column:]
    return replace(case, versions=("\n".join(lines), case.text))
