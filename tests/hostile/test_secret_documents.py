"""Of a secret that is open in the editor nothing goes to an engine, and the status says why; nothing edits it."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from palimpsest.config.layers import from_file, merged
from palimpsest.config.settings import Settings
from palimpsest.edits.suggestions.files import EditableFiles
from palimpsest.errors import InvalidArgument
from palimpsest.session.building import services_of
from palimpsest.text.snapshot import Snapshot
from palimpsest.text.uris import to_uri
from tests.e2e.conftest import Editor, start_editor, stop_editor, until
from tests.e2e.scripted import Scripted, scripted
from tests.e2e.talking import do, said, talking

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
CODE = "MARK = 'hidden'\n\n\ndef total(prices):\n    result = 0\n    result += \n    return result\n"
KEY = f"{CODE}KEY = '''-----BEGIN EC PRIVATE KEY-----\r\nMHcCAQEEIBkg4LVWM9nuwNSk3yByxZpYRTBnVJk4oBMM\r\n'''\n"


@pytest.fixture
async def window(machine: dict[str, str], tmp_path: Path) -> AsyncIterator[tuple[Editor, Scripted]]:
    """An editor whose engine writes down what it is asked."""
    root = tmp_path / "work"
    (root / ".git" / "hooks").mkdir(parents=True)
    (root / ".env").write_text(CODE, encoding="utf-8")
    (root / ".gitignore").write_text("ignored.py\n", encoding="utf-8")
    for name in ("plain.py", "ignored.py", ".git/hooks/pre-commit"):
        (root / name).write_text(CODE.replace("hidden", "seen"), encoding="utf-8")
    (root / "link.py").symlink_to(root / "again.py")
    (root / "again.py").symlink_to(root / ".env")
    with scripted() as engine:
        engine.replies = ["no edit"]
        it = await start_editor(root, {"engine": {"kind": "openai", "url": engine.url}})
        await it.ready()
        yield it, engine
        await stop_editor(it)


def open_uri(editor: Editor, uri: str, text: str) -> str:
    editor.texts[uri], editor.versions[uri] = text, 1
    item = lsp.TextDocumentItem(uri=uri, language_id="python", version=1, text=text)
    editor.client.text_document_did_open(lsp.DidOpenTextDocumentParams(text_document=item))
    return uri


async def suggest(editor: Editor, uri: str) -> dict[str, object]:
    at = editor.at(uri, "result += ")
    where = {"uri": uri, "position": {"line": at.line, "character": at.character}}
    return await editor.command("palimpsest.suggest", where)


async def nothing_goes_out(editor: Editor, engine: Scripted, uri: str) -> None:
    before = len(engine.asked)
    at = editor.at(uri, "result += ")
    assert await editor.complete(uri, at, invoked=True) == []
    with pytest.raises(JsonRpcException):
        await suggest(editor, uri)
    with pytest.raises(JsonRpcException):
        await editor.show(uri, at)
    with pytest.raises(JsonRpcException):
        await editor.command("palimpsest.context.pin", {"uri": uri})
    await until(lambda: "this document" in editor.status["message"])
    assert "suggestions" in editor.status["message"]
    assert len(engine.asked) == before


async def test_nothing_of_a_secret_is_completed_suggested_shown_or_pinned(window: tuple[Editor, Scripted]) -> None:
    editor, engine = window
    for name in (".env", "link.py", ".git/hooks/pre-commit"):
        await nothing_goes_out(editor, engine, editor.open(name))
    (editor.root / "link.py").unlink()  # the buffer still has what stood behind the link
    (editor.root / "link.py").write_text("", encoding="utf-8")
    await nothing_goes_out(editor, engine, to_uri(editor.root / "link.py"))
    for name in ("server.pem", ".netrc", "prod.tfvars"):
        await nothing_goes_out(editor, engine, editor.open(name, CODE))
    for uri in ("untitled:.env", "vscode-remote://ssh-remote+host/home/me/.ssh/key.py"):
        await nothing_goes_out(editor, engine, open_uri(editor, uri, CODE))
    await nothing_goes_out(editor, engine, editor.open("deploy.py", KEY))
    assert "hidden" not in str(engine.asked)


async def test_what_a_link_is_called_counts_as_where_it_leads_does(window: tuple[Editor, Scripted]) -> None:
    editor, engine = window
    (editor.root / ".palimpsestignore").write_text("mine.py\n", encoding="utf-8")
    for name in ("id_rsa", "mine.py"):
        (editor.root / name).symlink_to(editor.root / "plain.py")
        uri = editor.open(name)
        assert await editor.complete(uri, editor.at(uri, "result += "), invoked=True) == []
        with pytest.raises(JsonRpcException):
            await suggest(editor, uri)
        editor.close(uri)
    assert engine.asked == []


async def test_a_document_becomes_secret_while_a_token_is_typed(window: tuple[Editor, Scripted]) -> None:
    editor, engine = window
    uri = editor.open("plain.py")
    assert (await suggest(editor, uri))["suggestions"] == []
    assert "seen" in str(engine.asked)
    at = editor.edit(uri, "'seen'", "''")
    at = lsp.Position(at.line, at.character - 1)
    for letter in TOKEN:
        params = lsp.VersionedTextDocumentIdentifier(uri=uri, version=editor.versions[uri] + 1)
        change = lsp.TextDocumentContentChangePartial(range=lsp.Range(at, at), text=letter)
        editor.client.text_document_did_change(lsp.DidChangeTextDocumentParams(params, [change]))
        editor.versions[uri] += 1
        editor.texts[uri] = editor.texts[uri].replace("'\n", f"{letter}'\n", 1)
        at = lsp.Position(at.line, at.character + 1)
    await nothing_goes_out(editor, engine, uri)
    editor.edit(uri, TOKEN[-5:], "")  # a part of it is left
    await nothing_goes_out(editor, engine, uri)
    editor.edit(uri, TOKEN[:-5], "")
    assert (await suggest(editor, uri))["suggestions"] == []
    assert TOKEN[:20] not in str(engine.asked)


async def test_edits_go_to_no_ignored_file_no_hook_and_no_link_to_a_secret(
    window: tuple[Editor, Scripted], tmp_path: Path
) -> None:
    editor, _ = window
    services = services_of(Settings(), (editor.root,))
    files = EditableFiles(services)
    names = ("ignored.py", ".git/hooks/pre-commit", "link.py", "again.py", ".env")
    for is_open in (False, True):
        for name in (*names, "plain.py"):
            uri = to_uri(editor.root / name)
            if is_open:
                services.documents.put(Snapshot(uri, 1, "python", CODE))
            assert (files.now(uri) is not None) == (name == "plain.py"), name
    for name in names[1:]:
        with pytest.raises(InvalidArgument):
            services.chooser.pin(to_uri(editor.root / name), services.roots.folders)
    assert (await suggest(editor, editor.open("ignored.py")))["suggestions"] == []  # asked for, by an engine from here


def test_an_ignored_file_goes_to_no_engine_elsewhere(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
    (tmp_path / ".gitignore").write_text("ignored.py\n", encoding="utf-8")
    for url, allowed, expected in (
        ("http://127.0.0.1:8080", False, False),
        ("https://gpu.example.org", False, True),
        ("https://gpu.example.org", True, False),
    ):
        settings, problems = merged(
            [{"engine": {"kind": "openai", "url": url}, "context": {"ignored_elsewhere": allowed}}]
        )
        assert problems == []
        services = services_of(settings, (tmp_path,))
        for name, is_ignored in (("ignored.py", True), ("plain.py", False)):
            reason = services.why_off(Snapshot(to_uri(tmp_path / name), 1, "python", CODE))
            assert ("context.ignored_elsewhere" in reason) == (is_ignored and expected), (name, url)
    refused = from_file({"context": {"ignored_elsewhere": True}}, whose="workspace")[1]
    assert [problem.field for problem in refused] == ["context.ignored_elsewhere"]


async def test_no_question_and_no_result_holds_a_secret(machine: dict[str, str], tmp_path: Path) -> None:
    key = "q7Zp3" + "vK9xT2mW8rB4nL6"
    async with talking(tmp_path) as (editor, model):
        text = f"Why is {TOKEN} refused? I call it with api_key={key} here."
        await do(editor, "ask", text=text)
        assert said(model)[-1] == ("user", "Why is ... refused? I call it with api_key=... here.")
        assert not [secret for secret in (TOKEN, key) if secret in str(model.asked)]
