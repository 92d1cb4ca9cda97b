"""What a pane shows of an earlier life of its workspace is never parsed for tags."""

from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.control.restore.workspace_generations import NewLife
from tests.control.restore.workspace_generations import live as live

from fugue_tui.config.model import CommunicationSettings, McpSettings
from fugue_tui.control.commands.restore import StartPane
from fugue_tui.control.commands.save import SaveSession
from fugue_tui.control.dispatch.dispatcher import Dispatcher
from fugue_tui.control.sideband.tag_runner import TagRunner
from fugue_tui.ids import PaneId

OLD = 'read go; printf \'<fugue:list window="old" />\\n<fugue:list window="older" />\'; exec cat'


@pytest.mark.parametrize("engine", ["pyte", "ghostty"])
def test_restored_text_is_not_parsed_and_what_follows_is(live: NewLife, tmp_path: Path, engine: str) -> None:
    (tmp_path / "old").write_text(OLD)
    first = live(engine=engine)
    first.opened(f"create-pane --name trusted --command 'sh {tmp_path}/old'")
    first.typed(1, "go")
    first.shows(PaneId(1), "older")
    first.done(SaveSession(name="it"))
    (tmp_path / "old").write_text(OLD.replace("old", "new"))

    life, pane = live(engine=engine), PaneId(1)
    life.mux.permissions, life.mux.sideband.settings = McpSettings(), CommunicationSettings(panes=("trusted",))
    dispatcher = Dispatcher(life.mux)
    interface = TagRunner(dispatcher)
    life.restored()
    interface.refresh()
    assert life.mux.sideband.status(pane, "trusted").parsed
    life.shows(pane, "older")
    life.run(StartPane(pane="%1"))
    life.typed(1, "go")
    life.until(lambda: any(dispatcher.audit))
    life.mux.terminals[pane].resize(replace(life.mux.terminals[pane].size, cols=33))
    life.drain(pane)
    life.until(lambda: len(list(dispatcher.audit)) == 2)
    assert [entry.command for entry in dispatcher.audit] == ["list-panes --window new", "list-panes --window newer"]
    assert '"older"' in life.flat(1)
    assert '"new' not in life.flat(1)
