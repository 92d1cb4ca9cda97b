"""What was saved comes back: layout and text at once, programs by themselves or when somebody wants them."""

import shutil
from pathlib import Path
from typing import Any

import pytest
from tests.control.restore.workspace_generations import Life, NewLife, state
from tests.control.restore.workspace_generations import live as live
from tests.control.restore.workspace_generations import saved as saved
from tests.multiplexer.conftest import agent

from fugue_tui.control.commands.restore import RestoreSession, StartPane
from fugue_tui.control.commands.save import SaveSession
from fugue_tui.control.core.command import Interface, Origin
from fugue_tui.control.dispatch.dispatcher import Dispatcher
from fugue_tui.control.dispatch.policy import Decision, judge
from fugue_tui.control.schema.command_line import command
from fugue_tui.errors import FugueError
from fugue_tui.geometry import Size
from fugue_tui.ids import PaneId
from fugue_tui.layout.tree import panes


@pytest.mark.parametrize("engine", ["pyte", "ghostty"])
def test_layout_text_and_names_are_restored(saved: Life, live: NewLife, engine: str) -> None:
    life = live(engine=engine)
    result = life.restored()
    assert result.faults == ()
    before, after = saved.mux.workspace, life.mux.workspace
    ids = {PaneId(each.was[1:]): PaneId(each.pane[1:]) for each in result.panes}
    assert [window.name for window in after.windows] == ["work", "other"]
    for old, new in zip(before.windows, after.windows, strict=True):
        assert [ids[pane] for pane in panes(old.layout)] == list(panes(new.layout))
        assert saved.mux.layouts.of(old).panes == {
            old_id: life.mux.layouts.of(new).panes[ids[old_id]] for old_id in panes(old.layout)
        }
    assert life.mux.workspace.panes[ids[PaneId(2)]].name == "log"
    for pane, words in ((1, "once upon"), (2, "the log"), (3, "failed"), (4, "elsewhere")):
        assert words in life.text(ids[PaneId(pane)])
        assert "restored, saved" in life.text(ids[PaneId(pane)])


def test_only_shells_start_by_themselves(saved: Life, live: NewLife) -> None:
    life = live()
    life.restored()
    assert [state(life, pane)[0] for pane in (1, 2, 3, 4)] == [True, False, False, False]
    life.typed(1, "echo I' 'live")
    assert "once upon" in life.shows(PaneId(1), "I live")
    assert "press Enter to run again: echo the log" in life.flat(2)
    life.run(StartPane(pane="log"))
    life.shows(PaneId(2), "exec cat\nthe log")
    life.say("send-input log --text again --submit")
    life.shows(PaneId(2), "again\nagain")
    assert life.mux.terminals[PaneId(2)].lines(0, 1) == ["the log"]
    assert "had ended: exit 3" in life.text(PaneId(3))


def test_everything_or_nothing_starts_by_itself_if_that_is_wanted(saved: Life, live: NewLife) -> None:
    eager, shy = live(), live()
    eager.mux.rerun, shy.mux.rerun = "all", "never"
    eager.restored()
    shy.restored()
    assert [state(eager, pane)[0] for pane in (1, 2, 3, 4)] == [True, True, False, True]
    assert not any(state(shy, pane)[0] for pane in (1, 2, 3, 4))
    assert "press Enter to start a shell" in shy.text(PaneId(1))


def test_an_agent_that_restores_starts_no_more_than_a_user_would(saved: Life, live: NewLife) -> None:
    life = live()
    life.restored(origin=agent())
    assert [state(life, pane)[0] for pane in (1, 2, 3, 4)] == [True, False, False, False]


def test_what_an_agent_restores_with_approval_stays_the_users(saved: Life, live: NewLife) -> None:
    life = live()
    life.cat("mine")
    client = Origin(Interface.MCP, process="12@34", program="claude")
    later: Any = Dispatcher(life.mux).run(RestoreSession(name="it"), client)
    life.until(life.mux.approvals.waiting)
    assert len(life.open) == 1
    life.mux.approvals.approve(life.mux.approvals.waiting()[0].id)
    panes = [each.pane for each in life.awaited(later).panes]
    assert len(panes) == 4
    for line in ("send-input {} --text x", "close-pane {}", "respawn-pane {}", "start-pane {}"):
        for pane in panes:
            assert Decision.ASK in {each.decision for each in judge(life.mux, command(line.format(pane)), client)}, line


