"""All panes are searched from one line: the matching lines are listed by pane, previewed, and gone to."""

import threading
from collections.abc import Callable

import pytest
from tests.tui.conftest import Open, Stage, use_light_terminal
from tests.tui.test_snapshots import Picture
from tests.tui.test_snapshots import picture as picture

from fugue_tui.control.command_table import panes, windows
from fugue_tui.control.core.new_pane import Direction
from fugue_tui.control.output import pane_search
from fugue_tui.control.output.pane_search import MOST_LINES, FoundLine, shown
from fugue_tui.control.output.text_search import LineMatches
from fugue_tui.ids import PaneId
from fugue_tui.tui.ui import search_everywhere
from fugue_tui_widgets.finder_screen import FinderScreen
from fugue_tui_widgets.row_list import RowList

pytestmark = pytest.mark.slow

BUILD = "seq 1 200 | sed 's/^/compiling unit /'; printf 'src/lexer.c:41: Error: unknown token\\r\\nready'; exec cat"
LOG = "for n in $(seq 1 60); do echo request $n ok; done; echo 'request 61 error: timed out'; printf ready; exec cat"


async def three_panes(stage: Stage) -> None:
    """A log in a window of its own, and a build beside the first pane."""
    await stage.until(lambda: stage.pane_text())
    stage.run(windows.CreateWindow(command=("sh", "-c", LOG), name="server", focus=False))
    await stage.until_text("ready", pane=2)
    stage.run(
        panes.SplitPane(pane="%1", direction=Direction.HORIZONTAL, command=("sh", "-c", BUILD), name="make", focus=True)
    )
    await stage.until_text("ready", pane=3)


async def search(stage: Stage, text: str) -> None:
    """Open the search and type a text."""
    await stage.prefix("slash")
    await stage.until(lambda: isinstance(stage.app.screen, FinderScreen))
    await typed(stage, text)


async def typed(stage: Stage, text: str) -> None:
    """Type a text, and wait until all panes are searched for it."""
    await stage.press(*({" ": "space", "^": "circumflex_accent"}.get(key, key) for key in text))
    await searched(stage)


async def searched(stage: Stage) -> None:
    """Wait until the title says how many lines there are."""
    frame = stage.app.screen.query_one("#frame")
    await stage.until(lambda: "search: " in str(frame.border_title) and "..." not in str(frame.border_title))


def listed(stage: Stage) -> list[str]:
    """The rows of the list."""
    rows = stage.app.screen.query_one(RowList)._rows  # pyright: ignore[reportPrivateUsage]
    return ["".join(text for text, _ in row.parts) for row in rows]


async def shows(stage: Stage) -> None:
    """The errors of three panes, with the second one under the cursor."""
    await three_panes(stage)
    await search(stage, "error")
    stage.app.screen.query_one("Input").cursor_blink = False  # pyright: ignore[reportAttributeAccessIssue]
    await stage.press("down")
    await stage.until(lambda: "request 59" in stage.text or stage.app.size.height < 16)


@pytest.mark.parametrize(("cols", "rows"), [(120, 36), (80, 24), (40, 12)])
def test_the_list_and_the_preview(picture: Picture, cols: int, rows: int) -> None:
    assert picture(shows, cols, rows, drawn=False)


def test_the_list_in_a_light_theme(picture: Picture, monkeypatch: pytest.MonkeyPatch) -> None:
    from fugue_tui.config.model import Config, UiSettings

    use_light_terminal(monkeypatch)
    config = Config(ui=UiSettings(theme="ansi-light", which_key_delay_ms=10_000))
    assert picture(shows, 80, 24, config, drawn=False)


async def test_lines_of_all_panes_are_listed_by_pane_those_of_the_focused_one_first(open_stage: Open) -> None:
    async with open_stage("sh", "-c", "echo an Error here; exec cat") as stage:
        await three_panes(stage)
        await search(stage, "error")
        assert listed(stage) == [
            "%3 make · window 1 make  1 line",
            "  src/lexer.c:41: Error: unknown token",
            "%1 cat · window 1 make  1 line",
            "  an Error here",
            "%2 cat · window 2 server  1 line",
            "  request 61 error: timed out",
        ]
        assert "3 lines in 3 panes" in stage.text
        await stage.press(*["backspace"] * 5)
        await typed(stage, "Error")
        assert "2 lines in 2 panes" in stage.text  # A capital: case counts.


