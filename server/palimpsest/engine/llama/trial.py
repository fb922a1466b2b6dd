"""Whether a libllama can be used here, tried in a process of its own: one built for another processor ends the process
that loads it, and one whose GPU cannot be used (a driver that is too old for it, say) the process that decodes on it.

In: the file of a library.  Out: `Tried`, or EngineUnavailable with what is wrong.  `python -m` this file is that
process.
"""

import json
import logging
import re
import signal
import subprocess
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

from palimpsest.engine.llama.binding import Device, refused
from palimpsest.errors import EngineUnavailable

SECONDS = 120.0
"""The first load of a GPU's library compiles its kernels."""

FAULT = re.compile(r"error: *([^\n]+)", re.IGNORECASE)
"""What ggml says before it ends the process over a GPU's error."""
GPUS = ("GPU", "IGPU")
ENDED = {
    -signal.SIGILL: "was built for another processor than this one",
    -getattr(signal, "SIGBUS", 1 << 20): "does not load (it is cut off, or no library)",
}


@dataclass(frozen=True, slots=True)
class Tried:
    """`processor`: the generation that the library for processors was built for, "" where there is only one; `fault`:
    why its GPU cannot be used, though it is there."""

    version: str
    processor: str
    devices: tuple[Device, ...]
    fault: str = ""

    @property
    def gpus(self) -> list[Device]:
        """Those that can be used."""
        return [] if self.fault else [device for device in self.devices if device.kind in GPUS]


def tried(library: Path) -> Tried:
    """Raises EngineUnavailable."""
    command = [sys.executable, "-P", "-m", __name__, str(library)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired as error:
        output = error.stdout or ""
        if isinstance(output, bytes):  # on POSIX, whatever was asked for
            output = output.decode(errors="replace")
        if not output.endswith("\n"):
            raise refused(library, f"did not load within {SECONDS:.0f} s") from error
        done = subprocess.CompletedProcess(command, 1, output, f"error: no answer within {SECONDS:.0f} s")
    return outcome(library, done)


def outcome(library: Path, done: subprocess.CompletedProcess[str]) -> Tried:
    """What that process said: what it found, then, where there is a GPU, that it has decoded on it."""
    try:
        lines = done.stdout.splitlines()  # a driver may write some of its own
        output, *computed = (json.loads(line) for line in lines if line.startswith("{"))
    except ValueError:
        why = ENDED.get(done.returncode, f"ended the process that loaded it (status {done.returncode})")
        raise refused(library, why) from None
    if "error" in output:
        raise EngineUnavailable(output["error"], hint=output["hint"])
    fault = ""
    if not computed and any(device["kind"] in GPUS for device in output["devices"]):
        faults = FAULT.findall(done.stderr)
        fault = faults[-1].rstrip(".") if faults else f"status {done.returncode}"
    return Tried(output["version"], output["processor"], tuple(Device(**device) for device in output["devices"]), fault)


def main(path: str) -> None:
    from palimpsest.engine.llama import library

    library.choose(path)
    try:
        loaded = library.library()
    except EngineUnavailable as error:
        print(json.dumps({"error": error.message, "hint": error.hint}))
        return
    devices = [asdict(device) for device in loaded.api.devices()]
    found_here = {"version": loaded.api.version, "processor": loaded.processor, "devices": devices}
    print(json.dumps(found_here), flush=True)
    if any(device["kind"] in GPUS for device in devices):
        logging.basicConfig(level=logging.DEBUG)  # what llama.cpp says, to stderr
        _compute()
        print(json.dumps({}))


def _compute() -> None:
    """A few tokens of the model that comes along, on the GPU."""
    from palimpsest.engine.llama.native import Context, ContextParams, Model, Run
    from palimpsest.models.files import embedded

    model = Model(embedded(), n_gpu_layers=-1, extra_bufts=False)
    params = ContextParams(
        n_ctx=256, n_batch=64, n_seq_max=1, n_threads=1, type_k=1, type_v=1, flash_attention=-1, offload=True
    )
    Context(model, params).decode([Run(list(range(1, 33)), 0, 0, logits=True)])


if __name__ == "__main__":
    main(sys.argv[1])
