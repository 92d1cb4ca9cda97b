"""A terminal window with a client in it, and a server that says what a test wants: both ends of the wire, for tests."""

import fcntl
import json
import os
import select
import socket
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from fugue_tui import attach_protocol
from fugue_tui.attach_protocol import Bye, Extent, Frames, Hello, Welcome

DEADLINE = 40.0
LEFT = b"\x1b[?1049l"
"""The end of the alternate screen: the terminal was given back."""
LAST = b"\0last"


class Window:
    """A terminal, and a program in it that was started as a shell starts it."""

    def __init__(self, argv: tuple[str, ...], env: dict[str, str], size: tuple[int, int, int, int] = (80, 24, 0, 0)):
        self.received = bytearray()
        self.status: int | None = None
        self.main, inner = os.openpty()
        self.resize(*size)
        self.before = termios.tcgetattr(inner)
        self._inner = inner
        on_terminal = "import os, sys; os.login_tty(0); os.execvp(sys.argv[1], sys.argv[1:])"
        self._child = subprocess.Popen((sys.executable, "-c", on_terminal, *argv), env=env, stdin=inner)
        self.pid = self._child.pid

    def resize(self, cols: int, rows: int, xpixel: int = 0, ypixel: int = 0) -> None:
        """Be of another size."""
        fcntl.ioctl(self.main, termios.TIOCSWINSZ, struct.pack("4H", rows, cols, xpixel, ypixel))

    def type(self, data: bytes) -> None:
        """Send what a terminal sends."""
        os.write(self.main, data)

    @property
    def stopped(self) -> bool:
        """Whether the program is stopped, as Ctrl+Z does."""
        return self._state == "T"

    @property
    def sleeps(self) -> bool:
        """Whether the program waits for an event."""
        return self._state == "S"

    @property
    def _state(self) -> str:
        return Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()[0]

    @property
    def raw(self) -> bool:
        """Whether a program took the terminal over."""
        return not termios.tcgetattr(self._inner)[3] & termios.ICANON

    @property
    def restored(self) -> bool:
        """Whether the terminal is as it was."""
        return termios.tcgetattr(self._inner) == self.before

    @property
    def typed(self) -> bytes:
        """What waits to be read by whoever has the terminal now."""
        os.set_blocking(self._inner, False)
        try:
            return os.read(self._inner, 1 << 12)
        except BlockingIOError:
            return b""

    def step(self, seconds: float = 0.02) -> None:
        """Show what the program wrote, and notice its end."""
        if self.main >= 0 and select.select([self.main], [], [], seconds)[0]:
            with suppress(OSError):
                self.received += os.read(self.main, 1 << 16)
        self.notice()

    def notice(self) -> None:
        """Notice the program's end, and nothing else: a terminal that takes nothing."""
        self.status = self._child.poll()

    def until(self, condition: Callable[[], object]) -> None:
        """Be a terminal until a condition holds."""
        end = time.monotonic() + DEADLINE
        while not condition():
            assert time.monotonic() < end, f"the deadline passed; status {self.status}: {bytes(self.received[-900:])!r}"
            self.step()

    def shows(self, data: bytes) -> None:
        """Wait for bytes."""
        self.until(lambda: data in self.received)

    def over(self) -> int:
        """Wait for the program's end; its exit status, minus the signal that killed it."""
        self.until(lambda: self.status is not None)
        if self.main >= 0:  # What comes last says that all was read.
            os.write(self._inner, LAST)
            self.until(lambda: self.received.endswith(LAST))
            del self.received[-len(LAST) :]
        assert self.status is not None
        return self.status

    def hang_up(self) -> None:
        """Close the window."""
        os.close(self._inner)
        os.close(self.main)
        self.main = self._inner = -1

    def close(self) -> None:
        """End whatever is left."""
        self._child.kill()
        self._child.wait()
        for fd in (self.main, self._inner):
            if fd >= 0:
                os.close(fd)


class Server:
    """Listens where a workspace does, and speaks the wire on a test's behalf."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(mode=0o700, exist_ok=True)
        self._listening = socket.socket(socket.AF_UNIX)
        self._listening.bind(str(path))
        self._listening.listen()
        self._listening.settimeout(DEADLINE)
        self.clients: list[Peer] = []

    def accept(self) -> "Peer":
        """The next client, whose request is read and not answered."""
        self.clients.append(Peer(self._listening.accept()[0]))
        return self.clients[-1]

    def close(self) -> None:
        """Stop."""
        self._listening.close()
        for client in self.clients:
            client.link.close()


class Peer:
    """A client at the server's end."""

    def __init__(self, link: socket.socket) -> None:
        self.link = link
        self.link.settimeout(DEADLINE)
        line = b""
        while not line.endswith(b"\n"):
            data = link.recv(1 << 16)
            assert data, "it left without a word"
            line += data
        self.said = json.loads(line)
        self.hello = Hello.load(self.said["params"])
        self._frames = Frames()
        self._waiting: list[tuple[bytes, bytes]] = []

    def welcome(self, welcome: Welcome | None = None) -> "Peer":
        """Let it in."""
        self.link.sendall(attach_protocol.answer(welcome or Welcome("main", title="fugue-tui main")))
        return self

    def draw(self, data: bytes) -> None:
        """Have it drawn."""
        self.link.sendall(attach_protocol.frame(attach_protocol.OUTPUT, data))

    def bye(self, bye: Bye) -> None:
        """Send it away."""
        self.link.sendall(attach_protocol.frame(attach_protocol.BYE, bye.dump()))
        self.link.close()

    def frame(self) -> tuple[bytes, bytes]:
        """What it says next; its end is (b"", b"")."""
        while not self._waiting:
            data = self.link.recv(1 << 16)
            if not data:
                return b"", b""
            self._waiting += self._frames.feed(data)
        return self._waiting.pop(0)

    def extent(self) -> Extent:
        """The size that it tells next."""
        kind, payload = self.frame()
        assert kind == attach_protocol.SIZE
        return Extent.load(payload)


PROGRAM = (sys.executable, "-m", "fugue_tui")
