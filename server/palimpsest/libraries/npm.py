"""Where a person's npm fetches packages from.

In: the environment, `.npmrc` of the person's home.  Out: a `Registry`.  Runs nothing: npm need not be installed.
https://docs.npmjs.com/cli/using-npm/config says which names there are; a scope's own registry goes before the general.
"""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import httpx2

from palimpsest.errors import ModelError
from palimpsest.system import folders
from palimpsest.system.reading import MOST_OF_SETTINGS, Refused, read_text

PUBLIC = "https://registry.npmjs.org/"
VARIABLE = re.compile(r"\$\{([^}]+)\}")


@dataclass(frozen=True, slots=True)
class Registry:
    """`token` is sent to this registry's own origin only; `ca_file`: certificates to trust, None for the usual ones."""

    url: str
    token: str = ""
    ca_file: Path | None = None

    def address(self, package: str, version: str) -> str:
        """Of a package's archive, as registries lay them out."""
        return f"{self.url.rstrip('/')}/{package}/-/{package.rpartition('/')[2]}-{version}.tgz"


def registry(scope: str, environment: Mapping[str, str] = os.environ, home: Path | None = None) -> Registry:
    """Raises ModelError where what is set is no address, or names a variable that is not set."""
    named = environment.get("npm_config_userconfig") or environment.get("NPM_CONFIG_USERCONFIG")
    given = _read(Path(named) if named else (home or Path.home()) / ".npmrc", environment)
    given |= {
        name[len("npm_config_") :].lower(): value
        for name, value in environment.items()
        if name.lower().startswith("npm_config_") and value
    }

    def setting(*names: str) -> str:
        name = next((name for name in names if given.get(name)), "")
        if missing := VARIABLE.search(given.get(name, "")):
            raise ModelError(f"npm's setting `{name}` names the variable {missing[1]}, which is not set.")
        return given.get(name, "")

    url = setting(f"{scope}:registry", "registry") or PUBLIC
    try:
        httpx2.URL(url)
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(url)
    except (httpx2.InvalidURL, ValueError) as error:
        raise ModelError(
            f"npm's setting `registry` is no address: expected one such as {PUBLIC}.",
            hint="`npm config get registry` says what it is.",
        ) from error
    steps = parts.path.rstrip("/").split("/")
    owned = [f"//{parts.netloc}{'/'.join(steps[:n])}/:_authToken" for n in range(len(steps), 0, -1)]
    ca_file = setting("cafile")
    return Registry(url, setting(*owned), folders.expanded(ca_file) if ca_file else None)


def _read(file: Path, environment: Mapping[str, str]) -> dict[str, str]:
    """`name = value` a line, with `${VARIABLE}` filled in."""
    try:
        lines = read_text(file, MOST_OF_SETTINGS).splitlines()
    except (OSError, Refused):
        return {}
    found = {}
    for line in lines:
        name, sign, value = line.partition("=")
        if sign and not name.lstrip().startswith(("#", ";")):
            text = value.strip().strip("\"'")
            found[name.strip()] = VARIABLE.sub(lambda one: environment.get(one[1], one[0]), text)
    return found
