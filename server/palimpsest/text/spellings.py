"""How an editor writes the URIs of files, which have one each inside (`uris.identity`).

In: URIs as the editor writes them, of documents and of workspace folders; identities.  Out: identities; the editor's
URIs.  Resolves symlinks; opens no file.
"""

import os
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import quote

from palimpsest.text.uris import identity, path_or_none, to_uri


class Spellings:
    """One window's.  An open document keeps its identity, whatever becomes of the links that led to it."""

    def __init__(self) -> None:
        self._identities: dict[str, str] = {}
        self._written: dict[str, str] = {}
        self._folders: list[tuple[Path, str]] = []

    def folders(self, uris: Iterable[str]) -> None:
        """The workspace's folders, which say how files in them are written that are not open."""
        found = [(Path(os.path.realpath(path)), uri.rstrip("/")) for uri in uris if (path := path_or_none(uri))]
        self._folders = sorted(found, key=lambda one: -len(one[0].parts))

    def identity(self, uri: str) -> str:
        return self._identities.get(uri) or identity(uri)

    def opened(self, uri: str) -> str:
        """The identity until it is closed.  A file that is open already by another name is a document of its own, since
        the editor has two texts."""
        if uri not in self._identities:
            real = self.identity(uri)
            others = (real, uri, real.replace("file://", "file://localhost", 1))
            known = self._identities[uri] = next((one for one in others if one not in self._written), real)
            self._written[known] = uri
        return self._identities[uri]

    def closed(self, uri: str) -> str:
        """The identity until now."""
        known = self._identities.pop(uri, None)
        if known is not None:
            self._written.pop(known, None)
        return known or identity(uri)

    def written(self, uri: str) -> str:
        """An identity as the editor writes it; lines may follow, as a fragment."""
        if uri in self._written:
            return self._written[uri]
        address, mark, lines = uri.partition("#")
        return f"{self._written.get(address) or self._below(address)}{mark}{lines}"

    def _below(self, address: str) -> str:
        """A file that is not open: the innermost folder as it is written, and the way from there."""
        path = path_or_none(address) if address.startswith("file:") else None
        around = (one for one in self._folders if path is not None and path.is_relative_to(one[0]))
        real, folder = next(around, (None, ""))
        if path is None or real is None or path == real or folder == to_uri(real).rstrip("/"):
            return address
        return f"{folder}/{quote(os.fsencode(path.relative_to(real).as_posix()))}"
