"""Suggestions that can be trusted: several files at once, agreement, what is flagged and refused, what a person does
with one.  The engine's replies are written by the tests; the server and the client are real."""

import ast
import asyncio
import logging
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException, JsonRpcMethodNotFound

from palimpsest.text.uris import to_uri

from .conftest import Editor, plain, start_editor, stop_editor, until
from .scripted import Scripted, scripted
from .test_suggest import applied

WRONG = "            total -= self.discount.amount(totla)"
RIGHT = "            total -= self.discount.amount(total)"
REFUSED = -32602


@dataclass
class Bench:
    """An editor with a scripted engine, and what it was asked to apply.

    `says`: the button that its person presses, or None; `applies`: the documents whose edits it makes, None for all.
    """

    editor: Editor
    engine: Scripted
    answers: bool = True
    fails: JsonRpcException | None = None
    says: str | None = "Apply"
    applies: set[str] | None = None
    edits: list[lsp.ApplyWorkspaceEditParams] = field(default_factory=list)
    questions: list[str] = field(default_factory=list)

    def apply(self, params: lsp.ApplyWorkspaceEditParams) -> lsp.ApplyWorkspaceEditResult:
        """As VS Code does it: what wants confirmation is not ticked, and a part is said to be all of it."""
        self.edits.append(params)
        if self.fails is not None:
            raise self.fails
        if not self.answers:
            return lsp.ApplyWorkspaceEditResult(applied=False, failure_reason="no thanks")
        wanted = [c for c in params.edit.document_changes or () if isinstance(c, lsp.TextDocumentEdit)]
        asked = {name for name, a in (params.edit.change_annotations or {}).items() if a.needs_confirmation}
        ticked = [c for c in wanted if not any(getattr(e, "annotation_id", "") in asked for e in c.edits)]
        self.editor.apply([c for c in ticked if self.applies is None or c.text_document.uri in self.applies])
        return lsp.ApplyWorkspaceEditResult(applied=True)

    def asked(self, params: lsp.ShowMessageRequestParams) -> lsp.MessageActionItem | None:
        self.questions.append(params.message)
        return next((a for a in params.actions or () if a.title == self.says), None)

    async def ask(self, uri: str, at: str = "totla", **more: Any) -> dict[str, Any]:
        position = self.editor.at(uri, at)
        where = {"line": position.line, "character": position.character}
        return await self.editor.command("palimpsest.suggest", {"uri": uri, "position": where, **more})

    async def actions(self) -> list[lsp.Command | lsp.CodeAction]:
        """Code actions where the cart's total is wrong."""
        uri = self.editor.open("shop/cart.py")
        position = self.editor.at(uri, "totla")
        params = lsp.CodeActionParams(
            text_document=lsp.TextDocumentIdentifier(uri),
            range=lsp.Range(position, position),
            context=lsp.CodeActionContext(diagnostics=[]),
        )
        return list(await self.editor.client.text_document_code_action_async(params) or ())

    async def on(self, what: str, identity: str, **more: Any) -> dict[str, Any]:
        return await self.editor.command(f"palimpsest.suggest.{what}", {"id": identity, **more})

    async def wrong(self, what: str, identity: str, **more: Any) -> tuple[int, str]:
        with pytest.raises(JsonRpcException) as caught:
            await self.on(what, identity, **more)
        return caught.value.code, caught.value.message


def suggestion(name: str, *lines: str) -> str:
    return f'<suggestion name="{name}">\n' + "".join(f"{line}\n" for line in lines) + "</suggestion>\n"


def reply(*suggestions: str, summary: str = "Correct a name.") -> str:
    return "".join(suggestions) + f"<summary>{summary}</summary>\n"


def numbered(path: Path, line: str) -> int:
    """The number of a line in a block that shows the whole file."""
    return path.read_text(encoding="utf-8").split("\n").index(line) + 1


async def counted(bench: Bench) -> list[int]:
    """Suggestions shown, accepted and rejected, of all tests so far."""
    found = (await bench.editor.command("palimpsest.stats", {}))["by_kind"].get("suggestion")
    return [found["shown"], sum(found["accepted"].values()), found["rejected"]] if found else [0, 0, 0]


