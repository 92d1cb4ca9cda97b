"""set-environment sets variables of new panes, and for the user's own panes only with the user's consent."""

import pytest
from msgspec.structs import replace
from tests.control.tmux.test_run_tmux_command import tmux
from tests.multiplexer.conftest import Room, agent

from fugue_tui.config.model import McpSettings, SecuritySettings
from fugue_tui.control.core.command import Origin
from fugue_tui.control.dispatch.policy import Decision, judge
from fugue_tui.control.tmux.run_tmux_command import RunTmuxCommand
from fugue_tui.errors import FugueError, InvalidArgument, NotFound, Refused
from fugue_tui.ids import PaneId


def sees(room: Room, names: str, *, session: str = "", caller: Origin | None = None) -> str:
    """The values of variables in a new pane, as `env` prints them there."""
    line = f"env | grep -E '^({names})=' | sort | tr '\\n' ' '; echo ]; cat"
    words = ("new-window", "-P", "-F", "#{pane_id}", "-t", f"{session}:", line)
    found = room.run(RunTmuxCommand(command=words), caller) if caller else None
    pane = PaneId((found.text if found else tmux(room, *words)[0])[1:])
    room.shows(pane, "]")
    return room.joined(pane).partition("]")[0].replace("\n", "").strip()


def decisions(room: Room, origin: Origin, *words: str) -> set[Decision]:
    return {each.decision for each in judge(room.mux, RunTmuxCommand(command=words), origin)}


def test_new_panes_get_the_variables_of_all_sessions_and_of_their_own(room: Room) -> None:
    room.cat()
    tmux(room, "new-session", "-d", "-s", "other", "-e", "THIRD=of it", "cat")
    tmux(room, "set-environment", "-g", "FIRST", "all")
    tmux(room, "set-environment", "-g", "SECOND", "all")
    tmux(room, "setenv", "-t", "other", "SECOND", "its own")
    assert sees(room, "FIRST|SECOND|THIRD") == "FIRST=all SECOND=all"
    assert sees(room, "FIRST|SECOND|THIRD", session="other") == "FIRST=all SECOND=its own THIRD=of it"
    tmux(room, "set-environment", "-r", "-t", "other", "FIRST")
    tmux(room, "set-environment", "-u", "-t", "other", "SECOND")
    assert sees(room, "FIRST|SECOND|THIRD", session="other") == "SECOND=all THIRD=of it"


