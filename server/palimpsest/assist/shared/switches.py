"""Where completions are off: by the settings, and by what a person switched while this window is open.

In: the settings, toggles.  Out: the reason why they are off in a document, or none.  Owner of the toggles.

The nearest toggle counts: the buffer's, then that of its innermost folder, of its language, of everything; without one,
the settings.  Switching everything removes the nearer toggles.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from palimpsest.config.settings import CompletionSettings
from palimpsest.errors import InvalidArgument
from palimpsest.text.documents import Documents
from palimpsest.text.patterns import Patterns
from palimpsest.text.roots import Roots
from palimpsest.text.snapshot import Snapshot
from palimpsest.text.uris import can_be_written, path_or_none

Scope = Literal["everywhere", "language", "folder", "buffer"]
SCOPES: tuple[Scope, ...] = ("everywhere", "language", "folder", "buffer")


@dataclass(slots=True)
class Toggles:
    """What was switched by hand; lasts as long as the window."""

    everywhere: bool | None = None
    languages: dict[str, bool] = field(default_factory=dict)
    folders: dict[Path, bool] = field(default_factory=dict)
    buffers: dict[str, bool] = field(default_factory=dict)


class Switches:
    """One window's."""

    def __init__(self, settings: CompletionSettings, roots: Roots, documents: Documents) -> None:
        self._settings, self._roots, self._documents = settings, roots, documents
        self._disabled = Patterns(settings.disabled_folders, "completion.disabled_folders")
        self._by_folder: dict[str, bool] = {}  # by URI: whether the setting names its folder
        self._toggles = Toggles()

    def continues(self, earlier: Switches) -> None:
        """The window goes on with other settings; what was switched by hand stands."""
        self._toggles = earlier._toggles

    def why_off(self, snapshot: Snapshot) -> str:
        """Why there is no completion in this document, in a person's words; "" where there is."""
        toggles, language = self._toggles, snapshot.language_id
        if not can_be_written(snapshot.uri):
            return "none in what is only shown"
        if (buffer := toggles.buffers.get(snapshot.uri)) is not None:
            return "" if buffer else "switched off in this buffer"
        if toggles.folders and (folder := _folder(snapshot.uri)) is not None:
            for around in (folder, *folder.parents):
                if (state := toggles.folders.get(around)) is not None:
                    return "" if state else f"switched off in {around.name or around}"
        if (state := toggles.languages.get(language)) is not None:
            return "" if state else f"switched off for {language}"
        everywhere = toggles.everywhere if toggles.everywhere is not None else self._settings.enabled
        if not everywhere:
            return "switched off" if toggles.everywhere is False else "off by completion.enabled"
        if language in self._settings.disabled_languages:
            return f"off for {language} by completion.disabled_languages"
        return "off here by completion.disabled_folders" if self._folder_disabled(snapshot.uri) else ""

    def toggle(self, scope: Scope, uri: str, enabled: bool | None) -> bool:
        """Switch, to the other state where `enabled` is None; the state that is now.  Raises InvalidArgument for a
        scope that wants a `uri` and has none, or one that is not open."""
        toggles = self._toggles
        if scope == "everywhere":
            now = toggles.everywhere if toggles.everywhere is not None else self._settings.enabled
            state = not now if enabled is None else enabled
            toggles.everywhere = state
            for nearer in (toggles.languages, toggles.folders, toggles.buffers):
                nearer.clear()
            return state
        if not uri:
            raise InvalidArgument("uri", f"is missing; a {scope} is switched by a document in it.")
        snapshot = self._documents.get(uri)
        state = bool(self.why_off(snapshot)) if enabled is None else enabled
        if scope == "buffer":
            toggles.buffers[uri] = state
        elif scope == "language":
            toggles.languages[snapshot.language_id] = state
        elif (folder := _folder(uri)) is not None:
            toggles.folders[folder] = state
        else:
            raise InvalidArgument("uri", f"{uri} is in no folder.", hint="Save it first.")
        return state

    def closed(self, uri: str) -> None:
        """A buffer that is closed is no buffer any more."""
        self._toggles.buffers.pop(uri, None)

    def _folder_disabled(self, uri: str) -> bool:
        if not self._disabled:
            return False
        if uri not in self._by_folder:
            folder, name = self._roots.locate(uri)
            self._by_folder[uri] = folder is not None and self._disabled.ignores(name)
        return self._by_folder[uri]


def _folder(uri: str) -> Path | None:
    path = path_or_none(uri)
    return path.parent if path is not None else None
