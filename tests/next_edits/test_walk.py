"""Any order of what a person and a model do: what is shown is always about the text that is there."""

from __future__ import annotations

import asyncio
import random
import re
from pathlib import Path
from typing import Any

import pytest

from palimpsest.errors import EngineDied
from palimpsest.models import next_edit_models
from palimpsest.next_edits.formats import FORMATS
from palimpsest.next_edits.formats.format import NextEditFormat, NextEditPrompt, WindowAnswer, WindowRequest
from palimpsest.next_edits.next_edits import NextEdit
from palimpsest.text.snapshot import ContentChange, Position, Range, Snapshot
from palimpsest.window.events import DocumentClosed

from .writing import Model, Window, a_window

TEXTS = {
    "shapes.txt": "Shapes\n\nwidth = 1\nheight = 2\nprint(width)\nprint(height)\n",
    "pairs.py": "import os\r\n\r\ndef area(width, height):\r\n    size = width * height\r\n    return size\r\n",
    "wide.py": "text = '😀é𝒳'\nother = text + '𝄞'\nprint(text, other)\n\n\ndef f(a):\n    return a, '😀'\n",
    "returns.txt": "one\rtwo\rthree\rfour\r",
    "separated.py": "a = 1\n\f\ndef f():\n    '\u2028x'\n    return 1\n\f\nb = f()",
    "empty.txt": "",
    "long.py": "".join(f"def fun_{n}(a):\n    x = a + {n}\n    return x\n\n\n" for n in range(60)),
}
TYPED = ("x", "_y", "é", "total", " 1", "z", "\n", "😀", "\r\n", "# c", "ab\ncd\n")
ENDS = re.compile(r"\r\n|\r|\n")


class Writer(Model):
    """Answers after a while, if it does not die."""

    def __init__(self, chance: random.Random) -> None:
        super().__init__()
        self._chance = chance

    async def generate(self, request: Any) -> Any:
        self.free.set()
        for _ in range(self._chance.choice((0, 0, 1, 3, 10))):
            await asyncio.sleep(0)
        self.error = EngineDied("It died.") if self._chance.random() < 0.03 else None
        return await super().generate(request)

    async def model(self) -> Any:
        raise EngineDied("It died.")

    def read(self, asked: WindowRequest) -> WindowAnswer:
        chance, lines = self._chance, asked.text.split("\n")
        n, k = chance.randrange(len(lines)), chance.randrange(8)
        if k < 3 and (words := re.findall(r"\w+", asked.text)):
            word = re.escape(chance.choice(words))
            return WindowAnswer(re.sub(rf"\b{word}\b", chance.choice(("x_y", "é", "𝒳", "2")), asked.text, count=k))
        if k < 4:
            lines[n] += chance.choice((" + 1", "  # 𝄞 ü", ", y"))
        elif k < 6:
            lines[n:n] = [f"value_{n} = '😀'", "", "print(1)"][: k - 3]
        elif k < 7:
            del lines[n]
        return WindowAnswer("\n".join(lines))


