"""One connection of an attached client, at its end."""

import asyncio
import socket

from fugue_tui.attach_protocol import Bye
from fugue_tui.attach_server.socket_link import SocketLink


def test_a_client_that_disconnects_before_the_last_message_causes_no_error() -> None:
    loop = asyncio.new_event_loop()
    ours, theirs = socket.socketpair()
    link = SocketLink(ours, loop)
    link.start()
    link.stop()
    loop.close()
    theirs.close()
    link.finish(Bye("ended"))
    assert ours.fileno() == -1
