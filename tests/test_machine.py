"""What the machine has, and which of its processes are there."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import psutil
import pytest

from palimpsest.system import machine, processes


@pytest.fixture
def system(tmp_path: Path) -> Path:
    """Two threads a core, whatever this machine has."""
    for cpu in range(os.cpu_count() or 1):
        place = tmp_path / f"devices/system/cpu/cpu{cpu}/topology"
        place.mkdir(parents=True)
        (place / "core_cpus_list").write_text(f"{cpu // 2 * 2}-{cpu // 2 * 2 + 1}\n")
    (tmp_path / "fs/cgroup").mkdir(parents=True)
    return tmp_path


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="processes are not bound to cores here")
def test_threads_of_a_core_count_once_and_a_quota_is_kept(system: Path) -> None:
    usable = os.sched_getaffinity(0)
    assert machine.physical_cores(system) == len({cpu // 2 for cpu in usable})
    (system / "fs/cgroup/cpu.max").write_text("max 100000\n")
    assert machine.physical_cores(system) == len({cpu // 2 for cpu in usable})
    (system / "fs/cgroup/cpu.max").write_text("100000 100000\n")
    assert machine.physical_cores(system) == 1


def test_cores_that_are_not_described_are_those_that_may_be_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # no door: what psutil says of another machine
    monkeypatch.setattr(psutil, "cpu_count", lambda logical=True: 8 if logical else 4)
    monkeypatch.setattr(psutil.Process, "cpu_affinity", lambda _self: [0, 1, 2, 3, 4, 5, 6, 7])
    assert machine.physical_cores(tmp_path) == 4
    monkeypatch.setattr(psutil.Process, "cpu_affinity", lambda _self: [0, 1])  # no door: as above
    assert machine.physical_cores(tmp_path) == 2
    monkeypatch.delattr(psutil.Process, "cpu_affinity")  # as on macOS
    assert machine.physical_cores(tmp_path) == 4


def test_free_memory_is_what_the_container_has_left(tmp_path: Path) -> None:
    free = machine.free_memory(tmp_path)
    assert 1 << 20 < free <= machine.total_memory()
    group = tmp_path / "fs/cgroup"
    group.mkdir(parents=True)
    (group / "memory.max").write_text("3000000\n")
    (group / "memory.current").write_text("2500000\n")
    (group / "memory.stat").write_text("anon 1500000\nfile 1000000\n")
    assert machine.free_memory(tmp_path) == 1_500_000
    (group / "memory.max").write_text("max\n")
    assert machine.free_memory(tmp_path) > 1 << 20
    assert machine.free_memory() > 1 << 20


def test_a_process_is_there_until_it_ends_and_a_later_one_is_another() -> None:
    own = processes.own_name()
    assert processes.is_there(own)
    assert processes.is_there(str(os.getpid())), "as names were where the system did not say when a process began"
    pid, start = own.split(":")
    assert not processes.is_there(f"{pid}:{int(start) - 100}"), "it has the id of one that ended"
    for name in ("", "x", "1x:2", f"{pid}:x", f"{1 << 70}", f"{1 << 70}:1", "-3"):
        assert not processes.is_there(name), name


@pytest.mark.skipif(os.name == "nt", reason="there are no zombies")
def test_a_process_that_nobody_has_waited_for_is_gone() -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        name = processes.name_of(child.pid)
        waiting = threading.Thread(target=processes.wait_for, args=(child.pid,))
        waiting.start()
        assert processes.is_there(name)
        child.kill()
        waiting.join(30)
        assert not waiting.is_alive()
        assert psutil.Process(child.pid).status() == psutil.STATUS_ZOMBIE
        assert not processes.is_there(name)
        assert not processes.is_there(str(child.pid))


def test_elsewhere_a_clock_that_is_set_makes_no_other_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "_HAS_TICKS", False)  # no door: another system
    began = psutil.Process().create_time()
    name = processes.name_of(os.getpid())
    assert name == f"{os.getpid()}:{round(began)}"
    # no door: a clock that is set
    monkeypatch.setattr(psutil.Process, "create_time", lambda _self: began + 20)
    assert processes.is_there(name)
    monkeypatch.setattr(psutil.Process, "create_time", lambda _self: began + 200)  # no door: as above
    assert not processes.is_there(name)


def test_who_is_not_there_is_not_waited_for() -> None:
    assert not any(processes.wait_for(pid) for pid in (1 << 70, 1 << 30, -1))
