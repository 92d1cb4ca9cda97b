"""The screen of `fugue-tui replay`: plays a recording, with its markers, at any speed."""

import asyncio
import os
import time
from typing import ClassVar, Final

from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import ScrollableContainer
from textual.content import Content
from textual.widgets import Footer, Input, Static

from fugue_tui.errors import FugueError
from fugue_tui.recording.asciicast import LARGEST, BadRecording, Cast, decode
from fugue_tui.recording.timeline import Timeline
from fugue_tui.sanitize import clean
from fugue_tui.terminal.pty.io_loop import IOLoop
from fugue_tui.viewer.screen_player import ScreenPlayer
from fugue_tui_widgets.terminal_view import TerminalView

FRAME: Final = 1 / 30
SPEEDS: Final = (0.25, 0.5, 1.0, 1.5, 2.0, 4.0, 8.0, 16.0)
STEP: Final = 5.0
"""Seconds that an arrow moves."""
_FILLED: Final = ("━", "─", "◆")


class ReplayApp(App[int]):
    """Plays one recording."""

    ENABLE_COMMAND_PALETTE = False
    AUTO_FOCUS = ""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "pause", "pause"),
        Binding("q,escape", "close", "close", key_display="q"),
        Binding("left", "move(-1)", "move", key_display="← →"),
        Binding("right", "move(1)", show=False),
        Binding("full_stop", "step", "step", key_display="."),
        Binding("left_square_bracket", "marker(-1)", "marker", key_display="[ ]"),
        Binding("right_square_bracket", "marker(1)", show=False),
        Binding("plus,equals_sign", "speed(1)", "speed", key_display="+ -"),
        Binding("minus", "speed(-1)", show=False),
        Binding("i", "idle", "pauses"),
        Binding("slash", "search", "search", key_display="/ n"),
        Binding("n", "search_again", show=False),
        Binding("home,g", "jump(0)", show=False),
        Binding("end,G", "jump(10)", show=False),
        *(Binding(str(tenth), f"jump({tenth})", show=False) for tenth in range(10)),
    ]
    CSS = """
    #screen { height: 1fr; }
    #bar { dock: bottom; height: 1; padding: 0 1; offset-y: -1; }
    #search { dock: bottom; display: none; }
    """

    def __init__(self, cast: Cast, name: str, *, speed: float = 1.0, idle: float = 2.0) -> None:
        super().__init__()
        self._cast, self._name, self._speed, self._idle = cast, name, speed, idle
        self._io_loop = IOLoop()
        self._player: ScreenPlayer
        self.view = TerminalView(draws_cursor=True)
        """The widget of the recorded terminal."""
        self._status = Static(id="bar")
        self._position = 0.0
        self._paused = False
        self._ticked = 0.0
        self._note = ""
        self._searching: asyncio.Task[None] | None = None
        self._text = ""

    def compose(self) -> ComposeResult:
        """The recorded terminal, where the recording stands, and the keys."""
        with ScrollableContainer(id="screen", can_focus=False):
            yield self.view
        yield self._status
        yield Input(placeholder="text", id="search")
        yield Footer(compact=True)

    def on_mount(self) -> None:
        """Begin to play."""
        self.title = self._name
        self._io_loop.start()
        self._player = ScreenPlayer(Timeline(self._cast, self._idle), self._io_loop)
        self.view.can_focus = False
        self._ticked = time.monotonic()
        self.set_interval(FRAME, self._tick)
        self._show()

    def on_unmount(self) -> None:
        """Release the terminal."""
        self._player.close()
        self._io_loop.stop()

    @property
    def _timeline(self) -> Timeline:
        return self._player.timeline

    def _tick(self) -> None:
        now = time.monotonic()
        passed, self._ticked = now - self._ticked, now
        if not self._paused and self._position < self._timeline.seconds:
            self._go(self._position + passed * self._speed)

    def _go(self, position: float) -> None:
        """Show another position."""
        self._position = min(max(position, 0.0), self._timeline.seconds)
        self._player.seek(self._position)
        self._show()

    def _show(self) -> None:
        terminal, view = self._player.terminal, self.view
        if view.live is not terminal:
            view.show(terminal)
        if (view.styles.width, view.styles.height) != terminal.size:
            view.styles.width, view.styles.height = terminal.size.cols, terminal.size.rows
        view.redraw()
        self._status.update(self._bar())

    def _bar(self) -> Content:
        state = "❚❚" if self._paused else "■" if self._position >= self._timeline.seconds else "▶"
        at = f"{state} {_clock(self._position)} / {_clock(self._timeline.seconds)}  "
        message = self._note or next(
            (label for time, label in reversed(self._timeline.markers) if time <= self._position), ""
        )
        end = f"  {self._speed:g}x{'' if self._idle else ' all pauses'}  {clean(message, 60)}"
        width = self.size.width - 2 - len(at) - len(end)
        return Content.assemble((at, "bold"), self._line(width), (end, "dim")) if width > 5 else Content(at + end)

    def _line(self, width: int) -> Content:
        """The line of the whole recording, with its markers."""
        seconds = self._timeline.seconds or 1.0
        filled, rest, mark = _FILLED
        done = round(width * self._position / seconds)
        line = list(filled * done + rest * (width - done))
        for at, _ in self._timeline.markers:
            line[min(int(width * at / seconds), width - 1)] = mark
        return Content("".join(line))

    # Keys

    def action_pause(self) -> None:
        """Stop, or go on; at the end, begin anew."""
        if self._position >= self._timeline.seconds:
            self._go(0.0)
            self._paused = False
        else:
            self._paused = not self._paused
        self._show()

    def action_move(self, steps: int) -> None:
        """Go back or on."""
        self._go(self._position + steps * STEP)

    def action_step(self) -> None:
        """Pause, and show the next event."""
        self._paused = True
        shown = self._player.shown
        self._go(self._timeline.times[shown] if shown < len(self._timeline.times) else self._position)

    def action_marker(self, steps: int) -> None:
        """Go to the marker before or after this place."""
        times = [time for time, _ in self._timeline.markers]
        found = [time for time in times if (time > self._position if steps > 0 else time < self._position - 0.5)]
        if found:
            self._go(found[0] if steps > 0 else found[-1])

    def action_speed(self, steps: int) -> None:
        """Play faster or slower."""
        others = [speed for speed in SPEEDS if (speed > self._speed if steps > 0 else speed < self._speed)]
        if others:
            self._speed = others[0] if steps > 0 else others[-1]
        self._show()

    def action_idle(self) -> None:
        """Shorten pauses, or leave them as they were; the place stays."""
        shown = self._player.shown
        self._idle = 0.0 if self._idle else 2.0
        self._player.timeline = Timeline(self._cast, self._idle)
        self._position = self._timeline.times[shown - 1] if shown else 0.0
        self._show()

    def action_jump(self, tenths: int) -> None:
        """Go to a tenth of the recording."""
        self._go(self._timeline.seconds * tenths / 10)

    def action_close(self) -> None:
        """Close the search, or end."""
        field = self.query_one("#search", Input)
        if field.display:
            field.display = False
            self.set_focus(None)
        else:
            self.exit(0)

    # Search

    def action_search(self) -> None:
        """Ask for a text."""
        field = self.query_one("#search", Input)
        field.display = True
        field.focus()

    def on_input_submitted(self, message: Input.Submitted) -> None:
        """Search for it from here on."""
        self.action_close()
        self._text = message.value
        self.action_search_again()

    def action_search_again(self) -> None:
        """Go on to where the text appears next."""
        if self._text and (self._searching is None or self._searching.done()):
            self._paused = True
            self._searching = asyncio.create_task(self._search(self._text, self._player.shown))

    async def _search(self, text: str, shown: int) -> None:
        self._note = f"searching for {text} …"
        self._show()
        found = await asyncio.to_thread(_find, self._timeline, shown, text)
        self._note = "" if found is not None else f"{text} does not appear after this place"
        self._go(self._timeline.times[found - 1] if found else self._position)


