"""One question under way, one that waits, and nothing for who was overtaken."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from palimpsest.next_edits.newest import NewestTask


class Questions:
    def __init__(self) -> None:
        self.newest = NewestTask[str]()
        self.begun, self.ended = list[str](), list[str]()
        self.free, self.slow = asyncio.Event(), asyncio.Event()
        self.slow.set()

    def ask(self, about: str) -> asyncio.Task[str | None]:
        return asyncio.create_task(self.newest.ask(about, self.answer(about)))

    def answer(self, about: str) -> Callable[[], Coroutine[Any, Any, str]]:
        async def answered() -> str:
            self.begun.append(about)
            try:
                await self.free.wait()
            except asyncio.CancelledError:
                self.ended.append(about)
                await self.slow.wait()  # an engine takes its time to stop
                raise
            return f"of {about}"

        return answered


async def turns() -> None:
    for _ in range(20):
        await asyncio.sleep(0)


async def test_who_asks_the_same_is_given_the_same() -> None:
    it = Questions()
    asking = [it.ask("a"), it.ask("a")]
    await turns()
    it.free.set()
    assert await asyncio.gather(*asking) == ["of a", "of a"]
    assert it.begun == ["a"]


async def test_the_newest_takes_the_place_of_who_waits_and_ends_what_is_under_way() -> None:
    it = Questions()
    it.slow.clear()
    first = it.ask("a")
    await turns()
    second = it.ask("b")
    await turns()
    third = it.ask("c")
    await turns()
    assert (it.begun, it.ended) == (["a"], ["a"]), "one is under way until it has ended"
    it.slow.set()
    it.free.set()
    assert await asyncio.gather(first, second, third) == [None, None, "of c"]
    assert it.begun == ["a", "c"]


async def test_what_was_ended_can_be_asked_again() -> None:
    it = Questions()
    first = it.ask("a")
    await turns()
    it.newest.drop(lambda about: about == "b")
    assert not it.ended
    it.newest.drop(lambda about: about == "a")
    again = it.ask("a")
    await turns()
    it.free.set()
    assert await asyncio.gather(first, again) == [None, "of a"]


async def test_it_ends_where_nobody_wants_to_know_any_more() -> None:
    it = Questions()
    one, other = it.ask("a"), it.ask("a")
    await turns()
    one.cancel()
    await turns()
    assert not it.ended
    other.cancel()
    await turns()
    assert it.ended == ["a"]
    it.free.set()
    assert await it.ask("b") == "of b"


async def test_what_goes_wrong_is_told_and_over() -> None:
    it = Questions()

    async def wrong() -> str:
        raise ValueError("wrong")

    with pytest.raises(ValueError, match="wrong"):
        await it.newest.ask("a", wrong)
    it.free.set()
    assert await it.ask("a") == "of a"
