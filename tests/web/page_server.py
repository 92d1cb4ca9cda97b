"""A server of pages in a thread of the test, with a clock that the test sets forward."""

import asyncio
import threading
from collections.abc import Generator
from contextlib import contextmanager

import pytest
from tests.e2e.conftest import Running

from fugue_tui import tcp_listener
from fugue_tui.web.access import Access, Names
from fugue_tui.web.application import WebApplication
from fugue_tui.web.attached_view import Target
from fugue_tui.web.server import PageServer, WebOptions, config_of
from fugue_tui.web.views import Views


class ClockLoop(asyncio.SelectorEventLoop):
    """A loop whose clock is ahead of the real one."""

    def __init__(self) -> None:
        super().__init__()
        self._ahead = 0.0

    def time(self) -> float:
        """The time, in seconds."""
        return super().time() + self._ahead

    def advance(self, seconds: float) -> None:
        """Set the clock forward. Any thread."""
        self.call_soon_threadsafe(self._advance, seconds)

    def _advance(self, seconds: float) -> None:
        self._ahead += seconds


class Served:
    """A running server."""

    def __init__(self, socket: str, certificate: str = "", key: str = "") -> None:
        self.access = Access()
        self.loop = ClockLoop()
        self._listening = tcp_listener.listen("127.0.0.1", 0)
        self.port: int = self._listening.getsockname()[1]
        scheme = "https" if certificate else "http"
        self.origin = f"{scheme}://127.0.0.1:{self.port}"
        options = WebOptions(Target(socket), "e2e", certificate=certificate, key=key)
        names, views = Names("127.0.0.1", scheme), Views(options.target)
        application = WebApplication(self.access, names, views, scheme, lambda: None)
        self._server = PageServer(config_of(application, options))

    def run(self) -> None:
        """Serve until `stop`."""
        with asyncio.Runner(loop_factory=lambda: self.loop) as runner:
            runner.run(self._server.serve([self._listening]))

    def stop(self) -> None:
        """End it. Any thread."""
        self._server.should_exit = True


@contextmanager
def serving(socket: str, certificate: str = "", key: str = "") -> Generator[Served]:
    """A server of pages that show the workspace at a socket."""
    served = Served(socket, certificate, key)
    thread = threading.Thread(target=served.run)
    thread.start()
    try:
        yield served
    finally:
        served.stop()
        thread.join()


@pytest.fixture
def served(running: Running) -> Generator[Served]:
    """A server of pages that show a workspace."""
    with serving(str(running.socket)) as served:
        yield served
