"""Where a project's file is looked for, and what its workspace is called."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fugue_tui import sockets
from fugue_tui.control.layout_files.project_file import FILE, find, slug, workspace_name
from fugue_tui.errors import InvalidArgument
from fugue_tui.layout.document import Document, WindowSpec
from fugue_tui.layout.spec_types import PaneSpec

WINDOWS = (WindowSpec(PaneSpec()),)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path / "home"
    (home / "shop" / "web" / "deep").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    return home


def test_the_nearest_file_is_found_here_or_above(home: Path) -> None:
    assert find(home / "shop" / "web" / "deep") is None
    (home / "shop" / FILE).touch()
    assert find(home / "shop" / "web" / "deep") == home / "shop" / FILE
    (home / "shop" / "web" / FILE).touch()
    assert find(home / "shop" / "web" / "deep") == home / "shop" / "web" / FILE
    assert find(home / "shop") == home / "shop" / FILE


def test_the_search_ends_before_the_home(home: Path) -> None:
    (home / FILE).touch()
    (home.parent / FILE).touch()
    assert find(home / "shop" / "web") is None
    assert find(home) == home / FILE


def test_the_search_ends_where_others_may_write(home: Path) -> None:
    (home / "shop" / FILE).touch()
    (home / "shop").chmod(0o777)
    assert find(home / "shop" / "web") is None
    assert find(home / "shop") == home / "shop" / FILE


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a directory away")
def test_the_search_ends_at_another_users_directory(home: Path) -> None:
    (home / "shop" / FILE).touch()
    os.chown(home / "shop", 65534, -1)
    assert find(home / "shop" / "web") is None


def test_a_link_into_a_project_finds_it(home: Path, tmp_path: Path) -> None:
    (home / "shop" / FILE).touch()
    (tmp_path / "link").symlink_to(home / "shop" / "web")
    assert find(tmp_path / "link") == home / "shop" / FILE


def test_what_does_not_exist_has_no_project(tmp_path: Path) -> None:
    assert find(tmp_path / "nowhere") is None
    assert find(Path("/proc/1/\0")) is None


@pytest.mark.parametrize(
    ("directory", "name"),
    [
        ("shop", "shop"),
        ("My Shop (2)", "My-Shop-2"),
        ("...", "main"),
        ("é", "main"),
        ("a" * 90, "a" * 48),
        ("-x-", "x"),
    ],
)
def test_a_directory_names_its_workspace(directory: str, name: str) -> None:
    assert slug(directory) == name


@given(st.text(max_size=80))
def test_any_directory_gives_a_name_that_can_be_used(directory: str) -> None:
    assert sockets.check_name(slug(directory))


def test_a_file_may_say_the_name(home: Path) -> None:
    file = home / "shop" / FILE
    assert workspace_name(Document(WINDOWS), file) == "shop"
    assert workspace_name(Document(WINDOWS, "store"), file) == "store"
    with pytest.raises(InvalidArgument, match=r"\.fugue\.toml: name: 'a/b' cannot name a workspace"):
        workspace_name(Document(WINDOWS, "a/b"), file)
