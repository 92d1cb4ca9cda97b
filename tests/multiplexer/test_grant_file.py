"""Grants that hold in every workspace are kept in a private file."""

import os
from pathlib import Path

import pytest

from fugue_tui.errors import SaveError
from fugue_tui.multiplexer.access import grant_file
from fugue_tui.multiplexer.access.grants import Grant, Grantee, Scope


def grant(executable: str, *effects: str) -> Grant:
    return Grant(7, Scope.ALWAYS, frozenset(effects), Grantee("1@2", executable, "claude outside"), frozenset(), 5.0)


def kept() -> list[tuple[str, frozenset[str]]]:
    return [(each.grantee.executable, each.effects) for each in grant_file.load()]


@pytest.fixture
def file() -> Path:
    return Path(os.environ["FUGUE_STATE"]) / grant_file.NAME


def test_nothing_is_granted_where_there_is_no_file() -> None:
    assert grant_file.load() == ()


def test_what_was_granted_is_there_until_it_is_revoked(file: Path) -> None:
    first, second = grant("/usr/bin/a", "input"), grant("/usr/bin/b", "input", "run")
    grant_file.change(first, True)
    grant_file.change(second, True)
    grant_file.change(first, True)  # once is enough
    assert kept() == [("/usr/bin/b", second.effects), ("/usr/bin/a", first.effects)]
    assert file.stat().st_mode & 0o777 == 0o600
    (loaded,) = [each for each in grant_file.load() if each.grantee.executable == "/usr/bin/a"]
    assert (loaded.scope, loaded.grantee.owner, loaded.since) == (Scope.ALWAYS, "", 5.0)
    grant_file.change(second, False)
    assert kept() == [("/usr/bin/a", first.effects)]


@pytest.mark.parametrize(
    "text", ["", "{", "[1, {}]", '{"a": 1}', '[{"executable": 1, "effects": [], "words": "", "since": 0}]', "[" * 9000]
)
def test_a_damaged_file_grants_nothing_and_is_replaced(file: Path, text: str) -> None:
    grant_file.change(grant("/usr/bin/a", "input"), True)
    file.write_text(text)
    assert grant_file.load() == ()
    grant_file.change(grant("/usr/bin/b", "run"), True)
    assert [executable for executable, _ in kept()] == ["/usr/bin/b"]


def test_a_directory_that_others_may_enter_grants_nothing(file: Path) -> None:
    grant_file.change(grant("/usr/bin/a", "input"), True)
    file.parent.chmod(0o755)
    with pytest.raises(SaveError, match="others may enter it"):
        grant_file.load()
    file.parent.chmod(0o700)
