"""`palimpsest engine`: sees to it that one engine runs at an address, and has it run.

In: options, signals.  Out: an exit status (0 done or another engine runs, 1 no engine possible here), logs to stderr;
stdout stays silent.  With `--http` it is a person's own: it says on stderr what it does, and runs beside an editor's
engine too.
"""

import dataclasses
import faulthandler
import logging
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from palimpsest.engine.http.listen import answers
from palimpsest.engine.lifetime.announcing import say
from palimpsest.engine.options import Options
from palimpsest.errors import EngineUnavailable, PalimpsestError
from palimpsest.system import logs, process_lock
from palimpsest.system.engine_address import Address, beside

PREDECESSOR_S = 30.0
"""How long to wait for an engine that holds the lock but does not answer: it is starting, or on its way out."""

WITHOUT = 'With engine.kind = "none" the editor keeps everything that needs no model.'

logger = logging.getLogger(__name__)


def main(options: Options, check: Callable[[Path], object]) -> int:
    """Run an engine until it leaves; what `palimpsest engine` does.

    `check` looks at the model's file before anything is started for a person (`--http`); its PalimpsestError is told,
    and that is all.
    """
    _quiet_stdout(options)
    if options.public is not None:
        try:
            check(options.model)
        except PalimpsestError as error:
            say(str(error))
            return 1
    try:
        from palimpsest.engine import process as engine_process

        engine_process.check(options.settings.library)
    except EngineUnavailable as error:
        print(f"There is no engine here: {error}\n{WITHOUT}", file=sys.stderr)
        return 1
    signal.signal(signal.SIGTERM, _leave)
    with ExitStack() as stack:
        try:
            is_alone = stack.enter_context(_only_one(options.address))
        except OSError as error:
            say(f"nothing can be served at {options.address.socket}: {error.strerror or error}.")
            return 1
        if not is_alone:
            if options.public is None:
                say(_runs(options, options.address))
                return 0
            place = options.address if options.is_named else beside(options.address, options.public.port)
            if options.is_named or not stack.enter_context(_only_one(place)):
                say(_runs(options, place))
                return 1
            options = dataclasses.replace(options, address=place)
        return engine_process.run(options)


def _runs(options: Options, place: Address) -> str:
    """To a person; a server takes it as it is."""
    pid = process_lock.holder(place.lock)
    process = f", process {pid}" if pid else ""
    if options.is_named:
        return f"another engine runs at {place.socket}{process}."
    use = "editors use it by themselves" if options.public is None else "one on another port would run beside it"
    return (
        f"an engine with this model and these settings runs already ({place.called}{process}); {use}.  "
        f"`palimpsest engine --stop {place.called}` ends it, `palimpsest engine --list` shows all."
    )


def _leave(_number: int, _frame: object) -> None:
    """Until the event loop takes the signals over: what was made is removed on the way out."""
    raise SystemExit(0)


@contextmanager
def _only_one(place: Address) -> Iterator[bool]:
    """True while this is the only engine at `place`; False when another one is there and answers.

    An engine that is leaving still holds the lock, so a start that comes then waits for it to be gone.
    """
    end = time.monotonic() + PREDECESSOR_S
    while (lock := process_lock.take(place.lock)) is None:
        if answers(place) or time.monotonic() > end:
            yield False
            return
        time.sleep(0.05)
    try:
        yield True
    finally:
        os.close(lock)


def _quiet_stdout(options: Options) -> None:
    """Whatever prints in here goes to stderr, and so do the stack of a native fault and the log (to a person all of
    it, to the server's file what is wrong)."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setLevel(logging.NOTSET if sys.stderr is not None and sys.stderr.isatty() else logging.WARNING)
    with suppress(OSError, RuntimeError):  # no stderr at all
        os.dup2(2, 1)
        faulthandler.enable()
    handler.setFormatter(logs.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=options.log_level.upper(), handlers=[handler])
