"""The uncommitted change of a workspace folder, as far as a model may see it.

In: a folder, the rules of what may be read, git.  Out: files before and after.  What is secret, ignored or outside the
workspace is neither read nor named to the model; binary files, links and files that are too large are only named.
Everything here blocks: it runs on a thread.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
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
    the model hears nothing of, with the reason as the end of a sentence; `said`: all of it in one line where files were
    only moved or became executable."""

    changes: tuple[FileChange, ...]
    named: tuple[str, ...] = ()
    left_out: tuple[tuple[str, str], ...] = ()
    said: str = ""


def uncommitted(folder: Path, files: WorkspaceFiles, opened: Mapping[Path, Snapshot], *, staged: bool) -> Uncommitted:
    """What changed below `folder` since the last commit; with `staged` what the next commit would hold of it.

    `opened` are the documents whose text counts before the file's, as `files` knows them; for what is staged none does.
    Raises GitError (no git, no repository, nothing changed) or InvalidArgument (nothing staged).
    """
    entries = git.changed(folder, staged=staged)
    if not staged:
        entries = [*_unsaved(folder, {entry.path for entry in entries}, opened), *entries]
    entries, beyond = entries[:MOST_NAMED], len(entries[MOST_NAMED:])
    left_out = {entry.path: reason for entry in entries if (reason := files.kept_out(entry.path)) is not None}
    entries = [_here(entry, folder, files) for entry in entries]
    seen = [entry for entry in entries if entry.path not in left_out]
    changes, named, moved = _read(folder, files, seen, left_out, staged=staged)
    if not changes and not named:
        raise _nothing(folder, left_out, staged=staged)
    reasons = tuple((_named(path, folder), reason) for path, reason in left_out.items())
    if beyond:
        reasons = (*reasons, (f"{beyond} more files", "were not looked at"))
    sentence = "" if changes or left_out or beyond or len(named) > len(moved) else _describe_moves(moved, folder)
    return Uncommitted(tuple(sorted(changes, key=lambda c: -c.size)), tuple(named), reasons, sentence)


def _here(entry: git.ChangedFile, folder: Path, files: WorkspaceFiles) -> git.ChangedFile:
    """A file that comes from where a model may not look, or from another folder, is a new one."""
    if entry.before is None or (entry.before.is_relative_to(folder) and files.kept_out(entry.before) is None):
        return entry
    return replace(entry, kind="added", old="", before=None, is_executable=None)


def _describe_moves(entries: Sequence[git.ChangedFile], folder: Path) -> str:
    """What has moved or become executable; "" where one line does not say it."""
    one = entries[0] if len(entries) == 1 else None
    if one is not None and one.is_executable is not None and one.before is None:
        return f"Make {_named(one.path, folder)} {'executable' if one.is_executable else 'a file that is not run'}"
    if not entries or any(entry.before is None or entry.is_executable is not None for entry in entries):
        return ""
    if one is not None and one.before is not None and one.before.name != one.path.name:
        return f"Rename {_named(one.before, folder)} to {_named(one.path, folder)}"
    what = _named(one.before, folder) if one is not None and one.before is not None else f"{len(entries)} files"
    places = {entry.path.parent for entry in entries}
    if len(places) > 1:
        return f"Rename {what}"
    place = _named(places.pop(), folder)
    return f"Move {what} to {place if place != '.' else 'the top folder'}"


def _unsaved(folder: Path, known: set[Path], opened: Mapping[Path, Snapshot]) -> Iterator[git.ChangedFile]:
    """Documents that git holds for unchanged, for it looks at the disk."""
    paths = [path for path in opened if path not in known and path.is_relative_to(folder)]
    for path, name in git.tracked(folder, paths).items():
        yield git.ChangedFile(path, "changed", name, name)


def _read(
    folder: Path,
    files: WorkspaceFiles,
    entries: Iterable[git.ChangedFile],
    left_out: dict[Path, str],
    *,
    staged: bool,
) -> tuple[list[FileChange], list[str], list[git.ChangedFile]]:
    """(changes, names of what is only named, which of these have the content that they had); what gives away a key or
    token, before or now, joins `left_out`."""
    entries = list(entries)
    read_entries, named = entries[:MOST_FILES], [_name(entry, folder) for entry in entries[MOST_FILES:]]
    wanted = [name for entry in read_entries if entry.is_regular for name in (entry.old, entry.new if staged else "")]
    objects = git.contents(folder, wanted)
    changes, moved = list[FileChange](), list[git.ChangedFile]()
    for entry in read_entries:
        name = _name(entry, folder)
        old = _lines(objects, entry.old)
        new = _lines(objects, entry.new) if staged else _now(files, entry)
        now = None if staged or entry.kind == "removed" else files.gives_away(entry.path)
        if reason := now or _gives_away([old, new]):
            left_out[entry.path] = reason
        elif (old == new and old is not None) or (staged and entry.old == entry.new):
            if entry.before is not None or entry.is_executable is not None:
                named.append(name)
                moved.append(entry)
        elif old is None or new is None or not entry.is_regular:
            named.append(name)
        else:
            before, after = (tokens.masked_lines("\n".join(lines)) if lines else () for lines in (old, new))
            was = _named(entry.before, folder) if entry.before is not None else ""
            changes.append(FileChange(_named(entry.path, folder), entry.kind, before, after, was))
    return changes, named, moved


def _name(entry: git.ChangedFile, folder: Path) -> str:
    """With what git says of it beside its content."""
    file = _named(entry.path, folder)
    if entry.before is not None:
        file = f"{file} (was {_named(entry.before, folder)})"
    if entry.is_executable is not None:
        file += " (executable now)" if entry.is_executable else " (not executable any more)"
    return file


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


def _now(files: WorkspaceFiles, entry: git.ChangedFile) -> tuple[str, ...] | None:
    if entry.kind == "removed":
        return ()
    source = files.source(entry.path)
    return None if source is None else _split(source.text)


def _split(text: str) -> tuple[str, ...]:
    lines = text.replace("\r\n", "\n").split("\n")
    return tuple(lines[:-1] if not lines[-1] else lines)


def _nothing(folder: Path, left_out: Mapping[Path, str], *, staged: bool) -> GitError | InvalidArgument:
    if left_out:
        named = list(left_out.items())[:MOST_REASONS]
        reasons = "; ".join(f"{_named(path, folder)} {reason}" for path, reason in named)
        return GitError(f"nothing that changed in {folder} may be shown to a model: {reasons}.")
    if staged:
        hint = "Stage what the commit shall hold (git add), or leave `staged` out."
        return InvalidArgument("staged", f"nothing is staged in {folder}.", hint=hint)
    hint = "Text that is not saved counts where `uri` is given."
    return GitError(f"nothing has changed in {folder} since the last commit.", hint=hint)
