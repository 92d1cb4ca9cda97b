"""What a command or a few keys change in a pane is seen: pictures before and after, and the rows in words."""

import shutil
from pathlib import Path

import pytest
from tests.control.commands.test_screenshot import colours, opened, shot
from tests.control.real_shells import Shell
from tests.control.real_shells import shell as shell
from tests.multiplexer.conftest import Room, agent

from fugue_tui.config.model import McpSettings
from fugue_tui.control.commands.panes import CreatePane
from fugue_tui.control.commands.read_pane import ReadPane
from fugue_tui.control.commands.visual_diff import VisualDiff, VisualDifference
from fugue_tui.control.core.command import Effect
from fugue_tui.control.core.deferred import is_deferred
from fugue_tui.control.dispatch.dispatcher import Dispatcher
from fugue_tui.errors import InvalidArgument, NotFound, Refused, TerminalGone
from fugue_tui.ids import PaneId

EACH = pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "dash"], indirect=True)
BASH = pytest.mark.parametrize("shell", ["bash"], indirect=True)
MARK = (255, 64, 96)


def diff(shell: Shell, **fields: object) -> VisualDifference:
    fields.setdefault("pane", str(shell.pane))
    return shell.room.run(VisualDiff(**fields), agent())  # pyright: ignore[reportArgumentType]


@EACH
def test_visual_diff_captures_before_and_after_a_command(shell: Shell) -> None:
    found = diff(shell, command="echo fresh words; false")
    assert (found.exit_code, found.timed_out) == (1, False)
    assert found.text.startswith("the command ended with exit code 1")
    assert "“fresh words”" in found.text
    assert (found.before, found.after) == (f"{shell.pane} before", f"{shell.pane} after")
    row = next(y for y, line in enumerate(shell.text.splitlines()) if line == "fresh words")
    assert row in found.changed_rows
    assert MARK in colours(opened(found.image), 0, row)
    assert shell.text.splitlines()[-1].strip() in ("$", "#"), "the second picture was taken before the prompt came"


@EACH
def test_a_command_that_scrolls_is_reported_as_moved_and_new_rows(shell: Shell) -> None:
    shell.run("seq 1 40")
    found = diff(shell, command="seq 901 903")
    assert found.exit_code == 0
    assert found.scrolled >= 4
    assert f"the text moved up by {found.scrolled} rows" in found.text
    assert "new: “902”" in found.text
    assert "“40”" not in found.text


@BASH
def test_a_command_in_line_is_seen_from_its_own_turn_on(shell: Shell) -> None:
    first = shell.begin("sleep 0.3; echo slow")
    found = diff(shell, command="echo next")
    assert "“slow”" not in found.text
    assert "“next”" in found.text
    assert shell.room.awaited(first).text == "slow"


@BASH
def test_visual_diff_of_a_command_that_times_out_captures_its_present_screen(shell: Shell) -> None:
    later = VisualDiff(pane=str(shell.pane), command="echo begun; sleep 60", timeout=50).run(shell.room.mux, agent())
    assert is_deferred(later)
    shell.room.until(lambda: shell.runs("sleep"))
    shell.room.drain(shell.pane)
    shell.room.skip(60)
    found = shell.room.awaited(later)
    assert (found.timed_out, found.exit_code) == (True, None)
    assert found.text.startswith("timed out, and the command still runs")
    assert "“begun”" in found.text
    shell.room.mux.terminals[shell.pane].write(b"\x03")


@BASH
def test_a_command_that_ends_the_shell_says_so(shell: Shell) -> None:
    shell.room.cat()
    later = VisualDiff(pane=str(shell.pane), command="exit 3").run(shell.room.mux, agent())
    assert is_deferred(later)
    shell.room.until(lambda: later.done)
    if later.error is None:
        assert later.result().text.startswith("the command ended the pane's program (exit 3)")
    else:
        assert "was closed or respawned" in str(later.error)


def test_a_pane_that_is_closed_meanwhile_leaves_nothing_to_compare(room: Room) -> None:
    room.cat()
    pane = room.cat()
    later = VisualDiff(pane=str(pane), keys=("a",), idle_ms=20_000).run(room.mux, agent())
    assert is_deferred(later)
    room.say(f"close-pane --pane {pane}")
    with pytest.raises(NotFound, match="was closed or respawned"):
        room.awaited(later)


