"""Recognise files of secrets, and the files of version control, by their paths.

In: paths.  Out: answers from names and folders alone; opens no file and follows no link.

The names are in `secret_files.txt`, by kind, and suffixes in `secret_suffixes.txt`.  Source files (`secrets.py`) and
templates (`.env.example`) are judged by their content instead (`tokens.py`).
"""

import re
import unicodedata
from fnmatch import translate
from functools import cache, lru_cache
from itertools import pairwise
from pathlib import PurePath

from palimpsest.text.word_lists import word_lists

_PATTERNS = frozenset[str]().union(*word_lists("palimpsest.text", "secret_files.txt").values())
_FOLDERS = frozenset(pattern.rstrip("/") for pattern in _PATTERNS if pattern.endswith("/"))
_PLACES = frozenset(pattern for pattern in _PATTERNS if "/" in pattern.rstrip("/"))
_FOLDERS_OF_DATA = frozenset({".env", ".envs", ".secrets", ".credentials"})
"""Everything in them is secret except source files: a virtual environment may be called `.env`."""
_FOLDERS_BELOW = frozenset({"secrets", "credentials"})
"""In folders with these names below the workspace's folder, which may itself have such a name, everything is secret
except source files."""
_TRANSLATIONS = frozenset(
    {"i18n", "l10n", "lang", "langs", "languages", "locale", "locales", "messages", "translations"}
)
"""There `id.json` is Indonesian and `sa.json` Sanskrit, elsewhere a key pair and a service's account."""
_STYLES = frozenset({"design", "design-tokens", "design-system", "style", "styles", "theme", "themes", "tokens"})
"""There `tokens.json` has colours, elsewhere keys."""
_STEMS = frozenset({"cred", "creds", "credential", "credentials", "secret", "secrets"})
_WHOLE_STEMS = frozenset({"passwd", "password", "passwords", "passphrase"})
_SUFFIXES = word_lists("palimpsest.text", "secret_suffixes.txt")
_DATA = _SUFFIXES["data"]
_SOURCE = _SUFFIXES["source"]
_TEMPLATES = _SUFFIXES["templates"]
_EVEN_SOURCE = (".env", "id_", "wp-config.", "localsettings.", "settings.local.", "config.inc.", "repl_history.")
_COPIES = re.compile(r"(?:~|\.(?:bak|backup|old|orig|save|saved|swp|swo|tmp|copy|rej|\d{1,3}))$")
_VERSION_CONTROL = frozenset({".git", "git~1", ".hg", ".svn", ".jj", ".bzr", "_darcs", ".pijul"})


@cache
def _names() -> re.Pattern[str]:
    """Compiled when a name is first looked at: it takes a twentieth of what a server's start does."""
    return re.compile("|".join(sorted(translate(pattern) for pattern in _PATTERNS if "/" not in pattern)))


@lru_cache(maxsize=4096)
def plain(name: str) -> str:
    """A name as case-insensitive file systems compare it.

    Case folded, in one Unicode form, without invisible characters (as on HFS+), dots and spaces at its end, and a
    stream behind a colon (as on Windows).
    """
    folded = unicodedata.normalize("NFKC", name).casefold()
    seen = "".join(c for c in folded if unicodedata.category(c) != "Cf")
    return seen.partition(":")[0].rstrip(". ") or seen


def is_secret(path: str | PurePath, root: str | PurePath | None = None) -> bool:
    """Whether the file probably holds keys or passwords, by its path alone; `root` is the workspace's folder."""
    parts = [plain(part) for part in PurePath(path).parts]
    if not parts:
        return False
    name, folders = _original(parts[-1]), parts[:-1]
    if any(folder in _FOLDERS or f"{above}/{folder}" in _FOLDERS for above, folder in pairwise(["", *folders])):
        return True
    words = name.lstrip(".").split(".")
    suffix = words[-1] if len(words) > 1 else ""
    if suffix in _TEMPLATES:
        return False
    if folders and f"{folders[-1]}/{name}" in _PLACES:
        return True
    if folders and folders[-1] in {"id.json": _TRANSLATIONS, "sa.json": _TRANSLATIONS, "tokens.json": _STYLES}.get(
        name, ()
    ):
        return False
    is_source = suffix in _SOURCE
    if _names().match(name) and (not is_source or name.startswith(_EVEN_SOURCE) or name.endswith("openrc.sh")):
        return True
    return not is_source and (_is_called_secret(words) or _is_in_secret_folder(PurePath(path), root))


def is_of_version_control(path: str | PurePath) -> bool:
    """Whether it belongs to git or another version control (`.git` and everything in it), which runs hooks and settings
    from there."""
    return any(plain(part) in _VERSION_CONTROL for part in PurePath(path).parts)


def _original(name: str) -> str:
    """The name without what marks a copy: `.#x`, `#x#`, `x~`, `x.bak`."""
    name = name.removeprefix(".#") if not name.startswith("#") else name.strip("#")
    while (shorter := _COPIES.sub("", name)) not in (name, ""):
        name = shorter
    return name


def _is_in_secret_folder(path: PurePath, root: str | PurePath | None) -> bool:
    folders = [plain(part) for part in path.parts[:-1]]
    below = [plain(part) for part in path.relative_to(root).parts[:-1]] if root and path.is_relative_to(root) else []
    return not (_FOLDERS_OF_DATA.isdisjoint(folders) and _FOLDERS_BELOW.isdisjoint(below))


def _is_called_secret(words: list[str]) -> bool:
    """`secrets.yaml`, `prod-credentials.json`, `secret`; `words` are the parts between dots, first the stem."""
    parts = re.split(r"[-_ \d]+", words[0])
    if len(words) > 1 and words[-1] not in _DATA:
        return words[0] in _STEMS
    return words[0] in _WHOLE_STEMS or not _STEMS.isdisjoint(parts)
