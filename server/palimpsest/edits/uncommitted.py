"""The uncommitted change of a workspace folder, as far as a model may see it.

In: a folder, the rules of what may be read, git.  Out: files before and after.  What is secret, ignored or outside the
workspace is neither read nor named to the model; binary files, links and files that are too large are only named.
Everything here blocks: it runs on a thread.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from palimpsest.errors import GitError, InvalidArgument
from palimpsest.prompt.summary import FileChange
from palimpsest.system import git
from palimpsest.text import tokens
from palimpsest.text.snapshot import Snapshot
from palimpsest.text.uris import relative
from palimpsest.visible import visible
from palimpsest.workspace.files import WorkspaceFiles, decoded

MOST_FILES, MOST_NAMED = 300, 2000
"""Further files are only named, and those beyond not even looked for in the rules."""

MOST_REASONS = 5


@dataclass(frozen=True, slots=True)
class Uncommitted:
    """`changes`, the largest first; `named`: files that changed and whose content is not shown; `left_out`: files that
    the model hears nothing of, with the reason as the end of a sentence."""

    changes: tuple[FileChange, ...]
    named: tuple[str, ...] = ()
    left_out: tuple[tuple[str, str], ...] = ()


def uncommitted(folder: Path, files: WorkspaceFiles, opened: Mapping[Path, Snapshot], *, staged: bool) -> Uncommitted:
    """What changed below `folder` since the last commit; with `staged` what the next commit would hold of it.

    `opened` are the documents whose text counts before the file's, as `files` knows them; for what is staged none does.
    Raises GitError (no git, no repository, nothing changed) or InvalidArgument (nothing staged).
    """
    found = git.changed(folder, staged=staged)
    if not staged:
        found = [*_unsaved(folder, {entry.path for entry in found}, opened), *found]
    found, beyond = found[:MOST_NAMED], len(found[MOST_NAMED:])
    left_out = {entry.path: reason for entry in found if (reason := files.kept_out(entry.path)) is not None}
    seen = [entry for entry in found if entry.path not in left_out]
    changes, named = _read(folder, files, seen, left_out, staged=staged)
    if not changes and not named:
        raise _nothing(folder, left_out, staged=staged)
    reasons = tuple((_named(path, folder), reason) for path, reason in left_out.items())
    if beyond:
        reasons = (*reasons, (f"{beyond} more files", "were not looked at"))
    return Uncommitted(tuple(sorted(changes, key=lambda c: -c.size)), tuple(named), reasons)


def _unsaved(folder: Path, known: set[Path], opened: Mapping[Path, Snapshot]) -> Iterator[git.Changed]:
    """Documents that git holds for unchanged, for it looks at the disk."""
    paths = [path for path in opened if path not in known and path.is_relative_to(folder)]
    for path, name in git.tracked(folder, paths).items():
        yield git.Changed(path, "changed", name, name)


def _read(
    folder: Path,
    files: WorkspaceFiles,
    entries: Iterable[git.Changed],
    left_out: dict[Path, str],
    *,
    staged: bool,
) -> tuple[list[FileChange], list[str]]:
    """(changes, names of what is only named); what gives away a key or token, before or now, joins `left_out`."""
    entries = list(entries)
    shown, named = entries[:MOST_FILES], [_named(entry.path, folder) for entry in entries[MOST_FILES:]]
    wanted = [name for entry in shown if entry.is_regular for name in (entry.old, entry.new if staged else "")]
    objects = git.contents(folder, wanted)
    changes = list[FileChange]()
    for entry in shown:
        file = _named(entry.path, folder)
        old = _lines(objects, entry.old)
        new = _lines(objects, entry.new) if staged else _now(files, entry)
        now = None if staged or entry.kind == "removed" else files.gives_away(entry.path)
        if reason := now or _gives_away([old, new]):
            left_out[entry.path] = reason
        elif old is None or new is None or not entry.is_regular:
            named.append(file)
        elif old != new:
            before, after = (tokens.masked_lines("\n".join(lines)) if lines else () for lines in (old, new))
            changes.append(FileChange(file, entry.kind, before, after))
    return changes, named


def _named(path: Path, folder: Path) -> str:
    return visible(relative(path, folder))


def _gives_away(texts: Iterable[tuple[str, ...] | None]) -> str | None:
    kinds = (tokens.found("\n".join(text)) for text in texts if text)
    return next((f"holds what looks like {kind}" for kind in kinds if kind), None)


def _lines(objects: Mapping[str, bytes], name: str) -> tuple[str, ...] | None:
    """None: no text, or too large to be handed out."""
    if not name:
        return ()
    text = decoded(objects[name]) if name in objects else None
    return None if text is None else _split(text)


def _now(files: WorkspaceFiles, entry: git.Changed) -> tuple[str, ...] | None:
    if entry.kind == "removed":
        return ()
    source = files.source(entry.path)
    return None if source is None else _split(source.text)


def _split(text: str) -> tuple[str, ...]:
    lines = text.replace("\r\n", "\n").split("\n")
    return tuple(lines[:-1] if not lines[-1] else lines)


def _nothing(folder: Path, left_out: Mapping[Path, str], *, staged: bool) -> GitError | InvalidArgument:
    if left_out:
        told = list(left_out.items())[:MOST_REASONS]
        reasons = "; ".join(f"{_named(path, folder)} {reason}" for path, reason in told)
        return GitError(f"nothing that changed in {folder} may be shown to a model: {reasons}.")
    if staged:
        hint = "Stage what the commit shall hold (git add), or leave `staged` out."
        return InvalidArgument("staged", f"nothing is staged in {folder}.", hint=hint)
    hint = "Text that is not saved counts where `uri` is given."
    return GitError(f"nothing has changed in {folder} since the last commit.", hint=hint)