FIX = suggestion("editing", f"L5 {RIGHT}")
"""The fifth line of Cart.total."""


@pytest.fixture
def engine() -> Iterator[Scripted]:
    with scripted() as it:
        yield it


async def start(machine: dict[str, str], shop: Path, engine: Scripted, **more: Any) -> Bench:
    settings = {"engine": {"kind": "openai", "url": engine.url}, **more.pop("settings", {})}
    it = Bench(await start_editor(shop, settings, **more), engine)

    it.editor.client.feature(lsp.WORKSPACE_APPLY_EDIT)(lambda params: it.apply(params))
    it.editor.client.feature(lsp.WINDOW_SHOW_MESSAGE_REQUEST)(lambda params: it.asked(params))
    await it.editor.ready()
    return it


@pytest.fixture
async def bench(machine: dict[str, str], shop: Path, engine: Scripted) -> AsyncIterator[Bench]:
    it = await start(machine, shop, engine)
    yield it
    await stop_editor(it.editor)


async def test_one_reply_for_two_files_is_one_edit_that_is_applied_as_a_whole(bench: Bench, shop: Path) -> None:
    uri, other = bench.editor.open("shop/cart.py"), shop / "shop" / "discount.py"
    await bench.editor.command("palimpsest.context.pin", {"uri": to_uri(other)})
    old, new = "        return total * self.percent // 100", "        return round(total * self.percent / 100)"
    bench.engine.replies = [reply(suggestion("shop/discount.py", f"L{numbered(other, old)} {new}"), FIX)]
    answer = await bench.ask(uri, instruction="Round, and correct the name.")
    (found,) = answer["suggestions"]
    assert answer["refused"] == []
    assert found["summary"] == answer["summary"] == "Correct a name."
    assert (found["uri"], found["name"], found["flags"]) == (uri, "editing", [])
    assert [document["open"] for document in found["documents"]] == [True, False]
    here, there = found["edit"]["documentChanges"]
    assert here["textDocument"] == {"uri": uri, "version": 1}
    assert there["textDocument"] == {"uri": to_uri(other), "version": None}
    assert "changeAnnotations" not in found["edit"], "a client could leave out what is annotated"
    for name, line in (("shop/cart.py", RIGHT), ("shop/discount.py", new)):
        assert f"+++ b/{name}\n" in found["diff"]
        assert f"+{line}\n" in found["diff"]

    # A line comes above in the file on disk: carried over.  Then the line itself changes: refused, and nothing is sent.
    text = other.read_text(encoding="utf-8")
    other.write_text("# one line more\n" + text, encoding="utf-8")
    bench.answers = False
    assert await bench.on("accept", found["id"]) == {
        "id": found["id"],
        "applied": False,
        "summary": "Correct a name.",
        "reason": "no thanks",
    }
    (sent,) = bench.edits
    changes = sent.edit.document_changes
    assert changes
    assert isinstance(changes[1], lsp.TextDocumentEdit)
    assert changes[1].edits[0].range.start.line == numbered(other, old) - 1  # type: ignore[union-attr]
    other.write_text(text.replace("// 100", "// 1000"), encoding="utf-8")
    code, message = await bench.wrong("accept", found["id"])
    assert code == lsp.LSPErrorCodes.ContentModified.value
    assert to_uri(other) in message
    assert len(bench.edits) == 1
    other.write_text(text, encoding="utf-8")
    bench.answers = True
    bench.questions.clear()
    bench.says = "Do not apply"
    assert (await bench.on("accept", found["id"]))["reason"] == "it was not confirmed"
    assert len(bench.edits) == 1
    bench.says = "Apply"
    assert (await bench.on("accept", found["id"]))["applied"]
    assert "shop/cart.py (+1 −1), shop/discount.py (+1 −1)" in bench.questions[-1]
    assert new in other.read_text(encoding="utf-8")
    assert RIGHT in bench.editor.texts[uri]
    code, message = await bench.wrong("accept", found["id"])
    assert code == REFUSED
    assert "was accepted already" in message


