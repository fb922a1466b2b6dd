"""Gets a model file: by a short name, from a repository of the Hugging Face hub, or from a URL.

In: a name.  Out: a complete, checked GGUF file in the models folder.  An interrupted download continues where it
stopped, also in another process.  The result is compared with the SHA-256 that is pinned here, given in the URL, or
reported by the hub.  If there is none, a person must say that the file need not be checked.
"""

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from glob import escape as glob_escape
from pathlib import Path

import httpx2

from palimpsest import __version__
from palimpsest.errors import ModelError
from palimpsest.models.alone import alone, need_room, sha256_of
from palimpsest.models.files import inspect
from palimpsest.models.header import GgufFile
from palimpsest.models.hub import Hub, ModelSource, source_of, the_hub
from palimpsest.models.transfer import AGAIN, SILENCE_S, Progress, RemoteFile, load, look, variables_named

__all__ = ["Progress", "Unverified", "get"]


class Unverified(ModelError):
    """The expected content of the file is unknown."""


def get(name: str, *, unverified: bool = False, progress: Progress | None = None) -> GgufFile:
    """Downloads a known model's name, `owner/repository/file.gguf` or a URL into the models folder.

    An existing file with the right SHA-256 is not downloaded again.  A URL may end in `#sha256=…`; with `unverified`, a
    URL without it is downloaded, too.  Raises InvalidArgument for a name that is none of these, Unverified, and
    ModelError if the file cannot be downloaded or has the wrong content; an existing file is then left unchanged.
    """
    with _errors(name), _client() as client:
        hub = the_hub()
        source = source_of(name, hub)
        if source.sha256 and _is(source.target, source.sha256):
            return inspect(source.target)
        remote = look(client, source.url, hub)
        wanted = source.sha256 or remote.sha256
        if not wanted and not unverified:
            raise Unverified(
                f"Nothing says which content {source.target.name} should have.",
                hint="End the URL in #sha256=… with its maker's hash, or take the file as it is with --unverified.",
            )
        if not (wanted and _is(source.target, wanted)):
            source.target.parent.mkdir(parents=True, exist_ok=True)
            _download(client, source, hub, remote, wanted, progress)
    return inspect(source.target)


def _is(path: Path, sha256: str) -> bool:
    return path.is_file() and sha256_of(path) == sha256


def _download(
    client: httpx2.Client, source: ModelSource, hub: Hub, remote: RemoteFile, wanted: str, progress: Progress | None
) -> None:
    """Downloads into a file next to the target, named after the wanted version, continuing an earlier attempt; then
    checks it and moves it to the target."""
    key = hashlib.sha256(f"{source.url} {wanted or remote.version}".encode()).hexdigest()[:12]
    part = source.target.with_name(f".{source.target.name}.{key}.part")
    with alone(part.with_suffix(".lock")):
        with part.open("a+b") as file:
            file.seek(0, os.SEEK_END)
            if file.tell() > remote.size:
                file.truncate(0)
                file.seek(0)
            need_room(part.parent, remote.size - file.tell())
            load(client, source.url, hub, file, remote.size, progress)
        try:
            if wanted and not _is(part, wanted):
                hint = "It was dropped; try again, and if it happens again, the file on the other side is another one."
                raise ModelError(
                    f"What came for {source.target.name} does not have the SHA-256 it should have.", hint=hint
                )
            inspect(part)
        except ModelError:
            part.unlink()
            raise
        part.replace(source.target)
    for leftover in source.target.parent.glob(f".{glob_escape(source.target.name)}.*"):  # other versions, and the lock
        leftover.unlink(missing_ok=True)


def _without_password(name: str) -> str:
    """Also of an address that is none."""
    scheme, is_address, rest = name.partition("://")
    return f"{scheme}://{rest.rpartition('@')[2]}" if is_address else name


def _client() -> httpx2.Client:
    with variables_named():
        return httpx2.Client(timeout=SILENCE_S, headers={"User-Agent": f"palimpsest/{__version__}"})


@contextmanager
def _errors(name: str) -> Iterator[None]:
    """Turn httpx2's and the system's errors into ours; a password in an address is said to nobody."""
    name = _without_password(name)
    try:
        yield
    except httpx2.HTTPStatusError as error:
        status = error.response.status_code
        hint = "It may be private: HF_TOKEN is the hub's key." if status in (401, 403) else AGAIN
        raise ModelError(f"{name} cannot be downloaded: the answer is {status}.", hint=hint) from error
    except (httpx2.HTTPError, httpx2.InvalidURL, ValueError) as error:  # a ValueError: no address, or no header
        reason = str(error) or type(error).__name__
        raise ModelError(f"{name} cannot be downloaded: {reason.rstrip('.')}.", hint=AGAIN) from error
    except OSError as error:
        raise ModelError(f"{name} cannot be kept: {error.strerror or error}.", hint=AGAIN) from error
