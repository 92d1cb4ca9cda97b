"""What goes wrong around a workspace that is saved and comes back: disks, clocks, links, programs and directories."""

import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest
from tests.e2e.background_workspaces import left
from tests.e2e.conftest import Launch, Running
from tests.e2e.test_restore import ALWAYS, ASK, WIDE, killed, panes, settled, store, used

from fugue_tui.geometry import Size
from fugue_tui.terminal.pty.spawn import Exit

pytestmark = [pytest.mark.slow, pytest.mark.forked]


WIDER = Size(200, 30)
MOUNTED = 'mount -t tmpfs -o size=256k,mode=700 none "$0" && exec "$@"'
PRIVATELY = f"""
import os, sys
os.makedirs(os.environ["FUGUE_STATE"])
os.execvp("unshare", ["unshare", "--mount", "--map-root-user", "sh", "-c", {MOUNTED!r}, os.environ["FUGUE_STATE"],
                      sys.executable, "-m", "fugue_tui", *sys.argv[1:]])
"""
SHIFTED = """
import sys, time
now = time.time
time.time = lambda: now() + {seconds}
from fugue_tui.cli.main import run
sys.exit(run(sys.argv[1:]))
"""
YEAR = 365 * 86_400


def shown_again(running: Running, *words: str) -> None:
    """Wait until what is offered is back, with these words on the screen."""
    running.host.wait_text(ASK)
    running.host.send("\r")
    running.host.wait_text("restored, saved", *words)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_what_a_signal_ended_is_offered(launch: Launch, number: int) -> None:
    first = used(launch, server=True)
    os.kill(first.server, number)
    first.host.wait_until(lambda: b"[e2e ended]" in first.host.received)
    shown_again(launch(size=WIDE), "once upon", "the log")


def test_what_a_user_ended_is_not_offered(launch: Launch) -> None:
    first = used(launch, server=True)
    first.host.send(b"\x02Q")
    first.host.wait_text("End the workspace e2e with 3 running programs?")
    first.host.send(b"y")
    first.host.wait_until(lambda: b"[e2e ended]" in first.host.received)
    second = launch(size=WIDE)
    second.ready()
    second.host.wait_until(lambda: len(panes(second)) == 1)
    assert ASK not in second.host.text


READ_ONLY = "until mount -o remount,bind,ro $FUGUE_STATE 2>/dev/null; do sleep 0.1; done"
"""Waits until the audit log is on the disk, and its file closed."""


def test_a_disk_that_fills_up_or_turns_read_only_is_told_tried_again_and_costs_nothing(launch: Launch) -> None:
    unshared = ["unshare", "--mount", "--map-root-user", "true"]
    if not shutil.which("unshare") or subprocess.run(unshared, capture_output=True, check=False).returncode:
        pytest.skip("no private mounts here")
    running = launch(program=("-c", PRIVATELY), size=WIDER)
    running.ready()
    running.host.wait_until(lambda: running.ask("list-saved")["saved"])
    troubles = (
        ("head -c 1000000 /dev/zero >$FUGUE_STATE/fill", "No space left on device; make room", "rm $FUGUE_STATE/fill"),
        (READ_ONLY, "Read-only file system", "mount -o remount,bind,rw $FUGUE_STATE"),
    )
    for number, (spoil, told, mend) in enumerate(troubles, 2):
        running.host.send(f"clear; {spoil}; echo spo''ilt\r")
        running.host.wait_text("spoilt")
        running.ask("create-window", "--command", "cat")
        running.host.wait_text("(not saved)", told)
        (kept,) = running.ask("list-saved")["saved"]
        assert kept["panes"] == number - 1
        running.host.send(f"clear; {mend}; echo men''ded\r")
        running.host.wait_text("mended", "the workspace is saved again")
        assert "(not saved)" not in running.host.text
        (kept,) = running.ask("list-saved")["saved"]
        assert (kept["panes"], kept["faults"]) == (number, [])


@pytest.mark.parametrize("years", [-20, 20])
def test_a_clock_change_does_not_affect_which_save_is_restored(launch: Launch, years: int) -> None:
    first = used(launch, program=("-c", SHIFTED.format(seconds=years * YEAR)))
    killed(first)
    second = launch(size=WIDE)
    shown_again(second, "once upon", "the log")
    second.ask("rename-window", "--name", "newer")
    settled(second, lambda: "newer" in second.host.text)
    killed(second)
    shown_again(launch(size=WIDE), "1 newer", "once upon")


def test_swapped_texts_are_left_out_and_reported(launch: Launch, tmp_path: Path) -> None:
    killed(used(launch))
    texts = [file for file in (Path(store().root) / "texts").iterdir() if not file.name.startswith(".")]
    data = [file.read_bytes() for file in texts]
    for file, other in zip(texts, data[1:] + data[:1], strict=True):
        file.write_bytes(other)
    second = launch(size=WIDE)
    shown_again(second, "its text was damaged and is left out")
    assert sorted(panes(second)) == ["%1", "%2", "%3"]


