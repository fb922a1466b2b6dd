"""What `palimpsest serve` imports, and when: an editor waits for the answer to `initialize`, a person for a keystroke.

Python itself says what it imports, as it does so (`PYTHONPROFILEIMPORTTIME`).  Nothing here is timed.
"""

import asyncio
import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

from tests.e2e.raw import Raw, framed, initialize_params

SAYING = {"PYTHONPROFILEIMPORTTIME": "1"}
PACKAGES = {"app", "command_line", "config", "errors", "features", "lsp", "system", "text", "types", "visible"}
"""What of ours makes the answer to `initialize`."""
OF_LSP = {
    "action_kinds", "convert", "ending", "feature", "features", "inbox", "lifecycle", "loading", "message_uris",
    "plain", "protocol", "published", "report", "server", "stdio", "tolerance", "window",
}  # fmt: skip
"""No feature."""
LIBRARIES = {"attr", "attrs", "cattrs", "lsprotocol", "platformdirs", "pygls", "typing_extensions"}
HEAVY = {"ctypes", "email", "html", "http", "multiprocessing", "sqlite3", "unittest", "urllib.request", "xml"}
"""Of the standard library."""
MOST_MODULES = 300
"""Together with the standard library's, which differ a little from one Python to another."""


def imported(said: str) -> list[str]:
    """In order, without what an environment has Python import for itself, and what there is not: that is named too."""
    names = re.findall(r"^import time: +\d+ \| +\d+ \| +(\S+)$", said, re.MULTILINE)
    return [name for name in names[names.index("site") + 1 :] if find_spec(name.partition(".")[0]) is not None]


def run(*arguments: str, given: bytes = b"") -> tuple[bytes, list[str]]:
    """What a command of ours wrote, and what it imported."""
    command = [sys.executable, "-m", "palimpsest", *arguments]
    ended = subprocess.run(command, input=given, capture_output=True, env={**os.environ, **SAYING}, timeout=60)
    return ended.stdout, imported(ended.stderr.decode())


def is_needed(name: str) -> bool:
    first, *rest = name.split(".")
    if first == "palimpsest":
        is_declaration = rest[1:] in ([], ["feature"], ["database_path"])  # of a feature that has a package of its own
        return not rest or is_declaration or (rest[0] in PACKAGES and (rest[0] != "lsp" or set(rest[1:]) <= OF_LSP))
    return first in LIBRARIES or (first in sys.stdlib_module_names and not {name, first} & HEAVY)


def test_the_answer_to_initialize_needs_few_modules(tmp_path: Path) -> None:
    """The client has an answer to a question of the server's to give, and leaves instead: so nothing else was begun."""
    params = initialize_params(tmp_path, workspace={"configuration": True})
    written, names = run("serve", given=framed("initialize", params, id=1) + framed("exit", None))
    assert b'"capabilities"' in written
    unwanted = [name for name in names if not is_needed(name)]
    assert not unwanted, f"imported before the editor has its answer: {', '.join(unwanted)}"
    assert "lsprotocol.types" in names, "what is imported is seen"
    assert len(names) <= MOST_MODULES


def test_the_version_is_said_without_any_of_it() -> None:
    written, names = run("--version")
    assert written.startswith(b"palimpsest ")
    ours = {name.removeprefix("palimpsest").removeprefix(".") for name in names if name.startswith("palimpsest")}
    assert ours == {"", "system", "system.isolation", "command_line"}


async def test_no_keystroke_waits_for_an_import(tmp_path: Path) -> None:
    """What a completion needs is there once its document is open.  (A file's encoding is imported when it is read.)"""
    path = tmp_path / "a.py"
    path.write_text("import os\n\nos.\n", encoding="utf-8")
    raw = await Raw.start(environment=SAYING)
    try:
        await raw.begin(tmp_path, options={"engine": {"kind": "none"}})
        uri = await raw.open(path)
        place = {"uri": uri, "position": {"line": 2, "character": 3}}
        await raw.request("textDocument/hover", {"textDocument": {"uri": uri}, "position": place["position"]})
        for _ in range(5):  # what was said before that answer is read
            await asyncio.sleep(0.02)
        n_before = len(imported(raw.errors.decode()))
        await raw.complete(uri, 2, 3)
        shown = await raw.command("palimpsest.context.show", place)
        await raw.leave()
    finally:
        await raw.stop()
    assert "os.path" in shown["result"]["prompt"], "the context was gathered"
    names = imported(raw.errors.decode())
    assert {"griffe", "tree_sitter_python._binding"} <= {*names[:n_before]}
    assert [name for name in names[n_before:] if name.partition(".")[0] != "encodings"] == []
    assert not of_conversations(names), "nobody has used one"


def of_conversations(names: list[str]) -> list[str]:
    """But for their declaration, and what that imports."""
    own = [name.removeprefix("palimpsest.conversations.") for name in names if "palimpsest.conversations." in name]
    return [name for name in own if name not in ("database_path", "feature")]


async def test_conversations_are_imported_when_a_person_first_uses_them(tmp_path: Path) -> None:
    raw = await Raw.start(environment=SAYING)
    try:
        await raw.begin(tmp_path, options={"engine": {"kind": "none"}})
        assert "result" in await raw.command("palimpsest.stats")
        assert not of_conversations(imported(raw.errors.decode()))
        assert (await raw.command("palimpsest.conversation.list"))["result"] == {"conversations": []}
        await raw.leave()
    finally:
        await raw.stop()
    names = imported(raw.errors.decode())
    assert "palimpsest.conversations.conversing" in names
    assert "palimpsest.conversations.export" in names, "all of them at once, so that no other command waits"
