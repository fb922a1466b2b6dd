"""Models with a short name, and which of them suits a machine.

In: a machine's memory and processors, what the model is wanted for.  Out: `KnownModel`s, a `ModelChoice` with its
reason.  Opens nothing.

Most are pinned by the file's SHA-256 and the repository's revision, as the hub's own pages show them.  Where no hash
could be looked up, `sha256` is empty, and a download is compared with the hash that the hub then states.
"""

from dataclasses import dataclass
from typing import Literal

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


KNOWN: tuple[KnownModel, ...] = (  # from the least to the best at filling in, by what their makers and others published
    KnownModel(
        "granite-4.0-350m",
        "ibm-granite/granite-4.0-350m-GGUF",
        "b8208a86a58427e1739265318028eb5895b74bf2",
        "granite-4.0-350m-Q8_0.gguf",
        "9595dafb4ed15aa02512c8ea26188744192a6f09530eae0a2747bd3ada96cd36",
        "Q8_0",
        0.38,
        1.5,
        False,
    ),
    KnownModel(
        "qwen2.5-coder-0.5b",
        "ggml-org/Qwen2.5-Coder-0.5B-Q8_0-GGUF",
        "ecdd60b1c25ab158bec6e1ab084aeebf9eae0af4",
        "qwen2.5-coder-0.5b-q8_0.gguf",
        "d0f8cd6c49bab52a0abdbe47948518b1f4d9b1a8a2a6825099cea31cea10ac56",
        "Q8_0",
        0.53,
        1.5,
        False,
    ),
    KnownModel(
        "granite-4.0-1b",
        "ibm-granite/granite-4.0-1b-GGUF",
        "b27c2fe3f211b7f44e80fa620177aea371099aaa",
        "granite-4.0-1b-Q8_0.gguf",
        "0660c20c3d3d3672b90f0468f62dc128a82a6e3ee2ec05d310d242969be06140",
        "Q8_0",
        1.74,
        3.5,
        True,
    ),
    KnownModel(
        "qwen2.5-coder-1.5b",
        "ggml-org/Qwen2.5-Coder-1.5B-Q8_0-GGUF",
        "8be1b8a895a84beea772817caaa71eba6b6e0d07",
        "qwen2.5-coder-1.5b-q8_0.gguf",
        "29871c94d15727a6e243f79a37113d4ae625a6215b5e800bf41a23af2da32832",
        "Q8_0",
        1.65,
        3,
        False,
    ),
    KnownModel(
        "qwen2.5-coder-1.5b-instruct",
        "bartowski/Qwen2.5-Coder-1.5B-Instruct-GGUF",
        "781adfcec293ab15feda5c789776642e3b5b682f",
        "Qwen2.5-Coder-1.5B-Instruct-Q8_0.gguf",
        "717ed8f7110e9ffc8a0e1a607ec131aa9ee3a8d69d5a6e11b5e15ed7b0f6af4c",
        "Q8_0",
        1.65,
        3,
        True,
    ),
    KnownModel(
        "qwen2.5-coder-3b",
        "ggml-org/Qwen2.5-Coder-3B-Q8_0-GGUF",
        "9c1de162ae417c9c3aacde97c729c4128de047d8",
        "qwen2.5-coder-3b-q8_0.gguf",
        "a522a906e299ed34db738b9626b2cd0da9e446c14674468a22fc2eae3dbd344d",
        "Q8_0",
        3.29,
        4.5,
        False,
        "Qwen Research",
    ),
    KnownModel(
        "mellum-4b",
        "JetBrains/Mellum-4b-dpo-all-gguf",
        "main",
        "mellum-4b-dpo-all.Q8_0.gguf",
        "",
        "Q8_0",
        4.27,
        6,
        False,
    ),
    KnownModel(
        "qwen2.5-coder-7b-instruct-q4",
        "bartowski/Qwen2.5-Coder-7B-Instruct-GGUF",
        "edafdf364bf87b6bcaf18bf8f7ab1c0c15ae9142",
        "Qwen2.5-Coder-7B-Instruct-Q4_K_M.gguf",
        "1664fccab734674a50763490a8c6931b70e3f2f8ec10031b54806d30e5f956b6",
        "Q4_K_M",
        4.68,
        6.5,
        True,
    ),
    KnownModel(
        "qwen2.5-coder-7b",
        "ggml-org/Qwen2.5-Coder-7B-Q8_0-GGUF",
        "bca77e0a8c88fc224882bcc404170c3ef17efacc",
        "qwen2.5-coder-7b-q8_0.gguf",
        "0ef48dc94a3c551a6736ac2601de38413dc9aa9318534b16e8baee08290a4aaf",
        "Q8_0",
        8.1,
        10,
        False,
    ),
    KnownModel(
        "mellum2-12b-q4",
        "mradermacher/Mellum2-12B-A2.5B-Base-GGUF",
        "main",
        "Mellum2-12B-A2.5B-Base.Q4_K_M.gguf",
        "",
        "Q4_K_M",
        7.7,
        10,
        False,
        active_gb=1.6,
    ),
    KnownModel(
        "seed-coder-8b",
        "mradermacher/Seed-Coder-8B-Base-GGUF",
        "main",
        "Seed-Coder-8B-Base.Q8_0.gguf",
        "",
        "Q8_0",
        8.77,
        11,
        False,
        "MIT",
    ),
    KnownModel(
        "qwen2.5-coder-14b-instruct-q4",
        "bartowski/Qwen2.5-Coder-14B-Instruct-GGUF",
        "42c3dee6147591c2a3c327a01f6810eef09e0685",
        "Qwen2.5-Coder-14B-Instruct-Q4_K_M.gguf",
        "2946d28c9e1bb2bcae6d42e8678863a31775df6f740315c7d7e6d6b6411f5937",
        "Q4_K_M",
        8.99,
        13,
        True,
    ),
    KnownModel(
        "deepseek-coder-v2-lite-q4",
        "legraphista/DeepSeek-Coder-V2-Lite-Base-IMat-GGUF",
        "5ffc46df43ad8cdd802a695a7d4bed44146b4ee0",
        "DeepSeek-Coder-V2-Lite-Base.Q4_K.gguf",
        "3a5b6433ac65fae405cdd446d1d4298a4b53ed26a8b64f53fdefdb92fa6e84fd",
        "Q4_K_M",
        10.4,
        12.5,
        False,
        "DeepSeek",
        active_gb=1.6,
    ),
    KnownModel(
        "qwen3-coder-30b-q4",
        "unsloth/Qwen3-Coder-30B-A3B-Instruct-GGUF",
        "main",
        "Qwen3-Coder-30B-A3B-Instruct-Q4_K_M.gguf",
        "",
        "Q4_K_M",
        18.56,
        19.5,
        True,
        active_gb=2.0,
    ),
)


