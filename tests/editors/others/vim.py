"""Vim in a terminal: keys as a person types them, and expressions through a channel that Vim opens."""

from __future__ import annotations

import json
import socket
from pathlib import Path
from typing import Any

from tests.editors.conftest import PATIENCE_S, environment, until
from tests.editors.terminal import Terminal


class Vim:
    def __init__(self, editors: Path, folder: Path, init: str, file: str) -> None:
        address, told = folder / "vim.sock", folder / "config" / "vimrc"
        connect = f"autocmd VimEnter * let g:test = ch_open('unix:{address}')"
        told.write_text(f"set nocompatible hidden\n{init}\n{connect}\n", encoding="utf-8")
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind(str(address))
            listening.listen()
            listening.settimeout(PATIENCE_S)
            command = [str(editors / "vim"), "--clean", "-N", "-u", str(told), file]
            self._terminal = Terminal(command, folder / "work", environment(folder))
            self.keys, self.screen = self._terminal.keys, self._terminal.screen
            self._connection, _ = listening.accept()
        self._connection.settimeout(PATIENCE_S)
        self._n_asked = 0

    def ask(self, expression: str) -> Any:
        self._n_asked -= 1
        self._connection.sendall(json.dumps(["expr", expression, self._n_asked]).encode() + b"\n")
        told = b""
        while True:
            told += self._connection.recv(1 << 16)
            try:
                number, answer = json.loads(told)
            except ValueError:  # there is more to come
                continue
            assert number == self._n_asked, answer
            return answer

    def until(self, expression: str) -> Any:
        return until(lambda: self.ask(expression), lambda: self.screen() + self.messages())

    def messages(self) -> str:
        return str(self.ask("execute('messages')"))

    def close(self) -> None:
        self._connection.close()
        self._terminal.close()
