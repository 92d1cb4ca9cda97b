"""A cursor of the person's own goes through the text, and keys select and copy it."""

import threading
from typing import Literal

import pytest
from tests.tui.conftest import Open, Stage
from tests.tui.text_selection import LINES, TEXT
from tests.tui.text_selection import patient_clicks as patient_clicks
from textual.events import Paste

from fugue_tui.config.model import Config, KeySettings, UiSettings
from fugue_tui.control.command_table import panes, windows
from fugue_tui.control.output.text_search import Found, find_all
from fugue_tui.multiplexer.watch.patterns import Pattern
from fugue_tui.terminal.screen.pins import Point
from fugue_tui.terminal.terminal import Terminal
from fugue_tui.tui.input.clipboard import MOST_BYTES, copy
from fugue_tui.tui.input.copy_keys import is_emacs

pytestmark = pytest.mark.slow


async def test_keys_move_a_cursor_select_and_copy(open_stage: Open) -> None:
    async with open_stage("sh", "-c", TEXT) as stage:
        await stage.until_text("ready")
        await stage.prefix("left_square_bracket")
        await stage.until(lambda: "copy mode" in stage.text)
        cursor = stage.view().cursor
        assert cursor is not None
        assert (cursor.x, cursor.y) == (5, 3)
        await stage.press("k", "k", "0", "w", "v")
        await stage.until(lambda: "selecting" in stage.text)
        await stage.press("e")
        await stage.until(lambda: stage.terminal().copy_mode.selected_text == "/usr/share/doc.txt")
        await stage.press("j", "left", "h")
        assert stage.terminal().copy_mode.selected_text == "/usr/share/doc.txt here\nlast li"
        await stage.press("y")
        await stage.until(lambda: "copied 31 characters in 2 lines" in stage.text)
        assert stage.app.clipboard == "/usr/share/doc.txt here\nlast li"
        await stage.press("x", "enter")
        await stage.until_text("readyx")


@pytest.mark.parametrize(
    ("keys", "text"),
    [
        ("gvw", "one t"),
        ("gv$", "one two three"),
        ("gwvb", "one t"),
        ("gwve", "two"),
        ("gV", "one two three"),
        ("gjVk", "one two three\nsee /usr/share/doc.txt here"),
        ("gvVj", "one two three\nsee /usr/share/doc.txt here"),
        ("gjl" + "v" + "0", "se"),
        ("G$v^", "ready"),
        ("HvL", "one two three\nsee /usr/share/doc.txt here\nlast line\nready"),
        ("gj$v^", "see /usr/share/doc.txt here"),
        ("gjvll", "see"),
        ("g$vhh", "ree"),
        ("gGvkk0", "see /usr/share/doc.txt here\nlast line\nr"),
        ("gvv", ""),
        ("gvee", "one two"),
        ("gjwvw", "/usr/share/doc.txt h"),
    ],
)
async def test_motions_are_those_of_vi(open_stage: Open, keys: str, text: str) -> None:
    async with open_stage("sh", "-c", TEXT) as stage:
        await stage.until_text("ready")
        await stage.prefix("left_square_bracket")
        await stage.press(
            *("dollar_sign" if key == "$" else "circumflex_accent" if key == "^" else key for key in keys)
        )
        assert stage.terminal().copy_mode.selected_text == text


async def test_the_cursor_goes_through_the_history_and_the_view_with_it(open_stage: Open) -> None:
    async with open_stage("sh", "-c", LINES) as stage:
        await stage.until_text("ready")
        await stage.prefix("left_square_bracket", "pageup")
        assert stage.terminal().scrollback.offset == 22
        await stage.press("V", *["up"] * 23)
        assert stage.terminal().scrollback.offset == 23
        assert stage.terminal().copy_mode.selected_text.split("\n") == [f"line {n}" for n in range(156, 180)][-24:]
        await stage.press("g")
        assert stage.terminal().copy_mode.selected_text.startswith("line 1\nline 2\n")
        await stage.press("enter")
        await stage.until(lambda: "copied" in stage.text)
        assert stage.terminal().scrollback.offset == 0
        assert stage.app.clipboard.count("\n") == 178


