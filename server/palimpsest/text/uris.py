"""Convert between document URIs and paths; tell whether a path is inside a folder.

In: URIs as editors write them, paths.  Out: paths, URIs.  Resolves symlinks; opens no file.
"""

import os
import re
import stat
from collections.abc import Iterable
from pathlib import Path, PurePosixPath, PureWindowsPath
from urllib.parse import quote, unquote, urlsplit

from palimpsest.errors import InvalidArgument

_DRIVE = re.compile(r"/?([A-Za-z])[:|](?=/|$)")


def to_path(uri: str) -> Path:
    """The absolute path of a `file:` URI.

    Raises InvalidArgument for every other scheme (`untitled:`, `vscode-notebook-cell:`, …), whose documents have no
    path; `path_or_none` returns None instead.
    """
    return Path(path_text(uri, windows=os.name == "nt"))


WRITABLE = ("file", "untitled", "vscode-remote", "vscode-vfs", "vscode-notebook-cell", "inmemory")
"""Schemes of documents that users edit: files (local, remote or virtual), unsaved documents, cells of notebooks.
Documents with other schemes (`git:`, `output:`, `debug:`, …) are only shown."""


def can_be_written(uri: str) -> bool:
    """Whether users edit documents with this URI's scheme; there is no help in others."""
    return uri.partition(":")[0].lower() in WRITABLE


def path_or_none(uri: str) -> Path | None:
    """`to_path`; None for a document that is not a file."""
    try:
        return to_path(uri)
    except InvalidArgument:
        return None


def path_text(uri: str, *, windows: bool) -> str:
    """The path that a `file:` URI (RFC 8089) names on Windows or elsewhere; raises InvalidArgument."""
    try:
        parts = urlsplit(uri)
    except ValueError as error:
        raise InvalidArgument("uri", f"{uri!r} is not a URI.") from error
    if parts.scheme.lower() != "file":
        raise InvalidArgument("uri", f"{uri!r} is not a file.", hint="Save it first.")
    # A `?` or `#` that a client left unescaped can only have been part of the name: file URIs have no query.
    rest = uri[len("file:") :]
    path = rest[2 + len(parts.netloc) :] if rest.startswith("//") else rest
    path, host = unquote(path, errors="surrogateescape"), unquote(parts.netloc).lower()
    if "\0" in path or not path.startswith("/") or not _encodes(path):
        raise InvalidArgument("uri", f"{uri!r} names no absolute path.")
    if not windows:
        if host not in ("", "localhost"):
            raise InvalidArgument("uri", f"{uri!r} is on another machine.")
        return str(PurePosixPath(path))
    drive = _DRIVE.match(path)
    if drive:
        return str(PureWindowsPath(f"{drive[1].upper()}:/{path[drive.end() :].lstrip('/')}"))
    return str(PureWindowsPath(f"//{host}{path}" if host not in ("", "localhost") else path))


def _encodes(path: str) -> bool:
    """Whether a file can have this name: JSON may contain lone surrogates."""
    try:
        path.encode(errors="surrogateescape")
    except UnicodeEncodeError:
        return False
    return True


def to_uri(path: str | Path) -> str:
    """The `file:` URI of a path, made absolute without resolving symlinks; bytes that are not UTF-8 are preserved."""
    absolute = Path(os.path.abspath(path))
    if os.name == "nt":
        return absolute.as_uri()
    return "file://" + quote(os.fsencode(absolute))


def identity(uri: str) -> str:
    """The one URI of a file, however and by whatever links it is named: its real path's.  Any other URI as it is."""
    path = path_or_none(uri) if uri[:5].lower() == "file:" else None
    return uri if path is None else to_uri(os.path.realpath(path))


def folder_of(uri: str) -> Path | None:
    """The real path of a folder of this machine, which may not be made yet; None for whatever can be none: a file, a
    name that is too long, another scheme."""
    path = path_or_none(uri)
    if path is None:
        return None
    try:
        is_folder = stat.S_ISDIR(os.stat(path).st_mode)
    except FileNotFoundError:
        is_folder = True
    except (OSError, ValueError):
        is_folder = False
    return Path(os.path.realpath(path)) if is_folder else None


def relative(path: str | Path, root: str | Path) -> str:
    """The path below `root`, with forward slashes; outside of it the name alone, since folders there are private."""
    for there, base in (
        (os.path.abspath(path), os.path.abspath(root)),
        (os.path.realpath(path), os.path.realpath(root)),
    ):
        if Path(there).is_relative_to(base):
            return Path(there).relative_to(base).as_posix()
    return Path(path).name


def is_inside(path: str | Path, roots: Iterable[str | Path]) -> bool:
    """Whether `path`, symlinks and `..` resolved, is one of `roots` or inside one."""
    try:
        real = Path(path).resolve()
        return any(real.is_relative_to(Path(root).resolve()) for root in roots)
    except (OSError, RuntimeError, ValueError):  # a loop of links, or no path at all
        return False
