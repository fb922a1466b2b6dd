"""A descriptor of 200 MB through a real server: what it costs in memory, and what is read for a page of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from .raw import Raw

pytestmark = pytest.mark.slow(part="storms")

N_BYTES, MOST_MORE = 200_000_000, 50_000_000
LINE = "2026-11-24 08:00:00 parcel {:>9} was weighed, measured and put onto the belt towards the gate of its town\n"


def resident(pid: int, what: str) -> int:
    """Bytes."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    return next(int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith(f"{what}:"))


def lines() -> Iterator[str]:
    size, number = 0, 0
    while size < N_BYTES:
        piece = "".join(LINE.format(number + i) for i in range(10_000))
        size, number = size + len(piece), number + 10_000
        yield piece


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is read from /proc")
async def test_two_hundred_megabytes_cost_a_page_and_not_the_file(machine: dict[str, str], shop: Path) -> None:
    with (shop / "belt.txt").open("w", encoding="ascii") as file:
        file.writelines(lines())
    it = await Raw.start(own_process=True)
    try:
        await it.begin(shop, {"engine": {"kind": "openai", "url": "http://127.0.0.1:9"}})
        begun = await it.command("palimpsest.conversation.new", {})
        assert "error" not in begun, begun["error"]
        talk = begun["result"]["conversation"]
        small = {"conversation": talk, "content": "a line\n" * 3_000}
        assert "error" not in await it.command("palimpsest.fd.create", small)
        before = resident(it.process.pid, "VmRSS")
        made = await it.command("palimpsest.fd.create", {"conversation": talk, "uri": (shop / "belt.txt").as_uri()})
        assert "error" not in made, made["error"]
        found = made["result"]
        assert found["pages"] > 20_000
        page = await it.command("palimpsest.fd.read", {"conversation": talk, "fd": found["fd"], "page": 5_000})
        assert len(page["result"]["content"]) < 20_000
        assert page["result"]["content"] in "".join(part for part, _ in zip(lines(), range(60), strict=False))
        last = found["total_lines"]
        end = {"conversation": talk, "fd": found["fd"], "start_line": last, "end_line": last}
        assert LINE.format(last - 1) in (await it.command("palimpsest.fd.read", end))["result"]["content"]
        assert resident(it.process.pid, "VmHWM") - before < MOST_MORE
    finally:
        await it.leave()
