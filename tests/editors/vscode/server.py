"""A VS Code of the test's own (code-server), with its settings, its extensions and the folders of its engine."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

from tests.editors.conftest import SAMPLE, environment, running, until
from tests.editors.vscode.packaging import CLIENT
from tests.editors.vscode.recording import Recording

RECORDER = Path(__file__).with_name("recorder.py")
PALIMPSEST = [str(Path(sys.executable).with_name("palimpsest")), "serve"]
QUIET: dict[str, Any] = {
    "chat.disableAIFeatures": True,
    "workbench.startupEditor": "none",
    "workbench.tips.enabled": False,
    "workbench.secondarySideBar.defaultVisibility": "hidden",
    "workbench.enableExperiments": False,
    "extensions.autoCheckUpdates": False,
    "extensions.ignoreRecommendations": True,
    "telemetry.telemetryLevel": "off",
    "update.mode": "none",
    "git.enabled": False,
    "editor.wordBasedSuggestions": "off",
    "editor.quickSuggestions": {"other": "off", "comments": "off", "strings": "off"},
    "editor.autoClosingBrackets": "never",
    "editor.autoClosingQuotes": "never",
    "editor.cursorBlinking": "solid",
    "editor.minimap.enabled": False,
    "files.hotExit": "off",
    "files.autoSave": "off",
    "window.confirmBeforeClose": "never",
    "security.workspace.trust.enabled": False,
    "palimpsest.completion.confidence": "all",
    "palimpsest.completion.first_ms": 10_000,
    "palimpsest.completion.time_ms": 20_000,
}
"""What a test does not want to be about: other helpers, questions at start, what types by itself, a busy machine."""


def _of_machine() -> set[str]:
    """Our settings that a person has for each machine."""
    pages = json.loads((CLIENT / "package.json").read_text(encoding="utf-8"))["contributes"]["configuration"]
    return {name for page in pages for name, it in page["properties"].items() if it["scope"] == "machine"}


class CodeServer:
    """One server for several windows.  Every language server that it starts is recorded."""

    def __init__(self, rig: Path, folder: Path, vsix: Path, artefacts: Path) -> None:
        """`artefacts` is where a failing test leaves what it saw."""
        self.folder, self.artefacts = folder, artefacts
        self.recording = Recording(folder / "messages.jsonl")
        self._rig = rig
        self._env = environment(folder) | {"PATH": f"{rig / 'bin'}:{os.environ['PATH']}"}
        self._data, self._extensions = folder / "data", folder / "extensions"
        self._common = ["--user-data-dir", str(self._data), "--extensions-dir", str(self._extensions)]
        self.log = folder / "code-server.log"
        self.configure()
        self.install(vsix)
        self._process, self.port = self._start()

    def _run(self, *arguments: str) -> str:
        command = [str(self._rig / "bin" / "code-server"), *self._common, *arguments]
        done = subprocess.run(command, env=self._env, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def install(self, vsix: Path) -> None:
        self._run("--install-extension", str(vsix))

    def uninstall(self, name: str) -> None:
        self._run("--uninstall-extension", name)

    @property
    def extensions(self) -> list[str]:
        return [line for line in self._run("--list-extensions").splitlines() if "." in line and " " not in line]

    @property
    def extension(self) -> Path:
        """Where ours is installed."""
        return next(self._extensions.glob("*palimpsest-*"))

    def _start(self) -> tuple[subprocess.Popen[bytes], int]:
        config = self.folder / "config" / "code-server.yaml"
        config.write_text("{}\n", encoding="utf-8")
        command = [
            str(self._rig / "bin" / "code-server"), "--config", str(config), "--bind-addr", "127.0.0.1:0",
            "--auth", "none", "--disable-telemetry", "--disable-update-check", "--disable-getting-started-override",
            "--reconnection-grace-time", "1", *self._common,
        ]  # fmt: skip
        with self.log.open("wb") as log:
            process = subprocess.Popen(
                command, env=self._env, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
                start_new_session=True,
            )  # fmt: skip

        def port() -> re.Match[str] | None:
            assert process.poll() is None, self.said()
            return re.search(r"listening on http://127\.0\.0\.1:(\d+)", self.said())

        return process, int(until(port, self.said)[1])

    def said(self) -> str:
        return self.log.read_text(encoding="utf-8", errors="replace")

    def configure(self, **settings: Any) -> None:
        """The person's settings: those of every test and these.  Names have `__` for dots."""
        own = {name.replace("__", "."): value for name, value in settings.items()}
        command = [sys.executable, str(RECORDER), str(self.recording.path), *PALIMPSEST]
        told = QUIET | {"palimpsest.server.command": command} | own
        # In a remote window, which every window of code-server is, VS Code reads what is for one machine there only.
        machine = {name: value for name, value in told.items() if name in _of_machine()}
        person = {name: value for name, value in told.items() if name not in machine}
        for path, values in ((self.settings_file, person), (self._data / "Machine" / "settings.json", machine)):
            path.parent.mkdir(parents=True, exist_ok=True)
            new = path.with_suffix(".new")
            new.write_text(json.dumps(values, indent=1), encoding="utf-8")
            new.replace(path)  # VS Code never sees half of it

    @property
    def settings_file(self) -> Path:
        return self._data / "User" / "settings.json"

    def setting(self, name: str) -> Any:
        """As VS Code has written it down, for this machine or the person."""
        for path in (self._data / "Machine" / "settings.json", self.settings_file):
            with suppress(ValueError):  # it is being written
                values = json.loads(path.read_text(encoding="utf-8"))
                if name in values:
                    return values[name]
        return None

    def workspace(self, name: str) -> Path:
        """A fresh copy of the sample."""
        path = self.folder / "work" / name
        self.restore(path)
        (path / "pyproject.toml").touch()
        return path

    def restore(self, path: Path) -> None:
        """The sample's files as they were."""
        shutil.copytree(SAMPLE, path, ignore=shutil.ignore_patterns("__pycache__"), dirs_exist_ok=True)

    @property
    def servers(self) -> set[int]:
        """The language servers that run; each has its recorder in front."""
        return self.processes("serve") - self.processes(str(RECORDER))

    def processes(self, word: str) -> set[int]:
        """Those of this VS Code with the word among their arguments: by the runtime folder in their environment."""
        place = f"XDG_RUNTIME_DIR={self.folder / 'run'}".encode()
        found = set()
        for process in Path("/proc").iterdir():
            if process.name.isdigit():
                with suppress(OSError):
                    arguments = (process / "cmdline").read_bytes().split(b"\0")
                    if word.encode() in arguments and place in (process / "environ").read_bytes().split(b"\0"):
                        found.add(int(process.name))
        return found

    def logs(self) -> dict[str, str]:
        """What the editor and its extensions have written down, by file."""
        found = {self.log.name: self.said(), self.recording.path.name: self.recording.path.read_text(encoding="utf-8")}
        for path in sorted((self._data / "logs").rglob("*.log")):
            found[str(path.relative_to(self._data / "logs"))] = path.read_text(encoding="utf-8", errors="replace")
        return found

    def close(self) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGTERM)
        self._process.wait(timeout=30)
        for row in running(self.folder):
            subprocess.run(
                [sys.executable, "-P", "-m", "palimpsest", "engine", "--stop", row["name"]],
                env=environment(self.folder), check=False, stdout=subprocess.DEVNULL,
            )  # fmt: skip
        for pid in self.processes("serve") | self.processes("engine"):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
