"""libllama through ctypes: the functions that the engine calls, and no others.

In: the path of a library, or of a folder with one.  Out: `Binding`, an attribute for each function of llama.h in
`FUNCTIONS`, with llama.h's argument types, and the parameter structures in the layout of that version (`layouts.py`).
What cannot be used is refused with a sentence, never tried: another version's structures would be read as garbage.
Knows no model.
"""

import ctypes
import os
import platform
import struct
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from ctypes import POINTER, c_bool, c_char_p, c_float, c_int32, c_size_t, c_uint8, c_uint32, c_uint64, c_void_p
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Final

from palimpsest.engine.llama.layouts import (
    LAYOUTS,
    ChainParams,
    Field,
    LlamaBatch,
    StructLayout,
    TokenDataArray,
    structure,
)
from palimpsest.errors import EngineUnavailable
from palimpsest.libraries.locate import WAYS
from palimpsest.system.reading import Refused, open_regular

LOG_CALLBACK: Final = ctypes.CFUNCTYPE(None, ctypes.c_int, c_char_p, c_void_p)

PLAIN: Final[Mapping[str, tuple[Any, Sequence[Any]]]] = {
    "llama_backend_init": (None, ()),
    "llama_log_set": (None, (LOG_CALLBACK, c_void_p)),
    "llama_supports_gpu_offload": (c_bool, ()),
    "llama_model_free": (None, (c_void_p,)),
    "llama_model_get_vocab": (c_void_p, (c_void_p,)),
    "llama_model_chat_template": (c_char_p, (c_void_p, c_char_p)),
    "llama_model_desc": (c_int32, (c_void_p, c_char_p, c_size_t)),
    "llama_model_meta_val_str": (c_int32, (c_void_p, c_char_p, c_char_p, c_size_t)),
    "llama_model_n_params": (c_uint64, (c_void_p,)),
    "llama_model_size": (c_uint64, (c_void_p,)),
    "llama_free": (None, (c_void_p,)),
    "llama_get_memory": (c_void_p, (c_void_p,)),
    "llama_n_ctx": (c_uint32, (c_void_p,)),
    "llama_decode": (c_int32, (c_void_p, LlamaBatch)),
    "llama_set_n_threads": (None, (c_void_p, c_int32, c_int32)),
    "llama_print_system_info": (c_char_p, ()),
    "llama_get_logits_ith": (POINTER(c_float), (c_void_p, c_int32)),
    "llama_memory_can_shift": (c_bool, (c_void_p,)),
    "llama_memory_seq_add": (None, (c_void_p, c_int32, c_int32, c_int32, c_int32)),
    "llama_memory_seq_cp": (None, (c_void_p, c_int32, c_int32, c_int32, c_int32)),
    "llama_memory_seq_pos_max": (c_int32, (c_void_p, c_int32)),
    "llama_memory_seq_pos_min": (c_int32, (c_void_p, c_int32)),
    "llama_memory_seq_rm": (c_bool, (c_void_p, c_int32, c_int32, c_int32)),
    "llama_state_seq_get_size_ext": (c_size_t, (c_void_p, c_int32, c_uint32)),
    "llama_state_seq_get_data_ext": (c_size_t, (c_void_p, POINTER(c_uint8), c_size_t, c_int32, c_uint32)),
    "llama_state_seq_set_data_ext": (c_size_t, (c_void_p, POINTER(c_uint8), c_size_t, c_int32, c_uint32)),
    "llama_tokenize": (c_int32, (c_void_p, c_char_p, c_int32, POINTER(c_int32), c_int32, c_bool, c_bool)),
    "llama_token_to_piece": (c_int32, (c_void_p, c_int32, c_char_p, c_int32, c_int32, c_bool)),
    "llama_vocab_get_attr": (ctypes.c_int, (c_void_p, c_int32)),
    "llama_vocab_is_control": (c_bool, (c_void_p, c_int32)),
    "llama_vocab_is_eog": (c_bool, (c_void_p, c_int32)),
    "llama_vocab_get_add_bos": (c_bool, (c_void_p,)),
    "llama_sampler_accept": (None, (c_void_p, c_int32)),
    "llama_sampler_apply": (None, (c_void_p, POINTER(TokenDataArray))),
    "llama_sampler_free": (None, (c_void_p,)),
    "llama_sampler_chain_default_params": (ChainParams, ()),
    "llama_sampler_chain_init": (c_void_p, (ChainParams,)),
    "llama_sampler_chain_add": (None, (c_void_p, c_void_p)),
    "llama_sampler_init_dist": (c_void_p, (c_uint32,)),
    "llama_sampler_init_grammar": (c_void_p, (c_void_p, c_char_p, c_char_p)),
    "llama_sampler_init_min_p": (c_void_p, (c_float, c_size_t)),
    "llama_sampler_init_temp": (c_void_p, (c_float,)),
    "llama_sampler_init_top_k": (c_void_p, (c_int32,)),
    "llama_sampler_init_top_p": (c_void_p, (c_float, c_size_t)),
}
OF_A_MODEL: Final = {
    "llama_model_has_encoder": c_bool,
    "llama_model_is_diffusion": c_bool,
    "llama_model_is_hybrid": c_bool,
    "llama_model_is_recurrent": c_bool,
    "llama_model_n_ctx_train": c_int32,
    "llama_model_n_embd": c_int32,
    "llama_model_n_head": c_int32,
    "llama_model_n_head_kv": c_int32,
    "llama_model_n_layer": c_int32,
    "llama_model_n_swa": c_int32,
    "llama_model_rope_type": ctypes.c_int,
}
OF_A_VOCABULARY: Final = {
    f"llama_vocab_{name}": c_int32
    for name in (
        "bos",
        "eos",
        "eot",
        "fim_mid",
        "fim_pre",
        "fim_rep",
        "fim_sep",
        "fim_suf",
        "fim_pad",
        "n_tokens",
        "type",
    )
}
FUNCTIONS: Final = {**PLAIN, **{name: (kind, (c_void_p,)) for name, kind in (OF_A_MODEL | OF_A_VOCABULARY).items()}}
"""Name: result and arguments.  Besides them, those that take or return the parameter structures."""
SAMPLERS: Final[Mapping[str, tuple[Any, Sequence[Any]]]] = {
    "llama_sampler_init_dry": (
        c_void_p,
        (c_void_p, c_float, c_float, c_int32, c_int32, POINTER(c_char_p), c_size_t),
    ),
    "llama_sampler_init_infill": (c_void_p, (c_void_p,)),
    "llama_sampler_init_penalties": (c_void_p, (c_int32, c_int32, c_float, c_float, c_float)),
    "llama_sampler_init_temp_ext": (c_void_p, (c_float, c_float, c_float)),
    "llama_sampler_init_top_n_sigma": (c_void_p, (c_float,)),
    "llama_sampler_init_typical": (c_void_p, (c_float, c_size_t)),
    "llama_sampler_init_xtc": (c_void_p, (c_float, c_float, c_size_t, c_uint32)),
}
"""Those that only llama-server's requests use: a library may lack them."""
RAW: Final = 1024
"""Bytes, more than any parameter structure has."""


