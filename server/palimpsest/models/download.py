"""Get a model file: by a short name, from a repository of the Hugging Face hub, or from a URL.

In: a name.  Out: a complete, checked GGUF file in the models folder.  A download that was cut off goes on where it
stopped, also in another process; the result is compared with the hub's SHA-256.  `HF_ENDPOINT` names another hub.
"""

from __future__ import annotations

import ctypes
import hashlib
import io
import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from glob import escape as glob_escape
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import unquote, urlsplit

from palimpsest import folders, installed
from palimpsest.errors import InvalidArgument, ModelError, PalimpsestError
from palimpsest.models.files import inspect
from palimpsest.models.header import GgufFile

Progress = Callable[[int, int], None]
"""Called with the bytes there are and the bytes there will be (0: not known), after each piece."""
SHA256 = re.compile(r"[0-9a-f]{64}")
_GIB = 1 << 30


@dataclass(frozen=True, slots=True)
class KnownModel:
    """`size_gb` is the download, in 10⁹ bytes; `memory_gib` what it takes to run with 16,384 tokens of cache."""

    name: str
    repo: str
    file: str
    quantization: str
    size_gb: float
    memory_gib: float
    instructed: bool

    @property
    def purpose(self) -> str:
        return "completion and edits" if self.instructed else "completion"


def _coder(size: str, size_gb: float, memory_gib: float) -> tuple[KnownModel, KnownModel]:
    """The base model, made for completion, and the one that follows instructions, both Q8_0."""
    name, repo = f"qwen2.5-coder-{size}", f"ggml-org/Qwen2.5-Coder-{size.upper()}"
    return (
        KnownModel(name, f"{repo}-Q8_0-GGUF", f"{name}-q8_0.gguf", "Q8_0", size_gb, memory_gib, False),
        KnownModel(
            f"{name}-instruct",
            f"{repo}-Instruct-Q8_0-GGUF",
            f"{name}-instruct-q8_0.gguf",
            "Q8_0",
            size_gb,
            memory_gib,
            True,
        ),
    )


def _quarter(size: str, size_gb: float, memory_gib: float) -> KnownModel:
    model = f"Qwen2.5-Coder-{size.upper()}-Instruct"
    name = f"{model.lower()}-q4"
    return KnownModel(name, f"bartowski/{model}-GGUF", f"{model}-Q4_K_M.gguf", "Q4_K_M", size_gb, memory_gib, True)


KNOWN: tuple[KnownModel, ...] = (
    *_coder("0.5b", 0.53, 1.5)[:1],
    *_coder("1.5b", 1.65, 3),
    *_coder("3b", 3.29, 4.5),
    _quarter("7b", 4.68, 6.5),
    *_coder("7b", 8.1, 10),
    _quarter("14b", 8.99, 13),
    *_coder("14b", 15.7, 20),
)


def recommended(memory: int) -> KnownModel | None:
    """The largest known model that takes no more than half of so many bytes; that follows instructions, if any does."""
    fitting = [known for known in KNOWN if known.memory_gib * _GIB <= memory / 2]
    return max(fitting, key=lambda known: (known.memory_gib, known.instructed), default=None)


def total_memory() -> int:
    """The machine's memory in bytes; 0 where it cannot be told."""
    if sys.platform == "win32":
        status = (ctypes.c_uint64 * 8)()  # MEMORYSTATUSEX: its length in the first four bytes, ullTotalPhys second
        ctypes.cast(status, ctypes.POINTER(ctypes.c_uint32))[0] = ctypes.sizeof(status)
        done = ctypes.windll.kernel32.GlobalMemoryStatusEx(ctypes.byref(status))
        return int(status[1]) if done else 0
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (ValueError, OSError):
        return 0


