"""Fixtures of the languages' tests."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

import palimpsest.languages
from palimpsest.languages import registry
from palimpsest.syntax.parse import Language
from tests.context.context_workspace import Workspace


@pytest.fixture
def workspace(tmp_path: Path) -> Callable[..., Workspace]:
    """`workspace({"shop/cart.js": "…"})` → a workspace whose modules are read at once."""

    def make(files: Mapping[str, str], **settings: object) -> Workspace:
        root = tmp_path / "work"
        root.mkdir(exist_ok=True)
        made = Workspace(root, **settings)
        made.write(files)
        return made

    return make


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> Iterator[Language]:
    """The made-up language of `tests/languages/toy`, beside the real ones."""
    path = [*palimpsest.languages.__path__, str(Path(__file__).parent)]
    # no door: languages are those in our own package
    monkeypatch.setattr(palimpsest.languages, "__path__", path)
    registry.languages.cache_clear()
    yield registry.language_of("toy")
    registry.languages.cache_clear()
    for name in [name for name in sys.modules if name.startswith("palimpsest.languages.toy")]:
        del sys.modules[name]
