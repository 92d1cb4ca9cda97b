"""The app as a camera sees it: without a host terminal, driven by keys and commands, and drawn by Rich as SVG."""

import asyncio
import re
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

COLOURS = (
    "1a1b1e fa5252 40c057 fab005 4c6ef5 be4bdb 22b8cf ced4da "
    "868e96 ff8787 8ce99a ffe066 748ffc e599f7 66d9e8 f8f9fa 16181d d0d4dc"
)
"""The 16 colours of the terminal in the pictures, its background and its text."""
LIGHT = (
    "073642 dc322f 859900 b58900 268bd2 d33682 2aa198 eee8d5 "
    "002b36 cb4b16 586e75 657b83 839496 6c71c4 93a1a1 fdf6e3 fdf6e3 586e75"
)
"""The same of a light terminal."""
SIZE = (110, 30)
DEADLINE = 20.0
QUIET = 0.35
"""A screen is settled once it stays the same for so many seconds."""


def paint(colours: str) -> None:
    """Let Rich draw pictures in these colours."""
    import rich.console
    from rich.terminal_theme import TerminalTheme

    rgb = [_rgb(each) for each in colours.split()]
    rich.console.SVG_EXPORT_THEME = TerminalTheme(rgb[16], rgb[17], rgb[:8], rgb[8:16])


def _rgb(colour: str) -> tuple[int, int, int]:
    return int(colour[:2], 16), int(colour[2:4], 16), int(colour[4:], 16)


@dataclass
class Camera:
    """Plays the user, and takes the picture."""

    file: Path
    socket: str
    """Where agents in the panes find the workspace, if it is served."""
    colours: str = COLOURS
    """Those of the terminal."""

    @asynccontextmanager
    async def workspace(
        self, *words: str, cols: int = SIZE[0], rows: int = SIZE[1], served: bool = False
    ) -> AsyncGenerator["Camera"]:
        """The app on a screen of this size, after a command that opens panes."""
        from fugue_tui.client.host_terminal import HostTerminal
        from fugue_tui.config.model import Config, UiSettings
        from fugue_tui.control import command_table  # noqa: F401  (declares every command)
        from fugue_tui.control.dispatch.dispatcher import Dispatcher
        from fugue_tui.geometry import Size
        from fugue_tui.multiplexer import Multiplexer
        from fugue_tui.multiplexer.spawner import Launcher
        from fugue_tui.terminal.pty.io_loop import IOLoop
        from fugue_tui.tui import server_main
        from fugue_tui.tui.main_thread_queue import MainThreadQueue
        from fugue_tui.tui.ui.themes import HostColours
        from fugue_tui.tui.workspace_server import WorkspaceServer
        from fugue_tui_mcp.listener import listen

        mailbox, pump = MainThreadQueue(), IOLoop()
        pump.start()
        path = self.socket if served else ""
        background, foreground = self.colours.split()[16:]
        launcher = Launcher(pump)
        launcher.colours = int(foreground, 16), int(background, 16)
        mux = Multiplexer("demo", spawner=launcher, post=mailbox.post, area=Size(cols, rows - 1), socket=path)
        self.mux, dispatcher = mux, Dispatcher(mux)
        config = Config(ui=UiSettings(which_key_delay_ms=60_000))
        paint(self.colours)
        try:
            self.run(dispatcher, *words)
            views = WorkspaceServer(mux, dispatcher, config, mailbox, HostTerminal())
            self.app: Any = views.latest
            self.app.host_theme.host = HostColours(_rgb(background), _rgb(foreground))
            server: Any = None
            if served:
                server_main._follow_agents(views)
                server = server_main._socket_server(views, listen(path, "demo"))
            async with self.app.run_test(size=(cols, rows)) as self.pilot:
                yield self
                await self.settled()
                self.file.write_text(_trimmed(self.app.export_screenshot(title="fugue-tui")) + "\n")
                if server is not None:
                    await asyncio.to_thread(server.stop)
        finally:
            mux.close()
            pump.stop()

    @staticmethod
    def run(dispatcher: Any, *words: str) -> Any:
        """Run a command for the user, as it is typed in a shell."""
        from fugue_tui.control.core.command import USER
        from fugue_tui.control.schema import command_line

        return dispatcher.run(command_line.command(list(words)), USER)

    def command(self, *words: str) -> Any:
        """Run a command in the workspace."""
        return self.run(self.app.dispatcher, *words)

    async def press(self, *keys: str) -> None:
        """Press keys, by Textual's names."""
        await self.pilot.press(*keys)

    async def type(self, text: str, pane: int = 1) -> None:
        """Type text and Enter into a pane."""
        self.command("send-input", "--pane", f"%{pane}", "--text", text, "--submit")

    def text(self, pane: int = 1) -> str:
        """What a pane shows."""
        terminal = self.mux.terminals.get(pane)  # pyright: ignore[reportArgumentType, reportCallIssue]
        if terminal is None:
            return ""
        seen = terminal.seen_by(self.mux)
        seen.refresh()
        return "\n".join(seen.row(y).text for y in range(terminal.size.rows))

    async def until(self, *words: str, pane: int = 1) -> None:
        """Wait until all words stand in a pane."""
        await self.until_true(lambda: all(word in self.text(pane) for word in words), pane)

    async def until_true(self, condition: Callable[[], object], pane: int) -> None:
        """Wait for a condition on a pane."""
        end = time.monotonic() + DEADLINE
        while not condition():
            if time.monotonic() > end:
                raise TimeoutError(f"{self.file.stem}: pane %{pane} did not get there:\n{self.text(pane)}")
            await asyncio.sleep(0.01)

    async def until_asked(self, pane: int = 1) -> None:
        """Wait until the agent in a pane is known to wait for the user."""
        await self.until_true(lambda: pane in self.mux.agents.waiting(), pane)

    async def until_busy(self, pane: int = 1) -> None:
        """Wait until htop has measured how busy the programs are."""
        await self.until_true(lambda: re.search(r" S +[1-9]\d*\.\d", self.text(pane)), pane)

    async def settled(self) -> None:
        """Wait until every pane has stayed the same for a moment."""
        end, seen, since = time.monotonic() + DEADLINE, "", time.monotonic()
        while time.monotonic() - since < QUIET and time.monotonic() < end:
            await asyncio.sleep(0.02)
            now = "".join(self.text(pane) for pane in self.mux.terminals)
            if now != seen:
                seen, since = now, time.monotonic()
        for view in self.app.grid.views.values():
            view.stale()
            view.refresh()
        await self.pilot.pause()


_TEXT = re.compile(r'<text class="([^"]*)" x="([\d.]+)" y="([\d.]+)" textLength="([\d.]+)" ([^>]*)>([^<]*)</text>')
_CELL = 12.2
"""How wide Rich draws a cell."""


def _trimmed(svg: str) -> str:
    """The picture without blanks around its texts, which some viewers drop and then draw the text too far left."""

    def trim(match: re.Match[str]) -> str:
        kind, x, y, length, rest, text = match.groups()
        inner = text.replace("&#160;", "\xa0")
        kept = inner.strip("\xa0")
        left = len(inner) - len(inner.lstrip("\xa0"))
        if not kept:
            return ""
        start, width = float(x) + left * _CELL, float(length) - (len(inner) - len(kept)) * _CELL
        kept = kept.replace("\xa0", "&#160;")
        return f'<text class="{kind}" x="{start:g}" y="{y}" textLength="{width:g}" {rest}>{kept}</text>'

    return _TEXT.sub(trim, svg)
