"""The workspace under test: the app without a host, and the whole program on a terminal that is parsed and answered."""

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeAlias

import pytest
import pytest_textual_snapshot  # pyright: ignore[reportMissingTypeStubs]
import rich.console
from rich.terminal_theme import TerminalTheme
from syrupy.location import PyTestLocation
from tests.fork_server import REPOSITORY, ForkServer
from tests.tui.host_programs import DEADLINE, Host
from textual._context import visible_screen_stack
from textual.events import MouseDown, MouseMove, MouseScrollDown, MouseScrollUp, MouseUp
from textual.pilot import Pilot
from textual.widget import Widget

import fugue_tui.control.command_table  # noqa: F401  # pyright: ignore[reportUnusedImport]  (declares every command)
from fugue_tui.client.host_terminal import HostTerminal
from fugue_tui.config.model import Config, McpSettings, UiSettings
from fugue_tui.control.command_table import windows
from fugue_tui.control.core.command import USER, Command, registry
from fugue_tui.control.dispatch.dispatcher import Dispatcher
from fugue_tui.geometry import Rect, Size
from fugue_tui.ids import PaneId
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.multiplexer.spawner import Launcher
from fugue_tui.terminal.pty.io_loop import IOLoop
from fugue_tui.terminal.terminal import Terminal
from fugue_tui.tui.app import FugueApp
from fugue_tui.tui.main_thread_queue import MainThreadQueue
from fugue_tui.tui.ui.themes import HostColours
from fugue_tui.tui.workspace_server import WorkspaceServer
from fugue_tui_widgets.terminal_view import TerminalView

PREFIX = "ctrl+b"
RAW = "stty raw -echo; "
"""Shell words after which every byte that is typed reaches the program at once."""


# The app without a host

HOST = HostColours(background=(41, 41, 41), foreground=(197, 200, 198))
"""The colours of pictures, which Rich draws in its `SVG_EXPORT_THEME`."""


@dataclass
class Stage:
    """A running app, its multiplexer and the pilot that plays the person."""

    app: FugueApp
    mux: Multiplexer
    pilot: "Pilot[int]"

    @property
    def server(self) -> WorkspaceServer:
        """What there is once for all views."""
        assert isinstance(self.app.server, WorkspaceServer)
        return self.app.server

    async def until(self, condition: Callable[[], object], seconds: float = DEADLINE) -> None:
        """Wait until a condition holds; fails after the deadline."""
        end = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < end, f"the deadline passed; the screen:\n{self.text}"
            await asyncio.sleep(0.004)
        await self.pilot.pause()

    async def until_text(self, *words: str, pane: int = 1) -> None:
        """Wait until all words stand in a pane."""
        await self.until(lambda: all(word in self.pane_text(pane) for word in words))

    async def press(self, *keys: str) -> None:
        """Press keys."""
        await self.pilot.press(*keys)
        await self.pilot.pause()

    async def prefix(self, *keys: str) -> None:
        """Press the prefix, and then keys."""
        await self.press(PREFIX, *keys)

    def run(self, command: Command[Any]) -> Any:
        """Run a command for the person, and let errors through."""
        return self.app.dispatcher.run(command, USER)

    def terminal(self, pane: int = 1) -> Terminal:
        """The terminal of a pane."""
        return self.mux.terminals[PaneId(pane)]

    def view(self, pane: int = 1) -> TerminalView:
        """The widget of a pane."""
        return self.app.grid.views[PaneId(pane)]

    def pane_text(self, pane: int = 1) -> str:
        """What a pane shows now; empty if it is gone."""
        if PaneId(pane) not in self.mux.terminals:
            return ""
        terminal = self.terminal(pane)
        start = terminal.scrollback.top
        return "\n".join(terminal.lines(start, start + terminal.size.rows))

    @property
    def drawn(self) -> bool:
        """Whether every visible pane's widget shows what its terminal holds."""
        rows = {pane: rect.rows - (self.terminal(pane).exit is not None) for pane, rect in self.rects.items()}
        return all(
            [self.view(pane).render_line(y).text.rstrip() for y in range(count)]
            == [line.rstrip() for line in (self.pane_text(pane) + "\n" * count).split("\n")[:count]]
            for pane, count in rows.items()
        )

    @property
    def text(self) -> str:
        """The whole screen as the compositor has it, one line a row."""
        visible_screen_stack.set(self.app.background_screens)  # Else nothing is below a dialog, now and when drawn.
        update = self.app.screen._compositor.render_strips()  # pyright: ignore[reportPrivateUsage]
        return "\n".join("".join(segment.text for segment in strip).rstrip() for strip in update)

    @property
    def rects(self) -> dict[int, Rect]:
        """Where each visible pane is on the screen, as its widget says."""
        return {
            int(pane): Rect(*view.region)
            for pane, view in self.app.grid.views.items()
            if view.region and pane in self.app.grid.model.solution.panes
        }

    async def drag(self, start: tuple[int, int], *way: tuple[int, int], shift: bool = False) -> None:
        """Press the left button, move along the way, and let go at its end."""
        await self.hold(start, *way, shift=shift)
        await self._mouse(MouseUp, (start, *way)[-1], button=1, shift=shift)

    async def hold(self, start: tuple[int, int], *way: tuple[int, int], shift: bool = False) -> None:
        """Press the left button and move along the way, without letting go."""
        await self._mouse(MouseDown, start, button=1, shift=shift)
        for point in way:
            await self._mouse(MouseMove, point, button=1, shift=shift)

    async def let_go(self, at: tuple[int, int]) -> None:
        """Let go of the left button."""
        await self._mouse(MouseUp, at, button=1)

    async def click(self, at: tuple[int, int], button: int, *, meta: bool = False) -> None:
        """Press a button and let go of it."""
        await self._mouse(MouseDown, at, button=button, meta=meta)
        await self._mouse(MouseUp, at, button=button, meta=meta)

    async def wheel(self, up: bool, at: tuple[int, int]) -> None:
        """Turn the wheel by one step."""
        await self._mouse(MouseScrollUp if up else MouseScrollDown, at, button=0)

    async def _mouse(
        self, kind: type[Any], at: tuple[int, int], button: int, *, shift: bool = False, meta: bool = False
    ) -> None:
        widget: Widget = self.app.screen
        x, y = at
        event = kind(widget, x, y, 0, 0, button, shift, meta, False, screen_x=x, screen_y=y)
        self.app.screen._forward_event(event)  # pyright: ignore[reportPrivateUsage]
        await self.pilot.pause()


