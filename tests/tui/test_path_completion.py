"""Paths on the command line are completed, and quoted."""

import os
from pathlib import Path

import pytest

from fugue_tui.tui.path_completion import paths


@pytest.fixture
def tree(tmp_path: Path) -> str:
    root = tmp_path / "tree"
    (root / "two words").mkdir(parents=True)
    (root / "two words" / "it's.cast").touch()
    for name in ("twin.txt", ".hidden", "bad\x1b[31mname"):
        (root / name).touch()
    return str(root)


def test_blanks_and_quotes_are_escaped_and_directories_end_with_a_slash(tree: str) -> None:
    assert list(paths("tw", tree)) == ["twin.txt", "two\\ words/"]
    assert list(paths("two words/", tree)) == ["two\\ words/it\\'s.cast"]
    assert list(paths(f"{tree}/twi", "/")) == [f"{tree}/twin.txt"]


def test_hidden_files_need_their_dot_and_control_characters_are_left_out(tree: str) -> None:
    assert list(paths("", tree)) == ["twin.txt", "two\\ words/"]
    assert list(paths(".h", tree)) == [".hidden"]
    assert list(paths("bad", tree)) == []


def test_only_directories_are_offered_for_a_directory(tree: str) -> None:
    assert list(paths("", tree, directories=True)) == ["two\\ words/"]


def test_the_home_directory_stays_a_tilde(tree: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", tree)
    assert list(paths("~", "/")) == ["~/"]
    assert list(paths("~/twi", "/")) == ["~/twin.txt"]


def test_what_cannot_be_read_offers_nothing(tree: str) -> None:
    assert list(paths("gone/", tree)) == []
    assert list(paths("twin.txt/", tree)) == []
    assert list(paths(os.fsdecode(b"a\0b/"), tree)) == []