def test_a_variable_unset_in_new_panes_is_not_inherited_either(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OF_THE_SERVER", "x")
    room.cat()
    assert sees(room, "OF_THE_SERVER") == "OF_THE_SERVER=x"
    tmux(room, "set-environment", "-gr", "OF_THE_SERVER")
    assert sees(room, "OF_THE_SERVER") == ""


def test_what_is_given_for_one_pane_and_what_fugue_sets_come_first(room: Room) -> None:
    pane = room.cat()
    for name in ("MINE", "FUGUE_WORKSPACE", "TMUX_PANE"):
        tmux(room, "set-environment", "-g", name, "wrong")
    line = 'echo "$MINE $FUGUE_WORKSPACE $TMUX_PANE]"; cat'
    printed = tmux(room, "split-window", "-P", "-F", "#{pane_id}", "-e", "MINE=right", line, pane=pane)
    assert f"right test {printed[0]}]" in room.shows(PaneId(printed[0][1:]), "]")


def test_a_restarted_program_gets_them_and_a_renamed_session_keeps_them(room: Room) -> None:
    pane = room.opened("create-pane --command 'echo \"$LATE]\"; cat'")
    tmux(room, "set-environment", "LATE", "now")
    tmux(room, "rename-session", "renamed")
    tmux(room, "respawn-pane", "-k", "-t", str(pane))
    room.shows(pane, "now]")
    assert tmux(room, "show-environment", "-t", "renamed", "LATE") == ["LATE=now"]


def test_a_closed_session_leaves_nothing_to_another_of_its_name(room: Room) -> None:
    room.cat()
    tmux(room, "new-session", "-d", "-s", "other", "-e", "OLD=x", "cat")
    tmux(room, "kill-session", "-t", "other")
    tmux(room, "new-session", "-d", "-s", "other", "cat")
    with pytest.raises(NotFound, match="unknown variable: OLD"):
        tmux(room, "show-environment", "-t", "other", "OLD")


def test_variables_are_shown_as_tmux_shows_them(room: Room) -> None:
    room.cat()
    tmux(room, "set-environment", "-F", "NAME", "#{session_name}")
    tmux(room, "set-environment", "QUOTED", '`a` "$b" \\')
    tmux(room, "set-environment", "-r", "GONE")
    assert tmux(room, "show-environment") == ["-GONE", "NAME=test", 'QUOTED=`a` "$b" \\']
    assert tmux(room, "show-environment", "-s", "QUOTED") == ['QUOTED="\\`a\\` \\"\\$b\\" \\\\"; export QUOTED;']
    assert tmux(room, "showenv", "-s", "GONE") == ["unset GONE;"]
    assert tmux(room, "show-environment", "-g") == []


def test_a_session_shows_what_it_got_from_the_terminal_that_was_used_last(room: Room) -> None:
    room.cat()
    room.mux.client_environment.names = ("DISPLAY", "GONE")
    room.mux.client_environment.use({"DISPLAY": ":7"})
    assert tmux(room, "show-environment") == ["DISPLAY=:7", "-GONE"]
    tmux(room, "set-environment", "DISPLAY", ":8")
    assert sees(room, "DISPLAY") == "DISPLAY=:8"


@pytest.mark.parametrize(
    ("call", "words"),
    [
        ((), "requires a variable"), (("",), "empty variable name"), (("A=b", "c"), "variable name contains ="),
        (("A",), "no value specified"), (("-u", "A", "b"), "can't specify a value with -u"),
        (("-r", "A", "b"), "can't specify a value with -r"), (("-h", "A", "b"), "unknown flag -h"),
        (("A", "b\0"), "cannot be set"), (("-t", "none", "A", "b"), "can't find session: none"),
        (("A", "b" * 40_000), "more than 32768 characters"),
    ],
)  # fmt: skip
def test_wrong_variables_fail_in_tmuxs_words(room: Room, call: tuple[str, ...], words: str) -> None:
    room.cat()
    with pytest.raises(FugueError, match=words):
        tmux(room, "set-environment", *call)
    assert tmux(room, "show-environment") == []


def test_variables_are_bounded(room: Room) -> None:
    room.cat()
    for number in range(256):
        tmux(room, "set-environment", f"V{number}", "x")
    with pytest.raises(Refused, match="there are 256 variables already"):
        tmux(room, "set-environment", "ONE_MORE", "x")
    tmux(room, "set-environment", "V7", "y")


def test_the_user_is_asked_before_an_agent_sets_variables_of_the_users_panes(room: Room) -> None:
    own = room.cat()
    assert decisions(room, agent(own), "set-environment", "LD_PRELOAD", "/evil.so") == {Decision.ALLOW}
    room.cat()
    for words in (("LD_PRELOAD", "/evil.so"), ("-g", "PATH", "/evil"), ("-r", "PATH"), ("-gu", "PATH")):
        assert decisions(room, agent(own), "set-environment", *words) == {Decision.ASK}
    assert decisions(room, agent(own), "show-environment") == {Decision.ALLOW}
    room.mux.permissions = McpSettings(run="refuse")
    assert decisions(room, agent(own), "set-environment", "A", "b") == {Decision.REFUSE}
    room.mux.permissions = McpSettings(security=SecuritySettings(allowed_commands=("ls",)))
    assert Decision.REFUSE in decisions(room, agent(own), "set-environment", "A", "b")


def test_what_an_agent_sets_in_its_own_session_holds_only_in_panes_that_it_opens(room: Room) -> None:
    own = room.cat()
    caller = agent(own)
    room.run(RunTmuxCommand(command=("new-session", "-d", "-s", "built", "-e", "FLAG=1", "cat")), caller)
    assert decisions(room, caller, "set-environment", "-t", "built", "PATH", "/evil") == {Decision.ALLOW}
    room.run(RunTmuxCommand(command=("set-environment", "-t", "built", "HOOK", "/evil")), caller)
    assert sees(room, "FLAG|HOOK", session="built", caller=caller) == "FLAG=1 HOOK=/evil"
    assert sees(room, "FLAG|HOOK", session="built") == ""
    assert tmux(room, "show-environment", "-t", "built") == []
    assert room.run(RunTmuxCommand(command=("show-environment", "-t", "built")), caller).text == "FLAG=1\nHOOK=/evil"


def test_what_the_user_approved_or_trusts_holds_in_all_panes(room: Room) -> None:
    own = room.cat()
    room.cat()
    room.run(RunTmuxCommand(command=("set-environment", "APPROVED", "1")), agent(own))
    room.mux.permissions = replace(room.mux.permissions, trust="full")
    room.run(RunTmuxCommand(command=("new-session", "-d", "-s", "built", "-e", "TRUSTED=1", "cat")), agent(own))
    assert sees(room, "APPROVED|TRUSTED") == "APPROVED=1"
    assert sees(room, "APPROVED|TRUSTED", session="built") == "TRUSTED=1"


def test_agents_see_no_secrets_that_the_user_has_set(room: Room) -> None:
    own = room.cat()
    tmux(room, "set-environment", "DB_PASSWORD", "hunter2")
    tmux(room, "set-environment", "DB_HOST", "localhost")
    show = RunTmuxCommand(command=("show-environment",))
    assert room.run(show, agent(own)).text == "DB_HOST=localhost"
    with pytest.raises(NotFound, match="unknown variable: DB_PASSWORD"):
        room.run(RunTmuxCommand(command=("show-environment", "DB_PASSWORD")), agent(own))
    assert tmux(room, "show-environment", "DB_PASSWORD") == ["DB_PASSWORD=hunter2"]


def test_a_path_that_was_set_follows_the_directory_with_the_tmux_commands(room: Room) -> None:
    room.mux.tmux_options.configure("/run/test.sock")
    room.cat()
    tmux(room, "set-environment", "-g", "PATH", "/mine:/usr/bin:/bin")
    pane = room.opened("create-window --command 'echo \"$PATH]\"; cat'")
    room.shows(pane, "]")
    assert f"{room.mux.tmux_options.environment['FUGUE_TMUX']}:/mine:/usr/bin:/bin]" in room.joined(pane)


def test_hooks_are_of_the_users_configuration_only(room: Room) -> None:
    room.cat()
    for word in ("set-hook", "show-hooks"):
        with pytest.raises(InvalidArgument, match=f"unknown command: {word}"):
            tmux(room, word, "-g", "client-attached", "kill-server")
