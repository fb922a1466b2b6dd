"""Where a process of ours begins, as the command `palimpsest` or as `python -m palimpsest`.

In: arguments.  Out: an exit status.  At its head is imported only what Python has loaded by then, or what is ours: any
other module could still be a workspace's.  From its first line on Ctrl-C ends it, however far it is.
"""

import _signal  # type: ignore[import-not-found]  # built in, as the module `signal` is not
import os
import sys

from palimpsest.system import isolation

INTERRUPTED = 130  # as `command_line` has it


def _leave(*_: object) -> None:
    os._exit(INTERRUPTED)


def main() -> int:
    minds_interrupts = _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler
    if minds_interrupts:
        _signal.signal(_signal.SIGINT, _leave)  # while modules are imported, an exception may be lost in one of them
    isolation.isolate()
    from palimpsest import command_line

    return command_line.main(on_interrupt=_leave if minds_interrupts else None)


if __name__ == "__main__":
    sys.exit(main())