def _find(timeline: Timeline, shown: int, text: str) -> int | None:
    """After how many events a text appears next; None if it does not."""
    io_loop = IOLoop()
    io_loop.start()
    player = ScreenPlayer(timeline, io_loop)
    try:
        player.show(shown)
        return player.shown if player.find(text) else None
    finally:
        player.close()
        io_loop.stop()


def _clock(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes}:{rest:02}"


def load(path: str) -> Cast:
    """The recording in a file. Raises BadRecording, which names the file."""
    try:
        with open(path, "rb") as file:
            fits = os.fstat(file.fileno()).st_size <= LARGEST
            data = file.read(LARGEST + 1) if fits else b""
    except (OSError, ValueError) as error:
        raise BadRecording(f"{clean(path, 200)}: {getattr(error, 'strerror', error)}") from None
    if not fits or len(data) > LARGEST:
        raise BadRecording(f"{clean(path, 200)}: more than {LARGEST >> 20} MiB are not read")
    try:
        return decode(data)
    except FugueError as error:
        raise BadRecording(f"{clean(path, 200)}: {error}") from None


def run(path: str, *, speed: float, idle: float) -> int:
    """Play a recording until the user closes it; the exit status. Raises BadRecording."""
    cast = load(path)
    return ReplayApp(cast, clean(os.path.basename(path)), speed=speed, idle=idle).run() or 0