@dataclass(frozen=True, slots=True)
class Device:
    """`kind`: CPU, GPU, IGPU or ACCEL; `memory`: its bytes."""

    name: str
    description: str
    kind: str
    memory: int
    free: int


KINDS: Final = ("CPU", "GPU", "IGPU", "ACCEL")


class Binding:
    """A loaded libllama.  `version`: as it says itself, "" where it says nothing."""

    def __init__(self, path: Path) -> None:
        """Raises EngineUnavailable with what is wrong with the library."""
        self.path = path
        self._native = opened(path)
        self.version = self._text_of("llama_version")
        missing = [name for name in (*FUNCTIONS, "llama_init_from_model") if not hasattr(self._native, name)]
        if missing:
            raise refused(path, f"has no {_listed(missing)}: it is no llama.cpp, or too old a one", self.version)
        layout = self._layout()
        self.llama_model_params = structure("llama_model_params", layout.model)
        self.llama_context_params = structure("llama_context_params", layout.context)
        for name, (result, arguments) in (*FUNCTIONS.items(), *SAMPLERS.items()):
            if hasattr(self._native, name):
                self._declare(name, result, arguments)
        self._declare("llama_model_default_params", self.llama_model_params, ())
        self._declare("llama_context_default_params", self.llama_context_params, ())
        self._declare("llama_model_load_from_file", c_void_p, (c_char_p, self.llama_model_params))
        self._declare("llama_init_from_model", c_void_p, (c_void_p, self.llama_context_params))

    def __getattr__(self, name: str) -> Any:
        """A function that this library does not have."""
        raise AttributeError(f"llama.cpp {self.version} has no {name}")

    def has(self, name: str) -> bool:
        return hasattr(self._native, name)

    def load_backends(self) -> None:
        """The libraries beside this one: of those for processors the best for this machine, of all others each that
        finds its device.  Where they are part of libllama there is nothing to be loaded."""
        if not self.devices():
            load = self.function("ggml_backend_load_all_from_path", None, (c_char_p,))
            load(os.fsencode(self.path.parent))
        if not self.devices():
            raise refused(self.path, "has no backend for this processor beside it", self.version)

    def devices(self) -> list[Device]:
        """What it can compute on."""
        count = self.function("ggml_backend_dev_count", c_size_t, ())
        get = self.function("ggml_backend_dev_get", c_void_p, (c_size_t,))
        name = self.function("ggml_backend_dev_name", c_char_p, (c_void_p,))
        about = self.function("ggml_backend_dev_description", c_char_p, (c_void_p,))
        kind = self.function("ggml_backend_dev_type", ctypes.c_int, (c_void_p,))
        memory = self.function("ggml_backend_dev_memory", None, (c_void_p, POINTER(c_size_t), POINTER(c_size_t)))
        devices = list[Device]()
        for i in range(count()):
            handle, free, total = get(i), c_size_t(), c_size_t()
            memory(handle, ctypes.byref(free), ctypes.byref(total))
            what = KINDS[kind(handle)] if kind(handle) < len(KINDS) else ""
            devices.append(Device(_text(name(handle)), _text(about(handle)), what, total.value, free.value))
        return devices

    def function(self, name: str, result: Any, arguments: Sequence[Any]) -> Callable[..., Any]:
        """One that `FUNCTIONS` does not name, also of ggml's libraries: libllama brought them along, and dlsym finds
        them by its handle."""
        function = getattr(self._native, name)
        function.restype, function.argtypes = result, arguments
        return function  # type: ignore[no-any-return]

    def _declare(self, name: str, result: Any, arguments: Sequence[Any]) -> None:
        setattr(self, name, self.function(name, result, arguments))

    def _text_of(self, name: str) -> str:
        return _text(self.function(name, c_char_p, ())()) if hasattr(self._native, name) else ""

    def _layout(self) -> StructLayout:
        """The one that its default parameters fit.  They are looked at whatever version it names: between two versions
        that were seen there may be others."""
        model, context = defaults(self._native, "llama_model"), defaults(self._native, "llama_context")
        for layout in LAYOUTS:
            if fits(model, layout.model) and fits(context, layout.context):
                return layout
        known = ", ".join(version for layout in LAYOUTS for version in layout.versions)
        raise refused(self.path, f"has parameters of another layout than those known (llama.cpp {known})", self.version)


