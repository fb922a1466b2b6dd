"""Work that waits for a pause, when the window closes."""

from __future__ import annotations

import asyncio

from palimpsest.window.pause import Pause


async def test_nothing_begins_behind_the_end() -> None:
    done = list[str]()

    async def work() -> None:
        done.append("done")

    pause = Pause(work, None, idle_s=0.0)
    pause.soon()
    await asyncio.sleep(0.05)
    assert done == ["done"]
    pause.soon()
    pause.close()
    pause.soon()  # a document changes while the window closes
    assert len(asyncio.all_tasks()) <= 2, "the one that is cancelled, and this test"
    await asyncio.sleep(0.05)
    assert done == ["done"]
    assert not pause.pending


async def test_what_changes_during_the_work_is_looked_at_behind_it_and_during_the_pause_in_it() -> None:
    begun, free = list[int](), asyncio.Event()

    async def work() -> None:
        begun.append(len(begun))
        await free.wait()

    pause = Pause(work, None, idle_s=0.05)
    pause.once_more()
    pause.once_more()
    await asyncio.sleep(0.2)
    assert begun == [0]
    pause.once_more()
    pause.once_more()
    free.set()
    await asyncio.sleep(0.2)
    assert begun == [0, 1]
    assert not pause.pending
