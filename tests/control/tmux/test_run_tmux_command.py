"""tmux's commands do here what they do there, and programs that drive a tmux find what they look for."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from tests.multiplexer.conftest import Room, agent

from fugue_tui.control.core.command import Effect, Interface, Origin
from fugue_tui.control.core.deferred import is_deferred
from fugue_tui.control.output.pane_titles import pane_title
from fugue_tui.control.tmux.run_tmux_command import RunTmuxCommand
from fugue_tui.control.tmux.verbs import VERBS
from fugue_tui.errors import FugueError, InvalidArgument, NotFound, Refused
from fugue_tui.ids import PaneId
from fugue_tui.layout.tree import panes

RECORDINGS = Path(__file__).parents[2] / "recordings" / "tmux"


def tmux(room: Room, *words: str, pane: PaneId | None = None) -> list[str]:
    """The lines that a tmux command prints, called in a pane or by the user's script."""
    found = room.run(RunTmuxCommand(command=words), Origin(Interface.CLI, pane, inside=pane is not None))
    return found.text.split("\n") if found.lines else []


@pytest.mark.parametrize("recording", sorted(RECORDINGS.glob("*.json")), ids=lambda path: path.stem)
def test_the_calls_of_claude_code_open_its_team(room: Room, recording: Path, tmp_path: Path) -> None:
    room.mux.resize(type(room.mux.layouts.area)(160, 48))
    lead = room.cat()
    known = {"lead": str(lead), "window": str(room.mux.window_of(lead).id), "cwd": str(tmp_path), "socket": "x"}
    calls: list[list[str]] = json.loads(recording.read_text())
    seen = list[str]()
    for call in calls:
        words = [re.sub(r"\{(\w+)\}", lambda found: known.get(found[1], found[0]), word) for word in call]
        words = words[2:] if words[0] == "-S" else words
        if "kill-pane" in words and "bob" in known and not seen:
            seen = [pane_title(room.mux, PaneId(known[name][1:])).colour for name in ("alice", "bob")]
            check_team(room, known)
        printed = tmux(room, *words, pane=lead)
        match words[0]:
            case "split-window":
                assert re.fullmatch(r"%\d+", printed[0])
                known["bob" if "alice" in known else "alice"] = printed[0]
            case "list-panes":
                assert printed == [known[name] for name in ("lead", "alice", "bob") if name in known]
            case "show":
                assert printed == ["on"]
            case "display-message":
                assert len(printed) == 1
                assert printed[0]
            case _:
                assert printed == []
    assert seen == ["blue", "green"]
    assert list(room.mux.workspace.panes) == [lead]


def check_team(room: Room, known: dict[str, str]) -> None:
    """The lead is on the left with its 30 %, the others stacked to its right, with their names."""
    lead, alice, bob = (PaneId(known[name][1:]) for name in ("lead", "alice", "bob"))
    window = room.mux.window_of(lead)
    rects = room.mux.layouts.of(window).panes
    assert rects[lead].cols == 48
    assert rects[alice].x == rects[bob].x > rects[lead].x
    assert rects[alice].y < rects[bob].y
    assert [room.mux.workspace.panes[pane].name for pane in panes(window.layout)] == ["", "alice", "bob"]
    assert room.mux.focused == lead


def test_a_pane_gets_the_variables_by_which_its_programs_find_the_commands(room: Room) -> None:
    lead = room.cat()
    line = 'echo "[$TMUX_PANE $TMUX $FUGUE_TMUX]"; command -v tmux; cat'
    opened = tmux(room, "split-window", "-P", "-F", "#{pane_id}", "-e", "A=b", line, pane=lead)[0]
    text = room.shows(PaneId(opened[1:]), "]")
    assert f"[{opened} /run/test.sock," in text.replace("\n", "")
    room.until(lambda: re.search(r"/tmux-[0-9a-f]{8}/tmux", room.joined(PaneId(opened[1:]))))


def test_a_restored_pane_finds_them_where_they_are_now(room: Room) -> None:
    old = {"TMUX": "/old,1,0", "FUGUE_TMUX": "/gone", "PATH": "/gone:/usr/bin:/bin"}
    room.cat()
    pane = room.opened(f"""create-pane --command 'echo "$TMUX $PATH]"; cat' --env '{json.dumps(old)}'""")
    room.shows(pane, "]")
    text = room.joined(pane)
    assert re.search(r"/run/test\.sock,\d+,0 /\S+/tmux-[0-9a-f]{8}:/usr/bin:/bin\]", text.replace("\n", "")), text


