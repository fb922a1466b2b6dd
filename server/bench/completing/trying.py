"""A workspace's own tests, run on copies of it that have one document changed.

In: a folder, a command.  Out: whether it ends with status 0.  The folder itself is only read.  A copy has no file that
git ignores, no secret and no link to a folder; each run gets a fresh one, since tests and what they test may do
anything to it.  Knows no hole and no model.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from palimpsest.errors import InvalidArgument
from palimpsest.text.uris import is_inside
from palimpsest.workspace.files import WorkspaceFiles

MOST_BYTES = 200_000_000
SAID = 400
"""Characters of a failing command's last words."""


@dataclass(frozen=True, slots=True)
class Run:
    """`passed`: it ended with status 0 in time; `said` is the end of what it wrote."""

    passed: bool
    seconds: float
    said: str


@dataclass
class Trials:
    """`command` as words; no shell reads it.  `timeout_s` is for each run.  Use `check` first."""

    root: Path
    command: Sequence[str]
    timeout_s: float
    n_runs: int = field(default=0, init=False)
    _files: tuple[Path, ...] = field(default=(), init=False)

    def check(self) -> Run:
        """The run on an untouched copy.  Raises InvalidArgument where the command is not there or fails on that:
        nothing could be told from it then."""
        self._files = tuple(_files(WorkspaceFiles((self.root,)), self.root, self.root))
        if sum((self.root / file).stat().st_size for file in self._files) > MOST_BYTES:
            raise InvalidArgument("WORKSPACE", f"{self.root} has more than {MOST_BYTES:,} bytes to copy for each run.")
        run = self.run()
        if not run.passed:
            hint = f"It said: {run.said}" if run.said else ""
            name = " ".join(self.command)
            raise InvalidArgument("--run", f"`{name}` fails on an untouched copy of the workspace.", hint=hint)
        return run

    def run(self, file: str = "", text: str = "") -> Run:
        """The command in a copy whose `file` (a path below the folder) has this text."""
        self.n_runs += 1
        with tempfile.TemporaryDirectory(prefix="pal-", ignore_cleanup_errors=True) as place:
            copy = Path(place).resolve() / self.root.name
            for name in self._files:
                (copy / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(self.root / name, copy / name)
            if file:
                (copy / file).write_text(text, encoding="utf-8", errors="surrogatepass")
            return self._run_in(copy)

    def _run_in(self, copy: Path) -> Run:
        program, *arguments = self.command
        if not (copy / program).exists() and (self.root / program).is_file():
            program = str(self.root / program)  # of an environment in the workspace, which is not copied
        start = time.perf_counter()
        with tempfile.TemporaryFile() as output:
            try:
                process = subprocess.Popen(
                    [program, *arguments],
                    cwd=copy,
                    env=self._environment(copy),
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,
                )
            except OSError as error:
                raise InvalidArgument("--run", f"{program} cannot be run: {error.strerror or error}.") from None
            status = ended(process, self.timeout_s)
            seconds = time.perf_counter() - start
            output.seek(max(0, output.seek(0, os.SEEK_END) - SAID))
            said = " ".join(output.read().decode(errors="replace").split())
        said = said if status is not None else f"nothing within {self.timeout_s:.0f} s; {said}"
        return Run(status == 0, seconds, said)

    def _environment(self, copy: Path) -> Mapping[str, str]:
        """Python finds the copy's modules before those of a workspace that is installed for development, and leaves no
        byte code, which a change within a second would not outdate."""
        here = [str(copy / "src"), str(copy)] if (copy / "src").is_dir() else [str(copy)]
        known = [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path]
        moved = [str(copy / os.path.relpath(p, self.root)) if is_inside(p, (self.root,)) else p for p in known]
        path = os.pathsep.join(dict.fromkeys([*moved, *here]))
        return {**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}


def _files(files: WorkspaceFiles, root: Path, folder: Path) -> Iterator[Path]:
    for entry in files.listing(folder):
        path = folder / entry.name
        if not entry.is_dir and path.is_file() and is_inside(path, (root,)):
            yield path.relative_to(root)
        elif entry.is_dir and not entry.is_link:
            yield from _files(files, root, path)


def ended(process: subprocess.Popen[bytes], timeout_s: float) -> int | None:
    """The exit status, None where time ran out; nothing it has started in its own session goes on."""
    try:
        return process.wait(timeout_s)
    except subprocess.TimeoutExpired:
        return None
    finally:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