def defaults(native: ctypes.CDLL, of: str) -> bytes:
    """`RAW` bytes of which the first are `{of}_default_params()`: a structure of this size comes back through memory of
    the caller's, as any larger one does."""

    class Raw(ctypes.Structure):
        _fields_ = (("bytes", c_uint8 * RAW),)

    function = getattr(native, f"{of}_default_params")
    function.restype, function.argtypes = Raw, ()
    return bytes(function().bytes)


def fits(raw: bytes, fields: Sequence[Field]) -> bool:
    """Whether default parameters are what a layout says of each field."""
    params = structure("params", fields).from_buffer_copy(raw)
    return all((getattr(params, name) or None) == (default or None) for name, _, default in fields)


def refused(path: Path, why: str, version: str = "") -> EngineUnavailable:
    called = f" (llama.cpp {version})" if version else ""
    return EngineUnavailable(f"{path}{called} cannot be used: it {why}.", hint=WAYS)


def opened(path: Path) -> ctypes.CDLL:
    """Raises EngineUnavailable."""
    if sys.platform == "win32":
        os.add_dll_directory(str(path.parent))
    kinds = set[bytes]()
    for file in (path, *sorted(path.parent.glob("libggml*.so*"))):  # a library loads those beside it
        try:
            with suppress(FileNotFoundError), open_regular(file) as content:  # the loader says that it is missing
                head = content.read(64)
                if _is_cut_off(content, head):
                    raise refused(file, "does not load (it is cut off, or no library)")
                is_backend = file.stem.partition("-")[2] not in ("", "base")  # some have code for a GPU's own processor
                if head[:4] == b"\x7fELF" and not is_backend:
                    kinds.add(head[18:20])
        except Refused as error:
            raise refused(file, error.message) from error
        except OSError as error:
            raise refused(file, f"cannot be read: {error.strerror}") from error
        if len(kinds) > 1:
            raise refused(file, f"was built for another kind of processor than {path.name}")
    try:
        return ctypes.CDLL(str(path))
    except (OSError, UnicodeDecodeError) as error:
        # names in it that the loader does not find may be no text: Python fails over its message, or has none
        message = str(error) if isinstance(error, OSError) else ""
        raise refused(path, f"does not load ({_reason(message, path)})") from error


