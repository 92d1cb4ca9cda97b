"""What is saved is private, whole, and never lost, whatever happens to the disk, the files or the program."""

import json
import os
import random
import stat
import subprocess
import sys
from hashlib import blake2b
from pathlib import Path
from typing import Any

import pytest
from tests.store.store_contents import files, got, manifest_file, put, text_file
from tests.store.store_contents import store as store

from fugue_tui.errors import SaveError
from fugue_tui.store.store import Store, state_dir


def test_a_stored_value_is_read_back(store: Store) -> None:
    put(store, 1, deep={"a": [1, 2.5, None, "\udce9"]})
    found = store.get("auto", "main")
    assert (found.manifest["deep"], found.manifest["version"]) == ({"a": [1, 2.5, None, "\udce9"]}, 1)
    assert (found.generation, found.faults, got(store)) == (1, (), 1)


@pytest.mark.parametrize(
    "data",
    [b"", b"x", random.Random(1).randbytes(100_000), b"\0" * 5_000_000],
    ids=["nothing", "a byte", "noise", "zeroes"],
)
def test_stored_texts_are_read_back(store: Store, data: bytes) -> None:
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


def test_reading_creates_no_files(store: Store) -> None:
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


def test_a_clock_change_does_not_affect_which_copy_is_newest(store: Store) -> None:
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


def test_importing_the_store_loads_nothing_heavy() -> None:
    code = "import sys, fugue_tui.store.store; print(*sorted(sys.modules))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout.decode().split()
    assert not {"platformdirs", "textual", "pydantic", "asyncio", "tomllib", "fugue_tui.terminal.pty.spawn"} & set(
        loaded
    )
