"""The only door to llama.cpp's bindings.

In: nothing.  Out: `llama_cpp.llama_cpp` (the low-level functions), initialised once, its log lines sent to a Python
logger.  Only low-level functions are used: the high-level classes silence file descriptor 1 while loading.
Knows no model.
"""

from __future__ import annotations

import ctypes
import functools
import logging
import os
import re
import time
from collections import Counter, deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from palimpsest.errors import EngineUnavailable
from palimpsest.kv.llama import machine
from palimpsest.system import installation

LOG = logging.getLogger("palimpsest.llama")
BUFFER = re.compile(r"(KV|RS|compute|output) buffer size *= *([\d.]+) MiB")
"""llama.cpp has no function that tells the sizes of its buffers."""


@dataclass(frozen=True, slots=True)
class Call:
    """A native call that follows a grammar: since when (`time.monotonic()`), and with how many bytes resident."""

    since: float
    resident: int
    grammar: str


class Library:
    """`api` is the bindings' module; `errors` the newest error lines llama.cpp logged, oldest first; `buffers` the
    bytes of each kind of buffer (KV, RS, compute, output) that it said it made since they were last cleared;
    `refused_grammars` the `text_hash` of those that ended an engine."""

    def __init__(self, api: Any) -> None:
        self.api = api
        self.errors: deque[str] = deque(maxlen=8)
        self.buffers: Counter[str] = Counter()
        self.under_way: Call | None = None
        self.refused_grammars: frozenset[str] = frozenset()
        self._callback = api.llama_log_callback(self._log)  # kept: a collected callback would crash the next log line
        # importing the bindings set their own callback, which writes to stderr
        api.llama_log_set(self._callback, ctypes.c_void_p(0))
        api.llama_backend_init()

    @contextmanager
    def bounded(self, grammar: str) -> Iterator[None]:
        """Around a call whose time and memory another's text decides: `under_way` meanwhile, so that the process can
        see one that does not come back."""
        self.under_way = Call(time.monotonic(), machine.resident_memory(), grammar)
        try:
            yield
        finally:
            self.under_way = None

    def _log(self, level: int, text: bytes, _data: object) -> None:
        line = text.decode("utf-8", "replace").rstrip()
        if level == 4 and line:  # GGML_LOG_LEVEL_ERROR
            self.errors.append(line)
        if said := BUFFER.search(line):
            self.buffers[said[1]] += int(float(said[2]) * (1 << 20))
        if line.strip("."):
            LOG.debug("%s", line)


@functools.cache
def library() -> Library:
    """Raises EngineUnavailable, with how to get it, where the bindings are missing or do not load."""
    # read when libgomp is loaded: threads that spin for one another are many times slower on cores others use too
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    # a failed assertion would first run a debugger from within two threads, which may never end; faulthandler tells
    os.environ.setdefault("GGML_NO_BACKTRACE", "1")
    try:
        import llama_cpp.llama_cpp as api
    except Exception as error:  # a shared library that does not load raises RuntimeError, OSError or ImportError
        raise EngineUnavailable(
            f"llama-cpp-python cannot be used: {error}.", hint=f"Install it: {installation.add('engine')}"
        ) from error
    return Library(api)
