"""What this machine has for a model, memory and cores, and what this process has of it.

In: the operating system.  Out: bytes and counts.  Knows no model.

What psutil does not know is a container's share: the limits of its cgroup (version 2), and which cores of those that
this process may use are threads of one.
"""

from pathlib import Path

import psutil

SYSTEM = Path("/sys")


def total_memory() -> int:
    """The machine's memory in bytes."""
    return psutil.virtual_memory().total


def free_memory(system: Path = SYSTEM) -> int:
    """Bytes that can be had without swapping, in this process's cgroup too."""
    free, in_cgroup = psutil.virtual_memory().available, _cgroup_left(system)
    return free if in_cgroup is None else min(free, in_cgroup)


def own_memory() -> int:
    """Bytes that this process has in use now; the most that it has had would on Linux be what its parent had."""
    return psutil.Process().memory_info().rss


def physical_cores(system: Path = SYSTEM) -> int:
    """Cores this process may use; hyper-threads of one core count once, a cgroup's quota is kept."""
    n = psutil.cpu_count(logical=False) or psutil.cpu_count() or 1
    process = psutil.Process()
    if hasattr(process, "cpu_affinity"):  # not on macOS
        usable = process.cpu_affinity()
        try:
            of_threads = [system / f"devices/system/cpu/cpu{cpu}/topology/core_cpus_list" for cpu in usable]
            n = len({path.read_text(encoding="ascii") for path in of_threads})
        except OSError:
            n = min(n, len(usable))
    quota = _quota(system)
    return max(1, n if quota is None else min(n, quota))


def _cgroup_left(system: Path) -> int | None:
    """The limit less what is used; file cache can be given back and does not count as used."""
    group = system / "fs/cgroup"
    try:
        limit = (group / "memory.max").read_text(encoding="ascii").strip()
        used = int((group / "memory.current").read_text(encoding="ascii"))
        stat = dict(line.split() for line in (group / "memory.stat").read_text(encoding="ascii").splitlines())
        return None if limit == "max" else max(0, int(limit) - used + int(stat.get("file", 0)))
    except (OSError, ValueError):
        return None


def _quota(system: Path) -> int | None:
    try:
        quota, period = (system / "fs/cgroup/cpu.max").read_text(encoding="ascii").split()
        return None if quota == "max" else max(1, -(-int(quota) // int(period)))
    except (OSError, ValueError):
        return None
