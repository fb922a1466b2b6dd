"""What a pause is used for: blocks are chosen when what they depend on has been read."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

from palimpsest.session.prefetch import MOST_CHOICES, Prefetch
from palimpsest.window.events import Events


class Reading:
    """A chooser whose choices each make a source read, `n` times."""

    def __init__(self, n: int) -> None:
        self.left = n
        self.revision = 0
        self.chosen_with: list[int] = []

    async def chosen(self, view: Any, *, fresh: bool) -> list[str]:
        assert fresh
        self.chosen_with.append(self.revision)
        return [f"chosen with {self.revision}"]

    async def has_read(self, known: int, most_s: float) -> bool:
        assert most_s >= 0
        if self.left:
            self.left -= 1
            self.revision += 1
        return self.revision != known


async def choice(reading: Reading) -> tuple[int, list[Any]]:
    services = SimpleNamespace(events=Events(), chooser=reading, usage=None)
    prefetch = Prefetch(cast(Any, services), cast(Any, None), cast(Any, None))
    # no door: a whole window's sources read faster than anybody could look
    return await prefetch._choice(cast(Any, None))


async def test_what_one_choice_has_sources_read_the_next_one_knows() -> None:
    assert await choice(Reading(0)) == (0, ["chosen with 0"])
    assert await choice(Reading(2)) == (2, ["chosen with 2"])


async def test_sources_that_read_for_ever_are_not_waited_for() -> None:
    reading = Reading(1_000)
    assert await choice(reading) == (MOST_CHOICES - 1, [f"chosen with {MOST_CHOICES - 1}"])
    assert len(reading.chosen_with) == MOST_CHOICES