async def test_a_part_that_an_editor_left_out_is_told_whatever_the_editor_says(bench: Bench, shop: Path) -> None:
    uri, other = bench.editor.open("shop/cart.py"), bench.editor.open("shop/discount.py")
    await bench.editor.command("palimpsest.context.pin", {"uri": other})
    old, new = "        return total * self.percent // 100", "        return round(total * self.percent / 100)"
    line = numbered(shop / "shop" / "discount.py", old)
    bench.engine.replies = [reply(suggestion("shop/discount.py", f"L{line} {new}"), FIX)]
    (found,) = (await bench.ask(uri))["suggestions"]
    before = await counted(bench)
    bench.applies = set()
    answer = await bench.on("accept", found["id"])
    assert (answer["applied"], "nothing has changed" in answer["reason"]) == (False, True)
    bench.applies = {uri}
    answer = await bench.on("accept", found["id"])
    assert not answer["applied"]
    assert "shop/cart.py is changed; shop/discount.py is as before" in answer["reason"]
    assert answer["reason"] in bench.editor.client.messages[-1].message
    assert await counted(bench) == before, "what is applied in part is not accepted"


async def test_why_an_editor_makes_no_edit_is_told_to_the_person(bench: Bench) -> None:
    """Whoever ran the command as a code action's sees no answer."""
    bench.engine.replies = [reply(FIX)]
    (found,) = (await bench.ask(bench.editor.open("shop/cart.py")))["suggestions"]
    bench.answers = False
    for bench.fails, words in ((None, "no thanks"), (JsonRpcMethodNotFound(), "makes no edits that a server asks for")):
        answer = await bench.on("accept", found["id"])
        assert words in answer["reason"]
        assert answer["reason"] in bench.editor.client.messages[-1].message


@pytest.mark.parametrize("resolves", [["edit"], ["edit", "command"]])
async def test_an_action_that_changes_other_files_asks_and_is_applied_as_a_whole(
    machine: dict[str, str], shop: Path, engine: Scripted, resolves: list[str]
) -> None:
    def offer(offered: lsp.ClientCapabilities) -> None:
        assert offered.text_document
        assert offered.text_document.code_action
        offered.text_document.code_action.resolve_support = lsp.ClientCodeActionResolveOptions(resolves)

    bench = await start(machine, shop, engine, offer=offer)
    try:
        other = shop / "shop" / "discount.py"
        await bench.editor.command("palimpsest.context.pin", {"uri": to_uri(other)})
        old, new = "        return total * self.percent // 100", "        return round(total * self.percent / 100)"
        bench.engine.replies = [reply(suggestion("shop/discount.py", f"L{numbered(other, old)} {new}"), FIX)]
        action = next(a for a in await bench.actions() if isinstance(a, lsp.CodeAction))
        resolved = await bench.editor.client.code_action_resolve_async(action)
        assert resolved.edit is None, "an editor would show it, and apply a part"
        if resolved.command is not None:
            assert resolves == ["edit", "command"]
            assert resolved.command.arguments
            argument = plain(resolved.command.arguments[0])
            assert (await bench.editor.command(resolved.command.command, argument))["applied"]
        while RIGHT not in bench.editor.texts[to_uri(shop / "shop" / "cart.py")] or not bench.edits:
            await asyncio.sleep(0.02)
        assert new in other.read_text(encoding="utf-8")
        assert len(bench.questions) == len(bench.edits) == 1
    finally:
        await stop_editor(bench.editor)


