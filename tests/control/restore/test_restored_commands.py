"""Commands that ran in what is restored come back with what they printed, and the view stays where it was."""

from pathlib import Path

import pytest
from tests.control.restore.workspace_generations import Life, NewLife, state
from tests.control.restore.workspace_generations import live as live

from fugue_tui.control.commands.restore import StartPane
from fugue_tui.control.commands.save import SaveSession
from fugue_tui.ids import PaneId


def test_a_shell_says_what_ran_in_it(live: NewLife) -> None:
    first = live()
    first.say("create-window")
    first.typed(1, "sleep 1234")
    first.until(lambda: first.mux.terminals[PaneId(1)].foreground == "sleep")
    first.done(SaveSession(name="it"))
    life = live()
    life.restored()
    assert "was running: sleep 1234" in life.text(PaneId(1))
    assert state(life, 1) == (True, None)


MARKED = r"""printf '\033]133;A\007$ \033]133;B\007make it --token=hunter2\n'
printf '\033]133;C\007it is\nmade\n\033]133;D;3\007\033]133;A\007$ \033]133;B\007'
exec cat"""


@pytest.mark.parametrize("engine", ["pyte", "ghostty"])
def test_commands_and_what_they_printed_are_restored(live: NewLife, tmp_path: Path, engine: str) -> None:
    first = live(engine=engine)
    (tmp_path / "marked").write_text(MARKED)
    first.opened(f"create-pane --command 'sh {tmp_path}/marked'")
    first.until(lambda: first.say("list-commands %1").total == 1)
    first.done(SaveSession(name="it"))
    life = live(engine=engine)
    life.restored()
    (command,) = life.say("list-commands %1").commands
    assert (command.number, command.line, command.exit_code) == (1, "make it --token=[withheld]", 3)
    assert life.say("read-pane %1 --source last_command").text == "it is\nmade"
    assert life.say("snapshot-pane %1").last_command == command
    life.run(StartPane(pane="%1"))
    life.until(lambda: life.say("list-commands %1").total == 2)
    assert [each.number for each in life.say("list-commands %1").commands] == [1, 2]
    life.done(SaveSession(name="again"))
    late = live(engine=engine)
    late.restored("again")
    assert [each.number for each in late.say("list-commands %1").commands] == [1, 2]


def test_commands_that_wait_to_be_started_again_are_saved_again(live: NewLife, tmp_path: Path) -> None:
    first = live()
    (tmp_path / "marked").write_text(MARKED)
    first.opened(f"create-pane --command 'sh {tmp_path}/marked'")
    first.until(lambda: first.say("list-commands %1").total == 1)
    first.done(SaveSession(name="it"))
    second, third = live(), live()
    second.restored()
    second.done(SaveSession(name="again"))
    third.restored("again")
    assert third.say("read-pane %1 --source last_command").text == "it is\nmade"


@pytest.mark.parametrize("engine", ["pyte", "ghostty"])
def test_a_pane_that_was_scrolled_back_shows_the_same_again(live: NewLife, engine: str) -> None:
    first = live(engine=engine)
    first.say("create-window")
    first.typed(1, "seq -f 'line %g' 100; echo s''een")
    first.shows(PaneId(1), "seen")
    first.opened("create-pane --command 'for n in $(seq 100); do echo line $n; done; echo seen; exec cat'")
    first.shows(PaneId(2), "seen")
    for pane in (PaneId(1), PaneId(2)):
        first.mux.terminals[pane].scroll(40)
    tops = {pane: top(first, pane) for pane in (PaneId(1), PaneId(2))}
    assert tops[PaneId(1)].startswith("line ")
    first.done(SaveSession(name="it"))
    life = live(engine=engine)
    life.restored()
    life.until(lambda: life.mux.runs(PaneId(1)))
    assert {pane: top(life, pane) for pane in tops} == tops
    life.typed(1, "echo I' 'live")
    life.shows(PaneId(1), "I live")
    assert top(life, PaneId(1)) == tops[PaneId(1)]
    life.run(StartPane(pane="%2"))
    assert life.mux.terminals[PaneId(2)].scrollback.offset == 0


def top(life: Life, pane: PaneId) -> str:
    """The line at the top of a pane's view."""
    terminal = life.mux.terminals[pane]
    terminal.seen.refresh()
    return terminal.seen.row(0).text.rstrip()
