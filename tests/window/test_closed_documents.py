"""Nothing of a document is kept once it is closed, though what was under way still asks about it."""

from __future__ import annotations

import weakref
from pathlib import Path

from palimpsest.config.settings import Settings
from palimpsest.text.roots import Roots
from palimpsest.text.snapshot import Snapshot
from palimpsest.text.uris import to_uri
from palimpsest.window.privacy import Privacy
from palimpsest.workspace.gitignore import MOST_READ, IgnoreRules


class Text(str):
    """A text that can be watched."""


def test_the_text_of_a_closed_document_is_let_go(tmp_path: Path) -> None:
    privacy = Privacy(Settings, lambda: Roots((tmp_path,)))
    uri, text = to_uri(tmp_path / "a.py"), Text("x = 1\n")
    kept, snapshot = weakref.ref(text), Snapshot(uri, 1, "python", text)
    privacy.opened(snapshot, uri)
    assert privacy.why_not(snapshot) == ""
    privacy.closed(uri)
    assert privacy.why_not(snapshot) == ""
    del text, snapshot
    assert kept() is None


def test_rules_of_folders_that_nobody_asks_about_any_more_are_let_go(tmp_path: Path) -> None:
    rules = IgnoreRules(tmp_path)
    for n in range(MOST_READ):
        rules.ignored(tmp_path / f"folder{n}" / "a.py")
    rules.look_again()
    assert rules.ignored(tmp_path / "last" / "a.py") is False
    rules.look_again()
    # no door: what is kept takes memory only
    assert len(rules._read) < MOST_READ
