"""Windows and sessions come, go, are named and come to the front as commands say."""

import pytest
from tests.multiplexer.conftest import Room, agent

from fugue_tui.control.commands.sessions import CreateSession, KillSession, ListSessions, RenameSession, SelectSession
from fugue_tui.control.commands.windows import CloseWindow, CreateWindow, ListWindows, RenameWindow, SelectWindow
from fugue_tui.errors import FugueError, InvalidArgument, NotFound, Refused, SpawnFailed
from fugue_tui.ids import PaneId, WindowId
from fugue_tui.multiplexer.undo.closed_panes import SECONDS

CAT = ("cat",)


def test_a_window_opens_with_one_pane(room: Room) -> None:
    room.cat()
    info = room.run(CreateWindow(name="logs", command=CAT))
    assert (info.id, info.name, info.session, info.active, info.panes) == ("@2", "logs", "test", True, ("%2",))
    assert room.mux.focused == PaneId(2)


def test_an_agents_window_opens_in_the_background(room: Room) -> None:
    first = room.cat()
    assert not room.run(CreateWindow(command=CAT), agent(first)).active
    assert room.mux.focused == first


def test_the_very_first_window_may_be_made_by_name(room: Room) -> None:
    info = room.run(CreateWindow(name="home", command=CAT))
    assert (info.name, info.active, info.session) == ("home", True, "test")


def test_a_window_whose_program_cannot_start_is_not_opened(room: Room) -> None:
    room.cat()
    before = room.mux.workspace
    for said in (CreateWindow(cwd="/nowhere"), CreateSession(name="x", cwd="/nowhere")):
        with pytest.raises(SpawnFailed):
            room.run(said)
    assert room.mux.workspace is before


def test_windows_are_chosen_by_id_name_place_and_order(room: Room) -> None:
    room.cat()
    for name in ("two", "three"):
        room.run(CreateWindow(name=name, command=CAT))
    chosen = [room.run(SelectWindow(window=word)).id for word in ("@1", "two", ":3", "next", "previous", "last", "%2")]
    assert chosen == ["@1", "@2", "@3", "@1", "@3", "@1", "@2"]
    assert room.mux.workspace.active == WindowId(2)
    for word in ("@9", ":4", ":0", "nobody", "%9"):
        with pytest.raises(NotFound):
            room.run(SelectWindow(window=word))


def test_a_windows_name_follows_its_program_until_it_has_one(room: Room) -> None:
    room.opened("create-pane --command 'exec cat'")
    room.until(lambda: room.run(ListWindows()).windows[0].name == "cat")
    assert room.run(RenameWindow(name="mine")).name == "mine"
    assert room.run(SelectWindow(window="mine")).id == "@1"
    assert room.run(RenameWindow(name="")).name == "cat"


def test_closing_a_window_ends_its_programs_and_shows_another(room: Room) -> None:
    first = room.cat()
    room.run(CreateWindow(command=CAT))
    room.cat()
    pids = [room.mux.terminals[pane].pid for pane in (PaneId(2), PaneId(3))]
    answer = room.run(CloseWindow())
    assert (answer.panes, answer.focus) == (("%2", "%3"), str(first))
    room.skip(SECONDS)
    for pid in pids:
        room.gone(pid)


def test_an_agent_closes_windows_by_their_exact_id_and_sessions_by_name(room: Room) -> None:
    first = room.cat()
    room.run(CreateWindow(name="w", command=CAT))
    for said in (CloseWindow(), CloseWindow(window="w"), CloseWindow(window="2"), KillSession()):
        with pytest.raises(Refused):
            room.run(said, agent(first))
    assert room.run(CloseWindow(window="@2"), agent(first)).panes == ("%2",)


def test_the_last_window_empties_the_workspace(room: Room) -> None:
    room.cat()
    assert room.run(CloseWindow()).focus is None
    assert room.empty


def test_a_session_is_a_label_that_lives_with_its_windows(room: Room) -> None:
    room.cat()
    info = room.run(CreateSession(name="web", command=CAT))
    assert (info.name, info.windows, info.active) == ("web", ("@2",), True)
    assert room.run(CreateWindow(command=CAT)).session == "web"
    assert [window.id for window in room.run(ListWindows(session="web")).windows] == ["@2", "@3"]
    assert [session.name for session in room.run(ListSessions()).sessions] == ["test", "web"]
    room.run(CloseWindow(window="@2"))
    room.run(CloseWindow(window="@3"))
    assert [session.name for session in room.run(ListSessions()).sessions] == ["test"]


