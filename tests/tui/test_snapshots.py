"""Pictures of the screen, accepted by a person: each is compared with the SVG kept in snapshots/."""

from collections.abc import Awaitable, Callable, Iterable, Iterator
from typing import Protocol

import pytest
from tests.tui.conftest import CALM, Stage, make_app, use_light_terminal
from textual.pilot import Pilot

from fugue_tui.config.model import Config, UiSettings
from fugue_tui.control.agents.agent_monitor import AgentMonitor
from fugue_tui.control.command_table import panes, send_keys, sideband, windows
from fugue_tui.control.core.command import Interface, Origin
from fugue_tui.control.core.new_pane import Direction
from fugue_tui.control.sideband.tag_runner import TagRunner
from fugue_tui.geometry import Size
from fugue_tui.terminal.pty.io_loop import IOLoop
from fugue_tui.tui.ui import messages

pytestmark = pytest.mark.slow


HELLO = "printf 'Hello from \\033[1;32mpane\\033[m\\r\\n\\033[41m red \\033[m 漢字\\r\\n$ '; exec cat"
Script = Callable[[Stage], Awaitable[None]]


class Picture(Protocol):
    """Compares the screen with its accepted picture, once a script has set the scene."""

    def __call__(
        self, script: Script, cols: int = 80, rows: int = 24, config: Config = CALM, *, drawn: bool = True
    ) -> bool: ...


class Compare(Protocol):
    """The fixture of pytest-textual-snapshot."""

    def __call__(
        self,
        app: object,
        press: Iterable[str] = (),
        terminal_size: tuple[int, int] = (80, 24),
        run_before: "Callable[[Pilot[int]], Awaitable[None]] | None" = None,
    ) -> bool: ...


@pytest.fixture
def picture(snap_compare: Compare) -> Iterator[Picture]:
    """The app with one named pane that says hello."""
    pump = IOLoop()
    pump.start()

    def picture(script: Script, cols: int = 80, rows: int = 24, config: Config = CALM, *, drawn: bool = True) -> bool:
        app = make_app(("sh", "-c", HELLO), Size(cols, rows), config, pump)

        async def set_the_scene(pilot: "Pilot[int]") -> None:
            stage = Stage(app, app.mux, pilot)
            stage.run(panes.RenamePane(pane="%1", name="hello"))
            await stage.until(lambda: "$" in stage.pane_text() or cols == 1)
            stage.run(windows.RenameWindow(window="active", name="work"))
            await script(stage)
            await stage.until(lambda: stage.drawn or not drawn)

        try:
            return snap_compare(app, terminal_size=(cols, rows), run_before=set_the_scene)
        finally:
            app.mux.close()

    yield picture
    pump.stop()


async def split(stage: Stage, name: str, direction: Direction, line: str = HELLO) -> None:
    """Open a named pane beside or below the focused one, and wait for what it prints."""
    count = len(stage.mux.terminals)
    info = stage.run(panes.SplitPane(direction=direction, command=("sh", "-c", line), name=name))
    await stage.until(lambda: len(stage.mux.terminals) == count + 1 and said(stage, int(info.id[1:])))


def said(stage: Stage, pane: int) -> bool:
    """Whether a pane has printed all it will, as far as there is room for it."""
    return "$" in stage.pane_text(pane) or stage.app.size.width == 1


async def four(stage: Stage) -> None:
    """Four panes in two columns, the third with the focus."""
    await split(stage, "editor", Direction.RIGHT)
    await split(stage, "tests and a name that is much too long to fit", Direction.DOWN)
    stage.run(panes.FocusPane(pane="hello"))
    await split(stage, "日本", Direction.DOWN)
    stage.run(panes.FocusPane(pane="editor"))


async def nothing(stage: Stage) -> None:
    """The scene as it is."""


def test_one_pane(picture: Picture) -> None:
    assert picture(nothing)


def test_four_panes(picture: Picture) -> None:
    assert picture(four, 100, 30)


@pytest.mark.parametrize("dividers", ["thick", "double", "ascii"])
def test_dividers(picture: Picture, dividers: str) -> None:
    assert picture(four, 60, 16, Config(ui=UiSettings(dividers=dividers, which_key_delay_ms=10_000)))  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("theme", ["textual-dark", "catppuccin-latte"])
