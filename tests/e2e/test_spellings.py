"""One file is one document, however the editor writes its URI and whatever links lead to it; answers are written as
the editor writes them.  Folders and versions that an editor leaves out or writes in its own way are taken as they are
meant."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from palimpsest.text.uris import to_uri

from .raw import Raw

NONE = {"engine": {"kind": "none"}}
BASKET = "class Basket:\n    def total(self):\n        return 1\n"
ORDER = "from basket import Basket\n\n\ndef pay(basket: Basket):\n    return basket.total()\n"


@pytest.fixture
async def client() -> AsyncIterator[Raw]:
    it = await Raw.start()
    yield it
    await it.stop()


def workspace(root: Path) -> Path:
    root.mkdir(parents=True)
    (root / "basket.py").write_text(BASKET, encoding="utf-8")
    (root / "order.py").write_text(ORDER, encoding="utf-8")
    return root


def as_python(path: Path) -> str:
    return to_uri(path)


def as_neovim(path: Path) -> str:
    """With more characters left as they are, and escapes in lower case."""
    return "file://" + "".join(c if ord(c) < 128 and c not in " %" else quote(c).lower() for c in str(path))


def as_vscode(path: Path) -> str:
    return "file://" + quote(str(path), safe="/-._~")


async def opened(client: Raw, uri: str, text: str, version: int | None = 1) -> None:
    document = {"uri": uri, "languageId": "python", "version": version, "text": text}
    await client.notify("textDocument/didOpen", {"textDocument": document})


async def typed(client: Raw, uri: str, line: int, at: int, text: str, version: int | None = 2) -> None:
    where = {"line": line, "character": at}
    change = {"range": {"start": where, "end": where}, "text": text}
    await client.notify(
        "textDocument/didChange", {"textDocument": {"uri": uri, "version": version}, "contentChanges": [change]}
    )


async def begun(client: Raw, *folders: str, **more: Any) -> None:
    named = [{"uri": uri, "name": "it"} for uri in folders]
    params = {"processId": None, "capabilities": {}, "rootUri": None, "workspaceFolders": named, **more}
    answer = await client.request("initialize", {**params, "initializationOptions": NONE})
    assert "result" in answer, answer
    await client.notify("initialized", {})


async def shown(client: Raw, uri: str, line: int) -> str:
    where = {"uri": uri, "position": {"line": line, "character": 4}}
    return str((await client.command("palimpsest.context.show", where))["result"]["blocks"])


async def followed(client: Raw, uri: str) -> list[tuple[str, int, int | None]]:
    """What follows the last edit, all of it accepted: documents, lines and versions."""
    where = {"line": 0, "character": 0}
    answer = (await client.request("palimpsest/nextEdit", {"textDocument": {"uri": uri}, "position": where}))["result"]
    found = []
    while answer["edits"]:
        (edit,) = answer["edits"]
        document = edit["textDocument"]
        found.append((document["uri"], edit["range"]["start"]["line"], document["version"]))
        answer = (await client.command(edit["command"]["command"], *edit["command"]["arguments"]))["result"]
        assert len(found) < 9
    return found


@pytest.mark.parametrize("written", [as_python, as_neovim, as_vscode])
@pytest.mark.parametrize("linked", [False, True])
async def test_a_file_is_one_document_however_its_uri_is_written(
    client: Raw, tmp_path: Path, written: Any, linked: bool
) -> None:
    root = workspace(tmp_path / "größe" / "(shop)" / "+page @x")
    if linked:
        (tmp_path / "home").symlink_to(root.parent, target_is_directory=True)
        root = tmp_path / "home" / root.name
    (root / "again.py").symlink_to(root / "order.py")
    basket, order = written(root / "basket.py"), written(root / "order.py")
    await begun(client, written(root))
    await opened(client, basket, BASKET.replace("def total", "def unsaved(self): ...\n\n    def total"))
    await opened(client, order, ORDER)
    assert "unsaved" in await shown(client, order, 4)
    await typed(client, basket, 0, len("class Basket"), "2")
    places = await followed(client, basket)
    assert [line for uri, line, _ in places if uri == order] == [0, 3]
    assert {uri for uri, _, _ in places} == {order}
    assert {version for _, _, version in places} == {1}


async def test_files_that_are_not_open_are_answered_as_the_editor_writes_their_folder(
    client: Raw, tmp_path: Path
) -> None:
    workspace(tmp_path / "data" / "größe")
    (tmp_path / "home").symlink_to(tmp_path / "data", target_is_directory=True)
    root = as_neovim(tmp_path / "home" / "größe")
    await begun(client, root)
    await opened(client, f"{root}/basket.py", BASKET)
    await typed(client, f"{root}/basket.py", 0, len("class Basket"), "2")
    assert {(uri, version) for uri, _, version in await followed(client, f"{root}/basket.py")} == {
        (f"{root}/order.py", None)
    }


async def test_a_file_that_is_opened_through_a_link_in_the_workspace_is_the_one_it_leads_to(
    client: Raw, tmp_path: Path
) -> None:
    root = workspace(tmp_path / "work")
    (root / "also").symlink_to(root, target_is_directory=True)
    there = to_uri(root / "also" / "basket.py")
    await begun(client, to_uri(root))
    await opened(client, there, BASKET.replace("def total", "def unsaved(self): ...\n\n    def total"))
    await opened(client, to_uri(root / "order.py"), ORDER)
    assert "unsaved" in await shown(client, to_uri(root / "order.py"), 4)
    await typed(client, there, 0, len("class Basket"), "2")
    order = to_uri(root / "order.py")
    assert [(uri, line) for uri, line, _ in await followed(client, there)] == [(order, 0), (order, 3)]


async def test_what_is_told_of_a_document_names_it_as_the_editor_does_till_it_is_closed(
    client: Raw, tmp_path: Path
) -> None:
    root = workspace(tmp_path / "größe")
    uri = as_neovim(root / "note.md")
    await begun(client, as_neovim(root))
    document = {"uri": uri, "languageId": "markdown", "version": 1, "text": "[[nowhere]]\n[[basket.py]]\n"}
    await client.notify("textDocument/didOpen", {"textDocument": document})
    assert (await client.notified("textDocument/publishDiagnostics", uri=uri))["params"]["diagnostics"]
    await client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
    await client.notified("textDocument/publishDiagnostics", uri=uri, diagnostics=[])


@pytest.mark.parametrize(
    "other",
    ["vscode-vfs://github/a/b", "vsls:/b", "memfs:/b", "file://wsl.localhost/Ubuntu/home/b", "file://[", "b", ""],
)
async def test_a_folder_that_is_none_of_this_machine_is_left_out_and_the_others_are_not(
    client: Raw, tmp_path: Path, other: str
) -> None:
    root = workspace(tmp_path / "work")
    await begun(client, other, to_uri(root))
    await opened(client, to_uri(root / "order.py"), ORDER)
    assert "total" in await shown(client, to_uri(root / "order.py"), 4)
    assert [text for text in client.shown if "folder" in text] == [
        f"Palimpsest: {other!r} is no folder of this machine: nothing in it is read but what is open."
    ]


async def test_a_workspace_that_is_only_a_root_path_is_taken(client: Raw, tmp_path: Path) -> None:
    root = workspace(tmp_path / "work")
    await begun(client, workspaceFolders=None, rootPath=str(root))
    await opened(client, to_uri(root / "order.py"), ORDER)
    assert "total" in await shown(client, to_uri(root / "order.py"), 4)


@pytest.mark.parametrize(
    "given",
    [
        {"workspaceFolders": [{"uri": "GOOD"}]},
        {"workspaceFolders": [None, 3, {"name": "x"}, {"uri": None, "name": "x"}, {"uri": "GOOD", "name": None}]},
        {"workspaceFolders": [{"uri": "FILE", "name": "x"}, {"uri": "GOOD", "name": "y"}]},
        {"workspaceFolders": [{"uri": "FILE/below", "name": "x"}, {"uri": "GOOD", "name": "y"}]},
        {"workspaceFolders": [{"uri": f"file:///{'a' * 300}", "name": "x"}, {"uri": "GOOD", "name": "y"}]},
        {"workspaceFolders": [{"uri": f"file:///{'a/' * 3000}", "name": "x"}, {"uri": "GOOD", "name": "y"}]},
        {"workspaceFolders": [{"uri": "LOOP", "name": "x"}, {"uri": "GOOD", "name": "y"}]},
        {"workspaceFolders": {"uri": "nonsense"}, "rootUri": "GOOD"},
        {"workspaceFolders": None, "rootUri": "vscode-vfs://a/b", "rootPath": "PATH"},
        {"workspaceFolders": None, "rootUri": "FILE", "rootPath": "PATH"},
    ],
)
async def test_a_good_folder_is_taken_whatever_is_beside_it(client: Raw, tmp_path: Path, given: Any) -> None:
    root = workspace(tmp_path / "work")
    (tmp_path / "loop").symlink_to("loop")
    places = {"GOOD": to_uri(root), "PATH": str(root), "FILE": to_uri(root / "order.py")}
    text = json.dumps(given)
    for name, place in {**places, "LOOP": to_uri(tmp_path / "loop")}.items():
        text = text.replace(name, place)
    await begun(client, **json.loads(text))
    await opened(client, to_uri(root / "order.py"), ORDER)
    assert "total" in await shown(client, to_uri(root / "order.py"), 4)


async def test_folders_that_come_later_are_taken_and_left_out_alike(client: Raw, tmp_path: Path) -> None:
    root, more = workspace(tmp_path / "work"), workspace(tmp_path / "more")
    await begun(client, to_uri(root))
    added = [None, {"uri": "vsls:/b"}, {"uri": as_vscode(more), "name": "more"}]
    event = {"added": added, "removed": [{"uri": to_uri(root), "name": "it"}]}
    await client.notify("workspace/didChangeWorkspaceFolders", {"event": event})
    await opened(client, to_uri(more / "order.py"), ORDER)
    assert "total" in await shown(client, to_uri(more / "order.py"), 4)
    assert len([text for text in client.shown if "vsls:/b" in text]) == 1


@pytest.mark.parametrize("version", [None, 1, "missing", "2", [], {}, True, 1.5, 2**31, -(2**70)])
async def test_a_change_without_a_version_of_its_own_is_applied(client: Raw, tmp_path: Path, version: Any) -> None:
    uri = to_uri(workspace(tmp_path / "work") / "order.py")
    await begun(client, to_uri(tmp_path / "work"))
    await opened(client, uri, "x = 1\n", version if version != "missing" else 0)
    for letter, at in (("y", 0), ("z", 1)):
        where = {"line": 0, "character": at}
        document = {"uri": uri} if version == "missing" else {"uri": uri, "version": version}
        change = {"range": {"start": where, "end": where}, "text": letter}
        await client.notify("textDocument/didChange", {"textDocument": document, "contentChanges": [change]})
    answer = await client.command("palimpsest.context.show", {"uri": uri, "position": {"line": 0, "character": 0}})
    assert "yzx = 1" in str(answer["result"])
