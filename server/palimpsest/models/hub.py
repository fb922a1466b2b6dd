"""Where a model file comes from: names, addresses, and which of them receive the person's token.

In: the name that a person gives, the environment.  Out: a `ModelSource`.  Opens no connections.

The token of the Hugging Face hub is sent only to the hub's own origin, not to other addresses that a person names, and
not along redirects.  `HF_ENDPOINT` names another hub, which counts as the person's own, over https or on this machine.
"""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

from palimpsest.errors import InvalidArgument, ModelError
from palimpsest.models.known import DEFAULT, KNOWN, NEXT_EDIT
from palimpsest.system import folders
from palimpsest.system.engine_address import is_loopback

HUB = "https://huggingface.co"
SHA256 = re.compile(r"[0-9a-f]{64}")
PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class ModelSource:
    """`sha256` is empty if only the server knows it."""

    url: str
    target: Path
    sha256: str = ""


@dataclass(frozen=True, slots=True)
class Hub:
    """`origin` is scheme, host and port; `named`: where the token comes from."""

    url: str
    token: str = ""
    named: str = "HF_TOKEN"

    def owns(self, url: str) -> bool:
        return origin(url) == origin(self.url)

    def headers_for(self, url: str) -> dict[str, str]:
        """Headers for a request to this address.  Raises ModelError for a token that can be in none."""
        if not (self.token.isascii() and self.token.isprintable()):
            raise ModelError(f"{self.named}: expected a token of printable ASCII characters.")
        return {"Authorization": f"Bearer {self.token}"} if self.token and self.owns(url) else {}


def origin(url: str) -> tuple[str, str, int]:
    parts = urlsplit(url)
    return parts.scheme, (parts.hostname or "").lower(), parts.port or PORTS.get(parts.scheme, 0)


def is_private(url: str) -> bool:
    """Whether nobody in between can read or change what is sent there."""
    parts = urlsplit(url)
    return parts.scheme == "https" or (parts.scheme == "http" and is_loopback(parts.hostname or ""))


def the_hub(environment: Mapping[str, str] = os.environ) -> Hub:
    """The hub to use.  Raises ModelError for an endpoint that others could listen to."""
    url = (environment.get("HF_ENDPOINT") or HUB).rstrip("/")
    if not is_private(url):
        raise ModelError(f"HF_ENDPOINT is {url}, which others can read.", hint="It begins with https://.")
    return Hub(url, _token(environment))


def _token(environment: Mapping[str, str]) -> str:
    """As the hub's own tools find it: https://huggingface.co/docs/huggingface_hub/package_reference/environment_variables"""
    if environment.get("HF_HUB_DISABLE_IMPLICIT_TOKEN", "").upper() in ("1", "ON", "YES", "TRUE"):
        return ""
    if token := environment.get("HF_TOKEN") or environment.get("HUGGING_FACE_HUB_TOKEN"):
        return token.strip()
    cache = Path(environment.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    home = Path(environment.get("HF_HOME") or cache / "huggingface")
    try:
        return Path(environment.get("HF_TOKEN_PATH") or home / "token").expanduser().read_text(encoding="utf-8").strip()
    except (OSError, ValueError):
        return ""


def source_of(name: str, hub: Hub) -> ModelSource:
    """A known model's name, `owner/repository/file.gguf`, or a URL that may end in `#sha256=…`.  Raises
    InvalidArgument for what is none of these."""
    known = next((known for known in (*KNOWN, *NEXT_EDIT) if known.name == name), None)
    if known is not None:
        target = _target(known.repo, known.file)
        return ModelSource(_url(hub, known.repo, known.revision, known.file), target, known.sha256)
    if name.startswith(("http://", "https://")):
        url, _, fragment = name.partition("#")
        file = Path(unquote(urlsplit(url).path)).name
        _need_gguf(file, name)
        sha256 = fragment.removeprefix("sha256=").lower()
        if fragment and not SHA256.fullmatch(sha256):
            raise InvalidArgument(
                "name", f"{fragment!r} is no SHA-256.", hint="The URL ends in #sha256= and 64 digits."
            )
        return ModelSource(url, folders.models() / file, sha256)
    parts = name.split("/")
    if len(parts) < 3 or not all(part.strip(". ") for part in parts) or "\\" in name:
        names = ", ".join([DEFAULT, *(known.name for known in (*KNOWN, *NEXT_EDIT))])
        raise InvalidArgument("name", f"no model is called {name!r}.", hint=f"Known: {names}; or owner/repo/file.gguf.")
    repo, file = "/".join(parts[:2]), "/".join(parts[2:])
    _need_gguf(file, name)
    return ModelSource(_url(hub, repo, "main", file), _target(repo, file))


def _url(hub: Hub, repo: str, revision: str, file: str) -> str:
    return f"{hub.url}/{quote(repo)}/resolve/{quote(revision, safe='')}/{quote(file)}"


def _target(repo: str, file: str) -> Path:
    return folders.models() / repo.replace("/", "--") / Path(file).name


def _need_gguf(file: str, name: str) -> None:
    if not file.lower().endswith(".gguf"):
        raise InvalidArgument("name", f"{name!r} does not end in .gguf.", hint="Only GGUF files can be loaded.")
