"""Which parts of a window begin anew when a setting or a folder changes.

In: the settings before and after.  Out: names of parts.  Data and a comparison; makes nothing.

What is named here loses what it knew.  Everything else goes on: documents, pins, blocks put by agents, ids of
suggestions and next edits, statistics, and the engine.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from palimpsest.config.settings import Settings

WindowPart = Literal["engine", "sources", "switches", "completions", "finder", "proactive", "statistics", "log"]
FOLDERS = "folders"
"""Stands beside the names of sections."""
MADE_OF: Mapping[WindowPart, frozenset[str]] = {
    "engine": frozenset({"engine", "model"}),
    "sources": frozenset({"context"}),  # which folders they look into comes with each cursor
    "switches": frozenset({"completion", FOLDERS}),
    "completions": frozenset({"completion"}),
    "finder": frozenset({"context", FOLDERS}),
    "proactive": frozenset({"suggestion"}),
    "statistics": frozenset({"statistics"}),
    "log": frozenset({"log"}),
}


def stale_parts(before: Settings, after: Settings, *, folders: bool) -> frozenset[WindowPart]:
    """The parts that are made of something that differs; `folders`: whether the workspace's folders do."""
    sections = {name for name in Settings.__slots__ if getattr(before, name) != getattr(after, name)}
    changed = sections | ({FOLDERS} if folders else set())
    return frozenset(part for part, made_of in MADE_OF.items() if made_of & changed)
