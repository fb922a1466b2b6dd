"""Makes an environment with the language server in it; editors' clients run this.

In: `install.py --into DIR --source SOURCE`: a wheel, a source tree, or `NAME==VERSION` of the package index.  Out: one
JSON object a line, `{"step", "message", "fraction"}`, at last `{"done", "command", "message"}` or `{"error", "hint"}`.
The server brings an engine along; at the end it is asked to fetch a faster one, and where that fails, the message says
why.

Standard library only; any Python from 3.8 on starts it, and another one of PATH is used where it is too old.  Whatever
is there already is kept: who runs it again goes on.  `DIR/bin/palimpsest` comes last and goes first, so a half-made
environment is never taken for a whole one.  `uv` is used where there is one.
"""

from __future__ import annotations

import argparse
import email
import errno
import hashlib
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

NEEDED = (3, 11)
WINDOWS = os.name == "nt"
FULL = (errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC))
LITTLE = 20 << 20
"""Bytes of a disk that is full: some tools do not say why they failed."""
PATIENCE = ("--retries", "1", "--timeout", "20")
OURS = "palimpsest-environment.json"
"""In the folder from its beginning: what is installed there, and that the folder is ours."""
NETWORK = re.compile(
    r"connection|resolv|timed out|unreachable|could not fetch|failed to fetch|proxy|certificate|no matching dist"
    r"|no solution found|no versions|could not find a version",
    re.I,
)


class Failed(Exception):
    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


def tell(**said: object) -> None:
    print(json.dumps(said), flush=True)


def step(name: str, message: str, fraction: float) -> None:
    tell(step=name, message=message, fraction=fraction)


def main() -> int:
    parser = argparse.ArgumentParser("install.py", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--into", type=Path, required=True, metavar="DIR")
    parser.add_argument("--source", required=True, help="a wheel, a source tree, or NAME==VERSION")
    parser.add_argument("--find-links", action="append", default=[], metavar="DIR", help="a folder with wheels")
    options = parser.parse_args()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, _stopped)
    try:
        folder = options.into.expanduser().absolute()
        with Alone(folder):
            _install(folder, options)
    except Failed as error:
        tell(error=str(error), hint=error.hint)
        return 1
    except OSError as error:
        full = error.errno in FULL
        hint = "Make room there and try again." if full else "See to that folder and try again."
        tell(error="{} cannot be written: {}.".format(options.into, error.strerror or error), hint=hint)
        return 1
    return 0


def _install(folder: Path, options: argparse.Namespace) -> None:
    of_index = re.fullmatch(r"[\w.-]+==[\w.!+-]+", options.source)
    source = Path(options.source).expanduser().absolute()
    is_wheel = source.suffix == ".whl" and source.is_file()
    if not (of_index or is_wheel or (source / "pyproject.toml").is_file()):
        raise Failed("There is no server to install at {}.".format(source), "Install the extension again.")
    if is_wheel and not is_whole(source):
        raise Failed("The server's package {} is damaged.".format(source), "Install the extension again.")
    step("python", "Looking for Python {}.{} or newer.".format(*NEEDED), 0.02)
    place = Environment(folder, options.find_links)
    place.make()
    step("server", "Installing the server.", 0.15)
    with tempfile.TemporaryDirectory(dir=str(folder)) as scratch:
        _server(place, source if is_wheel else place.built(options.source if of_index else source, Path(scratch)))
    tell(done=True, command=[str(place.program), "serve"], message=_engine(place))


def _server(place: Environment, wheel: Path) -> None:
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    if place.known.get("wheel") == digest and place.runs(str(place.program), "--version"):
        return
    place.note(wheel="")
    place.program.unlink() if place.program.exists() else None
    place.add(*required(wheel))
    step("server", "Installing the server itself.", 0.5)
    place.add("--no-deps", "--force-reinstall", str(wheel))
    if not place.runs(str(place.program), "--version"):
        raise Failed("The server was installed, but does not start.", "Delete {} and try again.".format(place.folder))
    place.note(wheel=digest)


def _engine(place: Environment) -> str:
    """What to tell the person."""
    step("engine", "Looking for a faster engine.", 0.6)
    why = place.why_not("engine", "get", "--json", "--progress", heard=_fetched)
    if not why:
        return "The server is installed, with an engine for this machine."
    located = "from palimpsest.libraries.locate import located; located()"
    came_along = place.runs(str(place.python), "-I", "-c", located)
    engine = "the engine that came along, since a faster one" if came_along else "no engine, since one"
    return "The server is installed with {} could not be had: {}".format(engine, why)


def _fetched(line: str) -> bool:
    """Whether a line says how far it is, which is passed on."""
    try:
        said = json.loads(line)
        done, total = int(said["done"]), int(said["total"])
    except (LookupError, TypeError, ValueError):
        return False
    message = "Fetching a faster engine: {:.0f} of {:.0f} MB.".format(done / 1e6, total / 1e6)
    step("engine", message, round(0.6 + 0.39 * done / total, 3))
    return True


