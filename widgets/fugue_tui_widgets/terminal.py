"""A drop-in for textual-terminal's `Terminal`: one widget, one command, in any Textual app.

class Shell(App):
    def compose(self):
        yield Terminal(command="bash", id="shell")

    def on_ready(self):
        self.query_one("#shell", Terminal).start()
"""

import asyncio
import shlex
from collections.abc import Callable
from contextvars import copy_context
from typing import Literal

from textual import events
from textual.content import Content
from textual.message import Message
from textual.strip import Strip

from fugue_tui.geometry import Size
from fugue_tui.sanitize import clean, clean_text
from fugue_tui.terminal.emulator.events import Bell, Event, TitleChanged
from fugue_tui.terminal.engines import make_emulator
from fugue_tui.terminal.pty.io_loop import IOLoop
from fugue_tui.terminal.pty.spawn import Exit, Program
from fugue_tui.terminal.terminal import Terminal as LiveTerminal
from fugue_tui_widgets.terminal_view import TerminalView

DefaultColours = Literal["system", "textual"]


class Terminal(TerminalView):
    """Runs a command in a pane of your app. `start()` begins, `stop()` ends it; Ctrl+F1 gives the focus back."""

    class Ended(Message):
        """The command ended; `exit` is how."""

        def __init__(self, terminal: "Terminal", exit: Exit) -> None:
            super().__init__()
            self.terminal = terminal
            self.exit = exit

        @property
        def control(self) -> "Terminal":
            """The widget whose command ended."""
            return self.terminal

    def __init__(
        self,
        command: str,
        default_colors: DefaultColours | None = "system",
        name: str | None = None,
        id: str | None = None,
        classes: str | None = None,
        *,
        scrollback: int = 10_000,
        engine: str = "ghostty",
    ) -> None:
        """`command` is split as a shell would; `default_colors="textual"` draws on the app's own colours."""
        super().__init__(name=name, id=id, classes=classes)
        self.command = command
        self.default_colors = default_colors
        self._scrollback = scrollback
        self._engine = engine
        self._io_loop: IOLoop | None = None
        self._quitting: list[IOLoop] = []
        """The I/O loops of commands that are being ended."""

    def start(self) -> None:
        """Start the command; nothing happens if it runs already. Raises SpawnFailed."""
        if self.live is not None:
            return
        size = Size(max(self.size.width, 1), max(self.size.height, 1))
        self._io_loop = IOLoop()
        self._io_loop.start()
        try:
            emulator = make_emulator(self._engine, size, self._scrollback)
            program = Program(tuple(shlex.split(self.command)))
            self.show(LiveTerminal.spawn(program, size, pump=self._io_loop, emulator=emulator, watcher=_Watcher(self)))
        except BaseException:
            self._io_loop.stop()
            self._io_loop = None
            raise

    def stop(self) -> None:
        """End the command and clear the screen, without waiting for its end; nothing happens if none runs."""
        live, pump = self.live, self._io_loop
        self.show(None)
        self._io_loop = None
        if live is not None:
            live.close()
        if pump is not None:
            pump.quit()
            self._quitting = [*(each for each in self._quitting if each.running), pump]

    def render_line(self, y: int) -> Strip:
        """A row, with the app's default colours if so configured."""
        strip = super().render_line(y)
        return strip.apply_style(self.rich_style) if self.default_colors == "textual" else strip

    def ring(self) -> None:
        """Ring the host's bell."""
        self.app.bell()  # pyright: ignore[reportUnknownMemberType]

    async def on_unmount(self) -> None:
        """End the commands of a removed widget, and wait until they have ended."""
        self.stop()
        while self._quitting:
            await asyncio.to_thread(self._quitting.pop().stop)

    def on_resize(self, event: events.Resize) -> None:
        """Resize the command's terminal."""
        if self.live is not None:
            self.live.resize(Size(max(event.size.width, 1), max(event.size.height, 1)))
            self.redraw()

    def on_terminal_view_selected(self, message: TerminalView.Selected) -> None:
        """Copy what was selected with the mouse."""
        text = clean_text(message.text, len(message.text))
        self.app.copy_to_clipboard(text)  # pyright: ignore[reportUnknownMemberType]

    async def on_key(self, event: events.Key) -> None:
        """Send every key to the command, except Ctrl+F1, which gives up the focus."""
        if event.key == "ctrl+f1":
            event.stop()
            event.prevent_default()
            self.screen.set_focus(None)
            return
        await super().on_key(event)


class _Watcher:
    """Forwards events of the I/O thread to the app's thread."""

    def __init__(self, widget: Terminal) -> None:
        self._widget = widget
        self._loop = asyncio.get_running_loop()
        self._context = copy_context()
        self._scheduled = self._bell_pending = False
        self._title: str | None = None

    def changed(self, terminal: LiveTerminal) -> None:
        """Repaint what changed."""
        self._soon(self._widget.redraw)

    def on_event(self, terminal: LiveTerminal, event: Event) -> None:
        """Ring the bell, or set the title."""
        match event:
            case Bell():
                self._bell_pending = True
            case TitleChanged(title):
                self._title = title
            case _:
                return
        if not self._scheduled:
            self._scheduled = True
            self._soon(self._apply)

    def ended(self, terminal: LiveTerminal, exit: Exit) -> None:
        """Notify the app."""
        self._soon(lambda: self._widget.post_message(Terminal.Ended(self._widget, exit)))

    def _apply(self) -> None:
        """On the app's thread: apply the events since the last time."""
        self._scheduled = False
        if self._title is not None:
            self._widget.border_title = Content(clean(self._title))
        if self._bell_pending:
            self._bell_pending = False
            self._widget.ring()

    def _soon(self, call: Callable[[], object]) -> None:
        try:
            self._loop.call_soon_threadsafe(call, context=self._context)
        except RuntimeError:
            return  # The app has closed its loop: there is nothing to draw.
