"""The address of an engine that others keep running, and the key for it.

In: the engine's settings, the environment.  Out: an `Endpoint`.  Opens no connection.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Self
from urllib.parse import urlsplit

from palimpsest.config.settings import EngineSettings
from palimpsest.errors import ModelError
from palimpsest.system.engine_address import is_loopback
from palimpsest.text.tokens import masked

HIDDEN = "•••"
MOST_READ, MOST_SHOWN = 4_000, 400
"""Characters of what a server says: more are looked at, so that no half of a key is shown."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """`url` has no slash at its end and no name or password in it.  `key` is never shown."""

    url: str
    key: str = field(default="", repr=False)
    key_name: str = ""
    ca_file: str = ""
    timeout_s: float = 120.0
    retries: int = 3

    @classmethod
    def of(cls, settings: EngineSettings, environment: Mapping[str, str] = os.environ) -> Self:
        """The settings' endpoint.  Raises ModelError where they hold no valid address, which only a person can
        change."""
        url = settings.url.strip().rstrip("/")
        if not url:
            raise ModelError(
                f"engine.url: expected a server's address where engine.kind is {settings.kind}, got none.",
                hint="Set it to one such as http://127.0.0.1:8080.",
            )
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ModelError("engine.url: expected an address.", hint="It begins with http:// or https:// and a host.")
        if parts.username is not None or parts.password is not None:
            raise ModelError(
                "engine.url: expected no name and no password in it.",
                hint="A key belongs elsewhere: see `engine.api_key`.",
            )
        if parts.query or parts.fragment:
            raise ModelError("engine.url: expected no query in it.", hint="It ends with a host, a port or a path.")
        key = (settings.api_key or environment.get(settings.api_key_env, "")).strip()
        if not (key.isascii() and key.isprintable()):
            raise ModelError("engine.api_key: expected a key of printable ASCII characters.")
        return cls(
            url=url,
            key=key,
            key_name=settings.api_key_env,
            ca_file=settings.ca_file,
            timeout_s=settings.timeout_s,
            retries=settings.retries,
        )

    @property
    def is_here(self) -> bool:
        """On this machine, where no proxy is used."""
        return is_loopback(urlsplit(self.url).hostname or "")

    @property
    def is_unencrypted(self) -> bool:
        """Others on the network can read what is sent there."""
        return self.url.startswith("http:") and not self.is_here

    def redacted(self, text: str) -> str:
        """The beginning of a server's words as people see them: in one line, without control characters, the key and
        what else looks like one."""
        text = text[:MOST_READ]
        text = masked(text.replace(self.key, HIDDEN) if self.key else text)
        return " ".join("".join(char if char.isprintable() else " " for char in text).split())[:MOST_SHOWN]

    def key_hint(self) -> str:
        return (
            f"Set the environment variable {self.key_name}, or `engine.api_key` in your editor (VS Code: “Palimpsest: "
            "Enter the Engine's Key…”)."
        )
