"""The attach handshake of one client. Cheap to import."""

import socket
from typing import Final

from msgspec import Struct

from fugue_tui import attach_protocol
from fugue_tui.attach_protocol import Bye, Hello, Welcome
from fugue_tui.sanitize import clean

_SEND_SECONDS: Final = 1.0


class Handshake(Struct):
    """A connection whose first line was read. Owns the socket."""

    socket: socket.socket
    hello: Hello
    pids: tuple[int, ...] = ()
    """The client's process and its ancestors, nearest first."""
    inside: bool = False
    """Whether it came out of a pane, even if it has left it."""
    early: bytes = b""
    """What was read after the first line."""
    accepted: bool = False
    unsent: bytes = b""
    """The rest of a frame that was sent in part."""

    def accept(self, workspace: str, mouse: bool, waiting: int = 0, environment: tuple[str, ...] = ()) -> bool:
        """Answer that the client may take over its terminal, and which variables it sends; False if it has gone."""
        if not self.accepted:
            names = " ".join(environment)
            title = terminal_title(workspace, waiting)
            welcome = Welcome(workspace=workspace, mouse=mouse, title=title, environment=names)
            self.accepted = self._send(attach_protocol.answer(welcome))
        return self.accepted

    def refuse(self, reason: str) -> None:
        """Answer why the client may not attach, and close."""
        self._send(attach_protocol.refusal(clean(reason, 400)))
        self.socket.close()

    def end(self, bye: Bye) -> None:
        """Detach the client and close, unless the socket was handed over."""
        if self.socket.fileno() >= 0:
            self._send(self.unsent + attach_protocol.frame(attach_protocol.BYE, bye.dump()))
            self.socket.close()

    def _send(self, data: bytes) -> bool:
        try:
            self.socket.settimeout(_SEND_SECONDS)
            self.socket.sendall(data)
        except OSError:
            return False
        return True


def terminal_title(workspace: str, waiting: int = 0) -> str:
    """The title of a terminal that shows a workspace, in which so many agents wait for the user."""
    return clean(f"({waiting}) fugue-tui {workspace}" if waiting else f"fugue-tui {workspace}")
