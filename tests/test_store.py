"""What is saved is private, whole, and never lost, whatever happens to the disk, the files or the program."""

import errno
import json
import os
import random
import resource
import shutil
import signal
import stat
import subprocess
import sys
import tracemalloc
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import Any

import pytest

from fugue_tui.errors import SaveError
from fugue_tui.store import folder, texts
from fugue_tui.store.shelf import MOST_BAD
from fugue_tui.store.store import Store, state_dir

TEXT = b"hello " * 2_000
TAIL = """
import os, signal, sys
from fugue_tui.errors import SaveError
from fugue_tui.store.store import Store
store, text = Store(sys.argv[1]), b"hello " * 2_000
def put(number, name="main"):
    with store.saving() as saving:
        digest = saving.keep(text + b"%d" % number)
        saving.put("auto", name, {"version": 1, "head": {"n": number}, "texts": [digest], "n": number})
"""


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "state" / "fugue")


def put(store: Store, number: int, name: str = "main", **more: Any) -> str:
    """Save a small manifest with one text; gives the text's digest."""
    with store.saving() as saving:
        digest = saving.keep(TEXT + b"%d" % number)
        saving.put("auto", name, {"version": 1, "head": {"n": number}, "texts": [digest], "n": number, **more})
    return digest


def got(store: Store, name: str = "main") -> int:
    """The number that was put last, when its text is whole too."""
    found = store.get("auto", name)
    number, (digest,) = found.manifest["n"], found.manifest["texts"]
    assert found.manifest["head"] == {"n": number}
    assert store.text(digest) == TEXT + b"%d" % number
    return number


def files(store: Store, part: str = "auto") -> dict[str, Path]:
    return {path.name: path for path in Path(store.root, part).iterdir() if path.name != ".lock"}


def manifest_file(store: Store, copy: str = "") -> Path:
    return Path(store.root, "auto", f"main.json{copy}")


def text_file(store: Store, digest: str) -> Path:
    return Path(store.root, "texts", digest)


def run(code: str, root: str, *more: str, before: Callable[[], None] | None = None) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", TAIL + code, root, *more]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, preexec_fn=before)


def test_what_was_put_comes_back(store: Store) -> None:
    put(store, 1, deep={"a": [1, 2.5, None, "\udce9"]})
    found = store.get("auto", "main")
    assert (found.manifest["deep"], found.manifest["version"]) == ({"a": [1, 2.5, None, "\udce9"]}, 1)
    assert (found.generation, found.faults, got(store)) == (1, (), 1)


@pytest.mark.parametrize(
    "data",
    [b"", b"x", random.Random(1).randbytes(100_000), b"\0" * 5_000_000],
    ids=["nothing", "a byte", "noise", "zeroes"],
)
def test_texts_come_back_as_they_were(store: Store, data: bytes) -> None:
    with store.saving() as saving:
        digest = saving.keep(data)
        assert saving.keep(data) == digest
    assert store.text(digest, max(1, len(data))) == data


def test_everything_is_for_its_owner_alone(store: Store) -> None:
    old = os.umask(0)
    try:
        put(store, 1)
    finally:
        os.umask(old)
    for path in [Path(store.root), *Path(store.root).rglob("*")]:
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path


def test_looking_makes_nothing(store: Store) -> None:
    assert (store.names("auto"), store.tidy()) == ([], 0)
    with pytest.raises(SaveError, match=r"nothing is saved as 'main' \(auto\); list-saved shows what is"):
        store.get("auto", "main")
    with pytest.raises(SaveError, match="nothing is saved"):
        store.delete("auto", "main")
    assert not Path(store.root).exists()


def test_the_state_directory_is_the_platforms_or_what_is_asked_for() -> None:
    assert state_dir({"FUGUE_STATE": "/srv/state"}) == Path("/srv/state")
    assert state_dir({"FUGUE_STATE": "~nobody-of-that-name/x"}) == Path("~nobody-of-that-name/x")
    assert state_dir({}).name == "fugue-tui"