Open: TypeAlias = Callable[..., AbstractAsyncContextManager[Stage]]
"""`open_stage(argv..., cols=, rows=, config=)`: the app with one pane that runs a program."""


@pytest.fixture(autouse=True)
def plain_shell(tmp_path: Path, private_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Login shells are a bare `sh` with a fixed prompt, and nothing on the screen tells of this machine."""
    shell = tmp_path / "sh"
    shell.write_text("#!/bin/sh\n[ $# = 0 ] || exec /bin/sh \"$@\"\nENV= PS1='$ ' exec /bin/sh -i\n")
    shell.chmod(0o755)
    for name, value in (("SHELL", shell), ("HOME", tmp_path), ("XDG_RUNTIME_DIR", private_dir), ("LC_ALL", "C.UTF-8")):
        monkeypatch.setenv(name, str(value))
    monkeypatch.setenv("FUGUE_CONFIG", str(tmp_path / "config.toml"))
    own = {verb: cls for verb, cls in registry().items() if cls.__module__.startswith("fugue_tui.")}
    monkeypatch.setattr("fugue_tui.control.core.command._registry", own)  # other tests declare commands of theirs
    for name in ("NO_COLOR", "FORCE_COLOR", "TEXTUAL_COLOR_SYSTEM", "COLORTERM"):
        monkeypatch.delenv(name, raising=False)


def make_app(argv: tuple[str, ...], size: Size, config: Config, pump: IOLoop) -> FugueApp:
    """An app with one pane of its own multiplexer; nothing has been shown yet."""
    mailbox = MainThreadQueue()
    area = Size(size.cols, max(size.rows - 1, 1))
    launcher = Launcher(pump, config.terminal.engine)
    mux = Multiplexer("test", spawner=launcher, post=mailbox.post, area=area)
    mux.permissions = McpSettings(trust="full")
    windows.CreateWindow(command=argv).run(mux, USER)
    app = WorkspaceServer(mux, Dispatcher(mux), config, mailbox, HostTerminal(), launcher=launcher).latest
    app.host_theme.host = HOST
    return app


CALM = Config(ui=UiSettings(which_key_delay_ms=10_000))
"""The panel of keys does not come by itself."""


@pytest.fixture
def open_stage(pump: IOLoop) -> Open:
    """Start the app without a host, on a screen of a size."""

    @asynccontextmanager
    async def open_stage(*argv: str, cols: int = 80, rows: int = 24, config: Config = CALM) -> AsyncGenerator[Stage]:
        app = make_app(argv or ("cat",), Size(cols, rows), config, pump)
        try:
            async with app.run_test(size=(cols, rows)) as pilot:
                await pilot.pause()
                yield Stage(app, app.mux, pilot)
        finally:
            app.mux.close()

    return open_stage


@pytest.fixture
def pump() -> Iterator[IOLoop]:
    pump = IOLoop()
    pump.start()
    yield pump
    pump.stop()


# The program on a host


class Start(Protocol):
    """Starts the real program on a terminal of a size, with what runs in its first pane."""

    def __call__(self, *argv: str, size: Size = ..., config: str = ...) -> Host: ...


@pytest.fixture
def start(fork_server: ForkServer, tmp_path: Path) -> Iterator[Start]:
    """`fugue-tui` on a terminal of its own; ended when the test is over."""
    hosts: list[Host] = []

    def start(*argv: str, size: Size = Size(80, 24), config: str = "") -> Host:
        (tmp_path / "config.toml").write_text(
            "[mcp]\nenabled = false\n" + (config or "[ui]\nwhich_key_delay_ms = 10000\n")
        )
        program = ("-m", "fugue_tui", "test", "--foreground", *(("--", *argv) if argv else ()))
        host = Host(program, size, {}, fork_server)
        hosts.append(host)
        return host

    yield start
    for host in hosts:
        host.close()


# Pictures


class Pictures(pytest_textual_snapshot.SVGImageExtension):
    """Keeps the accepted pictures in snapshots/, beside the tests' folder."""

    @classmethod
    def dirname(cls, *, test_location: PyTestLocation) -> str:
        """One folder for each module of tests."""
        return str(REPOSITORY / "snapshots" / test_location.basename)


_LIGHT = HostColours(background=(253, 246, 227), foreground=(88, 110, 117))
_PAPER = TerminalTheme(
    (253, 246, 227),
    (88, 110, 117),
    [
        (7, 54, 66),
        (220, 50, 47),
        (133, 153, 0),
        (181, 137, 0),
        (38, 139, 210),
        (211, 54, 130),
        (42, 161, 152),
        (238, 232, 213),
    ],
    None,
)
"""Solarized light, on which much is hard to read."""


def use_light_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the app believe in a light terminal, and draw pictures on one."""
    monkeypatch.setitem(globals(), "HOST", _LIGHT)
    monkeypatch.setattr(rich.console, "SVG_EXPORT_THEME", _PAPER)


pytest_textual_snapshot.SVGImageExtension = Pictures
