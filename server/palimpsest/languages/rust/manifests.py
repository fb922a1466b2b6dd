"""What `Cargo.toml` and `Cargo.lock` say.

In: their texts.  Out: a package's name, targets and dependencies, a workspace's members, the versions in use.  Pure;
what makes no sense is left out.
"""

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

_KINDS = ("dependencies", "dev-dependencies", "build-dependencies")


@dataclass(frozen=True, slots=True)
class Dependency:
    """`path` is a folder relative to the manifest's; `is_inherited`: the workspace's manifest says the rest."""

    package: str
    path: str = ""
    is_inherited: bool = False


@dataclass(frozen=True, slots=True)
class Manifest:
    """`library` is the name of the package's library in code, empty if there is no package; `targets` are files of
    binaries, tests and the like that the manifest names.  `shared` are a workspace's dependencies."""

    package: str = ""
    library: str = ""
    library_file: str = ""
    targets: tuple[str, ...] = ()
    dependencies: dict[str, Dependency] = field(default_factory=dict)
    is_workspace: bool = False
    members: tuple[str, ...] = ()
    shared: dict[str, Dependency] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Lock:
    """The versions of packages, and for each package and version those that it depends on."""

    versions: dict[str, tuple[str, ...]] = field(default_factory=dict)
    used: dict[tuple[str, str], dict[str, str]] = field(default_factory=dict)

    def version(self, name: str, of: str) -> str | None:
        """The version of a package that the package `of` uses; None if that is not certain."""
        known = self.versions.get(name, ())
        if len(known) == 1:
            return known[0]
        found = {used[name] for (package, _), used in self.used.items() if package == of and name in used}
        return found.pop() if len(found) == 1 else None


def manifest(text: str) -> Manifest:
    data = _parsed(text)
    package, library = _table(data, "package"), _table(data, "lib")
    name, workspace = _text(package, "name"), _table(data, "workspace")
    targets = (_text(one, "path") for kind in ("bin", "test", "example", "bench") for one in _tables(data, kind))
    return Manifest(
        name,
        crate_name(_text(library, "name") or name),
        _text(library, "path"),
        tuple(target for target in targets if target),
        dict(_dependencies(data)),
        "workspace" in data,
        tuple(one for one in _list(workspace, "members") if isinstance(one, str)),
        dict(_dependencies(workspace)),
    )


def lock(text: str) -> Lock:
    versions, used = dict[str, tuple[str, ...]](), dict[tuple[str, str], dict[str, str]]()
    for package in _tables(_parsed(text), "package"):
        name, version = _text(package, "name"), _text(package, "version")
        if name and version:
            versions[name] = (*versions.get(name, ()), version)
            needed = (one.split() for one in _list(package, "dependencies") if isinstance(one, str))
            used[name, version] = {words[0]: words[1] for words in needed if len(words) > 1}
    return Lock(versions, used)


def crate_name(package: str) -> str:
    return package.replace("-", "_")


def _dependencies(data: dict[str, Any]) -> Iterator[tuple[str, Dependency]]:
    """By the name that code uses."""
    for table in (data, *(one for one in _table(data, "target").values() if isinstance(one, dict))):
        for kind in _KINDS:
            for name, said in _table(table, kind).items():
                if isinstance(said, dict):
                    package, inherits = _text(said, "package") or name, said.get("workspace") is True
                    yield crate_name(name), Dependency(package, _text(said, "path"), inherits)
                else:
                    yield crate_name(name), Dependency(name)


def _parsed(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError):
        return {}


def _table(data: dict[str, Any], name: str) -> dict[str, Any]:
    found = data.get(name)
    return found if isinstance(found, dict) else {}


def _tables(data: dict[str, Any], name: str) -> list[dict[str, Any]]:
    return [one for one in _list(data, name) if isinstance(one, dict)]


def _list(data: dict[str, Any], name: str) -> list[Any]:
    found = data.get(name)
    return found if isinstance(found, list) else []


def _text(data: dict[str, Any], name: str) -> str:
    found = data.get(name)
    return found if isinstance(found, str) else ""
