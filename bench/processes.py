"""Memory and CPU of processes, from the kernel. Linux only."""

import os
import time
from collections.abc import Iterable
from pathlib import Path


def session(leader: int) -> list[int]:
    """The processes in the session of a leader: without programs on other terminals."""
    return [pid for pid in map(int, filter(str.isdigit, os.listdir("/proc"))) if _session_of(pid) == leader]


def memory(pids: Iterable[int], kind: str = "Pss") -> float:
    """Memory in MiB: `Pss` divides shared pages among their processes, `Rss` counts them fully."""
    return sum(_kilobytes(pid, kind) for pid in pids) / 1024


def cpu(pids: Iterable[int]) -> float:
    """Seconds of CPU used by live processes so far (POSIX process CPU clocks)."""
    return sum(_cpu(pid) for pid in pids)


def thread_cpu(pid: int) -> float:
    """Seconds of CPU used so far by the main thread of a process."""
    return int(Path(f"/proc/{pid}/task/{pid}/schedstat").read_text().split()[0]) / 1e9


def _session_of(pid: int) -> int:
    try:
        return os.getsid(pid)
    except OSError:
        return -1


def _kilobytes(pid: int, kind: str) -> int:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) for line in lines if line.startswith(f"{kind}:"))


def _cpu(pid: int) -> float:
    clock = (~pid << 3) | 2  # clock_getcpuclockid(3): the CPUCLOCK_SCHED clock of a process.
    try:
        return time.clock_gettime(clock)
    except OSError:
        return 0.0
