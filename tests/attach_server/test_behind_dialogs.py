"""Panes behind a dialog are shown at a slower pace; what changed there is on the screen once it closes."""

from pathlib import Path

import pytest
from tests.tui.served_workspace import Serve
from tests.tui.served_workspace import serve as serve
from tests.tui.socket_clients import hello

pytestmark = pytest.mark.slow

NEVER = "import fugue_tui_widgets.table_view as module; module.TableScreen.BEHIND_SECONDS = 1e6"
"""The panes behind the table of agents are not painted at all."""
PROGRAM = 'echo ready; until [ -e "$0" ]; do sleep 0.02; done; echo printed meanwhile; exec sleep 1000'
"""Goes on as another program once there is a file."""


def test_what_changed_behind_the_table_of_agents_is_shown_as_it_closes(serve: Serve, tmp_path: Path) -> None:
    serving = serve("sh", "-c", PROGRAM, str(tmp_path / "go"), first=hello(), prelude=NEVER)
    serving.shows(serving.first, "ready")
    serving.call("create-pane", "--name", "other", "--command", "exec cat")
    serving.shows(serving.first, "%2 other")
    serving.first.send("\x02A")
    serving.shows(serving.first, "0 agents")
    (tmp_path / "go").write_text("")
    serving.until(lambda: "printed meanwhile" in serving.call("read-pane", "--pane", "%1")["text"])
    assert "printed meanwhile" not in serving.first.text
    serving.first.send("q")
    serving.shows(serving.first, "printed meanwhile", "%1 sleep")
    assert "0 agents" not in serving.first.text
