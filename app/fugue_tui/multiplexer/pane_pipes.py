"""The pipes of panes: at most one each, to a program or a file, until it is stopped or the pane's program ends."""

import os
from collections.abc import Callable

from msgspec import Struct

from fugue_tui.ids import PaneId
from fugue_tui.multiplexer.callbacks import CallbackList
from fugue_tui.terminal import output_pipe
from fugue_tui.terminal.output_pipe import OutputPipe
from fugue_tui.terminal.terminal import Terminal


class Receiver(Struct, frozen=True):
    """Where the output goes."""

    line: str = ""
    """The line for /bin/sh; empty for a file."""
    path: str = ""
    cwd: str = ""
    """Where the line runs."""
    output: bool = True
    """Whether the line gets the pane's output."""
    input: bool = False
    """Whether what the line prints is typed into the pane."""

    @property
    def words(self) -> str:
        """The line or the path. Untrusted."""
        return self.line or self.path


class PanePipe(Struct, frozen=True, eq=False):
    """An open pipe of a pane."""

    receiver: Receiver
    pipe: OutputPipe


class PanePipes:
    """Opens and stops pipes. Main thread only."""

    def __init__(self, post: Callable[[Callable[[], None]], None]) -> None:
        """`post` runs a call on the main thread; any thread."""
        self._post = post
        self._open: dict[PaneId, PanePipe] = {}
        self.on_change = CallbackList[[]]()
        """A pipe was opened or has ended."""
        self.on_message = CallbackList[[str]]()
        """A pipe was opened or stopped, has failed or loses output: words that name a program or a file, untrusted."""

    def of(self, pane: PaneId) -> PanePipe | None:
        """The open pipe of a pane; None if there is none."""
        return self._open.get(pane)

    def open(self, pane: PaneId, terminal: Terminal, receiver: Receiver) -> None:
        """Open a pipe instead of the present one. Raises OSError or ValueError, and has changed nothing then."""
        fd = typed = child = None
        if receiver.line:
            child = output_pipe.run(receiver.line, receiver.cwd, reads=receiver.output, prints=receiver.input)
            fd = os.dup(child.stdin.fileno()) if child.stdin is not None else None
            typed = os.dup(child.stdout.fileno()) if child.stdout is not None else None
            for stream in (child.stdin, child.stdout):
                if stream is not None:
                    stream.close()
        else:
            fd = output_pipe.open_file(receiver.path)
        if (before := self._open.pop(pane, None)) is not None:
            before.pipe.stop()
        pipe = OutputPipe(
            terminal,
            fd,
            child,
            typed=typed,
            lagged=lambda: self._post(lambda: self._lags(pane, receiver)),
            ended=lambda: self._post(lambda: self._end(pane, opened)),
        )
        opened = self._open[pane] = PanePipe(receiver, pipe)
        pipe.start()
        self.on_change()
        self.on_message(f"the output of {pane} goes to {receiver.words}")

    def stop(self, pane: PaneId) -> bool:
        """Stop the pipe of a pane; whether it had one."""
        found = self._open.pop(pane, None)
        if found is None:
            return False
        found.pipe.stop()
        self.on_change()
        self.on_message(f"the output of {pane} no longer goes to {found.receiver.words}")
        return True

    def _lags(self, pane: PaneId, receiver: Receiver) -> None:
        self.on_message(f"{receiver.words} is slower than {pane}: a part of its output is left out")
        self.on_change()

    def _end(self, pane: PaneId, ended: PanePipe) -> None:
        pipe, words = ended.pipe, ended.receiver.words
        if pipe.fault:
            self.on_message(f"the pipe of {pane} to {words} has ended: {pipe.fault}")
        elif pipe.dropped:
            self.on_message(f"{words} did not get {pipe.dropped} bytes of the output of {pane}")
        if self._open.get(pane) is ended:
            del self._open[pane]
            self.on_change()
