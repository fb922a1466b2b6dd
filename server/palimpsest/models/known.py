"""Models with a short name, and which of them suits a machine.

In: a machine's memory and processors, what the model is wanted for.  Out: `KnownModel`s, a `ModelChoice` with its
reason.  The models themselves are in `known.toml`.
"""

import tomllib
from dataclasses import dataclass
from importlib.resources import files
from typing import Literal

from palimpsest.json_data import from_json

Purpose = Literal["completion", "next edits", "conversations"]
DEFAULT = "default"
"""The name of the model that `default_model.py` makes."""
_GIB = 1 << 30
FREE = ("Apache-2.0", "MIT", "BSD-3-Clause")
"""Licences of models that are recommended without being asked for."""
LINE_TOKENS = 8
SOON_S = 0.5
"""A completion of one line must arrive within this many seconds, or nobody waits for it."""
CORE_GB_S, CPU_GB_S = 7.0, 60.0
"""Weights that one core reads in a second, in 10⁹ bytes, and the most that all cores together read.  Each token reads
all weights, so memory is the bound.  Rough on purpose; `palimpsest doctor` measures."""
APPLE_GB_S, GPU_GB_S = 90.0, 300.0
"""Apple's and NVIDIA's graphics processors, the slower ones of each, read so many gigabytes a second."""


@dataclass(frozen=True, slots=True)
class KnownModel:
    """`size_gb` is the download, in 10⁹ bytes; `memory_gib` what it takes to run with 16,384 tokens of cache.

    `instructed`: whether it follows instructions well enough for conversations.  `active_gb`: what is read for one
    token, where that is not the whole file (a mixture of experts).
    """

    name: str
    repo: str
    revision: str
    file: str
    sha256: str
    quantization: str
    size_gb: float
    memory_gib: float
    instructed: bool
    licence: str = "Apache-2.0"
    active_gb: float = 0.0

    @property
    def purpose(self) -> str:
        return "completion, edits, conversations" if self.instructed else "completion"

    @property
    def is_free(self) -> bool:
        return self.licence in FREE


@dataclass(frozen=True, slots=True)
class _Table:
    """`known.toml`."""

    models: tuple[KnownModel, ...]
    next_edit: tuple[KnownModel, ...]


_TABLE = from_json(tomllib.loads((files("palimpsest.models") / "known.toml").read_text("utf-8")), _Table)
KNOWN, NEXT_EDIT = _TABLE.models, _TABLE.next_edit


@dataclass(frozen=True, slots=True)
class Machine:
    """`memory` in bytes, 0 if unknown; `gpu` is its name or empty, `gpu_memory` in bytes, 0 if shared."""

    memory: int
    cores: int
    gpu: str = ""
    gpu_memory: int = 0

    @property
    def gb_s(self) -> float:
        """How fast weights can be read for a token, in 10⁹ bytes a second."""
        if self.gpu:
            return GPU_GB_S if self.gpu_memory else APPLE_GB_S
        return min(CPU_GB_S, CORE_GB_S * max(1, self.cores))

    @property
    def room(self) -> float:
        """Bytes that a model may use: half of the memory, or most of a graphics processor's own."""
        return self.gpu_memory * 0.85 if self.gpu and self.gpu_memory else self.memory / 2

    @property
    def room_in_words(self) -> str:
        if self.gpu and self.gpu_memory:
            return f"the {self.gpu_memory / _GIB:.0f} GiB of the {self.gpu}"
        return f"half of {self.memory / _GIB:.0f} GiB of memory" if self.memory else "this machine"


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """`model` is None if none is suitable; `reason` is worded for a person."""

    model: KnownModel | None
    reason: str


def fits(known: KnownModel, machine: Machine, beside: float = 0.0) -> bool:
    """Whether it has room here next to a model of `beside` GiB, as far as anyone knows."""
    return not machine.room or (known.memory_gib + beside) * _GIB <= machine.room


def line_s(known: KnownModel, machine: Machine) -> float:
    """Approximate number of seconds to generate a completion of one line."""
    return LINE_TOKENS * (known.active_gb or known.size_gb) / machine.gb_s


def recommended(machine: Machine, purpose: Purpose = "completion", beside: float = 0.0) -> ModelChoice:
    """The best model with a free licence that fits the machine's memory, next to one of `beside` GiB, and answers fast
    enough."""
    known = NEXT_EDIT if purpose == "next edits" else KNOWN
    meant = [model for model in known if model.is_free and (model.instructed or purpose != "conversations")]
    fitting = [model for model in meant if machine.room and fits(model, machine, beside)]
    soon = [model for model in fitting if line_s(model, machine) <= SOON_S]
    where = f"the {machine.gpu}" if machine.gpu else f"{machine.cores} core{'' if machine.cores == 1 else 's'}"
    if not fitting:
        return ModelChoice(None, f"none fits {machine.room_in_words}")
    if not soon:
        return ModelChoice(None, f"none writes a line within {SOON_S * 1000:.0f} ms on {where}")
    best = soon[-1]
    reason = f"some {line_s(best, machine) * 1000:.0f} ms for a line on {where}"
    better = [model for model in fitting[fitting.index(best) + 1 :] if model.size_gb > best.size_gb]
    if better:
        more = min(better, key=lambda model: model.size_gb)
        return ModelChoice(
            best, f"{reason}; {more.name} would fit the memory, but take {line_s(more, machine):.1f} s a line"
        )
    return ModelChoice(best, f"{reason}, and the best that fits {machine.room_in_words}")
