"""Full-screen programs in a pane look as they do on the terminal itself."""

import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.e2e.conftest import Launch
from tests.tui.host_programs import Host

from fugue_tui.geometry import Size

pytestmark = [pytest.mark.slow, pytest.mark.forked]


TEXT = "".join(f"line {n} with ünï and 漢字\n" for n in range(100))
CASES = {
    "vim": (("vim", "-u", "NONE", "-i", "NONE", "-n", "FILE"), "line 21 with"),
    "less": (("less", "FILE"), "line 21 with"),
    "nano": (("nano", "-I", "FILE"), "Exit"),
    "more": (("more", "FILE"), "More"),
    "tmux": (("tmux", "-f", "/dev/null", "-S", "SOCKET", "new", "cat FILE; cat"), "line 99 with"),
}


@pytest.mark.parametrize("name", CASES)
def test_a_program_looks_the_same_in_a_pane(launch: Launch, tmp_path: Path, private_dir: Path, name: str) -> None:
    words, sign = CASES[name]
    if not shutil.which(words[0]):
        pytest.skip(f"there is no {words[0]}")
    file, env = tmp_path / "file.txt", {"LC_ALL": "C.UTF-8", "TERM": "xterm-256color"}
    file.write_text(TEXT)

    def argv(socket: str) -> tuple[str, ...]:
        there = {"FILE": str(file), "SOCKET": str(private_dir / socket)}
        line = "\0".join(words)
        for word, meant in there.items():
            line = line.replace(word, meant)
        return tuple(line.split("\0"))

    bare = Host(argv("bare"), Size(80, 23), env)
    running = launch("--", *argv("pane"), env=env)
    try:
        running.ready()
        bare.wait_text(sign)
        running.host.wait_text(sign)
        if name == "tmux":  # Its bar tells the time.
            assert running.host.text.splitlines()[:22] == bare.text.splitlines()[:22]
            return
        running.host.wait_until(lambda: bare.step(0.01) or running.host.picture[:23] == bare.picture)
        running.host.wait_until(lambda: running.host.cursor == bare.cursor)
    finally:
        for socket in ("bare", "pane") if name == "tmux" else ():
            subprocess.run(("tmux", "-S", str(private_dir / socket), "kill-server"), capture_output=True)
        bare.close()


def test_the_program_runs_in_its_own_pane(launch: Launch) -> None:
    running = launch()
    running.ready()
    running.host.wait_text("$")
    running.host.send(f"{shlex.quote(sys.executable)} -m fugue_tui inner --foreground -- cat\r")
    running.host.wait_text("inner [1 cat]", running.name)
    running.host.send("typed\r")
    running.host.wait_until(lambda: running.host.text.count("typed") == 2)
    done = running.shell("list-panes", "--workspace", "inner")
    assert (done.returncode, done.stdout.count("cat")) == (0, 3)
    running.host.send(b"\x02\x02Q")
    running.host.wait_text("with 1 running program?")
    running.host.send("y")
    running.host.wait_until(lambda: "$" in [line.strip() for line in running.host.text.splitlines()])
    running.host.send("echo ba\\ck\r")
    running.host.wait_text("back")


@pytest.mark.skipif(not shutil.which("vim"), reason="there is no vim")
def test_an_editor_that_was_closed_comes_back_with_its_unsaved_text(launch: Launch, tmp_path: Path) -> None:
    running = launch("--", "cat", env={"LC_ALL": "C.UTF-8"})
    running.ready()
    file = tmp_path / "letter.txt"
    running.shell("create-pane", "--focus", "--command", f"vim -u NONE -i NONE -n {file}")
    running.host.wait_text("letter.txt")
    running.host.send("idear all")
    running.host.wait_text("dear all")
    running.host.send("\x02x")
    running.host.wait_text("Close pane %2")
    running.host.send("y")
    running.host.wait_text("ctrl+b u brings it back")
    running.host.wait_until(lambda: "dear all" not in running.host.text)
    running.host.send("\x02u")
    running.host.wait_text("dear all")
    running.host.send("\x1b:wq\r")
    running.host.wait_until(lambda: file.exists() and file.read_text() == "dear all\n")
