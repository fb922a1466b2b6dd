"""Where a process of ours begins, as the command `palimpsest` or as `python -m palimpsest`.

In: arguments.  Out: an exit status.  At its head is imported only what Python has loaded by then, or what is ours: any
other module could still be a workspace's.
"""

import sys

from palimpsest.system import isolation


def main() -> int:
    isolation.isolate()
    try:
        from palimpsest import command_line
    except KeyboardInterrupt:
        return 130  # as `command_line.INTERRUPTED`

    return command_line.main()


if __name__ == "__main__":
    sys.exit(main())