def test_themes(picture: Picture, monkeypatch: pytest.MonkeyPatch, theme: str) -> None:
    if theme == "catppuccin-latte":
        use_light_terminal(monkeypatch)
    assert picture(four, 60, 16, Config(ui=UiSettings(theme=theme, which_key_delay_ms=10_000)))  # pyright: ignore[reportArgumentType]


def test_a_zoomed_pane(picture: Picture) -> None:
    async def script(stage: Stage) -> None:
        await four(stage)
        stage.run(panes.ZoomPane())

    assert picture(script)


def test_tabs_with_a_bell(picture: Picture) -> None:
    async def script(stage: Stage) -> None:
        for name in ("logs", "mail", "notes"):
            stage.run(windows.CreateWindow(command=("cat",), name=name))
        stage.terminal(1).receive(memoryview(b"\a"))
        await stage.until(lambda: "!" in stage.text)

    assert picture(script, 80, 8)


def test_the_panel_of_keys(picture: Picture) -> None:
    async def script(stage: Stage) -> None:
        await four(stage)
        await stage.prefix()
        await stage.until(lambda: "and then" in stage.text)

    assert picture(script, 100, 30, Config(ui=UiSettings(which_key_delay_ms=1)))


def test_help(picture: Picture) -> None:
    async def script(stage: Stage) -> None:
        await stage.prefix("question_mark")

    assert picture(script, 100, 30)


def test_the_palette(picture: Picture) -> None:
    async def script(stage: Stage) -> None:
        await stage.prefix("p")
        await stage.press(*"pane")
        await stage.until(lambda: "close the pane" in stage.text)
        stage.app.screen.query_one("CommandInput").cursor_blink = False  # pyright: ignore[reportAttributeAccessIssue]

    assert picture(script, 100, 30)


@pytest.mark.parametrize(("cols", "rows"), [(80, 24), (40, 12), (120, 36)], ids=["80x24", "40x12", "120x36"])
def test_the_menu_of_a_pane(picture: Picture, cols: int, rows: int) -> None:
    async def script(stage: Stage) -> None:
        await four(stage)
        await stage.click((7, 1), 3)
        await stage.until(lambda: "from" in [part.text for part in stage.view(1).render_line(0)])  # It is selected.

    assert picture(script, cols, rows)


def test_the_menu_of_the_session(picture: Picture) -> None:
    async def script(stage: Stage) -> None:
        await stage.click((2, 23), 3)

    assert picture(script)


def test_a_question(picture: Picture) -> None:
    async def script(stage: Stage) -> None:
        await four(stage)
        await stage.prefix("x")

    assert picture(script)


def test_asking_for_a_name(picture: Picture) -> None:
    async def script(stage: Stage) -> None:
        await stage.prefix("T")
        stage.app.screen.query_one("Input").cursor_blink = False  # pyright: ignore[reportAttributeAccessIssue]

    assert picture(script)


def test_an_ended_pane(picture: Picture) -> None:
    async def script(stage: Stage) -> None:
        await split(stage, "make", Direction.RIGHT, "printf '$ make: *** no rule'; exit 2")
        await stage.until(lambda: "exit 2" in stage.text)

    assert picture(script, 80, 10)


def test_reading_back(picture: Picture) -> None:
    async def script(stage: Stage) -> None:
        await split(stage, "log", Direction.RIGHT, "seq 100; printf '$ '; exec cat")
        await stage.prefix("left_square_bracket", "pageup", "pageup")
        await stage.until(lambda: "history" in stage.text)

    assert picture(script, 80, 12)


def test_a_selection(picture: Picture) -> None:
    async def script(stage: Stage) -> None:
        await split(stage, "log", Direction.RIGHT, "seq 100 104; printf 'a \\033[7mmarked\\033[m word\\n$ '; exec cat")
        await stage.drag((6, 1), (1, 2))
        await stage.drag((43, 2), (44, 6))
        await stage.until(lambda: "copied" in stage.text)

    assert picture(script, 80, 12)


