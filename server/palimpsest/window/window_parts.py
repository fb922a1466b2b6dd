"""Which parts of a window start over when a setting or a folder changes.

In: the settings before and after.  Out: names of parts.  A table and a comparison; makes nothing.

A part that is named loses its state.  Everything else goes on: documents, pins, blocks from agents, ids of suggestions
and next edits, statistics, and the engine.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from palimpsest.config.settings import Settings

WindowPart = Literal[
    "engine", "sources", "index", "switches", "completions", "next_edits", "statistics", "documents", "log"
]
FOLDERS = "folders"
"""The workspace's folders, as if they were a section of the settings."""
MADE_OF: Mapping[WindowPart, frozenset[str]] = {
    "engine": frozenset({"engine", "model", "next_edit"}),
    "sources": frozenset({"context"}),  # which folders they look into comes with each cursor
    "index": frozenset({"index", "context", FOLDERS}),
    "switches": frozenset({"completion", "suggestion", "next_edit", FOLDERS}),
    "completions": frozenset({"completion"}),
    "next_edits": frozenset({"context", FOLDERS}),
    "statistics": frozenset({"statistics"}),
    "documents": frozenset({"context", "documents", FOLDERS}),
    "log": frozenset({"log"}),
}

READ_EACH_TIME = frozenset({"conversation", "file_descriptor"})
"""Sections that no part keeps anything of."""


def stale_parts(before: Settings, after: Settings, *, folders: bool) -> frozenset[WindowPart]:
    """The parts that depend on a section that differs; `folders`: whether the workspace's folders differ."""
    sections = {name for name in Settings.__slots__ if getattr(before, name) != getattr(after, name)}
    changed = sections | ({FOLDERS} if folders else set())
    return frozenset(part for part, made_of in MADE_OF.items() if made_of & changed)
