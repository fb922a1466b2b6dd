"""Fetches a prebuilt llama.cpp into the cache folder: `palimpsest engine get`.

In: a backend.  Out: a folder with libllama.  The archive is compared with a pinned
hash; of its members only libraries of llama.cpp are unpacked, and nothing of it is run.
"""

import base64
import ctypes
import hashlib
import os
import re
import shutil
import ssl
import sys
import tarfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import httpx2

from palimpsest.errors import InvalidArgument, ModelError
from palimpsest.libraries import npm
from palimpsest.libraries.known import BACKENDS, VERSION, Archive, archive, machine
from palimpsest.libraries.locate import USED, home
from palimpsest.models.alone import alone, need_room
from palimpsest.models.hub import Hub
from palimpsest.models.transfer import SILENCE_S, Progress, load, public_url, variables_named
from palimpsest.system.reading import Refused, check_regular

GZIP = b"\x1f\x8b\x08"
MEMBER = re.compile(
    r"package/(?:bins/[^/]+/)?((?:lib)?(?:llama|ggml)(?!-common|-addon)[^/]*\.(?:so|dylib|dll|metal)|LICENSE)"
)
"""What is unpacked: not the parts that only Node needs."""


@dataclass(frozen=True, slots=True)
class Got:
    """`size`: bytes unpacked."""

    folder: Path
    size: int


def wanted(backend: str) -> Archive:
    """Raises InvalidArgument for a backend that there is not, ModelError for a platform without one."""
    if backend not in (*BACKENDS, "auto"):
        raise InvalidArgument("backend", f"{backend!r} is none of auto, {', '.join(BACKENDS)}.")
    found = archive(suggested() if backend == "auto" else backend, machine())
    if found is None:
        what = "prebuilt llama.cpp" if backend == "auto" else f"prebuilt llama.cpp with {backend}"
        others = [name for name in BACKENDS if archive(name, machine())]
        hint = "Install xllamacpp or llama-cpp-python, or set `engine.library` to a libllama that you have."
        raise ModelError(
            f"There is no {what} for {machine()}.", hint=f"There is {', '.join(others)}." if others else hint
        )
    return found


DRIVERS = {"cuda": ("libcuda.so.1", "nvcuda.dll"), "vulkan": ("libvulkan.so.1", "vulkan-1.dll")}


def suggested() -> str:
    """The backend for the GPU that is here, as far as its driver's libraries tell: CUDA needs those of CUDA 13, too."""
    windows = sys.platform == "win32"
    if sys.platform == "darwin":
        return "metal" if archive("metal", machine()) else "cpu"
    if all(map(_loads, ("nvcuda.dll", "cublas64_13.dll") if windows else ("libcuda.so.1", "libcublas.so.13"))):
        return "cuda"
    has_gpu = windows or any(Path("/dev/dri").glob("renderD*"))
    return "vulkan" if has_gpu and _loads("vulkan-1.dll" if windows else "libvulkan.so.1") else "cpu"


def is_here(what: Archive) -> bool:
    """Whether it was fetched and unpacked before."""
    return os.path.isfile(home() / what.folder / "LICENSE")


def get(what: Archive, progress: Progress | None = None) -> Got:
    """The library unpacked.  Raises ModelError, with what to do."""
    folder = home() / what.folder
    try:
        home().mkdir(parents=True, exist_ok=True)
        with alone(home() / ".lock"):
            if not is_here(what):
                need_room(home(), 6 * what.size)
                _unpack(_fetched(what, progress), folder)
    except OSError as error:
        raise ModelError(f"The library cannot be written: {error.strerror or error}.") from error
    return Got(folder, sum(file.stat().st_size for file in folder.iterdir()))


def forget(what: Archive) -> None:
    """Away with what was fetched and is of no use here."""
    shutil.rmtree(home() / what.folder, ignore_errors=True)


