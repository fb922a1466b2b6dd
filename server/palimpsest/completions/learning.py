"""What accepted completions say of the kinds of blocks (`context/choice/learned.py`), kept by workspace.

In: completions that were accepted.  Out: what was learned, for the choice of blocks.  Does nothing unless the setting
`context.learn` is on.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Sequence
from dataclasses import dataclass

from palimpsest.context.choice.learned import Learned, counted
from palimpsest.types import Block
from palimpsest.window.events import DocumentOpened
from palimpsest.window.services import Services

_BEGUN = re.compile(r"\w*$")


@dataclass(frozen=True, slots=True)
class Seen:
    """What the model saw for a completion: blocks, the code around the cursor, and of it the line before."""

    blocks: Sequence[Block]
    code: str
    before: str


class Learning:
    """Learns from accepted completions, one workspace at a time."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._is_loaded = False
        services.events.on(DocumentOpened, lambda _: self._load())

    @property
    def is_on(self) -> bool:
        return self._services.settings.context.learn

    @property
    def _place(self) -> str:
        """The workspace, in every window."""
        return self._services.workspace.partition("-")[0]

    @property
    def learned(self) -> Learned:
        return self._services.chooser.learned

    def accepted(self, seen: Seen, typed: str, text: str) -> None:
        """Behind so much of the completion that was `typed`; a name may have been begun with it."""
        if self.is_on:
            self._load()
            begun = _BEGUN.search(seen.before + typed)
            new = counted(seen.blocks, (begun[0] if begun else "") + text, seen.code, self.learned.points)
            self.learned.add(new)
            self._services.statistics.learn(self._place, new)

    def forget(self) -> None:
        """Waits for the file."""
        self._is_loaded = True
        self.learned.counts.clear()
        self._services.statistics.forget_learned(self._place)

    def _load(self) -> None:
        """What was learned before comes from a thread: the file may be another window's for the moment."""
        if self.is_on and not self._is_loaded:
            self._is_loaded = True
            threading.Thread(target=self._loaded, name="learned", daemon=True).start()

    def _loaded(self) -> None:
        self.learned.add(self._services.statistics.learned(self._place))
