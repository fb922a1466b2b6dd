"""Which entries of a crowded folder are shown: those nearest to one of them.

In: a folder's entries, the name of one, a number.  Out: at most that many entries.  The entries of the same kind
(folders, or files with the same suffix) are divided into pages in order of their names, and the page with the name is
shown, then what shares a stem with an entry of the page, folders, and the first others.  So the answer is the same for
all names of a page, and most often while a person works on related files.
"""

from __future__ import annotations

from collections.abc import Sequence

from palimpsest.workspace.files import Entry

_OF_OTHERS = 4
"""One entry in so many is of another kind."""


def nearest(entries: Sequence[Entry], name: str, most: int) -> list[Entry]:
    """At most `most` of the entries, sorted as they are; `name` need not be among them, "" is before all others."""
    if len(entries) <= most:
        return list(entries)
    there = next((entry for entry in entries if entry.name == name), None)
    kind = _kind(there) if there is not None else (False, _suffix(name))
    kin = [entry for entry in entries if _kind(entry) == kind] if name else list(entries)
    others = [entry for entry in entries if _kind(entry) != kind] if name else []
    page = _page(kin, name, max(1, most - min(len(others), most // _OF_OTHERS)))
    stems = {_stem(entry.name) for entry in page}
    others.sort(key=lambda entry: (_stem(entry.name) not in stems, not entry.is_dir))
    shown = {entry.name for entry in [*page, *others[: most - len(page)]]}
    return [entry for entry in entries if entry.name in shown]


def _page(kin: list[Entry], name: str, size: int) -> list[Entry]:
    """The last page is filled from the one before."""
    before = sum(entry.name < name for entry in kin)
    start = max(0, min(before // size * size, len(kin) - size))
    return kin[start : start + size]


def _kind(entry: Entry) -> tuple[bool, str]:
    return entry.is_dir, "" if entry.is_dir else _suffix(entry.name)


def _suffix(name: str) -> str:
    return name[1:].rpartition(".")[2].lower() if "." in name[1:] else ""


def _stem(name: str) -> str:
    return name[:1] + name[1:].partition(".")[0]