class Walk:
    """`shown` is what the person has before them, and what the document is with it."""

    def __init__(self, window: Window, chance: random.Random) -> None:
        self.window, self.chance = window, chance
        self.earlier: dict[str, list[str]] = {}
        self.mixed = set[str]()  # documents that had lines of two kinds
        self.uris = [self.open(name) for name in TEXTS]
        self.uri, self.line = self.uris[0], 2
        self.shown: tuple[NextEdit, str] | None = None
        self.asking = list[asyncio.Task[None]]()
        self.n_shown = 0

    def open(self, name: str) -> str:
        uri = self.window.open(TEXTS[name], name)
        self.earlier[uri] = []
        return uri

    @property
    def here(self) -> Snapshot:
        return self.window.session.documents.get(self.uri)

    def near(self) -> Position:
        here, chance = self.here, self.chance
        line = max(0, min(here.line_count - 1, self.line + chance.randrange(-4, 5)))
        return Position(line, chance.randrange(len(here.lines[line]) + 1))

    def change(self, uri: str, change: ContentChange) -> None:
        self.earlier[uri].append(self.window.text(uri))
        self.window.change(uri, change)
        if len(set(ENDS.findall(self.window.text(uri)))) > 1:
            self.mixed.add(uri)

    async def step(self) -> None:
        chance, what = self.chance, self.chance.random()
        self.window.now += chance.choice((0, 0.1, 1, 6))
        if what < 0.3 and self.shown is not None and self.is_there(self.shown[0]):
            await self.take(*self.shown)
        elif what < 0.55:
            at = self.near()
            self.line = at.line
            self.change(self.uri, ContentChange(Range(at, at), chance.choice(TYPED[: chance.choice((5, len(TYPED)))])))
        elif what < 0.62:
            first, last = sorted((self.near(), self.near()))
            if last.line - first.line < 3:
                self.change(self.uri, ContentChange(Range(first, last), ""))
        elif what < 0.66 and self.earlier[self.uri]:
            self.change(self.uri, ContentChange(None, self.earlier[self.uri][-1]))
        elif what < 0.74:
            self.uri = chance.choice(self.uris)
            self.line = chance.randrange(self.here.line_count)
        elif what < 0.75:
            name = chance.choice(list(TEXTS))
            self.window.session.events.emit(DocumentClosed(self.uris[list(TEXTS).index(name)]))
            self.open(name)
        elif what < 0.88:
            await self.ask()
        else:
            self.asking.append(asyncio.create_task(self.ask()))

    async def take(self, edit: NextEdit, result: str) -> None:
        """Accept it, type a part of it, reject it or say that it was made though it was not."""
        next_edits, uri, what = self.window.session.next_edits, edit.snapshot.uri, self.chance.random()
        self.uri, self.line = uri, edit.range.start.line
        if what < 0.4:
            self.change(uri, ContentChange(edit.range, edit.text))
            assert self.window.text(uri) == result
            self.look(await next_edits.accept(edit.id))
        elif what < 0.75:
            self.change(uri, ContentChange(edit.range, edit.text[: self.chance.randrange(len(edit.text) + 1)]))
            await self.ask()
        elif what < 0.9:
            next_edits.dismiss(edit.id)
        else:
            await next_edits.accept(edit.id)

    async def ask(self) -> None:
        here, earlier = self.here, self.earlier[self.uri][-1:]
        position = Position(min(self.line, here.line_count - 1), 0)
        found = await self.window.session.next_edits.next(self.uri, position, invoked=self.chance.random() < 0.4)
        self.look(found)
        if found is not None and found.kind == "model" and found.snapshot is here and earlier != [here.text]:
            assert self.window.made(found) not in earlier, "it takes back what was just done"

    def look(self, found: NextEdit | None) -> None:
        if found is None:
            return
        assert self.is_there(found) or not found.is_open, "it is about a text that is no more"
        result = found.snapshot.changed([ContentChange(found.range, found.text)], 0)[0].text
        if found.kind == "model":
            assert result != found.snapshot.text
            assert found.snapshot.uri in self.mixed or len(set(ENDS.findall(result))) <= 1, "lines of two kinds"
        result.encode()
        self.shown = found, result
        self.n_shown += 1
        self.window.session.next_edits.mark_shown(found.id)

    def is_there(self, edit: NextEdit) -> bool:
        return self.window.session.documents.find(edit.snapshot.uri) is edit.snapshot


@pytest.mark.parametrize(
    ("name", "seed", "steps"),
    [
        *((name, seed, 250) for seed, name in enumerate(FORMATS)),
        *(
            pytest.param(name, seed, 3000, marks=pytest.mark.slow(part="storms"))
            for seed in (21, 22)
            for name in FORMATS
        ),
    ],
)
async def test_what_is_shown_is_true_whatever_is_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, seed: int, steps: int
) -> None:
    chance = random.Random(seed)
    writer = Writer(random.Random(seed + 1))
    whole = NextEditFormat.read

    def read(
        format: NextEditFormat, asked: WindowRequest, prompt: NextEditPrompt, written: str, *, is_whole: bool
    ) -> WindowAnswer:
        kinds = "", asked.text, f"{asked.text}\n", prompt.text[-200:]
        written = chance.choice(kinds)
        return writer.read(asked) if chance.random() < 0.7 else whole(format, asked, prompt, written, is_whole=True)

    # no door: what is written is in the format's own marks, and a file's name says which format it is
    monkeypatch.setattr(NextEditFormat, "read", read)
    monkeypatch.setattr(next_edit_models, "FORMATS", ((name, "sweep"),))
    failed = list[Any]()
    asyncio.get_running_loop().set_exception_handler(lambda _, context: failed.append(context))
    async with a_window(tmp_path) as window:
        window.model = writer
        walk = Walk(window, chance)
        for _ in range(steps):
            await walk.step()
        await asyncio.gather(*walk.asking)
        assert walk.n_shown
        assert not failed
