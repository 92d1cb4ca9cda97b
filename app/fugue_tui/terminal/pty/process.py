"""What runs on a terminal: names, directories, sessions and ancestors of processes.

Linux answers from /proc. Elsewhere the questions that /proc would answer go to `ps`, or stay unanswered: every function
then returns its empty value. All strings were chosen by programs and are untrusted.
"""

import os
import re
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import pairwise
from pathlib import Path

from msgspec import Struct

from fugue_tui.store import server_records

PROC = Path("/proc")
_FIELDS = "pid=,ppid=,pgid=,stat="
_TRIES = 8
_INTERPRETER = re.compile(r"(?:python|pypy|node|nodejs|bun|deno|ruby|perl|bash|dash|sh|zsh|fish|java)[\d.]*$")
_OWN = "fugue: "
"""How the names start that this program's processes have in ps."""
_DELETED = " (deleted)"
"""What Linux puts behind the name of a file that was removed: see proc_pid_cwd(5)."""
SOCKET_LOCK = ".sock.lock"
"""How the names of the locks of workspaces' sockets end."""


class Process(Struct, frozen=True):
    """One process and the groups it belongs to."""

    pid: int
    parent: int
    group: int
    session: int


def name(pid: int) -> str:
    """The program's name: what it was started as, without its folder and a login shell's dash; of a script that was run
    by its name, the script's. Empty if unknown."""
    words = [word.rsplit("/", 1)[-1] for word in argv(pid)[:2]]
    first = words[0].lstrip("-").strip() if words else ""
    if first and not _INTERPRETER.match(first):
        return first
    kernel = comm(pid)
    if kernel.startswith(_OWN):
        return "fugue-tui"
    is_script = kernel and words[1:] and os.fsencode(words[1])[:15] == os.fsencode(kernel)
    return words[1] if is_script else first or kernel


def argv(pid: int) -> tuple[str, ...]:
    """The arguments as the process shows them now; empty if unknown."""
    raw = _read(pid, "cmdline")
    return tuple(part.decode(errors="replace") for part in raw.rstrip(b"\0").split(b"\0")) if raw else ()


def comm(pid: int) -> str:
    """The name that the kernel has for the program, of 15 bytes at most: untrusted; empty if unknown."""
    return _read(pid, "comm").decode(errors="replace").strip()


def executable(pid: int) -> str:
    """The path of the executable; of an interpreter with that of its script: untrusted. Empty if unknown, and for an
    interpreter with options, whose script is not certain."""
    try:
        path = os.readlink(f"{PROC}/{pid}/exe")
    except OSError:
        return ""
    if not _INTERPRETER.match(path.rsplit("/", 1)[-1]):
        return path
    script = os.path.realpath(os.path.join(cwd(pid), next(iter(argv(pid)[1:]), "")))
    return f"{path} {script}" if os.path.isfile(script) else ""


def cwd(pid: int) -> str:
    """The working directory, which may have been removed; empty if unknown or not ours to see."""
    try:
        found = os.readlink(f"{PROC}/{pid}/cwd")
    except OSError:
        return ""
    return found.removesuffix(_DELETED) if found.endswith(_DELETED) and not os.path.exists(found) else found


def uid(pid: int) -> int | None:
    """The effective user id; None if unknown."""
    found = re.search(rb"^Uid:\t\d+\t(\d+)", _read(pid, "status"), re.MULTILINE)
    return int(found[1]) if found else None


def environ(pid: int) -> dict[str, str] | None:
    """The environment that the program was started with; None if unknown."""
    raw = os.fsdecode(_read(pid, "environ"))
    return dict(entry.split("=", 1) for entry in raw.split("\0") if "=" in entry) if raw else None


def is_busy(pid: int) -> bool:
    """Whether the process uses the CPU now; False if unknown."""
    return _read(pid, "stat").rpartition(b")")[2].split(None, 1)[:1] == [b"R"]


def start_ticks(pid: int) -> int | None:
    """When the process was started, in clock ticks since boot; None if unknown."""
    fields = _read(pid, "stat").rpartition(b")")[2].split(None, 20)
    return int(fields[19]) if len(fields) > 19 else None


def age(pid: int) -> float | None:
    """Seconds since the process was started; None if unknown."""
    ticks = start_ticks(pid)
    if ticks is None:
        return None
    return max(0.0, time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / os.sysconf("SC_CLK_TCK"))


def children(pid: int) -> tuple[int, ...]:
    """The pids of the process's own children."""
    return tuple(process.pid for process in processes() if process.parent == pid)


def members_below(pid: int, group: int) -> tuple[int, ...]:
    """The children of a process that are in a process group; empty where the kernel does not list them. Cheaper than
    `children`."""
    with suppress(OSError):
        with open(f"{PROC}/{pid}/task/{pid}/children", "rb") as file:
            pids = [int(each) for each in file.read().split()]
        return tuple(each for each in pids if _group_of(each) == group)
    return ()


def _group_of(pid: int) -> int:
    with suppress(OSError):
        return os.getpgid(pid)
    return 0


def ancestors(pid: int | None) -> tuple[int, ...]:
    """The process itself, its parent, and so on up to the first process; empty for None."""
    return _lineage(pid)[0]


def came_from(pid: int | None, top: int) -> tuple[tuple[int, ...], bool]:
    """The ancestors of a process, and whether `top`, or another workspace, is one of them; also if that cannot be
    excluded, as the process has gone, or others of them go too fast."""
    found, complete = _lineage(pid)
    for _ in range(_TRIES):
        if complete or top in found[1:]:
            break
        found, complete = _lineage(pid)
    return found, top in found[1:] or not complete or any(map(is_workspace, found[1:]))


