"""Fixtures of these tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest
from context_workspace import Workspace


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
