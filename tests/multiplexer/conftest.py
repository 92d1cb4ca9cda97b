"""A workspace with real programs on real terminals, whose main loop the test runs."""

import asyncio
import os
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

import pytest

from fugue_tui.control import command_table as command_table
from fugue_tui.control.core.command import USER, Command, Interface, Origin
from fugue_tui.control.core.deferred import Deferred, is_deferred
from fugue_tui.control.schema.command_line import command as parse
from fugue_tui.geometry import Size
from fugue_tui.ids import PaneId
from fugue_tui.layout.tree import panes
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.multiplexer.access.current_call import Call, current_call
from fugue_tui.multiplexer.spawner import Launcher
from fugue_tui.terminal.pty.io_loop import IOLoop
from fugue_tui.workspace.invariants import check
from fugue_tui.workspace.model import Workspace

DEADLINE = 40.0
Answer = TypeVar("Answer")


class Room:
    """A multiplexer with helpers for tests."""

    def __init__(self, io_loop: IOLoop, area: Size = Size(81, 24)) -> None:
        self.loop = asyncio.get_running_loop()
        self.calls: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self._turning = False
        self.now = 1000.0
        self.clock: Callable[[], float] = lambda: self.now
        """The multiplexer's clock; `time.monotonic` for tests in which time passes by itself."""
        self.launcher = Launcher(io_loop, "ghostty", 500)
        self.mux = Multiplexer(
            "test",
            spawner=self.launcher,
            post=self._post,
            area=area,
            socket="/run/test.sock",
            clock=lambda: self.clock(),
        )
        self.mux.on_screen.connect(lambda pane: self.mux.terminals[pane].seen.refresh() and None)
        self.mux.on_change.connect(lambda old, new: self._check(new))
        self.empty = False
        self.mux.on_empty.connect(self._emptied)

    def run(self, command: Command[Answer], origin: Origin = USER) -> Answer:
        """Run a command."""
        call = current_call.set(Call(owner=origin.owner))
        try:
            found = command.run(self.mux, origin)
        finally:
            current_call.reset(call)
        return self.awaited(found) if is_deferred(found) else found

    def awaited(self, later: Deferred[Answer]) -> Answer:
        """Run the main-thread queue until a result is available."""
        self.until(lambda: later.done)
        return later.result()

    def say(self, line: str, origin: Origin = USER) -> Any:
        """Run a command line."""
        return self.run(parse(line), origin)

    def cat(self, name: str = "") -> PaneId:
        """Open a pane in which `cat` echoes what is typed."""
        return self.opened(f"create-pane --name '{name}' --command cat")

    def opened(self, line: str, origin: Origin = USER) -> PaneId:
        """Run a command that opens a pane; its id."""
        return PaneId(self.say(line, origin).id[1:])

    def text(self, pane: PaneId) -> str:
        """The text of a pane's screen."""
        terminal = self.mux.terminals[pane]
        lines = terminal.scrollback.lines
        return "\n".join(terminal.lines(lines, lines + terminal.size.rows)).rstrip("\n")

    def joined(self, pane: PaneId) -> str:
        """The text of a pane's screen, with wrapped rows joined."""
        terminal = self.mux.terminals[pane]
        lines = terminal.scrollback.lines
        return "\n".join(terminal.lines(lines, lines + terminal.size.rows, joined=True)).rstrip("\n")

    def caret(self, pane: PaneId) -> tuple[int, int]:
        """Where the program's cursor is, as (x, y)."""
        with self.mux.terminals[pane].locked() as screen:
            return screen.emulator.caret

    def shows(self, pane: PaneId, wanted: str) -> str:
        """Wait until a pane shows a text, wrapped or not; the text of the whole screen."""
        self.until(
            lambda: wanted in self.text(pane) or wanted in self.joined(pane),
            lambda: f"{wanted!r} in {self.text(pane)!r}",
        )
        return self.text(pane)

    def until(
        self, condition: Callable[[], object], told: Callable[[], str] = lambda: "", *, playing: bool = True
    ) -> None:
        """Run the main-thread queue until a condition holds; without `playing` only wait."""
        end = time.monotonic() + DEADLINE
        while not condition():
            assert time.monotonic() < end, f"the deadline passed: {told()}"
            if playing:
                self.turn()
            else:
                time.sleep(0.005)

    def turn(self, seconds: float = 0.02) -> None:
        """Run one posted call and one iteration of the main loop; if nothing is posted, wait for that so long."""
        with suppress(Empty):
            call, seconds = self.calls.get_nowait(), 0.0
            call()
        self._turning = True
        _iterate(self.loop, seconds)
        self._turning = False

    def drain(self, pane: PaneId) -> None:
        """Wait until everything is handled that the pane's program has printed so far."""
        read = list[bool]()
        self.mux.terminals[pane]._io_loop.post(lambda: self._post(lambda: read.append(True)))  # pyright: ignore[reportPrivateUsage]
        self.until(lambda: read)
        for _ in range(5):
            self.turn(0.0)

    def skip(self, seconds: float) -> None:
        """Have so many seconds pass at once for the timers of the main loop, also those of tasks yet to begin."""
        self.turn(0.0)
        now = self.loop.time
        vars(self.loop)["time"] = lambda: now() + seconds

    def ended(self, pane: PaneId) -> None:
        """Wait until a pane's program exited."""
        self.until(lambda: pane in self.mux.exits or pane not in self.mux.workspace.panes)

    def gone(self, pid: int) -> None:
        """Wait until a process exited."""
        self.until(lambda: not os.path.exists(f"/proc/{pid}"), lambda: f"process {pid} lives")

    @property
    def open(self) -> list[PaneId]:
        """Every pane, window by window, in reading order."""
        return [pane for window in self.mux.workspace.windows for pane in panes(window.layout)]

    def _post(self, call: Callable[[], None]) -> None:
        self.calls.put(call)
        with suppress(RuntimeError):  # The test is over.
            self.loop.call_soon_threadsafe(self._posted)

    def _posted(self) -> None:
        if self._turning:
            self.loop.stop()

    def _emptied(self) -> None:
        self.empty = True

    def _check(self, workspace: Workspace) -> None:
        check(workspace)
        assert set(self.mux.terminals) == set(workspace.panes)


