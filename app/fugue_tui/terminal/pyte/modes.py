"""The modes of the fallback engine: what programs set and reset, and what they mean for input."""

from typing import Final

from pyte import modes as mode

from fugue_tui.terminal.pyte.screen import Screen
from fugue_tui.terminal.screen.cells import Modes, MouseEncoding, MouseTracking

ALTERNATE: Final = (47, 1047, 1049)
_SAVES_CURSOR: Final = (1048, 1049)
_ON_SCREEN: Final = (6, 7, 25)
_TRACKING: Final = (9, 1000, 1002, 1003)
_ENCODING: Final = (1005, 1006, 1015, 1016)
_KNOWN: Final = frozenset({1, 12, 66, 67, 1004, 1007, 1048, 2004, *ALTERNATE, *_ON_SCREEN, *_TRACKING, *_ENCODING})
_ANSI: Final = frozenset({mode.IRM, mode.LNM})
_DEEPEST: Final = 16


class ModeTable:
    """Which modes are set. Those that the screen itself obeys live in the screen."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self.reset()

    def reset(self) -> None:
        """Every mode as at the start."""
        self._set: set[int] = {1007}
        self._kept: dict[int, bool] = {}
        self._kitty: dict[bool, list[int]] = {False: [0], True: [0]}
        self._other_keys = 0

    def is_set(self, number: int) -> bool:
        """Whether a DEC private mode is set."""
        if number in ALTERNATE:
            return self._screen.alternate
        return number << 5 in self._screen.mode if number in _ON_SCREEN else number in self._set

    def set_private(self, numbers: list[int], value: bool) -> None:
        """DECSET and DECRST."""
        for number in numbers:
            if number in _KNOWN:
                self.put(number, value)

    def put(self, number: int, value: bool) -> None:
        """Set or reset one DEC private mode, with what that does to the screen."""
        if number in ALTERNATE:
            self._switch(number, value)
        elif number in _SAVES_CURSOR:
            self._screen.save_cursor() if value else self._screen.restore_cursor()
        elif number in _ON_SCREEN:
            self._screen.put_mode(number << 5, value)
            if number == 6:
                self._screen.cursor_position()
        else:
            for group in (_TRACKING, _ENCODING):
                self._set -= set(group) if number in group and value else set()
            self._set = self._set | {number} if value else self._set - {number}

    def _switch(self, number: int, value: bool) -> None:
        """Enter or leave the alternate screen: 1049 saves the cursor and clears, 1047 clears on leaving."""
        screen = self._screen
        if number == 1049 and value:
            screen.save_cursor()
        if number == 1047 and not value and screen.alternate:
            screen.blank()
        screen.switch(value)
        if number == 1049 and value:
            screen.blank()
        elif number == 1049:
            screen.restore_cursor()

    def set_ansi(self, numbers: list[int], value: bool) -> None:
        """SM and RM: insert mode and newline mode."""
        for number in _ANSI.intersection(numbers):
            self._screen.put_mode(number, value)

    def save(self, numbers: list[int]) -> None:
        """XTSAVE."""
        self._kept.update({number: self.is_set(number) for number in numbers if number in _KNOWN})

    def restore(self, numbers: list[int]) -> None:
        """XTRESTORE."""
        for number in numbers:
            if number in self._kept:
                self.put(number, self._kept[number])

    def report(self, number: int) -> int:
        """DECRQM's answer for a private mode: 0 unknown, 1 set, 2 reset."""
        return 0 if number not in _KNOWN else 1 if self.is_set(number) else 2

    def report_ansi(self, number: int) -> int:
        """DECRQM's answer for an ANSI mode."""
        return 0 if number not in _ANSI else 1 if number in self._screen.mode else 2

    # Keyboard

    def set_other_keys(self, numbers: list[int]) -> None:
        """XTMODKEYS: `4;level` sets modifyOtherKeys; without a level, or without anything, it is off."""
        if numbers[0] in (0, 4):
            self._other_keys = min(numbers[1], 2) if len(numbers) > 1 and numbers[0] == 4 else 0

    @property
    def kitty_flags(self) -> int:
        """The kitty keyboard flags of the screen that is shown."""
        return self._kitty[self._screen.alternate][-1]

    def push_kitty(self, numbers: list[int]) -> None:
        """`CSI > flags u`; the oldest entry goes when the stack is full."""
        stack = self._kitty[self._screen.alternate]
        stack.append(numbers[0] & 31)
        del stack[1:-_DEEPEST]

    def pop_kitty(self, numbers: list[int]) -> None:
        """`CSI < count u`; the bottom stays, with no flags once everything was popped."""
        stack = self._kitty[self._screen.alternate]
        count = max(1, numbers[0])
        del stack[max(1, len(stack) - count) :]
        if count >= len(stack) and len(stack) == 1:
            stack[0] = 0

    def set_kitty(self, numbers: list[int]) -> None:
        """`CSI = flags ; how u`: 1 replaces, 2 adds, 3 takes away."""
        stack = self._kitty[self._screen.alternate]
        flags, how = numbers[0] & 31, numbers[1] if len(numbers) > 1 else 1
        stack[-1] = {2: stack[-1] | flags, 3: stack[-1] & ~flags}.get(how, flags)

    def read(self) -> Modes:
        """The modes that decide how input is written."""
        tracking = max((number for number in _TRACKING if number in self._set), default=0)
        encoding = max((number for number in _ENCODING if number in self._set), default=0)
        return Modes(
            application_cursor=self.is_set(1),
            application_keypad=self.is_set(66),
            bracketed_paste=self.is_set(2004),
            focus_events=self.is_set(1004),
            alternate_screen=self._screen.alternate,
            alternate_scroll=self.is_set(1007),
            backarrow_is_backspace=self.is_set(67),
            newline=mode.LNM in self._screen.mode,
            mouse=MouseTracking(tracking),
            mouse_encoding=MouseEncoding(encoding),
            kitty_flags=self.kitty_flags,
            modify_other_keys=self._other_keys,
        )
