"""The demonstration's conversation: a ref, a long output, two forks, a summary, and all of it again after a kill.

In: a started driver and a workspace.  Out: `TalkStep`s.  Two turns are written here, so that there is something to show
with any model; the reply, the forks and the counts come from the real engine, what is kept from the real database.
"""

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import shorten
from typing import Any

from palimpsest.lsp.client.driver import Driver
from palimpsest.lsp.client.editor import plain_position

QUESTION = "How could an order know whether it is sent without postage?"
ANSWER = '''\
A function of its own is enough:

<ref id="is_free_to_send">
def is_free_to_send(total: float, limit: float = 50.0) -> bool:
    """Whether an order of this total is sent without postage."""
    return total >= limit
</ref>

It knows nothing of carts, so a test of it is one line.
'''
FOLLOWING = "What does the function return?"
TASKS = ("Name its two arguments.", "Write a shorter docstring.")
PASTED = "Where is the parser imported?"
REF, FILE = "is_free_to_send", "shop/postage.py"
SEARCHED = "tree_sitter"
MOST_LINES = 6
MOST_SHOWN = 45
"""Characters of a child's reply."""


def _top(reply: str) -> str:
    """What of it is shown: a model that only completes code does not come to an end."""
    lines = reply.strip().split("\n")
    return "\n".join([*lines[:MOST_LINES], *(["…"] if len(lines) > MOST_LINES else [])])


def _first(reply: str) -> str:
    """Its first line that says something, cut to fit a line of the terminal."""
    line = next((line for line in reply.split("\n") if line.strip("` ") and not line.startswith("```")), "")
    return f"“{shorten(line, MOST_SHOWN, placeholder='…')}”"


@dataclass(frozen=True)
class TalkStep:
    """`facts`: a line each.  `shown`: a text of `language` below them.  `result`: what the JSON output has."""

    title: str
    facts: list[str]
    shown: str = ""
    language: str = "text"
    result: dict[str, Any] = field(default_factory=dict)