def has_driver(backend: str) -> bool:
    """Whether the driver's library that a backend for a GPU needs is here at all."""
    return backend not in DRIVERS or _loads(DRIVERS[backend][sys.platform == "win32"])


def use(what: Archive) -> None:
    """From now on; by every engine that starts.  Raises ModelError."""
    part = home() / f".{USED}.{os.getpid()}"
    try:
        part.write_text(what.folder, encoding="utf-8")
        part.replace(home() / USED)
    except OSError as error:
        raise ModelError(f"{home() / USED} cannot be written: {error.strerror or error}.") from error
    finally:
        part.unlink(missing_ok=True)


def _fetched(what: Archive, progress: Progress | None) -> Path:
    """The archive, whole and as it should be; goes on where an earlier attempt stopped."""
    from_ = npm.registry("@node-llama-cpp")
    part = home() / f".{what.file}.part"
    try:
        if from_.ca_file:
            check_regular(from_.ca_file)
        trust = ssl.create_default_context(cafile=from_.ca_file) if from_.ca_file else True
    except (OSError, ValueError, Refused) as error:  # ssl's own errors, too
        why = getattr(error, "strerror", None) or error
        raise ModelError(f"npm's setting `cafile` is no file of certificates: {from_.ca_file} ({why}).") from error
    url = from_.address(what.package, VERSION)
    hub = Hub(from_.url, from_.token, "npm's setting `_authToken`")
    with variables_named():
        made = httpx2.Client(timeout=SILENCE_S, verify=trust)
    try:
        with made as client, part.open("ab+") as file:
            if file.tell() > what.size:
                file.truncate(0)
            load(client, url, hub, file, what.size, progress, GZIP)
    except httpx2.HTTPStatusError as error:
        status = error.response.status_code
        hint = f"{ELSEWHERE if status in (401, 403, 404) else AGAIN}  {OTHERWISE}"
        raise ModelError(f"{public_url(url)}: the registry answers {status}.", hint=hint) from error
    except (httpx2.HTTPError, httpx2.InvalidURL, ValueError) as error:  # a ValueError: it leads to no address
        why = (str(error) or type(error).__name__).rstrip(".")
        raise ModelError(f"{public_url(url)} cannot be fetched: {why}.", hint=f"{AGAIN}  {OTHERWISE}") from error
    with part.open("rb") as file:
        found = base64.b64encode(hashlib.file_digest(file, "sha512").digest()).decode()
    if found != what.sha512:
        part.unlink()
        raise ModelError(
            f"What the registry gave as {what.file} does not have the SHA-512 it should have.",
            hint="It was dropped.  Is your registry a mirror that changes files?",
        )
    return part


AGAIN = "Try again: it goes on where it stopped."
ELSEWHERE = "Does npm's setting `registry` name one that has it, and `_authToken` a key to it?"
OTHERWISE = "Or install xllamacpp, or set `engine.library`."


def _unpack(archive_: Path, folder: Path) -> None:
    """The members that are wanted, in a folder that appears as a whole.  What an attempt that was killed left goes."""
    beside = folder.with_name(f".{folder.name}.unpacked")
    shutil.rmtree(beside, ignore_errors=True)
    try:
        beside.mkdir()
        with tarfile.open(archive_, "r:gz") as tar:
            for member in tar:
                name = MEMBER.fullmatch(member.name)
                content = tar.extractfile(member) if name and member.isreg() else None
                if name and content is not None:
                    with (beside / name[1]).open("wb") as file:
                        shutil.copyfileobj(content, file, 1 << 20)
        shutil.rmtree(folder, ignore_errors=True)
        beside.rename(folder)
        archive_.unlink()
    except (tarfile.TarError, EOFError) as error:
        raise ModelError(f"{archive_.name} cannot be unpacked: {error}.") from error
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def _loads(name: str) -> bool:
    with suppress(OSError):  # that it does not load is the answer
        ctypes.CDLL(name)
        return True
    return False
