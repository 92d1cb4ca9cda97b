"""The commands on attached terminals, by words and for agents."""

from dataclasses import dataclass, field
from pathlib import Path

import pytest
from tests.multiplexer.conftest import Room, agent

from fugue_tui.errors import InvalidArgument, NotFound, Refused, SocketError
from fugue_tui.geometry import Size
from fugue_tui.multiplexer.clients import AttachedTerminal


@dataclass
class Two:
    """Two terminals that look."""

    there: list[AttachedTerminal] = field(
        default_factory=lambda: [
            AttachedTerminal(1, Size(80, 24), "/dev/pts/1", "xterm", 11, latest=True),
            AttachedTerminal(4, Size(40, 12), "/dev/\x1b[31mpts\u202e/4", "vt\x07100", 12, read_only=True),
        ]
    )
    refreshed: list[int] = field(default_factory=list[int])
    switched: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    keeps: bool = False

    def attached(self) -> tuple[AttachedTerminal, ...]:
        return tuple(self.there)

    def detach(self, client: int) -> None:
        if self.keeps:
            raise Refused("nothing would stay behind")
        self.there = [each for each in self.there if each.id != client]

    def switch(self, client: int, workspace: str) -> None:
        self.switched.append((client, workspace))

    def refresh(self, client: int) -> None:
        self.refreshed.append(client)

    def leave(self, status: int = 0) -> None:
        raise AssertionError("nobody asked for the end")


@pytest.fixture
def two(room: Room) -> Two:
    audience = Two()
    room.mux.clients = audience
    return audience


def test_list_clients_cleans_the_texts_of_clients(room: Room, two: Two) -> None:
    first, second = room.say("list-clients", agent()).clients
    assert (first.id, first.tty, first.size, first.latest, first.read_only) == (
        1, "/dev/pts/1", Size(80, 24), True, False,
    )  # fmt: skip
    assert (second.tty, second.term, second.pid, second.read_only) == ("/dev/pts/4", "vt100", 12, True)


def test_without_clients_the_list_is_empty_and_detach_is_refused(room: Room) -> None:
    assert room.say("list-clients").clients == ()
    with pytest.raises(NotFound, match="none is attached"):
        room.say("detach-client")
    assert room.say("detach-client --all").clients == ()


def test_detach_client_detaches_the_latest_unless_another_is_named(room: Room, two: Two) -> None:
    assert room.say("detach-client --client 4").clients == (4,)
    assert room.say("detach-client").clients == (1,)
    assert two.there == []


def test_detach_client_all_detaches_every_client(room: Room, two: Two) -> None:
    assert room.say("detach-client --all").clients == (1, 4)
    assert two.there == []


def test_an_unknown_client_is_answered_with_the_attached_ones(room: Room, two: Two) -> None:
    with pytest.raises(NotFound, match="no client 2; attached: 1, 4"):
        room.say("detach-client --client 2")
    with pytest.raises(InvalidArgument, match="all"):
        room.say("detach-client --client 1 --all")
    assert len(two.there) == 2


def test_the_workspaces_own_terminal_cannot_be_detached(room: Room, two: Two) -> None:
    two.keeps = True
    with pytest.raises(Refused, match="nothing would stay behind"):
        room.say("detach-client")


def test_a_client_is_painted_again(room: Room, two: Two) -> None:
    assert room.say("refresh-client").id == 1
    assert room.say("refresh-client --client 4").id == 4
    assert two.refreshed == [1, 4]


def test_switch_workspace_switches_the_latest_client_to_one_that_is_saved(
    room: Room, two: Two, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FUGUE_STATE", str(tmp_path))
    (tmp_path / "auto").mkdir()
    (tmp_path / "auto" / "shop.json").write_text("{}")
    done = room.say("switch-workspace shop")
    assert (done.client, done.workspace) == (1, "shop")
    assert two.switched == [(1, "shop")]
    room.say("switch-workspace shop --client 4")
    assert two.switched[-1] == (4, "shop")


def test_switch_workspace_needs_another_workspace_that_is_there(
    room: Room, two: Two, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FUGUE_STATE", str(tmp_path))
    with pytest.raises(NotFound, match="no workspace shop runs or is saved"):
        room.say("switch-workspace shop")
    with pytest.raises(InvalidArgument, match="is this one"):
        room.say(f"switch-workspace {room.mux.workspace.name}")
    with pytest.raises(SocketError, match="cannot name a workspace"):
        room.say("switch-workspace ../etc")
    assert two.switched == []
