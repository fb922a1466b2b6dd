"""Models made for next edits: which file a setting means, and which format it was made for.

In: the setting `next_edit.model`, a file's names.  Out: a path, a format's name.  Fetches and loads nothing.
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from palimpsest.errors import ModelError
from palimpsest.models.header import GgufFile, read_header
from palimpsest.models.hub import HUB, Hub, source_of
from palimpsest.models.known import NEXT_EDIT
from palimpsest.system import folders

FORMATS = (  # the first that is found in the names, lower case without punctuation
    ("zeta-2.1", r"zeta21"),
    ("zeta-2", r"zeta2"),
    ("sweep", r"sweep\w*nextedit|sweepnext"),
)
"""Formats have their names in `next_edits/formats/`."""
SETTING = "next_edit.model"
HINT = "Those of Sweep and Zed's Zeta 2 and 2.1 are used; `palimpsest model list` shows which can be fetched."

ELSEWHERE = ModelError(
    f"{SETTING}: an engine elsewhere has no model for next edits beside its own.",
    hint="Leave it empty, or let an engine be started here (`engine.kind`).",
)


@dataclass(frozen=True, slots=True)
class NextEditModelFile:
    """`format` is the name of one in `next_edits/formats/`."""

    file: GgufFile
    format: str


def path_of(name: str) -> Path | None:
    """The file that the setting means, which may be missing; None where it names none."""
    if not name:
        return None
    if name in {known.name for known in NEXT_EDIT}:
        return source_of(name, Hub(HUB)).target
    return folders.expanded(name).absolute()


def inspect(name: str) -> NextEditModelFile | None:
    """The model that the setting means, None where it names none.  Raises ModelError, which names the setting, where
    its file is missing or damaged, or was made for something else."""
    path = path_of(name)
    if path is None:
        return None
    if name in {known.name for known in NEXT_EDIT} and not path.is_file():
        raise ModelError(f"{SETTING}: {name} is not here yet.", hint=f"palimpsest model get {name}")
    try:
        state = path.stat()
        inspected = _inspected(path, state.st_size, state.st_mtime_ns, state.st_ctime_ns)
    except OSError:
        inspected = _inspected(path)
    if isinstance(inspected, ModelError):
        raise ModelError(inspected.message, hint=inspected.hint)
    return inspected


@lru_cache(4)
def _inspected(path: Path, *_state: int) -> NextEditModelFile | ModelError:
    """Read once for each state of a file, also of one that is of no use: it is asked at each pause."""
    try:
        file = read_header(path)
    except ModelError as error:
        return ModelError(f"{SETTING}: {error.message}", hint=error.hint or HINT)
    names = re.sub(r"[^a-z0-9]", "", f"{path.parent.name} {path.name} {file.name}".lower())
    format = next((format for format, pattern in FORMATS if re.search(pattern, names)), "")
    if not format:
        return ModelError(f"{SETTING}: {path} is not known to be a model for next edits.", hint=HINT)
    return NextEditModelFile(file, format)