NEXT_EDIT: tuple[KnownModel, ...] = (
    KnownModel(
        "sweep-0.5b",
        "sweepai/sweep-next-edit-0.5B",
        "main",
        "sweep-next-edit-0.5b.q8_0.gguf",
        "2d2f5ca856765a086d4ee3d0dc4d30358e9d562e36480e0c754240e9cf45ed64",
        "Q8_0",
        0.53,
        1.5,
        False,
    ),
    KnownModel(
        "sweep-1.5b",
        "sweepai/sweep-next-edit-1.5B",
        "409016591c6c1a94f545f22328a85a3516118f34",
        "sweep-next-edit-1.5b.q8_0.v2.gguf",
        "1321ea5e5d7529e60f9770c6a0b3a965f89542d16cf4ae51bab267f6a88150da",
        "Q8_0",
        1.54,
        2.5,
        False,
    ),
    KnownModel(
        "sweep-7b-q4",
        "henrik3/sweep-next-edit-v2-7B-GGUF",
        "main",
        "q4_k_m.gguf",
        "b032f1b9308d5af319ac6a487f79d4d8e9e83cf50b8362c9a53eef448fed206c",
        "Q4_K_M",
        4.68,
        6.5,
        False,
    ),
    KnownModel(
        "zeta-2.1-q4",
        "adilkairolla/zeta-2.1-GGUF",
        "main",
        "zeta-2.1-Q4_K_M.gguf",
        "",
        "Q4_K_M",
        5.08,
        7,
        False,
    ),
)
"""These models are for next edits alone, beside a model for completions (`next_edit_models.py`); they run with 8,192
tokens of cache."""


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
    where = f"a {machine.gpu}" if machine.gpu else f"{machine.cores} core{'' if machine.cores == 1 else 's'}"
    memory = f"{machine.memory / _GIB:.0f} GiB of memory"
    if not fitting:
        return ModelChoice(None, f"none fits half of {memory}")
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
    return ModelChoice(best, f"{reason}, and the best that fits {memory}")
