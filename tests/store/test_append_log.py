"""The append-only log: whole lines in private files, whatever happens to the disk or to the program."""

import errno
import os
import signal
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from fugue_tui.store import append_log
from fugue_tui.store.append_log import COPIES, FILE, AppendLog
from fugue_tui.store.append_log_reader import AppendLogReader

WAIT = 30.0


def log_in(root: Path, name: str = "main", **more: Any) -> AppendLog:
    return AppendLog(root, "audit", name, gap=lambda lost: b"lost %d" % lost, **more)


def lines(root: Path, name: str = "main") -> list[bytes]:
    return list(AppendLogReader(root / "audit" / name).lines())


def write(root: Path, *texts: bytes, name: str = "main") -> None:
    log = log_in(root, name)
    for text in texts:
        log.append(text)
    log.close(WAIT)


def test_lines_are_appended_to_a_private_file(private_dir: Path) -> None:
    root = private_dir / "state"
    write(root, b"one", b"two")
    write(root, b"three")
    assert lines(root) == [b"one", b"two", b"three"]
    file = root / "audit" / "main" / FILE
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700


def test_a_log_without_lines_makes_no_file(private_dir: Path) -> None:
    write(private_dir / "state")
    assert not (private_dir / "state").exists()


def test_a_full_file_is_rotated_and_the_oldest_is_dropped(private_dir: Path) -> None:
    log = log_in(private_dir, largest=100)
    for number in range(100):
        log.append(b"%040d" % number)
    log.close(WAIT)
    found = lines(private_dir)
    assert found == [b"%040d" % number for number in range(100 - len(found), 100)]
    assert len(list((private_dir / "audit" / "main").iterdir())) == COPIES
    assert all(file.stat().st_size <= 100 for file in (private_dir / "audit" / "main").iterdir())


def test_a_line_after_an_incomplete_one_is_whole(private_dir: Path) -> None:
    write(private_dir, b"one")
    file = private_dir / "audit" / "main" / FILE
    with file.open("ab") as stream:
        stream.write(b'{"torn')
    reader = AppendLogReader(file.parent)
    assert (list(reader.lines()), reader.torn) == ([b"one"], True)
    write(private_dir, b"two")
    assert lines(private_dir) == [b"one", b'{"torn', b"two"]


def test_a_link_is_not_followed(private_dir: Path) -> None:
    folder = private_dir / "audit" / "main"
    folder.mkdir(parents=True, mode=0o700)
    folder.parent.chmod(0o700)
    (folder / FILE).symlink_to(private_dir / "elsewhere")
    faults = list[str]()
    log = log_in(private_dir, on_fault=faults.append)
    log.append(b"one")
    log.close(WAIT)
    assert len(faults) == 1
    assert not (private_dir / "elsewhere").exists()


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> Event:
    """Set once something is written."""
    real, done = os.write, Event()

    def write(fd: int, data: bytes) -> int:
        try:
            return real(fd, data)
        finally:
            done.set()

    failing(monkeypatch, write)
    return done


def failing(monkeypatch: pytest.MonkeyPatch, write: Callable[[int, bytes], int]) -> None:
    monkeypatch.setattr("fugue_tui.store.append_log.os.write", write)


def test_a_full_disk_is_reported_once_and_loses_no_line(private_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real, tries, faults, full = os.write, list[bytes](), list[str](), Event()

    def short(fd: int, data: bytes) -> int:
        tries.append(data)
        if len(tries) == 1:
            return real(fd, data[:6])
        if len(tries) < 4:
            raise OSError(errno.ENOSPC, "No space left on device")
        full.set()
        return real(fd, data)

    failing(monkeypatch, short)
    log = log_in(private_dir, on_fault=faults.append, retry_seconds=0.001)
    with log._changed:  # pyright: ignore[reportPrivateUsage]  (so that all are written together)
        for line in (b"one", b"two", b"three"):
            log.append(line)
    assert full.wait(WAIT)
    log.close(WAIT)
    assert faults == ["No space left on device"]
    assert lines(private_dir) == [b"one", b"tw", b"two", b"three"]
    assert log.fault == ""


def test_lines_beyond_the_limit_are_counted_in_their_place(private_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real, reached, go_on = os.write, Event(), Event()

    def slow(fd: int, data: bytes) -> int:
        reached.set()
        assert go_on.wait(WAIT)
        return real(fd, data)

    failing(monkeypatch, slow)
    monkeypatch.setattr(append_log, "_BATCH", 1)
    log = log_in(private_dir, most=3)
    log.append(b"1")
    assert reached.wait(WAIT)
    for number in range(2, 8):
        log.append(b"%d" % number)
    go_on.set()
    log.close(WAIT)
    assert lines(private_dir) == [b"1", b"2", b"3", b"lost 4"]


def test_a_directory_that_was_removed_is_made_again(private_dir: Path, written: Event) -> None:
    root = private_dir / "state"
    log = log_in(root)
    log.append(b"one")
    assert written.wait(WAIT)
    os.rename(root, private_dir / "gone")
    log.append(b"two")
    log.close(WAIT)
    assert lines(root) == [b"two"]


def test_a_directory_that_others_may_enter_is_a_fault(private_dir: Path) -> None:
    private_dir.chmod(0o755)
    faults = list[str]()
    log = log_in(private_dir, on_fault=faults.append)
    log.append(b"one")
    log.close(WAIT)
    assert "others may enter it" in faults[0]
    assert log.fault == faults[0]


def test_a_renamed_log_keeps_its_lines(private_dir: Path, written: Event) -> None:
    log = log_in(private_dir)
    log.append(b"one")
    assert written.wait(WAIT)
    log.move("other")
    log.append(b"two")
    log.close(WAIT)
    assert lines(private_dir, "other") == [b"one", b"two"]
    assert lines(private_dir) == []


def test_a_log_renamed_to_one_that_exists_continues_it(private_dir: Path) -> None:
    write(private_dir, b"old", name="other")
    log = log_in(private_dir)
    log.move("other")
    log.append(b"new")
    log.close(WAIT)
    assert lines(private_dir, "other") == [b"old", b"new"]


def test_a_reader_follows_a_log_across_rotations(private_dir: Path) -> None:
    reader = AppendLogReader(private_dir / "audit" / "main")
    assert (list(reader.lines()), reader.found) == ([], False)
    found = list[bytes]()
    for number in range(4):
        log = log_in(private_dir, largest=100)
        for each in range(5):
            log.append(b"%d-%020d" % (number, each))
        log.close(WAIT)
        found += reader.lines()
    assert found == [b"%d-%020d" % (number, each) for number in range(4) for each in range(5)]


PROGRAM = """
import os, sys
from fugue_tui.store.append_log import AppendLog
log = AppendLog(sys.argv[1], "audit", "main", gap=lambda lost: b"lost", largest=20000)
for number in range(10**9):
    log.append(b"%d " % number + b"x" * 100)
    if number % 1000 == 0 and os.path.exists(sys.argv[1] + "/audit/main/log.jsonl.1"):
        print(flush=True)
"""


def test_a_killed_program_leaves_whole_lines_but_the_last(private_dir: Path) -> None:
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    with subprocess.Popen([sys.executable, "-c", PROGRAM, str(private_dir)], stdout=subprocess.PIPE, env=env) as child:
        assert child.stdout is not None
        child.stdout.readline()
        child.send_signal(signal.SIGKILL)
    found = lines(private_dir)
    assert found
    assert all(line == b"lost" or line.endswith(b"x" * 100) for line in found)
    numbers = [int(line.split()[0]) for line in found if line != b"lost"]
    assert numbers == sorted(set(numbers))
