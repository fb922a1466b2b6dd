"""The one place that starts and closes everything of the language server.

In: arguments, settings, folders.  Out: a running server.  What a window works with is put together in
`session/building.py`.
"""

from __future__ import annotations

import argparse
import gc
import logging
import os
import sys
import time
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from palimpsest import __version__
from palimpsest.config.settings import Settings
from palimpsest.system import folders, logs
from palimpsest.system.given import host_and_port
from palimpsest.text.tokens import masked

if TYPE_CHECKING:
    from palimpsest.lsp.report import Report, State, StatusReport
    from palimpsest.lsp.server import PalimpsestServer
    from palimpsest.providers.supervisor import EngineStatus
    from palimpsest.session.session import Session
    from palimpsest.window.switches import Snooze
    from palimpsest.window.usage import Usage

logger = logging.getLogger(__name__)

KINDS = {
    "ready": "Normal",
    "starting": "Inactive",
    "loading": "Inactive",
    "suspected": "Warning",
    "restarting": "Warning",
    "away": "Warning",
    "failed": "Error",
    "given_up": "Error",
    "off": "Inactive",
    "closed": "Inactive",
}
LOADING = ("starting", "loading", "restarting")
RESTART_HELPS = ("suspected", "restarting", "away", "failed", "given_up")
NO_MIDDLE = "{name} does not fill in the middle: edits work, but completions come only from your code and project."
SAFE_MODE = "The engine died twice, and runs without what native faults come from."
MOST_YOUNG = 10_000
"""New objects before Python looks for cycles among them; at its own 700 one keystroke in eight waits a millisecond."""
AT_START = 50_000
"""While modules are imported, the same limit is lower: at 700, looking takes a tenth of the time until there is a
session."""
WORDS = {"starting": "The engine is starting.", "loading": "The model is being loaded."}


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--tcp", metavar="HOST:PORT", default="", help="listen there instead of stdio (debugging)")
    parser.add_argument("--stdio", action="store_true", help="the default; some editors say it")
    parser.add_argument("--version", action="version", version=f"palimpsest {__version__}")
    parser.add_argument("--log-level", default="info", choices=("debug", "info", "warning", "error"))


def run(options: argparse.Namespace) -> int:
    """`palimpsest serve`: the language server over stdio, or TCP for debugging."""
    if options.tcp:
        host, port = host_and_port(options.parser, "--tcp", options.tcp, "a host and a port, such as 127.0.0.1:8765")
    log_to_file(options.log_level)
    with suppress(OSError):  # there is no such folder
        os.chdir(Path.home())  # libraries that are loaded later are not looked for in the workspace either

    gc.set_threshold(AT_START)
    server = new_server()
    if not options.tcp:
        server.start_io()
        return server.exit_status
    try:
        server.start_tcp(host, port)
    except OSError as error:
        print(f"palimpsest serve: nothing can listen on {options.tcp}: {error.strerror or error}", file=sys.stderr)
        return 1
    return server.exit_status


def new_server() -> PalimpsestServer:
    """One for one window, which is not served yet."""
    from palimpsest.lsp.features import make_server
    from palimpsest.lsp.window import SessionFactory

    return make_server(SessionFactory(build_session, change_session))


def build_session(settings: Settings, roots: tuple[Path, ...], report: Report) -> Session:
    """A session with its engine starting behind it.  Must be called on the event loop."""
    from palimpsest.providers.supervisor import RESTART_HINT
    from palimpsest.session.building import build
    from palimpsest.window.events import FeatureSwitched, RefreshNeeded, StatusChanged

    session = build(settings, roots)
    services, events, supervisor = session.services, session.events, session.services.supervisor

    def show(_: object = None) -> None:
        report.show_status(
            shown_status(
                supervisor.status,
                session.usage,
                session.cursor.why_off,
                services.snooze,
                session.next_edits.why_not,
                services.settings.engine.url,
            )
        )

    def engine_changed(status: EngineStatus) -> None:
        show()
        if status.cause:
            report.trouble(status.cause, f"{status.message} {RESTART_HINT if status.state != 'ready' else ''}".strip())
        if status.model is not None:
            services.chooser.fits(status.model.n_ctx, follows=status.model.chat_template)
        if status.state == "ready" and not status.cause:
            events.emit(RefreshNeeded())

    if gc.get_threshold()[0] != MOST_YOUNG:
        # what is loaded by now stays: a search through it is 30 ms within a keystroke
        gc.freeze()
        gc.set_threshold(MOST_YOUNG)
    events.on(StatusChanged, show)
    events.on(FeatureSwitched, show)
    supervisor.on_status(engine_changed)
    supervisor.start()
    show()
    return session