async def test_a_block_from_outside_is_edited_where_its_text_stands_and_secrets_never(
    bench: Bench, shop: Path, tmp_path: Path
) -> None:
    uri = bench.editor.open("shop/cart.py")
    (shop / ".env").write_text("TOKEN = 1\n", encoding="utf-8")
    outside = tmp_path / "elsewhere.py"
    outside.write_text("TOKEN = 1\n", encoding="utf-8")
    (shop / "shop" / "twins.py").write_text("x = 1\nx = 1\n", encoding="utf-8")
    piece = "    def applies_to(self, total: int) -> bool:\n        return total >= self.minimum"
    for name, text, path in (
        ("rule", piece, shop / "shop" / "discount.py"),
        ("key", "TOKEN = 1", shop / "later.py"),
        ("far", "TOKEN = 1", outside),
        ("twice", "x = 1", shop / "shop" / "twins.py"),
        ("gone", "def nothing(): ...", shop / "shop" / "discount.py"),
    ):
        block = {"type": "recent", "name": name, "text": text, "editable": True, "uri": to_uri(path)}
        await bench.editor.command("palimpsest.context.put", block)
    with pytest.raises(JsonRpcException, match="secrets"):
        await bench.editor.command("palimpsest.context.put", {**block, "uri": to_uri(shop / ".env")})
    (shop / "later.py").symlink_to(shop / ".env")  # it was no secret when it was put
    refused = ("key", "far", "twice", "gone")
    changed = [suggestion(name, "L1 TOKEN = 2") for name in refused]
    bench.engine.replies = [reply(suggestion("rule", "L2         return total > self.minimum"), *changed)]
    answer = await bench.ask(uri)
    (found,) = answer["suggestions"]
    (change,) = found["edit"]["documentChanges"]
    line = (shop / "shop" / "discount.py").read_text("utf-8").split("\n").index("        return total >= self.minimum")
    assert change["edits"][0]["range"]["start"]["line"] == line
    assert [refusal["name"] for refusal in answer["refused"]] == list(refused)
    assert all("cannot be edited" in refusal["reason"] for refusal in answer["refused"])
    assert found["flags"] == ["incomplete: a part of it was refused"]


async def test_the_class_of_another_file_is_edited_through_its_block(bench: Bench) -> None:
    uri, other = bench.editor.open("shop/cart.py"), bench.editor.open("shop/discount.py")
    there = "self.discount = discount"
    shown = await bench.editor.show(uri, bench.editor.at(uri, there))
    block = next(block for block in shown["blocks"] if block["name"] == "shop.discount.Discount")
    assert block["editable"]
    number = block["text"].split("\n").index("    minimum: int = 0") + 1
    bench.engine.replies = [reply(suggestion(block["name"], f"L{number}     minimum: int = 1"))]
    (found,) = (await bench.ask(uri, there))["suggestions"]
    (changed,) = found["edit"]["documentChanges"]
    assert changed["textDocument"] == {"uri": other, "version": 1}
    assert "    minimum: int = 1\n" in applied(bench.editor.texts[other], found["edit"])
    # It is another file than the one that was asked about, so a person is asked before it is applied.
    bench.says = None
    assert (await bench.on("accept", found["id"]))["reason"] == "it was not confirmed"
    bench.editor.edit(other, "    minimum: int = 0", "    minimum: int = 5")
    code, _ = await bench.wrong("accept", found["id"])
    assert code == lsp.LSPErrorCodes.ContentModified.value
    assert bench.edits == []


async def test_replies_are_grouped_by_what_they_come_to(bench: Bench) -> None:
    uri = bench.editor.open("shop/cart.py")
    spaced = RIGHT.replace("(total)", "( total )")
    other = suggestion("editing", "L5             total -= self.discount.amount(self.subtotal())")
    bench.engine.replies = [
        reply(other, summary="Ask for the sum again."),
        reply(FIX),
        reply(suggestion("editing", f"L5 {spaced}   ")),
        reply(suggestion("nobody", "L1 x")),
    ]
    answer = await bench.ask(uri, n=4)
    first, second = answer["suggestions"]
    assert [first["agreement"], second["agreement"]] == [0.5, 0.25]
    assert f"+{RIGHT}\n" in first["diff"]
    assert answer["summary"] == "Correct a name."
    assert [refusal["name"] for refusal in answer["refused"]] == ["nobody"]


async def test_the_parts_of_a_reply_are_looked_at_together(bench: Bench) -> None:
    uri = bench.editor.open("shop/cart.py")
    opened, closed = "L5             total -= self.discount.amount(", "L5+                 total)"
    bench.engine.replies = [
        reply(suggestion("editing", opened), suggestion("Cart.total", closed)),
        reply(suggestion("editing", opened)),
    ]
    answer = await bench.ask(uri, n=2)
    (found,) = answer["suggestions"]
    assert "amount(\n                total)\n" in applied(bench.editor.texts[uri], found["edit"])
    assert ["syntax error" in refusal["reason"] for refusal in answer["refused"]] == [True]


