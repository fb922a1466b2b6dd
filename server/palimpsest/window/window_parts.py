"""Which parts of a window start over when a setting or a folder changes.

In: the settings before and after.  Out: names of parts, which each section declares.  Makes nothing.

A part that is named loses its state.  Everything else goes on: documents, pins, blocks from agents, ids of suggestions
and next edits, statistics, and the engine.
"""

from dataclasses import fields

from palimpsest.config.settings import Settings, WindowPart

OF_FOLDERS: frozenset[WindowPart] = frozenset({"index", "switches", "next_edits", "documents"})
"""Those that depend on which folders the workspace has."""


def stale_parts(before: Settings, after: Settings, *, folders: bool) -> frozenset[WindowPart]:
    """The parts that depend on a section that differs; `folders`: whether the workspace's folders differ."""
    changed = (it for it in fields(after) if getattr(before, it.name) != getattr(after, it.name))
    parts: frozenset[WindowPart] = frozenset().union(*(it.metadata["parts"] for it in changed))
    return parts | OF_FOLDERS if folders else parts
