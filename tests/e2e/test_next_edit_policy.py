"""When a model made for next edits is asked, and for how long what it wrote holds, through a real client.

The model is asked in a real engine, as a copy of the embedded one; the text of its answer is what a test says.
"""

from __future__ import annotations

import asyncio
import shutil
import threading
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types as lsp

from palimpsest import wire
from palimpsest.models.files import embedded
from palimpsest.next_edits import written
from palimpsest.providers.palimpsest.client import InPlaceEngine

from .conftest import Editor, plain, start_editor, stop_editor, until
from .test_next_edit import ask
from .test_next_edit_model import doctor, warned

CODE = "Shapes\n\nwidth = 1\nheight = 2\nprint(width)\nprint(height)\n"
EDITED = CODE.replace("width = 1", "total_width = 1")
FOLLOWED = EDITED.replace("print(width)", "print(total_width)")
MORE = FOLLOWED.replace("print(height)", "print(total_width, height)")
EDITS = {EDITED: FOLLOWED, FOLLOWED: MORE}


@dataclass
class Model:
    """What the model is asked, and what it says to it.  `is_free`: whether it may answer."""

    knows: dict[str, str] = field(default_factory=lambda: dict(EDITS))
    asked: list[str] = field(default_factory=list)
    slots: list[str] = field(default_factory=list)
    n_answers: int = 0
    is_free: threading.Event = field(default_factory=threading.Event)

    async def answer(self, engine: Any, request: wire.GenerateRequest) -> wire.GenerateAnswer:
        assert request.text is not None
        current = request.text.text.rpartition("<|file_sep|>current/")[2].partition("\n")[2]
        text = current.partition("<|file_sep|>")[0]
        self.asked.append(text)
        self.slots.append(request.slot)
        answer: wire.GenerateAnswer = await engine.generate(replace(request, max_tokens=1))
        self.n_answers += 1
        while not self.is_free.is_set():
            await asyncio.sleep(0.005)
        return replace(answer, choices=[replace(answer.choices[0], text=self.knows.get(text, text), finish="end")])


class Second:
    def __init__(self, engine: Any, model: Model) -> None:
        self._engine, self._model = engine, model

    async def generate(self, request: wire.GenerateRequest) -> wire.GenerateAnswer:
        return await self._model.answer(self._engine, request)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._engine, name)


