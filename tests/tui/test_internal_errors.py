"""Bugs in widgets, dialogs and renders: the server logs and tells them, and everybody's programs go on."""

import signal
from pathlib import Path

import pytest
from tests.tui.served_workspace import Serve, Serving
from tests.tui.served_workspace import serve as serve
from tests.tui.socket_clients import hello

from fugue_tui.geometry import Size

pytestmark = pytest.mark.slow


BROKEN = """
from fugue_tui_widgets import dialogs, pane_grid, status_bar, terminal_view
from fugue_tui.tui import workspace_screen
from textual.widgets import Input

def fail(*_, **__):
    raise RuntimeError("planted")

async def fail_soon(*_, **__):
    fail()
"""
WHERE = {
    "a click on the bar": ("status_bar.StatusBar.on_click = fail_soon", "\x1b[<0;9;24M\x1b[<0;9;24m"),
    "a click on a pane": ("terminal_view.TerminalView.on_mouse_down = fail_soon", "\x1b[<0;9;5M\x1b[<0;9;5m"),
    "a click on a divider": ("pane_grid.PaneGrid.on_mouse_down = fail_soon", "\x02%|\x1b[<0;41;9M\x1b[<0;41;9m"),
    "a message to the screen": (
        "workspace_screen.WorkspaceScreen.on_status_bar_tab_clicked = fail", "\x02c|\x1b[<0;9;24M\x1b[<0;9;24m",
    ),
}  # fmt: skip


def assert_alive(serving: Serving) -> None:
    """It still takes keys and commands, draws, and lets people in and out."""
    serving.first.send("alive")
    serving.shows(serving.first, "alive")
    other = serving.attach()
    serving.shows(other, "alive")
    other.send("\x02d")
    serving.until(lambda: not other.open)
    assert serving.process.poll() is None


@pytest.mark.parametrize("where", WHERE)
def test_a_bug_in_a_handler_is_reported_and_nothing_ends(serve: Serve, where: str) -> None:
    patch, keys = WHERE[where]
    first, _, keys = keys.rpartition("|")
    serving = serve(first=hello(), prelude=BROKEN + patch)
    serving.shows(serving.first, "1 cat")
    serving.first.send(first)
    serving.shows(serving.first, "sh" if first else "cat")
    serving.settle()
    for _ in range(2):
        serving.first.send(keys)
        serving.shows(serving.first, "internal error: RuntimeError")
    assert "planted" in serving.log
    assert "Traceback" in serving.log
    assert b"Traceback" not in serving.first.received
    assert_alive(serving)


def test_a_dialog_that_breaks_is_closed(serve: Serve) -> None:
    serving = serve(first=hello(), prelude=BROKEN + "dialogs.Confirm.on_key = fail_soon")
    serving.shows(serving.first, "1 cat")
    serving.first.send("\x02x")
    serving.shows(serving.first, "Close pane")
    serving.first.send("k")
    serving.until(lambda: "Close pane" not in serving.first.text)
    serving.shows(serving.first, "internal error")
    assert_alive(serving)


def test_a_widget_of_a_dialog_that_breaks_takes_only_the_dialog_along(serve: Serve) -> None:
    serving = serve(first=hello(), prelude=BROKEN + "Input._on_key = fail_soon")
    serving.shows(serving.first, "1 cat")
    serving.first.send("\x02,")
    serving.shows(serving.first, "name of this window")
    serving.first.send("k")
    serving.until(lambda: "name of this window" not in serving.first.text)
    assert_alive(serving)


def test_an_error_in_rendering_is_reported_at_intervals_until_it_is_gone(serve: Serve) -> None:
    patch = """
from fugue_tui.tui import error_reporter
error_reporter._PAUSE = 1_000
before, failed = pane_grid.PaneGrid.render_lines, Path(path + ".failed")
def render(self, crop):
    if len(self.views) > 1:
        with failed.open("a") as file:
            file.write(".")
        fail()
    return before(self, crop)
pane_grid.PaneGrid.render_lines = render
"""
    serving = serve(first=hello(), prelude=BROKEN + patch)
    serving.shows(serving.first, "1 cat")
    serving.call("split-pane", "--", "cat")
    serving.until(lambda: "planted" in serving.log)
    failed = Path(serving.path + ".failed")
    for rows in (20, 30, 24):
        times = len(failed.read_text())
        serving.first.resize(Size(80, rows))
        serving.until(lambda times=times: len(failed.read_text()) > times)
    assert serving.log.count("Traceback") == 1
    serving.call("close-pane", "%2")
    assert_alive(serving)


def test_an_error_in_the_first_drawing_for_a_client_does_not_end_its_attaching(serve: Serve) -> None:
    patch = """
before, broken = pane_grid.PaneGrid.render_lines, Path(path + ".broken")
pane_grid.PaneGrid.render_lines = lambda self, crop: fail() if broken.exists() else before(self, crop)
"""
    serving = serve(first=hello(), prelude=BROKEN + patch)
    serving.shows(serving.first, "1 cat")
    serving.first.send("\x02d")
    serving.until(lambda: not serving.first.open)
    broken = Path(serving.path + ".broken")
    broken.touch()
    other = serving.attach()
    serving.until(lambda: "planted" in serving.log)
    broken.unlink()
    other.send("alive")
    serving.shows(other, "alive")


def test_a_bug_in_the_start_ends_it_and_is_reported(serve: Serve) -> None:
    patch = "\nfrom fugue_tui.tui import app\napp.arrange = fail"
    serving = serve(first=hello(), prelude=BROKEN + patch)
    serving.until(lambda: serving.process.poll() is not None)
    serving.until(lambda: not serving.first.open)
    assert serving.process.returncode == 1
    assert serving.first.bye is not None
    assert (serving.first.bye.reason, serving.first.bye.status) == ("error", 1)
    assert "planted" in serving.log


def test_a_signal_in_the_middle_of_the_start_is_handled(serve: Serve) -> None:
    serving = serve("sh", "-c", "trap '' HUP TERM; echo ready; while :; do sleep 0.1; done", first=hello(Size(70, 20)))
    serving.shows(serving.first, "ready")
    assert serving.end(signal.SIGTERM) == 143
    serving.until(lambda: not serving.first.open)
    assert serving.first.bye is not None
    assert (serving.first.bye.reason, serving.first.bye.status) == ("ended", 143)


def test_a_first_program_that_cannot_start_is_reported_to_who_started_it(serve: Serve) -> None:
    serving = serve("/no/such/program", first=hello())
    serving.until(lambda: serving.process.poll() is not None)
    serving.until(lambda: not serving.first.open)
    assert serving.first.bye is not None
    assert serving.first.bye.reason == "error"
    assert "/no/such/program" in serving.first.bye.message
    assert b"\x1b" not in serving.first.received
