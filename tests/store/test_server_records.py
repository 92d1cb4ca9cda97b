"""The records of running servers: found without the variables that a client strips, and ids that outlive a crash."""

import fcntl
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.full_disk import full_disk

from fugue_tui.errors import AlreadyRunning
from fugue_tui.store import name_lock
from fugue_tui.store.paths import state_path
from fugue_tui.store.server_records import holder, left_behind, servers

STRIPPED = ("HOME", "PATH")
"""The variables that the MCP SDKs pass to a server, in part."""


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home directory in which nothing runs."""
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


def _id_of_a_killed_server(name: str) -> str:
    script = (
        "import os, sys\nfrom fugue_tui.store import name_lock\n"
        f"lock = name_lock.take({name!r}, '/s')\nprint(lock.id)\nsys.stdout.flush()\nos._exit(9)"
    )
    return subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False).stdout.strip()


def test_a_workspace_that_was_killed_or_returns_keeps_its_id_and_one_that_ended_does_not() -> None:
    killed = _id_of_a_killed_server("dev")
    left = left_behind("dev")
    assert left is not None
    assert (left.id, holder("dev")) == (killed, None)
    again = name_lock.take("dev", "/s")
    assert again is not None
    assert again.id == killed
    assert left_behind("dev") is None
    again.release(returns=True)
    returned = name_lock.take("dev", "/s")
    assert returned is not None
    assert returned.id == killed
    returned.release()
    assert left_behind("dev") is None
    other = name_lock.take("dev", "/s")
    assert other is not None
    assert other.id not in ("", killed)
    other.release()


def test_a_name_is_not_taken_from_a_server_whose_process_is_not_visible_here() -> None:
    lock = name_lock.take("dev", "/s")
    assert lock is not None
    Path(state_path(), "running", "dev").write_text(f"{_ended_process()}\n/s\n{lock.id}\n")
    with pytest.raises(AlreadyRunning, match="in a container or on another machine"):
        name_lock.take("dev", "/other")
    lock.release()
    again = name_lock.take("dev", "/other")
    assert again is not None
    again.release()


@pytest.mark.parametrize("is_killed", [False, True])
def test_on_a_full_disk_a_name_has_one_server_and_a_killed_one_its_id(is_killed: bool) -> None:
    killed = _id_of_a_killed_server("dev") if is_killed else ""
    with full_disk():
        lock = name_lock.take("dev", "/s")
    assert lock is not None
    assert lock.id == killed or not is_killed
    with pytest.raises(AlreadyRunning, match="workspace dev is already running, as process"):
        name_lock.take("dev", "/other")
    lock.release(returns=True)
    assert getattr(left_behind("dev"), "id", "") == killed


def _ended_process() -> int:
    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait()
    return child.pid


def test_a_server_is_found_by_its_home_without_all_other_variables(home: Path) -> None:
    lock = name_lock.take("dev", "/s")
    assert lock is not None
    own, others = servers()
    assert (own, others) == ([holder("dev")], [])
    stripped = {name: os.environ[name] for name in STRIPPED}
    assert servers(stripped) == ([holder("dev")], [])
    lock.release()
    assert servers(stripped) == ([], [])
    assert servers() == ([], [])


def test_servers_of_another_state_directory_are_listed_apart(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    first = name_lock.take("dev", "/one")
    monkeypatch.setenv("FUGUE_STATE", str(tmp_path / "other"))
    second = name_lock.take("dev", "/two")
    assert first is not None
    assert second is not None
    own, others = servers()
    assert [(each.socket, each.id) for each in own] == [("/two", second.id)]
    assert [(each.socket, each.id, each.name) for each in others] == [("/one", first.id, "dev")]
    first.release()
    second.release()


def test_the_second_record_of_a_killed_server_is_removed_by_the_next(home: Path) -> None:
    _id_of_a_killed_server("dev")
    area = home / ".local" / "state" / "fugue-tui" / "running"
    (left,) = area.iterdir()
    lock = name_lock.take("ops", "/s")
    assert lock is not None
    assert [each.name for each in area.iterdir()] == [f"ops@{lock.id}"]
    assert left.name != f"ops@{lock.id}"
    lock.release()
    assert list(area.iterdir()) == []


def test_records_that_others_may_have_planted_are_not_read(home: Path) -> None:
    lock = name_lock.take("dev", "/s")
    assert lock is not None
    area = home / ".local" / "state" / "fugue-tui" / "running"
    stripped = {name: os.environ[name] for name in STRIPPED}
    (area / "ops@1").symlink_to(area / f"dev@{lock.id}")
    with (area / "not a name").open("w") as planted:
        planted.write(f"{os.getpid()}\n/s\n0\n")
        planted.flush()
        fcntl.flock(planted, fcntl.LOCK_EX)
        assert [each.name for each in servers(stripped)[0]] == ["dev"]
    area.chmod(0o777)
    assert servers(stripped) == ([], [])
    area.chmod(0o700)
    lock.release()
