"""VS Code with the extension from its package: one server and browser for a file of tests, a fresh window for each test
that asks for one."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, sync_playwright

from tests.documents import ROOT
from tests.editors.vscode.packaging import package
from tests.editors.vscode.server import CodeServer
from tests.editors.vscode.window import Window

ARGUMENTS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
)  # fmt: skip
CART = "shop/cart.py"
Open = Callable[..., Window]


@pytest.fixture(scope="session")
def rig() -> Path:
    """The folder with VS Code that `scripts/vscode.sh` installs; without it these tests cannot be run."""
    made = subprocess.run([ROOT / "scripts" / "vscode.sh"], capture_output=True, text=True, check=False)
    if made.returncode:
        pytest.skip(f"VS Code cannot be installed here: {made.stderr.strip()}")
    return Path(made.stdout.strip())


@pytest.fixture(scope="session")
def vsix(rig: Path) -> Path:
    return package(rig)


@pytest.fixture(scope="session")
def artefacts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where a failing test leaves a picture of the window and the logs."""
    kept = os.environ.get("PALIMPSEST_ARTEFACTS")
    return Path(kept) / "vscode" if kept else tmp_path_factory.mktemp("vscode")


@pytest.fixture(scope="module")
def server(rig: Path, vsix: Path, artefacts: Path) -> Iterator[CodeServer]:
    folder = Path(os.path.realpath(tempfile.mkdtemp(prefix="pal-", dir="/tmp")))  # short, for sockets
    for name in ("run", "home", "config"):
        (folder / name).mkdir()
    made = CodeServer(rig, folder, vsix, artefacts)
    yield made
    made.close()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="module")
def context(rig: Path) -> Iterator[BrowserContext]:
    """A browser's profile.  It is the file's, so that VS Code's own scripts are loaded and compiled once."""
    program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=list(ARGUMENTS))
        yield browser.new_context(viewport={"width": 1280, "height": 800})
        browser.close()


@pytest.fixture
def open_window(server: CodeServer, context: BrowserContext, request: pytest.FixtureRequest) -> Iterator[Open]:
    """Opens a window on a fresh copy of the sample; the argument is a file to show, the others are settings."""
    opened: list[Window] = []

    def begin(file: str = "", **settings: Any) -> Window:
        server.configure(**settings)
        name = request.node.name.replace("[", "-").strip("]")
        window = Window(context, server, server.workspace(f"{name}-{len(opened)}"), file)
        opened.append(window)
        return window

    yield begin
    for window in opened:
        window.close()


@pytest.fixture(scope="module")
def shared(server: CodeServer, context: BrowserContext) -> Iterator[Window]:
    """The window that a file's tests share: another one takes ten seconds."""
    server.configure()
    made = Window(context, server, server.workspace("shop"), CART)
    made.ready()
    yield made
    made.close()


@pytest.fixture
def window(shared: Window) -> Window:
    """The shared one, on the sample's cart, with everything else of a test before it put away."""
    shared.restore(CART)
    return shared


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """A failure names the folder with a picture of each window and the logs."""
    report = yield
    if report.when != "teardown" and report.failed:
        for number, window in enumerate(Window.opened):
            report.sections.append(("VS Code", f"seen and logged: {window.keep(f'{item.name}-{number}')}"))
    return report
