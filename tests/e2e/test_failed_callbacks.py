"""A callback that fails in the event loop: what the log says of it."""

import asyncio
import logging
import socket
from pathlib import Path

import anyio
import pytest

from palimpsest.system.loops import log_failed_callback


async def _cancelled_as_its_answer_comes(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen()
        async with await anyio.connect_unix(path) as stream:
            peer, _ = listener.accept()
            with peer:
                reading = asyncio.ensure_future(stream.receive())
                await asyncio.sleep(0.05)
                peer.send(b"answer")
                asyncio.get_running_loop().call_soon(reading.cancel)
                await asyncio.wait([reading])
                assert reading.cancelled()


async def test_a_read_that_is_cancelled_as_its_answer_comes_is_no_error(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(log_failed_callback)
    await _cancelled_as_its_answer_comes(tmp_path / "socket")
    assert not [record for record in caplog.records if record.levelno >= logging.WARNING]


async def test_any_other_callback_that_fails_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(log_failed_callback)
    loop.call_soon(lambda: 1 / 0)
    await asyncio.sleep(0.01)
    assert "ZeroDivisionError" in caplog.text
