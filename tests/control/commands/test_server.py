"""The workspace as a whole is renamed, and ended."""

import pytest
from tests.multiplexer.conftest import Room, agent

from fugue_tui.control.commands.server import KillServer, RenameWorkspace, WorkspaceName
from fugue_tui.errors import AlreadyRunning, InvalidArgument, NotFound, Refused
from fugue_tui.multiplexer.clients import AttachedTerminal


class Watchers:
    """An audience that notes what is asked of it."""

    def __init__(self) -> None:
        self.left: list[int] = []

    def attached(self) -> tuple[AttachedTerminal, ...]:
        return ()

    def detach(self, client: int) -> None:
        raise NotFound(str(client))

    def switch(self, client: int, workspace: str) -> None:
        raise NotFound(str(client))

    def refresh(self, client: int) -> None:
        raise NotFound(str(client))

    def leave(self, status: int = 0) -> None:
        self.left.append(status)


@pytest.fixture
def watchers(room: Room) -> Watchers:
    """The audience of the workspace."""
    watchers = room.mux.clients = Watchers()
    return watchers


def test_a_renamed_workspace_keeps_everything_and_moves(room: Room) -> None:
    moved: list[str] = []
    room.mux.move = moved.append
    pane = room.cat()
    before = room.mux.workspace
    assert room.run(RenameWorkspace(name="ops")) == WorkspaceName("ops", "test")
    assert moved == [room.mux.workspace.name] == ["ops"]
    assert room.mux.workspace.panes == before.panes
    assert pane in room.mux.terminals
    assert pane not in room.mux.exits
    opened = room.opened("create-pane -- sh -c 'echo $FUGUE_WORKSPACE; exec cat'")
    room.shows(opened, "ops")


@pytest.mark.parametrize("name", ["", "../x", "a b", "\x1b[31m"])
def test_a_name_that_could_not_be_a_files_changes_nothing(room: Room, name: str) -> None:
    moved: list[str] = []
    room.mux.move = moved.append
    with pytest.raises(InvalidArgument, match=r"name: .* cannot name a workspace"):
        room.run(RenameWorkspace(name=name))
    assert (moved, room.mux.workspace.name) == ([], "test")


def test_a_name_that_is_taken_changes_nothing(room: Room) -> None:
    def move(name: str) -> None:
        raise AlreadyRunning(f"workspace {name} is already running")

    room.mux.move = move
    with pytest.raises(Refused, match="test keeps its name: workspace ops is already running"):
        room.run(RenameWorkspace(name="ops"))
    assert room.mux.workspace.name == "test"


def test_ending_the_server_leaves_the_workspace(room: Room, watchers: Watchers) -> None:
    room.cat()
    ending = room.run(KillServer())
    assert (ending.workspace, ending.panes, watchers.left) == ("test", 1, [0])


def test_only_the_workspace_that_is_meant_ends(room: Room, watchers: Watchers) -> None:
    with pytest.raises(Refused, match="this workspace is called test, not ops"):
        room.run(KillServer(workspace="ops"))
    with pytest.raises(Refused, match="an agent must give that name to end it"):
        room.run(KillServer(), agent())
    assert watchers.left == []
    room.run(KillServer(workspace="test"), agent())
    assert watchers.left == [0]
