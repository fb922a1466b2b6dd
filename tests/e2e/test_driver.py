"""The editor that the demonstration and the benches drive."""

import asyncio
import logging
from pathlib import Path

import pytest

from palimpsest.lsp.client.driver import Driver


async def test_what_was_cancelled_is_answered_without_a_word(
    machine: dict[str, str], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    driver = Driver()
    await driver.start(tmp_path, {})
    asked = [asyncio.ensure_future(driver.command("palimpsest.log", {})) for _ in range(3)]
    await asyncio.sleep(0)
    for one in asked:
        one.cancel()
    await driver.command("palimpsest.log", {})  # answered behind them
    await driver.stop()
    assert [record for record in caplog.records if record.levelno >= logging.ERROR] == []
