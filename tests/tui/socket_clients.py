"""Terminals that are attached over raw sockets, and what is on them."""

import select
import socket
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeAlias

from tests.tui.host_programs import Screen, surface

from fugue_tui import attach_protocol
from fugue_tui.attach_protocol import Bye, Hello, Welcome
from fugue_tui.geometry import Size
from fugue_tui.terminal.emulator.events import Reply
from fugue_tui.terminal.screen.cells import Style

Answering: TypeAlias = Callable[[bytes], bytes]


def hello(size: Size = Size(80, 24), **given: Any) -> Hello:
    """What a terminal says of itself that shows everything."""
    told: dict[str, Any] = {"term": "xterm-256color", "colorterm": "truecolor"} | given
    return Hello(cols=size.cols, rows=size.rows, **told)


class Client(Screen):
    """An attached terminal. Its screen moves on only while something is waited for."""

    def __init__(self, connected: socket.socket, said: Hello, answering: "Answering | None" = None) -> None:
        """`answering` turns what a terminal would answer into what this one does."""
        self.socket = connected
        self.answering = answering or bytes
        self.said = said
        super().__init__(Size(said.cols, said.rows))
        self.emulator.feed(b"\x1b[?7l\x1b[?25l")
        self.received = bytearray()
        self.answer: dict[str, Any] | None = None
        self.bye: Bye | None = None
        self.renamed: Welcome | None = None
        self.open = True
        self.first_frame = 0.0
        self._line = b""
        self._frames = attach_protocol.Frames()

    def send(self, data: bytes | str) -> None:
        """Type."""
        self.raw(attach_protocol.frame(attach_protocol.INPUT, data.encode() if isinstance(data, str) else data))

    def raw(self, data: bytes) -> None:
        """Send bytes as they are."""
        self.socket.setblocking(True)
        self.socket.sendall(data)

    def resize(self, size: Size) -> None:
        """Give the terminal another size."""
        self.emulator.resize(size)
        self.raw(attach_protocol.frame(attach_protocol.SIZE, attach_protocol.Extent(size.cols, size.rows).dump()))

    def pause(self) -> None:
        """Be stopped."""
        self.raw(attach_protocol.frame(attach_protocol.PAUSE, b""))

    def step(self, seconds: float = 0.0) -> bool:
        """Take what the server sent, and answer what it asks; whether there was any."""
        if not self.open or not select.select([self.socket], [], [], max(seconds, 0))[0]:
            return False
        try:
            data = self.socket.recv(1 << 16)
        except OSError:
            data = b""
        if not data:
            self.open = False
            return False
        if self.answer is None and (self._line or data[:1] != attach_protocol.BYE):
            data = self._answered(data)
        for kind, payload in self._frames.feed(data):
            if kind == attach_protocol.BYE:
                self.bye = Bye.load(payload)
            elif kind == attach_protocol.NAME:
                self.renamed = Welcome.load(payload)
            else:
                assert kind == attach_protocol.OUTPUT
                self._shown(payload)
        return True

    def _answered(self, data: bytes) -> bytes:
        import json

        self._line += data
        line, found, rest = self._line.partition(b"\n")
        if not found:
            return b""
        self.answer = json.loads(line)
        return rest

    def _shown(self, payload: bytes) -> None:
        self.received += payload
        self.emulator.feed(payload)
        for event in self.emulator.take_events():
            if isinstance(event, Reply) and self.open and (answer := self.answering(event.data)):
                with suppress(BrokenPipeError, ConnectionResetError):  # The server closed it behind what was read.
                    self.send(answer)

    @property
    def grid(self) -> list[list[tuple[str, Style]]]:
        """Every cell's character and what shows of its style, row by row; only for characters of one cell."""
        rows: list[list[tuple[str, Style]]] = []
        for row in self._rows():
            found = [(letter, _shown(letter, run.style)) for run in row.runs for letter in run.text]
            rows.append(found + [(" ", Style())] * (self.emulator.size.cols - len(found)))
        return rows

    def close(self) -> None:
        """Go without a word."""
        self.open = False
        self.socket.close()


def _shown(letter: str, style: Style) -> Style:
    return surface(style) if letter == " " else style