def test_selecting_by_keys(picture: Picture) -> None:
    async def script(stage: Stage) -> None:
        await stage.prefix("left_square_bracket", "g", "w", "V", "j", "w")
        await stage.until(lambda: "selecting" in stage.text)

    assert picture(script, 80, 10)


def test_an_alert(picture: Picture) -> None:
    async def script(stage: Stage) -> None:
        stage.app.commands.run_line("focus-pane %9")
        await stage.until(lambda: "no pane %9" in stage.text)

    assert picture(script, 80, 8)


@pytest.mark.parametrize(("cols", "rows"), [(20, 5), (6, 3), (1, 1)])
def test_tiny_screens(picture: Picture, cols: int, rows: int) -> None:
    async def shrunk(stage: Stage) -> None:
        await four(stage)
        await stage.pilot.resize_terminal(cols, rows)

    assert picture(shrunk)


CLAUDE = Origin(Interface.MCP, client="claude")


async def typed_by_an_agent(stage: Stage) -> None:
    """Two panes; an agent typed into both, and the user into the second after it."""
    await split(stage, "editor", Direction.RIGHT)
    for pane in ("%1", "%2"):
        stage.app.dispatcher.run(send_keys.SendInput(pane=pane, text="agent"), CLAUDE)
    await stage.press(*"me")
    await stage.until(lambda: "agent" in stage.pane_text(1) and "agentme" in stage.pane_text(2))


def test_who_typed_last(picture: Picture) -> None:
    assert picture(typed_by_an_agent, 80, 10)


def test_a_pane_that_the_user_has_taken_over(picture: Picture) -> None:
    async def script(stage: Stage) -> None:
        await typed_by_an_agent(stage)
        await stage.prefix("left")
        await stage.prefix("H")
        await stage.until(lambda: "held by you" in stage.text)

    assert picture(script, 80, 10)


def test_frozen_agents(picture: Picture) -> None:
    async def script(stage: Stage) -> None:
        await stage.prefix("F")
        await stage.until(lambda: "agents frozen" in stage.text)

    assert picture(script, 80, 6)


def test_a_pane_that_an_agent_points_to(picture: Picture) -> None:
    async def script(stage: Stage) -> None:
        stage.run(windows.CreateWindow(command=("cat",), name="logs", focus=False))
        await stage.press("w")
        stage.app.dispatcher.run(panes.FocusPane(pane="%2"), CLAUDE)
        await stage.until(lambda: "agent: claude points to %2" in stage.text)

    assert picture(script, 80, 6)


@pytest.mark.slow
def test_a_closed_pane(picture: Picture) -> None:
    async def script(stage: Stage) -> None:
        stage.run(panes.SplitPane(command=("cat",), name="notes"))
        await stage.prefix("x")
        await stage.press("y")
        await stage.until(lambda: "closed pane %2 (notes); ctrl+b u brings it back" in stage.text)

    assert picture(script, 80, 8)


