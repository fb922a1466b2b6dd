"""The engine's thread, with jobs that need no model."""

from collections.abc import Generator

import pytest

from palimpsest.kv.work.jobs import Job
from palimpsest.kv.work.loop import Loop


def done() -> Generator[None, None, int]:
    yield
    return 7


def fails_at_once() -> Generator[None, None, int]:
    raise ValueError("no generator came of it")


def fails_on_the_way() -> Generator[None, None, int]:
    yield
    raise ValueError("it did not go on")


@pytest.mark.parametrize("work", [fails_at_once, fails_on_the_way])
def test_a_job_that_fails_takes_nobody_with_it(work: object) -> None:
    loop = Loop(lambda: None, lambda: None, lambda _busy: None)
    loop.start()
    try:
        failing, good = Job[int](work), Job[int](done)  # type: ignore[arg-type]
        loop.submit(failing)
        loop.submit(good)
        with pytest.raises(ValueError, match=r"it did|no generator"):
            failing.future.result(10)
        assert good.future.result(10) == 7
    finally:
        loop.stop()