def test_panes_windows_and_sessions_are_found_as_tmux_finds_them(room: Room) -> None:
    first = room.cat()
    tmux(room, "rename-window", "-t", "@1", "editor")
    assert tmux(room, "new-window", "-d", "-n", "logs", "-P", "cat") == ["test:1.0"]
    assert tmux(room, "new-session", "-d", "-s", "other", "-n", "x", "-P", "-F", "#{session_id}", "cat") == ["$1"]
    tmux(room, "split-window", "-d", "-t", "logs", "-h", "cat")
    for target, found in {
        "": "%1", "%2": "%2", "@2": "%2", "$1": "%3", "other": "%3", "other:": "%3", "other:x": "%3",
        "test:1.1": "%4", ":1.1": "%4", "logs.1": "%4", "=other:0": "%3", "test:=logs.0": "%2", "0": "%1",
    }.items():  # fmt: skip
        assert tmux(room, "display-message", "-p", "-t", target, "#D", pane=first) == [found], target
    listed = tmux(room, "list-panes", "-a", "-F", "#S:#I.#P #{window_name} #{pane_active}")
    assert listed == ["test:0.0 editor 1", "test:1.0 logs 1", "test:1.1 logs 0", "other:0.0 x 1"]
    assert tmux(room, "list-windows", "-F", "#I #W #{window_panes}") == ["0 editor 1", "1 logs 2"]
    assert tmux(room, "list-sessions", "-F", "#S #{session_windows}") == ["test 2", "other 1"]
    assert tmux(room, "list-panes", "-a", "-f", "#{==:#W,x}", "-F", "#D") == ["%3"]
    for words, message in {
        ("kill-pane", "-t", "%9"): "can't find pane: %9",
        ("kill-pane", "-t", "test:1.7"): "can't find pane: test:1.7",
        ("select-window", "-t", "test:7"): "can't find window: test:7",
        ("has-session", "-t", "nope"): "can't find session: nope",
    }.items():
        with pytest.raises(NotFound, match=re.escape(message)):
            tmux(room, *words)


def test_keys_are_pressed_text_is_typed_and_the_screen_is_read(room: Room) -> None:
    pane = room.cat()
    tmux(room, "send-keys", "-t", "%1", "hello world", "Enter")
    room.until(lambda: room.text(pane).count("hello world") == 2)
    tmux(room, "send-keys", "-t", "%1", "-l", "Enter")
    room.shows(pane, "Enter")
    assert tmux(room, "capture-pane", "-p", "-t", "%1")[:3] == ["hello world", "hello world", "Enter"]
    assert tmux(room, "capture-pane", "-p", "-t", "%1", "-S", "1", "-E", "1") == ["hello world"]
    tmux(room, "send-keys", "-t", "%1", "C-c")
    room.until(lambda: pane in room.mux.exits)
    tmux(room, "respawn-pane", "-t", "%1", "echo again; cat")
    room.shows(pane, "again")
    with pytest.raises(Refused, match=r"respawn pane failed: pane test:0\.0 still active"):
        tmux(room, "respawn-pane", "-t", "%1", "cat")


def test_sizes_layouts_and_focus_change(room: Room) -> None:
    first = room.cat()
    second = PaneId(tmux(room, "split-window", "-h", "-l", "20", "-P", "-F", "#D", "cat")[0][1:])
    assert room.mux.focused == second
    rects = room.mux.layouts.of(room.mux.window_of(first)).panes
    assert rects[second].cols in (19, 20, 21)
    tmux(room, "resize-pane", "-t", str(first), "-x", "30")
    assert room.mux.rect(first).cols == 30  # pyright: ignore[reportOptionalMemberAccess]
    tmux(room, "resize-pane", "-t", str(first), "-R", "5")
    assert room.mux.rect(first).cols == 35  # pyright: ignore[reportOptionalMemberAccess]
    tmux(room, "select-layout", "even-vertical")
    assert room.mux.rect(first).cols == room.mux.layouts.area.cols  # pyright: ignore[reportOptionalMemberAccess]
    tmux(room, "select-pane", "-U")
    assert room.mux.focused == first
    tmux(room, "swap-pane", "-s", str(second), "-t", str(first))
    assert list(panes(room.mux.window_of(first).layout)) == [second, first]
    tmux(room, "resize-pane", "-Z", "-t", str(first))
    assert tmux(room, "display", "-p", "-t", str(first), "#{window_zoomed_flag}") == ["1"]
    with pytest.raises(InvalidArgument, match="invalid layout"):
        tmux(room, "select-layout", "b25f,80x24")


