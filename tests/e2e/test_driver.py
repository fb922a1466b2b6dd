"""What drives a server for the demo and the benches: it ends, whatever ends it."""

import asyncio
from pathlib import Path

import pytest

from palimpsest.lsp.client.driver import Driver, Position
from tests.e2e.conftest import until
from tests.models import written


async def test_it_ends_its_server_though_nothing_is_read_from_it_any_more(machine: dict[str, str], shop: Path) -> None:
    """As where an exception ends the loop: all tasks are cancelled, the one that reads among them."""
    driver = Driver()
    await driver.start(shop, {}, machine)
    process = driver.client._server  # no door: what an exception does to the loop that it ends
    for task in driver.client._async_tasks:
        task.cancel()
    stopping = asyncio.ensure_future(driver.stop())
    await asyncio.sleep(0)
    stopping.cancel()
    with pytest.raises(asyncio.CancelledError):
        await stopping
    assert process is not None
    assert await process.wait() != 0


async def test_an_engine_that_cannot_fill_in_the_middle_answers_all_the_same(
    machine: dict[str, str], shop: Path, tmp_path: Path
) -> None:
    """`bench typing` and `model adapt` would wait five minutes for it, and then give up."""
    driver = Driver()
    await driver.start(shop, {"model": {"path": str(written("plain", tmp_path))}}, machine)
    try:
        await driver.ready(60)
        assert driver.status["kind"] == "Warning"
        assert (await driver.command("palimpsest.model.info"))["fim"]["layout"] == ""
    finally:
        await driver.stop()


async def test_an_engine_answers_also_where_completions_are_off(machine: dict[str, str], shop: Path) -> None:
    driver = Driver()
    await driver.start(shop, {"completion": {"enabled": False}}, machine)
    try:
        driver.cursor(driver.open("shop/cart.py"), Position(0, 0))
        await driver.ready(60)
        await until(lambda: driver.status["kind"] == "Inactive" and driver.status["model"])
        await driver.ready(60)
    finally:
        await driver.stop()
