"""A TCP relay between a browser and a server, whose connections a test drops."""

import socket
import threading
from collections.abc import Callable
from contextlib import suppress


class TcpRelay:
    """Listens on a port of its own, and copies bytes to and from another one."""

    def __init__(self, port: int) -> None:
        self._target = port
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listening.getsockname()[1]
        self._ends: list[socket.socket] = []
        self._threads: list[threading.Thread] = []
        self._refuses = False
        self._run(self._accept)

    def drop(self) -> None:
        """Close all connections, and refuse new ones until `restore`."""
        self._refuses = True
        for end in self._ends:
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def restore(self) -> None:
        """Accept connections again."""
        self._refuses = False

    def close(self) -> None:
        """Stop."""
        self.drop()
        with suppress(OSError):
            self._listening.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join()
        for end in (self._listening, *self._ends):
            end.close()

    def _run(self, target: Callable[..., None], *arguments: socket.socket) -> None:
        self._threads.append(threading.Thread(target=target, args=arguments, daemon=True))
        self._threads[-1].start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client = self._listening.accept()[0]
                if self._refuses:
                    client.close()
                    continue
                server = socket.create_connection(("127.0.0.1", self._target))
                self._ends += [client, server]
                self._run(_copy, client, server)
                self._run(_copy, server, client)


def _copy(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(1 << 16):
            target.sendall(data)
    for end in (source, target):
        with suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)
