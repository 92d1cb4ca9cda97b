"""Programs that are killed and crowds that save at once lose nothing."""

import os
import random
import shutil
import signal
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.fork_server import ForkServer
from tests.store.saving_programs import CALLS, TAIL, calls_of_a_put, run
from tests.store.store_contents import files, got, manifest_file, put
from tests.store.store_contents import store as store

from fugue_tui.errors import SaveError
from fugue_tui.store import private_dir
from fugue_tui.store.store import Store

pytestmark = pytest.mark.slow


def test_nothing_is_deleted_while_a_save_is_in_progress(store: Store) -> None:
    put(store, 1)
    with store.saving() as saving:
        digest = saving.keep(b"not yet referred to")
        assert Store(store.root).tidy() == 0
        assert saving.has(digest)
    assert store.tidy() == 1


def test_a_lock_that_is_never_released_is_reported(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    put(store, 1)
    code = """
import fcntl
file = open(sys.argv[1] + "/auto/.lock", "r+")
fcntl.flock(file, fcntl.LOCK_EX)
print(flush=True)
input()
"""
    holder = run(code, store.root)
    assert holder.stdout is not None
    holder.stdout.readline()
    monkeypatch.setattr(private_dir, "LOCK_SECONDS", 0.05)
    try:
        with pytest.raises(SaveError, match="another fugue-tui holds it"):
            put(store, 2)
        assert (got(store), len(store.names("auto"))) == (1, 1)
    finally:
        holder.communicate()


def copies(store: Store) -> tuple[int, int, int]:
    """The numbers that the copies should have after a put of 5, the one before it having been cut off or not."""
    return (5, 4, 3) if b'"n":4}' in manifest_file(store, ".1").read_bytes() else (5, 3, 2)


def test_a_program_killed_at_any_moment_leaves_a_whole_save(tmp_path: Path, fork_server: ForkServer) -> None:
    code = """
from itertools import count
numbers = count(1)
def deadly(real):
    def call(*args, **options):
        if next(numbers) == int(sys.argv[2]): os.kill(os.getpid(), signal.SIGKILL)
        return real(*args, **options)
    return call
for name in sys.argv[3:]: setattr(os, name, deadly(getattr(os, name)))
put(4)
"""
    ready = Store(tmp_path / "ready")
    for number in (1, 2, 3):
        put(ready, number)
    count = len(calls_of_a_put(tmp_path / "count"))

    def killed(number: int) -> None:
        root = tmp_path / f"at{number}"
        shutil.copytree(ready.root, root)
        process = fork_server.run(("-c", TAIL + code, str(root), str(number), *CALLS), os.environ)
        assert process.returncode == -signal.SIGKILL
        survives(Store(root))

    def survives(store: Store) -> None:
        assert got(store) in (3, 4)
        put(store, 5)
        store.tidy()
        assert got(store) == 5
        assert not [name for part in ("auto", "texts") for name in files(store, part) if name.endswith(".new")]
        for kept, copy in zip(copies(store), ("", ".1", ".2"), strict=True):
            assert got(store) == kept
            manifest_file(store, copy).unlink()

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(killed, range(1, count + 1)))


def test_fifty_kills_in_a_loop_of_saves_lose_nothing(store: Store, fork_server: ForkServer) -> None:
    code = TAIL + "for number in range(int(sys.argv[2]), 1 << 30): put(number); print(number, flush=True)"
    last, chance = 0, random.Random(5)
    for _ in range(50):
        with open(os.devnull) as null:
            told, printing = os.pipe()
            streams = (null.fileno(), printing, null.fileno())
            process = fork_server.start(("-c", code, store.root, str(last)), os.environ, streams)
            os.close(printing)
        with open(told, "rb") as out:
            lines = [out.readline() for _ in range(chance.randrange(1, 12))]
            process.kill()
            lines += [line for line in out if line.endswith(b"\n")]
        process.wait()
        saved, last = int(lines[-1]), got(store)
        assert last in (saved, saved + 1)
    store.tidy()
    put(store, last + 1)
    assert not [name for part in ("auto", "texts") for name in files(store, part) if name.endswith(".new")]


def test_many_programs_save_list_and_tidy_at_once(store: Store) -> None:
    code = """
for number in range(60):
    put(number + int(sys.argv[2]), ["main", "other"][number % 2])
    if not number % 7: store.tidy()
"""
    savers = [run(code, store.root, str(start)) for start in (0, 1_000, 2_000)]
    while any(saver.poll() is None for saver in savers):
        for entry in store.names("auto"):
            assert not entry.fault
            assert store.get("auto", entry.name).faults == ()
    assert [saver.communicate()[0] for saver in savers] == [b""] * 3
    assert [saver.returncode for saver in savers] == [0] * 3
    assert max(entry.generation for entry in store.names("auto")) == 180
    for name in ("main", "other"):
        assert got(store, name) % 1_000 in (58, 59)
    store.tidy()
    assert len(files(store, "texts")) <= 6
    assert sorted(files(store)) == [f"{name}.json{copy}" for name in ("main", "other") for copy in ("", ".1", ".2")]


def test_many_threads_keep_texts_at_once(store: Store) -> None:
    data = [b"%d" % (number % 10) * 10_000 for number in range(200)]
    with store.saving() as saving, ThreadPoolExecutor(8) as pool:
        digests = list(pool.map(saving.keep, data))
        assert not [name for name in files(store, "texts") if name.endswith(".new")]
        saving.put("named", "all", {"version": 1, "texts": digests})
    assert [store.text(digest) for digest in digests] == data


def test_nothing_stays_open(store: Store) -> None:
    put(store, 1)
    before = len(os.listdir("/proc/self/fd"))
    for number in range(20):
        put(store, number)
        store.names("auto")
        got(store)
        store.tidy()
        with pytest.raises(SaveError):
            store.get("named", "none")
    assert len(os.listdir("/proc/self/fd")) == before