async def test_what_cannot_be_trusted_is_flagged_or_refused_with_its_reason(
    bench: Bench, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "palimpsest")  # whatever windows before this one have set
    assert bench.editor.client.local, "its log is read"
    uri = bench.editor.open("shop/cart.py")
    again = ["L6+ ", "L6+     def subtotal(self) -> int:", "L6+         return 0"]
    repeated = [f"L2+ {line}" for line in ("        total = self.subtotal()", "        if self.discount is not None:")]
    bench.engine.replies = [
        reply(suggestion("editing", "L5             total -= rebate(total)")),
        reply(suggestion("editing", "L5             total  -=  self.discount.amount( totla )")),
        reply(suggestion("editing", *again)),
        reply(suggestion("editing", *repeated)),
        reply(suggestion("editing", "L5             total -= secret_word(")),
    ]
    answer = await bench.ask(uri, n=5)
    flags = sorted(found["flags"] for found in answer["suggestions"])
    assert flags == [["formatting only"], ["unknown name: rebate"]]
    reasons = [refusal["reason"] for refusal in answer["refused"]]
    assert reasons == [
        "it would define Cart.subtotal a second time",
        "it repeats what stands there already",
        "it would leave 1 syntax error where there were none",
    ]
    assert "suggestion for editing refused: it repeats what stands there already" in caplog.text
    assert "secret_word" not in caplog.text


async def test_only_selected_lines_change(bench: Bench) -> None:
    uri = bench.editor.open("shop/cart.py")
    line = bench.editor.at(uri, "totla").line
    selected = {"start": {"line": line, "character": 4}, "end": {"line": line + 1, "character": 0}}
    bench.engine.replies = [
        reply(suggestion("editing", "L2         total = 0", f"L5 {RIGHT}")),
        reply(suggestion("Cart.total", "L6         return 0")),
        reply(FIX),
    ]
    answer = await bench.ask(uri, range=selected, n=3, instruction="Correct it.")
    (found,) = answer["suggestions"]
    assert f"+{RIGHT}\n" in found["diff"]
    assert len(answer["refused"]) == 2
    assert all("selected lines 5 to 5" in refusal["reason"] for refusal in answer["refused"])
    assert "Correct it. Change line 5 and nothing else." in bench.engine.prompt
    far = {"start": {"line": 0, "character": 0}, "end": {"line": 1, "character": 0}}
    for wrong, what in ((far, "none of its lines"), ({"start": far["end"], "end": far["start"]}, "not before")):
        with pytest.raises(JsonRpcException) as caught:
            await bench.ask(uri, range=wrong)
        assert caught.value.code == REFUSED
        assert caught.value.message.startswith("range: ")
        assert what in caught.value.message

    params = lsp.CodeActionParams(
        text_document=lsp.TextDocumentIdentifier(uri),
        range=lsp.Range(lsp.Position(line, 4), lsp.Position(line + 1, 0)),
        context=lsp.CodeActionContext(diagnostics=[]),
    )
    bench.engine.replies = [reply(suggestion("editing", "L2         total = 0")), reply(FIX)]
    actions = [a for a in await bench.editor.client.text_document_code_action_async(params) or () if a.title]
    of_lines = next(action for action in actions if "selected lines of Cart.total" in action.title)
    assert isinstance(of_lines, lsp.CodeAction)
    refused = await bench.editor.client.code_action_resolve_async(of_lines)
    assert refused.edit is None
    assert refused.title == of_lines.title
    resolved = await bench.editor.client.code_action_resolve_async(of_lines)
    assert resolved.edit
    assert resolved.title == "Palimpsest: Correct a name."