@pytest.mark.parametrize("name", ["", ".", "..", "../x", "a/b", ".lock", "a b", "\0", "é", "x" * 49, "-x"])
def test_names_that_could_be_other_files_are_refused(store: Store, name: str) -> None:
    put(store, 1)
    for action in (lambda: store.get("auto", name), lambda: store.delete("auto", name), lambda: put(store, 2, name)):
        with pytest.raises(SaveError, match="cannot name what is saved"):
            action()
    assert list(files(store)) == ["main.json"]


@pytest.mark.parametrize("digest", ["", "../auto/main.json", "A" * 40, "a" * 39, "\0"])
def test_only_digests_name_texts(store: Store, digest: str) -> None:
    put(store, 1)
    with pytest.raises(SaveError, match="names no text"):
        store.text(digest)


def test_names_that_look_like_copies_of_others_stay_apart(store: Store) -> None:
    names = ["main", "main.json", "main.json.1", "main.json.bad.1", "main.json.new"]
    for number, name in enumerate(names * 3):
        put(store, number, name)
    assert {entry.name for entry in store.names("auto")} == set(names)
    store.delete("auto", "main")
    assert [got(store, name) for name in names[1:]] == [11, 12, 13, 14]


def test_listings_tell_of_everything_the_latest_first(store: Store) -> None:
    for number, name in enumerate(["b", "a", "c", "a"], 1):
        put(store, number, name, padding="x" * 100 * number)
    entries = store.names("auto")
    assert [(entry.name, entry.head["n"], entry.generation) for entry in entries] == [
        ("a", 4, 4),
        ("c", 3, 3),
        ("b", 1, 1),
    ]
    size = Path(store.root, "auto", "b.json").stat().st_size + text_file(store, put(store, 1, "b")).stat().st_size
    assert entries[2].size == size
    assert store.names("named") == []


def test_the_two_before_the_newest_are_kept(store: Store) -> None:
    for number in range(1, 6):
        put(store, number)
    assert sorted(files(store)) == ["main.json", "main.json.1", "main.json.2"]
    for number, copy in zip((5, 4, 3), ("", ".1", ".2"), strict=True):
        assert got(store) == number
        manifest_file(store, copy).unlink()


def test_a_damaged_manifest_is_set_aside_and_the_one_before_it_used(store: Store) -> None:
    put(store, 1)
    put(store, 2)
    manifest_file(store).write_bytes(b"broken")
    (entry,) = store.names("auto")
    assert entry.head["n"] == 1
    found = store.get("auto", "main")
    assert found.manifest["n"] == 1
    (fault,) = found.faults
    assert fault == f"{store.root}/auto/main.json: is no saved workspace; it is kept as main.json.bad.1"
    assert files(store)["main.json.bad.1"].read_bytes() == b"broken"
    assert store.get("auto", "main").faults == ()
    for number in (3, 4, 5, 6):
        put(store, number)
    assert files(store)["main.json.bad.1"].read_bytes() == b"broken"
    assert got(store) == 6


def test_a_damaged_manifest_is_set_aside_by_the_next_put_too(store: Store) -> None:
    put(store, 1)
    put(store, 2)
    manifest_file(store).write_bytes(b"broken")
    put(store, 3)
    manifest_file(store).unlink()
    assert got(store) == 1
    assert files(store)["main.json.bad.1"].read_bytes() == b"broken"


def test_so_many_damaged_ones_are_kept_and_no_more(store: Store) -> None:
    for number in range(MOST_BAD + 3):
        put(store, number)
        manifest_file(store).write_bytes(b"broken %d" % number)
    put(store, 99)
    bad = [path.read_bytes() for name, path in sorted(files(store).items()) if ".bad." in name]
    assert bad == [b"broken %d" % number for number in range(3, MOST_BAD + 3)]


def test_when_every_copy_is_damaged_all_are_kept_and_that_is_told(store: Store) -> None:
    put(store, 1)
    put(store, 2)
    for copy in ("", ".1"):
        manifest_file(store, copy).write_bytes(b"broken")
    assert "is no saved workspace" in store.names("auto")[0].fault
    with pytest.raises(SaveError, match=r"no copy of 'main' can be read: .*main.json.bad.1.*main.json.bad.2"):
        store.get("auto", "main")
    put(store, 3)
    assert got(store) == 3


