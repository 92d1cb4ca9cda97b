"""Commands that run in panes of their own."""

import gc
import weakref

import pytest
from tests.multiplexer.conftest import Room, agent

from fugue_tui.control.commands.run_command import Keep, RunCommand
from fugue_tui.control.core.deferred import is_deferred
from fugue_tui.control.core.new_pane import BACKGROUND, Placement
from fugue_tui.control.shell_exec.result import CommandOutcome, OnCancel
from fugue_tui.errors import Cancelled, InvalidArgument, SpawnFailed, TerminalGone
from fugue_tui.ids import PaneId
from fugue_tui.terminal.terminal import Terminal

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def plain_shell(monkeypatch: pytest.MonkeyPatch, room: Room) -> None:
    monkeypatch.setenv("SHELL", "/bin/dash")
    room.launcher.engine, room.launcher.scrollback = "ghostty", 10_000
    room.cat("here")


def run(room: Room, command: str | tuple[str, ...], **options: object) -> CommandOutcome:
    return room.run(RunCommand(command=command, **options), agent())  # pyright: ignore[reportArgumentType]


def pane_of(ran: CommandOutcome) -> PaneId:
    return PaneId(ran.pane[1:])


def test_a_command_tells_its_code_and_all_that_it_printed(room: Room) -> None:
    ran = run(room, "echo hi there; printf 'no newline'; exit 7", timeout=20)
    assert (ran.exit_code, ran.text, ran.ended) == (7, "hi there\nno newline", "exit 7")
    assert (ran.method, ran.timed_out, ran.kept) == ("process", False, True)
    assert pane_of(ran) in room.mux.workspace.panes
    assert run(room, ("printf", "%s|", "a b", "$x")).text == "a b|$x|"


def test_a_pane_stays_as_long_as_is_wanted(room: Room) -> None:
    for keep, command, stays in (
        (Keep.FAILED, "true", False),
        (Keep.FAILED, "false", True),
        (Keep.NEVER, "false", False),
        (Keep.ALWAYS, "true", True),
    ):
        ran = run(room, command, keep=keep)
        assert ran.kept is stays
        if stays:
            assert pane_of(ran) in room.mux.exits
        else:
            closed = pane_of(ran)
            room.until(lambda pane=closed: pane not in room.mux.workspace.panes)


def test_a_finished_pane_stays_until_its_output_was_read(room: Room) -> None:
    ran = run(room, "echo look", keep=Keep.UNSEEN, place=Placement.WINDOW)
    window = room.mux.window_of(pane_of(ran))
    first = room.mux.workspace.windows[0]
    assert room.mux.workspace.active == first.id
    room.say(f"select-window {window.id}")
    assert pane_of(ran) in room.mux.workspace.panes
    room.say(f"select-window {first.id}")
    room.until(lambda: pane_of(ran) not in room.mux.workspace.panes)


def test_it_opens_where_it_is_wanted_and_takes_no_focus(room: Room) -> None:
    beside = run(room, "true", keep=Keep.ALWAYS, name="beside")
    assert room.mux.window_of(pane_of(beside)).id == room.mux.workspace.windows[0].id
    window = run(room, "true", keep=Keep.ALWAYS, place=Placement.WINDOW)
    assert room.mux.window_of(pane_of(window)).session == room.mux.workspace.windows[0].session
    hidden = run(room, "sleep 0 && true", keep=Keep.ALWAYS, place=Placement.HIDDEN)
    last = room.mux.window_of(pane_of(hidden))
    assert (last.session, last.name) == (BACKGROUND, "sleep 0 && true")
    assert room.mux.focused == PaneId(1)
    assert room.mux.workspace.panes[pane_of(beside)].name == "beside"


def test_the_environment_and_the_directory_are_its_own(room: Room, tmp_path: object) -> None:
    ran = run(room, "pwd; echo $MINE $PAGER", cwd=str(tmp_path), env={"MINE": "a b"})
    assert ran.text == f"{tmp_path}\na b cat"


def test_a_long_output_is_cut_in_the_middle_and_its_pane_stays(room: Room) -> None:
    ran = run(room, "seq 1 100000", limit=1000, timeout=30)
    lines = ran.text.split("\n")
    assert (lines[0], lines[-1], ran.truncated, ran.kept) == ("1", "100000", True, True)
    assert abs(ran.omitted_lines + len(lines) - 1 - 100000) <= 1
    assert ran.cursor is not None


def test_a_time_out_tells_how_to_wait_on(room: Room) -> None:
    later = RunCommand(command="echo begun; read go; echo ended", timeout=50, keep=Keep.NEVER).run(room.mux, agent())
    assert is_deferred(later)
    room.shows(pane := room.open[-1], "begun")
    room.drain(pane)
    room.skip(60)
    ran = room.awaited(later)
    room.mux.terminals[pane].write(b"\n")
    assert (ran.timed_out, ran.exit_code, ran.text, ran.kept) == (True, None, "begun", True)
    found = room.say(f"wait-for-output --any-of ended --cursor {ran.cursor}")
    assert found.outcome == "matched"
    room.ended(pane_of(ran))
    assert pane_of(ran) in room.mux.workspace.panes


def test_cancelling_run_command_ends_the_program_or_leaves_it(room: Room) -> None:
    for on_cancel, ends in ((OnCancel.INTERRUPT, True), (OnCancel.LEAVE, False)):
        before = set(room.mux.workspace.panes)
        later = RunCommand(command=("sleep", "30"), on_cancel=on_cancel).run(room.mux, agent())
        (pane,) = set(room.mux.workspace.panes) - before
        room.until(lambda pane=pane: room.mux.terminal(pane).foreground == "sleep")
        later.cancel()
        with pytest.raises(Cancelled):
            room.awaited(later)
        if ends:
            room.ended(pane)
        else:
            assert room.mux.terminal(pane).exit is None


def test_closing_its_pane_is_reported(room: Room) -> None:
    later = RunCommand(command=("sleep", "30")).run(room.mux, agent())
    room.say("close-pane %2")
    with pytest.raises(TerminalGone, match="was closed"):
        room.awaited(later)


def test_what_cannot_run_opens_nothing(room: Room) -> None:
    with pytest.raises(SpawnFailed):
        run(room, ("no-such-program",))
    for nothing in ("", "  ", ()):
        with pytest.raises(InvalidArgument):
            run(room, nothing)
    assert room.open == [PaneId(1)]


def test_many_run_together(room: Room) -> None:
    begun = [
        RunCommand(command=f"sleep 0.2; echo {number}", place=Placement.HIDDEN).run(room.mux, agent())
        for number in range(8)
    ]
    assert [room.awaited(each).text for each in begun] == [str(number) for number in range(8)]


def test_a_finished_command_is_not_kept_until_its_timeout(room: Room) -> None:
    seen = list[weakref.ref[Terminal]]()
    room.mux.on_change.connect(lambda old, new: seen.extend(map(weakref.ref, room.mux.terminals.values())))
    assert not run(room, "echo one", timeout=110).kept
    for _ in range(5):
        room.turn()
    gc.collect()
    alive = {terminal for each in seen if (terminal := each()) is not None}
    assert len(seen) > len(alive)
    assert alive == set(room.mux.terminals.values())