async def test_ask_again_go_on_reject(bench: Bench) -> None:
    uri = bench.editor.open("shop/cart.py")
    before = await counted(bench)
    code, message = await bench.wrong("accept", "s-1")
    assert code == REFUSED
    assert "is not known" in message
    assert "palimpsest.suggest first" in message
    bench.engine.replies = [reply(FIX)]
    (first,) = (await bench.ask(uri))["suggestions"]
    code, message = await bench.wrong("rerun", "s-99")
    assert code == REFUSED
    assert f"There are {first['id']}." in message

    guard = ["L2+         if not self.lines:", "L2+             return 0"]
    bench.engine.replies = [reply(FIX), reply(suggestion("editing", *guard), summary="Nothing for no lines.")]
    seeds = bench.engine.asked[-1]["seed"], bench.engine.asked[-1]["temperature"]
    nothing = await bench.on("rerun", first["id"])
    assert nothing["suggestions"] == []
    assert nothing["refused"] == [{"name": "editing", "reason": "it was offered before"}]
    assert bench.engine.asked[-1]["seed"] != seeds[0]
    assert bench.engine.asked[-1]["temperature"] > seeds[1]
    (second,) = (await bench.on("rerun", first["id"]))["suggestions"]
    assert second["summary"] == "Nothing for no lines."

    # The model sees the text with the first one in it; what comes of it is both, on the text that there is.  Meanwhile
    # somebody types above.
    bench.engine.replies = [reply(suggestion("editing", *guard), summary="Both.")]
    bench.editor.edit(uri, '"""The cart: lines', '"""One line more.\n\nThe cart: lines')
    (both,) = (await bench.on("continue", first["id"], instruction="Guard it."))["suggestions"]
    shown = bench.engine.prompt.partition("<editing ")[2]
    assert RIGHT in shown.replace("<|FIM_MIDDLE|>", "")
    assert WRONG not in shown
    assert "Guard it." in shown
    text = applied(bench.editor.texts[uri], both["edit"])
    assert RIGHT in text
    assert "        if not self.lines:\n            return 0\n" in text
    assert WRONG not in text
    assert both["edit"]["documentChanges"][0]["textDocument"]["version"] == bench.editor.versions[uri]

    assert await bench.on("reject", both["id"]) == {"id": both["id"], "rejected": True}
    code, message = await bench.wrong("accept", both["id"])
    assert code == REFUSED
    assert "was rejected" in message
    assert first["id"] in message
    bench.engine.replies = [reply(suggestion("editing", *guard, f"L5 {RIGHT}"))]
    again = await bench.ask(uri)
    assert again["suggestions"] == []
    assert [refusal["reason"] for refusal in again["refused"]] == ["you rejected it before"]
    (accepted,) = [await bench.on("accept", second["id"])]
    assert accepted["applied"]
    assert bench.edits[-1].label == "Palimpsest: Nothing for no lines."
    assert [now - then for now, then in zip(await counted(bench), before, strict=True)] == [3, 1, 1]


async def test_a_cut_off_reply_is_flagged_and_finished(bench: Bench) -> None:
    uri = bench.editor.open("shop/cart.py")
    bench.engine.replies = [f'<suggestion name="editing">\nL5 {RIGHT}\nL6         retu', reply(FIX)]
    (part,) = (await bench.ask(uri))["suggestions"]
    assert part["flags"] == ["cut off"]
    bench.engine.replies = [reply(suggestion("editing", "L6         return max(0, total)"))]
    (whole,) = (await bench.on("continue", part["id"]))["suggestions"]
    assert whole["flags"] == []
    text = applied(bench.editor.texts[uri], whole["edit"])
    assert RIGHT in text
    assert "        return max(0, total)\n" in text


async def test_a_wrong_format_is_named_and_another_one_read(bench: Bench) -> None:
    uri = bench.editor.open("shop/cart.py")
    bench.engine.replies = ["nothing"]
    with pytest.raises(JsonRpcException) as caught:
        await bench.ask(uri, format="patch")
    assert caught.value.code == REFUSED
    assert "format: expected one of ln-diff, whole, search-replace, udiff, ast" in caught.value.message
    searched = f"<<<<<<< SEARCH\n{WRONG}\n=======\n{RIGHT}\n>>>>>>> REPLACE"
    bench.engine.replies = [reply(suggestion("editing", *searched.split("\n")))]
    (found,) = (await bench.ask(uri, format="search-replace"))["suggestions"]
    assert f"+{RIGHT}\n" in found["diff"]


