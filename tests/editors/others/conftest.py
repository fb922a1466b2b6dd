"""Editors that are started with one of the documents' snippets, on the sample workspace."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.editors.others.emacs import Emacs
from tests.editors.others.vim import Vim

StartEmacs = Callable[[str], Emacs]
StartVim = Callable[[str, str], Vim]


@pytest.fixture
def start_emacs(editors: Path, folder: Path) -> Iterator[StartEmacs]:
    opened: list[Emacs] = []

    def begin(init: str) -> Emacs:
        packages = editors.parent / "root/usr/share/emacs/site-lisp/elpa-src"
        paths = " ".join(f'"{path}"' for path in sorted(packages.iterdir()))
        opened.append(
            Emacs(editors, folder, f"(setq load-path (append (list {paths}) load-path))\n{init}", "shop/cart.py")
        )
        return opened[-1]

    yield begin
    for emacs in opened:
        emacs.close()


@pytest.fixture
def start_vim(editors: Path, folder: Path) -> Iterator[StartVim]:
    opened: list[Vim] = []

    def begin(package: str, init: str) -> Vim:
        plugin = editors.parent / "root/usr/share" / package
        opened.append(Vim(editors, folder, f"set runtimepath^={plugin}\nfiletype plugin on\n{init}", "shop/cart.py"))
        return opened[-1]

    yield begin
    for vim in opened:
        vim.close()