def test_choosing_a_session_shows_the_window_that_was_there_last(room: Room) -> None:
    room.cat()
    room.run(CreateSession(name="web", command=CAT))
    room.run(CreateWindow(command=CAT))
    room.run(SelectWindow(window="@2"))
    room.run(SelectSession(session="test"))
    assert room.mux.workspace.active == WindowId(1)
    room.run(SelectSession(session="web"))
    assert room.mux.workspace.active == WindowId(2)


def test_the_next_and_the_previous_session_are_chosen_round_in_order(room: Room) -> None:
    room.cat()
    for name in ("web", "db"):
        room.run(CreateSession(name=name, command=CAT, focus=False))
    chosen = [room.say(f"select-session {word}").name for word in ("next", "next", "next", "previous", "previous")]
    assert chosen == ["web", "db", "test", "db", "web"]
    room.run(KillSession(session="next"))
    assert [session.name for session in room.run(ListSessions()).sessions] == ["test", "web"]
    assert room.run(SelectSession(session="next"), agent(PaneId(1))).name == "web"
    with pytest.raises(Refused, match="must name the session"):
        room.run(KillSession(session="next"), agent(PaneId(1)))


def test_places_and_order_of_windows_are_those_of_the_session_in_front_as_its_tabs_show_them(room: Room) -> None:
    room.cat()
    room.run(CreateSession(name="web", command=CAT))
    room.run(CreateWindow(session="test", command=CAT, focus=False))
    room.run(CreateWindow(session="web", command=CAT))
    assert [window.session for window in room.run(ListWindows()).windows] == ["test", "web", "test", "web"]

    def chosen(*words: str) -> list[str]:
        return [room.run(SelectWindow(window=word)).id for word in words]

    assert chosen(":1", ":2", "next", "next", "previous", "last") == ["@2", "@4", "@2", "@4", "@2", "@4"]
    with pytest.raises(NotFound, match="no tab :3; session web has 2, from :1"):
        chosen(":3")
    room.run(SelectSession(session="test"))
    with pytest.raises(NotFound, match="no other window of session test was in front yet"):
        chosen("last")
    assert chosen(":2", "last", "previous", "next", ":1") == ["@3", "@1", "@3", "@1", "@1"]


def test_an_agent_counts_the_windows_of_its_own_session(room: Room) -> None:
    first = room.cat()
    room.run(CreateSession(name="web", command=CAT))
    assert room.run(SelectWindow(window=":1"), agent(first)).id == "@1"


def test_a_session_without_a_name_gets_a_free_one(room: Room) -> None:
    room.cat()
    room.run(CreateSession(name="session-2", command=CAT))
    assert room.run(CreateSession(command=CAT)).name == "session-3"


def test_sessions_are_renamed_but_never_merged(room: Room) -> None:
    room.cat()
    room.run(CreateSession(name="web", command=CAT))
    assert room.run(RenameSession(session="web", name="api")).name == "api"
    for said in (RenameSession(name="test"), RenameSession(name=""), CreateSession(name="test")):
        with pytest.raises(FugueError):
            room.run(said)
    with pytest.raises(NotFound, match="no session web; list-sessions"):
        room.run(SelectSession(session="web"))


def test_killing_a_session_closes_all_its_windows(room: Room) -> None:
    first = room.cat()
    room.run(CreateSession(name="web", command=CAT))
    room.run(CreateWindow(command=CAT))
    assert room.run(KillSession(session="web"), agent(first)).panes == ("%2", "%3")
    assert room.open == [first]
    room.run(KillSession())
    assert room.empty


def test_a_pane_can_be_made_in_another_window_or_session(room: Room) -> None:
    first = room.cat()
    room.run(CreateSession(name="web", command=CAT))
    room.run(SelectWindow(window="@1"))
    assert room.say("create-pane --window @2 --command cat", agent(first)).window == "@2"
    assert room.say("create-pane --session web --command cat", agent(first)).window == "@2"
    assert room.mux.focused == first
    with pytest.raises(NotFound):
        room.say("create-pane --session nobody")


@pytest.mark.parametrize("name", ["@3", "7", "next", "x" * 65])
def test_windows_and_sessions_take_no_name_that_means_something_else(room: Room, name: str) -> None:
    room.cat()
    for said in (CreateWindow(name=name), RenameWindow(name=name), CreateSession(name=name), RenameSession(name=name)):
        with pytest.raises(InvalidArgument, match="name: "):
            room.run(said)