async def test_what_is_confirmed_is_a_setting(bench: Bench, shop: Path) -> None:
    uri, other = bench.editor.open("shop/cart.py"), shop / "shop" / "discount.py"
    old, new = "        return total * self.percent // 100", "        return round(total * self.percent / 100)"
    bench.says = None
    for confirm, asked in (("others", 1), ("always", 2), ("never", 0)):
        own = {"suggestion": {"confirm": confirm}}
        bench.editor.client.workspace_did_change_configuration(
            lsp.DidChangeConfigurationParams(settings={"palimpsest": own})
        )
        await bench.editor.command("palimpsest.context.pin", {"uri": to_uri(other)})
        bench.engine.replies = [reply(suggestion("shop/discount.py", f"L{numbered(other, old)} {new}"), FIX)]
        (found,) = (await bench.ask(uri))["suggestions"]
        assert len(found["edit"]["documentChanges"]) == 2
        bench.engine.replies = [reply(FIX)]
        (alone,) = (await bench.ask(uri))["suggestions"]
        bench.answers, n_before = False, len(bench.questions)
        for offered in (found, alone):
            await bench.on("accept", offered["id"])
        assert len(bench.questions) - n_before == asked, confirm
        await bench.on("accept", found["id"], confirmed=True)
        assert len(bench.questions) - n_before == asked, "what was confirmed is not asked about again"


async def test_the_summary_is_shown_at_the_end_and_a_client_that_cannot_resolve_is_served(
    machine: dict[str, str], shop: Path, engine: Scripted
) -> None:
    def without(offered: lsp.ClientCapabilities) -> None:
        assert offered.text_document
        assert offered.text_document.code_action
        offered.text_document.code_action.resolve_support = None

    bench = await start(machine, shop, engine, offer=without)
    try:
        (action,) = await bench.actions()
        # This client takes an action that has a command for a bare command, whose name it then makes of an object.
        command = ast.literal_eval(str(action.command))
        engine.replies = [reply(FIX)]
        bench.editor.client.progress_reports["mine"] = []
        answer = await bench.editor.command(command["command"], {**command["arguments"][0], "workDoneToken": "mine"})
        assert answer["applied"]
        assert answer["summary"] == "Correct a name."
        (sent,) = bench.edits
        assert sent.edit.document_changes
        ends = [v for v in bench.editor.client.progress_reports["mine"] if isinstance(v, lsp.WorkDoneProgressEnd)]
        assert [end.message for end in ends] == ["Correct a name."]
    finally:
        await stop_editor(bench.editor)


async def test_an_edit_applied_from_an_action_is_counted_where_the_client_runs_its_command(
    machine: dict[str, str], shop: Path, engine: Scripted
) -> None:
    def with_commands(offered: lsp.ClientCapabilities) -> None:
        assert offered.text_document
        assert offered.text_document.code_action
        offered.text_document.code_action.resolve_support = lsp.ClientCodeActionResolveOptions(["edit", "command"])
        assert offered.workspace
        assert offered.workspace.workspace_edit
        offered.workspace.workspace_edit.document_changes = False

    bench = await start(machine, shop, engine, offer=with_commands)
    try:
        action = next(a for a in await bench.actions() if isinstance(a, lsp.CodeAction))
        engine.replies = [reply(FIX)]
        resolved = await bench.editor.client.code_action_resolve_async(action)
        assert resolved.edit
        assert resolved.edit.document_changes is None, "this client knows no versions"
        assert list(resolved.edit.changes or ()) == list(bench.editor.texts)
        assert resolved.command
        before = await counted(bench)
        assert resolved.command.arguments
        (uri,) = bench.editor.texts
        bench.editor.edit(uri, WRONG, RIGHT)
        await bench.editor.command(resolved.command.command, plain(resolved.command.arguments[0]))
        after = await counted(bench)
        assert [now - then for now, then in zip(after, before, strict=True)] == [0, 1, 0]
    finally:
        await stop_editor(bench.editor)


async def test_an_edit_is_refused_when_its_lines_changed_meanwhile(bench: Bench) -> None:
    uri = bench.editor.open("shop/cart.py")
    bench.engine.replies = [reply(FIX)]
    bench.engine.free.clear()
    request = asyncio.create_task(bench.ask(uri))
    await until(lambda: bool(bench.engine.asked))
    bench.editor.edit(uri, "amount(totla)", "amount(9)")
    bench.engine.free.set()
    answer = await request
    assert answer["suggestions"] == []
    assert [refusal["reason"] for refusal in answer["refused"]] == ["the lines it changes have been edited since"]
