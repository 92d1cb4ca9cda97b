"""Panes that run no program come back with the workspace."""

from tests.control.restore.workspace_generations import NewLife
from tests.control.restore.workspace_generations import live as live

from fugue_tui.control.commands.save import SaveSession


def test_a_table_comes_back_with_the_workspace(live: NewLife) -> None:
    first = live()
    first.say("create-window")
    first.say("show-agents --place split --pane %1")
    first.done(SaveSession(name="it"))
    life = live()
    life.restored()
    life.until(lambda: not life.mux.restored_panes)
    (found,) = [each for each in life.say("list-panes").panes if each.content]
    assert (found.id, found.content, found.waits, found.pid) == ("%2", "agents", None, None)
    life.mux.contents.texts["agents"] = lambda size: "the table"
    assert life.say("read-pane %2").text == "the table"