async def test_escape_drops_and_then_leaves_and_q_leaves_at_once(open_stage: Open) -> None:
    async with open_stage("sh", "-c", TEXT) as stage:
        await stage.until_text("ready")
        await stage.prefix("left_square_bracket", "g", "v", "l")
        assert stage.terminal().copy_mode.selected_text == "on"
        await stage.press("escape")
        assert stage.terminal().copy_mode.selected is None
        await stage.until(lambda: "copy mode" in stage.text)
        await stage.press("y")
        await stage.until(lambda: "nothing is selected" in stage.text)
        await stage.press("escape")
        await stage.until(lambda: not stage.terminal().copy_mode.reads)
        await stage.prefix("left_square_bracket", "g", "space", "l", "q")
        assert stage.terminal().copy_mode.selected is None
        assert not stage.terminal().copy_mode.reads
        assert stage.app.clipboard == ""
        cursor = stage.view().cursor
        assert cursor is not None
        assert cursor.y == 3


async def test_each_pane_has_its_own_copy_mode_and_keeps_it(open_stage: Open) -> None:
    async with open_stage("sh", "-c", TEXT) as stage:
        await stage.until_text("ready")
        stage.run(panes.SplitPane(command=("sh", "-c", TEXT)))
        await stage.until_text("ready", pane=2)
        await stage.prefix("left_square_bracket", "g", "v", "l")
        await stage.prefix("left")
        await stage.press("x", "enter")
        await stage.until_text("readyx")
        await stage.prefix("left_square_bracket", "G")
        await stage.prefix("right")
        assert stage.terminal(1).copy_mode.reads
        await stage.until(lambda: stage.text.splitlines()[0].count("copy mode") == 1)
        assert "selecting" in stage.text.splitlines()[0]
        await stage.press("l")
        assert stage.terminal(2).copy_mode.selected_text == "one"
        await stage.press("q")
        assert (stage.terminal(1).copy_mode.reads, stage.terminal(2).copy_mode.reads) == (True, False)
        assert "readyx" not in stage.pane_text(2)


@pytest.mark.parametrize("keys", ["r", "escape", "c"])
async def test_the_prefix_leaves_copy_mode_as_it_is(open_stage: Open, keys: str) -> None:
    async with open_stage("sh", "-c", TEXT) as stage:
        await stage.until_text("ready")
        await stage.prefix("left_square_bracket", "g", "v")
        await stage.prefix(keys)
        if keys == "c":
            await stage.prefix("l")
        await stage.press("l", "l")
        assert stage.terminal().copy_mode.selected_text == "one"
        assert "ready" in stage.pane_text().splitlines()[3]


async def test_what_was_copied_is_pasted_by_a_key(open_stage: Open) -> None:
    async with open_stage("sh", "-c", TEXT.replace("exec cat", "stty raw; exec cat -v")) as stage:
        await stage.until_text("ready")
        await stage.prefix("right_square_bracket")
        await stage.until(lambda: "nothing was copied yet" in stage.text)
        await stage.prefix("left_square_bracket", "g", "v", "e", "y")
        await stage.until(lambda: "copied 3 characters; ctrl+b ] pastes" in stage.text)
        await stage.prefix("right_square_bracket")
        await stage.until_text("readyone")
        stage.terminal().receive(memoryview(b"\x1b[?2004h"))
        stage.app.copy("a\x03b\x1b[201~c\n", None)
        await stage.prefix("right_square_bracket")
        await stage.until_text("readyone^[[200~abc")
        await stage.until_text("^[[201~")
        assert "^C" not in stage.pane_text()


async def test_a_text_that_is_too_long_for_a_clipboard_is_pasted_inside(open_stage: Open) -> None:
    async with open_stage("sh", "-c", TEXT) as stage:
        await stage.until_text("ready")
        copy(stage.app, "x" * (MOST_BYTES + 1), None, None)
        await stage.until(lambda: f"copied {MOST_BYTES + 1} characters; ctrl+b ] pastes" in stage.text)
        assert len(stage.app.clipboard) == MOST_BYTES + 1


async def test_what_keys_do_is_shown_beside_a_message(open_stage: Open) -> None:
    async with open_stage("sh", "-c", TEXT) as stage:
        await stage.until_text("ready")
        await stage.prefix("left_square_bracket")
        stage.app.alert("copied 3 characters")
        await stage.until(lambda: "copied 3 characters" in stage.text and "copy mode" in stage.text)


