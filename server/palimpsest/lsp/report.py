"""The one place that decides what a person sees.

In: what happened.  Out: `palimpsest/status`, a message, or a line in the log.  Typing-time failures go to the log
and the status; a command's failure is its answer; the same warning is shown once.
"""

import asyncio
import logging
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal

from lsprotocol import types as lsp
from pygls.lsp.server import LanguageServer

from palimpsest.text.amounts import amount
from palimpsest.text.previews import without_links
from palimpsest.visible import visible

logger = logging.getLogger(__name__)

STATUS = "palimpsest/status"
FIGURES_S = 0.02
"""So much later are figures told that come alone: the answer they belong to goes first."""
FIGURES = ("tokens", "last", "conversation", "no_next_edit")
Kind = Literal["Normal", "Error", "Warning", "Inactive"]
State = Literal["loading", "ready", "busy", "degraded", "off"]
HEADLINES: Mapping[State, str] = {
    "loading": "Loading the model",
    "ready": "Ready",
    "busy": "Working",
    "degraded": "Not everything works",
    "off": "Completions are off",
}
KV = {"leave": "its cache stays when blocks change", "decode": "decoded again when blocks change"}


@dataclass(frozen=True, slots=True)
class StatusReport:
    """`palimpsest/status` (docs/commands.md).  `state` is for an editor's status bar; `cause`: why it is neither
    loading nor ready, in a text that stays the same while the reason does; `restart`: whether a new start of the
    engine may help; `conversation`: the one that was answered last, as `usage.Talked` has it; `snoozed_until`: the
    Unix time up to which nothing is shown unasked, 0 for none; `snoozed`: how long that is, yet; `no_next_edit`:
    why there was no next edit when one was asked for last; `url`: the engine's, where a setting names one."""

    kind: Kind = "Inactive"
    state: State = "loading"
    cause: str = ""
    restart: bool = False
    busy: bool = False
    message: str = ""
    model: str = ""
    tokens: dict[str, int] = field(default_factory=lambda: {"used": 0, "total": 0})
    last: dict[str, float] = field(default_factory=lambda: {"decoded": 0, "reused": 0, "ms": 0})
    conversation: dict[str, Any] | None = None
    snoozed_until: float = 0.0
    snoozed: str = ""
    no_next_edit: str = ""
    url: str = ""

    @property
    def headline(self) -> str:
        """What goes on, in a sentence or a few words."""
        return self.cause or (self.message if self.state == "loading" else "") or HEADLINES[self.state]

    @property
    def brief(self) -> str:
        """The figures for a line."""
        used, total, ms = self.tokens["used"], self.tokens["total"], self.last["ms"]
        return " ".join([f"{_short(used)}/{_short(total)}"] * bool(total) + [f"{ms:.0f} ms"] * bool(ms))

    def told(self) -> dict[str, Any]:
        """As a client is told it: with what it shows as it is."""
        words = {"headline": self.headline, "brief": self.brief, "figures": list(self._figures())}
        return {**asdict(self), **words}

    def _figures(self) -> Iterator[str]:
        tokens, last, talked = self.tokens, self.last, self.conversation
        if self.url:
            yield f"Engine: {self.url}"
        if tokens["total"]:
            yield f"Context: {tokens['used']:,} of {amount(tokens['total'], 'token')}"
        if last["decoded"] + last["reused"]:
            decoded = amount(int(last["decoded"]), "token")
            yield f"Last answer: {decoded} decoded, {int(last['reused']):,} reused, {last['ms']:.0f} ms"
        if talked is not None:
            kept = f" ({talked['left']:,} as they were)" if talked["left"] else ""
            total = amount(talked["total"], "token")
            yield f"Conversation: {talked['used']:,} of {total}; {KV[talked['kv']]}{kept}"
        if self.no_next_edit:
            yield f"Next edit: none; {self.no_next_edit}"


class Report:
    """Owner of what the editor was last told."""

    def __init__(self, server: LanguageServer) -> None:
        self._server = server
        self._status = StatusReport()
        self._told = self._status
        self._later: asyncio.TimerHandle | None = None
        self._warned: set[str] = set()
        self._troubles: set[str] = set()

    @property
    def status(self) -> StatusReport:
        return self._status

    def show_status(self, status: StatusReport) -> None:
        """Must be called on the event loop."""
        status = replace(status, cause=visible(status.cause), message=visible(status.message, "\n"))
        if status == self._status:
            return
        if status.kind in ("Error", "Warning") and status.message != self._status.message:
            logger.warning("%s", status.message)
        self._status = status
        told = self._told
        figures = {name: getattr(told, name) for name in FIGURES}
        if replace(status, **figures) != told:
            self._tell_status()
        elif self._later is None:
            self._later = asyncio.get_running_loop().call_later(FIGURES_S, self._tell_status)

    def _tell_status(self) -> None:
        if self._later is not None:
            self._later.cancel()
            self._later = None
        if self._status != self._told:
            self._told = self._status
            self._server.protocol.notify(STATUS, self._status.told())

    def warn(self, message: str) -> None:
        """A message that the person sees, once."""
        logger.warning("%s", message)
        if message not in self._warned:
            self._warned.add(message)
            self._message(message, lsp.MessageType.Warning)

    def trouble(self, cause: str, message: str) -> None:
        """There is no engine, which a client that does not know `palimpsest/status` would show nobody: a message, once
        for each cause, until a person asked for a new start."""
        if cause not in self._troubles:
            self._troubles.add(cause)
            self._message(message, lsp.MessageType.Error)

    def forget_troubles(self) -> None:
        self._troubles.clear()

    def tell(self, message: str) -> None:
        """The outcome of something the person asked for and that has no other answer to show."""
        self._message(message, lsp.MessageType.Info)

    def caution(self, message: str) -> None:
        """Something that the person has to look at; shown each time."""
        logger.warning("%s", message)
        self._message(message, lsp.MessageType.Warning)

    def _message(self, message: str, kind: lsp.MessageType) -> None:
        shown = without_links(message if message.startswith("Palimpsest") else f"Palimpsest: {message}")
        self._server.window_show_message(lsp.ShowMessageParams(type=kind, message=shown))


def _short(n: int) -> str:
    return f"{n / 1000:.1f}k" if n >= 1000 else str(n)
