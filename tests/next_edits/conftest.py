"""A small workspace in memory, edited as text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from palimpsest.languages.registry import language_of
from palimpsest.next_edits.changes import EditPattern, Site
from palimpsest.next_edits.detect import changes
from palimpsest.next_edits.renaming import member_target
from palimpsest.next_edits.sites import is_local, places
from palimpsest.next_edits.targets import File, has_elsewhere
from palimpsest.syntax.parse import Parsed, parse_snapshot
from palimpsest.text.snapshot import Snapshot

SAMPLE = Path(__file__).parents[2] / "server" / "palimpsest" / "demo" / "sample"


def parsed(name: str, text: str) -> Parsed:
    language = language_of("", name)
    return parse_snapshot(Snapshot(f"file:///{name}", 1, language.id, text), language)


@dataclass
class Workspace:
    """`edit` changes one file as a person does; `changes` is what that amounts to."""

    texts: dict[str, str]
    edited: str = ""
    changes: tuple[EditPattern, ...] = ()
    before: dict[str, str] = field(default_factory=dict)

    def edit(self, name: str, *replaced: tuple[str, str]) -> Workspace:
        old = new = self.texts[name]
        for a, b in replaced:
            assert a in new, a
            new = new.replace(a, b, 1)
        self.changes = changes(parsed(name, old), parsed(name, new))
        self.texts[name], self.edited, self.before = new, name, dict(self.texts)
        return self

    def places(self) -> dict[str, list[Site]]:
        """By file; of all changes."""
        home = File(parsed(self.edited, self.texts[self.edited]), self.edited, True)
        files = [home, *(File(parsed(n, t), n, False) for n, t in self.texts.items() if n != self.edited)]
        found: dict[str, list[Site]] = {}
        for change in self.changes:
            member = member_target(change, home.parsed.language)
            alone = member is not None and not any(has_elsewhere(file.parsed, *member) for file in files)
            for file in [home] if is_local(change) else files:
                for place in places(change, home, file, alone=alone):
                    found.setdefault(file.name, []).append(place)
        return found

    def lines(self) -> list[str]:
        """The lines of all places as they would be, once each, with their file's name."""
        found = []
        for name, there in self.places().items():
            for place in there:
                after = applied(self.texts[name], [place]).encode()
                start = after.rfind(b"\n", 0, place.start) + 1
                found.append(f"{name}: {after[start:].decode().splitlines()[0].strip()}")
        return found

    def follow(self) -> Workspace:
        """Apply every place of every file."""
        for name, there in self.places().items():
            self.texts[name] = applied(self.texts[name], there)
        return self


def applied(text: str, there: list[Site]) -> str:
    data = text.encode()
    for place in sorted(there, key=lambda p: -p.start):
        assert data[place.start : place.end].decode() == place.before
        data = data[: place.start] + place.text.encode() + data[place.end :]
    return data.decode()


def workspace(texts: Mapping[str, str] | str) -> Workspace:
    return Workspace({"a.py": texts} if isinstance(texts, str) else dict(texts))


@pytest.fixture
def shop() -> Workspace:
    return workspace({p.relative_to(SAMPLE).as_posix(): p.read_text("utf-8") for p in sorted(SAMPLE.rglob("*.py"))})
