"""A configuration file that is no readable file of one's own is a fault, and nothing worse."""

import grp
import os
import pwd
from pathlib import Path

import pytest
from tests.config.config_file import file as file

from fugue_tui.config.model import (
    SIZE_LIMIT,
    Config,
    read,
)


def test_a_file_that_is_not_utf8_is_a_fault_with_its_line(file: Path) -> None:
    file.write_bytes(b"[ui]\n# caf\xe9\n")
    assert read(file).faults == (f"{file}:2: not UTF-8",)


def test_a_directory_is_a_fault(file: Path) -> None:
    file.mkdir()
    assert read(file).faults == (f"{file}: not a regular file",)


def test_a_pipe_is_a_fault_and_does_not_hang(file: Path) -> None:
    os.mkfifo(file)
    assert read(file).faults == (f"{file}: not a regular file",)


def test_a_huge_file_is_refused_unread(file: Path) -> None:
    file.write_bytes(b"#" * (SIZE_LIMIT + 1))
    assert read(file).faults == (f"{file}: larger than {SIZE_LIMIT} bytes",)


def test_a_file_of_exactly_the_limit_is_read(file: Path) -> None:
    file.write_bytes(b"#" * (SIZE_LIMIT - 1) + b"\n")
    assert read(file).faults == ()


def test_a_file_that_anyone_can_write_is_refused(file: Path) -> None:
    file.write_text("[ui]\nstatus = false\n")
    file.chmod(0o666)
    found = read(file)
    assert found.faults == (f"{file}: anyone can write to it; chmod o-w mends that",)
    assert found.config == Config()


def group_of(monkeypatch: pytest.MonkeyPatch, file: Path, name: str, *members: str) -> None:
    """Let a file's group be one's first, of that name and with these members; an empty name is one's own."""
    me, number = pwd.getpwuid(os.geteuid()), file.stat().st_gid
    own = pwd.struct_passwd((me.pw_name, "x", me.pw_uid, number, "", me.pw_dir, me.pw_shell))
    group = grp.struct_group((name or me.pw_name, "x", number, [*members]))

    def owner(uid: int) -> pwd.struct_passwd:
        return own

    def found(gid: int) -> grp.struct_group:
        return group

    monkeypatch.setattr(pwd, "getpwuid", owner)
    monkeypatch.setattr(grp, "getgrgid", found)


@pytest.mark.parametrize(("name", "members"), [("", ["somebody"]), ("staff", [])])
def test_a_file_that_a_group_of_several_can_write_is_refused(
    file: Path, monkeypatch: pytest.MonkeyPatch, name: str, members: list[str]
) -> None:
    file.write_text("[ui]\nstatus = false\n")
    file.chmod(0o664)
    group_of(monkeypatch, file, name, *members)
    assert read(file).faults == (f"{file}: a group with others in it can write to it; chmod g-w mends that",)
    assert read(file).config == Config()


def test_a_file_writable_by_the_users_private_group_is_accepted(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file.write_text("")
    file.chmod(0o664)
    group_of(monkeypatch, file, "")
    assert read(file).faults == ()


def test_a_file_may_begin_with_the_mark_of_its_encoding(file: Path) -> None:
    file.write_bytes(b"\xef\xbb\xbf[ui]\nstatus = false\n")
    assert read(file).faults == ()
    assert read(file).config != Config()


def test_a_file_of_another_user_is_refused(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file.write_text("")
    if os.geteuid() == 0:
        os.chown(file, 65534, 65534)
    else:
        monkeypatch.setattr(os, "geteuid", lambda: 65533)
    assert "belongs to another user" in read(file).faults[0]


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_a_file_without_permission_is_a_fault(file: Path) -> None:
    file.write_text("")
    file.chmod(0)
    assert read(file).faults == (f"{file}: Permission denied",)


def test_a_path_with_a_nul_is_a_fault() -> None:
    (fault,) = read(Path("a\0b")).faults
    assert fault.startswith("ab: ")
    assert "embedded null" in fault