def test_a_manifest_cut_off_anywhere_is_never_taken_for_whole(store: Store) -> None:
    put(store, 1)
    put(store, 2)
    whole = manifest_file(store).read_bytes()
    for length in range(len(whole)):
        manifest_file(store).write_bytes(whole[:length])
        assert store.get("auto", "main").manifest["n"] == 1
    manifest_file(store).write_bytes(whole)
    assert got(store) == 2


def test_a_manifest_with_a_flipped_bit_is_never_taken_for_whole(store: Store) -> None:
    put(store, 1)
    put(store, 2)
    whole, chance = manifest_file(store).read_bytes(), random.Random(3)
    for _ in range(200):
        manifest_file(store).write_bytes(flipped(whole, chance.randrange(len(whole) * 8)))
        found = store.get("auto", "main")
        assert (found.manifest["n"], len(found.faults)) == (1, 1)


def test_a_text_that_is_cut_off_is_refused(store: Store) -> None:
    digest = put(store, 1)
    whole = text_file(store, digest).read_bytes()
    for data in [*(whole[:length] for length in range(len(whole))), whole + b"x", whole[:44] + whole[45:]]:
        text_file(store, digest).write_bytes(data)
        with pytest.raises(SaveError, match=digest):
            store.text(digest)


def test_a_text_with_a_flipped_bit_is_refused_unless_the_bit_meant_nothing(store: Store) -> None:
    data, chance, refused = random.Random(6).randbytes(3_000), random.Random(4), 0
    with store.saving() as saving:
        digest = saving.keep(data)
    whole = text_file(store, digest).read_bytes()
    for _ in range(200):
        text_file(store, digest).write_bytes(flipped(whole, chance.randrange(len(whole) * 8)))
        try:
            assert store.text(digest) == data
        except SaveError:
            refused += 1
    assert refused >= 195


def flipped(data: bytes, bit: int) -> bytes:
    changed = bytearray(data)
    changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed)


def test_exchanged_texts_are_noticed(store: Store) -> None:
    one, other = text_file(store, put(store, 1)), text_file(store, put(store, 2))
    held = one.read_bytes()
    one.write_bytes(other.read_bytes())
    other.write_bytes(held)
    for file in (one, other):
        with pytest.raises(SaveError, match="holds another text than its name says"):
            store.text(file.name)


def test_keeping_a_text_again_mends_a_damaged_one(store: Store) -> None:
    digest = put(store, 1)
    for damage in (b"", b"broken", flipped(text_file(store, digest).read_bytes(), 900)):
        text_file(store, digest).write_bytes(damage)
        put(store, 1)
        assert got(store) == 1


def test_a_text_larger_than_allowed_is_not_inflated(store: Store) -> None:
    with store.saving() as saving:
        digest = saving.keep(bytes(50_000_000))
    with pytest.raises(SaveError, match="the text has 50000000 bytes, 1000 are allowed"):
        store.text(digest, 1_000)
    honest = bytearray(text_file(store, digest).read_bytes())
    honest[28:36] = (1_000).to_bytes(8, "big")
    text_file(store, digest).write_bytes(honest)
    tracemalloc.start()
    try:
        with pytest.raises(SaveError, match="has another length than it says"):
            store.text(digest, 1_000)
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()


def test_a_text_under_the_name_of_another_is_refused_even_if_its_head_lies(store: Store) -> None:
    digest = put(store, 1)
    text_file(store, digest).write_bytes(b"".join(texts.pack(digest, b"something else")))
    with pytest.raises(SaveError, match="its checksum is wrong"):
        store.text(digest)


def test_a_huge_file_is_refused_unread(store: Store) -> None:
    digest = put(store, 1)
    put(store, 2)
    os.truncate(manifest_file(store), 1 << 40)
    os.truncate(text_file(store, digest), 1 << 40)
    assert "has more than" in store.get("auto", "main").faults[0]
    with pytest.raises(SaveError, match="has more than"):
        store.text(digest)


def as_link(path: Path) -> None:
    target = path.with_name("target")
    path.rename(target)
    path.symlink_to(target)


