"""Files of a repository that are no files, never end, or lead elsewhere; settings and patterns that mean harm."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from palimpsest.config.layers import read_toml
from palimpsest.config.settings import Settings
from palimpsest.text.roots import Roots
from palimpsest.text.snapshot import Snapshot
from palimpsest.text.uris import to_uri
from palimpsest.window.levels import Levels
from palimpsest.workspace.files import WorkspaceFiles
from tests.e2e.conftest import start_editor, stop_editor
from tests.e2e.raw import Raw

Repository = Callable[[dict[str, Any]], Path]
NO_ENGINE = {"engine": {"kind": "none"}}
SITE = ".venv/lib/python3.11/site-packages"
NAMES = (
    "palimpsest.toml",
    ".gitignore",
    ".git/info/exclude",
    "AGENTS.md",
    ".palimpsest/rules.md",
    "README.md",
    "shop.py",
    ".venv/pyvenv.cfg",
    f"{SITE}/a.pth",
    f"{SITE}/money.py",
)


def pipe(path: Path) -> None:
    os.mkfifo(path)


def endless(path: Path) -> None:
    path.symlink_to("/dev/zero")


def huge(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(1 << 40)


def outside(path: Path) -> None:
    """A link to a file of the person's."""
    path.symlink_to(os.environ["HOSTILE_PRIVATE"])


@pytest.mark.parametrize("make", [pipe, endless, huge, outside])
async def test_no_file_of_a_repository_holds_the_server_up(
    machine: dict[str, str],
    repository: Repository,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    make: Callable[[Path], None],
) -> None:
    private = tmp_path / "private"
    private.write_text("PRIVATE_NAME = 1\n\n# PRIVATE_NAME\n\nPRIVATE_NAME is said here, as prose.\n")
    monkeypatch.setenv("HOSTILE_PRIVATE", str(private))
    root = repository({"app.py": "import shop\nimport money\n\n\nshop.open(money.euro)\n"})
    for name in NAMES:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        make(root / name)
    raw = await Raw.start()
    try:
        await raw.begin(root, NO_ENGINE)
        uri = await raw.open(root / "app.py")
        where = {"uri": uri, "position": {"line": 4, "character": 5}}
        for _ in range(2):
            answer = await raw.command("palimpsest.context.show", where)
            assert "result" in answer
            assert "PRIVATE_NAME" not in str(answer)
        assert any("palimpsest.toml" in message for message in raw.shown)
        await raw.leave()
    finally:
        await raw.stop()


async def test_no_pattern_of_a_repository_holds_the_server_up(machine: dict[str, str], repository: Repository) -> None:
    stars, folders = "*a" * 60 + "b", "**/a/" * 60 + "b"
    deep = "/".join(["a" * 60] * 30)
    text = f'[context]\nexclude = ["{stars}", "{folders}"]\n[completion]\ndisabled_folders = ["{stars}", "{folders}"]\n'
    rules = f"{stars}\n{folders}\n/**/" + "*a" * 400 + "/x\n"
    name = f"{deep}/{'a' * 200}.py"
    root = repository({".gitignore": rules, "palimpsest.toml": text, name: "import json\n"})
    raw = await Raw.start()
    try:
        await raw.begin(root, NO_ENGINE)
        uri = await raw.open(root / name)
        where = {"uri": uri, "position": {"line": 0, "character": 11}}
        assert "result" in await raw.command("palimpsest.context.show", where)
        await raw.leave()
    finally:
        await raw.stop()


async def test_a_repositorys_settings_choose_no_model_and_take_no_care_away(
    machine: dict[str, str], repository: Repository
) -> None:
    harmful = {
        "model.path": '"./model.gguf"',
        "engine.disk_mb": "100000",
        "engine.model": '"theirs"',
        "engine.retries": "1000000",
        "engine.n_threads": "100000",
        "suggestion.confirm": '"never"',
        "completion.enabled": "true",
    }
    lists = 'context.exclude = []\ncompletion.disabled_folders = ["theirs/"]\n'
    text = "".join(f"{name} = {value}\n" for name, value in harmful.items()) + lists
    root = repository({"palimpsest.toml": text, "model.gguf": b"GGUF" + b"\xff" * 100, "mine/a.py": "x = 1\n"})
    (root / "b.py").write_text("import mine.a\n\n\nmine.a.x\n")
    editor = await start_editor(root, {"context": {"exclude": ["mine/"]}})
    try:
        await editor.ready()
        messages = " ".join(message.message for message in editor.client.messages)
        for name in harmful:
            assert f"{name}: " in messages
        assert "model.gguf" not in editor.status["model"]
        uri = editor.open("b.py")
        shown = await editor.show(uri, editor.at(uri, "mine.a.x"))
        assert "mine/" not in str(shown["blocks"])
    finally:
        await stop_editor(editor)


@pytest.mark.parametrize("make", [pipe, endless, huge])
def test_what_is_no_settings_file_is_named(tmp_path: Path, make: Callable[[Path], None]) -> None:
    make(tmp_path / "palimpsest.toml")
    table, (problem,) = read_toml(tmp_path / "palimpsest.toml", within=tmp_path)
    assert table == {}
    assert "palimpsest.toml" in str(problem)


def test_a_source_that_becomes_something_else_is_not_read(tmp_path: Path) -> None:
    """Between the look at a file and its reading somebody may put another thing in its place."""
    path = tmp_path / "a.py"
    for make in (pipe, endless, huge):
        files = WorkspaceFiles([tmp_path])
        path.write_text("x = 1\n")
        assert files.refusal(path) is None
        path.unlink()
        make(path)
        assert files.source(path) is None
        path.unlink()


@pytest.mark.parametrize("make", [pipe, endless, huge, outside])
async def test_an_editorconfig_that_is_no_file_of_the_repository_says_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, make: Callable[[Path], None]
) -> None:
    root, private = tmp_path / "work", tmp_path / "private"
    (root / ".git").mkdir(parents=True)
    private.write_text("[*]\nindent_style = tab\n", encoding="utf-8")
    monkeypatch.setenv("HOSTILE_PRIVATE", str(private))
    make(root / ".editorconfig")
    levels = Levels(Settings, lambda: Roots((root,)), lambda _: None)
    assert await levels.of(Snapshot(to_uri(root / "new.py"), 1, "python", "")) is None
    levels.look_again()
    (root / ".editorconfig").unlink()
    (root / ".editorconfig").write_bytes(private.read_bytes())
    assert await levels.of(Snapshot(to_uri(root / "new.py"), 1, "python", "")) == "\t"
