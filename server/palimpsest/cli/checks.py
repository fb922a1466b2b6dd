"""One thing that `palimpsest doctor` looked at, and the looking at a workspace's index.

In: settings, folders.  Out: checks.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from palimpsest.config.settings import IndexSettings
from palimpsest.index.report import report
from palimpsest.system import folders


@dataclass(frozen=True, slots=True)
class Check:
    """`hint`: what to do when it is not right.  `needed`: it counts for `ok` of the whole.  `but`: what is to be said
    at the end though all is well."""

    name: str
    ok: bool
    detail: str
    hint: str = ""
    needed: bool = True
    but: str = ""


def index_checks(settings: IndexSettings, workspaces: Sequence[Path]) -> Iterator[Check]:
    """What is in the index of names, and what was left out."""
    if not settings.enabled:
        yield Check("index", True, "off (index.enabled)", needed=False)
        return
    if not workspaces:
        yield Check("index", True, "none: no folder is open", needed=False)
    for folder in workspaces:
        if folders.is_whole_disk(folder.resolve()):
            detail = f"{folder.resolve()}: none is built of a home folder or a whole disk; open a project's folder"
            yield Check("index", True, detail, needed=False)
            continue
        try:
            index = report(folders.cache(), folder.resolve())
        except OSError as error:
            yield Check(
                "index", False, f"{folder}: {folders.refusal(error)}", "Make room in your cache folder.", needed=False
            )
            continue
        if not folder.is_dir():
            yield Check("index", False, f"{folder}: there is no such folder", needed=False)
        elif index is None:
            detail = f"none yet of the names in {folder.resolve()}: an editor builds it that opens a file there"
            yield Check("index", True, detail, needed=False)
        else:
            yield Check("index", index.is_whole, index.detail, "It is built while an editor has it open.", needed=False)
