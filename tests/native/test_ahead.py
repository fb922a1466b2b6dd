"""Answers made ahead: they go on from what was said, stand in typing's line and use its tail."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from palimpsest.engine.llama.native import Context
from palimpsest.errors import Cancelled
from tests.native.conftest import MakeCore, MakeEngine
from tests.native.helpers import ask, fim, request, sync, text

PREFIX, SUFFIX = text(4, 260) + "\n    ", "\n    return 1\n"
WAIT_S = 120


@pytest.mark.parametrize("kind", ["fim", "mrope", "mamba"])
@pytest.mark.parametrize("layout", ["spm", "psm"])
def test_a_longer_answer_goes_on_from_the_shorter_one(make_engine: MakeEngine, kind: str, layout: str) -> None:
    engine = make_engine(kind)
    sync(engine, [("x", text(1))])
    first = fim(PREFIX, SUFFIX, layout=layout, max_tokens=4)
    short = ask(engine, first)
    behind = replace(first, slot="background", tail="typing", sync=request([("x", text(1))]), max_tokens=10)
    long = ask(engine, behind)
    assert long.choices[0].text.startswith(short.choices[0].text)
    assert (long.decoded, long.generated) == (0, 6)
    again = ask(engine, replace(first, max_tokens=10))
    assert again.choices == long.choices
    assert (again.decoded, again.generated) == (0, 0)


class Held(Context):
    """Waits in the decode with the number `at` until it may go on."""

    at: Callable[[int], None] = staticmethod(lambda n: None)
    n_calls = 0

    def call(self, batch: Any) -> int:
        self.n_calls += 1
        self.at(self.n_calls)
        return super().call(batch)


def test_who_types_ends_what_is_made_ahead_and_finds_its_tail(make_core: MakeCore) -> None:
    core = make_core(make_context=Held)
    first = fim(PREFIX, SUFFIX, max_tokens=3, replace="line")
    core.generate(first).result(WAIT_S)
    held, go_on = threading.Event(), threading.Event()

    def hold(n: int) -> None:
        if n == 5:
            held.set()
            assert go_on.wait(WAIT_S)

    def install(engine: Any) -> None:
        engine.context.n_calls, engine.context.at = 0, hold

    core.call(install).result(WAIT_S)
    ahead = core.generate(replace(first, slot="background", tail="typing", max_tokens=200))
    assert held.wait(WAIT_S)
    typed = core.generate(replace(first, fim=fim(PREFIX + "q", SUFFIX).fim, max_tokens=2))
    go_on.set()
    with pytest.raises(Cancelled):
        ahead.result(WAIT_S)
    answer = typed.result(WAIT_S)
    assert answer.decoded <= 4, "the code before the cursor is there already"
    assert core.n_waiting == 0
