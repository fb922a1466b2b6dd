"""The default model as a person gets it: from the package index, with this package's adapter, in the real server."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from palimpsest.demo.talk import ANSWER, QUESTION
from palimpsest.models import default_model
from tests.e2e.conftest import start_editor, stop_editor, until
from tests.installing import cache_folder

pytestmark = [pytest.mark.slow(part="installers"), pytest.mark.timeout(900)]


@pytest.fixture
def fetched(machine: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Made by the command; a base that this machine has already is not loaded again (it is checked all the same)."""
    base = Path(default_model.MEMBER).stem + ".gguf"
    known = cache_folder() / "palimpsest" / "models" / base
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))  # no other test is to find this model in use
    if known.is_file():
        default_model.path().parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(known, default_model.path().parent / base)
    subprocess.run([sys.executable, "-m", "palimpsest", "model", "get", "default"], check=True)
    return default_model.path()


async def test_completes_and_mends_in_the_real_server(fetched: Path, shop: Path) -> None:
    editor = await start_editor(shop)
    try:
        await editor.ready()
        info = await editor.command("palimpsest.model.info")
        assert info["path"] == str(fetched)
        assert info["fim"]["layout"] == "spm"
        assert info["in_place"]
        uri = editor.open("shop/cart.py")
        position = editor.edit(uri, "total = self.subtotal()\n", "total = self.sub$0\n")
        await editor.settled(uri, position)
        offered = await editor.complete(uri, position, invoked=True)
        assert any(item.insert_text.startswith("subtotal") for item in offered), offered
        editor.edit(uri, "total = self.sub\n", "total = self.subtotal()\n")
        slip = editor.at(uri, "discount.amount(totla")
        where = {"line": slip.line, "character": slip.character}
        answer = await editor.command("palimpsest.suggest", {"uri": uri, "position": where})
        assert "+            total -= self.discount.amount(total)" in answer["suggestions"][0]["diff"]
    finally:
        await stop_editor(editor)


async def test_who_has_an_earlier_version_gets_the_present_one(fetched: Path, shop: Path) -> None:
    earlier = default_model.path().with_name("palimpsest-smollm2-135m-0.gguf")
    fetched.rename(earlier)
    editor = await start_editor(shop)
    try:
        await editor.ready()
        assert (await editor.command("palimpsest.model.info"))["path"] == str(earlier)
        await until(fetched.exists)
    finally:
        await stop_editor(editor)


async def test_answers_in_its_base_model_s_template_and_is_said_to_be_unfit_for_it(fetched: Path, shop: Path) -> None:
    editor = await start_editor(shop, {"conversation": {"temperature": 0.0, "reply_tokens": 200}})
    try:
        await editor.ready()
        first = await editor.command("palimpsest.ask", {"text": "Write a Python function that doubles a number."})
        assert first["stopped"] == "end", "it ends its turn by itself"
        assert "def " in first["reply"]
        asked = {"text": "Thanks. And in JavaScript?", "conversation": first["conversation"]}
        assert (await editor.command("palimpsest.ask", asked))["usage"]["decoded"] < 30, "its own reply is still there"
        told = [one.message for one in editor.client.messages if "cannot hold a conversation" in one.message]
        assert len(told) == 1, "once, with the model that can"
        talk = {"conversation": (await editor.command("palimpsest.conversation.new", {}))["conversation"]}
        for role, content in (("user", QUESTION), ("assistant", ANSWER)):
            await editor.command("palimpsest.conversation.append", {**talk, "role": role, "content": content})
        asked = {**talk, "text": "Which arguments does it take?"}
        reply = (await editor.command("palimpsest.ask", asked))["reply"]
        assert "`limit`" in reply
        assert "<summary>" not in reply, "with which its edits end"
    finally:
        await stop_editor(editor)
