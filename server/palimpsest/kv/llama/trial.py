"""Whether a libllama can be used here, tried in a process of its own: one built for another processor ends the process
that loads it.

In: the file of a library.  Out: `Tried`, or EngineUnavailable with what is wrong.  `python -m` this file is that
process.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

from palimpsest.errors import EngineUnavailable
from palimpsest.kv.llama.binding import Device, refused

SECONDS = 120.0
"""The first load of a GPU's library compiles its kernels."""

ENDED = {
    -signal.SIGILL: "was built for another processor than this one",
    -getattr(signal, "SIGBUS", 1 << 20): "does not load (it is cut off, or no library)",
}


@dataclass(frozen=True, slots=True)
class Tried:
    """`processor`: the generation that the library for processors was built for, "" where there is only one."""

    version: str
    processor: str
    devices: tuple[Device, ...]

    @property
    def gpus(self) -> list[Device]:
        return [device for device in self.devices if device.kind in ("GPU", "IGPU")]


def tried(library: Path) -> Tried:
    """Raises EngineUnavailable."""
    command = [sys.executable, "-P", "-m", __name__, str(library)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired as error:
        raise refused(library, f"did not load within {SECONDS:.0f} s") from error
    if why := ENDED.get(done.returncode):
        raise refused(library, why)
    try:
        said = json.loads(done.stdout.splitlines()[-1])
    except (IndexError, ValueError):
        raise refused(library, f"ended the process that loaded it (status {done.returncode})") from None
    if "error" in said:
        raise EngineUnavailable(said["error"], hint=said["hint"])
    return Tried(said["version"], said["processor"], tuple(Device(**device) for device in said["devices"]))


def main(path: str) -> None:
    from palimpsest.kv.llama.binding import Binding
    from palimpsest.kv.llama.library import Library

    try:
        found = Library(Binding(Path(path)), "")
    except EngineUnavailable as error:
        print(json.dumps({"error": error.message, "hint": error.hint}))
        return
    devices = [asdict(device) for device in found.api.devices()]
    print(json.dumps({"version": found.api.version, "processor": found.processor, "devices": devices}))


if __name__ == "__main__":
    main(sys.argv[1])