@pytest.mark.parametrize("status", [True, False])
async def test_copy_mode_the_prefix_and_history_are_seen_whatever_is_in_the_bar(open_stage: Open, status: bool) -> None:
    config = Config(ui=UiSettings(status=status, which_key_delay_ms=10_000))
    async with open_stage("sh", "-c", LINES, config=config) as stage:
        await stage.until_text("ready")
        for _ in range(9):
            stage.run(windows.CreateWindow(command=("sh", "-c", LINES)))
        await stage.until_text("ready", pane=10)
        await stage.press("ctrl+b")
        await stage.until(lambda: "prefix" in stage.text.splitlines()[-1])
        await stage.press("left_square_bracket")
        await stage.until(lambda: "copy mode" in stage.text.splitlines()[-1])
        await stage.press("v")
        await stage.until(lambda: "selecting" in stage.text.splitlines()[-1])
        await stage.press("q")
        stage.view(10).scroll_back(7)
        await stage.until(lambda: "history -7" in stage.text.splitlines()[-1])
        stage.view(10).scroll_back(-7)
        await stage.until(lambda: "history" not in stage.text.splitlines()[-1])
        assert stage.rects[10].bottom == stage.app.size.height - status


async def test_the_cursor_follows_its_text_while_output_comes(open_stage: Open) -> None:
    async with open_stage("sh", "-c", LINES) as stage:
        await stage.until_text("ready")
        await stage.prefix("left_square_bracket", "k", "0", "v", "l", "l", "l")
        assert stage.terminal().copy_mode.selected_text == "line"
        stage.terminal().receive(memoryview(b"\r\nmore" * 10))
        await stage.press("j")
        selected = stage.terminal().copy_mode.selected
        assert selected is not None
        assert selected.first == Point(199, 0)
        assert stage.terminal().copy_mode.selected_text == "line 200\nread"


async def test_the_prefix_pressed_twice_is_a_key_of_copy_mode(open_stage: Open) -> None:
    async with open_stage("sh", "-c", LINES) as stage:
        await stage.until_text("ready")
        await stage.prefix("left_square_bracket")
        await stage.prefix("ctrl+b")
        assert stage.terminal().scrollback.offset == 22
        assert "^B" not in stage.pane_text()


SEARCHED = "stty -echo; for w in one two Two three two; do echo \"$w $w\"; done; printf 'a(b\\nready'; exec cat"


def current(stage: Stage) -> tuple[int, int]:
    at = stage.view().cursor
    assert at is not None
    return at.y, at.x


def backgrounds(stage: Stage, colour: int) -> list[str]:
    """What stands on a colour, row by row."""
    stage.terminal().seen.refresh()
    rows = [stage.terminal().seen.row(y) for y in range(6)]
    return [text for row in rows if (text := "".join(run.text for run in row.runs if run.style.bg == colour))]


async def test_a_search_goes_to_matches_as_it_is_typed_and_shows_all(open_stage: Open) -> None:
    async with open_stage("sh", "-c", SEARCHED) as stage:
        await stage.until_text("ready")
        await stage.prefix("left_square_bracket", "g", "slash", "t")
        await stage.until(lambda: "/t 1/8" in stage.text)
        assert current(stage) == (1, 0)
        await stage.press("w", "o")
        await stage.until(lambda: "/two 1/6" in stage.text)
        assert backgrounds(stage, 6) == ["two"]
        assert backgrounds(stage, 3) == ["two", "TwoTwo", "twotwo"]
        await stage.press("enter", "n", "n")
        await stage.until(lambda: "copy mode 3/6 · n next · N previous" in stage.text)
        assert current(stage) == (2, 0)
        await stage.press("N", "N", "N")
        assert current(stage) == (4, 4)
        await stage.press("2", "n")
        assert current(stage) == (1, 4)
        await stage.press("question_mark", "T", "enter")
        await stage.until(lambda: "2/2" in stage.text)
        assert current(stage) == (2, 4)
        await stage.press("n")
        assert current(stage) == (2, 0)
        await stage.press("q")
        assert backgrounds(stage, 3) == backgrounds(stage, 6) == []


