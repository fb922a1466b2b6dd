"""VS Code and its browser, started and ended: for the tests, the pictures and the figures."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import BrowserContext, sync_playwright

from tests.editors.vscode.packaging import package
from tests.editors.vscode.server import CodeServer
from tests.editors.vscode.window import Window
from tests.installing import installed

ARGUMENTS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
)  # fmt: skip
SIZE = (1280, 800)


@contextmanager
def code_server(rig: Path, vsix: Path, artefacts: Path) -> Iterator[CodeServer]:
    folder = Path(os.path.realpath(tempfile.mkdtemp(prefix="pal-", dir="/tmp")))  # short, for sockets
    for name in ("run", "home", "config"):
        (folder / name).mkdir()
    made = CodeServer(rig, folder, vsix, artefacts)
    try:
        yield made
    finally:
        made.close()
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def chromium(size: tuple[int, int] = SIZE, scale: float = 1) -> Iterator[BrowserContext]:
    """A browser's profile."""
    program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=list(ARGUMENTS))
        yield browser.new_context(viewport={"width": size[0], "height": size[1]}, device_scale_factor=scale)
        browser.close()


@contextmanager
def one_window(file: str, size: tuple[int, int] = SIZE, scale: float = 1, **settings: object) -> Iterator[Window]:
    """All of it, with a window on the sample that is ready.  Raises NotHere."""
    rig = installed("vscode.sh")
    artefacts = Path(tempfile.mkdtemp(prefix="palimpsest-vscode-"))
    with code_server(rig, package(rig), artefacts) as server, chromium(size, scale) as context:
        server.configure(**settings)
        window = Window(context, server, server.workspace("shop"), file)
        try:
            window.ready()
            yield window
        finally:
            window.close()
