"""Links, devices and other people's files in the place of saved ones are neither followed nor waited for."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.store.store_contents import got, manifest_file, put, text_file
from tests.store.store_contents import store as store

from fugue_tui.errors import SaveError
from fugue_tui.store.store import Store

pytestmark = pytest.mark.slow


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
