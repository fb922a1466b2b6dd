"""What happens in a window, told to those who registered for it.

In: events, as plain values.  Out: calls, in the order of registration, which is the order in which
`session/building.py` makes the owners.  Knows nobody who listens.

Whoever tells an event has already noted what it says, and everything is told on the window's event loop.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from palimpsest.config.settings import WindowPart
from palimpsest.context.activity.diagnostics import Diagnostic
from palimpsest.text.snapshot import InputEdit, Position, Snapshot

E = TypeVar("E")


@dataclass(frozen=True, slots=True)
class DocumentOpened:
    """`written`: its URI as the editor writes it, where that is another one."""

    snapshot: Snapshot
    written: str = ""


@dataclass(frozen=True, slots=True)
class DocumentChanged:
    """`edits` lead from `old` to `new`, one after the other."""

    old: Snapshot
    new: Snapshot
    edits: Sequence[InputEdit]


@dataclass(frozen=True, slots=True)
class DocumentClosed:
    """`lost`: the editor has it open, but it is not known here what is in it."""

    uri: str
    lost: bool = False


@dataclass(frozen=True, slots=True)
class DocumentSaved:
    uri: str


@dataclass(frozen=True, slots=True)
class Yanked:
    """The person copied something of a document: these lines, or nobody said which."""

    uri: str
    lines: range | None = None


@dataclass(frozen=True, slots=True)
class DiagnosticsTold:
    """What other language servers found in a document, or in these of its lines."""

    uri: str
    found: Sequence[Diagnostic]
    lines: range | None = None


@dataclass(frozen=True, slots=True)
class CursorMoved:
    """`said`: the editor said so by itself.  Otherwise the place follows from an edit, or from what was asked for."""

    uri: str
    position: Position
    said: bool = False


@dataclass(frozen=True, slots=True)
class FilesChanged:
    """Files were saved, or changed on disk without the editor."""

    uris: Sequence[str]


@dataclass(frozen=True, slots=True)
class SettingsChanged:
    """The settings or folders are others; only these parts begin anew."""

    parts: frozenset[WindowPart]


@dataclass(frozen=True, slots=True)
class IndexBuilding:
    """So many files of a workspace folder have been read for the index, of those that have to be."""

    folder: Path
    done: int
    total: int


@dataclass(frozen=True, slots=True)
class IndexBuilt:
    """The index of a folder is complete, or there will be none."""

    folder: Path


@dataclass(frozen=True, slots=True)
class FeatureSwitched:
    """A feature is on where it was off, or off where it was on."""


@dataclass(frozen=True, slots=True)
class CacheForgotten:
    """The engine is another one, or its cache is empty: what was known of it is no longer so."""


@dataclass(frozen=True, slots=True)
class EditAccepted:
    """The last change of a document is a completion or a next edit that was accepted."""

    uri: str


@dataclass(frozen=True, slots=True)
class NextEditModelFailed:
    """There are no next edits by the model made for them, for this reason."""

    why: str


@dataclass(frozen=True, slots=True)
class RefreshNeeded:
    """The context at the cursor should be gathered and decoded again on the next pause.  `restart`: count the pause
    from now on, even if one is under way."""

    restart: bool = True


@dataclass(frozen=True, slots=True)
class PagesChanged:
    """A document of ours that the editor may show (`palimpsest:/…`) may be different."""


@dataclass(frozen=True, slots=True)
class StatusChanged:
    """What `palimpsest/status` shows may be different."""


@dataclass(frozen=True, slots=True)
class CompletionChanged:
    """What is offered at a place of a document is another completion than when the editor asked."""

    snapshot: Snapshot
    position: Position


@dataclass(frozen=True, slots=True)
class WindowClosing:
    """Nothing is begun any more."""


class Events:
    """Calls, for an event, whoever registered for its type."""

    def __init__(self) -> None:
        self._listeners: dict[type, list[Callable[[Any], None]]] = {}

    def on(self, kind: type[E], listener: Callable[[E], None]) -> Callable[[], None]:
        """Call `listener` with every event of that kind; what is returned ends it."""
        listeners = self._listeners.setdefault(kind, [])
        listeners.append(listener)
        return lambda: listeners.remove(listener)

    def emit(self, event: object) -> None:
        for listener in tuple(self._listeners.get(type(event), ())):
            listener(event)
