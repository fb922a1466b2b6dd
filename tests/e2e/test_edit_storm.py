"""Somebody types at 15 characters a second, with a completion asked for behind each of them."""

import asyncio
import os
import random
import re
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from palimpsest.providers.palimpsest.client import InPlaceEngine

from .conftest import Editor

RATE = 15.0
MOST_WAITING = 6
"""Jobs at an engine with one window: the newest keystroke's, one or two that are just being cancelled, what a pause
has decoded, and what a test itself asks."""
FILES = ("shop/cart.py", "shop/order.py", "shop/discount.py", "shop/item.py")


@dataclass
class Asked:
    """A request, and the text it was made for."""

    number: int
    line: str
    position: lsp.Position
    items: list[lsp.InlineCompletionItem] = field(default_factory=list)
    answered: int = -1


class Storm:
    """A person at one file.  `offset` is the cursor's, in the text."""

    def __init__(self, editor: Editor, uri: str, seed: int) -> None:
        self.editor, self.uri = editor, uri
        self.random = random.Random(seed)
        self.offset = editor.texts[uri].index("total = self.subtotal()") + len("total = self.subtotal()")
        self.code = [(editor.root / name).read_text(encoding="utf-8") for name in FILES]
        self.asked: list[Asked] = []
        self.tasks: list[asyncio.Task[None]] = []
        self.n_answered = 0
        self.waiting: list[int] = []
        self._rest = ""

    @property
    def text(self) -> str:
        return self.editor.texts[self.uri]

    def position(self, offset: int) -> lsp.Position:
        before = self.text[:offset]
        return lsp.Position(before.count("\n"), len(before.rpartition("\n")[2].encode()))

    def change(self, start: int, end: int, text: str) -> None:
        where = lsp.Range(self.position(start), self.position(end))
        self.editor.texts[self.uri] = self.text[:start] + text + self.text[end:]
        self.editor.versions[self.uri] += 1
        self.offset = start + len(text)
        identifier = lsp.VersionedTextDocumentIdentifier(uri=self.uri, version=self.editor.versions[self.uri])
        change = lsp.TextDocumentContentChangePartial(range=where, text=text)
        self.editor.client.text_document_did_change(lsp.DidChangeTextDocumentParams(identifier, [change]))

    def ask(self) -> None:
        line = self.text.split("\n")[self.position(self.offset).line]
        asked = Asked(len(self.asked), line, self.position(self.offset))
        self.asked.append(asked)
        self.tasks.append(asyncio.create_task(self._answer(asked)))

    async def _answer(self, asked: Asked) -> None:
        params = lsp.InlineCompletionParams(
            context=lsp.InlineCompletionContext(lsp.InlineCompletionTriggerKind.Automatic),
            text_document=lsp.TextDocumentIdentifier(self.uri),
            position=asked.position,
        )
        try:
            answer = await self.editor.client.protocol.send_request_async(
                lsp.TEXT_DOCUMENT_INLINE_COMPLETION, params, msg_id=f"storm-{asked.number}"
            )
            asked.items = list(answer.items) if answer else []
        except JsonRpcException as error:
            if error.code != lsp.LSPErrorCodes.RequestCancelled.value:
                raise
        asked.answered, self.n_answered = self.n_answered, self.n_answered + 1

    def keystroke(self) -> None:
        """The next thing this person does; mostly the next character of code from elsewhere."""
        dice = self.random.random()
        if dice < 0.04:  # somewhere else
            ends = [m.start() for m in re.finditer(r"\n", self.text)]
            self.offset, self._rest = self.random.choice(ends), ""
        elif dice < 0.12 and self.offset > 200:  # take something back
            self.change(self.offset - self.random.choice((1, 1, 1, 2, 9)), self.offset, "")
        elif dice < 0.14:  # a block goes
            end = min(len(self.text), self.offset + self.random.randrange(1, 60))
            self.change(self.offset, end, "")
        elif dice < 0.18 and self.asked[-1].items:  # take what is offered, as far as it is for this place
            item = self.asked[-1].items[0]
            assert item.range is not None
            if item.range.end == self.position(self.offset):
                typed = item.range.end.character - item.range.start.character
                self.change(self.offset, self.offset, str(item.filter_text)[typed:])
        else:
            if not self._rest:
                code = self.random.choice(self.code)
                start = code.index("\n", self.random.randrange(len(code) // 2))
                self._rest = code[start : start + 200] + "ß\n"
            self.change(self.offset, self.offset, self._rest[0])
            self._rest = self._rest[1:]

    async def blow(self, seconds: float) -> None:
        loop = asyncio.get_running_loop()
        begun = loop.time()
        for n in range(int(seconds * RATE)):
            self.keystroke()
            overtaken = self.asked[-1] if self.asked else None
            self.ask()
            if overtaken is not None and overtaken.answered < 0 and self.random.random() < 0.5:
                self.editor.client.protocol.notify("$/cancelRequest", lsp.CancelParams(f"storm-{overtaken.number}"))
            await asyncio.sleep(max(0.0, begun + (n + 1) / RATE - loop.time()))

    async def watch(self) -> None:
        """Note again and again how many jobs the engines of this run have."""
        while True:
            self.waiting.append(await waiting())
            await asyncio.sleep(0.1)


async def waiting() -> int:
    """Jobs that wait or are under way, at the engine that has most."""
    counts = [0]
    for socket in Path(os.environ["XDG_RUNTIME_DIR"]).rglob("*.sock"):
        engine = InPlaceEngine.over_socket(socket)
        try:
            counts.append((await engine.health()).waiting)
        except Exception:
            continue  # one of another test that has left
        finally:
            await engine.aclose()
    return max(counts)


def check(asked: Asked) -> None:
    """What is offered is for the text that it was asked for."""
    before = asked.line.encode()[: asked.position.character].decode()
    match = re.search(r"\w*\Z", before)
    assert match is not None
    for item in asked.items:
        assert item.range is not None
        assert item.range.end == asked.position
        typed = before[len(before.encode()[: item.range.start.character].decode()) :]
        assert item.range.start.line == asked.position.line
        is_too_deep = bool(typed) and not before.strip() and not str(item.insert_text)[:1].isspace()
        assert typed == match[0] or is_too_deep  # then a part of the indentation is taken back
        assert item.filter_text == (item.insert_text if typed.strip() else f"{typed}{item.insert_text}")
        assert str(item.filter_text).startswith(typed)
        assert len(str(item.filter_text)) > len(typed)


async def storm_of(editor: Editor, seconds: float, seed: int) -> Storm:
    uri = editor.open("shop/cart.py")
    code = editor.texts[uri]
    await editor.settled(uri, editor.at(uri, "total = self.subtotal()"))
    storm = Storm(editor, uri, seed)
    watching = asyncio.create_task(storm.watch())
    await storm.blow(seconds)
    # There is an answer for this, whatever names and brackets the storm has left.
    storm.change(0, len(storm.text), code)
    storm.change(at := code.index("total = self.subtotal()"), at, "if self.disc\n        ")
    storm.offset = at + len("if self.disc")
    storm.ask()
    async with asyncio.timeout(240):  # against hangs alone
        await asyncio.gather(*storm.tasks)
    await editor.until_idle()
    watching.cancel()
    return storm


async def fresh_answers(editor: Editor, seconds: float, seed: int) -> Storm:
    storm = await storm_of(editor, seconds, seed)
    for asked in storm.asked:
        check(asked)
        if asked.items:  # had a later one been answered before it, it would have been overtaken
            assert all(later.answered > asked.answered for later in storm.asked[asked.number + 1 :])
    assert storm.asked[-1].items
    assert storm.waiting
    assert max(storm.waiting) <= MOST_WAITING
    assert await waiting() == 0
    return storm


@pytest.mark.slow(part="storms")
async def test_a_gust_of_typing_gets_no_stale_text_and_leaves_nothing_waiting(editor: Editor) -> None:
    await fresh_answers(editor, 8, seed=1)


@pytest.mark.slow(part="storms")
async def test_a_minute_of_typing_gets_no_stale_text_and_leaves_nothing_waiting(editor: Editor) -> None:
    storm = await fresh_answers(editor, 60, seed=2)
    half = len(storm.waiting) // 2
    assert sum(storm.waiting[half:]) / (len(storm.waiting) - half) <= MOST_WAITING / 2
