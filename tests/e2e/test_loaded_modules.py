"""What a server keeps in memory before anything of it is used."""

import os
import signal
import sys
from pathlib import Path

import pytest
from tests.e2e.conftest import Launch

HOOK = """\
import os, signal, sys

def write(*_):
    with open(os.path.join(os.environ["XDG_RUNTIME_DIR"], "new"), "w") as file:
        file.writelines(f"{name}\\n" for name in sys.modules)
    os.rename(file.name, os.path.join(os.environ["XDG_RUNTIME_DIR"], "modules"))

signal.signal(signal.SIGUSR2, write)
"""
LIBRARIES = {
    *(
        "PIL",
        "cryptography",
        "html.entities",
        "difflib",
        "markdown_it",
        "mcp",
        "mimetypes",
        "platformdirs",
    ),
    *("pydantic", "pygments", "pyte", "ssl", "starlette", "tempfile", "textual.types", "textual.widgets._data_table"),
    *(
        "textual.widgets._directory_tree",
        "textual.widgets._markdown",
        "textual.widgets._select",
        "textual.widgets._tree",
    ),
    "uvicorn",
}
"""Of libraries, and of Python's own."""
PARTS = {
    *("fugue_tui.cli.tmux_words", "fugue_tui.control.output.screenshot", "fugue_tui.control.tmux.verbs"),
    *("fugue_tui.control.output.window_recorder", "fugue_tui.multiplexer.mcp_servers.servers"),
    *("fugue_tui.multiplexer.recording.recorder", "fugue_tui.recording.asciicast", "fugue_tui.imaging.png"),
    *("fugue_tui.terminal.emulator.sixel_decoder", "fugue_tui.tui.input.copy_mode", "fugue_tui.tui.input.quick_select"),
    *("fugue_tui.tui.render.client_images", "fugue_tui.tui.ui.command_palette", "fugue_tui.tui.ui.drag_and_drop"),
    *("fugue_tui.tui.ui.help_page", "fugue_tui.tui.ui.menus", "fugue_tui.tui.ui.task_overview", "fugue_tui.web"),
    *("fugue_tui_mcp.client.pool", "fugue_tui_mcp.protocol", "fugue_tui_widgets.pane_numbers"),
}


@pytest.mark.slow
def test_a_server_with_two_terminals_has_loaded_only_what_it_needs(launch: Launch, room: Path) -> None:
    (room / "sitecustomize.py").write_text(HOOK)
    running = launch(
        "--", "cat", server=True, env={"PYTHONPATH": os.pathsep.join((str(room), *filter(None, sys.path)))}
    )
    running.ready()
    running.host.send("seen\r")
    running.again().wait_text("seen", "e2e")
    os.kill(running.server, signal.SIGUSR2)
    running.host.wait_until((room / "modules").exists)
    loaded = set((room / "modules").read_text().splitlines())
    assert "textual.app" in loaded
    assert sorted(loaded & (LIBRARIES | PARTS)) == []
