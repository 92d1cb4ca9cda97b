"""The host terminal: its modes, its size, and a private descriptor to write to.

Few and cheap imports: every client starts with this.
"""

import fcntl
import os
import struct
import termios
import tty

TYPE_CHECKING = False
if TYPE_CHECKING:
    from fugue_tui.geometry import Size

_ENTER = (
    b"\x1b[?1049h"  # the alternate screen
    b"\x1b[?25l\x1b[?7l"  # no cursor until a pane shows its own; no wrapping
    b"\x1b[?2004h\x1b[?1004h"  # bracketed paste, focus events
    b"\x1b[?2031h"  # reports of light and dark (https://contour-terminal.org/vt-extensions/color-palette-update-notifications)
    b"\x1b[>31u"  # kitty keyboard, all of it: programs that ask for less get less
)
_LEAVE = b"\x1b[<u\x1b[?2031l\x1b[?2004l\x1b[?1004l\x1b[?7h\x1b[r\x1b[m\x1b[0 q\x1b[?1049l\x1b[?25h"
_TITLE = b"\x1b[22;0t\x1b]2;%s\x1b\\"
_NEW_TITLE = b"\x1b]2;%s\x1b\\"
_OLD_TITLE = b"\x1b[23;0t"
_MOUSE_ON = b"\x1b[?1000h\x1b[?1003h\x1b[?1006h"
_MOUSE_OFF = b"\x1b[?1003l\x1b[?1000l\x1b[?1006l"


class HostTerminal:
    """`enter` sets it up and `leave` restores it; both may be called again."""

    def __init__(self, mouse: bool = True, title: str = "") -> None:
        """`title` is shown by the terminal's window in between; it must be sanitized. Empty leaves the title alone."""
        self.input_fd = 0
        self.output_fd = _own_descriptor(self.input_fd)
        self.entered = False
        self._mouse = mouse
        self._title = title.encode()
        self._attributes: list[int | list[bytes | int]] | None = None

    @property
    def extent(self) -> tuple[int, int, int, int]:
        """The size in cells and in pixels; 80, 24, 0, 0 for what the terminal does not report."""
        return extent_of(self.input_fd)

    @property
    def size(self) -> "Size":
        """The size in cells; 80 by 24 if the terminal does not report it."""
        from fugue_tui.geometry import Size

        return Size(*self.extent[:2])

    def enter(self) -> bytes:
        """Set raw mode; returns the bytes to write to set up the screen."""
        try:
            if self._attributes is None:
                self._attributes = termios.tcgetattr(self.input_fd)
            tty.setraw(self.input_fd, termios.TCSADRAIN)  # What was typed ahead is kept.
        except termios.error:
            self._attributes = None
        self.entered = True
        title = _TITLE % self._title if self._title else b""
        return title + enter_sequence(self._mouse)

    def leave(self) -> bytes:
        """The bytes to write to restore the screen; call `restore` once they are written."""
        self.entered = False
        return leave_sequence(self._mouse, bool(self._title))

    def rename(self, title: str) -> bytes:
        """Change the title, which must be sanitized; returns the bytes to write."""
        if not self._title:
            return b""
        self._title = title.encode()
        return _NEW_TITLE % self._title if self.entered else b""

    def restore(self) -> None:
        """Restore the terminal's modes; unread input is discarded."""
        if self._attributes is None:
            return
        try:
            termios.tcsetattr(self.input_fd, termios.TCSAFLUSH, self._attributes)
        except termios.error:
            return  # The terminal is gone: there is nothing to restore.
        self._attributes = None

    def drop_output(self) -> None:
        """Discard unwritten output, so that nothing waits for a terminal that has stopped reading."""
        try:
            termios.tcflush(self.output_fd, termios.TCOFLUSH)
        except termios.error:
            return

    def close(self) -> None:
        """Close the private descriptor."""
        if self.output_fd not in (0, 1, 2):
            os.close(self.output_fd)
            self.output_fd = 1


def enter_sequence(mouse: bool) -> bytes:
    """The bytes that set up a terminal's screen and modes, and its mouse modes."""
    return _ENTER + (_MOUSE_ON if mouse else b"")


def leave_sequence(mouse: bool, title: bool) -> bytes:
    """The bytes that restore a terminal's screen and modes, its mouse modes and its title."""
    return (_MOUSE_OFF if mouse else b"") + _LEAVE + (_OLD_TITLE if title else b"")


def terminal_id(fd: int) -> str:
    """Device and inode of a terminal, which identify it on one machine; empty if unknown."""
    try:
        found = os.fstat(fd)
    except OSError:
        return ""
    return f"{found.st_dev}:{found.st_ino}"


def extent_of(fd: int) -> tuple[int, int, int, int]:
    """A terminal's columns, rows, and width and height in pixels; 80, 24, 0, 0 for what it does not report."""
    try:
        rows, cols, xpixel, ypixel = struct.unpack("4H", fcntl.ioctl(fd, termios.TIOCGWINSZ, bytes(8)))
    except OSError:
        rows, cols, xpixel, ypixel = 0, 0, 0, 0
    return (cols, rows, xpixel, ypixel) if cols and rows else (80, 24, 0, 0)


def _own_descriptor(fd: int) -> int:
    """A new descriptor for the same terminal, so that making it non-blocking affects no other process."""
    try:
        return os.open(os.ttyname(fd), os.O_WRONLY | os.O_NOCTTY | os.O_CLOEXEC)
    except OSError:
        return 1