def is_fugue(pid: int) -> bool:
    """Whether a process was started as `fugue-tui` or `python -m fugue_tui`."""
    words = argv(pid)[:8]
    module = any(pair == ("-m", "fugue_tui") for pair in pairwise(words))
    return module or any(word.rsplit("/", 1)[-1] == "fugue-tui" for word in words[:2])


def is_workspace(pid: int) -> bool:
    """Whether a process is a workspace: by what it was started as, or by a lock of one that it has open, which it has
    under any name."""
    return is_fugue(pid) or any(
        path.endswith(SOCKET_LOCK) or server_records.is_record(path) for path in _open_files(pid)
    )


def _open_files(pid: int) -> Iterator[str]:
    """The paths of the files that a process has open; none if unknown or not ours to see."""
    folder = f"/proc/{pid}/fd"
    with suppress(OSError):
        for number in os.listdir(folder):
            with suppress(OSError):  # It was closed just now.
                yield os.readlink(f"{folder}/{number}").removesuffix(_DELETED)


def _lineage(pid: int | None) -> tuple[tuple[int, ...], bool]:
    """The ancestors, and whether these are all: a process that has gone has none."""
    table = None if has_proc() else {each.pid: each for each in _from_ps(["-A"])}
    found: list[int] = []
    while pid and pid not in found:
        found.append(pid)
        process = _from_stat(pid) if table is None else table.get(pid)
        if process is None:
            return tuple(found), _is_hidden(pid)
        pid = process.parent
    return tuple(found), not pid


def _is_hidden(pid: int) -> bool:
    """Whether a process lives that /proc does not show, as with hidepid."""
    try:
        os.kill(pid, 0)
    except PermissionError:
        return True
    except OSError:
        pass
    return False


def exists(pid: int) -> bool:
    """Whether there is such a process, of any user."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        pass
    return True


def session_members(sessions: Iterable[int]) -> dict[int, list[Process]]:
    """The live processes of each named session; zombies are left out, and so are sessions without members."""
    wanted = set(sessions)
    members: dict[int, list[Process]] = {}
    for process in processes(lambda pid: _session(pid) in wanted):
        members.setdefault(process.session, []).append(process)
    return members


def processes(wanted: Callable[[int], bool] = lambda pid: True) -> Iterator[Process]:
    """The live processes of the machine whose pid is wanted; zombies are left out."""
    if not has_proc():
        yield from (process for process in _from_ps(["-A"]) if wanted(process.pid))
        return
    for entry in os.listdir(PROC):
        if entry.isdecimal() and wanted(int(entry)) and (process := _from_stat(int(entry))):
            yield process


def in_group(group: int) -> frozenset[int]:
    """The live processes of a process group."""

    def belongs(pid: int) -> bool:
        with suppress(OSError):
            return os.getpgid(pid) == group
        return False

    return frozenset(each.pid for each in processes(belongs))


def zombies(parent: int) -> list[Process]:
    """The children of a process that have ended and are not reaped; empty where there is no /proc."""
    pids = [int(entry) for entry in os.listdir(PROC) if entry.isdecimal()] if has_proc() else []
    found = (_from_stat(pid, zombie=True) for pid in pids)
    return [each for each in found if each is not None and each.parent == parent]


def command_lines(pids: Iterable[int]) -> dict[int, tuple[str, ...]]:
    """The arguments of those processes that show any; where there is no /proc, as `ps` has them, cut at blanks."""
    wanted = list(pids)
    if has_proc():
        return {pid: words for pid in wanted if (words := argv(pid))}
    listing = _ps(["-p", ",".join(map(str, wanted))], "pid=,args=") if wanted else []
    found = (line.split(None, 1) for line in listing)
    return {int(pid): tuple(words.split()) for pid, words in found}


def has_proc() -> bool:
    """Whether /proc can be read."""
    return os.path.exists(PROC / "self")


def _session(pid: int) -> int:
    try:
        return os.getsid(pid)
    except OSError:
        return 0


def _from_stat(pid: int, *, zombie: bool = False) -> Process | None:
    # The name, in brackets, may itself hold brackets and blanks: see proc_pid_stat(5).
    fields = _read(pid, "stat").rpartition(b")")[2].split(None, 4)
    if len(fields) < 4 or (fields[0] in b"ZX") != zombie:
        return None
    return Process(pid, int(fields[1]), int(fields[2]), int(fields[3]))


def _from_ps(which: list[str]) -> Iterator[Process]:
    for line in _ps(which, _FIELDS):
        fields = line.split()
        if len(fields) == 4 and not fields[3].startswith("Z"):
            pid, parent, group = map(int, fields[:3])
            yield Process(pid, parent, group, _session(pid))


def _ps(which: list[str], fields: str) -> list[str]:
    """The output of `ps` for some processes, one line each."""
    import subprocess

    command = ["ps", *which, "-ww", "-o", fields]
    try:
        listing = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False, timeout=2)
    except (OSError, subprocess.SubprocessError):
        return []
    return [line for line in listing.stdout.splitlines() if len(line.split()) > 1]


def _read(pid: int, file: str) -> bytes:
    try:
        with open(f"/proc/{pid}/{file}", "rb") as stream:
            return stream.read()
    except OSError:
        return b""
