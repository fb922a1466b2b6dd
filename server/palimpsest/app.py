"""The one place that builds and closes everything of the language server.

In: arguments, settings, folders.  Out: a running server.  Every room is put together here; none builds another.
"""

from __future__ import annotations

import argparse
import gc
import hashlib
import logging
import logging.handlers
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from palimpsest import folders
from palimpsest.settings import Settings

if TYPE_CHECKING:
    from palimpsest.engines.supervise import Status as EngineStatus
    from palimpsest.lsp.report import Report
    from palimpsest.lsp.report import Status as ShownStatus
    from palimpsest.session import Session
    from palimpsest.usage import Usage

logger = logging.getLogger(__name__)

KINDS = {
    "ready": "Normal",
    "starting": "Inactive",
    "loading": "Inactive",
    "doubted": "Warning",
    "restarting": "Warning",
    "away": "Warning",
    "failed": "Error",
    "given_up": "Error",
    "off": "Inactive",
    "closed": "Inactive",
}
NO_MIDDLE = "{name} has no tokens for filling in the middle: edits work, inline completion does not."
MOST_YOUNG = 10_000
"""New objects before Python looks for cycles among them; at its own 700 one keystroke in eight waits a millisecond."""
WORDS = {"starting": "The engine is starting.", "loading": "The model is being loaded."}


def serve_main(argv: list[str]) -> int:
    """`palimpsest serve`: the language server over stdio, or TCP for debugging."""
    parser = argparse.ArgumentParser("palimpsest serve", description=serve_main.__doc__)
    parser.add_argument("--tcp", metavar="HOST:PORT", default="", help="listen there instead of stdio (debugging)")
    parser.add_argument("--stdio", action="store_true", help="the default; some editors say it")
    parser.add_argument("--log-level", default="info", choices=("debug", "info", "warning", "error"))
    options = parser.parse_args(argv)
    host, _, port = options.tcp.rpartition(":")
    if options.tcp and not (host and port.isdigit()):
        parser.error(f"--tcp wants HOST:PORT, got {options.tcp!r}")
    _log_to_file(options.log_level)

    from palimpsest.lsp.features import make_server

    server = make_server(build_session)
    if options.tcp:
        server.start_tcp(host, int(port))
    else:
        server.start_io()
    return 0


def build_session(settings: Settings, roots: tuple[Path, ...], report: Report) -> Session:
    """A session with its engine starting behind it.  Must be called on the event loop."""
    from palimpsest.assist.completions.switches import Switches
    from palimpsest.assist.desk import Desk
    from palimpsest.context.board import Board
    from palimpsest.context.chooser import Chooser
    from palimpsest.context.gather import Gatherer
    from palimpsest.engines.supervise import RESTART_HINT, Supervisor
    from palimpsest.engines.target import Target
    from palimpsest.memory.stats import FILE as STATISTICS
    from palimpsest.memory.stats import Statistics
    from palimpsest.models.files import model_path
    from palimpsest.requests import Requests
    from palimpsest.session import Session
    from palimpsest.syntax.parse import Parser
    from palimpsest.text.documents import Documents
    from palimpsest.text.roots import Roots
    from palimpsest.usage import Usage

    logging.getLogger("palimpsest").setLevel(settings.log.level.upper())
    supervisor = Supervisor(Target(model_path(settings.model), settings.engine))
    board, documents = Board(), Documents()
    gatherer = Gatherer.for_workspace(
        board, settings.context, open_document=documents.find, cache=folders.cache() / "packages"
    )
    workspace = workspace_name(roots)
    places = Roots(roots)
    desk = Desk(
        settings=settings,
        roots=places,
        workspace=workspace,
        documents=documents,
        parser=Parser(),
        chooser=Chooser(gatherer, board, settings.context),
        supervisor=supervisor,
        requests=Requests(workspace, settings, lambda: model.n_params if (model := supervisor.status.model) else None),
        usage=Usage(),
        statistics=Statistics(folders.state() / STATISTICS, enabled=settings.statistics.enabled),
        switches=Switches(settings.completion, places, documents),
    )
    session = Session(desk)

    def show(_: object = None) -> None:
        report.show_status(shown_status(supervisor.status, session.usage, session.why_off))

    def engine_changed(status: EngineStatus) -> None:
        show()
        if status.cause:
            report.trouble(status.cause, f"{status.message} {RESTART_HINT}")
        if status.model is not None:
            session.chooser.fits(status.model.n_ctx, follows=status.model.chat_template)
        if status.state == "ready":
            session.refresh_soon()

    if not gc.get_freeze_count():  # what is loaded by now stays: a search through it is 30 ms within a keystroke
        gc.freeze()
        gc.set_threshold(MOST_YOUNG)
    session.usage.on_change = show
    supervisor.on_status(engine_changed)
    supervisor.start()
    show()
    return session


def workspace_name(roots: tuple[Path, ...]) -> str:
    """What the engine knows this window by: two windows on one folder have each their own cache and one store."""
    place = hashlib.blake2b("\0".join(map(str, roots)).encode(), digest_size=6).hexdigest()
    return f"{place}-{os.getpid()}"


def shown_status(engine: EngineStatus, usage: Usage, why_off: str = "") -> ShownStatus:
    """The engine's state and this window's figures in the words of `palimpsest/status`.  `why_off`: there are no
    completions where the cursor is."""
    from palimpsest.lsp.report import Status

    model = engine.model
    kind, message = KINDS[engine.state], engine.message or WORDS.get(engine.state, "")
    if model is not None and not model.fim_layout:
        kind, message = "Warning", message or NO_MIDDLE.format(name=model.name)
    elif kind == "Normal" and why_off:
        kind, message = "Inactive", f"Completions are {why_off}."
    return Status(
        kind=kind,  # type: ignore[arg-type]
        busy=usage.n_busy > 0,
        message=message,
        model=model.name if model else "",
        tokens={"used": usage.context_tokens, "total": model.n_ctx if model else 0},
        last={"decoded": usage.last.decoded, "reused": usage.last.reused, "ms": usage.last.ms},
    )


def _log_to_file(level: str) -> None:
    """Everything to a file that never grows large, warnings to stderr, nothing to stdout: that is the protocol's."""
    formatter = logging.Formatter("%(asctime)s %(levelname)-7s %(process)d %(name)s: %(message)s")
    errors = logging.StreamHandler(sys.stderr)
    errors.setLevel(logging.WARNING)
    handlers: list[logging.Handler] = [errors]
    try:
        path = folders.state() / "server.log"
        handlers.append(logging.handlers.RotatingFileHandler(path, maxBytes=1 << 20, backupCount=2, encoding="utf-8"))
    except OSError as error:
        print(f"palimpsest: no log file: {error}", file=sys.stderr)
    for handler in handlers:
        handler.setFormatter(formatter)
        logging.getLogger().addHandler(handler)
    logging.getLogger().setLevel(logging.WARNING)
    logging.getLogger("palimpsest").setLevel(level.upper())
