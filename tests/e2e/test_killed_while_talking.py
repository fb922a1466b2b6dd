"""A server that is killed at any moment of a conversation: what it had said to be done is there afterwards."""

from __future__ import annotations

import asyncio
import os
import random
import signal
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from .raw import Raw
from .scripted import scripted

pytestmark = [
    pytest.mark.slow(part="storms"),
    pytest.mark.timeout(900),
]  # fifty servers

MOMENTS = 50
REPLY = 'Here.\n<ref id="area">\ndef area(w, h):\n    return w * h\n</ref>\n'
CALL = '\nremember(text="areas are in metres")\n'
LONG = "".join(f"line {i} of the log\n" for i in range(3_000))


@dataclass
class Kept:
    """What the server had answered to be done: all that must be there."""

    talk: str = ""
    said: list[str] = field(default_factory=list)
    n_refs: int = 0
    descriptors: list[str] = field(default_factory=list)
    numbers: Iterator[int] = field(default_factory=count)


async def do(it: Raw, command: str, **argument: Any) -> dict[str, Any]:
    answer = await it.command(f"palimpsest.{command}", argument)
    assert "error" not in answer, answer["error"]
    result: dict[str, Any] = answer["result"]
    return result


async def say(it: Raw, kept: Kept) -> None:
    text = f"What is the area, for the {next(kept.numbers)}th time?"
    answer = await do(it, "ask", text=text, **({"conversation": kept.talk} if kept.talk else {}))
    kept.talk = answer["conversation"]
    kept.said.append(text)
    kept.n_refs += answer["refs"].count("area")
    made = await do(it, "fd.create", conversation=kept.talk, content=LONG, source="log")
    kept.descriptors.append(made["fd"])


async def check(it: Raw, kept: Kept) -> None:
    document = (await do(it, "conversation.open", conversation=kept.talk))["text"]
    for text in kept.said:
        assert document.count(f"\n{text}\n") == 1, text
    if kept.n_refs:
        (ref,) = (await do(it, "refs.list", conversation=kept.talk))["refs"]
        assert ref["id"] == "area"
        found = await do(it, "refs.get", conversation=kept.talk, ref_id="area")
        assert found["content"].startswith("def area(w, h):")
    there = {one["fd"] for one in (await do(it, "fd.list", conversation=kept.talk))["descriptors"]}
    assert there >= set(kept.descriptors)
    last = await do(it, "fd.read", conversation=kept.talk, fd=kept.descriptors[-1], start_line=3_000, end_line=3_000)
    assert "line 2999 of the log" in last["content"]


async def test_a_server_killed_at_any_of_fifty_moments_loses_no_turn_ref_or_descriptor(
    machine: dict[str, str], shop: Path
) -> None:
    randomly, kept, n_went_on = random.Random(17), Kept(), 0
    with scripted() as model:
        model.replies = [REPLY, REPLY, REPLY + CALL, "Done."] * 1_000
        options = {"engine": {"kind": "openai", "url": model.url}}
        for _ in range(MOMENTS):
            it = await Raw.start({"window/showMessageRequest": None}, own_process=True)
            await it.begin(shop, options)
            if kept.descriptors:
                await check(it, kept)
            await say(it, kept)
            before = len(kept.said), len(kept.descriptors)
            moment = randomly.uniform(0, 0.3)
            killing = asyncio.get_running_loop().call_later(moment, os.kill, it.process.pid, signal.SIGKILL)
            with suppress(AssertionError, ConnectionError):  # it is gone
                while True:
                    await say(it, kept)
            assert killing.when() <= asyncio.get_running_loop().time(), "it ended before it was killed"
            await it.stop()
            n_went_on += before != (len(kept.said), len(kept.descriptors))
        assert n_went_on > 0, "each was killed in its first request"
        assert kept.n_refs > 0
        it = await Raw.start(own_process=True)
        try:
            await it.begin(shop, options)
            await check(it, kept)
        finally:
            await it.leave()
