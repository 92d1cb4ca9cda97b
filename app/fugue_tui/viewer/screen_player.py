"""Plays a recording on a terminal without a program: the screen at any position, forwards and back.

Not thread-safe: one thread owns a player, which need not be the main one.
"""

from typing import Final

from fugue_tui.geometry import Size
from fugue_tui.recording.asciicast import EventCode
from fugue_tui.recording.timeline import Timeline
from fugue_tui.terminal.emulator.events import Event
from fugue_tui.terminal.engines import make_emulator
from fugue_tui.terminal.pty.io_loop import IOLoop
from fugue_tui.terminal.pty.spawn import Exit
from fugue_tui.terminal.terminal import Terminal

SCROLLBACK: Final = 10_000


class ScreenPlayer:
    """A recording's terminal at one position."""

    def __init__(self, timeline: Timeline, io_loop: IOLoop) -> None:
        self.timeline = timeline
        self._io_loop = io_loop
        self.shown = 0
        """How many events the terminal shows."""
        self.terminal = self._blank()
        """The terminal; going back replaces it."""

    def _blank(self) -> Terminal:
        size = self.timeline.cast.header.size
        emulator = make_emulator("ghostty", size, SCROLLBACK)
        return Terminal.waiting(size, pump=self._io_loop, emulator=emulator, watcher=_Unwatched())

    def seek(self, position: float) -> None:
        """Show the screen at a position, in seconds of the timeline."""
        self.show(self.timeline.count(position))

    def show(self, count: int) -> None:
        """Show the screen after so many events."""
        if count < self.shown:
            self.terminal.close()
            self.terminal, self.shown = self._blank(), 0
        output = list[str]()
        for event in self.timeline.cast.events[self.shown : count]:
            if event.code is EventCode.OUTPUT:
                output.append(event.data)
            elif event.code is EventCode.RESIZE and (size := _size(event.data)) is not None:
                self._receive(output)
                self.terminal.resize(size)
        self._receive(output)
        self.shown = count

    def _receive(self, output: list[str]) -> None:
        """Feed what was printed, at once: each call has its price."""
        if output:
            self.terminal.receive(memoryview("".join(output).encode("utf-8", "replace")))
            output.clear()

    @property
    def text(self) -> str:
        """The text of the screen."""
        first = self.terminal.scrollback.lines
        return "\n".join(self.terminal.lines(first, first + self.terminal.size.rows, joined=True))

    def find(self, text: str) -> bool:
        """Go on to where the screen shows a text that it does not show now, in any case; whether there is one.

        Events within a twentieth of a second are looked at together."""
        wanted, events = text.casefold(), self.timeline.cast.events
        seen = wanted in self.text.casefold()
        while self.shown < len(events):
            self.show(max(self.shown + 1, self.timeline.count(self.timeline.times[self.shown] + 0.05)))
            sees = wanted in self.text.casefold()
            if sees and not seen:
                return True
            seen = sees
        return False

    def close(self) -> None:
        """Release the terminal."""
        self.terminal.close()


def _size(data: str) -> Size | None:
    """The size in a resize event; None if it is none."""
    cols, cross, rows = data.partition("x")
    if not (cross and cols.isdecimal() and rows.isdecimal() and len(data) < 12):
        return None
    return Size(min(max(int(cols), 1), 1_500), min(max(int(rows), 1), 800))


class _Unwatched:
    """No one is notified: who seeks draws."""

    def changed(self, terminal: Terminal) -> None:
        """Nothing."""

    def on_event(self, terminal: Terminal, event: Event) -> None:
        """Nothing."""

    def ended(self, terminal: Terminal, exit: Exit) -> None:
        """Never called: there is no program."""