class DemoTalk:
    """`restart`: kills the server (SIGKILL) and starts another one in the same workspace."""

    def __init__(self, driver: Driver, root: Path, restart: Callable[[], Awaitable[Driver]]) -> None:
        self._driver = driver
        self._root = root
        self._restart = restart
        self._talk = ""

    async def play(self) -> AsyncIterator[TalkStep]:
        self._talk = str((await self._do("conversation.new", {"name": "Postage"}))["conversation"])
        yield await self._ref()
        yield await self._reply()
        yield await self._forks()
        yield await self._long_output()
        yield await self._compaction()
        yield await self._kill()

    async def _do(self, command: str, argument: dict[str, Any] | None = None) -> dict[str, Any]:
        of_it = {"conversation": self._talk} if self._talk else {}
        return await self._driver.command(f"palimpsest.{command}", {**of_it, **(argument or {})})

    async def _append(self, role: str, content: str) -> dict[str, Any]:
        return await self._do("conversation.append", {"role": role, "content": content, "source": "demo"})

    async def _ref(self) -> TalkStep:
        await self._append("user", QUESTION)
        await self._append("assistant", ANSWER)
        (ref,) = (await self._do("refs.list"))["refs"]
        done = await self._do("refs.write", {"ref_id": REF, "file_path": FILE})
        facts = [
            f"the reply (written for this demo) marks a part as the ref {REF}: {ref['language']}, {ref['lines']} lines",
            f"written to {done['file_path']}, {done['bytes']} bytes:",
        ]
        text = (self._root / FILE).read_text(encoding="utf-8")
        return TalkStep("a part of a reply, written to a file", facts, text, "python", {"file": FILE, "text": text})

    async def _long_output(self) -> TalkStep:
        """A message with the output of a real command: what Python imports for this program, module by module."""
        command = [sys.executable, "-P", "-X", "importtime", "-c", "import palimpsest.session.building"]
        done = await asyncio.to_thread(subprocess.run, command, capture_output=True, text=True, check=True)
        turn = await self._append("user", f"{PASTED}\n\n{done.stderr}")
        (made,) = (await self._do("fd.list"))["descriptors"]
        page = await self._do("fd.read", {"fd": made["fd"], "page": 2})
        matches = await self._do("fd.search", {"fd": made["fd"], "query": SEARCHED, "context": 0})
        lines = ", ".join(str(one["line"]) for one in matches["matches"])
        await self._append("assistant", f"{SEARCHED} stands in the lines {lines} of {turn['fd']}.")
        facts = [
            f"a message with {made['total_lines']:,} lines of `python -X importtime` is the descriptor {turn['fd']}; "
            f"the model reads page 1 of {page['pages']}. Page 2 is lines {page['lines']}.",
            f"searched for {SEARCHED}:",
        ]
        text = "\n".join(f"{one['line']}: {one['text']}" for one in matches["matches"][:2])
        result = {"lines": made["total_lines"], "pages": made["pages"], "found": matches["count"]}
        return TalkStep("a long output, by page and searched", facts, text, result=result)

    async def _reply(self) -> TalkStep:
        """Behind the blocks at the cursor, which are in the cache already."""
        cart = self._driver.open(self._root / "shop" / "cart.py")
        position = plain_position(self._driver.at(cart, "        total = self.subtotal()"))
        answer = await self._do("ask", {"text": FOLLOWING, "uri": cart, "position": position})
        usage = answer["usage"]
        blocks = usage["parts"]["blocks"]
        facts = [
            f"asked “{FOLLOWING}”, behind {blocks:,} tokens of blocks that are in the cache already: "
            f"{usage['decoded']} tokens decoded. A small model replies (you can choose a larger one):",
        ]
        return TalkStep("the model goes on", facts, _top(answer["reply"]), "markdown", {"decoded": usage["decoded"]})

    async def _forks(self) -> TalkStep:
        before = (await self._do("context.usage"))["used"]
        for task in TASKS:
            await self._do("fork.spawn", {"task": task})
        forks = await self._do("fork.gather")
        children = [child for name, child in forks.items() if name != "xml"]
        decoded = [child["decoded"] for child in children]
        facts = [
            f"{len(children)} children read the {before:,} tokens of blocks and turns before them and decode none of "
            "these, each only its own task:",
            *(f"“{one['task']}”: {one['decoded']} tokens decoded. {_first(one['response'])}" for one in children),
        ]
        return TalkStep("two forks, side by side", facts, result={"before": before, "decoded": decoded})

    async def _compaction(self) -> TalkStep:
        before = (await self._do("context.usage"))["parts"]["messages"]["used"]
        done = await self._do("conversation.compact")
        after = (await self._do("context.usage"))["parts"]["messages"]["used"]
        writer = "the model under a grammar" if done["written_by"] == "model" else "rules, since this model cannot"
        facts = [
            f"written by {writer}: the model reads {after:,} tokens in place of {before:,}",
            f"goal: {done['summary']['goal']}",
        ]
        result = {"written_by": done["written_by"], "before": before, "after": after}
        return TalkStep("a summary in the place of what was said", facts, result=result)

    async def _everything(self) -> dict[str, Any]:
        exported = await self._do("conversation.export", {"format": "json"})
        children = await self._do("fork.gather", {"include_history": True})
        forks = {name: child["history"] for name, child in children.items() if name != "xml"}
        checkpoints = (await self._do("checkpoint.list"))["checkpoints"]
        return {"text": exported["text"], "forks": forks, "checkpoints": [one["checkpoint_id"] for one in checkpoints]}

    async def _kill(self) -> TalkStep:
        before = await self._everything()
        refs, fds = (await self._do("refs.list"))["count"], len((await self._do("fd.list"))["descriptors"])
        self._driver = await self._restart()
        after = await self._everything()
        same = before == after
        what = f"{refs} ref, {fds} descriptor, {len(TASKS)} forks and the summary"
        facts = [
            f"the server was killed and started again: {'all is' if same else 'NOT all is'} there, every turn, {what}",
        ]
        return TalkStep("SIGKILL", facts, result={"same": same})
