"""Regular expressions of a model's, which are made to take for ever or all memory."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from palimpsest.conversations.descriptors.searching import Bounds, places
from palimpsest.errors import InvalidArgument

ENDLESS = """
from palimpsest.conversations.descriptors.searching import Bounds, places
places(["a" * 60], "(a+)+c", regex=True, case_sensitive=True, bounds=Bounds(8.0, 8.0))
"""


def worked(pid: str) -> float:
    """Seconds of the processor's."""
    told = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()
    return int(told[11]) / os.sysconf("SC_CLK_TCK")


@pytest.mark.slow(part="storms")
def test_a_search_without_an_end_ends_though_who_asked_was_killed() -> None:
    asking = subprocess.Popen([sys.executable, "-c", ENDLESS])
    try:
        children = Path(f"/proc/{asking.pid}/task/{asking.pid}/children")
        while not (found := children.read_text().split()):
            assert asking.poll() is None
            time.sleep(0.01)
        while worked(found[0]) < 0.3:  # it has begun to try
            time.sleep(0.01)
    finally:
        asking.kill()
        asking.wait()
    for _ in range(6_000):
        with suppress(OSError):
            if Path(f"/proc/{found[0]}/stat").read_text().rpartition(") ")[2][0] != "Z":
                time.sleep(0.01)
                continue
        return
    raise AssertionError("it goes on")


def test_an_expression_does_not_get_all_memory() -> None:
    bounds = Bounds(piece_s=100.0, n_bytes=200_000_000)
    with pytest.raises(InvalidArgument, match="could not be tried"):
        places(["a" * 5_000_000], "(a|b)*c", regex=True, case_sensitive=True, bounds=bounds)