async def test_enter_goes_to_the_line_wherever_it_is(open_stage: Open) -> None:
    async with open_stage() as stage:
        await three_panes(stage)
        stage.run(windows.SelectWindow(window="@2"))
        await search(stage, "unit 7$")
        await stage.press("enter")
        await stage.until(lambda: "copy mode 1/1" in stage.text)
        assert stage.mux.focused == PaneId(3)
        cursor = stage.view(3).cursor
        assert cursor is not None
        lines = stage.pane_text(3).splitlines()
        assert lines[cursor.y] == "compiling unit 7"
        assert cursor.x == len("compiling ")
        marks = stage.terminal(3).copy_mode._marks  # pyright: ignore[reportPrivateUsage]
        assert list(marks) == [cursor.y]
        await stage.press("q")
        await stage.until(lambda: "copy mode" not in stage.text)


async def test_n_goes_on_after_the_jump(open_stage: Open) -> None:
    async with open_stage() as stage:
        await three_panes(stage)
        await search(stage, "unit 1.$")
        await stage.press("pagedown", "enter")
        await stage.until(lambda: "copy mode 1/10" in stage.text)
        await stage.press("n")
        await stage.until(lambda: "copy mode 2/10" in stage.text)


async def test_scopes_narrow_the_search(open_stage: Open) -> None:
    async with open_stage("sh", "-c", "echo an Error here; exec cat") as stage:
        await three_panes(stage)
        await search(stage, "error")
        await stage.press("shift+tab")
        await searched(stage)
        assert [row.split()[0] for row in listed(stage) if row.startswith("%")] == ["%3", "%1"]
        await stage.press("tab", "tab")
        await searched(stage)
        assert [row.split()[0] for row in listed(stage) if row.startswith("%")] == ["%3"]
        await stage.press("tab")
        await stage.until(lambda: "no output of a command is known in %3" in stage.text)


MARKED = (
    "printf '\\033]133;A\\007$ \\033]133;B\\007make\\r\\n\\033]133;C\\007needle one\\r\\n\\033]133;D;0\\007';"
    "printf '\\033]133;A\\007$ \\033]133;B\\007make test\\r\\n\\033]133;C\\007needle two\\r\\n\\033]133;D;1\\007';"
    "printf '\\033]133;A\\007$ \\033]133;B\\007'; exec cat"
)


async def test_the_output_of_the_last_command_is_a_scope(open_stage: Open) -> None:
    async with open_stage("sh", "-c", MARKED) as stage:
        await stage.until_text("needle two")
        await search(stage, "needle")
        assert [row.strip() for row in listed(stage)[1:]] == ["needle two", "needle one"]
        await stage.press("tab", "tab")
        await searched(stage)
        assert [row.strip() for row in listed(stage)[1:]] == ["needle two"]


async def test_in_copy_mode_the_output_is_that_of_the_command_at_the_cursor(open_stage: Open) -> None:
    async with open_stage("sh", "-c", MARKED) as stage:
        await stage.until_text("needle two")
        await stage.prefix("left_square_bracket")
        await stage.press("g", "j")
        await search(stage, "needle")
        await stage.press("tab", "tab")
        await searched(stage)
        assert [row.strip() for row in listed(stage)[1:]] == ["needle one"]


async def test_an_invalid_pattern_is_reported_and_can_be_corrected(open_stage: Open) -> None:
    async with open_stage("sh", "-c", "echo 'a (b)'; exec cat") as stage:
        await stage.until_text("a (b)")
        await search(stage, "a")
        await stage.press("backspace", "left_parenthesis")
        await stage.until(lambda: "missing )" in stage.text)
        assert listed(stage) == []
        await stage.press("b", "right_parenthesis")
        await searched(stage)
        assert listed(stage)[1:] == ["  a (b)"]