def is_whole(wheel: Path) -> bool:
    """Not one that was cut off as it was copied."""
    try:
        with zipfile.ZipFile(str(wheel)) as archive:
            named = any(it.endswith(".dist-info/METADATA") for it in archive.namelist())
            return named and archive.testzip() is None
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError):
        return False


def required(wheel: Path) -> list[str]:
    """The requirements of a wheel, with their conditions, but for its extras."""
    with zipfile.ZipFile(str(wheel)) as archive:
        name = next(it for it in archive.namelist() if it.endswith(".dist-info/METADATA"))
        listed = email.message_from_bytes(archive.read(name)).get_all("Requires-Dist") or []
    return [line for line in listed if not re.search(r"\bextra\s*==", line.partition(";")[2])]


class Environment:
    """A virtual environment in `folder`, and what was installed there by whom."""

    def __init__(self, folder: Path, links: list[str]) -> None:
        self.folder = folder
        scripts = folder / ("Scripts" if WINDOWS else "bin")
        self.python = scripts / ("python.exe" if WINDOWS else "python")
        self.program = scripts / ("palimpsest.exe" if WINDOWS else "palimpsest")
        self.known = self._read()
        self._uv = shutil.which("uv")
        self._links = [word for it in links for word in ("--find-links", it)]
        hidden = (
            "PYTHONPATH",
            "PYTHONHOME",
            "PYTHONUSERBASE",
            "PYTHONPYCACHEPREFIX",
            "PYTHONPLATLIBDIR",
            "VIRTUAL_ENV",
            "PIP_TARGET",
            "PIP_PREFIX",
            "PIP_USER",
            "PIP_REQUIRE_VIRTUALENV",
        )
        self._environment = {name: value for name, value in os.environ.items() if name not in hidden}
        if self._uv:
            self._environment.update(as_for_pip(self._environment))
        self._output = ""

    def _read(self) -> dict[str, object]:
        try:
            found = json.loads((self.folder / OURS).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return found if isinstance(found, dict) else {}

    def note(self, **facts: str) -> None:
        self.known.update(facts)
        draft = self.folder / (OURS + ".new")
        draft.write_text(json.dumps(self.known), encoding="utf-8")
        os.replace(str(draft), str(self.folder / OURS))

    def make(self) -> None:
        if self.runs(str(self.python), "-I", "-c", "import sys; sys.exit(sys.version_info[:2] < {})".format(NEEDED)):
            return
        if self.folder.exists() and any(self.folder.iterdir()) and not (self.folder / OURS).exists():
            raise Failed("{} has something else in it.".format(self.folder), "Move that away and try again.")
        python = "" if self._uv else new_enough()
        step("environment", "Making an environment{}.".format(" with uv" if self._uv else ""), 0.05)
        shutil.rmtree(str(self.folder), ignore_errors=True)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.known = {}
        self.note()
        wanted = ">={}.{}".format(*NEEDED)
        way: list[str] = [self._uv, "venv", "-q", "--allow-existing", "--python", wanted] if self._uv else []
        if not self._run(*(way or [python, "-I", "-m", "venv"]), str(self.folder)):
            if self._is_full():
                raise Failed(*self._sentence())
            hint = "On Debian and its relatives, install python3-venv; or install uv." if not self._uv else ""
            raise Failed("Python could not make an environment: {}".format(self._reason()), hint)

    def add(self, *what: str) -> None:
        by_uv = [self._uv, "pip", "install", "-q", "--python", self.python] if self._uv else None
        if not self._run(*(by_uv or self._pip("install", "-q", *PATIENCE)), *self._links, *what):
            raise Failed(*self._sentence())

    def built(self, source: object, into: Path) -> Path:
        """A wheel of a source tree, or the index's, which uv cannot fetch alone."""
        is_tree = isinstance(source, Path)
        by_uv = [self._uv, "build", "-q", "--wheel", "-o", into, source] if self._uv and is_tree else None
        more = ["--no-deps", "-w", into, *self._links, source]
        if not self._run(*(by_uv or [*self._pip("wheel", "-q", *PATIENCE), *more])):
            raise Failed(*self._sentence())
        return next(iter(into.glob("*.whl")))

    def runs(self, *command: str) -> bool:
        return Path(command[0]).exists() and self._run(*command, quiet=True)

    def why_not(self, *words: str, heard: Callable[[str], bool]) -> str:
        """Runs the program, which answers with JSON.  A sentence where it could not do it, else nothing."""
        if self._run(self.program, *words, heard=heard):
            return ""
        try:
            return str(json.loads(self._output.splitlines()[-1])["error"]["message"])
        except (LookupError, TypeError, ValueError):
            return self._reason()

    def _pip(self, *words: str) -> list[object]:
        """An environment that uv made, which is gone, has no pip."""
        if not self._run(self.python, "-I", "-m", "pip", "--version"):
            self._run(self.python, "-I", "-m", "ensurepip")
        return [self.python, "-I", "-m", "pip", "--disable-pip-version-check", "--no-input", *words]

    def _run(self, *command: object, quiet: bool = False, heard: Callable[[str], bool] | None = None) -> bool:
        """In our own folder, so that no settings of a workspace count.  `heard`: whether a line needs not be kept."""
        global child
        place = self.folder if self.folder.is_dir() else Path.home()
        words = [str(word) for word in command]
        more = {} if WINDOWS else {"start_new_session": True}
        pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
        try:
            child = subprocess.Popen(words, cwd=str(place), env=self._environment, **pipes, **more)  # type: ignore[call-overload]
        except OSError as error:  # a file that was cut off, or a program of a folder that was moved: it does not run
            self._output = "{}: {}".format(words[0], error.strerror or error)
            return False
        lines = (line.decode(errors="replace") for line in child.stdout or ())
        self._output = "".join(line for line in lines if heard is None or not heard(line))
        child.wait()
        if child.returncode and not quiet:
            print(shlex.join(words), self._output, sep="\n", file=sys.stderr)
        return bool(child.returncode == 0)

    def _is_full(self) -> bool:
        told = any(os.strerror(number) in self._output for number in FULL)
        return told or shutil.disk_usage(str(self.folder)).free < LITTLE

    def _reason(self) -> str:
        lines = [line.strip() for line in self._output.splitlines() if line.strip()]
        errors = [re.sub(r"^(ERROR|error):\s*", "", line) for line in lines if line.lower().startswith("error")]
        return ((errors or lines or ["no reason was given"])[-1])[:300].rstrip(".") + "."

    def _sentence(self) -> tuple[str, str]:
        if self._is_full():
            return "There is no space left in {}.".format(self.folder), "Make room there and try again."
        if NETWORK.search(self._output):
            return "The package index cannot be reached, or lacks a package.", "See to the network and try again."
        return "A package could not be installed: {}".format(self._reason()), "Try again; the log says more."


def as_for_pip(environment: dict[str, str]) -> dict[str, str]:
    """The indexes that pip is told of, for uv, which reads other variables."""
    asked = [sys.executable, "-m", "pip", "config", "list"]
    try:
        told = subprocess.run(
            asked, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=str(Path.home()), timeout=20, env=environment
        )
        listed = told.stdout.decode(errors="replace")
    except (OSError, subprocess.SubprocessError):
        listed = ""
    found = {}
    for name, value in re.findall(r"^(?:global|install|:env:)\.(.*?)='(.*)'$", listed, re.M):
        found[name] = " ".join(value.replace("\\n", " ").split())
    names = {"index-url": "UV_DEFAULT_INDEX", "extra-index-url": "UV_INDEX", "find-links": "UV_FIND_LINKS"}
    names_set = {names[name]: value for name, value in found.items() if name in names and value}
    if "UV_FIND_LINKS" in names_set:
        names_set["UV_FIND_LINKS"] = names_set["UV_FIND_LINKS"].replace(" ", ",")
    return {name: value for name, value in names_set.items() if name not in environment}


child: subprocess.Popen[bytes] | None = None


def new_enough() -> str:
    """A Python that can run the server."""
    names = [sys.executable, *("python3.{}".format(minor) for minor in range(NEEDED[1], NEEDED[1] + 8)), "python3"]
    test = "import sys; sys.exit(sys.version_info[:2] < {})".format(NEEDED)
    for path in filter(None, map(shutil.which, names)):
        if subprocess.call([path, "-I", "-c", test], stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL) == 0:
            return path
    version = ".".join(map(str, sys.version_info[:3]))
    message = "Python {}.{} or newer is needed; here is only {} ({}).".format(*NEEDED, version, sys.executable)
    raise Failed(message, "Install a newer Python or uv, and try again.")


class Alone:
    """Nobody else installs into the folder meanwhile."""

    def __init__(self, folder: Path) -> None:
        self._path = folder.parent / (folder.name + ".lock")

    def __enter__(self) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._file = self._path.open("a+")
        try:
            if WINDOWS:
                import msvcrt

                msvcrt.locking(self._file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
            else:
                import fcntl

                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise Failed("Another editor is installing the server already.", "Wait for it to be done.") from None

    def __exit__(self, *_: object) -> None:
        self._file.close()


def _stopped(*_: object) -> None:
    if child is not None and child.poll() is None:
        child.kill() if WINDOWS else os.killpg(child.pid, signal.SIGTERM)
    said = {"error": "The installation was stopped.", "hint": "Try again; it goes on where it was."}
    os.write(1, (json.dumps(said) + "\n").encode())  # `print` may be at work already
    os._exit(1)


if __name__ == "__main__":
    sys.exit(main())