def test_into_a_running_workspace_it_comes_beside_what_is_open(saved: Life, live: NewLife) -> None:
    life = live()
    mine = life.cat("mine")
    result = life.restored(origin=agent())
    assert life.mux.focused == mine
    assert [each.was for each in result.panes] == ["%1", "%2", "%3", "%4"]
    assert [each.pane for each in result.panes] == ["%2", "%3", "%4", "%5"]
    assert result.windows == ("@2", "@3")
    assert [window.session for window in life.mux.workspace.windows] == ["test", "test-2", "test-2"]
    life.restored()
    assert len(life.open) == 9
    assert life.mux.front is not None
    assert life.mux.front.session == "test-3"
    assert life.mux.focused not in (mine, *(PaneId(number) for number in range(2, 6)))


def test_ids_that_are_kept_free_are_restored(saved: Life, live: NewLife) -> None:
    life = live()
    life.mux.ids.reserve(4, 2)
    fresh = life.cat()
    assert fresh == PaneId(5)
    assert [each.pane for each in life.restored().panes] == ["%1", "%2", "%3", "%4"]
    assert life.cat() == PaneId(6)


def test_a_shell_starts_where_it_worked_and_a_directory_that_is_gone_is_reported(
    live: NewLife, private_dir: Path
) -> None:
    first, place = live(), private_dir / "deep" / "er"
    place.mkdir(parents=True)
    first.say("create-window")
    first.typed(1, f"cd {place}; echo the''re")
    first.shows(PaneId(1), "there")
    first.done(SaveSession(name="it"))
    life = live(area=Size(200, 24))
    life.restored()
    life.typed(1, "pwd; echo s''o")
    assert f"{place}\nso" in life.shows(PaneId(1), "\nso")
    shutil.rmtree(private_dir / "deep")
    late = live(area=Size(200, 24))
    late.restored()
    late.typed(1, "pwd; echo s''o")
    assert f"{private_dir}\nso" in late.shows(PaneId(1), "\nso")
    assert f"{place} is gone; it runs in {private_dir}" in late.text(PaneId(1))


def test_a_program_that_is_gone_waits_and_says_why(live: NewLife, tmp_path: Path) -> None:
    tool = tmp_path / "tool"
    tool.write_text("#!/bin/sh\necho tool runs; exec cat\n")
    tool.chmod(0o755)
    first = live()
    first.opened(f"create-pane --command '[\"{tool}\"]'")
    first.shows(PaneId(1), "tool runs")
    first.done(SaveSession(name="it"))
    tool.unlink()
    life = live()
    life.restored()
    with pytest.raises(FugueError, match="no such file"):
        life.run(StartPane(pane="%1"))
    assert "cannot start" in life.text(PaneId(1))
    assert state(life, 1)[0] is False


def test_an_agent_in_a_shell_is_offered_with_its_own_conversation(live: NewLife) -> None:
    first = live()
    first.resume = lambda argv, pid, cwd: ("echo", "my conversation") if argv[:1] == ("sleep",) else ()
    first.say("create-window")
    first.typed(1, "sleep 1234")
    first.until(lambda: first.mux.terminals[PaneId(1)].foreground == "sleep")
    first.done(SaveSession(name="it"))
    resumed, plain = live(), live()
    for life in (resumed, plain):
        life.restored()
        assert state(life, 1) == (False, "echo 'my conversation'")
        assert "Escape to start only a shell" in life.flat(1)
    resumed.run(StartPane(pane="%1"))
    resumed.shows(PaneId(1), "\nmy conversation")
    resumed.typed(1, "echo and' a 'shell")
    resumed.shows(PaneId(1), "and a shell")
    plain.run(StartPane(pane="%1", shell=True))
    plain.typed(1, "echo a' 'shell")
    assert "\nmy conversation" not in plain.shows(PaneId(1), "a shell")


def test_what_waits_is_saved_again_as_it_was(saved: Life, live: NewLife) -> None:
    second = live()
    second.restored()
    second.done(SaveSession(name="twice"))
    third = live()
    third.restored("twice")
    assert state(third, 2) == (False, "echo the log; exec cat")
    assert third.text(PaneId(2)).count("restored, saved") == 1


def test_secrets_that_were_not_saved_are_reported(live: NewLife) -> None:
    first = live()
    first.opened('create-pane --env \'{"GITHUB_TOKEN": "s3cret", "PLAIN": "p1ain"}\' --command \'exec cat\'')
    first.done(SaveSession(name="it"))
    life = live()
    life.restored()
    assert "not saved, as secrets: GITHUB_TOKEN" in life.text(PaneId(1))
    assert dict(life.mux.workspace.panes[PaneId(1)].env) == {"PLAIN": "p1ain"}