def get(name: str, *, progress: Progress | None = None) -> GgufFile:
    """Download a known model's name, `owner/repository/file.gguf` or a URL into the models folder.

    A file that is there already and is the one on the hub is not loaded again.  A URL may end in `#sha256=…`.  Raises
    InvalidArgument for a name that is none of these, ModelError when it cannot be had or is not what it should be; a
    file that was there before stays as it was then.
    """
    with _library_errors(name):
        source = _source(name)
        source.target.parent.mkdir(parents=True, exist_ok=True)
        wanted = _wanted(source)
        if not (source.target.is_file() and wanted.is_in(source.target)):
            _download(source, wanted, progress)
    return inspect(source.target)


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What the other side says about the file; `sha256` may be empty, `size` 0 where it is not said."""

    location: str
    size: int
    sha256: str
    version: str

    def is_in(self, path: Path) -> bool:
        """Whether this is the content of the file, as far as can be told; never where nothing is known of it."""
        if not (self.size or self.sha256) or (self.size and path.stat().st_size != self.size):
            return False
        if not self.sha256:
            return True
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest() == self.sha256


@dataclass(frozen=True, slots=True)
class _Source:
    url: str
    target: Path
    sha256: str = ""


def _source(name: str) -> _Source:
    from huggingface_hub import hf_hub_url

    known = next((known for known in KNOWN if known.name == name), None)
    where = f"{known.repo}/{known.file}" if known else name
    if where.startswith(("http://", "https://")):
        url, _, fragment = where.partition("#")
        file = Path(unquote(urlsplit(url).path)).name
        _need_gguf(file, name)
        return _Source(url, folders.models() / file, fragment.removeprefix("sha256=").lower())
    parts = where.split("/")
    if len(parts) < 3 or not all(part.strip(". ") for part in parts) or "\\" in where:
        names = ", ".join(known.name for known in KNOWN)
        raise InvalidArgument("name", f"no model is called {name!r}.", hint=f"Known: {names}; or owner/repo/file.gguf.")
    repo, file = "/".join(parts[:2]), "/".join(parts[2:])
    _need_gguf(file, name)
    url = hf_hub_url(repo, file, endpoint=os.environ.get("HF_ENDPOINT") or None)
    return _Source(url, folders.models() / repo.replace("/", "--") / Path(file).name)


def _need_gguf(file: str, name: str) -> None:
    if not file.lower().endswith(".gguf"):
        raise InvalidArgument("name", f"{name!r} does not end in .gguf.", hint="Only GGUF files can be loaded.")


def _wanted(source: _Source) -> _Wanted:
    from huggingface_hub import get_hf_file_metadata

    meta = get_hf_file_metadata(source.url)
    etag = meta.etag or ""  # of a large file on the hub: its SHA-256
    sha256 = source.sha256 or (etag if SHA256.fullmatch(etag) else "")
    return _Wanted(meta.location or source.url, meta.size or 0, sha256, etag or sha256)


def _download(source: _Source, wanted: _Wanted, progress: Progress | None) -> None:
    """Into a file beside the target that is named for the version wanted, from where an earlier try stopped; then
    checked, then put in the target's place.

    The library's own download drops what it has when it fails; its transfer is used with a file that stays.
    """
    from huggingface_hub.file_download import http_get
    from huggingface_hub.utils import WeakFileLock

    key = hashlib.sha256(f"{source.url} {wanted.version}".encode()).hexdigest()[:12]
    part = source.target.with_name(f".{source.target.name}.{key}.part")
    with WeakFileLock(part.with_suffix(".lock")):
        with part.open("ab") as file, _no_bars():
            there = file.tell() if file.tell() <= (wanted.size or file.tell()) else file.truncate(0)
            counted = _Counted(file, wanted.size, progress)
            http_get(wanted.location, counted, resume_size=there, expected_size=wanted.size or None)
        try:
            if wanted.sha256 and not wanted.is_in(part):
                hint = "It was dropped; try again, and if it happens again, the file on the other side is damaged."
                raise ModelError(f"What came from {source.url} does not have the SHA-256 it should have.", hint=hint)
            inspect(part)
        except ModelError:
            part.unlink()
            raise
        part.replace(source.target)
    for left in source.target.parent.glob(f".{glob_escape(source.target.name)}.*"):  # of other versions, and the lock
        left.unlink(missing_ok=True)


class _Counted(io.RawIOBase):
    """The file, telling how much there is after each piece."""

    def __init__(self, file: BinaryIO, size: int, progress: Progress | None) -> None:
        self._file, self._size, self._progress = file, size, progress

    def write(self, data: Any) -> int:
        written = self._file.write(data)
        if self._progress:
            self._progress(self._file.tell(), self._size)
        return written

    def tell(self) -> int:
        return self._file.tell()

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        return self._file.seek(offset, whence)

    def truncate(self, size: int | None = None) -> int:
        return self._file.truncate(size)


@contextmanager
def _no_bars() -> Iterator[None]:
    """Without the library's own progress bars."""
    from huggingface_hub import utils

    if utils.are_progress_bars_disabled():
        yield
        return
    utils.disable_progress_bars()
    try:
        yield
    finally:
        utils.enable_progress_bars()


@contextmanager
def _library_errors(name: str) -> Iterator[None]:
    """As ours.  The classes differ with the library's version and the transport it uses, so all are taken."""
    try:
        yield
    except PalimpsestError:
        raise
    except ImportError as error:
        hint = f"{installed.add('download')}, or fetch the file yourself and `palimpsest model use PATH`."
        raise ModelError("Downloading needs huggingface_hub.", hint=hint) from error
    except Exception as error:
        reason = next((line.strip() for line in str(error).splitlines() if line.strip()), type(error).__name__)
        hint = "Check the name and the connection and try again: a download goes on where it stopped."
        raise ModelError(f"{name} cannot be downloaded: {reason}", hint=hint) from error
