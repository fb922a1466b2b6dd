"""Folders that a project's compiler searches for headers, as files for other tools say.

In: the texts of `compile_commands.json`, `compile_flags.txt` and `.clangd`.  Out: folders, as they are written there.
Pure; what makes no sense is left out.  Nothing is run.
"""

import itertools
import json
import posixpath
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

_FLAG = re.compile(
    r"""(?:^|(?<=[\s,\['"]))-(?:isystem|iquote|I)[\s,]*(?:"([^"\n]+)"|'([^'\n]+)'|([^\s,\]'"]+))""", re.MULTILINE
)
_NAMES = ("-isystem", "-iquote", "-I")
_MOST_FOLDERS = 64


@dataclass(frozen=True, slots=True)
class Compiled:
    """Folders by the file that is compiled with them, both absolute or relative to the project; `every`: all of them,
    for headers, which are not compiled on their own."""

    by_file: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    every: tuple[str, ...] = ()


def folders(text: str) -> tuple[str, ...]:
    """The folders of flags, one a line (`compile_flags.txt`) or in a list (`.clangd`)."""
    found = (next(part for part in match.groups() if part) for match in _FLAG.finditer(_without_comments(text)))
    return tuple(dict.fromkeys(found))[:_MOST_FOLDERS]


def compile_commands(text: str) -> Compiled:
    try:
        entries = json.loads(text)
    except (ValueError, RecursionError):
        return Compiled()
    by_file = dict[str, tuple[str, ...]]()
    for entry in entries if isinstance(entries, list) else []:
        if isinstance(entry, dict) and isinstance(entry.get("file"), str):
            base = entry["directory"] if isinstance(entry.get("directory"), str) else ""
            given = (posixpath.normpath(posixpath.join(base, folder)) for folder in _of_entry(entry))
            by_file.setdefault(posixpath.normpath(posixpath.join(base, entry["file"])), tuple(given))
    every = dict.fromkeys(folder for given in by_file.values() for folder in given)
    return Compiled(by_file, tuple(every)[:_MOST_FOLDERS])


def _of_entry(entry: Mapping[str, object]) -> tuple[str, ...]:
    arguments = entry.get("arguments")
    if isinstance(arguments, list):
        return _of_arguments([part for part in arguments if isinstance(part, str)])
    command = entry.get("command")
    return folders(command) if isinstance(command, str) else ()


def _of_arguments(arguments: Sequence[str]) -> tuple[str, ...]:
    found = list[str]()
    for flag, behind in itertools.pairwise([*arguments, ""]):
        name = next((name for name in _NAMES if flag.startswith(name)), None)
        if name is not None:
            found.append(flag.removeprefix(name) or behind)
    return tuple(folder for folder in dict.fromkeys(found) if folder)


def _without_comments(text: str) -> str:
    return re.sub(r"^[ \t]*#.*$", "", text, flags=re.MULTILINE)