async def test_a_search_is_cancelled_and_says_what_is_wrong(open_stage: Open) -> None:
    async with open_stage("sh", "-c", SEARCHED) as stage:
        await stage.until_text("ready")
        await stage.prefix("left_square_bracket", "g", "slash", *"two", "enter")
        await stage.until(lambda: "1/6" in stage.text)
        await stage.press("slash", "a", "left_parenthesis")
        await stage.until(lambda: "/a( missing" in stage.text)
        assert current(stage) == (1, 0)
        await stage.press("enter")
        await stage.until(lambda: "/a( missing" in stage.text)
        await stage.press("backspace", "backspace", *"nowhere")
        await stage.until(lambda: "/nowhere no match" in stage.text)
        await stage.press("escape")
        await stage.until(lambda: "copy mode 1/6" in stage.text)
        await stage.press("n")
        assert current(stage) == (1, 4)
        await stage.press("slash", "backslash", "left_parenthesis", "enter")
        await stage.until(lambda: "1/1" in stage.text)
        assert current(stage) == (5, 1)
        await stage.press("slash")
        assert stage.app.take_paste(Paste("thr\n"))
        await stage.until(lambda: "/thr 1/2" in stage.text)
        assert "thr" not in stage.pane_text().split("ready")[1]


async def test_the_word_under_the_cursor_is_searched_and_a_search_goes_through_the_history(open_stage: Open) -> None:
    async with open_stage("sh", "-c", LINES) as stage:
        await stage.until_text("ready")
        await stage.prefix("left_square_bracket", "question_mark", *"110", "enter")
        await stage.until(lambda: "copy mode 1/1" in stage.text)
        assert stage.terminal().scrollback.offset > 50
        await stage.press("0", "asterisk")
        await stage.until(lambda: "copy mode 111/200" in stage.text)
        stage.terminal().receive(memoryview(b"\r\nline x" * 30))
        await stage.press("n")
        await stage.until(lambda: "copy mode 112/230" in stage.text)
        assert stage.pane_text().startswith("line ")


@pytest.mark.parametrize(
    ("keys", "text"),
    [
        ("g2wve", "three"),
        ("gv2e", "one two"),
        ("gj4lfov3l", "oc.t"),
        ("gjf/v;", "/usr/"),
        ("gjf/;v,", "/usr/"),
        ("gjvt/", "see"),
        ("g$vFwohh", "wo thr"),
        ("g$vTwl", " three"),
        ("gvlloh", "one"),
        ("g3jv2k", "see /usr/share/doc.txt here\nlast line\nr"),
        ("gjWvE", "/usr/share/doc.txt"),
        ("gv}", "one two three\nsee /usr/share/doc.txt here\nlast line\nready"),
    ],
)
async def test_counts_jumps_and_big_words(open_stage: Open, keys: str, text: str) -> None:
    names = {"$": "dollar_sign", "/": "slash", ";": "semicolon", ",": "comma", "}": "right_curly_bracket"}
    async with open_stage("sh", "-c", TEXT) as stage:
        await stage.until_text("ready")
        await stage.prefix("left_square_bracket")
        await stage.press(*(names.get(key, key) for key in keys))
        assert stage.terminal().copy_mode.selected_text == text


async def test_a_rectangle_is_selected_and_copied(open_stage: Open) -> None:
    async with open_stage("sh", "-c", TEXT) as stage:
        await stage.until_text("ready")
        await stage.prefix("left_square_bracket", "g", "4", "l", "ctrl+v", "2", "j", "2", "l")
        await stage.until(lambda: "selecting a rectangle" in stage.text)
        assert stage.terminal().copy_mode.selected_text == "two\n/us\n li"
        await stage.press("ctrl+v")
        assert stage.terminal().copy_mode.selected_text == "two three\nsee /usr/share/doc.txt here\nlast li"
        await stage.press("R", "o", "h", "y")
        await stage.until(lambda: stage.app.clipboard == " two\n /us\nt li")


async def test_prompts_and_outputs_are_reached_by_keys(open_stage: Open) -> None:
    prompt = r"\033]133;A\007$ \033]133;B\007"
    first = rf"{prompt}ls\n\033]133;C\007a.txt\nb.txt\n\033]133;D;0\007"
    shown = rf"{first}{prompt}echo\n\033]133;C\007\nlast\n\033]133;D\007{prompt}"
    async with open_stage("sh", "-c", f"stty -echo; printf '{shown}ready'; exec cat") as stage:
        await stage.until_text("ready")
        await stage.prefix("left_square_bracket", "left_square_bracket")
        assert current(stage) == (3, 0)
        await stage.press("left_parenthesis")
        assert current(stage) == (1, 0)
        await stage.press("O")
        assert stage.terminal().copy_mode.selected_text == "a.txt\nb.txt"
        await stage.press("escape", "2", "right_square_bracket", "O", "y")
        await stage.until(lambda: stage.app.clipboard == "\nlast")


