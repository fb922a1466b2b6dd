"""The engine's thread, with jobs that need no model."""

import threading
from collections.abc import Generator

import pytest

from palimpsest.engine.jobs.loop import Loop
from palimpsest.engine.jobs.queue import QueuedJob
from palimpsest.errors import Cancelled


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
        failing, good = QueuedJob[int](work), QueuedJob[int](done)  # type: ignore[arg-type]
        loop.submit(failing)
        loop.submit(good)
        with pytest.raises(ValueError, match=r"it did|no generator"):
            failing.future.result(10)
        assert good.future.result(10) == 7
    finally:
        loop.stop()


def test_jobs_that_are_replaced_do_not_wait_for_the_one_under_way() -> None:
    held, go_on = threading.Event(), threading.Event()

    def long() -> Generator[None, None, int]:
        held.set()
        assert go_on.wait(10)
        yield
        return 1

    loop = Loop(lambda: None, lambda: None, lambda _busy: None)
    loop.start()
    try:
        under_way = QueuedJob[int](long, line="typing")
        loop.submit(under_way)
        assert held.wait(10)
        jobs = [QueuedJob[int](done, line="typing") for _ in range(20)]
        for job in jobs:
            loop.submit(job)
            assert loop.n_waiting <= 2
        for job in jobs[:-1]:  # ended although the thread is still busy
            with pytest.raises(Cancelled, match="newer request"):
                job.future.result(0)
        go_on.set()
        assert jobs[-1].future.result(10) == 7
        with pytest.raises(Cancelled):
            under_way.future.result(10)
        assert loop.n_waiting == 0
    finally:
        go_on.set()
        loop.stop()


def test_what_was_stopped_before_it_began_never_begins() -> None:
    began = list[str]()
    loop = Loop(lambda: began.append("start"), lambda: began.append("stop"), lambda _busy: None)
    loop.stop()
    loop.start()
    loop.stop()
    assert began == []
