"""Emacs in a terminal: keys as a person types them, and expressions through `emacsclient`."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

from tests.editors.conftest import PATIENCE_S, environment, until
from tests.editors.terminal import Terminal

SERVER = """
(setq native-comp-jit-compilation nil native-comp-enable-subr-trampolines nil)  ; Emacs would start without its loader
(setq server-socket-dir "{run}" inhibit-startup-screen t use-short-answers t make-backup-files nil)
(require 'json)
(server-start)
"""


class Emacs:
    def __init__(self, editors: Path, folder: Path, init: str, file: str) -> None:
        run = folder / "run"
        run.chmod(0o700)
        told = folder / "config" / "init.el"
        told.write_text(SERVER.format(run=run) + init, encoding="utf-8")
        self._env = environment(folder)
        self._client = [str(editors / "emacsclient"), "--socket-name", str(run / "server"), "--eval"]
        command = [str(editors / "emacs"), "-nw", "-Q", "-l", str(told), file]
        self._terminal = Terminal(command, folder / "work", self._env)
        self.keys, self.screen, self.close = self._terminal.keys, self._terminal.screen, self._terminal.close
        until(lambda: (run / "server").exists(), self.screen)

    def lisp(self, expression: str) -> Any:
        """What it comes to in the buffer that is shown."""
        code = f"(with-current-buffer (window-buffer) (json-encode {expression}))"
        asked = subprocess.run(
            [*self._client, code], env=self._env, capture_output=True, text=True, timeout=PATIENCE_S, check=False
        )
        assert asked.returncode == 0, asked.stdout + asked.stderr + self.screen()
        return json.loads(json.loads(asked.stdout, strict=False))

    def until(self, expression: str) -> Any:
        return until(lambda: self.lisp(expression), lambda: self.screen() + self.messages())

    def messages(self) -> str:
        return str(self.lisp('(with-current-buffer "*Messages*" (buffer-string))'))

    @property
    def text(self) -> str:
        return str(self.lisp("(buffer-substring-no-properties (point-min) (point-max))"))