async def test_emacs_keys_by_the_configuration(open_stage: Open) -> None:
    config = Config(keys=KeySettings(copy_mode="emacs"))
    async with open_stage("sh", "-c", TEXT, config=config) as stage:
        await stage.until_text("ready")
        await stage.prefix("left_square_bracket")
        await stage.until(lambda: "ctrl+space selects" in stage.text)
        await stage.press("ctrl+p", "ctrl+p", "ctrl+p", "ctrl+a", "ctrl+@", "alt+2", "alt+f")
        assert stage.terminal().copy_mode.selected_text == "one two"
        await stage.press("alt+w")
        await stage.until(lambda: stage.app.clipboard == "one two")
        await stage.prefix("left_square_bracket", "ctrl+r", *"doc", "enter")
        await stage.until(lambda: "1/1" in stage.text)
        await stage.press("ctrl+k")
        await stage.until(lambda: stage.app.clipboard == "doc.txt here")


@pytest.mark.parametrize(
    ("copy_mode", "visual", "editor", "emacs"),
    [
        ("auto", "", "", False),
        ("auto", "", "/usr/bin/emacsclient -nw", True),
        ("auto", "vim", "emacs", False),
        ("vi", "emacs", "", False),
        ("emacs", "vim", "", True),
    ],
)
def test_the_editor_decides_unless_the_configuration_does(
    monkeypatch: pytest.MonkeyPatch, copy_mode: Literal["auto", "vi", "emacs"], visual: str, editor: str, emacs: bool
) -> None:
    monkeypatch.setenv("VISUAL", visual)
    monkeypatch.setenv("EDITOR", editor)
    assert is_emacs(KeySettings(copy_mode=copy_mode)) is emacs


async def test_the_hint_can_be_clicked_in_copy_mode_and_quick_select(open_stage: Open) -> None:
    async with open_stage("sh", "-c", SEARCHED) as stage:
        await stage.until_text("ready")
        await stage.prefix("left_square_bracket", "g", "slash", *"two", "enter")
        await stage.until(lambda: "copy mode 1/6" in stage.text)
        stage.app.keyboard.click_hint("N previous")
        assert current(stage) == (4, 4)
        stage.app.keyboard.click_hint("n next")
        assert current(stage) == (1, 0)
        stage.app.keyboard.click_hint("q leaves")
        assert not stage.terminal().copy_mode.reads
        stage.terminal().receive(memoryview(b" 12345"))
        await stage.prefix("y")
        stage.app.keyboard.click_hint("A opens")
        await stage.until(lambda: "quick select" in stage.text)
        stage.app.keyboard.click_hint("Escape cancels")
        await stage.until(lambda: "quick select" not in stage.text)


async def test_a_search_reads_the_text_on_another_thread(open_stage: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    threads: list[int] = []

    def find(terminal: Terminal, pattern: Pattern) -> Found | None:
        threads.append(threading.get_ident())
        return find_all(terminal, pattern)

    monkeypatch.setattr("fugue_tui.tui.input.copy_search.find_all", find)
    async with open_stage("sh", "-c", SEARCHED) as stage:
        await stage.until_text("ready")
        await stage.prefix("left_square_bracket", "slash", *"two")
        await stage.until(lambda: "/two 1/6" in stage.text)
    assert threads
    assert threading.get_ident() not in threads


async def test_a_search_begins_in_the_view_once_the_text_at_the_cursor_is_gone(open_stage: Open) -> None:
    async with open_stage("sh", "-c", TEXT) as stage:
        await stage.until_text("ready")
        await stage.prefix("left_square_bracket", "g")
        stage.terminal().receive(memoryview(b"".join(b"line %d\r\n" % number for number in range(60_000))))
        await stage.press("slash", *"59999")
        await stage.until(lambda: "/59999 1/1" in stage.text)
        await stage.press("enter")
        assert stage.terminal().scrollback.offset < 30
