"""VS Code with the extension from its package: one server and browser for a file of tests, a fresh window for each test
that asks for one."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import BrowserContext

from tests.editors.vscode.packaging import package
from tests.editors.vscode.server import CodeServer
from tests.editors.vscode.starting import chromium, code_server
from tests.editors.vscode.window import Window
from tests.installing import NotHere, installed

CART = "shop/cart.py"
Open = Callable[..., Window]


@pytest.fixture(scope="session")
def rig() -> Path:
    """The folder with VS Code that `scripts/vscode.sh` installs; without it these tests cannot be run."""
    try:
        return installed("vscode.sh")
    except NotHere as why:
        pytest.skip(f"VS Code cannot be installed here: {why}")


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
    with code_server(rig, vsix, artefacts) as made:
        yield made


@pytest.fixture(scope="module")
def context(rig: Path) -> Iterator[BrowserContext]:
    """The file's, so that VS Code's own scripts are loaded and compiled once."""
    with chromium() as made:
        yield made


@pytest.fixture
def open_window(server: CodeServer, context: BrowserContext, request: pytest.FixtureRequest) -> Iterator[Open]:
    """Opens a window on a fresh copy of the sample, with a file shown and settings; `prepare` is given the folder."""
    opened: list[Window] = []

    def begin(file: str = "", prepare: Callable[[Path], None] = lambda _: None, **settings: Any) -> Window:
        server.configure(**settings)
        folder = server.workspace(f"{request.node.name.replace('[', '-').strip(']')}-{len(opened)}")
        prepare(folder)
        window = Window(context, server, folder, file)
        opened.append(window)
        return window

    yield begin
    for window in opened:
        window.close()
    server.configure()


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
    shared.server.configure()
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
