"""Where a person's npm fetches packages from.

In: the environment, `.npmrc` of the person's home.  Out: a `Registry`.  Runs nothing: npm need not be installed.
https://docs.npmjs.com/cli/using-npm/config says which names there are; a scope's own registry goes before the general.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import httpx2

from palimpsest.errors import ModelError

PUBLIC = "https://registry.npmjs.org/"
VARIABLE = re.compile(r"\$\{([^}]+)\}")


@dataclass(frozen=True, slots=True)
class Registry:
    """`token` is sent to this registry's own origin only; `ca_file`: certificates to trust, "" for the usual ones."""

    url: str
    token: str = ""
    ca_file: str = ""

    def address(self, package: str, version: str) -> str:
        """Of a package's archive, as registries lay them out."""
        return f"{self.url.rstrip('/')}/{package}/-/{package.rpartition('/')[2]}-{version}.tgz"


def registry(scope: str, environment: Mapping[str, str] = os.environ, home: Path | None = None) -> Registry:
    """Raises ModelError where what is set is no address."""
    named = environment.get("npm_config_userconfig") or environment.get("NPM_CONFIG_USERCONFIG")
    given = _read(Path(named) if named else (home or Path.home()) / ".npmrc", environment)
    given |= {
        name[len("npm_config_") :].lower(): value
        for name, value in environment.items()
        if name.lower().startswith("npm_config_") and value
    }
    url = given.get(f"{scope}:registry") or given.get("registry") or PUBLIC
    try:
        httpx2.URL(url)
        parts = urlsplit(url)
    except (httpx2.InvalidURL, ValueError) as error:
        raise ModelError(
            f"npm's setting `registry` is no address: {url!r}.", hint="`npm config get registry` says what it is."
        ) from error
    folders = parts.path.rstrip("/").split("/")
    owned = [f"//{parts.netloc}{'/'.join(folders[:n])}/:_authToken" for n in range(len(folders), 0, -1)]
    token = next((given[name] for name in owned if name in given), "")
    return Registry(url, token, given.get("cafile", ""))


def _read(file: Path, environment: Mapping[str, str]) -> dict[str, str]:
    """`name = value` a line, with `${VARIABLE}` filled in."""
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return {}
    found = {}
    for line in lines:
        name, sign, value = line.partition("=")
        if sign and not name.lstrip().startswith(("#", ";")):
            text = value.strip().strip("\"'")
            found[name.strip()] = VARIABLE.sub(lambda one: environment.get(one[1], one[0]), text)
    return found
