"""The server's end of the process that builds the index.

In: messages for it.  Out: its messages, on a thread; what it was asked before it died of a file is asked again of
another.  Nothing waits: what the process does not take yet lies in a queue.
"""

import logging
import queue
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import chain

from palimpsest.index.messages import Asked, BeginIndex, Failed, IndexLogLine, Read, Rows, Told, line_of
from palimpsest.index.messages import told as message_of

MOST_STARTS = 5

logger = logging.getLogger(__name__)


class IndexProcess:
    """`told` is called with this and each message, on a thread of this.

    The process ends when its stdin is closed, so also when the server is killed.
    """

    def __init__(self, begin: BeginIndex, told: "Callable[[IndexProcess, Told], None]") -> None:
        self._begin = begin
        self._told = told
        self._asked: queue.Queue[Asked | None] = queue.Queue()
        self._unanswered: dict[str, Read] = {}
        self._process: subprocess.Popen[bytes] | None = None
        self._closed = False
        self._lock = threading.Lock()
        threading.Thread(target=self._run, name="palimpsest-index", daemon=True).start()

    def ask(self, message: Asked) -> None:
        if isinstance(message, Read):
            self._unanswered[message.path] = message
        self._asked.put(message)

    def close(self) -> None:
        """Ends the process; waits for nothing."""
        with self._lock:
            self._closed = True
            self._asked.put(None)

    @property
    def pid(self) -> int | None:
        return None if self._process is None else self._process.pid

    def wait(self, seconds: float) -> bool:
        """Whether the process has ended, at most so much later."""
        process = self._process
        if process is None:
            return True
        with suppress(subprocess.TimeoutExpired):  # `poll` says so
            process.wait(seconds)
        return process.poll() is not None

    def _run(self) -> None:
        for _ in range(MOST_STARTS):
            process = self._start()
            if process is None:
                break
            ended = threading.Event()
            # Each document once more only: it may be what the process dies of.
            first = [self._begin, *(self._unanswered.pop(path) for path in tuple(self._unanswered))]
            writer = threading.Thread(target=self._write, args=(process, first, ended), daemon=True)
            writer.start()
            self._read(process)
            ended.set()
            self._asked.put(None)  # the thread that writes ends, if it has not
            writer.join()
            process.wait()
            if self._closed:
                return
            logger.warning("the process that builds the index ended with status %d", process.returncode)
        for root in self._begin.roots:
            self._told(self, Failed(root, f"There is no index of {root}: the process that builds it ends."))

    def _start(self) -> subprocess.Popen[bytes] | None:
        with self._lock:
            if self._closed:
                return None
            pipe, flags = subprocess.PIPE, 0
            if sys.platform == "win32":
                flags = subprocess.BELOW_NORMAL_PRIORITY_CLASS | subprocess.CREATE_NO_WINDOW
            try:
                command = (sys.executable, "-P", "-m", "palimpsest.index.worker")
                self._process = subprocess.Popen(
                    command,
                    stdin=pipe,
                    stdout=pipe,
                    stderr=subprocess.DEVNULL,
                    creationflags=flags,
                    start_new_session=sys.platform != "win32",  # `step_back` needs it
                )
            except OSError as error:
                logger.warning("there is no index: %s", error)
                return None
            return self._process

    def _write(self, process: subprocess.Popen[bytes], first: Sequence[Asked], ended: threading.Event) -> None:
        assert process.stdin is not None
        with suppress(OSError, ValueError):  # it has ended, or is being ended
            for message in chain(first, self._messages(ended)):
                process.stdin.write(line_of(message))
                process.stdin.flush()
        with suppress(OSError):  # it has ended
            process.stdin.close()

    def _messages(self, ended: threading.Event) -> Iterator[Asked]:
        """What there is to say, until the process has ended or is to end.  A None may be left of an earlier one."""
        while not ended.is_set():
            message = self._asked.get()
            if message is not None:
                yield message
            elif self._closed:
                return

    def _read(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdout is not None
        for line in process.stdout:
            try:
                message = message_of(line)
            except (ValueError, KeyError, TypeError) as error:
                logger.error("the process that builds the index said what nobody understands: %r", error)
                continue
            if isinstance(message, IndexLogLine):
                logger.log(message.level, "%s", message.text)
                continue
            if isinstance(message, Rows):
                self._answered(message)
            self._told(self, message)
        process.stdout.close()

    def _answered(self, rows: Rows) -> None:
        asked = self._unanswered.get(rows.path)
        if asked is not None and asked.version <= rows.version:
            self._unanswered.pop(rows.path, None)
