"""The only door to llama.cpp.

In: which library is meant.  Out: its functions (`binding.py`), initialised once, its backends loaded, its log lines
sent to a Python logger.  Knows no model.
"""

import functools
import logging
import os
import re
from collections import Counter, deque

from palimpsest.engine.llama.binding import LOG_CALLBACK, Binding
from palimpsest.libraries.locate import located

LOG = logging.getLogger("palimpsest.llama")
BUFFER = re.compile(r"(KV|RS|compute|output) buffer size *= *([\d.]+) MiB")
"""llama.cpp has no function that tells the sizes of its buffers."""
WAITING = {"OMP_WAIT_POLICY": "passive", "GOMP_SPINCOUNT": "2000"}
"""How OpenMP's threads wait for one another, read when it is loaded.  They sleep, since on cores that others use too
threads that spin are many times slower, and idle ones would take a core; but a token has hundreds of waits, and to
sleep and be woken for each triples its time, so GNU's spin for some 50 µs first."""
VARIANT = re.compile(r"loaded CPU backend from .*ggml-cpu-(\w+)\.")


class LlamaLibrary:
    """`errors`: the newest error lines llama.cpp logged, oldest first; `buffers`: the bytes of each kind of buffer (KV,
    RS, compute, output) that it said it made since they were last cleared; `source`: where the library comes from;
    `processor`: the generation that its CPU backend was built for, "" where there is one for all; `spins`: whether its
    threads wait for one another in a loop, as they do without OpenMP and with GNU's."""

    def __init__(self, api: Binding, source: str) -> None:
        self.api, self.source = api, source
        self.errors: deque[str] = deque(maxlen=8)
        self.buffers: Counter[str] = Counter()
        self.processor = ""
        self._callback = LOG_CALLBACK(self._log)  # kept: a collected callback would crash the next log line
        api.llama_log_set(self._callback, None)
        api.llama_backend_init()
        api.load_backends()
        has_openmp = b"OPENMP = 1" in (api.llama_print_system_info() or b"")
        gnu = api.has("GOMP_parallel") and not api.has("__kmpc_fork_call")
        passive = os.environ.get("OMP_WAIT_POLICY", "").lower() == "passive"
        self.spins = not has_openmp or (gnu and os.environ.get("GOMP_SPINCOUNT", "0" if passive else "1") != "0")

    def _log(self, level: int, text: bytes, _data: object) -> None:
        line = text.decode("utf-8", "replace").rstrip()
        if level == 4 and line:  # GGML_LOG_LEVEL_ERROR
            self.errors.append(line)
        if match := BUFFER.search(line):
            self.buffers[match[1]] += int(float(match[2]) * (1 << 20))
        if match := VARIANT.search(line):
            self.processor = match[1]
        if line.strip("."):
            LOG.debug("%s", line)


_chosen = ""


def choose(library: str) -> None:
    """The setting `engine.library`, before the library is loaded: a process loads one."""
    global _chosen
    _chosen = library


@functools.cache
def library() -> LlamaLibrary:
    """Raises EngineUnavailable, with how to get one, where there is none or it cannot be used here."""
    if "OMP_WAIT_POLICY" not in os.environ:  # a person's own policy comes with GNU's own number of turns
        for name, value in WAITING.items():
            os.environ.setdefault(name, value)
    # a failed assertion would first run a debugger from within two threads, which may never end; faulthandler tells
    os.environ.setdefault("GGML_NO_BACKTRACE", "1")
    location = located(_chosen)
    return LlamaLibrary(Binding(location.file), location.source)