@pytest.mark.parametrize("what", ["auto/e2e.json", "auto", "texts", "."])
def test_nothing_that_is_saved_is_read_or_written_through_a_link(launch: Launch, room: Path, what: str) -> None:
    killed(used(launch))
    place = Path(store().root, what)
    place.rename(room / "elsewhere")
    place.symlink_to(room / "elsewhere")
    before = snapshot(room / "elsewhere")
    second = launch(size=WIDE)
    second.ready()
    second.host.wait_until(lambda: "cannot be restored" in second.host.text or ASK in second.host.text)
    second.host.send("\r")
    second.ask("create-window", "--command", "cat")
    if what != "auto/e2e.json":
        second.host.wait_text("(not saved)")
        assert "Not a directory; put a directory in its place (links are not followed here)" in second.log
    killed(second)
    assert snapshot(room / "elsewhere") == before


def first_column(running: Running) -> str:
    """What the pane at the left says, its lines joined."""
    return "".join(line.partition("┃")[0].rstrip() for line in running.host.text.splitlines())


def snapshot(place: Path) -> dict[str, bytes]:
    """Every file there, and what is in it."""
    files = place.rglob("*") if place.is_dir() else [place]
    return {str(file): file.read_bytes() for file in files if file.is_file()}


def test_sixty_four_panes_are_restored_at_once(launch: Launch, room: Path) -> None:
    first = launch(size=WIDE, config=ALWAYS)
    first.ready()
    pane = '[[windows.panes]]\ncommand = "seq 500; echo this is $FUGUE_PANE; exec cat"\n'
    (room / "layouts").mkdir()
    (room / "layouts" / "many.toml").write_text("version = 1\n" + ('[[windows]]\npreset = "tiled"\n' + pane * 9) * 7)
    first.ask("load-layout", "many")
    settled(first, lambda: len(panes(first)) == 64)
    killed(first)
    second = launch(size=WIDE, config=ALWAYS)
    second.host.wait_text("restored, saved")
    second.host.wait_until(lambda: len(panes(second)) >= 64)
    for pane in ("%2", "%33", "%64"):
        second.host.wait_until(lambda pane=pane: f"499\n500\nthis is {pane}" in second.shell("read-pane", pane).stdout)
    assert second.log == ""


def test_a_directory_and_a_program_that_are_gone_are_reported_where_they_were(launch: Launch, room: Path) -> None:
    (room / "deep").mkdir()
    program = room / "program"
    program.write_text("#!/bin/sh\necho still here\nexec cat\n")
    program.chmod(0o755)
    first = launch(size=WIDE)
    first.ready()
    first.host.send(f"cd {room}/deep\r")
    first.ask("split-pane", "--", str(program))
    settled(first, lambda: "still here" in first.host.text and panes(first)["%1"]["cwd"] == f"{room}/deep")
    killed(first)
    (room / "deep").rmdir()
    program.unlink()
    second = launch(size=WIDE)
    shown_again(second, "still here", "press Enter to run again: ")
    second.host.wait_until(lambda: f"{room}/deep is gone; it runs in {room}" in first_column(second))
    second.ask("focus-pane", "%2")
    second.host.send("\r")
    second.host.wait_text("press Enter to try again")
    assert sorted(panes(second))[:2] == ["%1", "%2"]
    second.host.send("\x1b")
    second.ask("focus-pane", "%1")
    second.host.send("pwd; echo al''ive\r")
    second.host.wait_text("alive")


NO_THREAD = """
import sys
from fugue_tui.multiplexer.autosave import saver
def refuse(thread):
    raise RuntimeError("can't start new thread")
saver.threading = type("threading", (), {**vars(saver.threading)})
saver.threading.Thread = type("Thread", (saver.threading.Thread,), {"start": refuse})
from fugue_tui.cli.main import run
sys.exit(run(sys.argv[1:]))
"""


@pytest.mark.parametrize("server", [False, True])
def test_a_start_for_which_the_system_has_no_threads_ends_with_the_reason(launch: Launch, *, server: bool) -> None:
    running = launch(program=("-c", NO_THREAD), server=server)
    left(running.host, b"fugue-tui: e2e cannot start: can't start new thread; ulimit -a has the limits", 1)
    assert not running.socket.exists()


def test_a_start_in_the_background_for_which_the_system_has_no_threads_says_why(launch: Launch) -> None:
    running = launch("--detached", program=("-c", NO_THREAD), server=True)
    running.host.wait_until(lambda: b"e2e cannot start: can't start new thread" in running.host.received)
    assert running.host.wait_exit() == Exit(1)
    assert not running.socket.exists()


NO_MEMORY = """
import sys
from fugue_tui.tui import server_main
def fail(*_):
    raise MemoryError
server_main._Server._create_server = fail
from fugue_tui.cli.main import run
sys.exit(run(sys.argv[1:]))
"""


@pytest.mark.parametrize("words", [("--foreground",), (), ("--detached",)])
def test_a_start_without_enough_memory_says_so(launch: Launch, words: tuple[str, ...]) -> None:
    running = launch(*words, program=("-c", NO_MEMORY), server=True)
    running.host.wait_until(lambda: b"there is not enough memory; ulimit -a has the limits" in running.host.received)
    assert running.host.wait_exit() == Exit(1)
    assert b"a bug" not in running.host.received
    assert not running.socket.exists()
