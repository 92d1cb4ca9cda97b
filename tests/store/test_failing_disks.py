"""Disks that fail, are full or turn read-only cost nothing but the save."""

import errno
import os
import resource
import shutil
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from tests.store.saving_programs import TAIL, at_call, calls_of_a_put, run
from tests.store.store_contents import files, got, manifest_file, put
from tests.store.store_contents import store as store

from fugue_tui.errors import SaveError
from fugue_tui.store.store import Store

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("code", ["ENOSPC", "EROFS", "EDQUOT", "EIO", "EACCES"])
def test_a_disk_that_fails_at_any_moment_costs_nothing_but_the_save(tmp_path: Path, code: str) -> None:
    count = len(calls_of_a_put(tmp_path / "count"))
    assert count > 20
    for number in range(1, count + 1):
        store = Store(tmp_path / f"at{number}")
        for old in (1, 2, 3):
            put(store, old)
        text = os.strerror(getattr(errno, code))
        with at_call(number, partial(fail, getattr(errno, code), text), []):
            outcome = attempted(store, 4)
        assert outcome is None or (text in outcome and "FUGUE_STATE" in outcome)
        assert got(store) == 4 if outcome is None else got(store) in (3, 4)
        assert not [name for part in ("auto", "texts") for name in files(store, part) if name.endswith(".new")]
        put(store, 5)
        assert got(store) == 5
        manifest_file(store).unlink()
        assert got(store) in (3, 4)


def fail(code: int, text: str, *_: object, **__: object) -> None:
    raise OSError(code, text)


def attempted(store: Store, number: int) -> str | None:
    """Why a put failed; None if it did not."""
    try:
        put(store, number)
    except SaveError as error:
        return str(error)
    return None


def test_a_save_is_on_the_disk_before_it_takes_the_place_of_the_last(tmp_path: Path) -> None:
    calls = calls_of_a_put(tmp_path)
    order = [name for name in calls if name in ("write", "fsync", "rename", "link")]
    assert order == [
        "write",
        "write",
        "fsync",
        "rename",
        "fsync",
        "write",
        "fsync",
        "rename",
        "link",
        "rename",
        "fsync",
    ]


def test_a_limit_on_file_sizes_is_reported_and_costs_nothing_else(store: Store) -> None:
    put(store, 1)
    code = """
try:
    with store.saving() as saving: saving.keep(os.urandom(1_000_000))
except SaveError as error: print(error)
"""
    limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))  # noqa: E731
    out = run(code, store.root, before=limit).communicate()[0].decode()
    assert "File too large; raise the limit on file sizes" in out
    assert (got(store), len(files(store, "texts"))) == (1, 1)


FULL = """
def told(call):
    try: call()
    except SaveError as error: print(error)
    else: print("fine")
put(1)
def fill():
    with store.saving() as saving: saving.keep(os.urandom(1_000_000))
told(fill)
def many():
    for number in range(2, 1000): put(number, f"name{number}")
told(many)
print(len([name for part in ("/auto", "/texts") for name in os.listdir(sys.argv[1] + part) if name.endswith(".new")]))
print(store.get("auto", "main").manifest["n"])
store.delete("auto", "name2"); store.delete("auto", "name3")
told(lambda: put(1001))
os.system(f"mount -o remount,bind,ro {sys.argv[1]}")
told(lambda: put(1002)); told(lambda: store.delete("auto", "main"))
print(store.get("auto", "main").manifest["n"], len(store.names("auto")) > 2)
"""


def test_a_full_disk_and_one_that_turns_read_only_are_survived(tmp_path: Path) -> None:
    inside = 'mount -t tmpfs -o size=256k,mode=700 none "$0" && exec "$@"'
    command = ["unshare", "--mount", "--map-root-user", "sh", "-c", inside, str(tmp_path)]
    if not shutil.which("unshare") or subprocess.run([*command, "true"], capture_output=True, check=False).returncode:
        pytest.skip("no private mounts here")
    done = subprocess.run(
        [*command, sys.executable, "-c", TAIL + FULL, str(tmp_path)], capture_output=True, check=False
    )
    told = done.stdout.decode().splitlines()
    assert len(told) == 8, done.stderr.decode()
    assert "No space left on device; make room" in told[0]
    assert "No space left on device; make room" in told[1]
    assert told[2:5] == ["0", "1", "fine"]
    assert "Read-only file system; set FUGUE_STATE to a directory that you can write to" in told[5]
    assert "Read-only file system" in told[6]
    assert told[7:] == ["1001 True"]


def test_a_damaged_save_on_a_read_only_disk_still_gives_the_one_before(store: Store) -> None:
    put(store, 1)
    put(store, 2)
    manifest_file(store).write_bytes(b"broken")
    real = os.open

    def refusing(path: Any, flags: int, *args: Any, **options: Any) -> int:
        if flags & (os.O_RDWR | os.O_WRONLY | os.O_CREAT):
            raise OSError(errno.EROFS, "Read-only file system")
        return real(path, flags, *args, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "open", refusing)
        found = store.get("auto", "main")
    assert (found.manifest["n"], found.faults) == (1, (f"{manifest_file(store)}: is no saved workspace",))
    assert manifest_file(store).read_bytes() == b"broken"


def test_a_file_system_without_second_names_keeps_the_ones_before_too(store: Store) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "link", partial(fail, errno.EPERM, "Operation not permitted"))
        for number in range(5):
            put(store, number)
    for number, copy in zip((4, 3, 2), ("", ".1", ".2"), strict=True):
        assert got(store) == number
        manifest_file(store, copy).unlink()
