"""The prebuilt llama.cpp that can be fetched: for each platform and backend an archive of `archives.txt`.

`@node-llama-cpp` on npm (MIT) has llama.cpp 0.4.0 for each platform, on x64 with a library for each generation of
processors, of which ggml loads the best at run time.  No Node is needed: an archive is a tar file.
"""

import platform
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from typing import Final

VERSION: Final = "3.21.1"
"""Later ones (3.22.1) are not there for every platform."""
BACKENDS: Final = ("cpu", "vulkan", "cuda", "metal")


@dataclass(frozen=True, slots=True)
class Archive:
    """`name`: of the package within `@node-llama-cpp`; `sha512`: base64, as npm writes it; `size` in bytes."""

    name: str
    sha512: str
    size: int

    @property
    def package(self) -> str:
        return f"@node-llama-cpp/{self.name}"

    @property
    def backend(self) -> str:
        return next((name for name in BACKENDS if self.name.endswith(name)), "cpu")

    @property
    def file(self) -> str:
        return f"{self.name}-{VERSION}.tgz"

    @property
    def folder(self) -> str:
        return f"{self.name}-{VERSION}"


def _archives() -> Iterator[Archive]:
    for line in (files("palimpsest.libraries") / "archives.txt").read_text("ascii").splitlines():
        if not line.startswith(";"):
            name, size, sha512 = line.split()
            yield Archive(name, sha512, int(size))


ARCHIVES: Final = {one.name: one for one in _archives()}


def machine() -> str:
    """This platform as npm's packages call it, such as `linux-x64`."""
    system = {"darwin": "mac", "win32": "win"}.get(sys.platform, sys.platform)
    kind = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64", "armv7l": "armv7l"}
    return f"{system}-{kind.get(platform.machine().lower(), platform.machine().lower())}"


def archive(backend: str, where: str) -> Archive | None:
    """None where there is none for the platform."""
    return ARCHIVES.get(where if backend == "cpu" else f"{where}-{backend}") or (
        ARCHIVES.get(f"{where}-metal") if backend == "cpu" else None
    )