def as_zero(path: Path) -> None:
    path.unlink()
    path.symlink_to("/dev/zero")


def as_fifo(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def as_directory(path: Path) -> None:
    path.unlink()
    path.mkdir()


@pytest.mark.parametrize("change", [as_link, as_zero, as_fifo, as_directory])
def test_what_is_no_plain_file_is_neither_followed_nor_waited_for(store: Store, change: Callable[[Path], None]) -> None:
    digest = put(store, 1)
    put(store, 2)
    change(manifest_file(store))
    assert store.names("auto")[0].head["n"] == 1
    found = store.get("auto", "main")
    assert (found.manifest["n"], "is no plain file" in found.faults[0]) == (1, True)
    change(text_file(store, digest))
    with pytest.raises(SaveError, match="is no plain file"):
        store.text(digest)


@pytest.mark.parametrize("change", [as_link, as_zero, as_fifo])
def test_saving_writes_through_no_link(store: Store, tmp_path: Path, change: Callable[[Path], None]) -> None:
    digest = put(store, 1)
    change(manifest_file(store))
    change(text_file(store, digest))
    before = {path: path.read_bytes() for path in Path(store.root).rglob("target")}
    put(store, 1)
    assert got(store) == 1
    assert all(path.read_bytes() == held for path, held in before.items())


def test_a_link_where_the_next_save_is_written_is_not_followed(store: Store, tmp_path: Path) -> None:
    put(store, 1)
    bystander = tmp_path / "bashrc"
    bystander.write_text("mine")
    manifest_file(store).with_name(".main.json.new").symlink_to(bystander)
    put(store, 2)
    assert (got(store), bystander.read_text()) == (2, "mine")


@pytest.mark.parametrize("part", ["", "auto", "texts"])
def test_a_link_for_a_directory_is_not_followed(store: Store, tmp_path: Path, part: str) -> None:
    digest = put(store, 1)
    directory = Path(store.root, part)
    directory.rename(tmp_path / "moved")
    directory.symlink_to(tmp_path / "moved")
    before = sorted((tmp_path / "moved").rglob("*"))
    with pytest.raises(SaveError, match=r"FUGUE_STATE"):
        put(store, 2)
    with pytest.raises(SaveError, match=r"FUGUE_STATE"):
        store.text(digest) if part == "texts" else store.get("auto", "main")
    assert sorted((tmp_path / "moved").rglob("*")) == before


@pytest.mark.parametrize("name", [".lock", "auto/.lock"])
@pytest.mark.parametrize("change", [as_zero, as_fifo])
def test_a_lock_that_is_no_file_is_refused(store: Store, name: str, change: Callable[[Path], None]) -> None:
    put(store, 1)
    change(Path(store.root, name))
    with pytest.raises(SaveError):
        put(store, 2)
    assert got(store) == 1


@pytest.mark.parametrize("part", ["", "auto", "texts"])
def test_a_directory_that_others_may_enter_is_refused(store: Store, part: str) -> None:
    put(store, 1)
    Path(store.root, part).chmod(0o750)
    with pytest.raises(SaveError, match="others may enter it; chmod 700 it"):
        put(store, 2)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
@pytest.mark.parametrize("part", ["", "auto", "auto/main.json"])
def test_what_belongs_to_another_user_is_refused_untouched(store: Store, part: str) -> None:
    put(store, 1)
    path = Path(store.root, part)
    os.chown(path, 12345, -1)
    for action in (lambda: store.get("auto", "main"), lambda: put(store, 2)):
        with pytest.raises(SaveError, match="belongs to user 12345; chown it if it should be yours"):
            action()
    os.chown(path, os.geteuid(), -1)
    assert got(store) == 1


def rewritten(store: Store, format: int, line: dict[str, Any], rest: bytes = b"{}") -> None:
    """Put a file with a right checksum in the place of the newest manifest."""
    lines = json.dumps(line).encode() + b"\n" + rest
    digest = blake2b(b"%d\n%b" % (format, lines), digest_size=20).hexdigest()
    manifest_file(store).write_bytes(f"fugue-tui saved {format} {digest}\n".encode() + lines)


def test_a_newer_format_is_refused_untouched(store: Store) -> None:
    digest = put(store, 1)
    put(store, 2)
    rewritten(store, 2, {"anything": "else"})
    before = {name: path.read_bytes() for name, path in files(store).items()}
    for action in (lambda: store.get("auto", "main"), lambda: put(store, 3)):
        with pytest.raises(SaveError, match=r"newer fugue-tui saved it \(format 2\); upgrade, or delete it"):
            action()
    assert "newer" in store.names("auto")[0].fault
    assert {name: path.read_bytes() for name, path in files(store).items()} == before
    put(store, 4, "other")
    assert [entry.name for entry in store.names("auto")] == ["other", "main"]
    store.delete("auto", "other")
    assert store.tidy() == 0
    assert store.text(digest)
    store.delete("auto", "main")
    put(store, 5)
    assert got(store) == 5


def test_a_newer_manifest_is_given_as_it_is_and_never_written_over(store: Store) -> None:
    line: dict[str, Any] = {"version": 999, "generation": 7, "head": {}, "texts": []}
    put(store, 1)
    rewritten(store, 1, line)
    assert store.get("auto", "main").manifest["version"] == 999
    with pytest.raises(SaveError, match=r"newer fugue-tui saved it \(version 999\)"):
        put(store, 2)
    assert store.get("auto", "main").manifest["version"] == 999


def test_an_older_manifest_is_given_as_it_is_and_may_be_written_over(store: Store) -> None:
    put(store, 1)
    rewritten(store, 1, {"version": 0, "generation": 7, "head": {}, "texts": []})
    assert store.get("auto", "main").manifest == {"version": 0, "head": {}, "texts": []}
    put(store, 2)
    assert store.get("auto", "main").generation == 8


@pytest.mark.parametrize(
    "line",
    [
        {"generation": 1, "head": {}, "texts": []},
        {"version": "1", "generation": 1, "head": {}, "texts": []},
        {"version": 1, "generation": True, "head": {}, "texts": []},
        {"version": 1, "generation": 1, "head": [], "texts": []},
        {"version": 1, "generation": 1, "head": {}, "texts": ["../../etc/passwd"]},
        {"version": 1, "generation": 1, "head": {}, "texts": "abc"},
    ],
)
def test_a_wrong_manifest_with_a_right_checksum_is_passed_over(store: Store, line: dict[str, Any]) -> None:
    put(store, 1)
    put(store, 2)
    rewritten(store, 1, line)
    assert got(store) == 1


@pytest.mark.parametrize("rest", [b"", b"[]", b"nonsense", b"[" * 100_000, b"9" * 5_000, b"\xff"])
def test_a_body_that_is_no_object_is_passed_over(store: Store, rest: bytes) -> None:
    put(store, 1)
    put(store, 2)
    rewritten(store, 1, {"version": 1, "generation": 2, "head": {}, "texts": []}, rest)
    assert got(store) == 1


@pytest.mark.parametrize(
    "manifest", [{}, {"version": None}, {"version": 1, "x": float("nan")}, {"version": 1, "x": {1}}]
)
def test_what_is_no_manifest_is_not_put(store: Store, manifest: dict[str, Any]) -> None:
    put(store, 1)
    with store.saving() as saving, pytest.raises(SaveError, match="what is to be saved"):
        saving.put("auto", "main", manifest)
    assert got(store) == 1


def test_a_manifest_that_refers_to_a_lost_text_is_not_put(store: Store) -> None:
    digest = put(store, 1)
    text_file(store, digest).unlink()
    with store.saving() as saving, pytest.raises(SaveError, match="1 texts are gone"):
        saving.put("auto", "main", {"version": 1, "texts": [digest]})


def test_clocks_decide_nothing(store: Store) -> None:
    for number, name in enumerate(["first", "second", "third"]):
        put(store, number, name, head={"saved_at": 2e9 - number * 1e8})
        for path in Path(store.root).rglob("*"):
            os.utime(path, (number * 1e9, number * 1e9))
    assert [entry.name for entry in store.names("auto")] == ["third", "second", "first"]
    assert store.tidy() == 0
    for number in range(3):
        put(store, number)
        os.utime(manifest_file(store), (2e9 - number * 1e9, 2e9 - number * 1e9))
    assert got(store) == 2


def test_tidying_removes_what_nothing_refers_to_and_nothing_else(store: Store) -> None:
    digests = [put(store, number) for number in range(6)]
    leftover = text_file(store, f".{digests[0]}.1.1.new")
    leftover.write_bytes(b"x")
    shared = put(store, 2, "other")
    assert shared == digests[2]
    assert store.tidy() == 3
    assert sorted(files(store, "texts")) == sorted(digests[2:])
    assert store.tidy() == 0


def test_deleting_leaves_nothing_behind(store: Store) -> None:
    for number in range(4):
        put(store, number)
    manifest_file(store).write_bytes(b"broken")
    put(store, 9)
    kept = put(store, 5, "other")
    store.delete("auto", "main")
    assert sorted(files(store)) == ["other.json"]
    assert list(files(store, "texts")) == [kept]
    assert got(store, "other") == 5


def test_nothing_is_tidied_away_while_somebody_saves(store: Store) -> None:
    put(store, 1)
    with store.saving() as saving:
        digest = saving.keep(b"not yet referred to")
        assert Store(store.root).tidy() == 0
        assert saving.has(digest)
    assert store.tidy() == 1


def test_a_lock_that_is_never_let_go_is_told(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
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
    monkeypatch.setattr(folder, "LOCK_SECONDS", 0.05)
    try:
        with pytest.raises(SaveError, match="another fugue-tui holds it"):
            put(store, 2)
        assert (got(store), len(store.names("auto"))) == (1, 1)
    finally:
        holder.communicate()


CALLS = ("open", "mkdir", "write", "fsync", "rename", "link", "unlink", "fchmod", "listdir")


@contextmanager
def at_call(number: int, act: Callable[[], None], calls: list[str]) -> Generator[None, None, None]:
    """Do something before the system call of that number, counted from 1, of those that can change anything."""
    real = {name: getattr(os, name) for name in CALLS}

    def wrapped(name: str) -> Callable[..., Any]:
        def call(*args: Any, **options: Any) -> Any:
            calls.append(name)
            if len(calls) == number:
                act()
            return real[name](*args, **options)

        return call

    with pytest.MonkeyPatch.context() as patch:
        for name in CALLS:
            patch.setattr(os, name, wrapped(name))
        yield


def calls_of_a_put(root: Path) -> list[str]:
    store, calls = Store(root), list[str]()
    for number in (1, 2, 3):
        put(store, number)
    with at_call(0, lambda: None, calls):
        put(store, 4)
    return calls


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


def copies(store: Store) -> tuple[int, int, int]:
    """The numbers that the copies should have after a put of 5, the one before it having been cut off or not."""
    return (5, 4, 3) if b'"n":4}' in manifest_file(store, ".1").read_bytes() else (5, 3, 2)


def test_a_program_killed_at_any_moment_leaves_a_whole_save(tmp_path: Path) -> None:
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
        store = Store(root)
        process = run(code, str(root), str(number), *CALLS)
        process.communicate()
        assert process.returncode == -signal.SIGKILL
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


def test_fifty_kills_in_a_loop_of_saves_lose_nothing(store: Store) -> None:
    code = "for number in range(int(sys.argv[2]), 1 << 30): put(number); print(number, flush=True)"
    last, chance = 0, random.Random(5)
    for _ in range(50):
        process = run(code, store.root, str(last))
        assert process.stdout is not None
        with process.stdout as out:
            lines = [out.readline() for _ in range(chance.randrange(1, 12))]
            process.kill()
            lines += [line for line in out if line.endswith(b"\n")]
        process.communicate()
        told = int(lines[-1])
        last = got(store)
        assert last in (told, told + 1)
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


def test_a_limit_on_file_sizes_is_told_and_costs_nothing_else(store: Store) -> None:
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


def test_importing_the_store_loads_nothing_heavy() -> None:
    code = "import sys, fugue_tui.store.store; print(*sorted(sys.modules))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout.decode().split()
    assert not {"platformdirs", "textual", "pydantic", "asyncio", "tomllib", "fugue_tui.terminal.pty"} & set(loaded)
