"""The workspace's tmux stays first on PATH, whatever a shell's start-up files make of it."""

import shutil
from pathlib import Path

import pytest
from tests.multiplexer.conftest import Room

from fugue_tui.control.commands.panes import SplitPane
from fugue_tui.ids import PaneId

FILES = {
    "bash": (".bashrc", "PATH=/usr/bin:/bin\n"),
    "zsh": (".zshrc", "PATH=/usr/bin:/bin\n"),
    "fish": (".config/fish/config.fish", "set -gx PATH /usr/bin /bin\n"),
}


@pytest.mark.slow
@pytest.mark.parametrize("shell", FILES)
def test_start_up_files_do_not_take_it_off(room: Room, tmp_path: Path, shell: str) -> None:
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"{shell} is not installed")
    file, text = tmp_path / FILES[shell][0], FILES[shell][1]
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    env = {"HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path / ".config"), "FUGUE_TMUX": "/x/y"}
    room.cat()
    pane = PaneId(room.run(SplitPane(command=(program, "-i"), env=env, direction=None)).id[1:])
    room.until(lambda: room.mux.terminals[pane].shell.at_prompt)
    room.say(f"""send-input {pane} --text 'echo "<$PATH>"' --submit""")
    room.shows(pane, "</x/y:/usr/bin:/bin>")
