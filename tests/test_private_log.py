"""The file for what goes wrong."""

import logging
import stat
from pathlib import Path

from fugue_tui.private_log import LARGEST, LogFile


def test_the_log_is_private_cleaned_and_made_only_when_needed(private_dir: Path) -> None:
    file = private_dir / "main.log"
    log, handler = logging.Logger("test"), LogFile(str(file))
    log.addHandler(handler)
    log.info("not worth it")
    assert not file.exists()
    log.warning("bad \x1b[31m%s\u202e", "red")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert file.read_text().endswith(" WARNING test: bad red\n")


def test_a_full_log_is_rotated_once(private_dir: Path) -> None:
    file, full = private_dir / "main.log", private_dir / "main.log.1"
    log = logging.Logger("test")
    log.addHandler(LogFile(str(file)))
    for letter in (b"x", b"y"):
        file.write_bytes(letter * LARGEST)
        log.error("one more")
        assert file.read_text().endswith("one more\n")
        assert full.read_bytes() == letter * LARGEST
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert len(list(private_dir.iterdir())) == 2


def test_moving_a_full_log_keeps_its_content(private_dir: Path) -> None:
    old, new = private_dir / "old.log", private_dir / "new.log"
    log, handler = logging.Logger("test"), LogFile(str(old))
    log.addHandler(handler)
    old.write_bytes(b"x" * LARGEST)
    log.error("one more")
    handler.move(str(new))
    assert {file.name for file in private_dir.iterdir()} == {"new.log", "new.log.1"}


def test_the_log_follows_no_link(private_dir: Path) -> None:
    link = private_dir / "link.log"
    link.symlink_to(private_dir / "elsewhere")
    log = logging.Logger("test")
    log.addHandler(LogFile(str(link)))
    log.error("one more")
    assert not (private_dir / "elsewhere").exists()


def test_a_full_disk_causes_no_error() -> None:
    log = logging.Logger("test")
    log.addHandler(LogFile("/dev/full"))
    log.error("no room")


def test_moving_a_log_keeps_its_content(private_dir: Path) -> None:
    old, new = private_dir / "old.log", private_dir / "new.log"
    log, handler = logging.Logger("test"), LogFile(str(old))
    log.addHandler(handler)
    handler.move(str(private_dir / "unused.log"))
    handler.move(str(old))
    assert not list(private_dir.glob("*.log"))
    log.warning("one")
    handler.move(str(new))
    log.warning("two")
    assert [line.rpartition(" ")[2] for line in new.read_text().splitlines()] == ["one", "two"]
    assert not old.exists()


def test_a_log_that_moves_to_where_one_is_goes_on_below_it(private_dir: Path) -> None:
    old, new = private_dir / "old.log", private_dir / "new.log"
    new.write_text("somebody's\n")
    log, handler = logging.Logger("test"), LogFile(str(old))
    log.addHandler(handler)
    log.warning("one")
    handler.move(str(new))
    assert new.read_text().startswith("somebody's\n")
    assert new.read_text().endswith("one\n")
    assert not old.exists()


def test_a_log_that_cannot_move_stays_and_overwrites_nothing(private_dir: Path) -> None:
    old, link = private_dir / "old.log", private_dir / "link.log"
    link.symlink_to(private_dir / "elsewhere")
    log, handler = logging.Logger("test"), LogFile(str(old))
    log.addHandler(handler)
    log.warning("one")
    handler.move(str(link))
    log.warning("two")
    assert [line.rpartition(" ")[2] for line in old.read_text().splitlines()] == ["one", "two"]
    assert not (private_dir / "elsewhere").exists()