@pytest.fixture(scope="module")
def second(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One file for all tests, which so share an engine."""
    path = tmp_path_factory.mktemp("models") / "sweep-next-edit-copy.gguf"
    shutil.copy(embedded(), path)
    return path


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Model:
    made, second = Model(), InPlaceEngine.for_next_edits
    made.is_free.set()
    # no door: what a model says, and when, is known to nobody
    monkeypatch.setattr(InPlaceEngine, "for_next_edits", lambda engine: Second(second(engine), made))
    return made


@pytest.fixture
async def window(machine: dict[str, str], shop: Path, second: Path, model: Model) -> AsyncIterator[Editor]:
    editor = await start_editor(shop, {"next_edit": {"model": str(second)}, "completion": {"quiet_in": ["comments"]}})
    try:
        await editor.ready()
        await loaded(editor, model)
        yield editor
    finally:
        model.is_free.set()
        await stop_editor(editor)


async def loaded(editor: Editor, model: Model) -> None:
    """Wait until the second model answers."""
    uri = editor.open("loaded.txt", "a b\n", "plaintext")
    editor.edit(uri, "a b", "a c")
    async with asyncio.timeout(180):
        while not model.n_answers:
            await ask_as(editor, uri, "invoked")
            await asyncio.sleep(0.05)
    model.asked.clear()
    model.slots.clear()


async def says(editor: Editor, why: str) -> None:
    """Wait until the status says why there is no next edit."""
    await until(lambda: why in editor.status.get("no_next_edit", ""))
    assert any(line.startswith("Next edit: none; ") and why in line for line in editor.status["figures"])


async def ask_as(editor: Editor, uri: str, trigger: str, line: int = 2) -> dict[str, Any]:
    params = {
        "textDocument": {"uri": uri, "version": editor.versions[uri]},
        "position": {"line": line, "character": 0},
        "trigger": trigger,
    }
    answer: dict[str, Any] = plain(await editor.client.protocol.send_request_async("palimpsest/nextEdit", params))
    return answer


def edited(editor: Editor, code: str = CODE) -> str:
    uri = editor.open("shapes.txt", code, "plaintext")
    editor.edit(uri, "width = 1", "total_width = 1")
    return uri


async def offered(editor: Editor, uri: str, line: int = 2) -> dict[str, Any]:
    (edit,) = (await ask(editor, uri, lsp.Position(line, 0)))["edits"]
    assert edit["textDocument"]["version"] == editor.versions[uri]
    return dict(edit)


def made(editor: Editor, edit: dict[str, Any]) -> str:
    uri = edit["textDocument"]["uri"]
    start, end = (editor.offset(uri, lsp.Position(**edit["range"][end])) for end in ("start", "end"))
    return f"{editor.texts[uri][:start]}{edit['text']}{editor.texts[uri][end:]}"


def make(editor: Editor, edit: dict[str, Any]) -> None:
    uri = edit["textDocument"]["uri"]
    editor.replace(uri, lsp.Position(**edit["range"]["start"]), lsp.Position(**edit["range"]["end"]), edit["text"])


async def counted(editor: Editor) -> tuple[int, int]:
    told = (await editor.command("palimpsest.stats", {}))["by_kind"].get("nextEdit")
    return (told["shown"], sum(told["accepted"].values())) if told else (0, 0)


async def test_it_holds_while_it_is_typed_and_counts_as_accepted_at_its_end(window: Editor, model: Model) -> None:
    uri = edited(window)
    shown, accepted = await counted(window)
    first = await offered(window, uri)
    assert made(window, first) == FOLLOWED
    at = window.at(uri, "print(")
    for letter in "total":
        at = window.type(uri, at, letter)
        edit = await offered(window, uri, 4)
        assert (edit["id"], made(window, edit)) == (first["id"], FOLLOWED)
        assert edit["range"]["start"] == {"line": 4, "character": at.character}
    assert model.asked.count(EDITED) == 1
    window.type(uri, at, "_")
    assert window.texts[uri] == FOLLOWED
    second = await offered(window, uri, 4)
    assert (second["id"] != first["id"], made(window, second)) == (True, MORE)
    assert await counted(window) == (shown + 2, accepted + 1)


async def test_one_that_is_not_true_any_more_is_gone_at_once(window: Editor, model: Model) -> None:
    """Complaint: an edit is offered for a text that is another one by now."""
    uri = edited(window)
    await offered(window, uri)
    window.edit(uri, "print(width)", "print(x)")
    assert (await ask(window, uri, lsp.Position(2, 0)))["edits"] == []
    assert model.asked[-1] == window.texts[uri], "the model was asked about the new text"


async def test_in_a_file_with_crlf_what_is_left_is_right_too(window: Editor, model: Model) -> None:
    """Complaint: a CRLF file gets lines of two kinds."""
    model.knows[EDITED] = wanted = EDITED.replace("print(width)", "print(1)\nprint(total_width)")
    uri = edited(window, CODE.replace("\n", "\r\n"))
    first = await offered(window, uri)
    assert made(window, first) == wanted.replace("\n", "\r\n")
    window.type(uri, window.at(uri, "print("), "1)\r\n")
    edit = await offered(window, uri, 4)
    assert (edit["id"], made(window, edit)) == (first["id"], wanted.replace("\n", "\r\n"))


async def test_the_newest_request_is_answered_and_those_before_it_get_nothing(window: Editor, model: Model) -> None:
    uri = edited(window, CODE + "".join(f"line {n}\n" for n in range(40)))
    model.is_free.clear()
    first = asyncio.ensure_future(ask_as(window, uri, "automatic", 2))
    await until(lambda: len(model.asked) == 1)
    second = asyncio.ensure_future(ask_as(window, uri, "automatic", 20))
    third = asyncio.ensure_future(ask_as(window, uri, "automatic", 40))
    await until(lambda: model.asked and "line 30" in model.asked[-1])
    model.knows[model.asked[-1]] = model.asked[-1].replace("line 30", "line thirty")
    model.is_free.set()
    answers = await asyncio.gather(first, second, third)
    assert [len(answer["edits"]) for answer in answers] == [0, 0, 1]
    assert answers[2]["edits"][0]["text"] == "thirty"


async def test_what_trees_find_does_not_wait_for_the_model(window: Editor, model: Model) -> None:
    uri = edited(window)
    model.is_free.clear()
    waiting = asyncio.ensure_future(ask_as(window, uri, "automatic"))
    await until(lambda: model.asked)
    cart = window.open("shop/cart.py")
    window.edit(cart, "    def total(self)", "    def grand_total(self)")
    async with asyncio.timeout(60):
        assert (await ask(window, cart, window.at(cart, "grand_total")))["edits"][0]["kind"] == "rename"
    assert not waiting.done()
    model.is_free.set()
    await waiting


async def test_what_was_dismissed_does_not_come_back_and_the_rest_waits(
    window: Editor, model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Complaint: what I dismiss is offered again."""
    monkeypatch.setattr(written, "COOL_S", 3600.0)  # no door: nobody waits five seconds, or for less
    uri = edited(window)
    first = await offered(window, uri)
    await until(lambda: len(model.asked) == 2)  # what follows it
    await window.command("palimpsest.nextEdit.dismiss", first["id"])
    for line in (2, 5):
        assert (await ask_as(window, uri, "automatic", line))["edits"] == []
    assert len(model.asked) == 2
    assert (await ask_as(window, uri, "invoked"))["edits"] == []
    assert len(model.asked) == 3, "who presses a key is not held back"
    await says(window, "it was accepted or dismissed before")
    monkeypatch.setattr(written, "COOL_S", 0.0)  # no door: nobody waits five seconds, or for less
    assert (await ask_as(window, uri, "automatic", 5))["edits"] == []
    assert len(model.asked) == 4


async def test_a_line_that_it_had_nothing_for_is_let_be_but_not_by_a_person_who_asks(
    window: Editor, model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(written, "COOL_S", 3600.0)  # no door: nobody waits five seconds, or for less
    model.knows.clear()
    uri = edited(window)
    for _ in range(3):
        assert (await ask_as(window, uri, "automatic"))["edits"] == []
    assert len(model.asked) == 1
    assert (await ask_as(window, uri, "invoked"))["edits"] == []
    assert len(model.asked) == 2
    for kind, n in ((2, 2), (1, 3)):  # as clients of others say it
        params = {"textDocument": {"uri": uri}, "position": {"line": 2, "character": 0}}
        context = {"context": {"triggerKind": kind}}
        await window.client.protocol.send_request_async("textDocument/copilotInlineEdit", params | context)
        assert len(model.asked) == n
    window.edit(uri, "height = 2", "height = 3")
    await ask_as(window, uri, "automatic")
    assert len(model.asked) == 4


async def test_nothing_after_undo_in_a_conflict_and_in_comments(window: Editor, model: Model) -> None:
    """Complaint: they come at the wrong moment."""
    uri = edited(window)
    window.edit(uri, "height = 2", "height = 200")
    window.edit(uri, "height = 200", "height = 2")
    assert (await ask_as(window, uri, "automatic"))["edits"] == []
    await says(window, "none after undo or redo")
    conflict = window.open("conflict.txt", "<<<<<<< HEAD\na = 1\n=======\na = 2\n>>>>>>> b\n", "plaintext")
    window.edit(conflict, "a = 2", "a = 3")
    assert (await ask_as(window, conflict, "invoked"))["edits"] == []
    await says(window, "a merge conflict is near the cursor")
    item = window.open("shop/item.py", "# one\nx = 1\n")
    at = window.edit(item, "# one", "# one of")
    assert (await ask(window, item, at))["edits"] == []
    await says(window, "none in comments (completion.quiet_in)")
    assert model.asked == []


@pytest.mark.parametrize(
    ("writes", "why"),
    [
        (CODE, "takes back what was just done"),
        (EDITED.replace("\n\n", "\n"), "nothing but blanks"),
        (EDITED.replace("height = 2\n", "height = 2\nheight = 2\n"), "repeats the lines beside it"),
        (EDITED.replace("print(height)\n", "print(<|file_sep|>)\n"), "of no use"),
        (EDITED.replace("print(width)\nprint(height)\n", ""), "leaves out the end"),
    ],
)
async def test_what_nobody_would_want_is_not_offered_and_the_status_says_why(
    window: Editor, model: Model, writes: str, why: str
) -> None:
    """Complaints: it undoes my last edit, deletes code or shows marks of its format, only deletes white space; and
    where there is none nothing says why."""
    model.knows[EDITED] = writes
    assert (await ask(window, edited(window), lsp.Position(2, 0)))["edits"] == []
    await says(window, why)


async def test_what_follows_is_there_when_one_is_accepted(window: Editor, model: Model) -> None:
    uri = edited(window)
    first = await offered(window, uri)
    await until(lambda: FOLLOWED in model.asked)
    assert model.slots == ["suggestion", "background"]
    await window.until_idle()
    model.is_free.clear()  # whoever asks now waits
    make(window, first)
    async with asyncio.timeout(60):
        answer = await window.command("palimpsest.nextEdit.accept", first["id"])
    assert made(window, answer["edits"][0]) == MORE
    assert model.asked == [EDITED, FOLLOWED]


async def test_an_engine_elsewhere_is_said_to_have_none(machine: dict[str, str], shop: Path, second: Path) -> None:
    """Complaint: there are none, and nothing says why."""
    engine = {"kind": "llama-server", "url": "http://127.0.0.1:9"}
    editor = await start_editor(shop, {"engine": engine, "next_edit": {"model": str(second)}})
    try:
        uri = edited(editor)
        for _ in range(2):
            assert (await ask_as(editor, uri, "automatic"))["edits"] == []
        assert len(warned(editor)) == 1
        assert "an engine elsewhere" in warned(editor)[0]
    finally:
        with suppress(Exception):
            await stop_editor(editor)


def test_doctor_says_so_too(machine: dict[str, str], second: Path) -> None:
    check = doctor(str(second), {"kind": "llama-server", "url": "http://127.0.0.1:9"}, 1)["next edits"]
    assert not check["ok"]
    assert "an engine elsewhere" in check["detail"]
    assert "next edits" not in doctor(str(second), {"kind": "none"})
