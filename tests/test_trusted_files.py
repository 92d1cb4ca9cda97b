"""Files that people keep: whose they must be, and how they are written."""

import os
import stat
import threading
from pathlib import Path

import pytest

from fugue_tui import trusted_files
from fugue_tui.trusted_files import UntrustedFile, content, decoded, describe, json, toml, write


def test_a_file_is_made_whole_with_what_the_umask_leaves(tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        write(tmp_path / "a", "text\n")
        write(tmp_path / "b", "text\n", mode=0o600)
    finally:
        os.umask(before)
    assert (tmp_path / "a").read_text() == "text\n"
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o644
    assert stat.S_IMODE((tmp_path / "b").stat().st_mode) == 0o600
    assert sorted(os.listdir(tmp_path)) == ["a", "b"]


def test_what_is_there_stays_unless_it_may_be_replaced(tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_text("mine")
    with pytest.raises(UntrustedFile, match="is there already"):
        write(file, "other")
    assert file.read_text() == "mine"
    write(file, "other", overwrite=True)
    assert file.read_text() == "other"
    assert os.listdir(tmp_path) == ["a"]


def test_only_one_of_many_writers_makes_the_file(tmp_path: Path) -> None:
    won: list[int] = []
    gate = threading.Barrier(8)

    def make(number: int) -> None:
        gate.wait()
        try:
            write(tmp_path / "a", str(number) * 10_000)
        except UntrustedFile:
            return
        won.append(number)

    writers = [threading.Thread(target=make, args=(number,)) for number in range(8)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert len(won) == 1
    assert (tmp_path / "a").read_text() == str(won[0]) * 10_000
    assert os.listdir(tmp_path) == ["a"]


def test_a_link_is_never_written_through(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "target")
    for overwrite in (False, True):
        with pytest.raises(UntrustedFile, match="is a symbolic link"):
            write(tmp_path / "link", "text", overwrite=overwrite)
    assert os.listdir(tmp_path) == ["link"]


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a link away")
def test_a_link_of_another_user_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    write(tmp_path / "link" / "a", "text")
    os.lchown(tmp_path / "link", 65534, -1)
    with pytest.raises(UntrustedFile, match="is a link that another user made"):
        write(tmp_path / "link" / "b", "text")
    assert os.listdir(tmp_path / "real") == ["a"]


def test_what_is_no_file_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    for name in ("folder", "pipe"):
        with pytest.raises(UntrustedFile, match="is no file"):
            write(tmp_path / name, "text", overwrite=True)


def test_a_directory_that_does_not_exist_is_told_and_nothing_is_left(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        write(tmp_path / "nowhere" / "a", "text")
    assert os.listdir(tmp_path) == []


def test_a_full_disk_leaves_no_half_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a").write_text("old")

    def full(fd: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(trusted_files.os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        write(tmp_path / "a", "new", overwrite=True)
    assert (tmp_path / "a").read_text() == "old"
    assert os.listdir(tmp_path) == ["a"]


def test_a_fault_has_its_place() -> None:
    with pytest.raises(UntrustedFile) as caught:
        toml("a = 1\nb = ")
    assert describe("x.toml", caught.value) == "x.toml:2:5: Invalid value"
    with pytest.raises(UntrustedFile) as caught:
        json('{"a":\n ]}')
    assert describe("x.json", caught.value) == "x.json:2:2: Expecting value"
    with pytest.raises(UntrustedFile) as caught:
        decoded(b"a\n\xff")
    assert describe("x\x1b[31m", caught.value) == "x:2: not UTF-8"


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a":' * 100_000, "9" * 10_000])
def test_json_that_goes_too_far_is_refused(text: str) -> None:
    with pytest.raises(UntrustedFile):
        json(text)


def test_reading_ends_at_the_limit(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x" * 100)
    assert content(tmp_path / "a", 100) == b"x" * 100
    with pytest.raises(UntrustedFile, match="larger than 99 bytes"):
        content(tmp_path / "a", 99)
