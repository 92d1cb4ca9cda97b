"""What each control sequence does to the fallback engine's screen, and what it answers.

Source: xterm's ctlseqs. What is not in a table here is swallowed.
"""

from collections.abc import Callable
from typing import Final

from pyte import modes as mode

from fugue_tui.terminal.emulator import osc
from fugue_tui.terminal.emulator.events import Bell
from fugue_tui.terminal.emulator.pending_events import TEXT_LIMIT, PendingEvents
from fugue_tui.terminal.pyte.cells import BLANK
from fugue_tui.terminal.pyte.modes import ModeTable
from fugue_tui.terminal.pyte.reports import COLOUR_QUERIES, Replies
from fugue_tui.terminal.pyte.screen import Screen
from fugue_tui.terminal.screen import sgr
from fugue_tui.terminal.screen.cells import CursorShape

LARGEST: Final = 65_535
"""Larger parameters are taken for this."""

_SHAPES: Final = (CursorShape.BLOCK, CursorShape.UNDERLINE, CursorShape.BAR)


class Actions:
    """Turns what the parser found into calls on the screen, the modes and the inbox."""

    def __init__(self, screen: Screen, modes: ModeTable, inbox: PendingEvents) -> None:
        self._screen = screen
        self._modes = modes
        self._inbox = inbox
        self.replies = Replies(screen, modes, inbox)
        self.shape: CursorShape | None = None
        """The cursor's shape; None until the program chose."""
        self.draw = screen.draw
        self._controls = self._control_table()
        self._escapes = self._escape_table()
        self._counts = self._count_table()
        self._sequences = self._sequence_table()

    def control(self, char: str) -> None:
        """Act on a C0 control character."""
        if action := self._controls.get(char):
            action()

    def escape(self, sequence: str) -> None:
        """Act on ESC and what followed it."""
        if len(sequence) == 2 and sequence[0] in "()":
            self._screen.define_charset(sequence[1], sequence[0])
        elif action := self._escapes.get(sequence):
            action()

    def csi(self, name: str, parameters: str) -> None:
        """Act on a control sequence; a parameter that is missing is 0 or, for counts, 1."""
        if name == "m":
            self._screen.set_pen(self._screen.pen._replace(style=sgr.read(self._screen.pen.style, parameters)))
        elif count := self._counts.get(name):
            count(max(1, _numbers(parameters)[0]))
        elif action := self._sequences.get(name):
            action(_numbers(parameters))

    def string(self, kind: str, text: str, end: str) -> None:
        """Act on an OSC, or answer one or a DCS."""
        number, _, rest = text.partition(";")
        if kind == "P":
            self.replies.request(text)
        elif number in ("0", "2"):
            self._inbox.set_title(rest[:TEXT_LIMIT])
        elif number == "7":
            self._inbox.set_cwd(rest[:TEXT_LIMIT])
        elif number == "8":
            self._set_link(rest)
        elif number in COLOUR_QUERIES:
            self.replies.colours(number, rest, end)
        elif event := osc.read(text):
            if text.startswith("133;A"):
                self._fresh_line()
            self._inbox.say(event)

    def _fresh_line(self) -> None:
        """A prompt begins on a line of its own (semantic prompts, "fresh-line")."""
        if self._screen.cursor.x:
            self._screen.carriage_return()
            self._screen.index()

    def reset(self) -> None:
        """Do what RIS does."""
        self._screen.reset()
        self._modes.reset()
        self.shape = None
        self._inbox.set_title("")

    # Tables

    def _control_table(self) -> dict[str, Callable[[], None]]:
        screen = self._screen
        return {
            "\x07": lambda: self._inbox.say(Bell()),
            "\b": self._backspace,
            "\t": screen.tab,
            "\n": screen.linefeed,
            "\v": screen.linefeed,
            "\f": screen.linefeed,
            "\r": screen.carriage_return,
            "\x0e": screen.shift_out,
            "\x0f": screen.shift_in,
        }

    def _escape_table(self) -> dict[str, Callable[[], None]]:
        screen = self._screen
        return {
            "c": self.reset,
            "D": screen.index,
            "E": self._next_line,
            "M": screen.reverse_index,
            "H": screen.set_tab_stop,
            "7": screen.save_cursor,
            "8": screen.restore_cursor,
            "#8": screen.alignment_display,
            "=": lambda: self._modes.put(66, True),
            ">": lambda: self._modes.put(66, False),
        }

    def _count_table(self) -> dict[str, Callable[[int], None]]:
        """Sequences whose one parameter counts something, from 1."""
        screen = self._screen
        return {
            "@": screen.insert_characters, "A": screen.cursor_up, "B": screen.cursor_down, "C": screen.cursor_forward,
            "D": screen.cursor_back, "E": screen.cursor_down1, "F": screen.cursor_up1, "G": screen.cursor_to_column,
            "I": screen.cursor_to_tab, "L": screen.insert_lines, "M": screen.delete_lines,
            "P": screen.delete_characters, "S": screen.scroll_up, "T": screen.scroll_down, "X": screen.erase_characters,
            "Z": lambda count: screen.cursor_to_tab(-count), "`": screen.cursor_to_column, "a": screen.cursor_forward,
            "b": screen.repeat, "d": screen.cursor_to_line, "e": screen.cursor_down,
        }  # fmt: skip

    def _sequence_table(self) -> dict[str, Callable[[list[int]], None]]:
        """The other sequences, which take all their numbers."""
        screen, modes = self._screen, self._modes
        position = self._position
        return {
            "H": position, "f": position,
            "J": lambda n: screen.erase_in_display(n[0]), "?J": lambda n: screen.erase_in_display(n[0]),
            "K": lambda n: screen.erase_in_line(n[0]), "?K": lambda n: screen.erase_in_line(n[0]),
            "g": lambda n: screen.clear_tab_stop(n[0]),
            "h": lambda n: modes.set_ansi(n, True), "l": lambda n: modes.set_ansi(n, False),
            "?h": lambda n: modes.set_private(n, True), "?l": lambda n: modes.set_private(n, False),
            "?s": modes.save, "?r": modes.restore,
            "r": lambda n: screen.set_margins(n[0], n[1] if len(n) > 1 else 0),
            "s": lambda _: screen.save_cursor(), "u": lambda _: screen.restore_cursor(),
            "!p": lambda _: self._soft_reset(), " q": lambda n: self._set_shape(n[0]),
            **self.replies.table(),
            ">m": modes.set_other_keys, ">n": modes.set_other_keys,
            ">u": modes.push_kitty, "<u": modes.pop_kitty,
            "=u": modes.set_kitty,
        }  # fmt: skip

    # Small actions

    def _backspace(self) -> None:
        self._screen.settle()
        self._screen.cursor_back(1)

    def _next_line(self) -> None:
        self._screen.index()
        self._screen.carriage_return()

    def _position(self, numbers: list[int]) -> None:
        self._screen.cursor_position(numbers[0], numbers[1] if len(numbers) > 1 else 1)

    def _set_shape(self, number: int) -> None:
        """DECSCUSR: odd numbers blink; 0 gives the host's own cursor back."""
        if number <= 6:
            self.shape = _SHAPES[(number - 1) // 2] if number else None
            self._modes.put(12, number % 2 == 1)

    def _soft_reset(self) -> None:
        """DECSTR."""
        screen = self._screen
        screen.mode = (screen.mode | {mode.DECTCEM, mode.DECAWM}) - {mode.IRM, mode.DECOM}
        screen.margins = None
        screen.define_charset("B", "(")
        screen.define_charset("B", ")")
        screen.shift_in()
        screen.set_pen(BLANK)
        self._modes.put(1, False)
        self._modes.put(66, False)

    def _set_link(self, rest: str) -> None:
        """OSC 8: what is written from now on leads there; an empty target ends it."""
        target = rest.partition(";")[2][:TEXT_LIMIT]
        self._screen.set_pen(self._screen.pen._replace(link=target or None))


def _numbers(parameters: str) -> list[int]:
    """The parameters as numbers, at least one; empty ones are 0, sub-parameters are left out."""
    words = [word.partition(":")[0] for word in parameters.split(";")]
    return [min(int(word), LARGEST) if word else 0 for word in words]
