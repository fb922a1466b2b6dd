"""Where in the workspace something may be written.

In: a path as a person or a model writes it, the workspace's folders.  Out: the real place, or why it is none.  Writes
nothing.
"""

import os
import re
import stat
import unicodedata
from collections.abc import Sequence
from pathlib import Path, PurePath

from palimpsest.errors import Denied, InvalidArgument, OutsideWorkspace, StaleDocument
from palimpsest.text.roots import innermost
from palimpsest.text.secret_names import plain
from palimpsest.text.uris import relative
from palimpsest.visible import visible
from palimpsest.workspace.files import WorkspaceFiles
from palimpsest.workspace.gitignore import OURS

FIELD = "file_path"
LONGEST_PATH = 4_000
LONGEST_NAME = 255
_RESERVED = re.compile(r"(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(?:\..*)?", re.DOTALL)
_FORBIDDEN = re.compile(r'[<>:"|?*\x00-\x1f\x7f-\x9f\u2028\u2029]')
_UNSEEN = re.compile(r"[\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0]")
_JOINERS = "\u200c\u200d"
"""Between letters that are not ASCII they are a part of the word, or of an emoji."""
_SELECTORS = re.compile(r"[\u180b-\u180d\ufe00-\ufe0f\U000e0100-\U000e01ef]")
"""Variation selectors choose the form of an emoji, or of a letter that is not ASCII, which they stand behind."""
_SETTINGS = frozenset({OURS, "palimpsest.toml"})
"""They say what models may see and do."""


def place(file_path: str, roots: Sequence[Path], exclude: Sequence[str] = (), asked: Path | None = None) -> Path:
    """The real path, links resolved, of a file that may be written; it need not exist, nor its folders.

    Relative paths are below the folder that has what they name, or begin with its name; else they are below the first
    that has the parent, else below the first.  Raises OutsideWorkspace, Denied or InvalidArgument, and StaleDocument
    where it is not the one that the person was `asked` about.
    """
    _check_name(file_path)
    if not roots:
        problem = f"{FIELD}: there is no workspace folder to write {file_path} in."
        raise OutsideWorkspace(
            problem, hint="Open a folder; in some editors a file such as pyproject.toml makes it one."
        )
    path = Path(os.path.abspath(_below(file_path, roots)))
    try:
        real = path.resolve()
        inside = any(real != root.resolve() and real.is_relative_to(root.resolve()) for root in roots)
    except (OSError, RuntimeError, ValueError):
        real, inside = path, False
    if not inside:
        raise OutsideWorkspace(
            f"{FIELD}: {file_path} is not inside the workspace.",
            hint=f"Give a path inside {', '.join(root.name for root in roots)}, relative to it.",
        )
    for one in {path, real}:
        _check_allowed(one, file_path, WorkspaceFiles(roots, exclude))
    _check_kind(real, file_path)
    if asked not in (None, real):
        raise StaleDocument(f"{file_path} leads elsewhere since the person was asked; nothing was written.")
    return real


def shown(path: Path, roots: Sequence[Path]) -> str:
    """The path as people and models see it: below the workspace's folder."""
    root = innermost(path, [root.resolve() for root in roots])
    return visible(relative(path, root) if root else path.name)


def around(path: Path, roots: Sequence[Path]) -> Path:
    """The workspace's folder that a place is in: the innermost one."""
    return max((root for root in roots if path.is_relative_to(root.resolve())), key=lambda root: len(root.parts))


def _below(file_path: str, roots: Sequence[Path]) -> Path:
    if Path(file_path).is_absolute():
        return Path(file_path)
    paths = [root / file_path for root in roots]
    there = list(filter(os.path.lexists, paths))
    if len({os.path.realpath(path) for path in there}) > 1:
        ways = " or ".join(f"{root.name}/{file_path}" for root, path in zip(roots, paths, strict=True) if path in there)
        raise InvalidArgument(FIELD, f"several of the workspace's folders have {file_path}; write {ways}.")
    if there:
        return there[0]
    if len(roots) > 1:
        paths += [root.parent / file_path for root in roots if PurePath(file_path).parts[:1] == (root.name,)]
    return next((path for path in paths if path.parent.is_dir()), paths[0])


def _check_name(file_path: str) -> None:
    try:
        too_long = len(os.fsencode(file_path)) > LONGEST_PATH
        long_name = any(len(os.fsencode(part)) > LONGEST_NAME for part in re.split(r"[/\\]", file_path))
    except UnicodeEncodeError:
        raise InvalidArgument(FIELD, "it has characters that no file's name can have.") from None
    if not file_path.strip() or file_path.endswith(("/", "\\")):
        raise InvalidArgument(FIELD, f"{file_path!r} names no file.")
    if too_long or long_name:
        raise InvalidArgument(FIELD, f"it is too long; a name may have {LONGEST_NAME} bytes.")
    if file_path.startswith("~"):
        raise InvalidArgument(FIELD, f"{file_path!r}: write a path relative to the workspace, without ~.")
    for part in _parts(file_path):
        if _FORBIDDEN.search(part) or _shows_another_name(part):
            raise InvalidArgument(FIELD, f"{part!r} has a character that a file's name should not have.")
        if part not in (".", "..") and (part != part.rstrip(" .") or _RESERVED.fullmatch(part.casefold().rstrip())):
            raise InvalidArgument(FIELD, f"{part!r} is no name for a file on every platform.")


def _shows_another_name(part: str) -> bool:
    """Whether characters that cannot be seen, or turn others around, are in it: a person would be asked about another
    name than the file's."""
    for at, character in enumerate(part):
        around = part[max(0, at - 1) : at] + part[at + 1 : at + 2]
        if character in _JOINERS and len(around) == 2 and not any(map(str.isascii, around)):
            continue
        if _SELECTORS.match(character) and at and not part[at - 1].isascii():
            continue
        if unicodedata.category(character) == "Cf" or _UNSEEN.match(character) or _SELECTORS.match(character):
            return True
    return False


def _parts(file_path: str) -> list[str]:
    path = PurePath(file_path)
    named = path.relative_to(path.anchor) if path.anchor else path
    parts = [part for piece in named.parts for part in piece.split("\\")]
    return [part for part in parts if part]


def _check_allowed(path: Path, file_path: str, files: WorkspaceFiles) -> None:
    reason = files.kept_out(path, pinned=True)
    if reason is None and plain(path.name) in _SETTINGS:
        reason = "says what models may see and do"
    if reason is not None:
        raise Denied(f"{FIELD}: {file_path} {reason}, so it is not written.")


def _check_kind(real: Path, file_path: str) -> None:
    try:
        status = real.lstat()
    except FileNotFoundError:
        return
    except NotADirectoryError:
        raise InvalidArgument(FIELD, f"{file_path}: a part of the path is a file, not a folder.") from None
    except OSError as error:
        raise Denied(f"{FIELD}: {file_path} cannot be looked at: {error.strerror}.") from error
    if stat.S_ISDIR(status.st_mode):
        raise InvalidArgument(FIELD, f"{file_path} is a folder; name a file in it.")
    if not stat.S_ISREG(status.st_mode):
        raise Denied(f"{FIELD}: {file_path} is not a regular file, so it is not written.")
    if not status.st_mode & 0o222:
        raise Denied(f"{FIELD}: {file_path} is write-protected, so it is not written.")