@BASH
def test_cancelling_visual_diff_interrupts_the_command(shell: Shell) -> None:
    later = VisualDiff(pane=str(shell.pane), command="sleep 60").run(shell.room.mux, agent())
    assert is_deferred(later)
    shell.room.until(lambda: shell.room.mux.terminals[shell.pane].foreground == "sleep")
    later.cancel()
    shell.room.until(lambda: shell.room.mux.terminals[shell.pane].foreground != "sleep")
    assert shell.run("echo free").text == "free"


@BASH
def test_a_stored_screenshot_is_compared_with_the_screen_after_a_command(shell: Shell) -> None:
    shell.run("echo first")
    shot(shell.room, pane=str(shell.pane), name="start")
    shell.run("echo second")
    found = diff(shell, before="start", pane="", command="echo third")
    assert found.before == "start"
    assert "“second”" in found.text
    assert "“third”" in found.text
    other = shell.room.cat()
    with pytest.raises(InvalidArgument, match=f"before: shows {shell.pane} and not {other}"):
        diff(shell, before="start", pane=str(other), keys=("a",))


@pytest.mark.skipif(shutil.which("vim") is None, reason="needs vim")
def test_visual_diff_captures_before_and_after_keys_in_an_editor(room: Room, tmp_path: Path) -> None:
    room.launcher.engine = "ghostty"
    file = tmp_path / "notes.txt"
    file.write_text("first line\nsecond 漢字 line\n")
    argv = ("vim", "-u", "NONE", "-N", "--not-a-term", str(file))
    pane = PaneId(room.run(CreatePane(command=argv, env={"TERM": "xterm-256color"})).id[1:])
    room.shows(pane, "~")
    found = room.run(VisualDiff(pane=str(pane), keys=("d", "d", "i", "N", "Escape")), agent())
    assert found.text.startswith("the keys were pressed")
    assert "row 1: “first line” became “Nsecond 漢字 line”" in found.text
    assert (found.exit_code, found.timed_out, 0 in found.changed_rows) == (None, False, True)
    with pytest.raises(Refused, match=r"full-screen program vim.*runs there"):
        room.run(VisualDiff(pane=str(pane), command="ls"), agent())


@pytest.mark.slow
def test_visual_diff_of_endless_output_captures_at_the_timeout(room: Room) -> None:
    pane = room.opened("create-pane --command \"sh -c 'while :; do date +%N; sleep 0.02; done'\"")
    room.shows(pane, "\n")
    found = room.run(VisualDiff(pane=str(pane), keys=("x",), idle_ms=30_000, timeout=0.5), agent())
    assert found.timed_out
    assert "still printed" in found.text


def test_what_makes_no_sense_is_refused_and_nothing_is_typed(room: Room) -> None:
    pane = room.cat()
    before = room.text(pane)
    for fields, match in [
        ({"command": "ls", "keys": ("a",)}, "a command or keys, not both"),
        ({"keys": ("a",), "after": "x"}, "after: with command or keys"),
        ({"keys": ("nonsense",)}, "nonsense"),
        ({}, "before: give a screenshot or cursor"),
    ]:
        with pytest.raises(InvalidArgument, match=match):
            room.run(VisualDiff(pane=str(pane), **fields), agent())  # type: ignore[arg-type]
    with pytest.raises(InvalidArgument, match="pane: name the one"):
        room.run(VisualDiff(keys=("a",)), agent())
    with pytest.raises(Refused, match="no shell waits for a command"):
        room.run(VisualDiff(pane=str(pane), command="ls"), agent())
    with pytest.raises(Refused, match="your own pane"):
        room.run(VisualDiff(keys=("a",)), agent(pane))
    assert room.text(pane) == before


def test_a_program_that_has_ended_takes_no_keys(room: Room) -> None:
    room.cat()
    pane = room.opened("create-pane --on-exit keep --command true")
    room.ended(pane)
    with pytest.raises(TerminalGone, match="has ended"):
        room.run(VisualDiff(pane=str(pane), keys=("a",)), agent())


def test_agents_that_may_only_read_can_compare_but_not_type(room: Room) -> None:
    pane = room.cat()
    cursor = room.run(ReadPane()).cursor
    room.mux.permissions = McpSettings(input="refuse")
    only_look = Dispatcher(room.mux)
    looked = only_look.run(VisualDiff(before=cursor), agent())
    assert is_deferred(looked)
    assert room.awaited(looked).text == "nothing changed"
    with pytest.raises(Refused, match="visual-diff: agents may not do this here"):
        only_look.run(VisualDiff(pane=str(pane), keys=("a",)), agent())
    assert VisualDiff.effect is Effect.INPUT
