"""Source code in other languages than Python: `python -m training.sources --out DIR`.

In: `sources.txt`, which names packages of npm and Debian with version and licence.
Out: their archives, fetched by the registries' own clients (`npm pack`, `apt-get source`), and each
unpacked in a folder of its own, `DIR/NAME`; what is there is not fetched again.  `training.texts --sources DIR` makes
workspaces of them.  `read` gives what may be learned from, as `training.corpus` does of wheels.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from palimpsest.languages.registry import language_of
from training.corpus import Module, Package, module_of

FILE = Path(__file__).with_name("sources.txt")
LANGUAGES = frozenset(
    {"bash", "c", "cpp", "csharp", "go", "java", "javascript", "kotlin", "lua", "php", "ruby", "rust", "swift", "tsx"}
    | {"typescript"}
)
MIRROR, KEYS = "http://deb.debian.org/debian", "/usr/share/keyrings/debian-archive-keyring.gpg"
RELEASE = "bookworm"
"""Debian's, whose sources are meant."""
ABOUT = "palimpsest-about"
"""A folder beside the sources with what says the licence."""


@dataclass(frozen=True, slots=True)
class Source:
    """A line of `sources.txt`.  `kind`: npm or debian."""

    kind: str
    name: str
    version: str
    licence: str

    @property
    def folder(self) -> str:
        return self.name.replace("/", "-").strip("@")


def listed(file: Path = FILE) -> list[Source]:
    lines = (line.split("#") for line in file.read_text().splitlines() if line.strip() and not line.startswith("#"))
    return [Source(*said.split(), licence.strip()) for said, licence in lines]


def fetch(source: Source, out: Path, apt: tuple[str, ...]) -> None:
    """Raises subprocess.CalledProcessError, OSError."""
    with tempfile.TemporaryDirectory(dir=out) as there:
        work = Path(there)
        wanted = f"{source.name}{'@' if source.kind == 'npm' else '=='}{source.version}"
        pip = (
            sys.executable,
            "-m",
            "pip",
            "download",
            "-q",
            "--no-deps",
            "--no-build-isolation",
            "--no-binary",
            ":all:",
        )
        command = {
            "npm": ("npm", "pack", "--silent", wanted),
            "debian": ("apt-get", *apt, "source", "--download-only", f"{source.name}={source.version}"),
            "pypi": (*pip, wanted),
        }[source.kind]
        subprocess.run(command, cwd=work, check=True, stdout=subprocess.DEVNULL, timeout=600)
        unpacked = work / "unpacked"
        for archive in sorted(work.glob("*.t*gz")) + sorted(work.glob("*.tar.*")):
            unpack(archive, unpacked, ABOUT if ".debian.tar." in archive.name else "")
        shutil.rmtree(out / source.folder, ignore_errors=True)
        unpacked.rename(out / source.folder)


def unpack(archive: Path, folder: Path, into: str = "") -> None:
    """An archive's files, without the one folder that they all lie in."""
    with tarfile.open(archive) as tar:
        members = [m for m in tar.getmembers() if m.isfile() and (into == "" or m.name.endswith("copyright"))]
        tops = {m.name.removeprefix("./").partition("/")[0] for m in members}
        for member in members:
            name = member.name.removeprefix("./")
            place = folder / into / (name.partition("/")[2] if len(tops) == 1 and "/" in name else name)
            if not place.resolve().is_relative_to(folder.resolve()):
                raise tarfile.TarError(f"{archive.name}: {member.name} leads out of its folder.")
            place.parent.mkdir(parents=True, exist_ok=True)
            content = tar.extractfile(member)  # not `extractall`: its filters came with Python 3.11.4
            assert content is not None
            place.write_bytes(content.read())


def apt_options(out: Path) -> tuple[str, ...]:
    """Its own list of Debian's sources: nothing of the machine's is changed, and nobody has to be root."""
    home = out.absolute() / ".apt"
    for folder in ("lists/partial", "cache/archives/partial"):
        (home / folder).mkdir(parents=True, exist_ok=True)
    (home / "sources.list").write_text(f"deb-src [signed-by={KEYS}] {MIRROR} {RELEASE} main\n")
    said: dict[str, object] = {"APT::Sandbox::User": "root"} if os.geteuid() == 0 else {}
    said |= {"Dir::Etc::SourceList": home / "sources.list", "Dir::Etc::SourceParts": "/dev/null"}
    said |= {"Dir::State::Lists": home / "lists", "Dir::Cache": home / "cache"}
    return ("-q", *(part for name, value in said.items() for part in ("-o", f"{name}={value}")))


def stated_licence(folder: Path) -> str:
    """What the package itself says of it; empty where it says nothing that is known here."""
    if (file := folder / "package.json").is_file():
        said = json.loads(file.read_text()).get("license", "")
        return str(said.get("type", "") if isinstance(said, dict) else said)
    for file in (folder / ABOUT).rglob("copyright"):
        found = re.search(r"(?m)^Files:[ \n]*\*[ ]*\n(?:[^\n]+\n)*?License: *([^\n]+)", file.read_text())
        return found[1] if found else ""
    return ""


def read(folder: Path, file: Path = FILE) -> Iterator[tuple[Package, Path, list[Module]]]:
    """The packages of a folder that may be learned from: those listed and there, under permissive licences."""
    for source in listed(file):
        there = folder / source.folder
        if there.is_dir():
            package = Package(source.folder, source.version, stated_licence(there) or source.licence)
            modules = list(modules_of(there, source.folder))
            if package.is_permissive and modules:
                yield package, there, modules


def modules_of(folder: Path, package: str) -> Iterator[Module]:
    """Every wanted file below a folder in one of LANGUAGES, in a fixed order."""
    for file in sorted(folder.rglob("*")):
        path = file.relative_to(folder).as_posix()
        is_source = file.is_file() and not file.is_symlink() and language_of("", path).id in LANGUAGES
        if is_source and (module := module_of(package, path, file.read_bytes())):
            yield module


def main() -> None:
    cli = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    cli.add_argument("--out", type=Path, required=True)
    a = cli.parse_args()
    a.out.mkdir(parents=True, exist_ok=True)
    missing = [source for source in listed() if not (a.out / source.folder).is_dir()]
    apt = apt_options(a.out)
    if any(source.kind == "debian" for source in missing):
        subprocess.run(("apt-get", *apt, "update"), check=True, stdout=subprocess.DEVNULL, timeout=600)
    failed = []
    for source in missing:
        try:
            fetch(source, a.out, apt)
        except (OSError, subprocess.SubprocessError, tarfile.TarError) as error:
            failed.append(source.name)
            print(f"{source.name}: {error}", file=sys.stderr)
    for package, _, modules in read(a.out):
        print(f"{package.name} {package.version}, {package.licence}: {len(modules)} files", flush=True)
    if failed:
        sys.exit("not fetched: " + ", ".join(failed))


if __name__ == "__main__":
    main()