def test_titles_are_names_and_two_panes_may_want_the_same(room: Room) -> None:
    room.cat()
    other = tmux(room, "split-window", "-P", "-F", "#D", "cat")[0]
    tmux(room, "select-pane", "-t", "%1", "-T", "worker")
    tmux(room, "select-pane", "-t", other, "-T", "worker")
    tmux(room, "select-pane", "-t", other, "-T", "worker")
    assert tmux(room, "list-panes", "-F", "#T") == ["worker", "worker-2"]


def test_options_are_kept_by_what_they_belong_to(room: Room) -> None:
    pane = room.cat()
    tmux(room, "set-option", "-p", "-t", "%1", "pane-border-style", "bg=default,fg=colour208")
    assert pane_title(room.mux, pane).colour == "color(208)"
    tmux(room, "set", "-p", "-u", "-t", "%1", "pane-border-style")
    assert pane_title(room.mux, pane).colour == ""
    tmux(room, "set", "-g", "@mine", "one")
    tmux(room, "set", "-w", "-t", "@1", "@mine", "two")
    assert tmux(room, "show", "-gv", "@mine") == ["one"]
    assert tmux(room, "show", "-wv", "@mine") == ["two"]
    assert tmux(room, "display", "-p", "#{@mine}") == ["two"]
    assert tmux(room, "show", "-gqv", "@none") == []
    assert tmux(room, "show", "-g", "prefix") == ["prefix C-b"]
    with pytest.raises(NotFound, match="invalid option: nonsense"):
        tmux(room, "show", "-gv", "nonsense")


def test_options_of_a_session_follow_its_name_and_end_with_it(room: Room) -> None:
    room.cat()
    tmux(room, "new-session", "-d", "-s", "shop", "cat")
    tmux(room, "set", "-t", "shop", "@mine", "one")
    tmux(room, "rename-session", "-t", "shop", "market")
    assert tmux(room, "show", "-v", "-t", "market", "@mine") == ["one"]
    tmux(room, "kill-session", "-t", "market")
    tmux(room, "new-session", "-d", "-s", "market", "cat")
    assert tmux(room, "show", "-qv", "-t", "market", "@mine") == []


@pytest.mark.parametrize("word", ["frobnicate", "attach-session", "kill-server", "source-file"])
def test_what_is_unknown_fails_loudly(room: Room, word: str) -> None:
    room.cat()
    with pytest.raises(InvalidArgument, match=f"unknown command: {word}"):
        tmux(room, word)