async def test_the_mouse_chooses_and_goes_there(open_stage: Open) -> None:
    async with open_stage() as stage:
        await three_panes(stage)
        await search(stage, "unit")
        finder = stage.app.screen
        assert isinstance(finder, FinderScreen)
        rows = finder.query_one(RowList)
        await stage.pilot.click(RowList, offset=(4, 3))
        assert finder.key == "%3:197"
        x, y = rows.region.offset
        await stage.wheel(up=False, at=(x + 4, y + 3))
        await stage.until(lambda: rows.scroll_y > 0)
        await stage.pilot.click("#scopes > *:first-child")
        await searched(stage)
        assert "200 lines" in stage.text
        await stage.pilot.click(RowList, offset=(4, 3), times=2)
        await stage.until(lambda: "copy mode" in stage.text and not isinstance(stage.app.screen, FinderScreen))


@pytest.mark.parametrize("key", ["escape", "ctrl+c"])
async def test_escape_and_ctrl_c_close_it(open_stage: Open, key: str) -> None:
    async with open_stage() as stage:
        await search(stage, "a")
        await stage.press(key)
        await stage.until(lambda: not isinstance(stage.app.screen, FinderScreen))


async def test_what_was_searched_for_last_stands_in_the_line(open_stage: Open) -> None:
    async with open_stage("sh", "-c", "echo needle; exec cat") as stage:
        await stage.until_text("needle")
        await search(stage, "need")
        await stage.press("enter")
        await stage.until(lambda: "copy mode 1/1" in stage.text)
        await stage.press("q")
        await search(stage, "l")
        assert listed(stage)[1:] == ["  needle"]


async def test_a_line_that_is_gone_is_searched_for_again(open_stage: Open) -> None:
    async with open_stage() as stage:
        await three_panes(stage)
        await search(stage, "unit 3$")
        terminal = stage.terminal(3)
        terminal.receive(memoryview(b"\x1b[3J\x1b[2J\x1b[Hcleared"))
        await stage.press("enter")
        await stage.until(lambda: "0 lines in 0 panes" in stage.text)


async def test_panes_are_searched_on_other_threads_and_a_flood_is_no_obstacle(
    open_stage: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads = set[int]()
    search_pane = pane_search.search_pane

    def recorded(*args: object) -> object:
        threads.add(threading.get_ident())
        return search_pane(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(search_everywhere, "search_pane", recorded)
    async with open_stage("sh", "-c", "while :; do echo needle in a flood; done") as stage:
        await stage.until_text("flood")
        await search(stage, "needle")
        assert len(listed(stage)) <= MOST_LINES + 1
        await stage.until(lambda: "the newest 500" in listed(stage)[0])
        assert threads
        assert threading.get_ident() not in threads


async def test_a_search_that_is_not_wanted_any_more_stops(open_stage: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    stops = list[Callable[[], bool]]()
    going = threading.Event()
    search_pane = pane_search.search_pane

    def held(terminal: object, texts: object, pattern: object, within: object, stopped: Callable[[], bool]) -> object:
        stops.append(stopped)
        assert going.wait(10)
        return search_pane(terminal, texts, pattern, within, stopped)  # type: ignore[arg-type]

    monkeypatch.setattr(search_everywhere, "search_pane", held)
    async with open_stage("sh", "-c", "echo one; echo two; exec cat") as stage:
        await stage.until_text("two")
        await stage.prefix("slash")
        await stage.until(lambda: isinstance(stage.app.screen, FinderScreen))
        await stage.press("o")
        await stage.until(lambda: stops)
        await stage.press("n")
        assert stops[0]()
        going.set()
        await searched(stage)
        assert listed(stage)[1:] == ["  one"]


def line(text: str, *words: str) -> FoundLine:
    """A line in which words were found."""
    data = text.encode()
    spans = [(data.index(word.encode()), data.index(word.encode()) + len(word.encode())) for word in words]
    matches = LineMatches(0, text, spans)
    return FoundLine(matches, tuple(shown(matches)))


def test_a_line_is_shown_in_parts_around_its_first_match() -> None:
    assert line("  an error here", "error").shown == (("an ", False), ("error", True), (" here", False))
    assert line("漢字 and 漢", "and").shown == (("漢字 ", False), ("and", True), (" 漢", False))
    long = line("x" * 100 + "needle" + "y" * 1000, "needle").shown
    assert long[0] == ("…" + "x" * 23, False)
    assert sum(len(text) for text, _ in long) == 300


def test_hidden_and_reordering_characters_are_not_shown() -> None:
    hostile = line("a\u202eb \x1b[31merror\x1b[0m\u200b \u2066c", "error").shown
    assert "".join(text for text, _ in hostile) == "ab error c"
