"""Fixtures of these tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest
from context_workspace import Workspace

from palimpsest.context.sources import filesystem
from palimpsest.workspace import files


@pytest.fixture(autouse=True)
def time_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy machine lists no fewer files."""
    for bounded in (files, filesystem):
        # no door: how long a listing may take is nobody's to set
        monkeypatch.setattr(bounded, "MOST_S", 600.0)


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Callable[..., Workspace]]:
    """`workspace({"shop/cart.py": "…"}, block_tokens=…)` → Workspace."""
    every = list[Workspace]()

    def make(files: Mapping[str, str] = {}, **settings: object) -> Workspace:
        root = tmp_path / "work"
        root.mkdir(exist_ok=True)
        made = Workspace(root, **settings)
        every.append(made)
        made.write(files)
        return made

    yield make
    for made in every:
        for reader in made.index.readers:
            reader.close()
