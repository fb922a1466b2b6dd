"""What a table was measured with: machine, model, commit, date.

In: the repository, a model file.  Out: a `Provenance`, which writes itself as the line above a table.
"""

from __future__ import annotations

import os
import platform
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from palimpsest.engine.llama.library import library
from palimpsest.models import default_model, files
from palimpsest.models.machine import this_machine
from palimpsest.system import git

_INSTRUCTIONS = {"avx512f": "AVX-512", "amx_tile": "AMX"}
"""By the names that Linux has for them: what llama.cpp's speed depends on most."""


@dataclass(frozen=True, slots=True)
class Provenance:
    date: str
    commit: str
    machine: str
    model: str

    def line(self, command: str, note: str = "") -> str:
        about = f" {note}." if note else ""
        return f"*{self.date}, commit `{self.commit}`; {self.machine}; {self.model}.{about} `{command}`*"

    def is_that_of(self, region: str, command: str) -> bool:
        """Whether a region's table was measured with the same model at the same commit, by the same command."""
        first = region.strip().partition("\n")[0]
        return f"commit `{self.commit}`" in first and f"; {self.model}." in first and f"`{command}`" in first

    @property
    def short(self) -> str:
        return f"{self.machine.partition(' (')[0]}; {self.model.partition(' (')[0]}; `{self.commit}`"


def provenance(root: Path, model: Path) -> Provenance:
    """As things are now.  Raises ModelError, GitError."""
    return Provenance(datetime.now(UTC).date().isoformat(), _commit(root), _machine(), _model(model))


def _commit(root: Path) -> str:
    commit = git.run(root, "rev-parse", "--short", "HEAD").decode().strip()
    changed = git.run(root, "status", "--porcelain", "--untracked-files=no", "--", "server", "pyproject.toml")
    return f"{commit} and changes" if changed.strip() else commit


def _machine() -> str:
    machine = this_machine()
    flags = _flags()
    has = [name for flag, name in _INSTRUCTIONS.items() if flag in flags]
    lacks = [f"no {name}" for flag, name in _INSTRUCTIONS.items() if flags and flag not in flags]
    memory = f"{machine.memory / (1 << 30):.0f} GiB"
    gpu = machine.gpu or "no GPU"
    details = ", ".join([_processor(), memory, *has, *lacks, f"load {_load():.1f}", _llama()])
    return f"{machine.cores} cores, {gpu} ({details})"


def _cpuinfo(name: str) -> str:
    """A field of Linux's description of the first processor; empty elsewhere."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return ""
    return next((line.partition(":")[2].strip() for line in lines if line.partition("\t")[0].strip() == name), "")


def _flags() -> frozenset[str]:
    return frozenset(_cpuinfo("flags").split())


def _processor() -> str:
    return _cpuinfo("model name") or platform.processor() or platform.machine()


def _load() -> float:
    return os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0


def _llama() -> str:
    """`llama.cpp 0.4.0-dev, built for zen4`"""
    native = library()
    return f"llama.cpp {native.api.version}" + (f", built for {native.processor}" if native.processor else "")


def _model(path: Path) -> str:
    found = files.inspect(path)
    known = {files.embedded(): "embedded model", default_model.path(): "default model"}
    label = known.get(path, path.name)
    return f"{label} ({found.name}, {found.n_params / 1e6:.1f} M parameters, {found.quantization})"
