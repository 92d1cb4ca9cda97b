"""A terminal that wants in: its socket, what it said of itself, and how it is answered. Cheap to import."""

import socket
from dataclasses import dataclass
from typing import Final

from fugue_tui import attach_protocol
from fugue_tui.attach_protocol import Bye, Hello, Welcome
from fugue_tui.sanitize import clean

_ANSWER_SECONDS: Final = 1.0


@dataclass(slots=True)
class Handshake:
    """A connection whose first line was read. Owns the socket."""

    connected: socket.socket
    hello: Hello
    pids: tuple[int, ...] = ()
    """The client's process and its ancestors, nearest first."""
    early: bytes = b""
    """What was read behind the first line."""
    answered: bool = False
    """Whether it was let in already."""
    unsent: bytes = b""
    """The rest of a frame that it was sent already in part."""

    def let_in(self, workspace: str, mouse: bool) -> bool:
        """Answer that it may take over its terminal; whether it is still there."""
        if self.answered:
            return True
        self.answered = self._say(
            attach_protocol.answer(Welcome(workspace=workspace, mouse=mouse, title=titled(workspace)))
        )
        return self.answered

    def turn_away(self, why: str) -> None:
        """Answer why it may not, and close."""
        self._say(attach_protocol.refusal(clean(why, 400)))
        self.connected.close()

    def end(self, bye: Bye) -> None:
        """Send the farewell and close, unless the socket was handed over."""
        if self.connected.fileno() >= 0:
            self._say(self.unsent + attach_protocol.frame(attach_protocol.BYE, bye.dump()))
            self.connected.close()

    def _say(self, line: bytes) -> bool:
        try:
            self.connected.settimeout(_ANSWER_SECONDS)
            self.connected.sendall(line)
        except OSError:
            return False
        return True


def titled(workspace: str) -> str:
    """What the window of a terminal is called that shows a workspace."""
    return clean(f"fugue-tui {workspace}")