def _is_cut_off(file: BinaryIO, head: bytes) -> bool:
    """Whether an ELF file ends before its segments do: touching what is missing would end the process (SIGBUS)."""
    try:
        if len(head) < 64 or head[:4] != b"\x7fELF":
            return False  # the loader says what it is
        order, wide = ("<" if head[5] == 1 else ">"), head[4] == 2
        (table,) = struct.unpack_from(order + ("Q" if wide else "I"), head, 32 if wide else 28)
        size, count = struct.unpack_from(order + "HH", head, 54 if wide else 42)
        file.seek(table)
        raw, end = file.read(size * count), os.fstat(file.fileno()).st_size
        place, length = (8, 32) if wide else (4, 16)
        one = order + ("Q" if wide else "I")
        return len(raw) < size * count or any(
            struct.unpack_from(one, raw, at + place)[0] + struct.unpack_from(one, raw, at + length)[0] > end
            for at in range(0, len(raw), size)
        )
    except (OSError, struct.error, ValueError):
        return False


def _reason(message: str, path: Path) -> str:
    """What the loader says, in words."""
    if not message:
        return "it is damaged, or no library"
    if "GLIBC_" in message or "GLIBCXX_" in message:
        wanted = message.partition("version `")[2].partition("'")[0]
        return f"it was built for a newer system: {wanted} is not here, where glibc is {platform.libc_ver()[1]}"
    if "file too short" in message or "invalid ELF header" in message or "cannot read file data" in message:
        return "it is cut off, or no library"
    if message.startswith(f"{path}: cannot open shared object file") and path.is_file():
        return f"it was built for another kind of processor; this machine is {platform.machine()}"
    is_another = "wrong ELF class" in message or "incompatible architecture" in message
    if is_another or "cannot open shared object" not in message:
        return f"{message.removeprefix(f'{path}: ')}; this machine is {platform.machine()}"
    return message.removeprefix(f"{path}: ")


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


def _text(raw: bytes | None) -> str:
    return (raw or b"").decode("utf-8", "replace")
