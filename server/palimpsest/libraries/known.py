"""The prebuilt llama.cpp that can be fetched, as data: for each platform and backend the archive, its hash and size.

`@node-llama-cpp` on npm (MIT) has llama.cpp 0.4.0 for each platform, on x64 with a library for each generation of
processors, of which ggml loads the best at run time.  No Node is needed: an archive is a tar file.
"""

from __future__ import annotations

import platform
import sys
from dataclasses import dataclass
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


ARCHIVES: Final = {
    one.name: one
    for one in (
        Archive(
            "linux-x64",
            "Totj6RTDMGo3FoK2yNUaz/oGmZD0olAqTrRluFUWmu0kW2i9TOzHSW0OWCAiGkzRCVX0WsU2CyUQo/W2NYtdPA==",
            10_582_760,
        ),
        Archive(
            "linux-arm64",
            "eI3anSEGzJiwF2rpMpZVTdHzw47LztbvfvuRzlu/fPO18ROnBOd+75RPUBlV6qENPpmNtbov85+3VODwEwBurg==",
            7_213_055,
        ),
        Archive(
            "linux-armv7l",
            "N/IaOXCQogfyDrlANRXbU2u+l0dbZ4BBqc3/Rv1xknHbRi/rX0rrOf5elPG8S9I5p9ebcU48HrRqk2d9O/LNHw==",
            4_285_216,
        ),
        Archive(
            "linux-x64-vulkan",
            "flEeSzONQ6OIm5bYKLQf4eEnBzcC5WugFbyPUwkCqyyOFZ8pH0H9ulQ7ZNDLSIczeKneMRJornlyY1Hq7d3GDA==",
            27_476_121,
        ),
        Archive(
            "linux-x64-cuda",
            "idsE55VoD/FbvLhnBC9krUJaUoC0XnebseAAnCpm/brKf61HEbu+idgbb5eN6mxkjLSrHtILprJ0nDcUJjVrFg==",
            142_850_036,
        ),
        Archive(
            "mac-arm64-metal",
            "6MIDAZV7DXD9R1+jEXWJkFuolni3GATGE6mmuyFYc6ZmtOh9djAy15df0T0AXK3sCmVKL+fQcOAWZezxx4MvQQ==",
            4_858_447,
        ),
        Archive(
            "mac-x64",
            "Q4nyNmbcNiKygBZQZjX+qLk2w3YzoiFpLWsxNURQN7xjyUi2p2rWxjRa7Otg0FrjGf/ri4aQ+X3Uj5Y0zD06eg==",
            10_809_280,
        ),
        Archive(
            "win-x64",
            "JcIpCnra7bAd7JNWA8ehdn2DIRaTMuj+fBC8bw+5rKSNzszWFbuj2XA05c5QHovonDMBLN1ePXE/hcfZtzXoUQ==",
            9_787_045,
        ),
        Archive(
            "win-x64-cuda",
            "PLz70neFEMkQTlmJqG1ujUtCSgHasLPMxQ9rLkqQVmZYAXqkRj+45TIHCjdn3XqUeaoun0vrO9rRaxZ8NVq9jg==",
            138_542_727,
        ),
        Archive(
            "win-x64-vulkan",
            "HJ237Azh5m4Sz+w3A1IU/fYLaSDOocskcfn2ILTgqTuuORCB86EMnu3Yt/XsNhRHTtEiwz1Q/E0mO4PLIbZLAA==",
            26_619_567,
        ),
        Archive(
            "win-arm64",
            "/UDR7Y0B8iKfc/tqxBmWkcgRdZQ9Wrkwod7fYl4J6iZXcTIj286RkHvZSED7VMY67TrcUXVvxJVMNFtmjeYnDg==",
            4_606_830,
        ),
    )
}


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
