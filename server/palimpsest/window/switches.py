"""Where a feature is off: by the settings, and by what a person switched while this window is open.

In: the settings, toggles.  Out: the reason why a feature is off in a document, or none.  Owner of the toggles.

The nearest toggle counts: the buffer's, then that of its innermost folder, of its language, of everything; without one,
the settings.  Switching everything removes the nearer toggles.
"""

import asyncio
import time
from dataclasses import dataclass, field
from math import ceil
from pathlib import Path
from typing import Literal

from palimpsest.config.settings import CompletionSettings, NextEditSettings, Settings, SuggestionSettings
from palimpsest.errors import InvalidArgument
from palimpsest.text.documents import Documents
from palimpsest.text.patterns import Patterns
from palimpsest.text.roots import Roots
from palimpsest.text.snapshot import Snapshot
from palimpsest.text.uris import can_be_written, path_or_none
from palimpsest.window.events import Events, FeatureSwitched, StatusChanged, WindowClosing

Scope = Literal["everywhere", "language", "folder", "buffer"]
Feature = Literal["completion", "suggestion", "nextEdit"]

MINUTES = 5.0
"""Unless a person says otherwise."""
MOST_MINUTES = 24 * 60.0
COUNTED_S = 5.0
"""Seconds after which it is told again what is left."""


_FeatureSettings = CompletionSettings | SuggestionSettings | NextEditSettings


@dataclass(slots=True)
class Toggles:
    """What was switched by hand; lasts as long as the window."""

    everywhere: bool | None = None
    languages: dict[str, bool] = field(default_factory=dict)
    folders: dict[Path, bool] = field(default_factory=dict)
    buffers: dict[str, bool] = field(default_factory=dict)


class Switches:
    """The toggles of all features, and why one is off in a document."""

    def __init__(self, settings: Settings, roots: Roots, documents: Documents) -> None:
        self._documents = documents
        self._features = {
            "completion": _Switches("completion", settings.completion, roots),
            "suggestion": _Switches("suggestion", settings.suggestion, roots),
            "nextEdit": _Switches("next_edit", settings.next_edit, roots),
        }

    def continues(self, earlier: "Switches") -> None:
        """The window goes on with other settings; what was switched by hand stands."""
        for feature, switches in self._features.items():
            switches.toggles = earlier._features[feature].toggles

    def why_off(self, snapshot: Snapshot, feature: Feature = "completion") -> str:
        """Why a feature is off in this document, in a person's words; "" where it is on."""
        return self._features[feature].why_off(snapshot)

    def toggle(self, feature: Feature, scope: Scope, uri: str, enabled: bool | None) -> bool:
        """Switch, to the other state where `enabled` is None; the state that is now.  Raises InvalidArgument for a
        scope that wants a `uri` and has none, or one that is not open."""
        switches = self._features[feature]
        if scope == "everywhere":
            return switches.toggle_everything(enabled)
        if not uri:
            raise InvalidArgument("uri", f"is missing; a {scope} is switched by a document in it.")
        return switches.toggle(scope, self._documents.get(uri), enabled)

    def closed(self, uri: str) -> None:
        """A buffer that is closed is no buffer any more."""
        for switches in self._features.values():
            switches.toggles.buffers.pop(uri, None)


class _Switches:
    """The toggles of one feature, whose settings are in `section`."""

    def __init__(self, section: str, settings: _FeatureSettings, roots: Roots) -> None:
        self._section, self._settings, self._roots = section, settings, roots
        self._disabled = Patterns(settings.disabled_folders, f"{section}.disabled_folders")
        self._by_folder: dict[str, bool] = {}  # by URI: whether the setting names its folder
        self.toggles = Toggles()

    def why_off(self, snapshot: Snapshot) -> str:
        toggles, language = self.toggles, snapshot.language_id
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
            return "switched off" if toggles.everywhere is False else f"off by {self._section}.enabled"
        if language in self._settings.disabled_languages:
            return f"off for {language} by {self._section}.disabled_languages"
        return f"off here by {self._section}.disabled_folders" if self._folder_disabled(snapshot.uri) else ""

    def toggle_everything(self, enabled: bool | None) -> bool:
        toggles = self.toggles
        now = toggles.everywhere if toggles.everywhere is not None else self._settings.enabled
        toggles.everywhere = state = not now if enabled is None else enabled
        for nearer in (toggles.languages, toggles.folders, toggles.buffers):
            nearer.clear()
        return state

    def toggle(self, scope: Scope, snapshot: Snapshot, enabled: bool | None) -> bool:
        state = bool(self.why_off(snapshot)) if enabled is None else enabled
        if scope == "buffer":
            self.toggles.buffers[snapshot.uri] = state
        elif scope == "language":
            self.toggles.languages[snapshot.language_id] = state
        elif (folder := _folder(snapshot.uri)) is not None:
            self.toggles.folders[folder] = state
        else:
            raise InvalidArgument("uri", f"{snapshot.uri} is in no folder.", hint="Save it first.")
        return state

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


def told_left(seconds: float) -> str:
    """`4 min`, `30 s`; "" where nothing is left."""
    whole = ceil(seconds)
    return f"{ceil(whole / 60)} min" if whole > 60 else f"{whole} s" if whole > 0 else ""


class Snooze:
    """The time until which nothing is shown unasked."""

    def __init__(self, events: Events) -> None:
        self._events = events
        self._timer: asyncio.TimerHandle | None = None
        self.until = 0.0
        """Seconds of Unix time; 0: there is none."""
        events.on(WindowClosing, lambda _: self._stop())

    def start(self, minutes: float) -> None:
        """Begin anew, whatever was left of an earlier time; 0 ends it.  Must be called on the event loop."""
        self._stop()
        if minutes > 0:
            self.until = time.time() + 60 * minutes
            self._count_down()
        self._events.emit(FeatureSwitched())

    @property
    def left(self) -> str:
        return told_left(self.until - time.time())

    def _count_down(self) -> None:
        seconds = self.until - time.time()
        if seconds <= 0:
            self.start(0)
            return
        self._timer = asyncio.get_running_loop().call_later(min(COUNTED_S, seconds), self._count_down)
        self._events.emit(StatusChanged())

    def _stop(self) -> None:
        self.until = 0.0
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