@pytest.mark.parametrize(
    "call",
    [
        ("resize-pane", "-x"), ("resize-pane", "-y"), ("resize-pane", "-U"), ("split-window", "-l"),
        ("send-keys", "-N"), ("display-popup", "-w"), ("capture-pane", "-p", "-S"), ("has-session", "-t", "$"),
        ("select-pane", "-t", "%"), ("select-pane", "-t", "."), ("select-window", "-t", ":"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("digits", [10, 400, 5000])
def test_numbers_without_end_are_errors_of_the_caller(room: Room, call: tuple[str, ...], digits: int) -> None:
    room.cat()
    number = "9" * digits
    *words, last = call
    with pytest.raises((InvalidArgument, NotFound), match=r"invalid|can't find"):
        tmux(room, *words, *([last + number] if last in "$%.:" else [last, number]))


@pytest.mark.parametrize(
    "call",
    [
        ("select-pane", "-m"), ("select-pane", "-d"), ("split-window", "-f"), ("split-window", "-I"),
        ("capture-pane", "-p", "-a"), ("new-window", "-k"), ("kill-session", "-C"), ("new-session", "-d", "-t", "x"),
    ],
)  # fmt: skip
def test_flags_that_do_nothing_here_fail_loudly(room: Room, call: tuple[str, ...]) -> None:
    room.cat()
    with pytest.raises(InvalidArgument, match=f"unknown flag {call[-1] if call[-1] != 'x' else '-t'}"):
        tmux(room, *call)
    assert len(room.mux.workspace.panes) == 1


def test_a_format_that_would_hold_up_the_workspace_is_refused_and_libtmuxs_are_not(room: Room) -> None:
    room.cat()
    libtmux = "\t".join(f"#{{a_variable_of_tmux_{number:03}}}" for number in range(200))
    assert tmux(room, "list-panes", "-F", libtmux) == ["\t" * 199]
    for call in (("list-panes", "-F"), ("list-panes", "-f"), ("display-message", "-p"), ("pipe-pane",)):
        with pytest.raises(InvalidArgument, match="format too long"):
            tmux(room, *call, "#D" * 4097)


def test_layouts_are_spread_and_undone_and_sessions_stepped(room: Room) -> None:
    first = room.cat()
    tmux(room, "split-window", "-h", "-l", "20", "cat")
    tmux(room, "select-layout", "-E")
    rects = room.mux.layouts.of(room.mux.window_of(first)).panes
    assert max(rect.cols for rect in rects.values()) - min(rect.cols for rect in rects.values()) <= 1
    tmux(room, "select-layout", "-o")
    assert room.mux.layouts.of(room.mux.window_of(first)).panes != rects
    tmux(room, "new-session", "-d", "-s", "other", "cat")
    tmux(room, "switch-client", "-n")
    assert room.mux.front is not None
    assert room.mux.front.session == "other"
    assert tmux(room, "display-message", "-p", "-l", "#S") == ["#S"]


def test_nested_sessions_and_chains_are_refused(room: Room) -> None:
    pane = room.cat()
    with pytest.raises(Refused, match="sessions should be nested with care"):
        tmux(room, "new-session", pane=pane)
    with pytest.raises(InvalidArgument, match="one command at a time"):
        tmux(room, "list-panes", ";", "kill-pane")


CALLS: dict[str, tuple[str, ...]] = {
    "capture-pane": ("-p",),
    "display-message": ("hi",),
    "rename-session": ("x",),
    "rename-window": ("x",),
    "respawn-pane": ("-k",),
    "send-keys": ("x",),
    "set-environment": ("A", "b"),
    "set-option": ("@a", "b"),
    "set-window-option": ("@a", "b"),
    "new-session": ("-d",),
    "resize-pane": ("-Z",),
    "swap-pane": ("-D",),
    "break-pane": ("-s", "%2"),
    "display-popup": ("-E", "true"),
    "join-pane": ("-s", "%2"),
    "move-pane": ("-s", "%2"),
}


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb.name)
def test_each_command_does_no_more_than_the_policy_is_told(room: Room, verb: Any) -> None:
    pane = room.cat()
    for words in (
        ("split-window", "cat"),
        ("select-pane", "-t", str(pane)),
        ("new-window", "cat"),
        ("select-window", "-l"),
    ):
        room.run(RunTmuxCommand(command=words))
    command = RunTmuxCommand(command=(verb.name, *CALLS.get(verb.name, ())))
    origin = agent(pane)
    done = set[Effect]()
    for each in command._translation(room.mux, origin).commands:  # pyright: ignore[reportPrivateUsage]
        done |= each.effects
    assert done <= command.effects
    room.run(command, Origin(Interface.CLI))


def test_typing_into_the_pane_of_another_has_that_pane_as_its_target(room: Room) -> None:
    first = room.cat()
    second = room.cat()
    command = RunTmuxCommand(command=("send-keys", "-t", str(second), "x"))
    assert command.targets(room.mux, agent(first)) == (second,)
    with pytest.raises(FugueError):
        RunTmuxCommand(command=("send-keys", "-t", "%9", "x")).targets(room.mux, agent(first))


def test_what_has_a_command_of_its_own_is_the_same_as_with_a_flag(room: Room) -> None:
    first = room.cat()
    tmux(room, "split-window", "cat")
    tmux(room, "last-pane")
    assert tmux(room, "display-message", "-p", "#D") == [str(first)]
    tmux(room, "rotate-window")
    assert tmux(room, "list-panes", "-F", "#D") == ["%2", str(first)]
    tmux(room, "rotate-window", "-D")
    assert tmux(room, "list-panes", "-F", "#D") == [str(first), "%2"]
    tmux(room, "new-window", "cat")
    for word, at in (("next-window", "0"), ("previous-window", "1"), ("last-window", "0")):
        tmux(room, word)
        assert tmux(room, "display-message", "-p", "#I") == [at]
    before = room.mux.workspace.windows[0].layout
    tmux(room, "next-layout", "-t", "@1")
    assert room.mux.workspace.windows[0].layout != before
    tmux(room, "clear-history", "-t", str(first))


def test_a_popup_takes_until_its_program_ends_and_has_its_exit_status(room: Room) -> None:
    room.cat()
    command = RunTmuxCommand(command=("display-popup", "-E", "-w", "50%", "-h", "10", "-x", "R", "exit 3"))
    assert room.run(command, Origin(Interface.CLI)).exit_status == 3
    later = RunTmuxCommand(command=("popup", "-T", "logs", "echo hi")).run(room.mux, Origin(Interface.CLI))
    assert is_deferred(later)
    assert room.awaited(later).exit_status == 0
    assert room.say("list-panes").panes[1].name == "logs"
    with pytest.raises(InvalidArgument, match="size invalid: x"):
        tmux(room, "popup", "-w", "x")


def test_windows_and_panes_may_be_counted_from_one(room: Room) -> None:
    def from_one(*words: str) -> str:
        return room.run(RunTmuxCommand(command=words, base_index=1), Origin(Interface.CLI)).text

    room.cat()
    tmux(room, "new-window", "cat")
    tmux(room, "split-window", "-d", "cat")
    assert from_one("display-message", "-p", "#I.#P #{base-index}#{pane-base-index}") == "2.1 11"
    assert from_one("display-message", "-p", "-t", ":2.2", "#D") == "%3"
    from_one("select-window", "-t", ":1")
    assert from_one("list-windows", "-F", "#I#{window_flags}") == "1*\n2"
    from_one("move-window", "-s", ":1", "-t", "2")
    assert from_one("list-windows", "-F", "#I #{window_id}") == "1 @2\n2 @1"
    with pytest.raises(NotFound, match="can't find window: :0"):
        from_one("select-window", "-t", ":0")


def test_what_is_selected_in_another_session_switches_no_client(room: Room) -> None:
    first = room.cat()
    tmux(room, "new-session", "-d", "-s", "other", "-n", "a", "cat")
    for name in ("b", "c"):
        tmux(room, "new-window", "-d", "-t", "other:", "-n", name, "cat")
    shown = list[str]()
    for words in (
        ("select-window", "-t", "other:b"),
        ("next-window", "-t", "other"),
        ("next-window", "-t", "$1"),
        ("previous-window", "-t", "other"),
        ("last-window", "-t", "other"),
    ):
        tmux(room, *words)
        shown += tmux(room, "display-message", "-p", "-t", "other", "#W")
    assert shown == ["b", "c", "a", "c", "a"]
    tmux(room, "split-window", "-d", "-t", "other:a", "cat")
    tmux(room, "select-pane", "-t", "other:a.1")
    assert tmux(room, "list-panes", "-t", "other:a", "-F", "#{pane_active}") == ["0", "1"]
    tmux(room, "new-window", "-t", "other", "-n", "d", "cat")
    tmux(room, "split-window", "-t", "other:d", "cat")
    assert tmux(room, "list-panes", "-t", "other:d", "-F", "#{pane_active}") == ["0", "1"]
    tmux(room, "move-window", "-s", "other:a", "-t", "other:99")
    assert tmux(room, "display-message", "-p", "-t", "other", "#W") == ["a"]
    tmux(room, "last-window", "-t", "other")
    assert room.mux.focused == first
    tmux(room, "switch-client", "-t", "other")
    assert tmux(room, "display-message", "-p", "#W") == ["d"]
    with pytest.raises(NotFound, match="no last window"):
        tmux(room, "last-window", "-t", "test")


def test_windows_and_panes_move(room: Room) -> None:
    room.cat()
    tmux(room, "new-window", "-d", "cat")
    tmux(room, "move-window", "-s", "@1", "-t", "test:99")
    assert tmux(room, "list-windows", "-F", "#{window_id}") == ["@2", "@1"]
    tmux(room, "swap-window", "-s", "@1", "-t", "@2")
    assert tmux(room, "list-windows", "-F", "#{window_id}") == ["@1", "@2"]
    tmux(room, "join-pane", "-d", "-h", "-b", "-s", "%2", "-t", "%1")
    assert tmux(room, "list-panes", "-F", "#D") == ["%2", "%1"]
    assert tmux(room, "break-pane", "-d", "-s", "%2", "-P", "-F", "#D") == ["%2"]
    assert len(tmux(room, "list-windows")) == 2
    with pytest.raises(NotFound, match="can't find window"):
        tmux(room, "move-window", "-s", "@1", "-t", "test:later")
