"""What this machine has: free memory and cores.

In: the operating system.  Out: bytes and counts.  Knows no model.
"""

from __future__ import annotations

import os
from pathlib import Path


def free_memory() -> int:
    """Bytes that can be had without swapping, in this process's cgroup too; a guess of 4 GiB where nothing says."""
    found = [n for n in (_available(), _cgroup_left()) if n is not None]
    return min(found) if found else 4 << 30


def _available() -> int | None:
    try:
        for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    try:  # macOS and other Unixes tell the total only: half of it
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2
    except (AttributeError, ValueError, OSError):
        return None


def _cgroup_left(root: Path = Path("/sys/fs/cgroup")) -> int | None:
    """cgroup v2's limit less what is used; file cache can be given back and does not count as used."""
    try:
        limit = (root / "memory.max").read_text(encoding="ascii").strip()
        used = int((root / "memory.current").read_text(encoding="ascii"))
        stat = dict(line.split() for line in (root / "memory.stat").read_text(encoding="ascii").splitlines())
        return None if limit == "max" else max(0, int(limit) - used + int(stat.get("file", 0)))
    except (OSError, ValueError):
        return None


def physical_cores(cpuinfo: Path = Path("/proc/cpuinfo"), root: Path = Path("/sys/fs/cgroup")) -> int:
    """Cores this process may use; hyper-threads of one core count once, a cgroup's quota is kept."""
    usable = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else set(range(os.cpu_count() or 1))
    cores = {core for cpu, core in _cores(cpuinfo).items() if cpu in usable}
    n = len(cores) or len(usable)
    quota = _quota(root)
    return max(1, n if quota is None else min(n, quota))


def _cores(cpuinfo: Path) -> dict[int, tuple[str, str]]:
    """(package, core) of each logical processor, empty where the system does not say."""
    try:
        text = cpuinfo.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return {}
    found = {}
    for paragraph in text.split("\n\n"):
        parts = [line.partition(":") for line in paragraph.splitlines()]
        fields = {key.strip(): value.strip() for key, _, value in parts}
        if "processor" in fields and "core id" in fields:
            found[int(fields["processor"])] = (fields.get("physical id", "0"), fields["core id"])
    return found


def _quota(root: Path) -> int | None:
    try:
        quota, period = (root / "cpu.max").read_text(encoding="ascii").split()
        return None if quota == "max" else max(1, -(-int(quota) // int(period)))
    except (OSError, ValueError):
        return None