def test_a_tag_in_the_frame_of_its_pane(picture: Picture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(messages, "SECONDS", 600.0)

    async def script(stage: Stage) -> None:
        TagRunner(stage.app.dispatcher)
        stage.run(panes.SplitPane(direction=Direction.HORIZONTAL, command=("cat",), name="editor"))
        stage.run(sideband.GrantSideband(pane="%1"))
        stage.terminal(1).receive(memoryview(b"\r\nI list the panes.\r\n<fugue:list />\r\nDone."))
        await stage.until(lambda: stage.text.count("fugue:list") == 2)

    assert picture(script, 80, 10)


def test_what_agents_do_is_seen_in_titles_tabs_and_the_status_bar(picture: Picture) -> None:
    def report(stage: Stage, pane: int, words: str) -> None:
        stage.terminal(pane).receive(memoryview(f"\x1b]7501;{words}\x07".encode()))

    async def script(stage: Stage) -> None:
        AgentMonitor(stage.mux)
        stage.run(panes.SplitPane(direction=Direction.HORIZONTAL, command=("cat",), name="writer"))
        stage.run(panes.SplitPane(direction=Direction.VERTICAL, command=("cat",), name="tests"))
        stage.run(windows.CreateWindow(name="other", command=("cat",)))
        stage.run(windows.SelectWindow(window=":1"))
        stage.run(panes.SplitPane(pane="%1", direction=Direction.VERTICAL, command=("cat",), name="idle"))
        report(stage, 1, "state=blocked:app=claude:kind=permission:msg=YXBwcm92ZSBCYXNoOiBtYWtl")
        report(stage, 2, "state=working:app=codex:progress=40")
        report(stage, 3, "state=error:app=make:msg=MiB0ZXN0cyBmYWlsZWQ=")
        report(stage, 4, "state=done:app=gemini")
        report(stage, 5, "state=idle:app=codex")
        await stage.until(lambda: len(stage.mux.agents.statuses) == 5 and "2 tests failed" in stage.text)

    assert picture(script, 110, 12)


TEXT_TO_SEARCH = (
    r"printf '\033]133;A\007$ \033]133;B\007make\n\033]133;C\007src/parser.c:14:3: error: expected ;\n"
    r"src/lexer.c:7: error: see https://example.com/errors/C2059\n2 errors in 漢字.c, pid 48213, commit 983fa55d\n"
    r"\033]133;D;1\007\033]133;A\007$ \033]133;B\007'; exec cat"
)
SIZES = pytest.mark.parametrize(("cols", "rows"), [(80, 24), (40, 12)])


async def searchable(stage: Stage) -> None:
    """Two panes, of which the right or lower one shows the output of a compiler, in copy mode at its first line."""
    direction = Direction.RIGHT if stage.app.size.width > 60 else Direction.DOWN
    await split(stage, "make", direction, TEXT_TO_SEARCH)
    await stage.until_text("pid 48213", pane=2)
    await stage.prefix("left_square_bracket", "g")


@SIZES
def test_a_search_with_its_matches(picture: Picture, cols: int, rows: int) -> None:
    async def script(stage: Stage) -> None:
        await searchable(stage)
        await stage.press("slash", *"error")
        await stage.until(lambda: "/error 1/" in stage.text)

    assert picture(script, cols, rows)


@SIZES
def test_a_rectangle_in_copy_mode(picture: Picture, cols: int, rows: int) -> None:
    async def script(stage: Stage) -> None:
        await searchable(stage)
        await stage.press("j", "4", "l", "ctrl+v", "2", "j", "6", "l")
        await stage.until(lambda: "selecting a rectangle" in stage.text)

    assert picture(script, cols, rows)


@SIZES
def test_quick_select(picture: Picture, cols: int, rows: int) -> None:
    async def script(stage: Stage) -> None:
        await searchable(stage)
        await stage.press("q")
        await stage.prefix("y")
        await stage.until(lambda: "quick select" in stage.text and "src/lexer" not in stage.text)

    assert picture(script, cols, rows, drawn=False)


async def three(stage: Stage) -> None:
    """Three panes, the second with the focus."""
    await split(stage, "editor", Direction.RIGHT)
    await split(stage, "tests", Direction.DOWN)
    stage.run(panes.FocusPane(pane="editor"))


@SIZES
def test_numbers_over_the_panes(picture: Picture, cols: int, rows: int) -> None:
    async def script(stage: Stage) -> None:
        await three(stage)
        await stage.prefix("q")
        await stage.until(lambda: "%1" in stage.text)

    assert picture(script, cols, rows)


@SIZES
def test_a_pane_that_is_dragged(picture: Picture, cols: int, rows: int) -> None:
    async def script(stage: Stage) -> None:
        await three(stage)
        await stage.hold((3, 0), (cols - 8, rows - 3))
        await stage.until(lambda: "Escape" in stage.text)

    assert picture(script, cols, rows)


@SIZES
def test_panes_with_synchronized_input(picture: Picture, cols: int, rows: int) -> None:
    async def script(stage: Stage) -> None:
        await three(stage)
        await stage.prefix("Y")
        await stage.until(lambda: "input to 3 panes" in stage.text)

    assert picture(script, cols, rows)


@SIZES
def test_a_pane_whose_program_has_failed(picture: Picture, cols: int, rows: int) -> None:
    async def script(stage: Stage) -> None:
        await split(stage, "build", Direction.DOWN, "echo building $; exit 2")
        await stage.until(lambda: "exit 2: Enter runs it again, x closes" in stage.text.splitlines()[-2])

    assert picture(script, cols, rows)
