"""Work that nobody waits for goes behind: its nice value, and on Linux that of its session, which is a group."""

import subprocess
import sys
from pathlib import Path

import pytest

SAYS = """
import os
from pathlib import Path
from palimpsest.system.priority import step_back
step_back({nice})
print(os.nice(0), *Path("/proc/self/autogroup").read_text().split()[-1:])
"""
grouped = pytest.mark.skipif(not Path("/proc/self/autogroup").exists(), reason="no sessions are scheduled as groups")


def said(nice: str = "", *, leads: bool = True) -> list[str]:
    command = [sys.executable, "-c", SAYS.format(nice=nice)]
    return subprocess.run(command, capture_output=True, check=True, start_new_session=leads, text=True).stdout.split()


@grouped
@pytest.mark.parametrize(("nice", "expected"), [("", "10"), ("15", "15")])
def test_a_session_of_its_own_goes_behind_as_a_whole(nice: str, expected: str) -> None:
    assert said(nice) == [expected, expected]


@grouped
def test_a_persons_terminal_does_not_go_behind_with_what_is_started_in_it() -> None:
    # Linux says nothing of a process that no session has put into a group
    others = Path("/proc/self/autogroup").read_text(encoding="ascii").split()[-1:]
    assert said(leads=False) == ["10", *others]