def change_session(session: Session, settings: Settings, roots: tuple[Path, ...]) -> None:
    """The session goes on with other settings and folders."""
    from palimpsest.session.building import change

    change(session, settings, roots)


def shown_status(
    engine: EngineStatus, usage: Usage, why_off: str, snooze: Snooze, no_next_edit: str, url: str
) -> StatusReport:
    """The engine's state and this window's figures in the words of `palimpsest/status`.  `why_off`: there are no
    completions where the cursor is; `no_next_edit`: why there was no next edit when one was asked for; `url`:
    of an engine that was not started here."""
    from palimpsest.lsp.report import StatusReport

    model = engine.model
    kind, message = KINDS[engine.state], engine.message or WORDS.get(engine.state, "")
    if engine.state == "ready" and engine.cause:
        kind = "Warning"
    elif model is not None and not model.fim_layout:
        kind, message = "Warning", message or NO_MIDDLE.format(name=model.name)
    elif kind == "Normal" and why_off:
        kind, message = "Inactive", f"Completions are {why_off}."
    elif kind == "Normal" and snooze.until:
        clock = time.strftime("%H:%M", time.localtime(snooze.until))
        kind, message = "Inactive", f"Completions and next edits are snoozed until {clock}."
    state = _state(engine, kind)
    cause = engine.cause or message or (SAFE_MODE if engine.safe_mode else "")
    if state == "ready" and usage.n_busy > 0:
        state = "busy"
    return StatusReport(
        kind=kind,  # type: ignore[arg-type]
        state=state,
        cause=cause if state in ("degraded", "off") else "",
        restart=engine.state in RESTART_HELPS or engine.safe_mode,
        busy=usage.n_busy > 0,
        message=message,
        model=model.name if model else "",
        tokens={"used": usage.context_tokens, "total": model.n_ctx if model else 0},
        last={"decoded": usage.last.decoded, "reused": usage.last.reused, "ms": usage.last.ms},
        conversation=asdict(usage.talked) if usage.talked is not None else None,
        snoozed_until=snooze.until,
        snoozed=snooze.left,
        no_next_edit=no_next_edit,
        url=url,
    )


def _state(engine: EngineStatus, kind: str) -> State:
    if engine.state in LOADING:
        return "loading"
    if engine.state in ("failed", "given_up", "off", "closed") or (engine.state == "ready" and kind == "Inactive"):
        return "off"
    return "ready" if kind == "Normal" and not engine.safe_mode else "degraded"


def log_to_file(level: str) -> None:
    """Everything to a file that never grows large, warnings to stderr, nothing to stdout: that is the protocol's."""
    formatter = logs.Formatter("%(asctime)s %(levelname)-7s %(process)d %(name)s: %(message)s", masked)
    errors = logging.StreamHandler(sys.stderr)
    errors.setLevel(logging.WARNING)
    handlers: list[logging.Handler] = [errors]
    try:
        handlers.append(logs.PrivateFile(folders.logs() / folders.SERVER_LOG, max_bytes=1 << 20, n_old=2))
    except OSError as error:
        print(f"palimpsest: no log file: {error}", file=sys.stderr)
    for handler in handlers:
        handler.setFormatter(formatter)
        logging.getLogger().addHandler(handler)
    logging.getLogger().setLevel(logging.WARNING)
    logging.getLogger("palimpsest").setLevel(level.upper())