def agent(pane: PaneId | None = None) -> Origin:
    """The origin of an agent, in a pane or outside."""
    return Origin(Interface.MCP, pane, client="test")


def _iterate(loop: asyncio.AbstractEventLoop, seconds: float) -> None:
    """Run the loop once, and at most so long; it counts as running in between, as a test is the code on its thread."""
    stop = loop.call_later(seconds, loop.stop) if seconds else loop.call_soon(loop.stop)
    asyncio._set_running_loop(None)  # pyright: ignore[reportPrivateUsage]
    try:
        loop.run_forever()
    finally:
        asyncio._set_running_loop(loop)  # pyright: ignore[reportPrivateUsage]
        stop.cancel()


@pytest.fixture
def main_loop() -> Iterator[asyncio.AbstractEventLoop]:
    """The loop of the main thread, which is that of the test."""
    with asyncio.Runner() as runner:
        loop = runner.get_loop()
        errors = list[BaseException]()
        loop.set_exception_handler(lambda _, told: errors.append(told.get("exception", RuntimeError(told["message"]))))
        asyncio._set_running_loop(loop)  # pyright: ignore[reportPrivateUsage]
        yield loop
        asyncio._set_running_loop(None)  # pyright: ignore[reportPrivateUsage]
    assert not errors, errors


@pytest.fixture
def room(main_loop: asyncio.AbstractEventLoop) -> Iterator[Room]:
    """An empty workspace of 81 by 24 cells, so that two columns have 40 each."""
    io_loop = IOLoop()
    io_loop.start()
    room = Room(io_loop)
    yield room
    room.mux.close()
    io_loop.stop()
